/* chance.c - see chance.h */
#include "proto/chance.h"

#include "common/base/round.h"
#include "common/base/softmax.h"

#include <assert.h>
#include <math.h>

static double logit(double p)
{
	p = fmin(fmax(p, CHANCE_CLIP), 1 - CHANCE_CLIP);
	return log(p / (1 - p));
}

void chance_inputs(const struct chance_of *c, double ret[CHANCES])
{
	uint32_t first = 0, second = 0;

	assert(c->n >= 1 && c->chosen < c->n && c->asked >= 1);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->votes[i] > first) {
			second = first;
			first = c->votes[i];
		} else if (c->votes[i] > second) {
			second = c->votes[i];
		}
	ret[CHANCE_constant] = 1;
	ret[CHANCE_logit] = c->n > 1 ? logit(softmax_at(c->score, c->n, c->chosen)) : 0;
	ret[CHANCE_share] = (double)c->votes[c->chosen] / c->asked;
	ret[CHANCE_margin] = (double)(first - second) / c->asked;
	ret[CHANCE_single] = c->n == 1;
}

double chance_right(const double coefficient[CHANCES], const double input[CHANCES])
{
	double sum = 0;

	for (int i = 0; i < CHANCES; i++)
		sum += coefficient[i] * input[i];
	return round20(1 / (1 + exp(-sum)));
}
