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
#include "broker/method/method.h"
#include "broker/method/passes.h"
#include "common/select/confidence.h"
#include "common/select/meanrank.h"
#include "common/select/permute.h"
#include "common/select/window.h"

struct map {
	struct plan *p;
	struct aggregate g;
	struct choice c;
	struct judge judge;
	struct passes passes;
	/* over the passes that count */
	uint32_t valid;
	double *by_cand;  /* valid x n */
	double *by_group; /* valid x g */
	double *mean_c, *mean_g;
};

/* ---- passes ---------------------------------------------------------------------- */

static int draw_orders(struct map *m)
{
	static const enum permute how[] = { [PERMUTE_within] = PERMUTE_WITHIN,
					    [PERMUTE_between] = PERMUTE_BETWEEN,
					    [PERMUTE_both] = PERMUTE_BOTH };
	const struct run *run = m->p->run;
	uint32_t n = m->g.group.ranked, k = run->passes_max;
	uint32_t *order = arena_alloc(m->p->arena, (size_t)k * n + 1, sizeof *order);

	return order &&
	       !permute_passes(&m->g.group, how[run->permute], run->seed, m->p->q->id,
			       k, order, NULL) &&
	       passes_make(&m->judge, order, k, n, &m->passes);
}

/* ---- ranks ----------------------------------------------------------------------- */

static int gather_ranks(struct map *m)
{
	uint32_t n = m->g.n, g = m->g.group.g;

	m->by_cand = arena_alloc(m->p->arena, (size_t)m->passes.count * n + 1,
				 sizeof *m->by_cand);
	m->by_group = arena_alloc(m->p->arena, (size_t)m->passes.count * g + 1,
				  sizeof *m->by_group);
	m->mean_c = arena_alloc(m->p->arena, n + 1, sizeof *m->mean_c);
	m->mean_g = arena_alloc(m->p->arena, g + 1, sizeof *m->mean_g);
	if (!m->by_cand || !m->by_group || !m->mean_c || !m->mean_g)
		return 0;
	for (uint32_t k = 0; k < m->passes.count; k++) {
		double *line = m->by_cand + (size_t)m->valid * n;

		if (!passes_ranks(&m->passes, k, line))
			continue;
		meanrank_groups(&m->g.group, line, m->by_group + (size_t)m->valid * g);
		m->valid++;
	}
	return 1;
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

	switch (judge_grade(&m->judge, t->a, t->b, score)) {
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
	if (passes_run(&m->passes, 0, m->passes.count) == ASK_WAITS)
		return PLAN_WAITS;
	passes_show(&m->passes, m->passes.count, &m->c);
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
