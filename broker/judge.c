/* judge.c - see judge.h */
#include "broker/judge.h"

#include "broker/reward.h"

static const struct judge_code *code_of(enum judge_kind which)
{
	switch (which) {
	case JUDGE_llm: return &judge_llm;
	case JUDGE_simulated: return &judge_simulated;
	default: return &judge_evidence;
	}
}

enum ask_state judge_begin(struct plan *p, const struct aggregate *g, struct choice *c,
			   struct judge *ret)
{
	*ret = (struct judge){
		.plan = p, .g = g, .choice = c, .code = code_of(p->run->judge)
	};
	return ret->code->begin(ret);
}

void judge_end(struct judge *j)
{
	buf_free(&j->dossier_bytes);
}

enum ask_state judge_window(struct judge *j, uint32_t pass, uint32_t window,
			    const uint32_t *cand, uint32_t n, double *ret_rank)
{
	j->choice->asks++;
	return j->code->window(j, pass, window, cand, n, ret_rank);
}

enum ask_state judge_grade(struct judge *j, uint32_t a, uint32_t b, double ret[2])
{
	j->choice->asks += 2;
	return j->code->grade(j, a, b, ret);
}

enum ask_state judge_tie(struct judge *j, uint32_t a, uint32_t b, double ret[2])
{
	if (j->plan->run->tie_break == TIE_reward)
		return reward_grade(j, a, b, ret);
	return judge_grade(j, a, b, ret);
}

int judge_repeats(const struct judge *j)
{
	return j->code->repeats(j);
}

void judge_note_task(struct judge *j, const struct hash *key, enum kind kind,
		     uint32_t pass, uint32_t window)
{
	struct choice *c = j->choice;
	struct choice_ask *more;

	for (uint32_t i = 0; i < c->nasked; i++)
		if (hash_eq(&c->asked[i].key, key))
			return;
	more = arena_alloc(j->plan->arena, c->nasked + 1, sizeof *more);
	if (!more)
		return;
	if (c->nasked)
		memcpy(more, c->asked, c->nasked * sizeof *more);
	more[c->nasked] = (struct choice_ask){ *key, (uint8_t)kind, (uint16_t)pass,
					       (uint16_t)window };
	c->asked = more;
	c->nasked++;
}
