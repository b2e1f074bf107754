/* chat_out.h - what one ask of a chat model gave: the output of a model task
 *
 * Kept for ever under the task's key. A prompt that was too long and an answer that is
 * empty are outputs too: asked again they would be the same, and what to do about them
 * (fewer memories, more tokens) is the planner's business.
 *
 * Memory: views are lent; after chat_out_decode() they point into the bytes decoded.
 */
#ifndef CHAT_OUT_H
#define CHAT_OUT_H

#include "proto/alternatives.h"
#include "proto/usage.h"

/* Numbers are on disk: never reused. */
enum chat_kind {
	CHAT_ANSWER = 1,
	CHAT_TOO_LONG = 2, /* the prompt does not fit the model's context */
	CHAT_EMPTY_AFTER_REASONING = 3, /* it thought and said nothing: more tokens */
	CHAT_EMPTY = 4                  /* no text at all, see finish */
};

struct chat_out {
	enum chat_kind kind;
	struct view answer; /* message.content as it came, with any <think> part */
	struct view finish; /* "stop", "length", "content_filter", ... */
	struct usage usage; /* of the useful call; zero for CHAT_TOO_LONG */
	uint64_t prompt_tokens,
		context_tokens; /* CHAT_TOO_LONG: as told, 0: not told */
	int truncated;     /* 1: the server seems to have cut the prompt silently */
	struct view model; /* as the reply names it */
	struct view note;  /* what is not as asked for: "no log-probabilities" */
	struct alternatives first; /* of the answer's first token; n 0: not told */
	struct view reply; /* the body of the HTTP response, JSON or an event stream */
};

const char *chat_kind_name(enum chat_kind kind); /* "answer", "too_long", ...; "?" */

void chat_out_encode(struct buf *b, const struct chat_out *out);
int chat_out_decode(struct view bytes, struct chat_out *ret, struct err *e);

#endif
