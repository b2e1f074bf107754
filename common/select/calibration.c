/* calibration.c - see calibration.h */
#include "common/select/calibration.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int sure_cmp(const void *a, const void *b)
{
	const struct sure *x = a, *y = b;

	if (x->p != y->p)
		return x->p > y->p ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void calibration_sort(struct sure *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i].order = i;
	if (n)
		qsort(v, n, sizeof *v, sure_cmp);
}

double calibration_ece(const struct sure *v, uint32_t n, uint32_t bins)
{
	double total = 0;

	for (uint32_t b = 0; b < bins; b++) {
		uint32_t from = (uint32_t)((uint64_t)n * b / bins);
		uint32_t to = (uint32_t)((uint64_t)n * (b + 1) / bins);
		double off = 0;

		for (uint32_t i = from; i < to; i++)
			off += v[i].p - (v[i].right != 0);
		total += fabs(off);
	}
	return n ? total / n : 0;
}

/* Where the run of equal p that holds `at` ends, and how many of it are wrong. */
static uint32_t run_end(const struct sure *v, uint32_t n, uint32_t at,
			uint32_t *ret_wrong)
{
	uint32_t end = at;

	*ret_wrong = 0;
	while (end < n && v[end].p == v[at].p)
		*ret_wrong += !v[end++].right;
	return end;
}

double calibration_wrong(const struct sure *v, uint32_t n, uint32_t k)
{
	double wrong = 0;

	assert(k <= n);
	for (uint32_t at = 0, end, w; at < k; at = end) {
		end = run_end(v, n, at, &w);
		wrong += end <= k ? w : (double)w * (k - at) / (end - at);
	}
	return wrong;
}

double calibration_aurc(const struct sure *v, uint32_t n)
{
	double sum = 0, before = 0;

	for (uint32_t at = 0, end, w; at < n; at = end) {
		end = run_end(v, n, at, &w);
		for (uint32_t k = at + 1; k <= end; k++)
			sum += (before + (double)w * (k - at) / (end - at)) / k;
		before += w;
	}
	return n ? sum / n : 0;
}

static double log_choose(uint32_t n, uint32_t k)
{
	return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

double binomial_tail(uint32_t wrong, uint32_t k, double epsilon)
{
	double sum = 0;

	for (uint32_t i = 0; i <= wrong && i <= k; i++)
		sum += exp(log_choose(k, i) + i * log(epsilon) +
			   (k - i) * log1p(-epsilon));
	return fmin(sum, 1);
}

int calibration_tau(const struct sure *v, uint32_t n, double epsilon, double delta,
		    double *ret)
{
	uint32_t wrong = 0, w, t = 1;
	int found = 0;

	for (uint32_t at = 0, end; at < n; at = end) {
		uint64_t tried = (uint64_t)n * t / CALIBRATION_TRIED;

		end = run_end(v, n, at, &w);
		wrong += w;
		if (end < tried)
			continue;
		while (t <= CALIBRATION_TRIED &&
		       end >= (uint64_t)n * t / CALIBRATION_TRIED)
			t++;
		if (binomial_tail(wrong, end, epsilon) <= delta / CALIBRATION_TRIED) {
			*ret = v[at].p;
			found = 1;
		}
	}
	return found;
}
