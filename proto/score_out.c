/* score_out.c - see score_out.h */
#include "proto/score_out.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

void score_out_encode(const struct score_out *s, struct buf *b)
{
	pack_array(b, 9);
	pack_u64(b, SCORE_OUT_VERSION);
	pack_u64(b, s->largest);
	pack_bool(b, s->memory);
	pack_f64(b, s->explained);
	pack_bool(b, s->stands);
	pack_array(b, s->groups);
	for (uint32_t i = 0; i < s->groups; i++)
		pack_f64(b, s->score[i]);
	pack_array(b, s->features);
	for (uint32_t i = 0; i < s->features; i++)
		pack_u64(b, s->times[i]);
	pack_array(b, (size_t)s->groups * s->features);
	for (uint32_t i = 0; i < s->groups * s->features; i++)
		pack_f64(b, s->feature[i]);
	pack_array(b, s->features);
	for (uint32_t i = 0; i < s->features; i++)
		pack_f64(b, s->mean[i]);
}

static double *take_doubles(struct cursor *c, struct arena *a, uint32_t n)
{
	double *v = arena_alloc(a, (size_t)n + 1, sizeof *v);

	for (uint32_t i = 0; v && i < n; i++)
		v[i] = cur_f64(c);
	return v;
}

int score_out_decode(struct view bytes, struct arena *a, struct score_out *ret,
		     struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct score_out s = { 0 };

	cur_array_of(&c, 9);
	if (cur_u64(&c) != SCORE_OUT_VERSION)
		c.bad = 1;
	s.largest = cur_u32(&c);
	s.memory = (uint8_t)cur_bool(&c);
	s.explained = cur_f64(&c);
	s.stands = (uint8_t)cur_bool(&c);
	s.groups = (uint32_t)cur_array(&c);
	s.score = take_doubles(&c, a, s.groups);
	s.features = (uint32_t)cur_array(&c);
	if (s.features > SCORE_FEATURES_MAX || (s.groups && s.largest >= s.groups))
		c.bad = 1;
	s.times = arena_alloc(a, SCORE_FEATURES_MAX, sizeof *s.times);
	if (!s.score || !s.times)
		return err_set(e, ERR_NOMEM, "scores of %u groups", s.groups);
	for (uint32_t i = 0; i < s.features && !c.bad; i++)
		s.times[i] = cur_u32(&c);
	if (cur_array(&c) != (size_t)s.groups * s.features)
		c.bad = 1;
	s.feature = take_doubles(&c, a, c.bad ? 0 : s.groups * s.features);
	if (cur_array(&c) != s.features)
		c.bad = 1;
	s.mean = take_doubles(&c, a, c.bad ? 0 : s.features);
	if (!s.feature || !s.mean)
		return err_set(e, ERR_NOMEM, "scores of %u groups", s.groups);
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO, "the bytes are no scores of version %d",
			       SCORE_OUT_VERSION);
	*ret = s;
	return 0;
}
