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
#include "broker/method/contest.h"
#include "broker/method/method.h"
#include "broker/method/passes.h"
#include "common/select/confidence.h"
#include "common/select/meanrank.h"
#include "common/select/permute.h"
#include "common/select/stop.h"
#include "common/select/window.h"

struct map {
	struct contest *t;
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
	const struct run *run = m->t->p->run;
	uint32_t n = m->t->g.group.ranked, k = run->passes_max;
	uint32_t *order = arena_alloc(m->t->p->arena, (size_t)k * n + 1, sizeof *order);

	m->accepted = -1;
	return order &&
	       !permute_passes(&m->t->g.group, how[run->permute], run->seed,
			       m->t->p->q->id, k, order, NULL) &&
	       passes_make(&m->t->judge, order, k, n, &m->passes);
}

/* ---- ranks ----------------------------------------------------------------------- */

static int make_room(struct map *m)
{
	uint32_t n = m->t->g.n, g = m->t->g.group.g;
	struct arena *a = m->t->p->arena;

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
	uint32_t n = m->t->g.n, g = m->t->g.group.g;

	for (; m->used < to; m->used++) {
		double *line = m->by_cand + (size_t)m->valid * n;

		if (!passes_ranks(&m->passes, m->used, line))
			continue;
		meanrank_groups(&m->t->g.group, line,
				m->by_group + (size_t)m->valid * g);
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
	const struct grouping *g = &m->t->g.group;
	double limit = m->t->p->run->confidence;
	int by_cand = m->t->p->run->unit == UNIT_candidate, holds;
	uint32_t a = by_cand ? g->of[meanrank_lead_candidates(g, m->mean_c).a]
			     : meanrank_lead_groups(m->mean_g, g->g).a;

	for (uint32_t i = 0; i < g->g; i++)
		m->column[i] = by_cand ? meanrank_best_of(g, m->mean_c, i) : i;
	holds = by_cand ? stop_t_holds(m->by_cand, m->valid, m->t->g.n, m->column, g->g,
				       a, limit)
			: stop_t_holds(m->by_group, m->valid, g->g, m->column, g->g, a,
				       limit);
	return holds ? STOP_ACCEPTED : STOP_GO_ON;
}

static enum stop_say say_counts(struct map *m)
{
	const struct run *run = m->t->p->run;
	const struct stop s = { rules[run->stop], run->passes_min, run->passes_max,
				run->confidence };
	uint32_t g = m->t->g.group.g, group = 0;
	uint32_t *won = arena_alloc(m->t->p->arena, (size_t)g * g + 1, sizeof *won);
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
	const struct run *run = m->t->p->run;
	uint32_t k =
		run->passes_min < m->passes.count ? run->passes_min : m->passes.count;
	enum stop_say say;

	for (;; k++) {
		if (passes_run(&m->passes, m->used, k) == ASK_WAITS) {
			passes_run(&m->passes, k, k + m->t->p->sweep->passes_ahead);
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
	const struct grouping *g = &m->t->g.group;
	uint32_t chosen = (uint32_t)m->accepted;
	struct leaders l;

	if (m->t->p->run->unit == UNIT_candidate) {
		l = m->accepted < 0 ? meanrank_lead_candidates(g, m->mean_c)
				    : meanrank_beside_candidates(g, m->mean_c, chosen);
		return (struct pair){ g->of[l.a], g->of[l.b], l.a, l.b };
	}
	l = m->accepted < 0 ? meanrank_lead_groups(m->mean_g, g->g)
			    : meanrank_beside_group(m->mean_g, g->g, chosen);
	return (struct pair){ l.a, l.b, group_face(g, l.a), group_face(g, l.b) };
}

static int confidence(const struct map *m, const struct pair *two, double *ret)
{
	if (m->t->p->run->unit == UNIT_candidate)
		return confidence_of_ranks(m->by_cand, m->valid, m->t->g.n, two->a,
					   two->b, ret);
	return confidence_of_ranks(m->by_group, m->valid, m->t->g.group.g, two->group_a,
				   two->group_b, ret);
}

/* PLAN_WAITS while the tie-break is asked. */
static enum plan_state break_tie(struct map *m, const struct pair *two)
{
	struct choice *c = &m->t->c;
	double score[2];

	switch (judge_tie(&m->t->judge, two->a, two->b, score)) {
	case ASK_WAITS: return PLAN_WAITS;
	case ASK_VOID: return PLAN_DONE; /* the first by mean rank stays */
	case ASK_DONE: break;
	}
	c->has_tie = 1;
	c->tie_a = m->t->g.index[two->a];
	c->tie_b = m->t->g.index[two->b];
	c->tie_score[0] = score[0];
	c->tie_score[1] = score[1];
	c->why = WHY_TIE_BREAK;
	c->chosen = score[1] > score[0] ? c->tie_b : c->tie_a;
	return PLAN_DONE;
}

/* Under t it is the pair that decides, as in the paper. One pass alone decides. */
static int is_tied(const struct map *m, int have, double sure)
{
	const struct run *run = m->t->p->run;

	if (run->stop == STOP_t && have)
		return sure < run->confidence;
	return m->accepted < 0 && run->passes_max > 1;
}

static enum plan_state choose(struct map *m)
{
	struct pair two = best_two(m);
	struct choice *c = &m->t->c;
	double sure = -1;
	int have = confidence(m, &two, &sure);

	contest_set_ranks(m->t, m->mean_g);
	contest_choose(m->t, two.a);
	c->confidence = have ? sure : -1;
	c->tied = (uint8_t)is_tied(m, have, sure);
	if (!c->tied || m->t->p->run->tie_break == TIE_none)
		return PLAN_DONE;
	return break_tie(m, &two);
}

static enum plan_state work(struct contest *t)
{
	struct map m = { .t = t };

	if (!draw_orders(&m) || !make_room(&m))
		return PLAN_WAITS; /* for memory */
	if (run_until_stop(&m) == PLAN_WAITS)
		return PLAN_WAITS;
	passes_show(&m.passes, m.used, &t->c);
	if (!m.valid) {
		contest_degrade(t, "no pass could be read: majority");
		return PLAN_DONE;
	}
	return choose(&m);
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
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
