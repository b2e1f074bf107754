/* tournament.c - see tournament.h */
#include "broker/method/tournament.h"

#include "common/select/ranks.h"

static uint32_t pools_of(uint32_t n, uint32_t size)
{
	return (n + size - 1) / size;
}

static uint32_t kept_of(uint32_t n, enum tournament_keeps keeps)
{
	return keeps == KEEPS_ONE || n < 4 ? 1 : n / 2;
}

struct round { /* and scratch for a pool */
	uint32_t n, *standing;
	uint8_t *goes_on; /* by place in `standing` */
	uint32_t *place, *cand;
	double *value;
};

/* Of one pool, whose places are in r->place, largest group first. */
static enum ask_state decide(struct tournament *k, struct round *r, uint32_t n)
{
	uint32_t want = kept_of(n, k->keeps);
	enum ask_state s = ASK_DONE;

	if (n > 1) {
		if (k->rng)
			rng_shuffle(k->rng, r->place, n);
		for (uint32_t i = 0; i < n; i++)
			r->cand[i] = k->face[r->standing[r->place[i]]];
		s = judge_pick(&k->t->judge, k->pass, r->cand, n, want, r->value);
		k->asked++;
		k->read += s == ASK_DONE;
	}
	if (n == 1 || s == ASK_VOID)
		for (uint32_t i = 0; i < n; i++) /* places grow as groups shrink */
			r->value[i] = -(double)r->place[i];
	if (s != ASK_WAITS)
		ranks_best(r->value, n, want, r->value + n);
	for (uint32_t i = 0; s != ASK_WAITS && i < n; i++) {
		if (!(r->value[n + i] > 0))
			continue;
		r->goes_on[r->place[i]] = 1;
		k->points[r->standing[r->place[i]]] += s == ASK_DONE;
	}
	return s;
}

static enum ask_state one_round(struct tournament *k, struct round *r)
{
	uint32_t pools = pools_of(r->n, k->size), kept = 0;
	enum ask_state all = ASK_DONE;

	memset(r->goes_on, 0, r->n);
	for (uint32_t i = 0; i < pools; i++) {
		uint32_t n = 0;

		for (uint32_t x = i; x < r->n; x += pools)
			r->place[n++] = x;
		if (decide(k, r, n) == ASK_WAITS)
			all = ASK_WAITS;
	}
	for (uint32_t x = 0; x < r->n; x++)
		if (r->goes_on[x])
			r->standing[kept++] = r->standing[x];
	if (all == ASK_DONE)
		r->n = kept;
	return all;
}

enum ask_state tournament_run(struct tournament *k)
{
	struct arena *a = k->t->p->arena;
	uint32_t g = k->t->g.group.g;
	struct round r = { .n = g };

	k->points = arena_alloc(a, g + 1, sizeof *k->points);
	r.standing = arena_alloc(a, g + 1, sizeof *r.standing);
	r.goes_on = arena_alloc(a, g + 1, 1);
	r.place = arena_alloc(a, g + 1, sizeof *r.place);
	r.cand = arena_alloc(a, g + 1, sizeof *r.cand);
	r.value = arena_alloc(a, 2 * (size_t)g + 1, sizeof *r.value);
	if (!k->points || !r.standing || !r.goes_on || !r.place || !r.cand || !r.value)
		return ASK_WAITS; /* for memory */
	for (uint32_t i = 0; i < g; i++)
		r.standing[i] = i;
	while (r.n > 1)
		if (one_round(k, &r) == ASK_WAITS)
			return ASK_WAITS;
	return ASK_DONE;
}

uint64_t tournament_asks(uint32_t n, uint32_t size, enum tournament_keeps keeps)
{
	uint64_t asks = 0;

	while (n > 1) {
		uint32_t pools = pools_of(n, size), more = n % pools, next = 0;

		for (uint32_t i = 0; i < pools; i++) {
			uint32_t in_pool = n / pools + (i < more);

			asks += in_pool > 1;
			next += kept_of(in_pool, keeps);
		}
		n = next;
	}
	return asks;
}
