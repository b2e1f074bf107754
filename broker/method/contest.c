/* contest.c - see contest.h */
#include "broker/method/contest.h"

#include "common/base/round.h"
#include "common/select/ranks.h"

void contest_degrade(struct contest *t, const char *reason)
{
	t->c.why = WHY_DEGRADED;
	t->c.degraded = 1;
	t->c.reason = view_of(reason);
}

void contest_choose(struct contest *t, uint32_t cand)
{
	t->c.why = WHY_RANKED;
	t->c.chosen = t->g.index[cand];
}

/* ---- the best -------------------------------------------------------------------- */

uint32_t contest_best_group(const struct contest *t, const double *value)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < t->g.group.g; i++)
		if (round20(value[i]) > round20(value[best]))
			best = i;
	return best;
}

static uint32_t best_of(const uint32_t *cand, uint32_t n, const double *value)
{
	uint32_t best = cand[0];

	for (uint32_t i = 1; i < n; i++)
		if (round20(value[cand[i]]) > round20(value[best]))
			best = cand[i];
	return best;
}

uint32_t contest_best_candidate(const struct contest *t, const double *value)
{
	return best_of(t->g.group.member, t->g.group.ranked, value);
}

uint32_t contest_best_member(const struct contest *t, uint32_t group,
			     const double *value)
{
	const struct group *g = &t->g.group.group[group];

	return best_of(t->g.group.member + g->first, g->size, value);
}

/* ---- the record of an order ------------------------------------------------------ */

static struct choice_pass *one_more_pass(struct contest *t)
{
	struct choice_pass *more =
		arena_alloc(t->p->arena, t->c.npass + 1, sizeof *more);
	uint32_t n = t->g.group.ranked;

	if (!more)
		return NULL;
	if (t->c.npass)
		memcpy(more, t->c.pass, t->c.npass * sizeof *more);
	t->c.pass = more;
	more += t->c.npass;
	more->cand = arena_alloc(t->p->arena, n + 1, sizeof *more->cand);
	more->place = arena_alloc(t->p->arena, n + 1, sizeof *more->place);
	t->c.npass += more->cand && more->place;
	return more->cand && more->place ? more : NULL;
}

/* Places from ranks: equal ranks share one. Candidates in the order of the groups. */
static int show(struct contest *t, const double *rank)
{
	const struct grouping *g = &t->g.group;
	struct choice_pass *to = one_more_pass(t);
	uint32_t shown = 0;

	while (to && shown < g->ranked) {
		double next = HUGE_VAL, last = shown ? rank[to->cand[shown - 1]] : 0;
		uint32_t from = shown;

		for (uint32_t i = 0; i < g->ranked; i++)
			if (rank[g->member[i]] > last && rank[g->member[i]] < next)
				next = rank[g->member[i]];
		for (uint32_t i = 0; i < g->ranked; i++)
			if (rank[g->member[i]] == next)
				to->cand[shown++] = g->member[i];
		to->place[to->places++] = shown - from;
	}
	for (uint32_t i = 0; to && i < shown; i++)
		to->cand[i] = t->g.index[to->cand[i]];
	return to != NULL;
}

static double *spread(struct contest *t, const double *rank_of_group)
{
	const struct grouping *g = &t->g.group;
	double *rank = arena_alloc(t->p->arena, t->g.n + 1, sizeof *rank);

	for (uint32_t i = 0; rank && i < g->ranked; i++)
		rank[g->member[i]] = rank_of_group[g->of[g->member[i]]];
	return rank;
}

int contest_show_groups(struct contest *t, const double *value, int is_void)
{
	double *of_group = arena_alloc(t->p->arena, t->g.group.g + 1, sizeof *of_group);
	struct choice_pass *blank;
	double *rank;

	if (is_void) {
		blank = one_more_pass(t);
		if (blank)
			blank->is_void = 1;
		return blank != NULL;
	}
	if (!of_group)
		return 0;
	ranks_of_scores(value, t->g.group.g, of_group);
	rank = spread(t, of_group);
	return rank && show(t, rank);
}

int contest_mean_ranks(struct contest *t, const double *value)
{
	double *rank = arena_alloc(t->p->arena, t->g.group.g + 1, sizeof *rank);

	if (!rank)
		return 0;
	ranks_of_scores(value, t->g.group.g, rank);
	for (uint32_t i = 0; i < t->g.group.g && i < t->c.ngroup; i++)
		t->c.group[i].mean_rank = rank[i];
	return 1;
}

int contest_rank_groups(struct contest *t, const double *value)
{
	return contest_mean_ranks(t, value) && contest_show_groups(t, value, 0);
}

int contest_rank_candidates(struct contest *t, const double *value)
{
	const struct grouping *g = &t->g.group;
	double *lined = arena_alloc(t->p->arena, t->g.n + 1, sizeof *lined);
	double *rank = arena_alloc(t->p->arena, t->g.n + 1, sizeof *rank);
	double *of = arena_alloc(t->p->arena, t->g.n + 1, sizeof *of);
	double *best = arena_alloc(t->p->arena, g->g + 1, sizeof *best);

	if (!lined || !rank || !of || !best)
		return 0;
	for (uint32_t i = 0; i < g->g; i++)
		best[i] = value[contest_best_member(t, i, value)];
	for (uint32_t i = 0; i < g->ranked; i++)
		lined[i] = value[g->member[i]];
	ranks_of_scores(lined, g->ranked, of);
	for (uint32_t i = 0; i < g->ranked; i++)
		rank[g->member[i]] = of[i];
	return contest_mean_ranks(t, best) && show(t, rank);
}

/* ---- the frame ------------------------------------------------------------------- */

static enum plan_state judged(struct contest *t, contest_fn *work)
{
	enum plan_state s = PLAN_DONE;

	switch (judge_begin(t->p, &t->g, &t->c, &t->judge)) {
	case ASK_WAITS: s = PLAN_WAITS; break;
	case ASK_VOID: contest_degrade(t, "the judge could not begin: majority"); break;
	case ASK_DONE: s = work(t); break;
	}
	judge_end(&t->judge);
	return s;
}

enum plan_state contest_plan_by(struct plan *p, enum face by, int with_judge,
				contest_fn *work, struct buf *ret)
{
	struct contest t = { .p = p };
	enum plan_state s = PLAN_DONE;

	if (aggregate(p, &t.g) == PLAN_WAITS)
		return PLAN_WAITS;
	aggregate_choice(p, &t.g, &t.c);
	if (p->arena->bad)
		return PLAN_WAITS; /* for memory, in vain: the caller sees it, too */
	if (t.c.g)
		t.c.chosen = t.g.index[face_of(p, &t.g, 0, by)];
	if (t.c.g == 1 && !t.c.degraded) {
		t.c.why = WHY_ONE_GROUP;
		t.c.confidence = 1;
	} else if (t.c.g > 1 && !t.c.degraded) {
		s = with_judge ? judged(&t, work) : work(&t);
	}
	if (p->arena->bad)
		return PLAN_WAITS;
	if (s == PLAN_DONE)
		choice_encode(&t.c, ret);
	return s;
}

enum plan_state contest_plan(struct plan *p, int with_judge, contest_fn *work,
			     struct buf *ret)
{
	return contest_plan_by(p, FACE_FIRST, with_judge, work, ret);
}
