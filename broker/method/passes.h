/* passes.h - listwise passes: windows slide over orders, and the judge rewrites them
 *
 * A pass starts from an order of candidates; windows slide over it from the back to the
 * front, and what the judge says of each is written back in place. Passes are
 * independent; windows of a pass follow each other. Window and step are the run's.
 *
 * Invariants: passes that would ask the same are one: `count` counts distinct ones
 *             where the judge repeats itself.
 * Shapes:     candidates as in aggregate.h; they need not be all.
 * Memory:     the plan's arena.
 */
#ifndef PASSES_H
#define PASSES_H

#include "broker/judge.h"
#include "common/select/lineup.h"

struct passes {
	struct judge *judge;
	uint32_t n;          /* candidates in each order */
	uint32_t count;      /* distinct */
	uint32_t *order;     /* count x n; a pass rewrites its own */
	uint32_t *begun;     /* count x n: as they were */
	struct lineup *line; /* [count] */
	uint8_t *is_void;    /* [count] */
};

/* From `count` orders of n, which are used in place. 0: out of memory. */
int passes_make(struct judge *j, uint32_t *order, uint32_t count, uint32_t n,
		struct passes *ret);

/* Those from `from` up to before `to`: ASK_DONE, or ASK_WAITS while any waits. */
enum ask_state passes_run(struct passes *s, uint32_t from, uint32_t to);

/* The ranks of pass k, one for each candidate; 0, and none, where it is void. */
int passes_ranks(const struct passes *s, uint32_t k, double *ret);

/* The first `used` into the choice's record. */
void passes_show(const struct passes *s, uint32_t used, struct choice *c);

#endif
