/* mock_llm.h - a model server that says what it is told to say
 *
 * Serves POST .../chat/completions on 127.0.0.1 in threads of its own. The answer to a
 * prompt depends on the prompt alone: candidates ("Candidate [X]" at the start of a
 * line) are ranked by a hash of their SQL (the fenced part), so their order in the
 * prompt does not matter; one candidate, or none, gets a number from 0 to 100. Where
 * log-probabilities are asked for the answer is one token, the best label or Yes or No,
 * with alternatives. A prompt that wants a verdict gets one. With `reward` it is a
 * server of reward models besides: tests/support/mock_reward.h.
 * Who asks for a memory (memory.txt) gets one that holds the SQL, and things that are
 * not so; who asks for SQL from it (regenerate.txt) gets that SQL, whole up to 300
 * bytes.
 *
 * POST .../embeddings gives vectors of MOCK_DIM numbers, by the words of each text, in
 * the opposite order of their indexes.
 *
 * A script makes it misbehave: a comma list of steps, each `behaviour` or
 * `behaviour:argument`, with `*N` behind for N requests (without: one; `*` alone: for
 * ever). When the script is used up answers are good ones.
 *
 *     "e429:2*20"                  20 times 429 with Retry-After: 2
 *     "html502,status:500*3,ok*"   a page, three errors, then good answers
 *
 * GET /last gives the last request's body. GET /stats gives {"total", "distinct",
 * "repeated", "max_in_flight", "answered", "connections"}; repeated counts requests
 * whose prompt had been *answered* before.
 *
 * Threads: any; the server has its own.
 */
#ifndef MOCK_LLM_H
#define MOCK_LLM_H

#include <stdint.h>

/* behaviour, what it does. Arguments in capitals. */
#define MOCK_LIST(X) \
	X(ok, "ranks by content") \
	X(first, "ranks in the order listed") \
	X(flip, "by content, every second answer reversed") \
	X(text, "TEXT as the content, + for a space") \
	X(e429, "429 with Retry-After: SECONDS, or without") \
	X(e429ms, "429 with retry-after-ms: MS") \
	X(e429date, "429 with Retry-After: a date SECONDS from now") \
	X(e429reset, "429 with x-ratelimit-reset-tokens: TEXT") \
	X(e429body, "429 whose body says: Try again in SECONDS seconds") \
	X(quota, "429 insufficient_quota") \
	X(status, "STATUS with a JSON error object") \
	X(html502, "502 with an HTML page") \
	X(html200, "200 with an HTML page") \
	X(error200, "200 with an error object") \
	X(empty200, "200 with an empty body") \
	X(cut, "JSON cut in the middle, length honest") \
	X(short_body, "fewer bytes than Content-Length, then closed") \
	X(usage_absent, "no usage") \
	X(usage_null, "usage null") \
	X(usage_empty, "usage {}") \
	X(usage_details_null, "10 / 5 tokens, details null") \
	X(usage_cached, "100 / 7 tokens, 80 cached") \
	X(sse, "an event stream, asked for or not") \
	X(sse_cut, "an event stream without an end") \
	X(stream_required, "400 Stream must be set to true, unless it is") \
	X(max_tokens, "400 unsupported max_tokens, unless max_completion_tokens") \
	X(no_temperature, "400 unsupported temperature, if sent") \
	X(no_logprobs, "no log-probabilities, though asked for") \
	X(logprobs_refused, "400 unsupported logprobs, if sent") \
	X(logprobs_most, "400 if more than N alternatives are asked for") \
	X(max_model_len, "400 max_tokens cannot be greater, if above LEN") \
	X(vllm_overflow, "400 as vLLM words it") \
	X(openai_overflow, "400 context_length_exceeded") \
	X(llamacpp_overflow, "400 exceed_context_size_error, with sizes") \
	X(base64, "embeddings as base64, though numbers were asked for") \
	X(odd_vector, "the last embedding has fewer numbers") \
	X(zero_vector, "the last embedding is all zeros") \
	X(lost_vector, "one embedding too few") \
	X(twice_vector, "an index twice") \
	X(null_length, "content null, reasoning, finish_reason length") \
	X(null_stop, "content empty, reasoning_content, finish_reason stop") \
	X(think, "a think part with only its closing tag, then the answer") \
	X(think_open, "a think part that never closes") \
	X(echo401, "401 whose body shows the Authorization header") \
	X(slow, "a good answer after MS") \
	X(never, "no answer") \
	X(reset, "closes the connection with RST before answering") \
	X(reset_reused, "RST if the connection served before, else ok")

enum { MOCK_DIM = 16 };

enum mock_behaviour {
#define X(name, text) MOCK_##name,
	MOCK_LIST(X)
#undef X
		MOCK_BEHAVIOURS
};

struct mock_llm_options {
	uint16_t port;       /* 0: any */
	const char *script;  /* NULL: good answers */
	unsigned threads;    /* 0: 1 */
	unsigned idle_s;     /* close sockets idle that long; 0: never */
	unsigned latency_ms; /* of every answer */
	const char *reward;  /* NULL: none; lent */
	int raw;             /* 1: do not look at prompts: for benchmarks */
};

struct mock_llm_stats {
	uint64_t total, answered, distinct, repeated, max_in_flight, connections;
};

struct mock_llm;

/* NULL with a line on stderr where the port cannot be had or the script is wrong. */
struct mock_llm *mock_llm_start(const struct mock_llm_options *o);
void mock_llm_stop(struct mock_llm **m);
uint16_t mock_llm_port(const struct mock_llm *m);
const char *mock_llm_url(const struct mock_llm *m); /* http://127.0.0.1:PORT/v1 */
struct mock_llm_stats mock_llm_stats(struct mock_llm *m);
int mock_llm_script(struct mock_llm *m, const char *script); /* from now on; 0 or -1 */

/* The last request's body and, NUL behind it, nothing else; caller frees with free().
 */
char *mock_llm_last(struct mock_llm *m);

#endif
