/* ranks.c - see ranks.h */
#include "common/select/ranks.h"

#include "common/base/round.h"

/* Quadratic: n is a window or a pool, and a scratch array would cost more thought. */
void ranks_ascending(const double *key, uint32_t n, double *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t below = 0, equal = 0;

		for (uint32_t j = 0; j < n; j++) {
			below += key[j] < key[i];
			equal += key[j] == key[i];
		}
		ret[i] = below + (equal + 1) / 2.0;
	}
}

void ranks_of_scores(const double *score, uint32_t n, double *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t above = 0, equal = 0;

		for (uint32_t j = 0; j < n; j++) {
			above += round20(score[j]) > round20(score[i]);
			equal += round20(score[j]) == round20(score[i]);
		}
		ret[i] = above + (equal + 1) / 2.0;
	}
}

void ranks_best(const double *score, uint32_t n, uint32_t want, double *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = 0;

		for (uint32_t j = 0; j < n; j++)
			before += round20(score[j]) > round20(score[i]) ||
				  (j < i && round20(score[j]) == round20(score[i]));
		ret[i] = before < want;
	}
}
