/* allot.c - see allot.h */
#include "common/select/allot.h"

#include <stdlib.h>

/* Who did not use all that it had would not use more. */
static int wants(const struct claim *c)
{
	return c->unsure && c->asked == c->may && c->may < c->most;
}

static int less_sure(const void *a, const void *b)
{
	const struct claim *x = *(struct claim *const *)a,
			   *y = *(struct claim *const *)b;

	if (x->sure != y->sure)
		return x->sure < y->sure ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void raise_to(struct claim *c, uint32_t may)
{
	c->may = may;
	c->raised = 1;
}

uint32_t allot_round(struct claim *claim, uint32_t n, uint64_t budget,
		     struct claim **order)
{
	uint64_t spent = 0, wanted = 0, left;
	uint32_t open = 0, round;

	for (uint32_t i = 0; i < n; i++) {
		struct claim *c = &claim[i];

		c->raised = 0;
		spent += c->asked;
		if (!wants(c))
			continue;
		order[open++] = c;
		wanted += c->most - c->may;
	}
	left = spent < budget ? budget - spent : 0;
	round = (open + ALLOT_SHARE - 1) / ALLOT_SHARE;
	if (wanted <= left)
		round = open;
	else if (round > left)
		round = (uint32_t)left;
	qsort(order, open, sizeof *order, less_sure);
	for (uint32_t i = 0; i < round; i++)
		raise_to(order[i], wanted <= left ? order[i]->most : order[i]->may + 1);
	return round;
}
