/* learnt.c - see learnt.h */
#include "proto/learnt.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

static void pack_counts(struct buf *b, const uint32_t *v)
{
	pack_array(b, LEARNT_KEYS);
	for (int i = 0; i < LEARNT_KEYS; i++)
		pack_u64(b, v[i]);
}

static void take_counts(struct cursor *c, uint32_t *ret)
{
	cur_array_of(c, LEARNT_KEYS);
	for (int i = 0; i < LEARNT_KEYS; i++)
		ret[i] = cur_u32(c);
}

void learnt_encode(const struct learnt *l, struct buf *ret)
{
	pack_array(ret, 13);
	pack_u64(ret, LEARNT_VERSION);
	pack_u64(ret, l->state);
	pack_u64(ret, l->check);
	pack_str(ret, l->note);
	pack_str(ret, l->memory);
	pack_str(ret, l->sql);
	pack_bin(ret, l->vector);
	pack_u64(ret, l->asks);
	pack_u64(ret, l->repairs);
	pack_counts(ret, l->refused);
	pack_counts(ret, l->dropped);
	pack_u64(ret, l->unknown);
	pack_u64(ret, l->added);
}

int learnt_decode(struct view bytes, struct learnt *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct learnt l = { 0 };

	cur_array_of(&c, 13);
	if (cur_u64(&c) != LEARNT_VERSION)
		c.bad = 1;
	l.state = (enum learnt_state)cur_u32(&c);
	l.check = (enum learnt_check)cur_u32(&c);
	l.note = cur_str(&c);
	l.memory = cur_str(&c);
	l.sql = cur_str(&c);
	l.vector = cur_bin(&c);
	l.asks = cur_u32(&c);
	l.repairs = cur_u32(&c);
	take_counts(&c, l.refused);
	take_counts(&c, l.dropped);
	l.unknown = cur_u32(&c);
	l.added = cur_u32(&c);
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO,
			       "the bytes are no record of a memory of version %d",
			       LEARNT_VERSION);
	*ret = l;
	return 0;
}
