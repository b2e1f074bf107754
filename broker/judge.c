/* judge.c - see judge.h */
#include "broker/judge.h"

#include "broker/reward.h"
#include "common/select/ranks.h"

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

static enum ask_state values(struct judge *j, const char *what, uint32_t pass,
			     const uint32_t *cand, uint32_t n, const double **ret)
{
	double *value = arena_alloc(j->plan->arena, n + 1, sizeof *value);

	*ret = value;
	return value ? j->code->value(j, what, pass, cand, n, value)
		     : ASK_WAITS; /* for memory */
}

enum ask_state judge_rank(struct judge *j, uint32_t pass, uint32_t window,
			  const uint32_t *cand, uint32_t n, double *ret_rank)
{
	const double *value;
	enum ask_state s;

	j->choice->asks++;
	if (!j->code->value)
		return j->code->rank(j, pass, window, cand, n, ret_rank);
	s = values(j, "rank", pass, cand, n, &value);
	if (s == ASK_DONE)
		ranks_of_scores(value, n, ret_rank);
	return s;
}

enum ask_state judge_pick(struct judge *j, uint32_t pass, const uint32_t *cand,
			  uint32_t n, uint32_t want, double *ret_value)
{
	const double *value;
	enum ask_state s;

	j->choice->asks++;
	if (!j->code->value)
		return j->code->pick(j, pass, cand, n, want, ret_value);
	s = values(j, "pick", pass, cand, n, &value);
	if (s == ASK_DONE)
		ranks_best(value, n, want, ret_value);
	return s;
}

enum ask_state judge_pair(struct judge *j, uint32_t pass, uint32_t first,
			  uint32_t second, double *ret_p)
{
	j->choice->asks++;
	return j->code->pair(j, pass, first, second, ret_p);
}

enum ask_state judge_score(struct judge *j, uint32_t cand, double *ret)
{
	j->choice->asks++;
	return j->code->score(j, cand, ret);
}

enum ask_state judge_cover(struct judge *j, int *ret)
{
	j->choice->asks++;
	return j->code->cover(j, ret);
}

enum ask_state judge_tie(struct judge *j, uint32_t a, uint32_t b, double ret[2])
{
	enum ask_state (*score)(struct judge * j, uint32_t cand, double *ret) =
		j->plan->run->tie_break == TIE_reward ? reward_score : judge_score;
	enum ask_state x = score(j, a, &ret[0]), y = score(j, b, &ret[1]);

	return x == ASK_WAITS || y == ASK_WAITS ? ASK_WAITS : x == ASK_VOID ? x : y;
}

int judge_repeats(const struct judge *j)
{
	return j->code->repeats(j);
}

/* Where the key is in `noted`, or would be: open addressing over places in `asked`. */
static uint32_t *noted(struct judge *j, const struct hash *key)
{
	uint32_t mask = j->noted_cap - 1, i;

	memcpy(&i, key->b, sizeof i);
	for (i &= mask; j->noted[i]; i = (i + 1) & mask)
		if (hash_eq(&j->choice->asked[j->noted[i] - 1].key, key))
			break;
	return &j->noted[i];
}

/* Room for twice as many, half of the table free. */
static int grow_noted(struct judge *j)
{
	struct choice *c = j->choice;
	uint32_t cap = j->noted_cap ? j->noted_cap * 2 : 32;
	struct choice_ask *more = arena_alloc(j->plan->arena, cap / 2, sizeof *more);
	uint32_t *slot = arena_alloc(j->plan->arena, cap, sizeof *slot);

	if (!more || !slot)
		return 0;
	if (c->nasked)
		memcpy(more, c->asked, c->nasked * sizeof *more);
	c->asked = more;
	j->noted = slot;
	j->noted_cap = cap;
	for (uint32_t i = 0; i < c->nasked; i++)
		*noted(j, &c->asked[i].key) = i + 1;
	return 1;
}

void judge_note_task(struct judge *j, const struct hash *key, enum kind kind,
		     uint32_t pass, uint32_t window)
{
	struct choice *c = j->choice;
	uint32_t *slot;

	if (c->nasked == j->noted_cap / 2 && !grow_noted(j))
		return; /* the arena remembers */
	slot = noted(j, key);
	if (*slot)
		return;
	c->asked[c->nasked++] = (struct choice_ask){ *key, (uint8_t)kind,
						     (uint16_t)pass, (uint16_t)window };
	*slot = c->nasked;
}
