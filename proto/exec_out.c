/* exec_out.c - see exec_out.h */
#include "proto/exec_out.h"

#include "common/base/pack.h"

static void pack_sip(struct buf *b, int made, const struct sip *s)
{
	unsigned char bytes[16];

	if (!made) {
		pack_nil(b);
		return;
	}
	for (int i = 0; i < 8; i++) {
		bytes[i] = (unsigned char)(s->lo >> (8 * i));
		bytes[8 + i] = (unsigned char)(s->hi >> (8 * i));
	}
	pack_bin(b, (struct view){ (const char *)bytes, sizeof bytes });
}

static void take_sip(struct cursor *c, unsigned kind, struct digests *d,
		     struct sip *ret)
{
	struct view v;

	if (cur_nil(c))
		return;
	v = cur_bin(c);
	if (v.n != 16) {
		c->bad = 1;
		return;
	}
	d->mask |= kind;
	for (int i = 0; i < 8; i++) {
		ret->lo |= (uint64_t)(unsigned char)v.p[i] << (8 * i);
		ret->hi |= (uint64_t)(unsigned char)v.p[8 + i] << (8 * i);
	}
}

static void pack_views(struct buf *b, const struct view *v, size_t n)
{
	pack_array(b, n);
	for (size_t i = 0; i < n; i++)
		pack_str(b, v[i]);
}

static const struct view *take_views(struct cursor *c, struct arena *a, uint32_t *ret_n)
{
	size_t n = cur_array(c);
	struct view *v = arena_alloc(a, n ? n : 1, sizeof *v);

	*ret_n = 0;
	if (!v)
		return NULL;
	for (size_t i = 0; i < n; i++)
		v[i] = cur_str(c);
	*ret_n = (uint32_t)n;
	return v;
}

void exec_out_encode(const struct exec_out *o, struct buf *b)
{
	const struct digests *d = &o->digests;

	pack_array(b, EXEC_OUT_FIELDS);
	pack_u64(b, o->status);
	pack_str(b, o->note);
	pack_str(b, o->error);
	pack_i64(b, o->error_at);
	pack_u64(b, o->rows);
	pack_u64(b, o->cells);
	pack_u64(b, o->nulls);
	pack_u64(b, o->reals);
	pack_u64(b, o->steps);
	pack_bool(b, o->one_zero);
	pack_bool(b, o->invalid_utf8);
	pack_bool(b, o->cut);
	pack_views(b, o->names, o->cols);
	pack_sip(b, d->mask & DIGEST_SET, &d->set);
	pack_sip(b, d->mask & DIGEST_BAG, &d->bag);
	pack_sip(b, d->mask & DIGEST_LIST, &d->list);
	pack_sip(b, d->mask & DIGEST_SIG, &d->sig);
	pack_sip(b, d->mask & DIGEST_EHR, &d->ehr);
	pack_views(b, o->warnings, o->n_warnings);
	pack_u64(b, o->preview_rows);
	pack_array(b, (size_t)o->preview_rows * o->cols);
	for (size_t i = 0; i < (size_t)o->preview_rows * o->cols; i++)
		cell_pack(&o->preview[i], b);
}

static void take_digests(struct cursor *c, struct digests *d)
{
	take_sip(c, DIGEST_SET, d, &d->set);
	take_sip(c, DIGEST_BAG, d, &d->bag);
	take_sip(c, DIGEST_LIST, d, &d->list);
	take_sip(c, DIGEST_SIG, d, &d->sig);
	take_sip(c, DIGEST_EHR, d, &d->ehr);
}

static const struct cell *take_preview(struct cursor *c, const struct exec_out *o,
				       struct arena *a)
{
	size_t n = cur_array(c);
	struct cell *cells = arena_alloc(a, n ? n : 1, sizeof *cells);

	if (n != (uint64_t)o->preview_rows * o->cols)
		c->bad = 1;
	for (size_t i = 0; cells && i < n; i++)
		cells[i] = cell_take(c);
	return cells;
}

int exec_out_decode(struct view bytes, struct exec_out *ret, struct arena *a)
{
	struct cursor c = cur_of(bytes);
	struct exec_out o = { 0 };
	uint32_t status;

	cur_array_of(&c, EXEC_OUT_FIELDS);
	status = cur_u32(&c);
	o.status = (enum status)status;
	o.note = cur_str(&c);
	o.error = cur_str(&c);
	o.error_at = cur_i64(&c);
	o.rows = cur_u64(&c);
	o.cells = cur_u64(&c);
	o.nulls = cur_u64(&c);
	o.reals = cur_u64(&c);
	o.steps = cur_u64(&c);
	o.one_zero = cur_bool(&c);
	o.invalid_utf8 = cur_bool(&c);
	o.cut = cur_bool(&c);
	o.names = take_views(&c, a, &o.cols);
	take_digests(&c, &o.digests);
	o.warnings = take_views(&c, a, &o.n_warnings);
	o.preview_rows = cur_u32(&c);
	o.preview = take_preview(&c, &o, a);
	if (!o.names || !o.warnings || !o.preview)
		return ERR_NOMEM;
	if (!cur_done(&c) || status >= STATUSES)
		return ERR_PROTO;
	*ret = o;
	return 0;
}
