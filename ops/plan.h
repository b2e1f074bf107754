/* plan.h - what a run would do and cost, before it does anything
 *
 * Upper bounds: groups are not known before queries ran, and one group costs no ask.
 */
#ifndef OPS_PLAN_H
#define OPS_PLAN_H

#include "common/base/err.h"
#include "ops/options.h"
#include "ops/sweepmake.h"

#include <stdio.h>

struct price_of {
	double prompt, completion; /* per million tokens */
	int known;
};

int plan_price(const char *file, struct view model, struct price_of *ret,
	       struct err *e);

/* The plan as text, or as one JSON document. */
int plan_print(FILE *to, struct options *o, const struct job *j, int json,
	       struct err *e);

#endif
