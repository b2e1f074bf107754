/* pack.c - see pack.h */
#include "common/base/pack.h"

#include <msgpack/pack.h>

static int sink(void *to, const char *p, size_t n)
{
	struct buf *b = to;

	buf_add(b, p, n);
	return b->bad;
}

static msgpack_packer packer(struct buf *b)
{
	msgpack_packer k;

	msgpack_packer_init(&k, b, sink);
	return k;
}

void pack_array(struct buf *b, size_t n)
{
	msgpack_packer k = packer(b);

	msgpack_pack_array(&k, n);
}

void pack_u64(struct buf *b, uint64_t v)
{
	msgpack_packer k = packer(b);

	msgpack_pack_uint64(&k, v);
}

void pack_i64(struct buf *b, int64_t v)
{
	msgpack_packer k = packer(b);

	msgpack_pack_int64(&k, v);
}

void pack_f64(struct buf *b, double v)
{
	msgpack_packer k = packer(b);

	msgpack_pack_double(&k, v);
}

void pack_bool(struct buf *b, int v)
{
	msgpack_packer k = packer(b);

	if (v)
		msgpack_pack_true(&k);
	else
		msgpack_pack_false(&k);
}

void pack_nil(struct buf *b)
{
	msgpack_packer k = packer(b);

	msgpack_pack_nil(&k);
}

void pack_str(struct buf *b, struct view v)
{
	msgpack_packer k = packer(b);

	msgpack_pack_str(&k, v.n);
	buf_add(b, v.p, v.n);
}

void pack_bin(struct buf *b, struct view v)
{
	msgpack_packer k = packer(b);

	msgpack_pack_bin(&k, v.n);
	buf_add(b, v.p, v.n);
}

void pack_hash(struct buf *b, const struct hash *h)
{
	pack_bin(b, (struct view){ (const char *)h->b, HASH_BYTES });
}
