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
	uint32_t n = t->g.group.ranked, have = t->c.npass;
	struct choice_pass *more = t->c.pass;

	if ((have & (have - 1)) == 0) { /* full: room for twice as many */
		more = arena_alloc(t->p->arena, have ? 2 * have : 1, sizeof *more);
		if (!more)
			return NULL;
		if (have)
			memcpy(more, t->c.pass, have * sizeof *more);
		t->c.pass = more;
	}
	more += have;
	more->cand = arena_alloc(t->p->arena, n + 1, sizeof *more->cand);
	more->place = arena_alloc(t->p->arena, n + 1, sizeof *more->place);
	t->c.npass += more->cand && more->place;
	return more->cand && more->place ? more : NULL;
}

/* The least first; equals share a place and stand as they come. */
static int show(struct contest *t, const uint32_t *cand, const double *rank, uint32_t n)
{
	struct choice_pass *to = one_more_pass(t);
	uint32_t *line = arena_alloc(t->p->arena, n + 1, sizeof *line);

	if (!to || !line)
		return 0;
	for (uint32_t i = 0; i < n; i++) { /* by insertion */
		uint32_t at = i;

		for (; at && rank[line[at - 1]] > rank[i]; at--)
			line[at] = line[at - 1];
		line[at] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		to->cand[i] = t->g.index[cand[line[i]]];
		if (i && rank[line[i]] == rank[line[i - 1]])
			to->place[to->places - 1]++;
		else
			to->place[to->places++] = 1;
	}
	return 1;
}

int contest_show_pick(struct contest *t, const uint32_t *cand, const double *value,
		      uint32_t n)
{
	double *rank = arena_alloc(t->p->arena, n + 1, sizeof *rank);

	if (!rank)
		return 0;
	ranks_of_scores(value, n, rank);
	return show(t, cand, rank, n);
}

int contest_show_ask(struct contest *t, const uint32_t *cand, const double *value,
		     uint32_t n)
{
	uint32_t *shown = arena_alloc(t->p->arena, n + 1, sizeof *shown);
	struct choice_pass *pass;

	if (!shown || !contest_show_pick(t, cand, value, n))
		return 0;
	pass = &t->c.pass[t->c.npass - 1];
	for (uint32_t i = 0; i < n; i++)
		shown[i] = t->g.index[cand[i]];
	pass->shown = shown;
	pass->nshown = n;
	return 1;
}

int contest_show_void(struct contest *t)
{
	struct choice_pass *blank = one_more_pass(t);

	if (blank)
		blank->is_void = 1;
	return blank != NULL;
}

int contest_show_groups(struct contest *t, const double *value, int is_void)
{
	const struct grouping *g = &t->g.group;
	double *of_member = arena_alloc(t->p->arena, g->ranked + 1, sizeof *of_member);

	if (is_void)
		return contest_show_void(t);
	for (uint32_t i = 0; of_member && i < g->ranked; i++)
		of_member[i] = value[g->of[g->member[i]]];
	return of_member && contest_show_pick(t, g->member, of_member, g->ranked);
}

void contest_set_ranks(struct contest *t, const double *rank)
{
	for (uint32_t i = 0; i < t->g.group.g && i < t->c.ngroup; i++)
		t->c.group[i].mean_rank = rank[i];
}

int contest_mean_ranks(struct contest *t, const double *value)
{
	double *rank = arena_alloc(t->p->arena, t->g.group.g + 1, sizeof *rank);

	if (!rank)
		return 0;
	ranks_of_scores(value, t->g.group.g, rank);
	contest_set_ranks(t, rank);
	return 1;
}

int contest_rank_groups(struct contest *t, const double *value)
{
	return contest_mean_ranks(t, value) && contest_show_groups(t, value, 0);
}

int contest_rank_shown(struct contest *t, const uint32_t *cand, const double *value,
		       uint32_t n)
{
	uint32_t g = t->g.group.g, m = 0;
	uint32_t *seen = arena_alloc(t->p->arena, g + 1, sizeof *seen);
	double *best = arena_alloc(t->p->arena, g + 1, sizeof *best);
	double *rank = arena_alloc(t->p->arena, g + 1, sizeof *rank);

	if (!seen || !best || !rank)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = t->g.group.of[cand[i]];

		if (!seen[k] || value[i] > best[k])
			best[k] = value[i];
		seen[k] = 1;
	}
	for (uint32_t k = 0; k < g; k++)
		if (seen[k]) {
			seen[m] = k;
			best[m++] = best[k];
		}
	ranks_of_scores(best, m, rank);
	for (uint32_t i = 0; i < m; i++)
		t->c.group[seen[i]].mean_rank = rank[i];
	return 1;
}

int contest_rank_candidates(struct contest *t, const double *value)
{
	const struct grouping *g = &t->g.group;
	double *of_member = arena_alloc(t->p->arena, g->ranked + 1, sizeof *of_member);

	for (uint32_t i = 0; of_member && i < g->ranked; i++)
		of_member[i] = value[g->member[i]];
	return of_member && contest_rank_shown(t, g->member, of_member, g->ranked) &&
	       contest_show_pick(t, g->member, of_member, g->ranked);
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
