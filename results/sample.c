/* sample.c - see sample.h */
#include "results/sample.h"

#include "proto/chance.h"

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

int sample_run_tells(const struct sweep *s, const struct run *r)
{
	return s->weights.has_chance && r->reads_judge && r->judge == JUDGE_evidence;
}

/* The groups that vote stand first, in the order of the scores. */
double sample_probability(const struct sample *x, struct arena *a)
{
	const struct weights *w = &x->sweep->weights;
	const struct choice *c = x->choice;
	const struct choice_group *mine = sample_group(x);
	int bank = x->sweep->bank.path != NULL;
	struct chance_of of = { 0 };
	double input[CHANCES];
	uint32_t *votes;

	if (!sample_run_tells(x->sweep, x->run) || !mine || mine->failed || !c->g ||
	    (c->g > 1 && !c->evidence.features))
		return -1;
	votes = arena_alloc(a, c->ngroup, sizeof *votes);
	for (uint32_t i = 0; votes && i < c->ngroup; i++) {
		votes[i] = c->group[i].size;
		of.asked += votes[i];
	}
	of.votes = votes;
	of.n = c->g;
	of.chosen = (uint32_t)(mine - c->group);
	of.score = c->g > 1 ? c->evidence.score : NULL;
	if (!votes || of.chosen >= of.n)
		return -1;
	chance_inputs(&of, input);
	return chance_right(w->chance[bank], input);
}
