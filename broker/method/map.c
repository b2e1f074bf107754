/* map.c - MAP-SQL: listwise selection with memory and permutation
 *
 * Groups by result, largest first; K passes, each from a permuted order, in which
 * windows slide from the back to the front and the judge orders each; mean ranks over
 * the passes; a t-confidence of the best group against its best rival; a tie goes to
 * the tie-break. One group costs nothing. Passes are independent; windows of a pass
 * follow each other.
 *
 * Source: Jeong et al., "Replacing Training with Memory: Listwise Selection for
 *         Text-to-SQL", arXiv 2609.00834.
 */
#include "broker/judge.h"
#include "broker/method/method.h"
#include "common/select/confidence.h"
#include "common/select/lineup.h"
#include "common/select/meanrank.h"
#include "common/select/permute.h"
#include "common/select/window.h"

struct map {
	struct plan *p;
	struct aggregate g;
	struct choice c;
	struct judge judge;
	uint32_t passes;     /* distinct */
	uint32_t *order;     /* passes x ranked */
	struct lineup *line; /* [passes] */
	uint8_t *is_void;    /* [passes] */
	/* over the passes that count */
	uint32_t valid;
	double *by_cand;  /* valid x n */
	double *by_group; /* valid x g */
	double *mean_c, *mean_g;
};

/* ---- passes ---------------------------------------------------------------------- */

static int same_order(const struct map *m, uint32_t a, uint32_t b)
{
	uint32_t n = m->g.group.ranked;

	return memcmp(m->order + (size_t)a * n, m->order + (size_t)b * n,
		      n * sizeof *m->order) == 0;
}

/* Passes that would ask the same are one: K counts distinct ones. */
static void keep_distinct(struct map *m)
{
	uint32_t n = m->g.group.ranked, kept = 0;

	for (uint32_t k = 0; k < m->passes; k++) {
		uint32_t i = 0;

		while (i < kept && !same_order(m, i, k))
			i++;
		if (i < kept)
			continue;
		memmove(m->order + (size_t)kept * n, m->order + (size_t)k * n,
			n * sizeof *m->order);
		kept++;
	}
	m->passes = kept;
}

static int draw_orders(struct map *m)
{
	static const enum permute how[] = { [PERMUTE_within] = PERMUTE_WITHIN,
					    [PERMUTE_between] = PERMUTE_BETWEEN,
					    [PERMUTE_both] = PERMUTE_BOTH };
	const struct run *run = m->p->run;
	uint32_t n = m->g.group.ranked;

	m->passes = run->passes_max;
	m->order =
		arena_alloc(m->p->arena, (size_t)m->passes * n + 1, sizeof *m->order);
	m->line = arena_alloc(m->p->arena, m->passes + 1, sizeof *m->line);
	m->is_void = arena_alloc(m->p->arena, m->passes + 1, 1);
	if (!m->order || !m->line || !m->is_void ||
	    permute_passes(&m->g.group, how[run->permute], run->seed, m->p->q->id,
			   m->passes, m->order, NULL))
		return 0;
	if (judge_repeats(&m->judge))
		keep_distinct(m);
	return 1;
}

/* From the back to the front, until a window waits. */
static enum ask_state run_pass(struct map *m, uint32_t pass)
{
	const struct run *run = m->p->run;
	uint32_t n = m->g.group.ranked, size = window_size(n, run->window);
	double *rank = arena_alloc(m->p->arena, size + 1, sizeof *rank);
	uint8_t *tied = arena_alloc(m->p->arena, n + 1, 1);
	struct lineup *l = &m->line[pass];

	if (!rank || !tied)
		return ASK_VOID;
	lineup_begin(l, m->order + (size_t)pass * n, tied, n);
	for (uint32_t w = 0; w < window_count(n, run->window, run->step); w++) {
		uint32_t start = window_start(n, run->window, run->step, w);
		enum ask_state s =
			judge_rank(&m->judge, pass, w, l->order + start, size, rank);

		if (s != ASK_DONE)
			return s;
		lineup_write(l, start, size, rank);
	}
	return ASK_DONE;
}

static enum ask_state run_passes(struct map *m)
{
	enum ask_state all = ASK_DONE;

	for (uint32_t k = 0; k < m->passes; k++) {
		enum ask_state s = run_pass(m, k);

		m->is_void[k] = s == ASK_VOID;
		if (s == ASK_WAITS)
			all = ASK_WAITS; /* the others go on meanwhile */
	}
	return all;
}

/* ---- ranks ----------------------------------------------------------------------- */

static int gather_ranks(struct map *m)
{
	uint32_t n = m->g.n, g = m->g.group.g;

	m->by_cand =
		arena_alloc(m->p->arena, (size_t)m->passes * n + 1, sizeof *m->by_cand);
	m->by_group = arena_alloc(m->p->arena, (size_t)m->passes * g + 1,
				  sizeof *m->by_group);
	m->mean_c = arena_alloc(m->p->arena, n + 1, sizeof *m->mean_c);
	m->mean_g = arena_alloc(m->p->arena, g + 1, sizeof *m->mean_g);
	if (!m->by_cand || !m->by_group || !m->mean_c || !m->mean_g)
		return 0;
	for (uint32_t k = 0; k < m->passes; k++) {
		double *line = m->by_cand + (size_t)m->valid * n;

		if (m->is_void[k])
			continue;
		lineup_ranks(&m->line[k], line);
		meanrank_groups(&m->g.group, line, m->by_group + (size_t)m->valid * g);
		m->valid++;
	}
	return 1;
}

static void show_pass(struct map *m, uint32_t k, struct choice_pass *ret)
{
	const struct lineup *l = &m->line[k];

	ret->is_void = m->is_void[k];
	ret->cand = arena_alloc(m->p->arena, l->n + 1, sizeof *ret->cand);
	ret->place = arena_alloc(m->p->arena, l->n + 1, sizeof *ret->place);
	for (uint32_t i = 0; ret->cand && ret->place && !ret->is_void && i < l->n;
	     i++) {
		ret->cand[i] = m->g.index[l->order[i]];
		if (i && l->tied[i])
			ret->place[ret->places - 1]++;
		else
			ret->place[ret->places++] = 1;
	}
}

static void show_passes(struct map *m)
{
	m->c.pass = arena_alloc(m->p->arena, m->passes + 1, sizeof *m->c.pass);
	m->c.npass = m->c.pass ? m->passes : 0;
	for (uint32_t k = 0; k < m->c.npass; k++)
		show_pass(m, k, &m->c.pass[k]);
}

/* ---- the choice ------------------------------------------------------------------ */

struct pair { /* the chosen and the rival: groups, and the candidates that stand for
		 them */
	uint32_t group_a, group_b, a, b;
};

static struct pair best_two(struct map *m)
{
	const struct grouping *g = &m->g.group;
	double *mean_g = m->mean_g, *mean_c = m->mean_c;
	struct leaders l;
	struct pair r;

	meanrank_over(m->by_group, m->valid, g->g, mean_g);
	meanrank_over(m->by_cand, m->valid, m->g.n, mean_c);
	for (uint32_t i = 0; i < g->g; i++)
		m->c.group[i].mean_rank = mean_g[i];
	if (m->p->run->unit == UNIT_candidate) {
		l = meanrank_lead_candidates(g, mean_c);
		r = (struct pair){ g->of[l.a], g->of[l.b], l.a, l.b };
	} else {
		l = meanrank_lead_groups(mean_g, g->g);
		r = (struct pair){ l.a, l.b, group_face(g, l.a), group_face(g, l.b) };
	}
	return r;
}

static int confidence(const struct map *m, const struct pair *t, double *ret)
{
	if (m->p->run->unit == UNIT_candidate)
		return confidence_of_ranks(m->by_cand, m->valid, m->g.n, t->a, t->b,
					   ret);
	return confidence_of_ranks(m->by_group, m->valid, m->g.group.g, t->group_a,
				   t->group_b, ret);
}

/* PLAN_WAITS while the tie-break is asked. */
static enum plan_state break_tie(struct map *m, const struct pair *t)
{
	double score[2];

	switch (judge_tie(&m->judge, t->a, t->b, score)) {
	case ASK_WAITS: return PLAN_WAITS;
	case ASK_VOID: return PLAN_DONE; /* the first by mean rank stays */
	case ASK_DONE: break;
	}
	m->c.has_tie = 1;
	m->c.tie_a = m->g.index[t->a];
	m->c.tie_b = m->g.index[t->b];
	m->c.tie_score[0] = score[0];
	m->c.tie_score[1] = score[1];
	m->c.why = WHY_TIE_BREAK;
	m->c.chosen = score[1] > score[0] ? m->c.tie_b : m->c.tie_a;
	return PLAN_DONE;
}

static enum plan_state choose(struct map *m)
{
	const struct run *run = m->p->run;
	struct pair t = best_two(m);
	double sure;
	int have = confidence(m, &t, &sure);

	m->c.why = WHY_RANKED;
	m->c.chosen = m->g.index[t.a];
	m->c.confidence = have ? sure : -1;
	m->c.tied = have ? sure < run->confidence : run->passes_max > 1;
	if (!m->c.tied || run->tie_break == TIE_none)
		return PLAN_DONE;
	return break_tie(m, &t);
}

static void degrade(struct map *m, const char *reason)
{
	m->c.why = WHY_DEGRADED;
	m->c.degraded = 1;
	m->c.reason = view_of(reason);
}

static enum plan_state rank(struct map *m)
{
	enum ask_state s = judge_begin(m->p, &m->g, &m->c, &m->judge);

	if (s == ASK_WAITS)
		return PLAN_WAITS;
	if (s == ASK_VOID) {
		degrade(m, "the judge could not begin: majority");
		return PLAN_DONE;
	}
	if (!draw_orders(m))
		return PLAN_WAITS; /* for memory */
	if (run_passes(m) == ASK_WAITS)
		return PLAN_WAITS;
	show_passes(m);
	if (!gather_ranks(m))
		return PLAN_WAITS; /* for memory */
	if (!m->valid) {
		degrade(m, "no pass could be read: majority");
		return PLAN_DONE;
	}
	return choose(m);
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	struct map m = { .p = p };
	enum plan_state s = PLAN_DONE;

	if (aggregate(p, &m.g) == PLAN_WAITS)
		return PLAN_WAITS;
	aggregate_choice(p, &m.g, &m.c);
	if (p->arena->bad)
		return PLAN_WAITS; /* for memory, in vain: the caller sees it, too */
	if (m.c.g == 1 && !m.c.degraded) {
		m.c.why = WHY_ONE_GROUP;
		m.c.confidence = 1;
	} else if (m.c.g > 1 && !m.c.degraded) {
		s = rank(&m);
		judge_end(&m.judge);
	}
	if (s == PLAN_DONE)
		choice_encode(&m.c, ret);
	return s;
}

static uint64_t most(const struct run *r, uint32_t n)
{
	uint64_t tie = r->tie_break == TIE_none ? 0 : 2;

	return n < 2 ? 0
		     : (uint64_t)r->passes_max * window_count(n, r->window, r->step) +
			       tie;
}

const struct method method_map = {
	.name = "map",
	.plan = plan,
	.reads = READS_JUDGE | READS_PASSES | READS_WINDOW | READS_PERMUTE | READS_TIE,
	.what = "K permuted listwise passes, mean ranks, confidence, tie-break "
		"(MAP-SQL)",
	.most = most,
};
