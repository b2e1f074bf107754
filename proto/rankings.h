/* rankings.h - several rankings of the same items: what `kemeny` is given, as a blob
 *
 * Shapes:  msgpack [u64 items, [f64 rank, ...]], the rankings one after the other, the
 *          smaller rank the better. The output of `kemeny` is [u64 item, ...], the best
 *          first.
 * Memory:  the arena's.
 * Errors:  ERR_PROTO for other bytes; ERR_NOMEM.
 */
#ifndef RANKINGS_H
#define RANKINGS_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdint.h>

struct rankings {
	uint32_t n;     /* items */
	uint32_t count; /* rankings */
	double *rank;   /* count x n */
};

void rankings_encode(const struct rankings *r, struct buf *b);
int rankings_decode(struct view bytes, struct arena *a, struct rankings *ret,
		    struct err *e);

void order_out_encode(const uint32_t *order, uint32_t n, struct buf *b);

/* A permutation of the n items, or ERR_PROTO. */
int order_out_decode(struct view bytes, struct arena *a, uint32_t n, uint32_t **ret);

#endif
