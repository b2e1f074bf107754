/* alike_out.h - how much two results have in common: the output of `mbr`
 *
 * Shapes:  msgpack [same, all, note, status of a, status of b], in cells
 *          (common/select/alike.h). 0 and 0 where either failed.
 * Memory:  note points into the decoded bytes.
 */
#ifndef ALIKE_OUT_H
#define ALIKE_OUT_H

#include "common/base/buf.h"
#include "common/base/view.h"
#include "proto/status.h"

#include <stdint.h>

struct alike_out {
	uint64_t same, all; /* same <= all */
	struct view note;   /* memory: not decided; a failure's note */
	enum status a, b;
};

void alike_out_encode(const struct alike_out *o, struct buf *b);
int alike_out_decode(struct view bytes, struct alike_out *ret); /* 0 or ERR_PROTO */

#endif
