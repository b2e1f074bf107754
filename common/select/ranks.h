/* ranks.h - places from 1, where equals share the mean of their places
 *
 * Three values 5 7 7 have the ranks 1 2.5 2.5. Scores are rounded (common/base/round.h)
 * before they are compared.
 *
 * Shapes: one double per item, in and out; they may be the same array nowhere.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdint.h>

void ranks_ascending(const double *key, uint32_t n, double *ret); /* smallest is 1 */

/* A window put in order by a judge that scores: highest first, rounded, ties share. */
void ranks_of_scores(const double *score, uint32_t n, double *ret);

/* A judge picks: 1 for the `want` highest, rounded, 0 for the others; of equals those
 * shown first. */
void ranks_best(const double *score, uint32_t n, uint32_t want, double *ret);

#endif
