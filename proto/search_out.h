/* search_out.h - the output of a `search` task: the memories nearest to a question
 *
 * Nearest first; where cosines are equal the smaller training id. The planner takes
 * memories by rank until the first that does not fit its budget.
 *
 * Units:  cosine rounded to 2^-20; bytes are of the memory's text as a prompt shows it.
 * Memory: after search_out_decode() the array is in the arena, views in the bytes.
 */
#ifndef SEARCH_OUT_H
#define SEARCH_OUT_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdint.h>

enum { SEARCH_OUT_VERSION = 1 };

struct search_hit {
	struct view id; /* of the training question, as JSON text */
	double cosine;
	uint64_t bytes;
};

struct search_out {
	struct search_hit *hit;
	uint32_t n;
};

void search_out_encode(const struct search_out *s, struct buf *ret);
int search_out_decode(struct view bytes, struct arena *a, struct search_out *ret,
		      struct err *e); /* ERR_PROTO, ERR_NOMEM */

#endif
