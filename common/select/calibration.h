/* calibration.h - do probabilities hold, and what is left wrong if the unsure is left
 * out?
 *
 * Over n choices with a confidence p_i and whether they were right:
 *
 *     ece    sorted by p and cut into bins of equal mass (n*b/bins): the sum over bins
 *            of |sum p - number right| / n
 *     risk   among the k choices of the highest p: the share that is wrong; where p is
 *            equal the mean over their orders is taken
 *     aurc   the mean of risk over k = 1 .. n
 *     tau    the lowest p such that among choices with p >= tau the error is at most
 *            epsilon, at confidence 1 - delta. Tried are the p at ten coverages, 0.1 to
 *            1, each against P(errors or fewer | k, epsilon) <= delta / 10: the ten are
 *            one family, so that a chance error among the surest spoils one only
 *
 * Pure. Sums go in sorted order, equal p in the order given.
 *
 * Source: Angelopoulos et al., "Learn then Test" (2021), for tau; Geifman et al.,
 *         "Bias-Reduced Uncertainty Estimation" (2019), for aurc.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include <stdint.h>

struct sure { /* one choice */
	double p;
	uint8_t right;
	uint32_t order; /* calibration_sort() sets it: the place before */
};

/* By p, highest first. All below want them sorted. */
void calibration_sort(struct sure *v, uint32_t n);

double calibration_ece(const struct sure *v, uint32_t n, uint32_t bins); /* n = 0: 0 */
double calibration_aurc(const struct sure *v, uint32_t n);

/* The mean number of wrong ones among the first k, k <= n. */
double calibration_wrong(const struct sure *v, uint32_t n, uint32_t k);

enum { CALIBRATION_TRIED = 10 };

/* 1 and *ret, or 0: no threshold can be trusted. */
int calibration_tau(const struct sure *v, uint32_t n, double epsilon, double delta,
		    double *ret);

/* P(at most `wrong` of k) where each is wrong with probability epsilon. */
double binomial_tail(uint32_t wrong, uint32_t k, double epsilon);

#endif
