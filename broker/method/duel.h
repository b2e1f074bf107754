/* duel.h - two candidates before a judge, in one order or in both
 *
 * Two orders are two asks, and both are asked before either is waited for. In one
 * order the candidate of smaller H is shown first, whatever its group: so a judge's
 * liking for the first favours no group.
 */
#ifndef DUEL_H
#define DUEL_H

#include "broker/judge.h"

enum duel_orders { DUEL_BOTH, DUEL_ONE };

struct duel {
	uint32_t asked, read; /* judgements; those that could be read */
	double points; /* of a: 1 a win, 0.5 where neither won or none was read */
	double p;      /* sum over those read: how likely a is the better one */
};

/* ASK_DONE even if nothing could be read. */
enum ask_state duel(struct judge *j, uint32_t a, uint32_t b, enum duel_orders orders,
		    struct duel *ret);

#endif
