/* bootstrap.h - how far paired differences can be trusted, by drawing questions again
 *
 * A draw takes as many questions as there are, with replacement, and keeps what both
 * methods did on each together; the interval is from the 2.5th to the 97.5th percentile
 * of the means over BOOTSTRAP_TIMES draws (linear between two, as numpy has it). Drawn
 * as clusters, all questions of a database come or stay away together; of fewer than
 * BOOTSTRAP_CLUSTERS databases there are so few draws that the interval would be too
 * narrow by far, and none is given.
 *
 * All series of a call see the same draws, so intervals of one report compare.
 *
 * Invariants: the same series give the same interval on every machine: counter-based
 *             chance, sums in index order.
 * Memory:     8 bytes a series and draw, freed on return.
 * Errors:     ERR_NOMEM.
 * Source:     Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter
 *             13.
 */
#ifndef BOOTSTRAP_H
#define BOOTSTRAP_H

#include <stdint.h>

enum { BOOTSTRAP_TIMES = 10000, BOOTSTRAP_CLUSTERS = 5 };

struct interval {
	double low, high; /* 95 % */
	int known;        /* 0: too few questions, or clusters, tell of spread */
};

/* x[i] is a series of n differences; ret[nx]. */
int bootstrap_means(const double *const *x, uint32_t nx, uint32_t n, uint64_t seed,
		    struct interval *ret);

/* cluster[q] < clusters; empty clusters do not count. */
int bootstrap_clusters(const double *const *x, uint32_t nx, uint32_t n,
		       const uint32_t *cluster, uint32_t clusters, uint64_t seed,
		       struct interval *ret);

#endif
