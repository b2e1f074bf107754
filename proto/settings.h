/* settings.h - what a worker learns in WELCOME
 *
 * Effort and addresses: nothing here changes an answer, so nothing here is in a key.
 * API keys are not here either: a worker reads them from its own environment.
 *
 * Memory: after settings_decode() the views point into the bytes.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "common/base/buf.h"

#include <stdint.h>

struct settings_role {
	struct view base_urls; /* comma list; empty: there is none */
	struct view api_key_env, headers;
};

struct settings {
	uint64_t sql_timeout_ms; /* wall clock behind the step budget */
	struct settings_role llm, reward, embed;
	uint32_t max_connections, max_retries;
	uint64_t timeout_ms; /* of one ask, all its attempts */
};

void settings_encode(const struct settings *s, struct buf *ret);
int settings_decode(struct view bytes, struct settings *ret); /* 1, or 0 */

#endif
