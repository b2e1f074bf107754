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
