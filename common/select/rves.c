/* rves.c - see rves.h */
#include "common/select/rves.h"

#include <math.h>

double rves_ratio(const double *ratio, size_t n)
{
	double mean = 0, square = 0, sum = 0, sd;
	size_t kept = 0;

	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		mean += ratio[i];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		square += (ratio[i] - mean) * (ratio[i] - mean);
	sd = sqrt(square / (double)n);
	for (size_t i = 0; i < n; i++)
		if (ratio[i] < mean + 3 * sd && ratio[i] > mean - 3 * sd) {
			sum += ratio[i];
			kept++;
		}
	return kept ? sum / (double)kept : 0;
}

double rves_reward(double ratio)
{
	if (ratio == 0)
		return 0;
	return ratio >= 2     ? 1.25
	       : ratio >= 1   ? 1
	       : ratio >= .5  ? .75
	       : ratio >= .25 ? .5
			      : .25;
}

double rves_points(double ratio)
{
	return ratio < 0 ? 0 : 100 * sqrt(rves_reward(ratio));
}
