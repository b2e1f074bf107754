/* reward_probe.h - which kind of reward model does a server serve?
 *
 * Asks it once for each kind of proto/reward.h, in their order, about two texts, with
 * the words that a task would use. The first kind that gives scores is it. A head with
 * one label that says 1.0 of both is a softmax, and no good.
 *
 * Errors:  ERR_NET, ERR_TIMEOUT: nobody answers; ERR_REFUSED: none of the kinds, or the
 *          softmax; the text says how to mend it.
 * Threads: the caller's; runs a loop of its own and waits for the answers.
 */
#ifndef REWARD_PROBE_H
#define REWARD_PROBE_H

#include "proto/reward.h"

struct reward_server {
	const char *url; /* the first of a list is asked */
	const char *model, *key_env;
	const char *headers; /* lines "Name: value", or NULL */
	int32_t label;
	enum reward_kind only; /* REWARD_NONE: all of them */
};

/* What one kind said; err.code 0: it serves. `text`: of what, for people. */
typedef void reward_tell_fn(void *arg, enum reward_kind k, const struct err *err,
			    const char *text);

/* `tell` may be NULL. With it all kinds are asked, else until one serves. */
int reward_detect(const struct reward_server *s, reward_tell_fn *tell, void *arg,
		  enum reward_kind *ret, struct err *e);

#endif
