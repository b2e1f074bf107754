/* embed.h - the vectors of texts, as a planner wants them from the sweep's endpoint
 *
 * Memory:  the plan's arena. Texts must stay while the fleet runs.
 */
#ifndef BROKER_EMBED_H
#define BROKER_EMBED_H

#include "proto/embed_out.h"
#include "proto/plan.h"

/* The fact of one task over n texts (at most EMBED_TEXTS), and its key. */
struct fact embed_need(struct plan *p, const struct view *text, uint32_t n,
		       struct hash *ret_key);

#endif
