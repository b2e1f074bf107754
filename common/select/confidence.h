/* confidence.h - how sure K passes are that a is above b
 *
 * d_k = rank of b in pass k less the rank of a; P(a above b) = T_{K-1}(mean(d) /
 * (s_d / sqrt(K))), T the distribution function of Student's t, s_d the sample standard
 * deviation. It is a score, not a test: a and b were chosen by the same data.
 *
 * Edges:  s_d = 0: 1 if mean(d) > 0, 0.5 if it is 0, 0 if below. Fewer than two passes:
 *         no value. Values are rounded to 2^-20 (round.h).
 * Source: Jeong et al., arXiv 2609.00834, for the t-confidence.
 */
#ifndef CONFIDENCE_H
#define CONFIDENCE_H

#include <stdint.h>

/* 1 and a value, or 0: none (K < 2). */
int confidence_of_differences(const double *d, uint32_t passes, double *ret);

/* The same from the lines of ranks of meanrank.h: columns a and b of passes x n. */
int confidence_of_ranks(const double *rank, uint32_t passes, uint32_t n, uint32_t a,
			uint32_t b, double *ret);

#endif
