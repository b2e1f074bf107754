/* equal_out.h - whether two SQL give equal results: the output of `equal`
 *
 * Shapes:  msgpack [equal, note, status of a, status of b].
 * Memory:  note points into the decoded bytes.
 */
#ifndef EQUAL_OUT_H
#define EQUAL_OUT_H

#include "common/base/buf.h"
#include "common/base/view.h"
#include "proto/status.h"

struct equal_out {
	int equal;
	struct view note; /* memory: not decided, taken as unequal; a failure's note */
	enum status a, b;
};

void equal_out_encode(const struct equal_out *o, struct buf *b);
int equal_out_decode(struct view bytes, struct equal_out *ret); /* 0 or ERR_PROTO */

#endif
