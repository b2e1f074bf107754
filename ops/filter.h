/* filter.h - which questions of a file are asked: --sample-id, --filter, --limit
 *
 * Memory: what it points to is the options'.
 * Errors: ERR_USAGE.
 */
#ifndef FILTER_H
#define FILTER_H

#include "ops/items.h"
#include "ops/options.h"

struct filter {
	const char **id, **db;
	size_t nid, ndb;
	uint64_t from, to; /* counted from 1 among those that the others left */
	uint64_t seen;     /* of those, so far */
};

int filter_parse(struct options *o, struct filter *ret, struct err *e);

/* Every --sample-id and --filter must meet something: a typing error is no empty run.
 */
int filter_meets(const struct filter *f, const struct items *l, struct err *e);

/* Asked of the items one after the other: 1 for those that are left. */
int filter_takes(struct filter *f, const struct item *i);

#endif
