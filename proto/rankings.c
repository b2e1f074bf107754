/* rankings.c - see rankings.h */
#include "proto/rankings.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

#include <math.h>

void rankings_encode(const struct rankings *r, struct buf *b)
{
	size_t numbers = (size_t)r->count * r->n;

	pack_array(b, 2);
	pack_u64(b, r->n);
	pack_array(b, numbers);
	for (size_t i = 0; i < numbers; i++)
		pack_f64(b, r->rank[i]);
}

static int malformed(struct err *e)
{
	return err_set(e, ERR_PROTO, "the bytes are no rankings of this version");
}

int rankings_decode(struct view bytes, struct arena *a, struct rankings *ret,
		    struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct rankings r = { 0 };
	size_t numbers;

	cur_array_of(&c, 2);
	r.n = cur_u32(&c);
	numbers = cur_array(&c);
	if (c.bad || !r.n || numbers % r.n || numbers > bytes.n)
		return malformed(e);
	r.count = (uint32_t)(numbers / r.n);
	r.rank = arena_alloc(a, numbers + 1, sizeof *r.rank);
	if (!r.rank)
		return err_set(e, ERR_NOMEM, "%zu ranks", numbers);
	for (size_t i = 0; i < numbers; i++) {
		r.rank[i] = cur_f64(&c);
		c.bad |= !isfinite(r.rank[i]);
	}
	if (!cur_done(&c))
		return malformed(e);
	*ret = r;
	return 0;
}

void order_out_encode(const uint32_t *order, uint32_t n, struct buf *b)
{
	pack_array(b, n);
	for (uint32_t i = 0; i < n; i++)
		pack_u64(b, order[i]);
}

int order_out_decode(struct view bytes, struct arena *a, uint32_t n, uint32_t **ret)
{
	struct cursor c = cur_of(bytes);
	uint32_t *order = arena_alloc(a, (size_t)n + 1, sizeof *order);
	uint8_t *seen = arena_alloc(a, (size_t)n + 1, 1);

	if (!order || !seen)
		return ERR_NOMEM;
	cur_array_of(&c, n);
	for (uint32_t i = 0; i < n && !c.bad; i++) {
		order[i] = cur_u32(&c);
		if (order[i] >= n || seen[order[i]]++)
			return ERR_PROTO;
	}
	if (!cur_done(&c))
		return ERR_PROTO;
	*ret = order;
	return 0;
}
