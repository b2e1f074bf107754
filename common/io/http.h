/* http.h - HTTP requests by the hundred on one libuv loop
 *
 * libcurl's multi interface as a guest of a libuv loop: no thread per request, pooled
 * connections, proxies and certificates as curl's environment variables have them. It
 * retries nothing, with one exception: servers close idle sockets without saying so
 * (uvicorn after 5 s), so a request that dies on a *reused* connection before a byte of
 * response is sent once more on a fresh one; `resent` counts it. Pooled connections
 * idle for more than HTTP_IDLE_S are dropped before they can do that.
 *
 * Invariants: (1) at most max_connections requests are on the wire, others wait in
 *                 order and their clocks do not run;
 *             (2) `done` is called exactly once for a request, never from within
 *                 http_send(), and never after http_cancel();
 *             (3) redirects are not followed: they would carry keys elsewhere.
 *
 * Units:      milliseconds, monotonic.
 *
 * Memory:     url, headers and body are lent until done or cancel. A response and its
 *             views live during `done` only.
 *
 * Errors:     of a response: ERR_NET (refused, reset, cut short, no such host),
 *             ERR_TIMEOUT, ERR_LIMIT (body over max_bytes), ERR_NOMEM, ERR_VALUE (bad
 *             URL). Texts hold a host and port at most, no URL and no header.
 *
 * Threads:    the loop's thread only.
 * Source:     curl_multi_socket_action(3).
 */
#ifndef HTTP_H
#define HTTP_H

#include "common/base/err.h"
#include "common/base/view.h"

#include <stdint.h>
#include <uv.h>

enum { HTTP_IDLE_S = 4, HTTP_MAX_BYTES = 16 << 20 };

/* How far a request came: where an error happened. */
enum http_phase { HTTP_CONNECT, HTTP_FIRST_BYTE, HTTP_BODY };

/* Response headers that are kept, and no others. */
#define HTTP_HEADER_LIST(X) \
	X(CONTENT_TYPE, "content-type") \
	X(DATE, "date") \
	X(RETRY_AFTER, "retry-after") \
	X(RETRY_AFTER_MS, "retry-after-ms") \
	X(REMAINING_REQUESTS, "x-ratelimit-remaining-requests") \
	X(REMAINING_TOKENS, "x-ratelimit-remaining-tokens") \
	X(RESET_REQUESTS, "x-ratelimit-reset-requests") \
	X(RESET_TOKENS, "x-ratelimit-reset-tokens")

enum http_header {
#define X(id, name) HTTP_##id,
	HTTP_HEADER_LIST(X)
#undef X
		HTTP_HEADERS
};

struct http_request {
	const char *url;
	const char *const *headers; /* "Name: value", NULL ends; NULL: none */
	struct view body;
	int get;             /* 1: GET without a body; else POST */
	uint32_t connect_ms; /* 0: 10,000 */
	uint32_t total_ms;   /* from being put on the wire; 0: no limit */
	size_t max_bytes;    /* of the response's body; 0: HTTP_MAX_BYTES */
};

struct http_response {
	struct err err; /* err.code 0: a whole response came, of any status */
	enum http_phase phase;
	int status;                       /* 0: none came */
	struct view body;                 /* NUL-terminated; what came of it, if err */
	struct view header[HTTP_HEADERS]; /* p NULL: absent; NUL-terminated */
	uint32_t elapsed_ms;              /* on the wire */
	uint32_t resent;
};

struct http;
struct http_call;
typedef void http_done_fn(void *arg, const struct http_response *r);
typedef void http_closed_fn(void *arg);

int http_open(uv_loop_t *loop, unsigned max_connections, struct http **ret,
	      struct err *e);

/* Cancels what is under way, without callbacks; memory is free once on_close (may be
 * NULL) has run. *h is NULL at once. */
void http_close(struct http **h, http_closed_fn *on_close, void *arg);

/* *ret_call (if not NULL) is good for http_cancel() until `done` runs. */
int http_send(struct http *h, const struct http_request *r, http_done_fn *done,
	      void *arg, struct http_call **ret_call, struct err *e);
void http_cancel(struct http *h, struct http_call **call); /* NULL-safe */

unsigned http_in_flight(const struct http *h); /* on the wire */
/* "connect", "first_byte", "body" */
const char *http_phase_name(enum http_phase phase);

#endif
