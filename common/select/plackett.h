/* plackett.h - how strong each group is, and what a place costs, from rankings of few
 *
 * The model of Plackett and Luce: a ranking is made from the front, and who comes next
 * is drawn among those left with chances exp(utility), where
 *
 *     utility = strength of the item - cost of the place it was shown in
 *
 * With two items it is Bradley and Terry's. Strengths belong to a question and have a
 * normal prior, `mean` and `sd`; the cost of a place is shared by all questions, and
 * that of the first place is 0. Both log-posteriors are concave: Newton's method with
 * Cholesky finds their tops.
 *
 * Shapes:     item[i] is what stood in place i (several places may show members of one
 *             item); `order` are places, best first; place[k] of them share the k-th
 *             rank. Tied ones count each against all that are not before them; those
 *             that tie last were not told apart, and say nothing of each other. A bare
 *             pick is places 1 and n - 1.
 *             Matrices are items x items by rows.
 * Invariants: the same input gives the same bits on one machine: sums go in the order
 *             given. What is returned is rounded to 2^-20 (round.h).
 * Units:      logits. `eta` in (0, 1] tempers the likelihood: the items of a ranking
 *             are no independent evidence, and 1 is too sure of itself.
 * Errors:     ERR_VALUE: nothing to learn from; ERR_NOMEM; ERR_RANGE: no end found.
 * Source:     Plackett, "The Analysis of Permutations" (1975); Luce, "Individual Choice
 *             Behavior" (1959); ties as Breslow (1974) counts them; who to ask next as
 *             AcuRank, arXiv:2505.18512.
 */
#ifndef PLACKETT_H
#define PLACKETT_H

#include "common/base/err.h"
#include "common/base/rng.h"

#include <stdint.h>

enum {
	PLACKETT_STEPS_MAX = 100,
	PLACKETT_SAMPLES = 2000,
	PLACKETT_SLOTS = 26, /* places with a cost of their own; more share the last */
};

#define PLACKETT_SD 1.0      /* of a strength */
#define PLACKETT_COST_SD 2.0 /* of a place's cost: holds one that nobody saw at 0 */
#define PLACKETT_OPEN 0.02   /* P(top) beyond which a group is still in question */

struct plackett_ask { /* one ranking */
	const uint32_t *item;
	const uint32_t *order;
	const uint32_t *place;
	uint32_t n, places;
};

struct plackett { /* one question */
	const struct plackett_ask *ask;
	uint32_t asks, items;
	const double *mean; /* [items] */
};

struct plackett_how {
	double sd, eta;
	const double *cost; /* [PLACKETT_SLOTS]; NULL: 0 */
};

/* beta0 * ln(size share): the vote as prior mean. */
void plackett_prior(const uint32_t *size, uint32_t items, double beta0, double *ret);

/* The log-posterior of strengths, up to a constant, and its gradient (NULL: not
 * wanted). NAN: memory is out. */
double plackett_value(const struct plackett_how *how, const struct plackett *q,
		      const double *strength, double *ret_gradient);

/* The most likely strengths, and Laplace's covariance: the inverse of the curvature
 * there. ret_steps (NULL: not wanted) counts Newton's steps. */
int plackett_fit(const struct plackett_how *how, const struct plackett *q,
		 double *ret_strength, double *ret_cov, uint32_t *ret_steps,
		 struct err *e);

/* By `samples` draws from a normal: top[i] is P(i is the strongest), above[i * n + j]
 * P(i above j), rank[i * n + r] P(i has rank r, from 0). Each may be NULL. */
int plackett_chances(const double *strength, const double *cov, uint32_t n,
		     uint32_t samples, struct rng *rng, double *ret_top,
		     double *ret_above, double *ret_rank, struct err *e);

/* The cautious extreme: of each pass only who came first counts, one more of a
 * Dirichlet that begins with 1 + weight * share. won[i] are passes. */
int plackett_top_only(const uint32_t *won, const uint32_t *size, uint32_t n,
		      double weight, uint32_t samples, struct rng *rng, double *ret_top,
		      struct err *e);

/* Whom the next ask should show: those with P(top) in (PLACKETT_OPEN, 1 -
 * PLACKETT_OPEN); returns how many. None: there is nothing to ask. */
uint32_t plackett_open(const double *top, uint32_t n, uint32_t *ret);

struct plackett_slot {
	double cost, se; /* in logits; of the first place 0 and 0 */
	uint64_t seen;   /* asks that showed something there */
};

/* What each place costs, from the rankings of all questions, without labels; `how`'s
 * own costs are not looked at. It can be told from strength only where the same items
 * were shown in several orders: `se` says how well. */
int plackett_slots(const struct plackett_how *how, const struct plackett *q, uint32_t n,
		   struct plackett_slot ret[PLACKETT_SLOTS], struct err *e);

#endif
