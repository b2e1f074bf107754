/* reward_wire.h - what servers of reward models are asked, and what they answer
 *
 * One adapter for each kind of proto/reward.h that does not chat. All of them are asked
 * for raw numbers (use_activation false) where they know the word, and read so that it
 * does not matter whether they do:
 *
 *   classify  data[].probs[]: one number is the score; of several the probability of
 *             one class is, softmaxed here if they do not add up to 1
 *   pooling   data[].data: a number, [x], or rows (of tokens, of steps), of which the
 *             last counts; of several numbers as for classify
 *   score     data[].score
 *   rerank    results[] or a bare list, sorted by whatever: {index, relevance_score}
 *
 * Answers are matched by index; one that is missing, doubled or out of range is an
 * error. Also read is SGLang's native list [{"embedding": [x]}].
 *
 * Errors:  ERR_PROTO: not such an answer, perhaps the next is; ERR_REFUSED: it would
 *          always be so, and the text says how to mend it.
 * Source:  documentation of vLLM 0.7 to 0.18, SGLang, llama.cpp; public reports.
 */
#ifndef REWARD_WIRE_H
#define REWARD_WIRE_H

#include "proto/reward.h"
#include "worker/chat.h"

enum { REWARD_TEXTS = 64, REWARD_CLASSES = 8 };

struct reward_ask {
	enum reward_kind kind;
	int32_t label;
	int talks; /* classify, pooling: system, query and text[0] are messages */
	struct view system, query; /* query: the user's message; what pairs are about */
	const struct view
		*text; /* inputs; documents; the assistant's message, if any */
	uint32_t n;    /* of text, at most REWARD_TEXTS */
};

/* The path of an endpoint for it. */
const char *reward_path(enum reward_kind k);
int reward_path_at_root(enum reward_kind k); /* beside /v1 */

void reward_body(struct buf *b, const char *model, const struct reward_ask *ask,
		 const struct endpoint_facts *facts);

/* A score for each text (of talks: one). *ret_classes: how many numbers each was of. */
int reward_scores(const struct reward_ask *ask, struct view body, double *ret,
		  uint32_t *ret_classes, struct err *e);

/* For chat_ask.form, with of_form a struct reward_ask: the output has no answer, its
 * reply is to be read with reward_scores(). */
extern const struct chat_form reward_form;

/* What to say of a head with one label whose answer is 1.0, whatever the text. */
extern const char reward_one_label[];

#endif
