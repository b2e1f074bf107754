/* kemeny.h - the order that several rankings agree on best
 *
 * The central order: the one with the fewest pairs that a ranking has the other way
 * round, summed over the rankings (Kendall's tau distance). A pair that ties in a
 * ranking is the other way round in no order.
 *
 * Up to KEMENY_EXACT items the best of all orders is found (dynamic programming over
 * sets: 2^n sets, n^2 steps each). Above, from the order by mean rank, neighbours are
 * swapped while that is better: a local optimum, in which no neighbours stand against
 * the majority.
 *
 * Ties:    of orders as good as each other the one whose first item has the smaller
 *          mean rank, then the smaller number; then its second item, and so on.
 * Shapes:  votes[i * n + j]: rankings that have i above j.
 * Units:   mean ranks as meanrank.h gives them (rounded).
 * Errors:  ERR_NOMEM.
 * Source:  Kemeny, "Mathematics without numbers" (1959); Tang et al., "Found in the
 *          middle: permutation self-consistency", arXiv 2310.07712, for its use here.
 */
#ifndef KEMENY_H
#define KEMENY_H

#include "common/base/err.h"

#include <stdint.h>

enum { KEMENY_EXACT = 16 };

/* rank: lines of n doubles, one a ranking, the smaller the better. */
void kemeny_votes(const double *rank, uint32_t rankings, uint32_t n, uint32_t *ret);

/* Pairs the other way round, over all rankings. */
uint64_t kemeny_cost(const uint32_t *votes, uint32_t n, const uint32_t *order);

/* ret: the n items, the best first. `mean` are mean ranks. */
int kemeny_order(const uint32_t *votes, uint32_t n, const double *mean, uint32_t *ret,
		 struct err *e);

/* The second way alone, for any n. */
void kemeny_search(const uint32_t *votes, uint32_t n, const double *mean,
		   uint32_t *ret);

#endif
