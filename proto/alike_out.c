/* alike_out.c - see alike_out.h */
#include "proto/alike_out.h"

#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/pack.h"

void alike_out_encode(const struct alike_out *o, struct buf *b)
{
	pack_array(b, 5);
	pack_u64(b, o->same);
	pack_u64(b, o->all);
	pack_str(b, o->note);
	pack_u64(b, o->a);
	pack_u64(b, o->b);
}

int alike_out_decode(struct view bytes, struct alike_out *ret)
{
	struct cursor c = cur_of(bytes);
	struct alike_out o;
	uint32_t a, b;

	cur_array_of(&c, 5);
	o.same = cur_u64(&c);
	o.all = cur_u64(&c);
	o.note = cur_str(&c);
	a = cur_u32(&c);
	b = cur_u32(&c);
	if (!cur_done(&c) || a >= STATUSES || b >= STATUSES || o.same > o.all)
		return ERR_PROTO;
	o.a = (enum status)a;
	o.b = (enum status)b;
	*ret = o;
	return 0;
}
