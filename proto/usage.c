/* usage.c - see usage.h */
#include "proto/usage.h"

#include "common/base/pack.h"

enum { USAGE_FIELDS = 4, CALL_FIELDS = 10 };

void usage_add(struct usage *a, const struct usage *b)
{
	a->prompt += b->prompt;
	a->completion += b->completion;
	a->cached += b->cached;
	a->flags |= b->flags;
}

void usage_pack(struct buf *b, const struct usage *u)
{
	pack_array(b, USAGE_FIELDS);
	pack_u64(b, u->prompt);
	pack_u64(b, u->completion);
	pack_u64(b, u->cached);
	pack_u64(b, u->flags);
}

struct usage usage_take(struct cursor *c)
{
	struct usage u;

	cur_array_of(c, USAGE_FIELDS);
	u.prompt = cur_u64(c);
	u.completion = cur_u64(c);
	u.cached = cur_u64(c);
	u.flags = cur_u32(c);
	return u;
}

void call_pack(struct buf *b, const struct call *c)
{
	pack_array(b, CALL_FIELDS);
	pack_u64(b, c->attempt);
	pack_u64(b, c->started_ms);
	pack_u64(b, c->latency_ms);
	pack_u64(b, c->status);
	pack_u64(b, c->code);
	pack_u64(b, c->resent);
	pack_u64(b, c->useful);
	pack_str(b, view_of(c->error));
	pack_str(b, view_of(c->endpoint));
	usage_pack(b, &c->usage);
}

void calls_pack(struct buf *b, const struct call *calls, size_t n)
{
	pack_array(b, n);
	for (size_t i = 0; i < n; i++)
		call_pack(b, calls + i);
}

static void take_text(struct cursor *c, char *to, size_t size)
{
	struct view v = cur_str(c);

	if (v.n >= size || memchr(v.p, '\0', v.n)) {
		c->bad = 1;
		return;
	}
	memcpy(to, v.p, v.n);
	to[v.n] = '\0';
}

static void take_call(struct cursor *c, struct call *ret)
{
	cur_array_of(c, CALL_FIELDS);
	ret->attempt = cur_u32(c);
	ret->started_ms = cur_u64(c);
	ret->latency_ms = cur_u32(c);
	ret->status = cur_u32(c);
	ret->code = cur_u32(c);
	ret->resent = cur_u32(c);
	ret->useful = cur_u32(c);
	take_text(c, ret->error, sizeof ret->error);
	take_text(c, ret->endpoint, sizeof ret->endpoint);
	ret->usage = usage_take(c);
}

int call_decode(struct view bytes, struct call *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct call call = { 0 };

	take_call(&c, &call);
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO, "not a call");
	*ret = call;
	return 0;
}

int calls_decode(struct view bytes, struct arena *a, struct call **ret_calls,
		 size_t *ret_n, struct err *e)
{
	struct cursor c = cur_of(bytes);
	size_t n = cur_array(&c);
	struct call *calls;

	if (n > CALLS_MAX)
		return err_set(e, ERR_PROTO, "%zu calls in one result, at most %d", n,
			       CALLS_MAX);
	calls = arena_alloc(a, n ? n : 1, sizeof *calls);
	if (!calls)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	for (size_t i = 0; i < n; i++)
		take_call(&c, calls + i);
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO, "not a list of calls");
	*ret_calls = calls;
	*ret_n = n;
	return 0;
}
