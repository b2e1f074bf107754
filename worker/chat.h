/* chat.h - one ask of an OpenAI-compatible server, however many attempts it takes
 *
 * The caller hands over a prompt and gets an output (proto/chat_out.h) or a failure,
 * with the list of HTTP attempts it took. Between them lie the manners that servers
 * expect: waiting as long as they say, the whole endpoint with one request; trying
 * again what may pass, never what will not; learning a server's dialect from its first
 * refusal; reading an event stream whether or not one was asked for.
 *
 * What is tried again: 408 409 425 429 500 502 503 504 529, connections that fail, a
 * body that is cut short, is HTML or is not a chat completion. What is not: 400 401 403
 * 404 413 422 (but a 400 that names a parameter or a limit is learnt from, and the ask
 * sent once more), a quota that is used up, a wait longer than the time left.
 *
 * Invariants: (1) `done` is called exactly once, never from within chat_start(), and
 *                 not after chat_cancel();
 *             (2) code 0 has exactly one useful call, the last; CHAT_TOO_LONG has none;
 *             (3) no text of a result holds a secret.
 *
 * Units:      milliseconds. The deadline runs from the first attempt, not while an ask
 *             waits for its turn.
 *
 * Memory:     the views and strings of an ask are lent until done or cancel. A result
 *             lives during `done` only.
 *
 * Errors:     ERR_NET (attempts used up), ERR_TIMEOUT, ERR_REFUSED (key, model,
 *             request), ERR_LIMIT (quota used up: the sweep pauses), ERR_PROTO (never
 *             a chat completion), ERR_NOMEM. The text starts with the class that
 *             calls[].error has: "http_502", "bad_body", "connect", "first_byte",
 *             "body", ...
 *
 * Threads:    the loop's thread only.
 */
#ifndef CHAT_H
#define CHAT_H

#include "common/io/http.h"
#include "proto/chat_out.h"
#include "worker/endpoint.h"

struct chat_ask;

/* How an ask is written and its answer read, where that is no chat completion. */
struct chat_form {
	void (*body)(struct buf *b, const struct chat_ask *ask,
		     const struct endpoint_facts *facts);
	/* As chat_reply_read(). ERR_REFUSED: it would always be so, no use in trying
	 * again; the text says how to mend it. */
	int (*read)(const struct chat_ask *ask, struct view body, struct arena *a,
		    struct chat_out *ret, struct view *ret_error, struct err *e);
	/* 1: a refusal taught something, and the ask would be sent otherwise now. */
	int (*learn)(struct endpoint_facts *facts, struct view body);
};

struct chat_ask {
	const struct chat_form *form; /* NULL: a chat completion */
	const void *of_form;          /* what it asks, lent as the rest */
	const char *model;
	struct view system; /* n 0: no system message */
	struct view user;
	double temperature, top_p; /* negative: not sent */
	uint32_t max_tokens;       /* 0: not sent */
	uint32_t top_logprobs;     /* 0: none */
	int64_t seed;              /* negative: not sent */
	int no_thinking;   /* 1: chat_template_kwargs {"enable_thinking": false} */
	uint64_t affinity; /* equal numbers go to the same replica while it lives */
};

struct chat_result {
	struct err err;      /* err.code 0: `out` is an output to keep */
	struct chat_out out; /* only then */
	const struct call *calls;
	size_t n_calls;
};

struct chat;
struct chat_run;
typedef void chat_done_fn(void *arg, const struct chat_result *r);
typedef void chat_closed_fn(void *arg);

/* `h` and `ep` are lent until on_close has run; an endpoint has one chat. */
int chat_open(uv_loop_t *loop, struct http *h, struct endpoint *ep, struct chat **ret,
	      struct err *e);
void chat_close(struct chat **c, chat_closed_fn *on_close, void *arg); /* cancels all */

int chat_start(struct chat *c, const struct chat_ask *ask, chat_done_fn *done,
	       void *arg, struct chat_run **ret_run, struct err *e);
void chat_cancel(struct chat_run **run); /* NULL-safe; what it took is not told */

#endif
