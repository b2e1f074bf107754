/* greedy.c - what the generator would have said alone: no vote, no judge
 *
 * The candidate marked greedy, else index 0 of the line; also where it is not among
 * those drawn. It is the one method to which a place in the file may mean something.
 */
#include "broker/aggregate.h"
#include "broker/method/method.h"

static int64_t greedy_of(const struct question *q)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (q->cand[i].greedy)
			return i;
	return q->n ? 0 : -1;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	struct aggregate g;
	struct choice c;

	if (aggregate(p, &g) == PLAN_WAITS)
		return PLAN_WAITS;
	aggregate_choice(p, &g, &c);
	c.chosen = greedy_of(p->q);
	if (!c.degraded)
		c.why = WHY_GENERATED;
	choice_encode(&c, ret);
	return PLAN_DONE;
}

const struct method method_greedy = {
	.name = "greedy",
	.plan = plan,
	.reads = 0,
	.what = "the candidate marked greedy, else the first of the line",
};
