/* tournament.h - groups in pools, of which some go on to the next round
 *
 * Who stands is dealt in turn over ceil(n / size) pools (the x-th to pool x mod that),
 * so that each pool holds some of the largest groups; a pool of one goes on unasked. A
 * point for each round in which a group went on. Of a pool whose answer could not be
 * read the largest groups go on, without a point.
 *
 * Memory:  the plan's arena.
 */
#ifndef TOURNAMENT_H
#define TOURNAMENT_H

#include "broker/method/contest.h"
#include "common/base/rng.h"

enum tournament_keeps {
	KEEPS_ONE,
	KEEPS_HALF, /* rounded down, but one at least */
};

struct tournament {
	struct contest *t;
	const uint32_t *face; /* by group */
	uint32_t size;        /* of a pool, 2 at least */
	enum tournament_keeps keeps;
	uint32_t pass;   /* the judge's */
	struct rng *rng; /* each pool is shuffled before it is shown; NULL: it is not */
	/* what came of it */
	double *points; /* by group */
	uint32_t asked, read;
};

/* All rounds, or up to the first of which something is not there. */
enum ask_state tournament_run(struct tournament *r);

/* Asks over n groups. */
uint64_t tournament_asks(uint32_t n, uint32_t size, enum tournament_keeps keeps);

#endif
