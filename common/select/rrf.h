/* rrf.h - reciprocal rank fusion of several rankings
 *
 * An item's score is the mean over the rankings of 1 / (RRF_K + place), place from 0;
 * higher is better. Equals share the mean of their places.
 *
 * Shapes: rank: lines of n doubles, one a ranking, from 1.
 * Units:  scores are rounded to 2^-40: they lie close together, and the order of the
 *         sum's terms must not decide.
 * Source: Cormack, Clarke, Buettcher, "Reciprocal rank fusion outperforms Condorcet and
 *         individual rank learning methods" (2009).
 */
#ifndef RRF_H
#define RRF_H

#include <stdint.h>

enum { RRF_K = 60 };

void rrf_scores(const double *rank, uint32_t rankings, uint32_t n, double *ret);

#endif
