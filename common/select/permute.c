/* permute.c - see permute.h */
#include "common/select/permute.h"

#include "common/base/mem.h"
#include "common/base/rng.h"

#include <assert.h>

enum { DRAWS = 64 };

struct orders {
	const struct grouping *g;
	enum permute how;
	uint64_t seed;
	struct view id;
	uint32_t *group; /* scratch: the groups' order */
	uint32_t *line;  /* scratch: a line before it is turned */
};

/* The i-th of 0 .. m-1 in bit-reversed order: each next one far from those before. */
static uint32_t spread(uint32_t i, uint32_t m)
{
	unsigned bits = 0;

	while ((uint64_t)1 << bits < m)
		bits++;
	for (uint64_t j = 0;; j++) {
		uint64_t r = 0;

		for (unsigned b = 0; b < bits; b++)
			r |= (j >> b & 1) << (bits - 1 - b);
		if (r < m && i-- == 0)
			return (uint32_t)r;
	}
}

/* Line number `which` of pair `i`: a drawn base, turned. `fresh` counts redraws. */
static void turn(struct orders *o, uint32_t which, uint32_t i, uint32_t fresh,
		 const uint32_t *from, uint32_t m, uint32_t *ret)
{
	uint32_t cycle = m ? i / m : 0, by = m ? spread(i % m, m) : 0;
	struct rng r;

	rng_init(&r, "pass", o->seed, o->id,
		 (uint64_t)fresh << 56 | (uint64_t)which << 32 | cycle);
	for (uint32_t p = 0; p < m; p++)
		o->line[p] = from ? from[p] : p;
	rng_shuffle(&r, o->line, m);
	for (uint32_t p = 0; p < m; p++)
		ret[p] = o->line[(p + by) % m];
}

static void order_groups(struct orders *o, uint32_t i, uint32_t fresh)
{
	if (o->how != PERMUTE_WITHIN) {
		turn(o, 0, i, fresh, NULL, o->g->g, o->group);
		return;
	}
	for (uint32_t j = 0; j < o->g->g; j++)
		o->group[j] = j;
}

static void make_first(struct orders *o, uint32_t i, uint32_t fresh, uint32_t *ret)
{
	order_groups(o, i, fresh);
	for (uint32_t j = 0; j < o->g->g; j++) {
		const struct group *group = &o->g->group[o->group[j]];
		const uint32_t *member = o->g->member + group->first;

		if (o->how == PERMUTE_BETWEEN)
			memcpy(ret, member, group->size * sizeof *ret);
		else
			turn(o, 1 + o->group[j], i, fresh, member, group->size, ret);
		ret += group->size;
	}
}

/* `order` turned back to front: the line, each group in place, or group by group. */
static void make_second(const struct orders *o, const uint32_t *order, uint32_t *ret)
{
	const struct grouping *g = o->g;
	uint32_t size;

	for (uint32_t at = 0; at < g->ranked; at += size) {
		uint32_t *to = ret + at;

		size = g->group[g->of[order[at]]].size;
		if (o->how != PERMUTE_WITHIN)
			to = ret + g->ranked - at - size;
		for (uint32_t j = 0; j < size; j++)
			to[j] = order[o->how == PERMUTE_BETWEEN ? at + j
								: at + size - 1 - j];
	}
}

static int seen(const uint32_t *line, uint32_t n, const uint32_t *before,
		uint32_t lines)
{
	for (uint32_t k = 0; k < lines; k++)
		if (memcmp(line, before + (size_t)k * n, n * sizeof *line) == 0)
			return 1;
	return 0;
}

/* Both of a pair are new or neither is: what was made before is closed under reversal,
 * so that looking for the first is enough. */
static void make_pair(struct orders *o, uint32_t i, uint32_t passes, uint32_t *all)
{
	uint32_t n = o->g->ranked, *first = all + (size_t)2 * i * n;
	int left = permute_orders(o->g, o->how) > 2 * (uint64_t)i;

	for (uint32_t fresh = 0; fresh < DRAWS; fresh++) {
		make_first(o, i, fresh, first);
		if (!left || !seen(first, n, all, 2 * i))
			break;
	}
	if (2 * i + 1 < passes)
		make_second(o, first, first + n);
}

int permute_passes(const struct grouping *g, enum permute how, uint64_t seed,
		   struct view id, uint32_t passes, uint32_t *ret, struct err *e)
{
	struct orders o = { .g = g, .how = how, .seed = seed, .id = id };

	o.group = mem_alloc((size_t)2 * g->ranked + 1, sizeof *o.group);
	if (!o.group)
		return err_set(e, ERR_NOMEM, "orders of %u candidates", g->ranked);
	o.line = o.group + g->ranked;
	for (uint32_t i = 0; 2 * i < passes && g->ranked; i++)
		make_pair(&o, i, passes, ret);
	mem_free(o.group);
	return 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t factorial(uint32_t m)
{
	uint64_t f = 1;

	for (uint32_t i = 2; i <= m && f != UINT64_MAX; i++)
		f = times(f, i);
	return f;
}

uint64_t permute_orders(const struct grouping *g, enum permute how)
{
	uint64_t all = how == PERMUTE_WITHIN ? 1 : factorial(g->g);

	for (uint32_t i = 0; i < g->g && how != PERMUTE_BETWEEN; i++)
		all = times(all, factorial(g->group[i].size));
	return all;
}
