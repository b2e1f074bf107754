/* draw.c - see draw.h */
#include "common/select/draw.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int cmp_presence(int a, int b)
{
	return (a != 0) - (b != 0);
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Among candidates of equal SQL: what numbers them. */
static int cmp_twins(const struct draw_item *a, const struct draw_item *b)
{
	int c = cmp_presence(a->has_logprob, b->has_logprob);

	if (!c && a->has_logprob)
		c = (a->logprob > b->logprob) - (a->logprob < b->logprob);
	if (!c)
		c = cmp_presence(a->has_tokens, b->has_tokens);
	if (!c && a->has_tokens)
		c = cmp_u64(a->tokens, b->tokens);
	if (!c)
		c = cmp_presence(a->greedy, b->greedy);
	return c ? c : view_cmp(a->source, b->source);
}

static int by_sql(const void *pa, const void *pb, void *items)
{
	const struct draw_item *item = items;
	uint32_t a = ((const struct drawn *)pa)->item,
		 b = ((const struct drawn *)pb)->item;
	int c = view_cmp(item[a].sql, item[b].sql);

	if (!c)
		c = cmp_twins(&item[a], &item[b]);
	return c ? c : cmp_u64(a, b); /* interchangeable: a sort must end somewhere */
}

static int by_h(const void *a, const void *b)
{
	return hash_cmp(&((const struct drawn *)a)->h, &((const struct drawn *)b)->h);
}

struct hash draw_hash(uint64_t seed, struct view id, struct view sql,
		      uint64_t occurrence)
{
	struct hasher h;

	hash_begin(&h);
	hash_add_u64(&h, seed);
	hash_add(&h, id.p, id.n);
	hash_add(&h, sql.p, sql.n);
	hash_add_u64(&h, occurrence);
	return hash_end(&h);
}

void draw_order(uint64_t seed, struct view id, const struct draw_item *item, uint32_t n,
		struct drawn *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		assert(!item[i].has_logprob || isfinite(item[i].logprob));
		ret[i] = (struct drawn){ .item = i };
	}
	qsort_r(ret, n, sizeof *ret, by_sql, (void *)(uintptr_t)item);
	for (uint32_t i = 0; i < n; i++) {
		struct view sql = item[ret[i].item].sql;

		if (i && view_eq(sql, item[ret[i - 1].item].sql))
			ret[i].occurrence = ret[i - 1].occurrence + 1;
		ret[i].h = draw_hash(seed, id, sql, ret[i].occurrence);
	}
	qsort(ret, n, sizeof *ret, by_h);
}
