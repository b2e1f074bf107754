/* search_out.c - see search_out.h */
#include "proto/search_out.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

void search_out_encode(const struct search_out *s, struct buf *b)
{
	pack_array(b, 2);
	pack_u64(b, SEARCH_OUT_VERSION);
	pack_array(b, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		pack_array(b, 3);
		pack_str(b, s->hit[i].id);
		pack_f64(b, s->hit[i].cosine);
		pack_u64(b, s->hit[i].bytes);
	}
}

int search_out_decode(struct view bytes, struct arena *a, struct search_out *ret,
		      struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct search_out s = { 0 };

	cur_array_of(&c, 2);
	if (cur_u64(&c) != SEARCH_OUT_VERSION)
		c.bad = 1;
	s.n = (uint32_t)cur_array(&c);
	s.hit = arena_alloc(a, (size_t)s.n + 1, sizeof *s.hit);
	if (!s.hit)
		return err_set(e, ERR_NOMEM, "%u search hits", s.n);
	for (uint32_t i = 0; i < s.n && !c.bad; i++) {
		cur_array_of(&c, 3);
		s.hit[i].id = cur_str(&c);
		s.hit[i].cosine = cur_f64(&c);
		s.hit[i].bytes = cur_u64(&c);
	}
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO,
			       "the bytes are no search output of version %d",
			       SEARCH_OUT_VERSION);
	*ret = s;
	return 0;
}
