/* softf1_out.h - how near a prediction's rows are to gold's: the output of `softf1`
 *
 * Shapes:  msgpack [f1, note, status of the prediction, status of gold].
 * Memory:  note points into the decoded bytes.
 */
#ifndef SOFTF1_OUT_H
#define SOFTF1_OUT_H

#include "common/base/buf.h"
#include "common/base/view.h"
#include "proto/status.h"

struct softf1_out {
	double f1;        /* 0 where either failed */
	struct view note; /* memory: not decided, taken as 0; a failure's note */
	enum status a, b;
};

void softf1_out_encode(const struct softf1_out *o, struct buf *b);
int softf1_out_decode(struct view bytes, struct softf1_out *ret); /* 0 or ERR_PROTO */

#endif
