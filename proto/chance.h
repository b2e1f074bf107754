/* chance.h - how likely is a choice right, by what learnt coefficients say?
 *
 * Pure. The inputs are those of chances.def; coefficients come from a file of weights.
 * Scores are log-odds up to a constant: a group's share of their exponentials is what
 * the judge believes, and calibration makes a probability of it.
 */
#ifndef CHANCE_H
#define CHANCE_H

#include "proto/weights.h"

#define CHANCE_CLIP 0.01 /* a share is never believed beyond this and 1 - this */

struct chance_of {
	const double *score;   /* [n], NULL where there is one group only */
	const uint32_t *votes; /* [n] */
	uint32_t n, chosen;    /* groups that vote; n >= 1 */
	uint32_t asked;        /* candidates drawn, failed ones included */
};

void chance_inputs(const struct chance_of *c, double ret[CHANCES]);

/* P(right), rounded to 2^-20. */
double chance_right(const double coefficient[CHANCES], const double input[CHANCES]);

#endif
