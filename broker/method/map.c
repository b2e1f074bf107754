/* map.c - MAP-SQL: listwise selection with memory and permutation
 *
 * Groups by result, largest first; K passes, each from a permuted order, in which
 * windows slide from the back to the front and the judge orders each; mean ranks over
 * the passes; a t-confidence of the best group against its best rival; a tie goes to
 * the tie-break. One group costs nothing. Passes are independent; windows of a pass
 * follow each other.
 *
 * K may be elastic: of MIN..MAX passes the first MIN, MIN+1, ... are tried in turn by a
 * rule of stop.h, and the first number that stops is final, whatever else has arrived.
 * MIN are asked at once, then one more at a time, and passes_ahead beyond it: those
 * cost calls and save time, and no choice depends on them. A void pass is complete and
 * counts for nothing. Whom a rule other than t accepts is chosen, and whoever it leaves
 * undecided is tied; under t a tie is the paper's, of the best two.
 *
 * Source: Jeong et al., "Replacing Training with Memory: Listwise Selection for
 *         Text-to-SQL", arXiv 2609.00834.
 */
#include "broker/method/method.h"
#include "broker/method/passes.h"
#include "common/select/confidence.h"
#include "common/select/meanrank.h"
#include "common/select/permute.h"
#include "common/select/stop.h"
#include "common/select/window.h"

struct map {
	struct plan *p;
	struct aggregate g;
	struct choice c;
	struct judge judge;
	struct passes passes;
	uint32_t used;    /* of them, up to where the rule stopped */
	int64_t accepted; /* group; -1: none, or the rule is t */
	/* over the passes that count */
	uint32_t valid;
	double *by_cand;  /* valid x n */
	double *by_group; /* valid x g */
	double *mean_c, *mean_g;
	uint32_t *column; /* [g] scratch */
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

	m->accepted = -1;
	return order &&
	       !permute_passes(&m->g.group, how[run->permute], run->seed, m->p->q->id,
			       k, order, NULL) &&
	       passes_make(&m->judge, order, k, n, &m->passes);
}

/* ---- ranks ----------------------------------------------------------------------- */

static int make_room(struct map *m)
{
	uint32_t n = m->g.n, g = m->g.group.g;
	struct arena *a = m->p->arena;

	m->by_cand =
		arena_alloc(a, (size_t)m->passes.count * n + 1, sizeof *m->by_cand);
	m->by_group =
		arena_alloc(a, (size_t)m->passes.count * g + 1, sizeof *m->by_group);
	m->mean_c = arena_alloc(a, n + 1, sizeof *m->mean_c);
	m->mean_g = arena_alloc(a, g + 1, sizeof *m->mean_g);
	m->column = arena_alloc(a, g + 1, sizeof *m->column);
	return m->by_cand && m->by_group && m->mean_c && m->mean_g && m->column;
}

/* Of the passes from `used` up to `to`. */
static void gather_ranks(struct map *m, uint32_t to)
{
	uint32_t n = m->g.n, g = m->g.group.g;

	for (; m->used < to; m->used++) {
		double *line = m->by_cand + (size_t)m->valid * n;

		if (!passes_ranks(&m->passes, m->used, line))
			continue;
		meanrank_groups(&m->g.group, line, m->by_group + (size_t)m->valid * g);
		m->valid++;
	}
	meanrank_over(m->by_group, m->valid, g, m->mean_g);
	meanrank_over(m->by_cand, m->valid, n, m->mean_c);
}

/* ---- when to stop ---------------------------------------------------------------- */

static const enum stop_rule rules[] = { [STOP_t] = STOP_RULE_T,
					[STOP_two_stage] = STOP_RULE_TWO_STAGE,
					[STOP_beta] = STOP_RULE_BETA,
					[STOP_e] = STOP_RULE_E };

/* By groups or by candidates, as the run has it; a group goes by its best. */
static enum stop_say say_t(const struct map *m)
{
	const struct grouping *g = &m->g.group;
	double limit = m->p->run->confidence;
	int by_cand = m->p->run->unit == UNIT_candidate, holds;
	uint32_t a = by_cand ? g->of[meanrank_lead_candidates(g, m->mean_c).a]
			     : meanrank_lead_groups(m->mean_g, g->g).a;

	for (uint32_t i = 0; i < g->g; i++)
		m->column[i] = by_cand ? meanrank_best_of(g, m->mean_c, i) : i;
	holds = by_cand ? stop_t_holds(m->by_cand, m->valid, m->g.n, m->column, g->g, a,
				       limit)
			: stop_t_holds(m->by_group, m->valid, g->g, m->column, g->g, a,
				       limit);
	return holds ? STOP_ACCEPTED : STOP_GO_ON;
}

static enum stop_say say_counts(struct map *m)
{
	const struct run *run = m->p->run;
	const struct stop s = { rules[run->stop], run->passes_min, run->passes_max,
				run->confidence };
	uint32_t g = m->g.group.g, group = 0;
	uint32_t *won = arena_alloc(m->p->arena, (size_t)g * g + 1, sizeof *won);
	enum stop_say r;

	if (!won)
		return STOP_UNDECIDED; /* the caller sees the arena */
	stop_count(m->by_group, m->valid, g, won);
	r = stop_decide(&s, won, g, m->used, m->passes.count - m->used, &group);
	if (r == STOP_ACCEPTED)
		m->accepted = group;
	return r;
}

/* Tries MIN, MIN+1, ... passes in turn. */
static enum plan_state run_until_stop(struct map *m)
{
	const struct run *run = m->p->run;
	uint32_t k =
		run->passes_min < m->passes.count ? run->passes_min : m->passes.count;
	enum stop_say say;

	for (;; k++) {
		if (passes_run(&m->passes, m->used, k) == ASK_WAITS) {
			passes_run(&m->passes, k, k + m->p->sweep->passes_ahead);
			return PLAN_WAITS;
		}
		gather_ranks(m, k);
		if (run->stop != STOP_t)
			say = say_counts(m);
		else /* after the last pass the pair decides */
			say = k < m->passes.count ? say_t(m) : STOP_UNDECIDED;
		if (say != STOP_GO_ON)
			return PLAN_DONE;
	}
}

/* ---- the choice ------------------------------------------------------------------ */

struct pair { /* the chosen and the rival: groups, and the candidates that stand for
		 them */
	uint32_t group_a, group_b, a, b;
};

static struct pair best_two(struct map *m)
{
	const struct grouping *g = &m->g.group;
	uint32_t chosen = (uint32_t)m->accepted;
	struct leaders l;

	if (m->p->run->unit == UNIT_candidate) {
		l = m->accepted < 0 ? meanrank_lead_candidates(g, m->mean_c)
				    : meanrank_beside_candidates(g, m->mean_c, chosen);
		return (struct pair){ g->of[l.a], g->of[l.b], l.a, l.b };
	}
	l = m->accepted < 0 ? meanrank_lead_groups(m->mean_g, g->g)
			    : meanrank_beside_group(m->mean_g, g->g, chosen);
	return (struct pair){ l.a, l.b, group_face(g, l.a), group_face(g, l.b) };
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

/* Under t it is the pair that decides, as in the paper. One pass alone decides. */
static int is_tied(const struct map *m, int have, double sure)
{
	const struct run *run = m->p->run;

	if (run->stop == STOP_t && have)
		return sure < run->confidence;
	return m->accepted < 0 && run->passes_max > 1;
}

static enum plan_state choose(struct map *m)
{
	struct pair t = best_two(m);
	double sure = -1;
	int have = confidence(m, &t, &sure);

	for (uint32_t i = 0; i < m->g.group.g; i++)
		m->c.group[i].mean_rank = m->mean_g[i];
	m->c.why = WHY_RANKED;
	m->c.chosen = m->g.index[t.a];
	m->c.confidence = have ? sure : -1;
	m->c.tied = (uint8_t)is_tied(m, have, sure);
	if (!m->c.tied || m->p->run->tie_break == TIE_none)
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
	if (!draw_orders(m) || !make_room(m))
		return PLAN_WAITS; /* for memory */
	if (run_until_stop(m) == PLAN_WAITS)
		return PLAN_WAITS;
	passes_show(&m->passes, m->used, &m->c);
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
	.reads = READS_JUDGE | READS_PASSES | READS_WINDOW | READS_PERMUTE | READS_TIE |
		 READS_STOP,
	.what = "K permuted listwise passes, mean ranks, confidence, tie-break "
		"(MAP-SQL)",
	.most = most,
};
