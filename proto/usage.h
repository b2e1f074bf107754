/* usage.h - tokens a model took, and the HTTP requests they were paid with
 *
 * struct usage says what one answered request cost; struct call says what one HTTP
 * attempt did, answered or not. Calls travel in a task's result and are journaled, so
 * that every token can be followed to the request that took it.
 *
 * Invariants: (1) cached is part of prompt, never added to it;
 *             (2) without USAGE_CACHED cached is 0 and means "not told", not "none";
 *             (3) at most one call of an output is useful: the one whose answer it
 *                 holds. Every other attempt was wasted.
 *
 * Units:      tokens; milliseconds.
 *
 * Memory:     both are values. error and endpoint are NUL-terminated, cut at a code
 *             point, and hold no key and no URL credentials (endpoint_mask()).
 */
#ifndef USAGE_H
#define USAGE_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/cursor.h"
#include "common/base/err.h"

#include <stdint.h>

enum usage_flag {
	USAGE_MEASURED = 1,  /* the server said so */
	USAGE_ESTIMATED = 2, /* it did not: bytes / 4 */
	USAGE_CACHED = 4     /* the server told the cached part */
};

struct usage {
	uint64_t prompt, completion;
	uint64_t cached;
	uint32_t flags; /* of enum usage_flag */
};

enum { CALL_ERROR = 240, CALL_ENDPOINT = 160, CALLS_MAX = 256 };

struct call {
	uint32_t attempt;    /* 1-based within its ask */
	uint64_t started_ms; /* wall clock, for people */
	uint32_t latency_ms;
	uint32_t status;        /* HTTP status, 0: none came */
	uint32_t code;          /* ERR_* of common/base/err.h, 0: answered */
	uint32_t resent;        /* times a stale pooled socket made us send it again */
	uint32_t useful;        /* 1: the output holds its answer; 0: wasted */
	char error[CALL_ERROR]; /* "http_502: Bad gateway"; "" if answered */
	char endpoint[CALL_ENDPOINT]; /* http://host:port/path */
	struct usage usage;           /* all 0 if nothing was answered */
};

/* Adds what `b` cost to `a`; the flags of both stay set, so that a sum tells whether
 * any part of it was estimated. */
void usage_add(struct usage *a, const struct usage *b);

void usage_pack(struct buf *b, const struct usage *u);
struct usage usage_take(struct cursor *c); /* sticky, as all of cursor.h */

/* One call, as the journal keeps it. */
void call_pack(struct buf *b, const struct call *c);
int call_decode(struct view bytes, struct call *ret, struct err *e);

/* A list of calls as msgpack. Decoding refuses more than CALLS_MAX; *ret_calls lives
 * in `a`. */
void calls_pack(struct buf *b, const struct call *calls, size_t n);
int calls_decode(struct view bytes, struct arena *a, struct call **ret_calls,
		 size_t *ret_n, struct err *e);

#endif
