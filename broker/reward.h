/* reward.h - what the reward model says of a candidate
 *
 * Whoever the judge is: the reward role stands beside it, and breaks ties where it is
 * given. A score is one ask; scores of one sweep compare with each other.
 */
#ifndef BROKER_REWARD_H
#define BROKER_REWARD_H

#include "broker/judge.h"

/* Higher is better. ASK_VOID: noted in the choice. */
enum ask_state reward_score(struct judge *j, uint32_t cand, double *ret);

#endif
