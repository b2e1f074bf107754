/* reward_detect.h - the reward role's flags, and its kind where nobody said it */
#ifndef REWARD_DETECT_H
#define REWARD_DETECT_H

#include "ops/options.h"
#include "proto/sweep.h"
#include "worker/reward_probe.h"

/* Finds out the kind of the sweep's reward role, where nobody said it: from run.json in
 * `dir`, if that is of the same model of the same server, else from the server. */
int reward_settle(struct options *o, struct sweep *s, const char *dir, struct err *e);

/* In setting_reward.c: the flag's kind, 0 if not said; and all that hangs on it. */
int setting_reward_kind(struct options *o, enum reward_kind *ret, struct err *e);
int setting_reward_settled(struct options *o, struct sweep *s, enum reward_kind kind,
			   struct err *e);

/* The server that the flags name. */
struct reward_server reward_server_of(struct options *o);

#endif
