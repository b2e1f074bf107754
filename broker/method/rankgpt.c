/* rankgpt.c - RankGPT: one listwise pass over all candidates
 *
 * From the order of the majority; windows slide from the back to the front, and the
 * front is clamped, where the original loop leaves it out (common/select/window.h). The
 * first of the last line-up is chosen.
 *
 * Source: Sun et al., "Is ChatGPT Good at Search?", arXiv 2304.09542.
 */
#include "broker/method/contest.h"
#include "broker/method/method.h"
#include "broker/method/orders.h"
#include "broker/method/passes.h"
#include "common/select/meanrank.h"
#include "common/select/window.h"

static int take_ranks(struct contest *t, const double *rank)
{
	const struct grouping *g = &t->g.group;
	double *of_group = arena_alloc(t->p->arena, g->g + 1, sizeof *of_group);

	if (!of_group)
		return 0;
	meanrank_groups(g, rank, of_group);
	contest_set_ranks(t, of_group);
	contest_choose(t, meanrank_lead_candidates(g, rank).a);
	return 1;
}

static enum plan_state work(struct contest *t)
{
	uint32_t *order = orders_majority(t->p, &t->g);
	double *rank = arena_alloc(t->p->arena, t->g.n + 1, sizeof *rank);
	struct passes s;

	if (!order || !rank || !passes_make(&t->judge, order, 1, t->g.group.ranked, &s))
		return PLAN_WAITS; /* for memory */
	if (passes_run(&s, 0, 1) == ASK_WAITS)
		return PLAN_WAITS;
	passes_show(&s, 1, &t->c);
	if (!passes_ranks(&s, 0, rank))
		contest_degrade(t, "the pass could not be read: majority");
	else if (!take_ranks(t, rank))
		return PLAN_WAITS; /* for memory */
	return PLAN_DONE;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	return n < 2 ? 0 : window_count(n, r->window, r->step);
}

const struct method method_rankgpt = {
	.name = "rankgpt",
	.plan = plan,
	.reads = READS_JUDGE | READS_WINDOW,
	.what = "one listwise pass over all candidates (RankGPT)",
	.most = most,
};
