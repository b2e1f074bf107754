/* sample.c - see sample.h */
#include "results/sample.h"

const struct choice_group *sample_majority(const struct sample *x)
{
	const struct choice_group *best = NULL;

	if (!x->choice)
		return NULL;
	for (uint32_t i = 0; i < x->choice->ngroup; i++) {
		const struct choice_group *g = &x->choice->group[i];

		if (g->size && (!best || (best->failed && !g->failed) ||
				(best->failed == g->failed && g->size > best->size)))
			best = g;
	}
	return best;
}

const struct choice_group *sample_group(const struct sample *x)
{
	if (!sample_chosen(x))
		return NULL;
	for (uint32_t i = 0; i < x->choice->ngroup; i++)
		for (uint32_t k = 0; k < x->choice->group[i].size; k++)
			if (x->choice->group[i].member[k] == x->choice->chosen)
				return &x->choice->group[i];
	return NULL;
}
