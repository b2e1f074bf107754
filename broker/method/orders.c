/* orders.c - see orders.h */
#include "broker/method/orders.h"

#include "common/base/rng.h"

uint32_t *orders_majority(const struct plan *p, const struct aggregate *g)
{
	uint32_t n = g->group.ranked;
	uint32_t *order = arena_alloc(p->arena, (size_t)n + 1, sizeof *order);

	if (order && n)
		memcpy(order, g->group.member, n * sizeof *order);
	return order;
}

uint32_t *orders_random(const struct plan *p, const char *what, const uint32_t *cand,
			uint32_t n, uint32_t count)
{
	uint32_t *all = arena_alloc(p->arena, (size_t)count * n + 1, sizeof *all);

	for (uint32_t k = 0; all && n && k < count; k++) {
		uint32_t *one = all + (size_t)k * n;
		struct rng r;

		memcpy(one, cand, n * sizeof *one);
		rng_init(&r, what, p->run->seed, p->q->id, k);
		rng_shuffle(&r, one, n);
	}
	return all;
}

uint32_t orders_shown(const struct plan *p, struct choice *c, uint32_t n)
{
	if (n <= ORDERS_PICK)
		return n;
	choice_note(p, c, "%u stood for election; the first %d were shown", n,
		    ORDERS_PICK);
	return ORDERS_PICK;
}
