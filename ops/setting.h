/* setting.h - a sweep's parts that are no files, and all of it as run.json tells it
 *
 * Secrets (keys, credentials in a URL, values of headers) are in no text made here.
 */
#ifndef SETTING_H
#define SETTING_H

#include "common/base/err.h"
#include "ops/options.h"
#include "proto/sweep.h"

/* $XDG_CACHE_HOME/mapfleet, ~/.cache/mapfleet, or, where they cannot be written, a
 * folder of this user in /tmp; made. NULL: it cannot be. */
const char *setting_cache(struct arena *a);
uint32_t setting_cores(void);

/* The world that queries run in: env and its hash. */
int setting_env(struct options *o, struct sweep *s, struct err *e);

/* Limits, times, workers, connections, previews. */
int setting_numbers(struct options *o, struct sweep *s, struct err *e);

/* --evidence-weights, else those that come with the program. */
int setting_weights(struct options *o, struct sweep *s, struct err *e);

/* The embedder, if there is one. */
int setting_embed(struct options *o, struct sweep *s, struct err *e);

int setting_model(struct options *o, struct sweep *s, struct err *e);

/* The reward role. Its kind stays 0 where it is to be found out: reward_settle(). */
int setting_reward(struct options *o, struct sweep *s, struct err *e);

/* A template's text: of the file that the flag names, or the default. */
int setting_template(struct options *o, struct sweep *s, enum flag f, const char *name,
		     struct view *ret, struct hash *ret_hash, struct err *e);

/* URLs, headers and key of a role can be used. */
struct role_flags {
	enum flag url, header, key_env;
};

int setting_check_role(const struct role_flags *f, struct options *o, const char *urls,
		       struct err *e);

/* --cost-limit with the model's price. Nothing may be spent that cannot be priced. */
int setting_cost_limit(struct options *o, struct sweep *s, struct err *e);

/* JSON text of every setting as resolved, in the arena; NULL when memory is out. */
const char *setting_config(struct options *o, struct sweep *s);

/* `value` of `f` as it may be shown, into the arena. */
const char *setting_shown(struct arena *a, enum flag f, const char *value);

/* user:pass and ?key=x of a URL become *** each; commas part URLs. */
const char *setting_mask_urls(struct arena *a, const char *urls);

#endif
