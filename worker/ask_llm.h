/* ask_llm.h - what all tasks that ask the llm role share: whom, and what comes back
 *
 * Memory: the attempt's arena.
 */
#ifndef ASK_LLM_H
#define ASK_LLM_H

#include "worker/attempt.h"
#include "worker/chat.h"

/* Name, sampling and tokens out of the blob of `h`: 1, or 0 where it is malformed. */
int ask_llm_read(struct attempt *a, const struct hash *h, struct chat_ask *ret);

/* A chat_done_fn of an attempt: the raw reply is its output. */
void ask_llm_answered(void *attempt, const struct chat_result *r);

#endif
