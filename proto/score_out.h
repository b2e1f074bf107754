/* score_out.h - the output of a `score` task: what evidence says of each group
 *
 * Scores stand in the dossier's order of groups; higher is better. They hold the bonus
 * of the largest group, so a pass's winner is the highest score, and where two are
 * equal the earlier group. Features are stored as they met their weights (after
 * centring), in the order of proto/features.def, with how often this pass drew each:
 * score = sum of times * weight * feature, and the bonus. `mean` is what centring took
 * off, so that feature + mean is what the group had of its own.
 *
 * Units:  score, features, means and shares are rounded to 2^-20.
 * Memory: after score_out_decode() arrays are in the arena.
 */
#ifndef SCORE_OUT_H
#define SCORE_OUT_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdint.h>

enum { SCORE_OUT_VERSION = 3, SCORE_FEATURES_MAX = 64 };

struct score_out {
	uint32_t groups, features;
	uint32_t largest; /* the group that got the bonus */
	uint8_t memory;   /* the weights that go with a bank were used */
	double explained; /* share of the answers' votes that the guard explains */
	uint8_t stands;   /* so many that only lsize, isabs and abs_fail count */
	double *score;    /* [groups] */
	double *feature;  /* [groups * features] */
	double *mean;     /* [features] 0 where not centred */
	uint32_t *times;  /* [features] 1 in a full score */
};

void score_out_encode(const struct score_out *s, struct buf *ret);
int score_out_decode(struct view bytes, struct arena *a, struct score_out *ret,
		     struct err *e); /* ERR_PROTO, ERR_NOMEM */

#endif
