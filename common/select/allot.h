/* allot.h - who may ask next, when the asks of a whole benchmark are counted
 *
 * Every question has a claim: how sure it is after the asks it has made. Asks are given
 * out in rounds: in each the least sure of those that would ask on may ask once more,
 * one of ALLOT_SHARE of them, so that what an answer changed is seen before the next is
 * spent, and a round is still wide enough for many to be asked at once. What a round
 * gives depends on what is believed alone; `left` only cuts it short. So what is asked
 * with few asks is asked with more, too.
 *
 * Where there is enough for all that could still be wanted, all is given at once: the
 * rounds would end there as well.
 *
 * Units:   sure: 0 to 1, rounded (common/base/round.h). asked, may, most: asks.
 * Memory:  the caller's.
 */
#ifndef ALLOT_H
#define ALLOT_H

#include <stdint.h>

enum { ALLOT_SHARE = 4 };

struct claim {
	double sure;
	uint32_t asked; /* of the `may` */
	uint32_t may;   /* given until now */
	uint32_t most;
	uint8_t unsure; /* it would ask on */
	uint8_t raised; /* by the last round */
};

/* One round: raises `may` of some claims, and says of how many; 0: nobody wants any
 * more, or `budget` is spent. Of equally sure ones the first in the list. `order` has
 * room for n. */
uint32_t allot_round(struct claim *claim, uint32_t n, uint64_t budget,
		     struct claim **order);

#endif
