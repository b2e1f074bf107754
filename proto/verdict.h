/* verdict.h - what scoring found about one question: the record of results' planner
 *
 * right[i] is 1 where candidate i of the pool line matches gold under the sweep's rule.
 * Encoded as msgpack into journal table `verdict`; records of before soft F1 and
 * corrected gold are read, with neither.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "proto/status.h"

#include <stdint.h>

struct verdict {
	uint32_t n;        /* candidates */
	uint8_t *right;    /* [n] under the sweep's rule */
	uint8_t *strict;   /* [n] under rule plain, over the same rewritten texts */
	uint8_t *status;   /* [n] enum status */
	struct view *note; /* [n] */
	enum status gold;  /* rows, empty, abstain; else gold failed */
	struct view gold_note;
	uint64_t gold_rows;
	double *soft_f1; /* [n] under rule bird; NULL: not made */

	uint8_t *corrected; /* [n] right by corrected gold; NULL: there is none */
	enum status corrected_gold;
	struct view corrected_note;
};

void verdict_encode(const struct verdict *v, struct buf *ret);
int verdict_decode(struct view bytes, struct arena *a, struct verdict *ret);

#endif
