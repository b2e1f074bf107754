/* chat_body.h - the JSON that asks for a chat completion
 *
 * Written field by field in one order, so that equal asks are equal bytes and share a
 * prefix in the server's cache. Text that is not UTF-8 (databases hold such) goes out
 * with U+FFFD in place of what is wrong, since servers refuse the whole request else.
 *
 * Errors: those of the buf, sticky.
 */
#ifndef CHAT_BODY_H
#define CHAT_BODY_H

#include "common/base/buf.h"
#include "worker/chat.h"

/* A JSON string with its quotes. */
void chat_body_text(struct buf *b, struct view v);

/* `max_tokens` is what may be asked for now, at most the ask's own; 0: not sent. */
void chat_body(struct buf *b, const struct chat_ask *ask,
	       const struct endpoint_facts *facts, uint32_t max_tokens);

#endif
