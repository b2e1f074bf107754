/* meanrank.c - see meanrank.h */
#include "common/select/meanrank.h"

#include "common/base/round.h"

#include <assert.h>

static double best_member(const struct grouping *g, uint32_t group, const double *rank)
{
	const struct group *of = &g->group[group];
	double best = rank[g->member[of->first]];

	for (uint32_t i = 1; i < of->size; i++) {
		double r = rank[g->member[of->first + i]];

		if (r < best)
			best = r;
	}
	return best;
}

/* Quadratic in groups and in members, without scratch: pools are small. */
void meanrank_groups(const struct grouping *g, const double *rank, double *ret)
{
	for (uint32_t i = 0; i < g->g; i++) {
		double mine = best_member(g, i, rank);
		uint32_t below = 0, equal = 0;

		for (uint32_t j = 0; j < g->g; j++) {
			double other = best_member(g, j, rank);

			below += other < mine;
			equal += other == mine;
		}
		ret[i] = below + (equal + 1) / 2.0;
	}
}

void meanrank_over(const double *rank, uint32_t passes, uint32_t n, double *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;

		for (uint32_t k = 0; k < passes; k++)
			sum += rank[(uint64_t)k * n + i];
		ret[i] = passes ? round20(sum / passes) : (n + 1) / 2.0;
	}
}

struct leaders meanrank_lead_groups(const double *mean, uint32_t g)
{
	struct leaders l = { 0, UINT32_MAX };

	assert(g >= 1);
	for (uint32_t i = 1; i < g; i++)
		if (mean[i] < mean[l.a]) {
			l.b = l.a;
			l.a = i;
		} else if (l.b == UINT32_MAX || mean[i] < mean[l.b]) {
			l.b = i;
		}
	return l;
}

/* The members stand in order of group, then H: the first of equals is the one wanted.
 */
static uint32_t lead(const struct grouping *g, const double *mean, uint32_t but_group)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < g->ranked; i++) {
		uint32_t c = g->member[i];

		if (g->of[c] != but_group &&
		    (best == UINT32_MAX || mean[c] < mean[best]))
			best = c;
	}
	return best;
}

struct leaders meanrank_lead_candidates(const struct grouping *g, const double *mean)
{
	struct leaders l;

	assert(g->g >= 1);
	l.a = lead(g, mean, UINT32_MAX);
	l.b = lead(g, mean, g->of[l.a]);
	return l;
}

struct leaders meanrank_beside_group(const double *mean, uint32_t g, uint32_t group)
{
	struct leaders l = { group, UINT32_MAX };

	for (uint32_t i = 0; i < g; i++)
		if (i != group && (l.b == UINT32_MAX || mean[i] < mean[l.b]))
			l.b = i;
	return l;
}

uint32_t meanrank_best_of(const struct grouping *g, const double *mean, uint32_t group)
{
	const struct group *of = &g->group[group];
	uint32_t best = g->member[of->first];

	for (uint32_t i = 1; i < of->size; i++) {
		uint32_t c = g->member[of->first + i];

		if (mean[c] < mean[best])
			best = c;
	}
	return best;
}

struct leaders meanrank_beside_candidates(const struct grouping *g, const double *mean,
					  uint32_t group)
{
	return (struct leaders){ meanrank_best_of(g, mean, group),
				 lead(g, mean, group) };
}
