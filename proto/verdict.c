/* verdict.c - see verdict.h */
#include "proto/verdict.h"

#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/pack.h"

#include <math.h>

enum { FIELDS_FIRST = 7, FIELDS = 9 }; /* of the first shape, and of this one */

static void pack_bytes(struct buf *b, const uint8_t *p, uint32_t n)
{
	pack_bin(b, (struct view){ (const char *)p, n });
}

static void pack_soft_f1(const struct verdict *v, struct buf *b)
{
	if (!v->soft_f1) {
		pack_nil(b);
		return;
	}
	pack_array(b, v->n);
	for (uint32_t i = 0; i < v->n; i++)
		pack_f64(b, v->soft_f1[i]);
}

static void pack_corrected(const struct verdict *v, struct buf *b)
{
	if (!v->corrected) {
		pack_nil(b);
		return;
	}
	pack_array(b, 3);
	pack_bytes(b, v->corrected, v->n);
	pack_u64(b, v->corrected_gold);
	pack_str(b, v->corrected_note);
}

void verdict_encode(const struct verdict *v, struct buf *b)
{
	pack_array(b, FIELDS);
	pack_bytes(b, v->right, v->n);
	pack_bytes(b, v->strict, v->n);
	pack_bytes(b, v->status, v->n);
	pack_array(b, v->n);
	for (uint32_t i = 0; i < v->n; i++)
		pack_str(b, v->note[i]);
	pack_u64(b, v->gold);
	pack_str(b, v->gold_note);
	pack_u64(b, v->gold_rows);
	pack_soft_f1(v, b);
	pack_corrected(v, b);
}

static uint8_t *take_bytes(struct cursor *c, struct arena *a, uint32_t n)
{
	struct view v = cur_bin(c);

	if (v.n != n)
		c->bad = 1;
	return (uint8_t *)arena_dup(a, v.p, v.n);
}

static int take_soft_f1(struct cursor *c, struct arena *a, struct verdict *v)
{
	if (cur_nil(c))
		return 0;
	cur_array_of(c, v->n);
	v->soft_f1 = arena_alloc(a, v->n + 1, sizeof *v->soft_f1);
	if (!v->soft_f1)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < v->n; i++) {
		v->soft_f1[i] = cur_f64(c);
		c->bad |= !isfinite(v->soft_f1[i]);
	}
	return 0;
}

static int take_corrected(struct cursor *c, struct arena *a, struct verdict *v)
{
	if (cur_nil(c))
		return 0;
	cur_array_of(c, 3);
	v->corrected = take_bytes(c, a, v->n);
	v->corrected_gold = cur_u32(c);
	v->corrected_note = cur_str(c);
	c->bad |= v->corrected_gold >= STATUSES;
	return v->corrected ? 0 : ERR_NOMEM;
}

static int take_all(struct cursor *c, size_t fields, struct arena *a, struct verdict *v)
{
	v->right = take_bytes(c, a, v->n);
	v->strict = take_bytes(c, a, v->n);
	v->status = take_bytes(c, a, v->n);
	cur_array_of(c, v->n);
	v->note = arena_alloc(a, v->n + 1, sizeof *v->note);
	if (!v->right || !v->strict || !v->status || !v->note)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < v->n; i++)
		v->note[i] = cur_str(c);
	v->gold = cur_u32(c);
	c->bad |= v->gold >= STATUSES;
	for (uint32_t i = 0; i < v->n; i++)
		c->bad |= v->status[i] >= STATUSES;
	v->gold_note = cur_str(c);
	v->gold_rows = cur_u64(c);
	if (fields == FIELDS_FIRST)
		return 0;
	return take_soft_f1(c, a, v) || take_corrected(c, a, v) ? ERR_NOMEM : 0;
}

int verdict_decode(struct view bytes, struct arena *a, struct verdict *ret)
{
	struct cursor c = cur_of(bytes), peek;
	size_t fields = cur_array(&c);
	struct verdict v = { 0 };
	int rc;

	if (fields != FIELDS_FIRST && fields != FIELDS)
		return ERR_PROTO;
	peek = c;
	v.n = (uint32_t)cur_bin(&peek).n;
	rc = take_all(&c, fields, a, &v);
	if (rc)
		return rc;
	if (!cur_done(&c))
		return ERR_PROTO;
	*ret = v;
	return 0;
}
