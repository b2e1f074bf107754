/* softmax.h - shares of the exponentials of scores
 *
 * Scores are log-odds up to a constant; the largest is taken off first, so that no
 * exponential overflows.
 *
 * Shapes: n >= 1 scores; ret[n] may be the scores' own array.
 * Units:  shares are not rounded (round.h).
 */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include <stddef.h>

void softmax(const double *score, size_t n, double *ret);

/* What softmax() says of one, without room for all. */
double softmax_at(const double *score, size_t n, size_t i);

#endif
