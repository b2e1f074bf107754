/* posterior.c - see posterior.h */
#include "common/select/posterior.h"

#include "common/base/round.h"
#include "common/base/softmax.h"

void posterior_shares(const double *belief, uint32_t n, double *ret)
{
	softmax(belief, n, ret);
	for (uint32_t i = 0; i < n; i++)
		ret[i] = round20(ret[i]);
}

void posterior_order(const double *belief, uint32_t n, uint32_t *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;

		for (; at && belief[ret[at - 1]] < belief[i]; at--)
			ret[at] = ret[at - 1];
		ret[at] = i;
	}
}

void posterior_add(double *belief, const uint32_t *group, const double *p, uint32_t n,
		   double weight, double floor)
{
	for (uint32_t i = 0; i < n; i++) {
		double said = p[i] > 0 ? fmax(log(p[i]), floor) : floor;

		belief[group[i]] = round20(belief[group[i]] + weight * said);
	}
}

/* Who was picked, where that is all the answer says; n: it says more. */
static uint32_t picked_of(const double *p, uint32_t n)
{
	uint32_t picked = n;

	for (uint32_t i = 0; i < n; i++) {
		if (p[i] == 1 && picked == n)
			picked = i;
		else if (p[i] != 0)
			return n;
	}
	return picked;
}

/* ln P(picked | i is right), up to a constant. */
static double pick_says(const double *cost, uint32_t n, uint32_t picked, uint32_t i,
			double right)
{
	double sum = 0;

	for (uint32_t k = 0; k < n; k++)
		sum += exp((k == i ? right : 0) - cost[k]);
	return (i == picked ? right : 0) - log(sum);
}

/* ln of what p would be without costs. */
static double share_says(const double *p, const double *cost, uint32_t n, uint32_t i)
{
	double sum = 0;

	for (uint32_t k = 0; k < n; k++)
		sum += p[k] * exp(cost[k]);
	return sum > 0 && p[i] > 0 ? log(p[i]) + cost[i] - log(sum) : -INFINITY;
}

void posterior_add_placed(double *belief, const uint32_t *group, const double *p,
			  const double *cost, uint32_t n, double weight, double floor)
{
	uint32_t picked = picked_of(p, n);

	for (uint32_t i = 0; i < n; i++) {
		double said = picked < n ? pick_says(cost, n, picked, i, -floor)
					 : fmax(share_says(p, cost, n, i), floor);

		belief[group[i]] = round20(belief[group[i]] + weight * said);
	}
}
