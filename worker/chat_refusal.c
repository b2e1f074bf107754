/* chat_refusal.c - see chat_refusal.h
 *
 * A body is reduced to a few texts first (message, code, type, parameter), whatever its
 * shape; all decisions are made on those.
 */
#include "worker/chat_refusal.h"

#include "common/base/utf8.h"

#include <ctype.h>
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
	MESSAGE = 2000,
	WORD = 80,
	NEST = 3,
	WORTH_ASKING = 1024,
	LONGEST_WAIT_S = 86400
};

struct said {
	char message[MESSAGE], code[WORD], type[WORD], param[WORD];
	uint64_t n_prompt, n_ctx;
	int json; /* 0: no JSON at all */
};

/* ---- what was said ---- */

static void keep(char *to, size_t size, const json_t *j)
{
	if (json_is_string(j))
		snprintf(to, size, "%s", json_string_value(j));
	else if (json_is_integer(j))
		snprintf(to, size, "%lld", (long long)json_integer_value(j));
}

static uint64_t count(const json_t *j)
{
	return json_is_integer(j) && json_integer_value(j) > 0
		       ? (uint64_t)json_integer_value(j)
		       : 0;
}

static int from_text(const char *p, size_t n, int nest, struct said *s);

/* FastAPI: "detail" is a text, or a list of {"loc", "msg"}. */
static void from_list(const json_t *list, struct said *s)
{
	const json_t *first = json_array_get(list, 0),
		     *loc = json_object_get(first, "loc");

	keep(s->message, sizeof s->message, json_object_get(first, "msg"));
	if (json_array_size(loc))
		keep(s->param, sizeof s->param,
		     json_array_get(loc, json_array_size(loc) - 1));
}

static void from_json(const json_t *j, int nest, struct said *s)
{
	static const char *const inner[] = { "error", "detail", "message" };

	if (json_is_string(j)) {
		/* gateways wrap the JSON of the server behind them as text */
		if (!from_text(json_string_value(j), json_string_length(j), nest, s))
			keep(s->message, sizeof s->message, j);
		return;
	}
	if (json_is_array(j)) {
		from_list(j, s);
		return;
	}
	keep(s->code, sizeof s->code, json_object_get(j, "code"));
	keep(s->type, sizeof s->type, json_object_get(j, "type"));
	keep(s->param, sizeof s->param, json_object_get(j, "param"));
	if (count(json_object_get(j, "n_prompt_tokens")))
		s->n_prompt = count(json_object_get(j, "n_prompt_tokens"));
	if (count(json_object_get(j, "n_ctx")))
		s->n_ctx = count(json_object_get(j, "n_ctx"));
	for (size_t i = 0; nest && i < sizeof inner / sizeof *inner; i++)
		if (json_object_get(j, inner[i])) {
			from_json(json_object_get(j, inner[i]), nest - 1, s);
			return;
		}
}

static int from_text(const char *p, size_t n, int nest, struct said *s)
{
	json_t *root;

	if (!n || (*p != '{' && *p != '['))
		return 0;
	root = json_loadb(p, n, JSON_ALLOW_NUL, NULL);
	if (!root)
		return 0;
	s->json = 1;
	from_json(root, nest, s);
	json_decref(root);
	return 1;
}

/* HTML and other prose: its text without tags, as far as there is room. */
static void from_prose(struct view body, struct said *s)
{
	size_t out = 0;
	int tag = 0;

	for (size_t i = 0; i < body.n && out + 1 < sizeof s->message; i++) {
		unsigned char c = (unsigned char)body.p[i];

		if (c == '<')
			tag = 1;
		if (!tag)
			s->message[out++] = c ? (char)c : ' ';
		if (c == '>') {
			tag = 0;
			s->message[out++] = ' ';
		}
	}
	s->message[out] = '\0';
}

/* One line of single blanks, cut between characters, certainly UTF-8. */
static void one_line(const char *from, char *to, size_t size)
{
	struct buf b = { 0 }, line = { 0 };

	for (; *from; from++) {
		int blank = (unsigned char)*from <= ' ' || *from == 127;

		if (!blank)
			buf_add_char(&b, *from);
		else if (b.n && b.p[b.n - 1] != ' ')
			buf_add_char(&b, ' ');
	}
	b.n -= b.n && b.p[b.n - 1] == ' ';
	utf8_mend(&line, buf_view(&b));
	while (line.n >= size)
		line.n = utf8_prefix(buf_view(&line), utf8_length(buf_view(&line)) - 1)
				 .n;
	memcpy(to, line.n ? line.p : "", line.n);
	to[line.n] = '\0';
	buf_free(&line);
	buf_free(&b);
}

/* ---- searching texts ---- */

static int says(const struct said *s, const char *words)
{
	return strcasestr(s->message, words) != NULL;
}

static int says_any(const struct said *s, const char *const *words)
{
	for (; *words; words++)
		if (says(s, *words))
			return 1;
	return 0;
}

/* The first number behind `words`, with nothing but a few signs between; 0: none. */
static uint64_t number_after(const struct said *s, const char *words)
{
	const char *at = strcasestr(s->message, words);

	if (!at)
		return 0;
	at += strlen(words);
	at += strspn(at, " =:(~");
	return isdigit((unsigned char)*at) ? strtoull(at, NULL, 10) : 0;
}

/* The number right before `words`: "(1234 in the messages". */
static uint64_t number_before(const struct said *s, const char *words)
{
	const char *at = strcasestr(s->message, words), *from;

	if (!at)
		return 0;
	while (at > s->message && at[-1] == ' ')
		at--;
	for (from = at; from > s->message && isdigit((unsigned char)from[-1]);)
		from--;
	return from < at ? strtoull(from, NULL, 10) : 0;
}

static uint64_t first_of(uint64_t a, uint64_t b)
{
	return a ? a : b;
}

/* ---- kinds ---- */

static int is_quota(const struct said *s)
{
	static const char *const words[] = { "insufficient_quota",
					     "exceeded your current quota",
					     "insufficient credits",
					     "insufficient balance", NULL };

	return strcmp(s->code, "insufficient_quota") == 0 ||
	       strcmp(s->type, "insufficient_quota") == 0 ||
	       strcmp(s->code, "billing_hard_limit_reached") == 0 || says_any(s, words);
}

static int is_too_long(const struct said *s)
{
	static const char *const words[] = { "maximum context length",
					     "exceeds the available context size",
					     "exceed context size",
					     "context length exceeded",
					     "context window",
					     "prompt is too long",
					     "longer than the maximum model length",
					     "exceeds the model's context",
					     NULL };

	return strcmp(s->code, "context_length_exceeded") == 0 ||
	       strcmp(s->type, "exceed_context_size_error") == 0 || says_any(s, words);
}

/* The prompt fits, and what was asked for on top of it does not. */
static int is_too_many(const struct said *s)
{
	static const char *const words[] = { "max_model_len", "max_tokens is too large",
					     "completion tokens", "is too large",
					     NULL };

	return (says(s, "max_tokens") || says(s, "max_completion_tokens")) &&
	       says_any(s, words);
}

static void take_sizes(const struct said *s, struct refusal *r)
{
	r->context_tokens = s->n_ctx;
	r->prompt_tokens = s->n_prompt;
	if (!r->context_tokens)
		r->context_tokens =
			first_of(number_after(s, "maximum context length is"),
				 number_after(s, "max_model_len"));
	if (!r->context_tokens)
		r->context_tokens = number_after(s, "available context size");
	if (!r->prompt_tokens)
		r->prompt_tokens =
			first_of(number_before(s, "in the messages"),
				 number_after(s, "your prompt contains at least"));
	if (!r->prompt_tokens)
		r->prompt_tokens = first_of(number_after(s, "your prompt contains"),
					    number_before(s, "in your prompt"));
	if (!r->prompt_tokens)
		r->prompt_tokens =
			first_of(number_after(s, "your messages resulted in"),
				 number_after(s, "your request has"));
	r->completion_tokens = first_of(number_after(s, "supports at most"),
					number_after(s, "less than or equal to"));
}

/* Is it the prompt or what was asked for on top? Where both sizes are told, the room
 * that is left decides; it is worth asking again if it is not much less than wanted. */
static void judge_length(const struct said *s, uint32_t max_tokens, struct refusal *r)
{
	uint64_t wanted = max_tokens < WORTH_ASKING ? max_tokens : WORTH_ASKING;

	r->kind = REFUSAL_TOO_LONG;
	if (!r->context_tokens || !max_tokens)
		return;
	if (r->prompt_tokens && r->prompt_tokens + wanted <= r->context_tokens)
		r->completion_tokens = r->context_tokens - r->prompt_tokens;
	else if (r->prompt_tokens || max_tokens < r->context_tokens || !is_too_many(s))
		return;
	r->kind = REFUSAL_PARAMETER;
	r->parameter = PARAMETER_TOO_MANY_TOKENS;
}

static const struct {
	const char *name;
	enum refusal_parameter parameter;
} parameters[] = {
	/* a name that holds another stands before it */
	{ "stream_options", PARAMETER_STREAM_OPTIONS },
	{ "temperature", PARAMETER_TEMPERATURE },
	{ "top_p", PARAMETER_TOP_P },
	{ "logprobs", PARAMETER_LOGPROBS },
	{ "chat_template_kwargs", PARAMETER_TEMPLATE_KWARGS },
	{ "seed", PARAMETER_SEED },
};

/* Both names of the token limit stand in "Unsupported parameter: 'max_tokens' ... Use
 * 'max_completion_tokens' instead": the first one is meant. */
static enum refusal_parameter which_limit(const struct said *s)
{
	const char *old = strstr(s->message, "max_tokens");
	const char *new = strstr(s->message, "max_completion_tokens");

	if (strcmp(s->param, "max_tokens") == 0)
		return PARAMETER_MAX_TOKENS;
	if (strcmp(s->param, "max_completion_tokens") == 0)
		return PARAMETER_MAX_COMPLETION_TOKENS;
	if (new && (!old || new < old))
		return PARAMETER_MAX_COMPLETION_TOKENS;
	return old ? PARAMETER_MAX_TOKENS : PARAMETER_NONE;
}

static enum refusal_parameter which_parameter(const struct said *s)
{
	static const char *const words[] = { "unsupported",      "not supported",
					     "does not support", "unrecognized",
					     "unknown",          "not permitted",
					     "not allowed",      "unexpected",
					     "only the default", NULL };
	size_t n = sizeof parameters / sizeof *parameters;

	if (says(s, "stream must be set to true") || says(s, "stream must be true"))
		return PARAMETER_STREAM;
	if (!says_any(s, words) && strncmp(s->code, "unsupported_", 12) != 0 &&
	    strcmp(s->code, "unknown_parameter") != 0)
		return PARAMETER_NONE;
	for (size_t i = 0; i < n; i++)
		if (strstr(s->param, parameters[i].name))
			return parameters[i].parameter;
	if (which_limit(s))
		return which_limit(s);
	for (size_t i = 0; i < n; i++)
		if (says(s, parameters[i].name))
			return parameters[i].parameter;
	return PARAMETER_NONE;
}

/* "Requested sample logprobs of 20, which is greater than max allowed: 5",
 * "top_logprobs must be between 0 and 5": the last number is the most. */
static int is_too_many_logprobs(const struct said *s, uint32_t *ret)
{
	static const char *const words[] = { "greater", "less",    "most", "maximum",
					     "allowed", "between", NULL };
	const char *p = s->message + strlen(s->message), *first;

	if ((!says(s, "logprobs") && !strstr(s->param, "logprobs")) ||
	    !says_any(s, words))
		return 0;
	while (p > s->message && !(p[-1] >= '0' && p[-1] <= '9'))
		p--;
	for (first = p; first > s->message && first[-1] >= '0' && first[-1] <= '9';)
		first--;
	if (first == p || p - first > 4)
		return 0;
	*ret = (uint32_t)atoi(first);
	return 1;
}

static int passes(int status)
{
	switch (status) {
	case 408:
	case 409:
	case 425:
	case 429: return 1;
	case 501:
	case 505: return 0;
	default: return status >= 500;
	}
}

static void judge(int status, const struct said *s, uint32_t max_tokens,
		  struct refusal *r)
{
	r->kind = passes(status) ? REFUSAL_PASSES : REFUSAL_FINAL;
	if (is_quota(s) || status == 402) {
		r->kind = REFUSAL_QUOTA;
	} else if (status == 413) {
		r->kind = REFUSAL_TOO_LONG;
	} else if (is_too_long(s) || (is_too_many(s) && r->context_tokens)) {
		judge_length(s, max_tokens, r);
	} else if (is_too_many(s) && r->completion_tokens) {
		r->kind = REFUSAL_PARAMETER;
		r->parameter = PARAMETER_TOO_MANY_TOKENS;
	} else if (status == 400 || status == 422) {
		r->parameter = which_parameter(s);
		if (!r->parameter && is_too_many_logprobs(s, &r->logprobs))
			r->parameter = PARAMETER_TOO_MANY_LOGPROBS;
		if (r->parameter)
			r->kind = REFUSAL_PARAMETER;
	}
}

/* An error under a 200 may tell the status it should have had. */
static int effective(int status, const struct said *s)
{
	int code = atoi(s->code);

	if (status >= 300)
		return status;
	return code >= 400 && code < 600 ? code : 500;
}

void refusal_read(int status, struct view body, uint32_t max_tokens,
		  struct refusal *ret)
{
	struct refusal r = { 0 };
	struct said s = { 0 };

	if (!from_text(body.p, body.n, NEST, &s))
		from_prose(body, &s);
	take_sizes(&s, &r);
	judge(effective(status, &s), &s, max_tokens, &r);
	if (status >= 300)
		snprintf(r.name, sizeof r.name, "http_%d", status);
	else
		snprintf(r.name, sizeof r.name, s.json ? "error_under_%d" : "bad_body",
			 status);
	one_line(s.message[0] ? s.message
		 : s.code[0]  ? s.code
			      : "no text",
		 r.text, sizeof r.text);
	*ret = r;
}

/* ---- how long to wait ---- */

static uint64_t bounded_ms(double s)
{
	if (!(s > 0))
		return 0;
	return (uint64_t)((s < LONGEST_WAIT_S ? s : LONGEST_WAIT_S) * 1000 + 0.5);
}

/* "2", "1.5"; -1 and 0 say nothing. */
static uint64_t seconds_ms(const char *p)
{
	char *end;
	double s = strtod(p, &end);

	return end > p && !end[strspn(end, " s")] ? bounded_ms(s) : 0;
}

static uint64_t date_ms(const char *p, const char *server_now, int64_t now_s)
{
	time_t at = curl_getdate(p, NULL),
	       now = server_now ? curl_getdate(server_now, NULL) : -1;

	if (at < 0)
		return 0;
	return bounded_ms((double)(at - (now < 0 ? (time_t)now_s : now)));
}

/* Go's durations: "6m0s", "12ms", "1h2m3.5s"; a bare number is seconds. */
static uint64_t go_ms(const char *p)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "\xc2\xb5s", 1e-6 },
		      { "ns", 1e-9 }, { "h", 3600 },  { "m", 60 },
		      { "s", 1 },     { "d", 86400 } };
	size_t n = sizeof units / sizeof *units, i;
	double sum = 0;

	if (p[0] && !p[strspn(p, "0123456789.")])
		return seconds_ms(p);
	while (*p) {
		char *end;
		double v = isdigit((unsigned char)*p) ? strtod(p, &end) : -1;

		if (v < 0)
			return 0;
		for (i = 0; i < n; i++)
			if (strncmp(end, units[i].unit, strlen(units[i].unit)) == 0)
				break;
		if (i == n)
			return 0;
		sum += v * units[i].s;
		p = end + strlen(units[i].unit);
	}
	return bounded_ms(sum);
}

/* A bucket that still has something left is not what we wait for. */
static uint64_t reset_ms(struct view reset, struct view remaining)
{
	if (!reset.p || (remaining.p && atof(remaining.p) > 0))
		return 0;
	return go_ms(reset.p);
}

/* "Try again in 60 seconds", "Please try again in 1.2s", "retry after 20 seconds". */
static uint64_t told_ms(struct view body)
{
	static const char *const words[] = { "try again in ", "retry after ",
					     "retry in " };
	struct said s = { 0 };

	if (!from_text(body.p, body.n, NEST, &s))
		from_prose(body, &s);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *at = strcasestr(s.message, words[i]);
		double v;
		char *end;

		if (!at)
			continue;
		v = strtod(at + strlen(words[i]), &end);
		end += strspn(end, " ");
		if (strncasecmp(end, "ms", 2) == 0 || strncasecmp(end, "milli", 5) == 0)
			return bounded_ms(v / 1000);
		if (strncasecmp(end, "m", 1) == 0)
			return bounded_ms(v * 60);
		return bounded_ms(v);
	}
	return 0;
}

uint64_t refusal_wait_ms(const struct view header[HTTP_HEADERS], struct view body,
			 int64_t now_s)
{
	const char *after = header[HTTP_RETRY_AFTER].p;
	uint64_t ms = 0, requests, tokens;

	if (header[HTTP_RETRY_AFTER_MS].p)
		ms = bounded_ms(strtod(header[HTTP_RETRY_AFTER_MS].p, NULL) / 1000);
	if (!ms && after)
		ms = seconds_ms(after);
	if (!ms && after && isalpha((unsigned char)*after))
		ms = date_ms(after, header[HTTP_DATE].p, now_s);
	if (ms)
		return ms;
	requests =
		reset_ms(header[HTTP_RESET_REQUESTS], header[HTTP_REMAINING_REQUESTS]);
	tokens = reset_ms(header[HTTP_RESET_TOKENS], header[HTTP_REMAINING_TOKENS]);
	ms = requests > tokens ? requests : tokens;
	return ms ? ms : told_ms(body);
}
