/* embed_out.c - see embed_out.h */
#include "proto/embed_out.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "floats are kept as they are");

void embed_out_encode(const struct embed_out *o, struct buf *b)
{
	pack_array(b, 5);
	pack_u64(b, EMBED_OUT_VERSION);
	pack_u64(b, o->n);
	pack_u64(b, o->dim);
	pack_bin(b, (struct view){ (const char *)o->vector,
				   (size_t)o->n * o->dim * sizeof *o->vector });
	usage_pack(b, &o->usage);
}

int embed_out_decode(struct view bytes, struct arena *a, struct embed_out *ret,
		     struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct embed_out o = { 0 };
	struct view floats;
	float *v;

	cur_array_of(&c, 5);
	if (cur_u64(&c) != EMBED_OUT_VERSION)
		c.bad = 1;
	o.n = cur_u32(&c);
	o.dim = cur_u32(&c);
	floats = cur_bin(&c);
	o.usage = usage_take(&c);
	if (!cur_done(&c) || o.n > EMBED_TEXTS || o.dim > EMBED_DIM_MAX ||
	    floats.n != (size_t)o.n * o.dim * sizeof *v)
		return err_set(e, ERR_PROTO,
			       "the bytes are no embed output of version %d",
			       EMBED_OUT_VERSION);
	v = arena_alloc(a, (size_t)o.n * o.dim + 1, sizeof *v); /* aligned */
	if (!v)
		return err_set(e, ERR_NOMEM, "%u vectors", o.n);
	memcpy(v, floats.p, floats.n);
	o.vector = v;
	*ret = o;
	return 0;
}

void embedder_encode(const struct embedder *m, struct buf *b)
{
	pack_array(b, 3);
	pack_str(b, m->name);
	pack_str(b, m->revision);
	pack_u64(b, m->dim);
}

int embedder_decode(struct view bytes, struct embedder *ret)
{
	struct cursor c = cur_of(bytes);
	struct embedder m;

	cur_array_of(&c, 3);
	m.name = cur_str(&c);
	m.revision = cur_str(&c);
	m.dim = cur_u32(&c);
	*ret = m;
	return cur_done(&c);
}
