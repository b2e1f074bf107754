/* cursor.h - reading msgpack from outside, trusting nothing
 *
 * msgpack-c's unpacker allocates what a header claims before it looks for the bytes, so
 * seven hostile bytes ask for 64 GiB. This cursor neither allocates nor recurses: it
 * walks the bytes it was given and says no to anything else.
 *
 * Memory:  views point into the bytes and live as long as they do.
 * Errors:  sticky: after the first surprise (wrong type, number out of range, end of
 *          bytes) `bad` is 1 and every take gives zero, "" or 0. Ask cur_done() once,
 * at the end; only then believe what was read. Source:  msgpack specification,
 * "Formats".
 */
#ifndef CURSOR_H
#define CURSOR_H

#include "common/base/hash.h"
#include "common/base/view.h"

#include <stdint.h>

struct cursor {
	const unsigned char *p;
	size_t left;
	int bad;
};

struct cursor cur_of(struct view bytes);

size_t cur_array(
	struct cursor *c); /* elements that follow; never more than bytes left */
void cur_array_of(struct cursor *c, size_t n); /* exactly n, or bad */
uint64_t cur_u64(struct cursor *c);
uint32_t cur_u32(struct cursor *c);
int64_t cur_i64(struct cursor *c);
double cur_f64(struct cursor *c); /* float64, or an integer */
int cur_bool(struct cursor *c);
int cur_nil(struct cursor *c); /* 1 and past it if nil is next, else 0 and unmoved */
struct view cur_str(struct cursor *c);
struct view cur_bin(struct cursor *c);
struct hash cur_hash(struct cursor *c); /* a bin of 32 bytes */
struct view cur_any(struct cursor *c);  /* the bytes of one whole value, skipped */

/* 1: nothing went wrong and nothing is left. */
int cur_done(const struct cursor *c);

#endif
