/* fitplaces.h - what places cost a judge, from finished runs: rows lean.placeN
 *
 * results.json tells each run's costs (slots.h). Those of one judge are averaged, each
 * by its certainty, and drawn towards 0 by cost * (1 - se^2 / cost^2), not beyond it,
 * where se is that of the surest run: runs that share their asks are not surer
 * together, and noise is no preference. Labels do not come into it.
 *
 * Several judges have no costs in common: then there are no rows.
 *
 * Memory: names and rows are in the arena.
 */
#ifndef FITPLACES_H
#define FITPLACES_H

#include "common/base/arena.h"
#include "common/select/plackett.h"
#include "proto/weights.h"

#include <jansson.h>

struct fitplaces {
	const char *judge; /* NULL: no run told costs */
	const char *other; /* another one was met; NULL: none */
	uint32_t runs;
	double weight[PLACKETT_SLOTS], sum[PLACKETT_SLOTS], se[PLACKETT_SLOTS];
};

/* A run as results.json has it; one that tells nothing is passed over. ERR_NOMEM. */
int fitplaces_add(struct fitplaces *p, json_t *run, struct arena *a);

/* The last place with a cost; 0: there are no rows to be had. */
uint32_t fitplaces_last(const struct fitplaces *p);
double fitplaces_cost(const struct fitplaces *p, uint32_t place); /* from 1 */

/* Takes the place of all rows lean.placeN; without any to be had they stay. ERR_NOMEM;
 * ERR_VALUE: more rows than a file may have. */
int fitplaces_put(const struct fitplaces *p, struct arena *a, struct weights *w,
		  struct err *e);

#endif
