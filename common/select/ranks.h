/* ranks.h - places from 1, where equals share the mean of their places
 *
 * Three values 5 7 7 have the ranks 1 2.5 2.5. Scores are rounded to 2^-20 before they
 * are compared or stored, so that the last bits of a sum, or of another machine's libm,
 * decide nothing.
 *
 * Shapes: one double per item, in and out; they may be the same array nowhere.
 */
#ifndef RANKS_H
#define RANKS_H

#include <math.h>
#include <stdint.h>

/* The nearest multiple of 2^-20, halves to even, never -0. */
static inline double round20(double x)
{
	return nearbyint(x * 0x1p20) * 0x1p-20 + 0.0;
}

void ranks_ascending(const double *key, uint32_t n, double *ret); /* smallest is 1 */

/* A window put in order by a judge that scores: highest first, rounded, ties share. */
void ranks_of_scores(const double *score, uint32_t n, double *ret);

#endif
