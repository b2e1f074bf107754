/* stats.h - how far a difference can be trusted
 *
 * Sums are taken in the order given; give questions in benchmark order.
 *
 * Formulas, for values x_1 .. x_n with mean m:
 *
 *     estimate   m +- t_{n-1,.975} sd / sqrt(n), sd with n-1
 *     clustered  m +- t_{C-1,.975} sqrt(C/(C-1) sum_c u_c^2) / n
 *     paired     either of the two, of the differences a_i - b_i
 *
 * u_c is the sum of x_i - m over cluster c: questions of one database stand and fall
 * together. With n = 1, or one cluster, nothing can be said about spread: `known` is 0
 * and the interval is not to be shown. No spread at all is known: the interval is a
 * point.
 *
 * Source: Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference"
 * (2015), for the clustered one; Bonett and Price, "Adjusted Wald Confidence Interval
 * for a Difference of Binomial Proportions Based on Paired Data" (2012); Holm (1979).
 */
#ifndef STATS_H
#define STATS_H

#include <stdint.h>

struct estimate {
	double mean, sd, stderr_; /* sd and stderr_ 0 unless known */
	double low, high;         /* 95 % */
	int known;
};

struct estimate stats_mean(const double *x, uint32_t n); /* n >= 1 */
struct estimate stats_share(uint64_t right, uint64_t n); /* stats_mean of 0s and 1s */

/* cluster[i] < clusters; `sum` is scratch of `clusters`. Empty clusters do not count.
 * sd is left 0. */
struct estimate stats_clustered(const double *x, const uint32_t *cluster, uint32_t n,
				uint32_t clusters, double *sum);

/* Two methods on the same N questions: b10 times only the first was right, b01 times
 * only the second; difference = (b10 - b01) / N, normal intervals. `adjusted` adds one
 * to each of b10 and b01 and two to N, which holds its 95 % where Wald's falls short.
 */
struct estimate stats_paired_wald(uint64_t b10, uint64_t b01, uint64_t n);
struct estimate stats_paired_adjusted(uint64_t b10, uint64_t b01, uint64_t n);

/* Student's t of the differences, from counts. */
struct estimate stats_paired_t(uint64_t b10, uint64_t b01, uint64_t n);

/* McNemar's exact two-sided p: min(1, 2 P(X <= min(b, c))), X ~ Bin(b+c, 1/2). */
double mcnemar_exact(uint64_t b, uint64_t c);

/* The same test where each question has a whole number of wins less losses (of several
 * seeds): were each question's sign tossed anew, how likely is a sum as far from 0 as
 * this one? Exact, over all tosses. With numbers of 1, 0 and -1 it is McNemar's; with
 * more a question asked with three seeds is one question. ERR_NOMEM. */
int stats_sign_flip(const int32_t *x, uint32_t n, double *ret);

/* Given m discordant pairs of which each favours the first method with probability p,
 * how likely is mcnemar_exact() <= alpha? Exact, over all m+1 outcomes. With p =
 * b10/(b10+b01) it is the power to find again what was found. m = 0: 0. */
double mcnemar_power(uint64_t m, double p, double alpha);

/* The smallest difference that N questions with m discordant ones would show with at
 * least `power`; 1 where even m of m would not. */
double mcnemar_detectable(uint64_t m, uint64_t n, double power, double alpha);

/* Holm's step-down: adjusted p of a family, in the order of the input. */
void stats_holm(const double *p, uint32_t n, double *ret);

/* Two independent random choices agree: on the group, and on the candidate. */
double consistency_by_chance_group(const uint32_t *size, uint32_t groups);
double consistency_by_chance_candidate(uint32_t n);

#endif
