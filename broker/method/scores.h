/* scores.h - every candidate's score, each seen alone
 *
 * One ask for each candidate that did not fail, all at once.
 */
#ifndef SCORES_H
#define SCORES_H

#include "broker/method/contest.h"

/* ret[c] for each candidate; -HUGE_VAL where nothing could be read, or it failed.
 * ret_read: how many there are. */
enum ask_state scores_of(struct contest *t, double *ret, uint32_t *ret_read);

#endif
