/* embed_out.h - the output of an `embed` task: a vector for each of its texts
 *
 * Vectors are of length 1, in the order of the texts. The embedder is named in specs by
 * a blob: [name, revision, dimensions asked for (0: the model's own)].
 *
 * Shapes:  n * dim floats, row by row.
 * Memory:  after embed_out_decode() the floats are in the arena.
 * Errors:  ERR_PROTO, ERR_NOMEM.
 */
#ifndef EMBED_OUT_H
#define EMBED_OUT_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "proto/usage.h"

enum { EMBED_OUT_VERSION = 1, EMBED_TEXTS = 32, EMBED_DIM_MAX = 8192 };

struct embed_out {
	const float *vector;
	uint32_t n, dim;
	struct usage usage;
};

struct embedder {
	struct view name, revision;
	uint32_t dim;
};

void embed_out_encode(const struct embed_out *o, struct buf *ret);
int embed_out_decode(struct view bytes, struct arena *a, struct embed_out *ret,
		     struct err *e);

void embedder_encode(const struct embedder *m, struct buf *ret);
int embedder_decode(struct view bytes, struct embedder *ret); /* 1, or 0 */

#endif
