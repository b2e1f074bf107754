/* setting.h - the model's part of a sweep, and the whole of it as run.json tells it
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
const char *setting_engine(void); /* env's engine: SQLite and how we set it up */
uint32_t setting_cores(void);

int setting_model(struct options *o, struct sweep *s, struct err *e);

/* JSON text of every setting as resolved, in the arena; NULL when memory is out. */
const char *setting_config(struct options *o, struct sweep *s);

/* `value` of `f` as it may be shown, into the arena. */
const char *setting_shown(struct arena *a, enum flag f, const char *value);

/* user:pass and ?key=x of a URL become *** each; commas part URLs. */
const char *setting_mask_urls(struct arena *a, const char *urls);

#endif
