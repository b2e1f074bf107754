/* asked_blob.c - see asked_blob.h */
#include "broker/asked_blob.h"

#include "proto/candidate.h"

static struct blob copied(struct arena *a, struct buf *b)
{
	struct blob r = { .bytes = arena_view(a, buf_view(b)), .copy = 1 };

	r.hash = hash_of(r.bytes.p, r.bytes.n);
	buf_free(b);
	return r;
}

struct blob asked_question_blob(const struct plan *p)
{
	struct asked_question q = { p->q->text, p->q->evidence };
	struct buf b = { 0 };

	asked_question_encode(&q, &b);
	return copied(p->arena, &b);
}

struct blob asked_candidate_blob(const struct plan *p, const struct aggregate *g,
				 uint32_t cand)
{
	const struct exec_out *o = &g->out[cand];
	struct buf b = { 0 };

	shown_encode(aggregate_candidate(p, g, cand)->run,
		     o->status == STATUS_abstain ? NULL : o, &b);
	return copied(p->arena, &b);
}
