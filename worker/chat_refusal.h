/* chat_refusal.h - what a model server means when it says no
 *
 * One error has a dozen wordings: this file knows them, and sorts each response that is
 * no answer into what there is to do about it.
 *
 * Memory: a struct refusal is a value; its text is not yet masked.
 * Source: public reports, E08 to E19 in the names of tests, and the servers named
 * there.
 */
#ifndef CHAT_REFUSAL_H
#define CHAT_REFUSAL_H

#include "common/base/view.h"
#include "common/io/http.h"

#include <stdint.h>

enum refusal_kind {
	REFUSAL_PASSES,   /* try again later */
	REFUSAL_FINAL,    /* never: key, model, request */
	REFUSAL_QUOTA,    /* not before somebody pays */
	REFUSAL_TOO_LONG, /* the prompt does not fit */
	REFUSAL_PARAMETER /* one parameter is not liked: see `parameter` */
};

enum refusal_parameter {
	PARAMETER_NONE,
	PARAMETER_MAX_TOKENS,            /* this name of it */
	PARAMETER_MAX_COMPLETION_TOKENS, /* or this one */
	PARAMETER_TOO_MANY_TOKENS,       /* its value: see the two sizes */
	PARAMETER_STREAM,                /* must be true */
	PARAMETER_STREAM_OPTIONS,
	PARAMETER_TEMPERATURE,
	PARAMETER_TOP_P,
	PARAMETER_SEED,
	PARAMETER_LOGPROBS,
	PARAMETER_TOO_MANY_LOGPROBS, /* see logprobs */
	PARAMETER_TEMPLATE_KWARGS
};

struct refusal {
	enum refusal_kind kind;
	enum refusal_parameter parameter;
	uint64_t prompt_tokens;     /* 0: not told, as all three */
	uint64_t context_tokens;    /* the model's context */
	uint64_t completion_tokens; /* most that may be asked for */
	uint32_t logprobs;          /* most alternatives that may be asked for */
	char name[24];              /* "http_502", "bad_body", "http_200_error" */
	char text[200];             /* for people, one line, tags stripped */
};

/* `body` is the body, or the JSON of an error object found under a 200. `max_tokens` is
 * what was asked for: a context overflow by that alone is PARAMETER_TOO_MANY_TOKENS. */
void refusal_read(int status, struct view body, uint32_t max_tokens,
		  struct refusal *ret);

/* How long the response asks to wait, in ms; 0: it does not say. now_s is wall time,
 * used for dates where the server does not tell its own. */
uint64_t refusal_wait_ms(const struct view header[HTTP_HEADERS], struct view body,
			 int64_t now_s);

#endif
