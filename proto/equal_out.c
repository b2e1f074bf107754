/* equal_out.c - see equal_out.h */
#include "proto/equal_out.h"

#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/pack.h"

void equal_out_encode(const struct equal_out *o, struct buf *b)
{
	pack_array(b, 4);
	pack_bool(b, o->equal);
	pack_str(b, o->note);
	pack_u64(b, o->a);
	pack_u64(b, o->b);
}

int equal_out_decode(struct view bytes, struct equal_out *ret)
{
	struct cursor c = cur_of(bytes);
	struct equal_out o;
	uint32_t a, b;

	cur_array_of(&c, 4);
	o.equal = cur_bool(&c);
	o.note = cur_str(&c);
	a = cur_u32(&c);
	b = cur_u32(&c);
	if (!cur_done(&c) || a >= STATUSES || b >= STATUSES)
		return ERR_PROTO;
	o.a = (enum status)a;
	o.b = (enum status)b;
	*ret = o;
	return 0;
}
