/* verdict.c - see verdict.h */
#include "proto/verdict.h"

#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/pack.h"

static void pack_bytes(struct buf *b, const uint8_t *p, uint32_t n)
{
	pack_bin(b, (struct view){ (const char *)p, n });
}

void verdict_encode(const struct verdict *v, struct buf *b)
{
	pack_array(b, 7);
	pack_bytes(b, v->right, v->n);
	pack_bytes(b, v->strict, v->n);
	pack_bytes(b, v->status, v->n);
	pack_array(b, v->n);
	for (uint32_t i = 0; i < v->n; i++)
		pack_str(b, v->note[i]);
	pack_u64(b, v->gold);
	pack_str(b, v->gold_note);
	pack_u64(b, v->gold_rows);
}

static uint8_t *take_bytes(struct cursor *c, struct arena *a, uint32_t n)
{
	struct view v = cur_bin(c);

	if (v.n != n)
		c->bad = 1;
	return (uint8_t *)arena_dup(a, v.p, v.n);
}

int verdict_decode(struct view bytes, struct arena *a, struct verdict *ret)
{
	struct cursor c = cur_of(bytes), peek;
	struct verdict v = { 0 };

	cur_array_of(&c, 7);
	peek = c;
	v.n = (uint32_t)cur_bin(&peek).n;
	v.right = take_bytes(&c, a, v.n);
	v.strict = take_bytes(&c, a, v.n);
	v.status = take_bytes(&c, a, v.n);
	cur_array_of(&c, v.n);
	v.note = arena_alloc(a, v.n + 1, sizeof *v.note);
	if (!v.right || !v.strict || !v.status || !v.note)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < v.n; i++)
		v.note[i] = cur_str(&c);
	v.gold = cur_u32(&c);
	c.bad |= v.gold >= STATUSES;
	for (uint32_t i = 0; i < v.n; i++)
		c.bad |= v.status[i] >= STATUSES;
	v.gold_note = cur_str(&c);
	v.gold_rows = cur_u64(&c);
	if (!cur_done(&c))
		return ERR_PROTO;
	*ret = v;
	return 0;
}
