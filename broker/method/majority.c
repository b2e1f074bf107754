/* majority.c - the largest group of equal results; of two as large, the smaller H
 *
 * Failed candidates do not vote. This is self-consistency by execution, the baseline of
 * the field.
 */
#include "broker/aggregate.h"
#include "broker/method/method.h"

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	struct aggregate g;
	struct choice c;

	if (aggregate(p, &g) == PLAN_WAITS)
		return PLAN_WAITS;
	aggregate_choice(p, &g, &c);
	if (c.g == 1 && !c.degraded)
		c.why = WHY_ONE_GROUP;
	choice_encode(&c, ret);
	return PLAN_DONE;
}

const struct method method_majority = {
	.name = "majority",
	.plan = plan,
	.reads = 0,
	.what = "the largest group of equal results",
};
