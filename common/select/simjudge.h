/* simjudge.h - a judge whose accuracy is known, for tests and power studies
 *
 * u = logit(accuracy) * right - bias * place + gumbel(sqrt(shared) * z(question,
 * candidate) + sqrt(1 - shared) * z(ask, candidate)), where gumbel(z) = -ln(-ln Phi(z))
 * and z are standard normals of the counter generator; the highest u comes first. So
 * alone, unbiased and between two, the right one wins with probability `accuracy`;
 * `shared` is the part of the error that all asks about a question repeat; `bias` is
 * what one place further back costs, in logits.
 *
 * It reads labels: whatever it touches says so (`uses_gold`).
 *
 * Units:  accuracy in (0, 1), shared in [0, 1]. u is rounded to 2^-20 (round.h).
 * Errors: ERR_VALUE from simjudge_check(); the others assert.
 */
#ifndef SIMJUDGE_H
#define SIMJUDGE_H

#include "common/base/err.h"
#include "common/base/view.h"

#include <stdint.h>

struct simjudge {
	double accuracy, bias, shared;
	uint64_t seed;
};

struct sim_candidate {
	struct view name; /* whatever tells it from the others: its hash, or raw SQL */
	int right;
};

int simjudge_check(const struct simjudge *j, struct err *e);

/* The candidates of one ask, in the order shown. `question` is its id as JSON text,
 * `ask` whatever tells this ask from all others of the question (pass and window). */
void simjudge_scores(const struct simjudge *j, struct view question, struct view ask,
		     const struct sim_candidate *c, uint32_t n, double *ret);

#endif
