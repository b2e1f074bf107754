/* variant.h - a method as it is told to be, and the pools that all methods are given
 *
 * Memory:  a poolworld that was made is freed by whoever made it.
 */
#ifndef VARIANT_H
#define VARIANT_H

#include "tests/support/poolworld.h"

enum { VARIANT_WINDOW = 8, VARIANT_STEP = 4, VARIANT_PASSES = 5 };

struct variant {
	const char *method;
	double own[3];
};

struct pool { /* a partition of n - failed */
	uint32_t size[40], g, ranked, failed;
};

void pool_all_different(struct pool *p, uint32_t n);

/* With goodness that differs, and nothing alike. */
void variant_make(struct poolworld *w, const struct variant *v, const struct pool *p);

/* The class of what is chosen. */
int variant_chosen(struct poolworld *w, struct choice *c);

/* Methods, how many asks each makes of a pool, and what else must hold of a record. */
struct variants {
	const struct variant *v;
	size_t n;
	uint64_t (*asks)(const struct run *r, const struct pool *p);
	void (*look)(const struct variant *v, const struct choice *c); /* or NULL */
};

/* Every partition of 1 to 8 candidates, with 0 to 2 failed ones besides. */
void variants_cost_of_partitions(const struct variants *all);
/* 1 to 40 candidates without two alike: then the most is asked. */
void variants_cost_of_different(const struct variants *all);

/* What must be true of any method that asks: none of its asks can be read; it is told
 * that all are as good. */
void variant_where_nothing_can_be_read_majority_stands_in(const struct variant *v);
void variant_of_equals_the_larger_group_wins(const struct variant *v);

#endif
