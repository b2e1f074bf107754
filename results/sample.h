/* sample.h - all that is known of one question in one run
 *
 * results.c puts it together once; tally, samples.jsonl and the prediction files read
 * it.
 *
 * Memory: pointers are lent while the question is walked.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "proto/choice.h"
#include "proto/sweep.h"
#include "proto/verdict.h"
#include "results/gold.h"
#include "results/use.h"

struct sample {
	const struct sweep *sweep;
	const struct run *run;
	uint32_t r, q; /* indexes into the sweep's runs and questions */
	const struct question *question;
	const struct gold_item *gold;  /* NULL: none */
	const struct verdict *verdict; /* NULL: none */
	const struct choice *choice;   /* NULL: the command stopped before it */
	double probability;            /* that it is right; < 0: not told */
	struct use use;                /* of this question in this run */
};

/* The candidate chosen, or NULL. */
static inline const struct candidate *sample_chosen(const struct sample *x)
{
	return x->choice && x->choice->chosen >= 0 &&
			       x->choice->chosen < (int64_t)x->question->n
		       ? &x->question->cand[x->choice->chosen]
		       : NULL;
}

/* 1, 0; -1: there is no verdict. Nothing chosen is wrong. */
static inline int sample_right(const struct sample *x)
{
	if (!x->verdict)
		return -1;
	return sample_chosen(x) && x->choice->chosen < (int64_t)x->verdict->n &&
	       x->verdict->right[x->choice->chosen];
}

/* Is P(right) told of this run at all? */
int sample_run_tells(const struct sweep *s, const struct run *r);

/* P(right) of the choice by the sweep's weights, where the evidence judge was asked or
 * there is one group only; < 0: it cannot be told. */
double sample_probability(const struct sample *x, struct arena *a);

/* The group that majority takes of the same draw: the largest, and of equal ones the
 * first in the order every method begins with (larger, then smaller H). NULL: none. */
const struct choice_group *sample_majority(const struct sample *x);
const struct choice_group *sample_group(const struct sample *x); /* of the chosen one */

#endif
