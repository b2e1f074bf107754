/* posterior.h - what is believed of a question's groups, and what an answer adds
 *
 * A belief is a log-odds a group, up to a constant: evidence begins it, each answer of
 * a judge is added to it, weighted. An answer is a probability for each of those shown,
 * or 1 for the one picked and 0 for the others; one rule reads both:
 *
 *     belief += weight * max(ln p, floor)
 *
 * so a bare pick moves the picked one up by -weight * floor against the others, and no
 * answer, however sure of itself, moves more than that: a judge is one more vote and
 * not the last word.
 *
 * A judge may prefer places (plackett.h): standing in place i costs cost[i] logits.
 * Then a probability counts as it would be without, p * exp(cost) of all; and a pick by
 * how likely it was if this one, or that one, is right, with -floor as what being right
 * adds: to be picked first of all says less, not to be picked from the back hardly
 * anything.
 *
 * Units:  beliefs are rounded to 2^-20 (round.h), so are probabilities.
 * Source: the product of experts, with one weight for all answers.
 */
#ifndef POSTERIOR_H
#define POSTERIOR_H

#include <stdint.h>

/* softmax over n >= 1 beliefs. */
void posterior_shares(const double *belief, uint32_t n, double *ret);

/* The groups from the most believed to the least; of equals the smaller number first.
 */
void posterior_order(const double *belief, uint32_t n, uint32_t *ret);

/* `p` of the n shown, `group` which they are. */
void posterior_add(double *belief, const uint32_t *group, const double *p, uint32_t n,
		   double weight, double floor);

/* The same where places have costs, cost[n]. Where all are equal it is
 * posterior_add(), but for rounding and a constant. */
void posterior_add_placed(double *belief, const uint32_t *group, const double *p,
			  const double *cost, uint32_t n, double weight, double floor);

#endif
