/* softmax.c - see softmax.h */
#include "common/base/softmax.h"

#include <math.h>

static double largest(const double *score, size_t n)
{
	double most = score[0];

	for (size_t i = 1; i < n; i++)
		most = fmax(most, score[i]);
	return most;
}

void softmax(const double *score, size_t n, double *ret)
{
	double most = largest(score, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ret[i] = exp(score[i] - most);
	for (size_t i = 0; i < n; i++)
		ret[i] /= sum;
}

double softmax_at(const double *score, size_t n, size_t i)
{
	double most = largest(score, n), sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += exp(score[k] - most);
	return exp(score[i] - most) / sum;
}
