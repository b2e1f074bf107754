/* endpoint.h - one model server as this worker knows it
 *
 * Where it is (several URLs are replicas of the same model), how to show who we are,
 * what it taught us by refusing (which name it has for the token limit, that it must
 * stream, how long its context is), and how hard it may be pushed now.
 *
 * Secrets: the key is read from an environment variable that the settings name. It, URL
 * credentials, values in a URL's query and values of extra headers are known here as
 * secrets: endpoint_mask() takes them out of any text, and nothing that leaves the
 * worker (label, error, reply) is made without it.
 *
 * Invariants: (1) in_flight <= limit <= max_connections;
 *             (2) nothing is sent before hold_until_ms;
 *             (3) the limit is halved at most once per episode: answers to requests
 *                 sent before the last cut do not cut again.
 *
 * Units:      milliseconds on clock_ms().
 * Memory:     what settings point to is lent for endpoint_new() only.
 * Threads:    the loop's thread only.
 * Source:     what OpenAI, vLLM, llama.cpp, SGLang, LiteLLM, Azure and Ollama do.
 */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/base/view.h"

#include <stddef.h>
#include <stdint.h>

enum {
	ENDPOINT_URLS = 32,
	ENDPOINT_HEADERS = 16,
	ENDPOINT_SECRETS = 64,
	ENDPOINT_SECRET_MIN = 6
};

struct endpoint_settings {
	const char *base_urls; /* comma list: "http://a:8000/v1,http://b:8000/v1" */
	const char *path; /* NULL: /chat/completions; put behind a URL without it */
	const char *url_flag,
		*model_flag; /* for advice, static; NULL: --base-url ... */
	int path_at_root;    /* 1: it lies beside /v1, not in it */
	const char *key_env; /* NULL: OPENAI_API_KEY; an unset one sends no key */
	const char *const *headers; /* extra "Name: value", NULL ends; NULL: none */
	unsigned max_connections;   /* 0: 32 */
	unsigned max_retries;       /* after the first attempt; 0 is none */
	uint32_t timeout_ms;        /* of an ask with all its attempts; 0: 600,000 */
	uint32_t attempt_ms;        /* of one attempt; 0: what is left of timeout_ms */
	uint32_t backoff_ms;        /* first wait between attempts; 0: 500 */
};

/* What refusals taught; each is learnt once and kept. */
struct endpoint_facts {
	int completion_name;       /* 1: max_completion_tokens, 0: max_tokens */
	int completion_name_tried; /* both were: do not swap for ever */
	int stream;                /* wants to be asked to stream */
	int no_stream_options, no_temperature, no_top_p, no_seed, no_logprobs;
	int no_template_kwargs;
	uint32_t most_logprobs;     /* alternatives it gives, 0: not told */
	int old_pair_names;         /* of /score: text_1 and text_2 */
	uint64_t context_tokens;    /* of the model, 0: not told */
	uint64_t completion_tokens; /* most it may be asked for, 0: not told */
};

struct endpoint {
	struct endpoint_settings
		set;   /* numbers only: no string of a user in it is kept */
	char *key_env; /* its name, for advice */
	size_t urls;
	char *url[ENDPOINT_URLS];   /* with its path; secret: may hold credentials */
	char *label[ENDPOINT_URLS]; /* for people: no credentials, no query */
	char *header[ENDPOINT_HEADERS + 4]; /* whole lines, NULL ends; secret */
	char *secret[ENDPOINT_SECRETS];
	size_t secrets;
	struct endpoint_facts facts;
	uint64_t hold_until_ms, cut_ms;
	unsigned in_flight, limit, good; /* good: answers since the limit last moved */
	struct rng jitter;
};

/* ERR_VALUE for a URL or header that cannot be; the text never holds its secrets. */
int endpoint_new(const struct endpoint_settings *s, struct endpoint **ret,
		 struct err *e);
void endpoint_free(struct endpoint **ep);

int endpoint_may_send(const struct endpoint *ep, uint64_t now_ms);
void endpoint_sent(struct endpoint *ep);
void endpoint_answered(struct endpoint *ep, int good); /* one less in flight */

/* A 429 or 503 to a request sent at sent_ms: at least wait_ms, plus up to a quarter of
 * it, of silence towards this endpoint, and half the limit. wait_ms 0: only the limit.
 */
void endpoint_slow_down(struct endpoint *ep, uint64_t sent_ms, uint64_t now_ms,
			uint64_t wait_ms);

/* Exponential, 0.75 to 1.25 of backoff_ms * 2^(attempt-1), at most 30 s. */
uint64_t endpoint_backoff_ms(struct endpoint *ep, uint32_t attempt);

/* Takes every secret out of p[0..n), in place: each becomes "sk-***". Returns the new
 * length, never more; a NUL is put behind if it shrank. Secrets of fewer than
 * ENDPOINT_SECRET_MIN characters are no secrets: they would blot out common words. */
size_t endpoint_mask(const struct endpoint *ep, char *p, size_t n);

#endif
