/* orders.h - the orders in which a method shows candidates, but for those of permute.h
 *
 * Shapes:  candidates as in aggregate.h.
 * Memory:  the plan's arena; NULL when it is out.
 */
#ifndef ORDERS_H
#define ORDERS_H

#include "broker/aggregate.h"
#include "common/select/ranking.h"

/* At most so many are shown for one pick: as many as there are letters. */
enum { ORDERS_PICK = RANKING_LETTERS_MAX };

/* All that did not fail: the larger group first, then the smaller H. */
uint32_t *orders_majority(const struct plan *p, const struct aggregate *g);

/* `count` orders of these n, each drawn at random, whatever stood before. `what` is
 * whose they are. */
uint32_t *orders_random(const struct plan *p, const char *what, const uint32_t *cand,
			uint32_t n, uint32_t count);

/* min(n, ORDERS_PICK); the choice notes it where those are fewer. */
uint32_t orders_shown(const struct plan *p, struct choice *c, uint32_t n);

#endif
