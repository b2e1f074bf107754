/* bootstrap.c - see bootstrap.h
 *
 * Differences are mostly 0, so a draw is kept as how often each unit came, and a series
 * only looks at its units that are not 0.
 */
#include "common/select/bootstrap.h"

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/rng.h"

#include <stdlib.h>
#include <string.h>

/* One series: its units that are not 0, in order. */
struct series {
	uint32_t *unit;
	double *value;
	uint32_t n;
	double *mean; /* [BOOTSTRAP_TIMES] */
};

struct drawing {
	struct series *series;
	uint32_t nseries, units;
	uint32_t *size;  /* of each unit, in questions; NULL: 1 each */
	uint32_t *times; /* how often each unit came in this draw */
};

static int number_cmp(const void *a_, const void *b_)
{
	const double *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

static double percentile(const double *sorted, double share)
{
	double at = share * (BOOTSTRAP_TIMES - 1);
	int i = (int)at;

	return sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]);
}

static double weigh(const struct drawing *d, const struct series *s, double questions)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->n; i++)
		sum += d->times[s->unit[i]] * s->value[i];
	return sum / questions;
}

static double draw(struct drawing *d, struct rng *r)
{
	double questions = 0;

	memset(d->times, 0, d->units * sizeof *d->times);
	for (uint32_t i = 0; i < d->units; i++) {
		uint32_t u = (uint32_t)rng_below(r, d->units);

		d->times[u]++;
		questions += d->size ? d->size[u] : 1;
	}
	return questions;
}

static void draw_all(struct drawing *d, const char *what, uint64_t seed,
		     struct interval *ret)
{
	struct rng r;

	rng_init(&r, what, seed, (struct view){ "", 0 }, 0);
	for (int b = 0; b < BOOTSTRAP_TIMES; b++) {
		double questions = draw(d, &r);

		for (uint32_t i = 0; i < d->nseries; i++)
			d->series[i].mean[b] = weigh(d, &d->series[i], questions);
	}
	for (uint32_t i = 0; i < d->nseries; i++) {
		double *mean = d->series[i].mean;

		qsort(mean, BOOTSTRAP_TIMES, sizeof *mean, number_cmp);
		ret[i] = (struct interval){ percentile(mean, .025),
					    percentile(mean, .975), 1 };
	}
}

static int series_make(struct series *s, const double *sum, uint32_t units)
{
	s->unit = mem_alloc(units + 1, sizeof *s->unit);
	s->value = mem_alloc(units + 1, sizeof *s->value);
	s->mean = mem_alloc(BOOTSTRAP_TIMES, sizeof *s->mean);
	if (!s->unit || !s->value || !s->mean)
		return ERR_NOMEM;
	for (uint32_t u = 0; u < units; u++)
		if (sum[u] != 0) {
			s->unit[s->n] = u;
			s->value[s->n++] = sum[u];
		}
	return 0;
}

static void drawing_free(struct drawing *d)
{
	for (uint32_t i = 0; d->series && i < d->nseries; i++) {
		mem_free(d->series[i].unit);
		mem_free(d->series[i].value);
		mem_free(d->series[i].mean);
	}
	mem_free(d->series);
	mem_free(d->times);
	mem_free(d->size);
}

/* sum[i * units + u]: what series i has in unit u. */
static int run(struct drawing *d, const double *sum, const char *what, uint64_t seed,
	       struct interval *ret)
{
	int rc = 0;

	d->series = mem_alloc(d->nseries + 1, sizeof *d->series);
	d->times = mem_alloc(d->units + 1, sizeof *d->times);
	if (!d->series || !d->times)
		rc = ERR_NOMEM;
	for (uint32_t i = 0; !rc && i < d->nseries; i++)
		rc = series_make(&d->series[i], sum + (size_t)i * d->units, d->units);
	if (!rc)
		draw_all(d, what, seed, ret);
	drawing_free(d);
	return rc;
}

static int unknown(struct interval *ret, uint32_t nx)
{
	for (uint32_t i = 0; i < nx; i++)
		ret[i] = (struct interval){ 0 };
	return 0;
}

int bootstrap_means(const double *const *x, uint32_t nx, uint32_t n, uint64_t seed,
		    struct interval *ret)
{
	struct drawing d = { .nseries = nx, .units = n };
	double *sum;
	int rc;

	if (n < 2 || nx == 0)
		return unknown(ret, nx);
	sum = mem_alloc((size_t)nx * n, sizeof *sum);
	if (!sum)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < nx; i++)
		memcpy(sum + (size_t)i * n, x[i], n * sizeof *sum);
	rc = run(&d, sum, "bootstrap questions", seed, ret);
	mem_free(sum);
	return rc;
}

/* Numbers the clusters that are not empty; how many. */
static uint32_t number_clusters(const uint32_t *cluster, uint32_t n, uint32_t *number,
				uint32_t *size)
{
	uint32_t used = 0;

	for (uint32_t q = 0; q < n; q++) {
		uint32_t *at = &number[cluster[q]];

		if (!*at)
			*at = ++used;
		size[*at - 1]++;
	}
	return used;
}

int bootstrap_clusters(const double *const *x, uint32_t nx, uint32_t n,
		       const uint32_t *cluster, uint32_t clusters, uint64_t seed,
		       struct interval *ret)
{
	struct drawing d = { .nseries = nx };
	uint32_t *number = mem_alloc(clusters + 1, sizeof *number);
	double *sum = NULL;
	int rc = 0;

	d.size = mem_alloc(clusters + 1, sizeof *d.size);
	if (!number || !d.size)
		rc = ERR_NOMEM;
	else
		d.units = number_clusters(cluster, n, number, d.size);
	if (!rc && (d.units < BOOTSTRAP_CLUSTERS || nx == 0)) {
		mem_free(number);
		mem_free(d.size);
		return unknown(ret, nx);
	}
	if (!rc && !(sum = mem_alloc((size_t)nx * d.units, sizeof *sum)))
		rc = ERR_NOMEM;
	for (uint32_t i = 0; !rc && i < nx; i++)
		for (uint32_t q = 0; q < n; q++)
			sum[(size_t)i * d.units + number[cluster[q]] - 1] += x[i][q];
	if (!rc)
		rc = run(&d, sum, "bootstrap databases", seed, ret);
	else
		mem_free(d.size);
	mem_free(number);
	mem_free(sum);
	return rc;
}
