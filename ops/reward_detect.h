/* reward_detect.h - which kind of reward model does a server serve?
 *
 * Asks it once for each kind of proto/reward.h, in their order, about two texts, with
 * the words that a task would use. The first kind that gives scores is it. A head with
 * one label that says 1.0 of both is a softmax, and no good.
 *
 * Errors: ERR_NET: nobody answers; ERR_REFUSED: none of the kinds, or the softmax; the
 *         text says how to mend it.
 */
#ifndef REWARD_DETECT_H
#define REWARD_DETECT_H

#include "ops/options.h"
#include "proto/reward.h"
#include "proto/sweep.h"

struct reward_server {
	const char *url; /* the first of a list is asked */
	const char *model, *key_env;
	const char *const *headers;
	int32_t label;
	enum reward_kind only; /* REWARD_NONE: all of them */
};

/* What one kind said; err.code 0: it serves. `text`: of what, for people. */
typedef void reward_tell_fn(void *arg, enum reward_kind k, const struct err *err,
			    const char *text);

/* `tell` may be NULL. With it all kinds are asked, else until one serves. */
int reward_detect(const struct reward_server *s, reward_tell_fn *tell, void *arg,
		  enum reward_kind *ret, struct err *e);

/* Finds out the kind of the sweep's reward role, where nobody said it. */
int reward_settle(struct options *o, struct sweep *s, struct err *e);

/* In setting_reward.c: the flag's kind, 0 if not said; and all that hangs on it. */
int setting_reward_kind(struct options *o, enum reward_kind *ret, struct err *e);
int setting_reward_settled(struct options *o, struct sweep *s, enum reward_kind kind,
			   struct err *e);

/* The server that the flags name. */
struct reward_server reward_server_of(struct options *o);

#endif
