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

enum ask_state judge_rank(struct judge *j, uint32_t pass, uint32_t window,
			  const uint32_t *cand, uint32_t n, double *ret_rank)
{
	j->choice->asks++;
	return j->code->rank(j, pass, window, cand, n, ret_rank);
}

/* A judge need not answer everything. */
static enum ask_state cannot(struct judge *j, const char *what)
{
	choice_note(j->plan, j->choice, "judge %s cannot %s",
		    judge_name(j->plan->run->judge), what);
	return ASK_VOID;
}

enum ask_state judge_pick(struct judge *j, uint32_t pass, const uint32_t *cand,
			  uint32_t n, uint32_t want, double *ret_value)
{
	j->choice->asks++;
	if (!j->code->pick)
		return cannot(j, "pick");
	return j->code->pick(j, pass, cand, n, want, ret_value);
}

enum ask_state judge_pair(struct judge *j, uint32_t pass, uint32_t first,
			  uint32_t second, double *ret_p)
{
	j->choice->asks++;
	if (!j->code->pair)
		return cannot(j, "compare two");
	return j->code->pair(j, pass, first, second, ret_p);
}

enum ask_state judge_score(struct judge *j, uint32_t cand, double *ret)
{
	j->choice->asks++;
	return j->code->score(j, cand, ret);
}

enum ask_state judge_grade(struct judge *j, uint32_t a, uint32_t b, double ret[2])
{
	enum ask_state x = judge_score(j, a, &ret[0]), y = judge_score(j, b, &ret[1]);

	return x == ASK_WAITS || y == ASK_WAITS ? ASK_WAITS : x == ASK_VOID ? x : y;
}

enum ask_state judge_cover(struct judge *j, int *ret)
{
	j->choice->asks++;
	if (!j->code->cover)
		return cannot(j, "say whether a right one is among them");
	return j->code->cover(j, ret);
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
