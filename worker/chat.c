/* chat.c - see chat.h
 *
 * A run is in exactly one of three lists: ready (wants to be sent, waits for a place or
 * for the endpoint's hold to pass), sleeping (waits until its own `wake_ms`), flying.
 * One timer wakes the earliest. pump() is the only place that sends.
 *
 *          chat_start            answered, or failed for good
 *     ──────────▶ ready ──send──▶ flying ──────────────────────▶ done
 *                   ▲               │ failed, may pass
 *                   └── sleeping ◀──┘ (learnt something: ready at once)
 */
#include "worker/chat.h"

#include "common/base/arena.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "worker/chat_body.h"
#include "worker/chat_refusal.h"
#include "worker/chat_reply.h"

#include <assert.h>
#include <stdio.h>

enum { LESSONS = 12, LEAST_TOKENS = 16 };

enum place { READY, SLEEPING, FLYING, PLACES };

struct chat_run {
	struct chat *chat;
	struct chat_run *prev, *next;
	enum place place;
	struct chat_ask ask;
	chat_done_fn *done;
	void *arg;
	struct buf body;
	struct http_call *http;
	struct arena arena; /* of the attempt under way */
	struct call *calls;
	size_t n_calls, room;
	uint32_t max_tokens; /* what may be asked for, at most the ask's */
	uint32_t retries, lessons, moves;
	uint64_t deadline_ms; /* 0: not sent yet */
	uint64_t wake_ms, sent_ms, wall_ms;
	struct err error; /* code not 0: to be told when it wakes */
};

struct list {
	struct chat_run *first, *last;
};

struct chat {
	uv_loop_t *loop;
	struct http *http;
	struct endpoint *ep;
	uv_timer_t timer;
	struct list at[PLACES];
	int soon; /* the timer is set to the next turn already */
	int closing;
	chat_closed_fn *on_close;
	void *arg;
};

static void move(struct chat_run *r, enum place to)
{
	struct list *l = &r->chat->at[r->place];

	if (r->prev || l->first == r) {
		*(r->prev ? &r->prev->next : &l->first) = r->next;
		*(r->next ? &r->next->prev : &l->last) = r->prev;
	}
	r->prev = r->next = NULL;
	r->place = to;
	if (to == PLACES)
		return;
	l = &r->chat->at[to];
	r->prev = l->last;
	*(l->last ? &l->last->next : &l->first) = r;
	l->last = r;
}

static void run_free(struct chat_run *r)
{
	move(r, PLACES);
	buf_free(&r->body);
	arena_free(&r->arena);
	mem_free(r->calls);
	mem_free(r);
}

/* ---- the account ---- */

static size_t prompt_bytes(const struct chat_run *r)
{
	return r->ask.system.n + r->ask.user.n;
}

static size_t replica(const struct chat_run *r)
{
	return (size_t)((r->ask.affinity + r->moves) % r->chat->ep->urls);
}

static void put_text(char *to, size_t size, const char *name, const char *text)
{
	struct view v;

	snprintf(to, size, "%s: %s", name, text);
	v = view_of(to);
	if (v.n == size - 1) /* perhaps cut within a character */
		to[utf8_prefix(v, utf8_length(v) - 1).n] = '\0';
}

/* NULL: no memory, or more attempts than can be told. */
static struct call *new_call(struct chat_run *r, const struct http_response *res)
{
	const char *label = r->chat->ep->label[replica(r)];
	struct call *c;

	if (r->n_calls == r->room) {
		size_t room = r->room ? r->room * 2 : 2;

		c = room > CALLS_MAX ? NULL : mem_resize(r->calls, room, sizeof *c);
		if (!c)
			return NULL;
		r->calls = c;
		r->room = room;
	}
	c = r->calls + r->n_calls++;
	*c = (struct call){ .attempt = (uint32_t)r->n_calls,
			    .started_ms = r->wall_ms,
			    .latency_ms = res->elapsed_ms,
			    .status = (uint32_t)res->status,
			    .resent = res->resent };
	snprintf(c->endpoint, sizeof c->endpoint, "%s", label);
	return c;
}

/* ---- ends ---- */

static void tell(struct chat_run *r, const struct chat_result *res)
{
	chat_done_fn *done = r->done;
	void *arg = r->arg;

	move(r, PLACES);
	done(arg, res);
	run_free(r);
}

static void fail(struct chat_run *r)
{
	struct chat_result res = { .err = r->error,
				   .calls = r->calls,
				   .n_calls = r->n_calls };

	tell(r, &res);
}

static void succeed(struct chat_run *r, const struct chat_out *out)
{
	struct chat_result res = { .out = *out,
				   .calls = r->calls,
				   .n_calls = r->n_calls };

	tell(r, &res);
}

/* ---- sending ---- */

static void wake_at(struct chat *c, uint64_t now_ms, uint64_t at_ms);

static void on_response(void *arg, const struct http_response *res);

static uint32_t time_left(const struct chat_run *r, uint64_t now_ms)
{
	uint64_t left = r->deadline_ms - now_ms;
	uint32_t attempt = r->chat->ep->set.attempt_ms;

	return attempt && attempt < left ? attempt : (uint32_t)left;
}

/* An ask that wants more than the whole context can never get it: asking for what
 * there is room for beats a refusal for every question. */
static uint32_t tokens_to_ask(const struct chat_run *r)
{
	const struct endpoint_facts *f = &r->chat->ep->facts;
	uint64_t n = r->max_tokens;

	if (f->completion_tokens && n > f->completion_tokens)
		n = f->completion_tokens;
	if (f->context_tokens && n > f->context_tokens / 2) {
		uint64_t prompt = prompt_bytes(r) / 3 + 64;
		uint64_t room =
			prompt < f->context_tokens ? f->context_tokens - prompt : 0;

		if (room < LEAST_TOKENS)
			room = LEAST_TOKENS;
		n = n < room ? n : room;
	}
	return (uint32_t)n;
}

static void write_body(const struct chat_run *r, struct buf *b)
{
	const struct endpoint_facts *facts = &r->chat->ep->facts;

	if (r->ask.form)
		r->ask.form->body(b, &r->ask, facts);
	else
		chat_body(b, &r->ask, facts, tokens_to_ask(r));
}

static int send_run(struct chat_run *r, uint64_t now_ms)
{
	struct chat *c = r->chat;
	struct endpoint *ep = c->ep;
	struct http_request q = { .url = ep->url[replica(r)],
				  .headers = (const char *const *)ep->header };

	if (!r->deadline_ms)
		r->deadline_ms = now_ms + ep->set.timeout_ms;
	if (now_ms >= r->deadline_ms)
		return err_set(
			&r->error, ERR_TIMEOUT,
			"timeout: no answer within %u ms, waits between attempts "
			"included (--timeout)",
			ep->set.timeout_ms);
	buf_clear(&r->body);
	write_body(r, &r->body);
	if (r->body.bad)
		return err_set(&r->error, r->body.bad, "%s", err_text(r->body.bad));
	q.body = buf_view(&r->body);
	q.total_ms = time_left(r, now_ms);
	r->sent_ms = now_ms;
	r->wall_ms = clock_wall_ms();
	return http_send(c->http, &q, on_response, r, &r->http, &r->error);
}

static void pump(struct chat *c)
{
	uint64_t now = clock_ms(), next = UINT64_MAX;
	struct chat_run *r, *after;

	for (r = c->at[SLEEPING].first; r; r = after) {
		after = r->next;
		if (r->wake_ms <= now)
			move(r, READY);
		else if (r->wake_ms < next)
			next = r->wake_ms;
	}
	while ((r = c->at[READY].first) &&
	       (r->error.code || endpoint_may_send(c->ep, now))) {
		if (!r->error.code && send_run(r, now) == 0) {
			endpoint_sent(c->ep);
			move(r, FLYING);
			continue;
		}
		fail(r);
		if (c->closing)
			return;
	}
	if (c->at[READY].first && c->ep->hold_until_ms > now &&
	    c->ep->hold_until_ms < next)
		next = c->ep->hold_until_ms;
	if (next != UINT64_MAX)
		wake_at(c, now, next);
}

static void on_timer(uv_timer_t *t)
{
	struct chat *c = t->data;

	c->soon = 0;
	pump(c);
}

static void wake_at(struct chat *c, uint64_t now_ms, uint64_t at_ms)
{
	if (c->closing || c->soon)
		return;
	c->soon = at_ms <= now_ms;
	/* libuv counts from the start of its turn */
	uv_update_time(c->loop);
	uv_timer_start(&c->timer, on_timer, c->soon ? 0 : at_ms - now_ms, 0);
}

/* ---- what became of an attempt ----
 *
 * What follows gives 1 where the ask is over and r->error is to be told, and 0 where
 * the run has moved on: to another list, or out of this world.
 */

/* `told_ms`: how long to wait, as the server or good sense says; 0: the usual backoff.
 */
static int try_again(struct chat_run *r, uint64_t now_ms, uint64_t told_ms)
{
	struct endpoint *ep = r->chat->ep;
	uint64_t wait = told_ms ? told_ms : endpoint_backoff_ms(ep, r->retries + 1);

	if (r->retries++ >= ep->set.max_retries || r->n_calls == CALLS_MAX)
		return 1;
	if (now_ms + wait >= r->deadline_ms) {
		size_t n = strlen(r->error.text);

		snprintf(r->error.text + n, sizeof r->error.text - n,
			 "; a wait of %llu ms is more than --timeout leaves",
			 (unsigned long long)wait);
		return 1;
	}
	r->error.code = 0;
	r->wake_ms = now_ms + wait;
	move(r, SLEEPING);
	return 0;
}

/* Writes an attempt's failure into its call, and into the error in case it is told. */
static void note(struct chat_run *r, struct call *c, int code, const char *name,
		 const char *text)
{
	char what[CALL_ERROR];

	put_text(what, sizeof what, name, text);
	what[endpoint_mask(r->chat->ep, what, strlen(what))] = '\0';
	err_set(&r->error, code, "%s (%s, attempt %zu)", what,
		r->chat->ep->label[replica(r)], r->n_calls);
	if (!c)
		return;
	c->code = (uint32_t)code;
	memcpy(c->error, what, sizeof what);
}

/* Nobody listens. Another replica may, at once; a lone server that is being started
 * again needs longer than one that is only busy. Returns the wait, 0: the usual one. */
static uint64_t away(struct chat_run *r)
{
	struct endpoint *ep = r->chat->ep;

	r->moves++;
	return ep->urls > 1 ? 0 : endpoint_backoff_ms(ep, r->retries + 3);
}

static int transport_failed(struct chat_run *r, struct call *c,
			    const struct http_response *res, uint64_t now_ms)
{
	char text[CALL_ERROR];
	uint64_t patience = 0;
	int code = res->err.code;

	snprintf(text, sizeof text, "%s after %u ms: %.180s", err_name(code),
		 res->elapsed_ms, res->err.text);
	note(r, c, code == ERR_LIMIT ? ERR_PROTO : code, http_phase_name(res->phase),
	     text);
	if (res->phase == HTTP_CONNECT)
		patience = away(r);
	return err_retryable(code) ? try_again(r, now_ms, patience) : 1;
}

static const struct {
	enum refusal_parameter parameter;
	size_t fact; /* an int of struct endpoint_facts that is set */
	const char *lesson;
} lessons[] = {
#define L(parameter, fact, text) \
	{ \
		PARAMETER_##parameter, offsetof(struct endpoint_facts, fact), text \
	}
	L(STREAM, stream, "must stream"),
	L(STREAM_OPTIONS, no_stream_options, "knows no stream_options"),
	L(TEMPERATURE, no_temperature, "takes no temperature"),
	L(TOP_P, no_top_p, "takes no top_p"),
	L(SEED, no_seed, "takes no seed"),
	L(LOGPROBS, no_logprobs, "gives no logprobs"),
	L(TEMPLATE_KWARGS, no_template_kwargs, "knows no chat_template_kwargs"),
#undef L
};

static const char *learn_name(struct endpoint_facts *f, int wants_new)
{
	if (f->completion_name == wants_new || f->completion_name_tried)
		return NULL;
	f->completion_name = wants_new;
	f->completion_name_tried = 1;
	return wants_new ? "wants max_completion_tokens" : "wants max_tokens";
}

static const char *learn_size(struct chat_run *r, const struct refusal *no)
{
	struct endpoint_facts *f = &r->chat->ep->facts;

	if (no->context_tokens)
		f->context_tokens = no->context_tokens;
	else if (no->completion_tokens)
		f->completion_tokens = no->completion_tokens;
	if (no->completion_tokens && no->completion_tokens < r->max_tokens)
		r->max_tokens = (uint32_t)no->completion_tokens;
	else if (r->lessons > 1) /* told once already, and it was not enough */
		r->max_tokens = tokens_to_ask(r) / 2;
	return "gives fewer tokens than asked for";
}

static const char *learn_logprobs(struct chat_run *r, const struct refusal *no)
{
	struct endpoint_facts *f = &r->chat->ep->facts;

	if (no->logprobs && no->logprobs < r->ask.top_logprobs)
		f->most_logprobs = no->logprobs;
	else
		f->no_logprobs = 1;
	return "gives fewer log-probabilities than asked for";
}

static const char *learn(struct chat_run *r, const struct refusal *no)
{
	struct endpoint_facts *f = &r->chat->ep->facts;

	switch (no->parameter) {
	case PARAMETER_MAX_TOKENS: return learn_name(f, 1);
	case PARAMETER_MAX_COMPLETION_TOKENS: return learn_name(f, 0);
	case PARAMETER_TOO_MANY_TOKENS: return learn_size(r, no);
	case PARAMETER_TOO_MANY_LOGPROBS: return learn_logprobs(r, no);
	default: break;
	}
	for (size_t i = 0; i < sizeof lessons / sizeof *lessons; i++) {
		int *fact = (int *)(void *)((char *)f + lessons[i].fact);

		if (lessons[i].parameter != no->parameter || *fact)
			continue;
		*fact = 1;
		return lessons[i].lesson;
	}
	return NULL;
}

/* Would the ask be sent with other words now? Another ask may have learnt it first. */
static int differs(const struct chat_run *r)
{
	struct buf b = { 0 };
	int other;

	write_body(r, &b);
	other = b.bad == 0 && !view_eq(buf_view(&b), buf_view(&r->body));
	buf_free(&b);
	return other;
}

static int learn_from(struct chat_run *r, const struct refusal *no)
{
	const char *lesson = NULL;

	if (r->lessons++ >= LESSONS)
		return 1;
	if (no)
		lesson = learn(r, no);
	if (lesson)
		log_info("endpoint taught us", "endpoint=%s it=\"%s\"",
			 r->chat->ep->label[replica(r)], lesson);
	if (!differs(r))
		return 1;
	r->error.code = 0;
	move(r, READY);
	return 0;
}

static int too_long(struct chat_run *r, struct call *c, const struct refusal *no,
		    struct view body)
{
	struct chat_out out = { .kind = CHAT_TOO_LONG,
				.prompt_tokens = no->prompt_tokens,
				.context_tokens = no->context_tokens,
				.answer = view_of(""),
				.finish = view_of(""),
				.model = view_of(""),
				.note = view_of(""),
				.reply = body };

	note(r, c, ERR_RANGE, "too_long", no->text);
	r->error.code = 0;
	succeed(r, &out);
	return 0;
}

static void advise(struct chat_run *r, int status)
{
	const struct endpoint_settings *s = &r->chat->ep->set;
	char *end = r->error.text + strlen(r->error.text);
	size_t room = sizeof r->error.text - strlen(r->error.text);

	if (status == 401 || status == 403)
		snprintf(end, room, ": does %s hold the right key?",
			 r->chat->ep->key_env);
	else if (status == 404)
		snprintf(end, room, ": are %s and %s what it serves?", s->url_flag,
			 s->model_flag);
	else if (status >= 300 && status < 400)
		snprintf(end, room, ": give %s as the server redirects it",
			 s->url_flag);
}

/* 429 and 503 are meant for all of us: the endpoint is held, not this ask alone. */
static void slow_down(struct chat_run *r, const struct http_response *res,
		      uint64_t now_ms, uint64_t told_ms)
{
	uint64_t wait = told_ms;

	if (!wait && res->status == 429)
		wait = endpoint_backoff_ms(r->chat->ep, r->retries + 1);
	if (told_ms || res->status == 429 || res->status == 503)
		endpoint_slow_down(r->chat->ep, r->sent_ms, now_ms, wait);
}

static int refused(struct chat_run *r, struct call *c, const struct http_response *res,
		   struct view body, uint64_t now_ms)
{
	const struct chat_form *form = r->ask.form;
	uint64_t told;
	struct refusal no;

	refusal_read(res->status, body, tokens_to_ask(r), &no);
	if (form && form->learn && (res->status == 400 || res->status == 422) &&
	    form->learn(&r->chat->ep->facts, body)) {
		note(r, c, ERR_REFUSED, no.name, no.text);
		return learn_from(r, NULL);
	}
	switch (no.kind) {
	case REFUSAL_TOO_LONG: return too_long(r, c, &no, body);
	case REFUSAL_QUOTA: note(r, c, ERR_LIMIT, "quota", no.text); return 1;
	case REFUSAL_PARAMETER:
		note(r, c, ERR_REFUSED, no.name, no.text);
		return learn_from(r, &no);
	case REFUSAL_PASSES: break;
	case REFUSAL_FINAL:
		note(r, c, ERR_REFUSED, no.name, no.text);
		advise(r, res->status);
		return 1;
	}
	note(r, c, res->status < 300 ? ERR_PROTO : ERR_NET, no.name, no.text);
	told = refusal_wait_ms(res->header, body, (int64_t)(clock_wall_ms() / 1000));
	slow_down(r, res, now_ms, told);
	return try_again(r, now_ms, told);
}

static int bad_body(struct chat_run *r, struct call *c, const struct http_response *res,
		    struct view body, const struct err *why, uint64_t now_ms)
{
	struct refusal shown;
	char text[CALL_ERROR];

	refusal_read(res->status, body, 0, &shown);
	snprintf(text, sizeof text, "%.80s (%.150s)", why->text, shown.text);
	note(r, c, why->code, "bad_body", text);
	return try_again(r, now_ms, 0);
}

static int read_reply(struct chat_run *r, struct call *c,
		      const struct http_response *res, struct view body,
		      uint64_t now_ms)
{
	const struct chat_form *form = r->ask.form;
	struct chat_out out;
	struct view error;
	struct err why;
	int rc;

	rc = form ? form->read(&r->ask, body, &r->arena, &out, &error, &why)
		  : chat_reply_read(res->header[HTTP_CONTENT_TYPE], body,
				    prompt_bytes(r), &r->arena, &out, &error, &why);
	if (rc == ERR_REFUSED) {
		note(r, c, rc, "reply", why.text);
		return 1;
	}
	if (rc)
		return error.n ? refused(r, c, res, error, now_ms)
			       : bad_body(r, c, res, body, &why, now_ms);
	if (view_eq(out.finish, view_of("abort"))) { /* vLLM: it gave up on us */
		err_set(&why, ERR_PROTO, "finish_reason abort");
		return bad_body(r, c, res, body, &why, now_ms);
	}
	if (r->ask.top_logprobs && !out.first.n)
		out.note = view_of("the server gave no log-probabilities");
	c->useful = 1;
	c->usage = out.usage;
	succeed(r, &out);
	return 0;
}

/* The body as we may keep it: without secrets. */
static int own_body(struct chat_run *r, const struct http_response *res,
		    struct view *ret)
{
	char *p;

	arena_free(&r->arena);
	p = arena_dup(&r->arena, res->body.p, res->body.n);
	if (!p)
		return ERR_NOMEM;
	*ret = (struct view){ p, endpoint_mask(r->chat->ep, p, res->body.n) };
	return 0;
}

static int judge(struct chat_run *r, const struct http_response *res)
{
	struct call *c = new_call(r, res);
	uint64_t now = clock_ms();
	struct view body;

	if (!c || own_body(r, res, &body)) {
		note(r, c, ERR_NOMEM, "memory", err_text(ERR_NOMEM));
		return 1;
	}
	if (res->err.code)
		return transport_failed(r, c, res, now);
	if (res->status >= 200 && res->status < 300)
		return read_reply(r, c, res, body, now);
	return refused(r, c, res, body, now);
}

static void on_response(void *arg, const struct http_response *res)
{
	struct chat_run *r = arg;
	struct chat *c = r->chat;

	r->http = NULL;
	endpoint_answered(c->ep, res->err.code == 0 && res->status == 200);
	if (judge(r, res))
		fail(r);
	if (!c->closing)
		pump(c);
}

/* ---- public ---- */

int chat_open(uv_loop_t *loop, struct http *h, struct endpoint *ep, struct chat **ret,
	      struct err *e)
{
	struct chat *c = mem_alloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	c->loop = loop;
	c->http = h;
	c->ep = ep;
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	*ret = c;
	return 0;
}

static void on_closed(uv_handle_t *t)
{
	struct chat *c = t->data;
	chat_closed_fn *on_close = c->on_close;
	void *arg = c->arg;

	mem_free(c);
	if (on_close)
		on_close(arg);
}

void chat_close(struct chat **cp, chat_closed_fn *on_close, void *arg)
{
	struct chat *c = *cp;

	*cp = NULL;
	c->closing = 1;
	c->on_close = on_close;
	c->arg = arg;
	for (int i = 0; i < PLACES; i++)
		while (c->at[i].first) {
			struct chat_run *r = c->at[i].first;

			chat_cancel(&r);
		}
	uv_close((uv_handle_t *)&c->timer, on_closed);
}

int chat_start(struct chat *c, const struct chat_ask *ask, chat_done_fn *done,
	       void *arg, struct chat_run **ret_run, struct err *e)
{
	struct chat_run *r = mem_alloc(1, sizeof *r);

	if (!r)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	r->chat = c;
	r->ask = *ask;
	r->done = done;
	r->arg = arg;
	r->max_tokens = ask->max_tokens;
	r->place = READY;
	move(r, READY);
	wake_at(c, 0, 0);
	if (ret_run)
		*ret_run = r;
	return 0;
}

void chat_cancel(struct chat_run **run)
{
	struct chat_run *r = *run;

	if (!r)
		return;
	*run = NULL;
	if (r->http) {
		http_cancel(r->chat->http, &r->http);
		endpoint_answered(r->chat->ep, 0);
		if (!r->chat->closing)
			wake_at(r->chat, 0, 0);
	}
	run_free(r);
}
