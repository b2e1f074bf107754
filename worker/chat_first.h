/* chat_first.h - the alternatives of the answer's first token, out of a reply
 *
 * Fed with each choice of a reply, or of the events of a stream, in their order. What
 * is thought before </think> is no answer. A token of blanks, brackets and quotes alone
 * is passed over where another follows it.
 *
 * Read are OpenAI's logprobs.content[] (vLLM, llama.cpp, SGLang), the older form with
 * tokens[], token_logprobs[] and top_logprobs[] side by side, and llama.cpp's older
 * completion_probabilities[]. Absent, null and empty are no alternatives.
 *
 * Memory: tokens are copied into the arena.
 */
#ifndef CHAT_FIRST_H
#define CHAT_FIRST_H

#include "common/base/arena.h"
#include "proto/alternatives.h"

#include <jansson.h>

struct chat_first {
	struct alternatives alt;
	char tail[9]; /* of what was said so far, to see tags in it */
	size_t ntail;
	int thinks, found;
};

/* `root` is the reply or event that holds `choice`. */
void chat_first_take(struct chat_first *f, const json_t *root, const json_t *choice,
		     struct arena *a);

#endif
