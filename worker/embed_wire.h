/* embed_wire.h - what an embeddings endpoint is asked, and what it answers
 *
 * POST /v1/embeddings with a list of texts and encoding_format "float", said aloud:
 * servers that ignore the format send the other one, so both are read. The answer's
 * items go by their index, not by their order; vectors are brought to length 1 here.
 *
 * Errors:  ERR_PROTO: not such an answer, perhaps the next is (indexes missing, doubled
 *          or out of range; fewer vectors than texts). ERR_REFUSED: it would always be
 *          so, with the model and the index: vectors of several lengths or of another
 *          than asked for, a vector for each token, not a number, all zeros.
 * Source:  OpenAI's openapi.yaml; what vLLM, llama.cpp, Ollama and gateways send.
 */
#ifndef EMBED_WIRE_H
#define EMBED_WIRE_H

#include "proto/embed_out.h"
#include "worker/chat.h"

struct embed_ask {
	const struct view *text;
	uint32_t n;   /* at most EMBED_TEXTS */
	uint32_t dim; /* asked for; 0: the model's own */
};

void embed_body(struct buf *b, const char *model, const struct embed_ask *ask);

/* The floats are in the arena. */
int embed_read(const char *model, const struct embed_ask *ask, struct view body,
	       struct arena *a, struct embed_out *ret, struct err *e);

/* For chat_ask.form, with of_form a struct embed_ask: the output has no answer, its
 * reply is to be read with embed_read(). */
extern const struct chat_form embed_form;

#endif
