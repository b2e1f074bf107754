/* stats.c - see stats.h */
#include "common/select/stats.h"

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/select/student.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct estimate around(double mean, double error, double quantile)
{
	return (struct estimate){ .mean = mean,
				  .stderr_ = error,
				  .low = mean - quantile * error,
				  .high = mean + quantile * error,
				  .known = 1 };
}

static struct estimate unknown(double mean)
{
	return (struct estimate){ .mean = mean, .low = mean, .high = mean };
}

/* From the mean and the sum of squared deviations. */
static struct estimate student_around(double mean, double squares, uint64_t n)
{
	struct estimate r;
	double sd;

	if (n < 2)
		return unknown(mean);
	sd = sqrt(fmax(squares, 0) / (double)(n - 1));
	r = around(mean, sd / sqrt((double)n),
		   student_quantile(0.975, (double)(n - 1)));
	r.sd = sd;
	return r;
}

static double mean_of(const double *x, uint32_t n)
{
	double sum = 0;

	assert(n >= 1);
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

struct estimate stats_mean(const double *x, uint32_t n)
{
	double mean = mean_of(x, n), squares = 0;

	for (uint32_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return student_around(mean, squares, n);
}

struct estimate stats_share(uint64_t right, uint64_t n)
{
	assert(n >= 1 && right <= n);
	return student_around((double)right / (double)n,
			      (double)right * (double)(n - right) / (double)n, n);
}

static uint32_t used_clusters(const uint32_t *cluster, uint32_t n, uint32_t clusters,
			      double *mark)
{
	uint32_t used = 0;

	for (uint32_t c = 0; c < clusters; c++)
		mark[c] = 0;
	for (uint32_t i = 0; i < n; i++) {
		assert(cluster[i] < clusters);
		used += mark[cluster[i]] == 0;
		mark[cluster[i]] = 1;
	}
	return used;
}

struct estimate stats_clustered(const double *x, const uint32_t *cluster, uint32_t n,
				uint32_t clusters, double *sum)
{
	double mean = mean_of(x, n), squares = 0;
	uint32_t used = used_clusters(cluster, n, clusters, sum);

	if (used < 2)
		return unknown(mean);
	for (uint32_t c = 0; c < clusters; c++)
		sum[c] = 0;
	for (uint32_t i = 0; i < n; i++)
		sum[cluster[i]] += x[i] - mean;
	for (uint32_t c = 0; c < clusters; c++)
		squares += sum[c] * sum[c];
	return around(mean, sqrt(squares * used / (used - 1)) / n,
		      student_quantile(0.975, used - 1));
}

/* Of the differences 1, -1 and 0: the sum of squared deviations. */
static double paired_squares(double b10, double b01, double n)
{
	return b10 + b01 - (b10 - b01) * (b10 - b01) / n;
}

static struct estimate paired_normal(double b10, double b01, double n)
{
	double error = sqrt(fmax(paired_squares(b10, b01, n), 0)) / n;

	assert(b10 + b01 <= n && n > 0);
	return around((b10 - b01) / n, error, normal_quantile(0.975));
}

struct estimate stats_paired_wald(uint64_t b10, uint64_t b01, uint64_t n)
{
	return paired_normal((double)b10, (double)b01, (double)n);
}

struct estimate stats_paired_adjusted(uint64_t b10, uint64_t b01, uint64_t n)
{
	struct estimate r =
		paired_normal((double)b10 + 1, (double)b01 + 1, (double)n + 2);

	r.mean = ((double)b10 - (double)b01) / (double)n;
	return r;
}

struct estimate stats_paired_t(uint64_t b10, uint64_t b01, uint64_t n)
{
	double a = (double)b10, b = (double)b01;

	assert(n >= 1 && b10 + b01 <= n);
	return student_around((a - b) / (double)n, paired_squares(a, b, (double)n), n);
}

static double ln_choose(double n, double k)
{
	int s;

	return lgamma_r(n + 1, &s) - lgamma_r(k + 1, &s) - lgamma_r(n - k + 1, &s);
}

/* P(X <= k), X ~ Bin(n, 1/2). 2^-n is exact while it is a normal double; past that the
 * sum begins at its largest term and goes down. */
static double half_binomial_cdf(uint64_t k, uint64_t n)
{
	double term, sum = 0;

	if (n <= 1000) {
		term = ldexp(1, -(int)n);
		for (uint64_t i = 0; i <= k; i++) {
			sum += term;
			term *= (double)(n - i) / (double)(i + 1);
		}
		return sum;
	}
	term = exp(ln_choose((double)n, (double)k) - (double)n * log(2));
	for (uint64_t i = k;; i--) {
		sum += term;
		if (i == 0 || term < sum * 1e-17)
			return sum;
		term *= (double)i / (double)(n - i + 1);
	}
}

double mcnemar_exact(uint64_t b, uint64_t c)
{
	return fmin(1, 2 * half_binomial_cdf(b < c ? b : c, b + c));
}

/* p[i] is the chance of the sum i - reach; each question moves half of it up and half
 * down. */
static void toss(double *p, double *next, uint32_t reach, uint32_t by)
{
	size_t n = 2 * (size_t)reach + 1;

	for (size_t i = 0; i < n; i++)
		next[i] =
			.5 * ((i >= by ? p[i - by] : 0) + (i + by < n ? p[i + by] : 0));
	memcpy(p, next, n * sizeof *p);
}

int stats_sign_flip(const int32_t *x, uint32_t n, double *ret)
{
	uint32_t reach = 0;
	int64_t sum = 0;
	double *p, *next, tail = 0;

	for (uint32_t i = 0; i < n; i++) {
		reach += (uint32_t)abs(x[i]);
		sum += x[i];
	}
	p = mem_alloc(2 * (size_t)reach + 1, sizeof *p);
	next = mem_alloc(2 * (size_t)reach + 1, sizeof *next);
	if (p && next) {
		p[reach] = 1;
		for (uint32_t i = 0; i < n; i++)
			if (x[i])
				toss(p, next, reach, (uint32_t)abs(x[i]));
		for (int64_t i = -(int64_t)reach; i <= -llabs(sum); i++)
			tail += p[i + reach];
		*ret = sum ? fmin(1, 2 * tail) : 1;
	}
	mem_free(next);
	n = p && next;
	mem_free(p);
	return n ? 0 : ERR_NOMEM;
}

/* How many of 0, 1, ... on the losing side are still significant. */
static uint64_t significant(uint64_t m, double alpha)
{
	uint64_t low = 0, high = m / 2 + 1;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (mcnemar_exact(middle, m - middle) <= alpha)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double binomial_mass(uint64_t k, uint64_t n, double p)
{
	if (p <= 0 || p >= 1)
		return (p <= 0 ? k == 0 : k == n) ? 1 : 0;
	return exp(ln_choose((double)n, (double)k) + (double)k * log(p) +
		   (double)(n - k) * log1p(-p));
}

double mcnemar_power(uint64_t m, double p, double alpha)
{
	uint64_t k = m ? significant(m, alpha) : 0;
	double sum = 0;

	for (uint64_t i = 0; i < k; i++)
		sum += binomial_mass(i, m, p) + binomial_mass(m - i, m, p);
	return fmin(1, sum);
}

double mcnemar_detectable(uint64_t m, uint64_t n, double power, double alpha)
{
	double low = 0.5, high = 1;

	assert(n >= 1 && m <= n);
	if (mcnemar_power(m, high, alpha) < power)
		return 1;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (mcnemar_power(m, middle, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return (double)m * (2 * high - 1) / (double)n;
}

/* The adjusted p of i: the largest (n - rank) * p_j over all j up to i in sorted order.
 * Quadratic squared is avoided by asking, for each j, its rank once. */
void stats_holm(const double *p, uint32_t n, double *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = 0;

		for (uint32_t j = 0; j < n; j++)
			before += p[j] < p[i] || (p[j] == p[i] && j < i);
		ret[i] = fmin(1, (n - before) * p[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		double most = ret[i];

		for (uint32_t j = 0; j < n; j++)
			if (p[j] < p[i] || (p[j] == p[i] && j < i))
				most = fmax(most, fmin(1, ret[j]));
		ret[i] = most;
	}
}

double consistency_by_chance_group(const uint32_t *size, uint32_t groups)
{
	double squares = 0, n = 0;

	for (uint32_t i = 0; i < groups; i++) {
		n += size[i];
		squares += (double)size[i] * size[i];
	}
	return n > 0 ? squares / (n * n) : 1;
}

double consistency_by_chance_candidate(uint32_t n)
{
	return n ? 1.0 / n : 1;
}
