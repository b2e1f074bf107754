/* softf1_out.c - see softf1_out.h */
#include "proto/softf1_out.h"

#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/pack.h"

#include <math.h>

void softf1_out_encode(const struct softf1_out *o, struct buf *b)
{
	pack_array(b, 4);
	pack_f64(b, o->f1);
	pack_str(b, o->note);
	pack_u64(b, o->a);
	pack_u64(b, o->b);
}

int softf1_out_decode(struct view bytes, struct softf1_out *ret)
{
	struct cursor c = cur_of(bytes);
	struct softf1_out o;
	uint32_t a, b;

	cur_array_of(&c, 4);
	o.f1 = cur_f64(&c);
	o.note = cur_str(&c);
	a = cur_u32(&c);
	b = cur_u32(&c);
	if (!cur_done(&c) || a >= STATUSES || b >= STATUSES || !isfinite(o.f1) ||
	    o.f1 < 0)
		return ERR_PROTO;
	o.a = (enum status)a;
	o.b = (enum status)b;
	*ret = o;
	return 0;
}
