/* mock_llm.c - see mock_llm.h
 *
 * libmicrohttpd's threads call on_request(); an answer that is late is a suspended
 * connection, which the clock thread resumes when it is due.
 */
#include "tests/support/mock_llm.h"

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/mem.h"
#include "tests/support/mock_reward.h"
#include "worker/chat_body.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <math.h>
#include <microhttpd.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STEPS = 64, ARG = 256, CANDIDATES = 26 };

struct step {
	enum mock_behaviour what;
	char arg[ARG];
	uint64_t left;
};

struct request {
	struct mock_llm *mock;
	struct MHD_Connection *on;
	struct request *next; /* in mock.late */
	struct buf body;
	struct step step;
	uint64_t due_ms, prompt;
	uint64_t in_flight; /* 1 until it is answered */
	int decided, repeated;
	int embeds; /* POST .../embeddings */
};

struct mock_llm {
	struct MHD_Daemon *daemon;
	struct mock_llm_options set;
	uint16_t port;
	char url[64];
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t clock;
	int stopping;
	struct step step[STEPS];
	size_t steps, at;
	struct request *late;
	struct mock_llm_stats stats;
	uint64_t in_flight, flips;
	uint64_t *seen, *done; /* hash sets of prompts: asked, answered */
	size_t seen_room, done_room, n_done;
	char *last;
};

static const char *const behaviours[] = {
#define X(name, text) #name,
	MOCK_LIST(X)
#undef X
};

/* ---- sets of prompts ---- */

/* 1: it was new. */
static int put(uint64_t *set, size_t room, uint64_t v)
{
	size_t i = v & (room - 1);

	while (set[i] && set[i] != v)
		i = (i + 1) & (room - 1);
	if (set[i] == v)
		return 0;
	set[i] = v;
	return 1;
}

static int set_put(uint64_t **set, size_t *room, size_t n, uint64_t v)
{
	if (n * 2 >= *room) {
		size_t more = *room ? *room * 2 : 1024;
		uint64_t *bigger = mem_alloc(more, sizeof v);

		for (size_t i = 0; i < *room; i++)
			if ((*set)[i])
				put(bigger, more, (*set)[i]);
		mem_free(*set);
		*set = bigger;
		*room = more;
	}
	return put(*set, *room, v);
}

static int set_has(const uint64_t *set, size_t room, uint64_t v)
{
	for (size_t i = v & (room - 1); room && set[i]; i = (i + 1) & (room - 1))
		if (set[i] == v)
			return 1;
	return 0;
}

/* ---- scripts ---- */

static int parse_step(const char *p, size_t n, struct step *ret)
{
	const char *star = memrchr(p, '*', n), *colon;
	size_t len = star ? (size_t)(star - p) : n, name;

	colon = memchr(p, ':', len);
	name = colon ? (size_t)(colon - p) : len;
	ret->left = !star               ? 1
		    : star + 1 == p + n ? UINT64_MAX
					: strtoull(star + 1, NULL, 10);
	snprintf(ret->arg, ARG, "%.*s", colon ? (int)(len - name - 1) : 0,
		 colon ? colon + 1 : "");
	for (size_t i = 0; i < MOCK_BEHAVIOURS; i++)
		if (strlen(behaviours[i]) == name &&
		    memcmp(behaviours[i], p, name) == 0) {
			ret->what = (enum mock_behaviour)i;
			return 0;
		}
	fprintf(stderr, "mock_llm: no behaviour is called %.*s\n", (int)name, p);
	return -1;
}

int mock_llm_script(struct mock_llm *m, const char *script)
{
	struct step step[STEPS];
	size_t n = 0;

	while (script && *script) {
		size_t len = strcspn(script, ",");

		if (n == STEPS || parse_step(script, len, step + n++))
			return -1;
		script += len + (script[len] == ',');
	}
	pthread_mutex_lock(&m->lock);
	memcpy(m->step, step, n * sizeof *step);
	m->steps = n;
	m->at = 0;
	pthread_mutex_unlock(&m->lock);
	return 0;
}

static struct step next_step(struct mock_llm *m)
{
	struct step s = { .what = MOCK_ok };

	if (m->at == m->steps)
		return s;
	s = m->step[m->at];
	if (s.left != UINT64_MAX && --m->step[m->at].left == 0)
		m->at++;
	return s;
}

/* ---- prompts and what to say to them ---- */

static char *prompt_of(const json_t *root)
{
	const json_t *m;
	struct buf b = { 0 };
	size_t i;

	json_array_foreach (json_object_get(root, "messages"), i, m) {
		const json_t *c = json_object_get(m, "content");

		buf_add(&b, "\n", 1);
		buf_add(&b, json_string_value(c), json_string_length(c));
	}
	return buf_take(&b, NULL);
}

struct seen {
	char label;
	uint64_t hash;
};

static uint64_t hash_sql(const char *block, size_t n)
{
	static const char open[] = "```sql\n";
	const char *from = memmem(block, n, open, sizeof open - 1), *end;

	if (!from)
		return sip64_of(block, n);
	from += sizeof open - 1;
	end = memmem(from, n - (size_t)(from - block), "\n```", 4);
	return sip64_of(from, (size_t)((end ? end : block + n) - from));
}

static size_t candidates_of(const char *prompt, struct seen *ret)
{
	static const char head[] = "\nCandidate [";
	const char *at = strstr(prompt, head), *next;
	size_t n = 0;

	for (; at && n < CANDIDATES; at = next) {
		at += sizeof head - 1;
		next = strstr(at, head);
		ret[n].label = *at;
		ret[n++].hash = hash_sql(at + 1, next ? (size_t)(next - at - 1)
						      : strlen(at + 1));
	}
	return n;
}

static int by_hash(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->label - y->label;
}

/* A memory that holds its SQL, from which the SQL can be written again; things that are
 * not so stand in it besides. */
static void write_memory(const char *prompt, struct buf *b)
{
	const char *from = strstr(prompt, "```sql\n"), *to;

	from = from ? from + strlen("```sql\n") : "";
	to = strstr(from, "\n```");
	buf_add_str(b, "```json\n{\"schema_grounding\": {\"mappings\": [{\"phrase\": "
		       "\"x\", \"column\": \"no_such.column\"}]},\n"
		       "\"conditional_and_null\": {\"construct\": [\"CASE\"]},\n"
		       "\"output_form\": {\"return_columns\": [");
	chat_body_text(b,
		       (struct view){ from, to ? (size_t)(to - from) : strlen(from) });
	buf_add_str(b, "]\n}, \"extra_keywords\": [],}\n```"); /* a bracket is lost */
}

/* The SQL that such a memory holds. */
static void write_sql(const char *prompt, struct buf *b)
{
	static const char mark[] = "\"return_columns\":[\"";
	const char *from = strstr(prompt, mark), *to;

	from = from ? from + strlen(mark) : "";
	to = strstr(from, "\"]");
	buf_add_str(b, "```sql\n");
	buf_add(b, from, to ? (size_t)(to - from) : 0);
	buf_add_str(b, "\n```");
}

/* One token, and what might have been said instead: {"content":[...]}. */
static void one_token(const char *prompt, struct buf *said, struct buf *logprobs)
{
	struct seen c[CANDIDATES];
	size_t n = candidates_of(prompt, c), i;
	double yes = (double)((n == 1 ? c[0].hash : sip64_of(prompt, strlen(prompt))) %
			      101) /
		     100;

	qsort(c, n, sizeof *c, by_hash);
	if (n < 2)
		buf_add_str(said, yes >= 0.5 ? "Yes" : "No");
	else
		buf_add_char(said, c[0].label);
	buf_addf(logprobs,
		 "{\"content\":[{\"token\":\"%s\",\"bytes\":null,\"logprob\":%.6f,"
		 "\"top_logprobs\":[",
		 said->p, log(n < 2 ? (yes >= 0.5 ? yes : 1 - yes) + 1e-9 : 0.5));
	if (n < 2)
		buf_addf(logprobs,
			 "{\"token\":\"Yes\",\"logprob\":%.6f},"
			 "{\"token\":\"No\",\"logprob\":%.6f}",
			 log(yes + 1e-9), log(1 - yes + 1e-9));
	for (i = 0; n >= 2 && i < n; i++)
		buf_addf(logprobs, "%s{\"token\":\"%s%c\",\"logprob\":%.6f}",
			 i ? "," : "", i % 2 ? " " : "", c[i].label,
			 ((double)i + 1) * log(0.5));
	buf_add_str(logprobs, "]}]}");
}

static void rank(const char *prompt, enum mock_behaviour how, int reverse,
		 struct buf *b)
{
	struct seen c[CANDIDATES];
	size_t n = candidates_of(prompt, c);

	if (n < 2) {
		buf_addf(b, "%u",
			 (unsigned)((n ? c[0].hash : sip64_of(prompt, strlen(prompt))) %
				    101));
		return;
	}
	if (how != MOCK_first)
		qsort(c, n, sizeof *c, by_hash);
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%s[%c]", i ? " > " : "", c[reverse ? n - 1 - i : i].label);
}

static void usage_json(enum mock_behaviour what, size_t prompt, size_t said,
		       struct buf *b)
{
	switch (what) {
	case MOCK_usage_absent: return;
	case MOCK_usage_null: buf_add_str(b, ",\"usage\":null"); return;
	case MOCK_usage_empty: buf_add_str(b, ",\"usage\":{}"); return;
	case MOCK_usage_details_null:
		buf_add_str(b,
			    ",\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"
			    "\"total_tokens\":15,\"prompt_tokens_details\":null,"
			    "\"completion_tokens_details\":null}");
		return;
	case MOCK_usage_cached:
		buf_add_str(b,
			    ",\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":7,"
			    "\"total_tokens\":107,"
			    "\"prompt_tokens_details\":{\"cached_tokens\":80}}");
		return;
	default:
		buf_addf(b,
			 ",\"usage\":{\"prompt_tokens\":%zu,\"completion_tokens\":%zu,"
			 "\"total_tokens\":%zu,"
			 "\"prompt_tokens_details\":{\"cached_tokens\":0}}",
			 prompt, said, prompt + said);
	}
}

static void message_json(enum mock_behaviour what, struct view said,
			 struct view logprobs, struct buf *b)
{
	switch (what) {
	case MOCK_null_length:
		buf_add_str(b,
			    "\"content\":null,\"reasoning\":\"first I compare A, B\"},"
			    "\"finish_reason\":\"length\"}]");
		return;
	case MOCK_null_stop:
		buf_add_str(b, "\"content\":\"\",\"reasoning_content\":\"[A] > [B]\"},"
			       "\"finish_reason\":\"stop\"}]");
		return;
	default:
		buf_add_str(b, "\"content\":");
		chat_body_text(b, said);
		buf_add_str(b, "}");
		if (logprobs.n)
			buf_addf(b, ",\"logprobs\":%.*s", (int)logprobs.n, logprobs.p);
		buf_add_str(b, ",\"finish_reason\":\"stop\"}]");
	}
}

static void answer_json(enum mock_behaviour what, struct view said,
			struct view logprobs, size_t prompt_bytes, struct buf *b)
{
	buf_add_str(b, "{\"id\":\"mock\",\"object\":\"chat.completion\",\"created\":1,"
		       "\"model\":\"mock\",\"choices\":[{\"index\":0,"
		       "\"message\":{\"role\":\"assistant\",");
	message_json(what, said, logprobs, b);
	usage_json(what, prompt_bytes / 4, said.n / 3 + 1, b);
	buf_add_char(b, '}');
}

/* One event a byte: what is said here is ASCII. */
static void answer_stream(enum mock_behaviour what, struct view said, struct buf *b)
{
	for (size_t i = 0; i < said.n; i++) {
		buf_add_str(b,
			    "data: "
			    "{\"object\":\"chat.completion.chunk\",\"model\":\"mock\","
			    "\"choices\":[{\"index\":0,\"delta\":{\"content\":");
		chat_body_text(b, (struct view){ said.p + i, 1 });
		buf_add_str(b, "}}]}\n\n");
		if (what == MOCK_sse_cut && i >= said.n / 2)
			return;
	}
	buf_add_str(b, "data: {\"choices\":[{\"index\":0,\"delta\":{},"
		       "\"finish_reason\":\"stop\"}]}\n\n"
		       "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":50,"
		       "\"completion_tokens\":9,\"total_tokens\":59}}\n\n"
		       "data: [DONE]\n\n");
}

/* ---- responses ---- */

struct out {
	struct buf body;
	unsigned status;
	const char *type, *header; /* header: its name, or NULL */
	char value[64];
	int answer; /* 1: a chat completion, to be counted */
};

static void error_json(struct out *o, unsigned status, const char *message,
		       const char *code)
{
	o->status = status;
	buf_add_str(&o->body, "{\"error\":{\"message\":");
	chat_body_text(&o->body, view_of(message));
	buf_addf(&o->body, ",\"type\":\"error\",\"param\":null,\"code\":\"%s\"}}",
		 code);
}

static void too_many(struct out *o, const char *header, const char *value)
{
	o->header = value && *value ? header : NULL;
	snprintf(o->value, sizeof o->value, "%s", value ? value : "");
	error_json(o, 429, "Rate limit reached", "rate_limit_exceeded");
}

static int asks_for(const json_t *root, const char *name)
{
	return json_object_get(root, name) != NULL;
}

/* 1: the request was refused, as the behaviour wants it. */
static int refuse_parameter(const struct step *s, const json_t *root, struct out *o)
{
	char text[300];
	json_int_t most = atoll(s->arg), asked;

	switch (s->what) {
	case MOCK_stream_required:
		if (json_is_true(json_object_get(root, "stream")))
			return 0;
		o->status = 400;
		buf_add_str(&o->body, "{\"detail\":\"Stream must be set to true\"}");
		return 1;
	case MOCK_max_tokens:
		if (!asks_for(root, "max_tokens"))
			return 0;
		o->status = 400;
		buf_add_str(
			&o->body,
			"{\"error\":{\"message\":\"Unsupported parameter: "
			"'max_tokens' is not supported with this model. Use "
			"'max_completion_tokens' instead.\",\"type\":"
			"\"invalid_request_error\",\"param\":\"max_tokens\",\"code\":"
			"\"unsupported_parameter\"}}");
		return 1;
	case MOCK_no_temperature:
		if (!asks_for(root, "temperature"))
			return 0;
		o->status = 400;
		buf_add_str(
			&o->body,
			"{\"error\":{\"message\":\"Unsupported value: 'temperature' "
			"does not support 0 with this model.\",\"type\":"
			"\"invalid_request_error\",\"param\":\"temperature\",\"code\":"
			"\"unsupported_value\"}}");
		return 1;
	case MOCK_logprobs_refused:
		if (!asks_for(root, "logprobs"))
			return 0;
		error_json(o, 400, "Unsupported parameter: 'logprobs'",
			   "unsupported_parameter");
		return 1;
	case MOCK_logprobs_most:
		asked = json_integer_value(json_object_get(root, "top_logprobs"));
		if (asked <= most)
			return 0;
		snprintf(text, sizeof text,
			 "Requested sample logprobs of %lld, which is greater than max "
			 "allowed: %lld",
			 (long long)asked, (long long)most);
		error_json(o, 400, text, "400");
		return 1;
	case MOCK_max_model_len:
		asked = json_integer_value(json_object_get(root, "max_tokens"));
		if (asked <= most)
			return 0;
		snprintf(text, sizeof text,
			 "max_tokens=%lld cannot be greater than max_model_len=%lld",
			 (long long)asked, (long long)most);
		error_json(o, 400, text, "400");
		return 1;
	default: return 0;
	}
}

/* 1: an error, whatever was asked. */
static int refuse(const struct request *r, struct out *o)
{
	const struct step *s = &r->step;
	char text[300];

	switch (s->what) {
	case MOCK_e429: too_many(o, "Retry-After", s->arg); return 1;
	case MOCK_e429ms: too_many(o, "retry-after-ms", s->arg); return 1;
	case MOCK_e429reset: too_many(o, "x-ratelimit-reset-tokens", s->arg); return 1;
	case MOCK_e429date: {
		time_t at = time(NULL) + atoi(s->arg);
		struct tm tm;

		gmtime_r(&at, &tm);
		strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
		too_many(o, "Retry-After", text);
		return 1;
	}
	case MOCK_e429body:
		snprintf(text, sizeof text, "No deployments. Try again in %s seconds.",
			 s->arg);
		error_json(o, 429, text, "429");
		return 1;
	case MOCK_quota:
		error_json(o, 429, "You exceeded your current quota",
			   "insufficient_quota");
		return 1;
	case MOCK_status:
		error_json(o, (unsigned)atoi(s->arg), "as scripted", "");
		return 1;
	case MOCK_html502:
	case MOCK_html200:
		o->status = s->what == MOCK_html502 ? 502 : 200;
		o->type = "text/html";
		buf_add_str(&o->body,
			    "<html><title>502</title>\n<h1>Bad gateway</h1></html>");
		return 1;
	case MOCK_error200: error_json(o, 200, "upstream fell over", "503"); return 1;
	case MOCK_empty200: return 1;
	case MOCK_vllm_overflow:
		error_json(
			o, 400,
			"This model's maximum context length is 8192 tokens. However, "
			"you requested 13456 tokens (13392 in the messages, 64 in the "
			"completion). Please reduce the length.",
			"400");
		return 1;
	case MOCK_openai_overflow:
		error_json(o, 400, "This model's context is shorter",
			   "context_length_exceeded");
		return 1;
	case MOCK_llamacpp_overflow:
		o->status = 400;
		buf_add_str(
			&o->body,
			"{\"error\":{\"code\":400,\"type\":"
			"\"exceed_context_size_error\",\"message\":\"request (13392 "
			"tokens) exceeds the available context size (8192 tokens), try "
			"increasing it\",\"n_prompt_tokens\":13392,\"n_ctx\":8192}}");
		return 1;
	case MOCK_echo401: {
		const char *key = MHD_lookup_connection_value(r->on, MHD_HEADER_KIND,
							      "Authorization");

		snprintf(text, sizeof text, "Incorrect API key: %s",
			 key ? key : "none");
		error_json(o, 401, text, "invalid_api_key");
		return 1;
	}
	default: return 0;
	}
}

static void say(struct request *r, const char *prompt, const json_t *root,
		struct buf *b, struct buf *logprobs)
{
	struct mock_llm *m = r->mock;
	int reverse = 0;

	if (r->step.what == MOCK_text) {
		buf_add_str(b, r->step.arg);
		for (size_t i = 0; i < b->n; i++)
			if (b->p[i] == '+')
				b->p[i] = ' ';
		return;
	}
	if (asks_for(root, "logprobs") && r->step.what != MOCK_no_logprobs) {
		one_token(prompt, b, logprobs);
		return;
	}
	if (strstr(prompt, "{\"verdict\": \"covered\"}")) {
		buf_add_str(b, "{\"verdict\": \"covered\"}");
		return;
	}
	if (r->step.what == MOCK_think)
		buf_add_str(b, "I compare [A] > [B]...</think>\n");
	if (r->step.what == MOCK_think_open)
		buf_add_str(b, "<think>I compare ");
	if (r->step.what == MOCK_flip) {
		pthread_mutex_lock(&m->lock);
		reverse = (int)(m->flips++ % 2);
		pthread_mutex_unlock(&m->lock);
	}
	if (strstr(prompt, "\n## The SQL that is right\n"))
		write_memory(prompt, b);
	else if (strstr(prompt, "\n## What to remember\n"))
		write_sql(prompt, b);
	else
		rank(prompt, r->step.what, reverse, b);
}

static void answer(struct request *r, const json_t *root, struct out *o)
{
	struct buf said = { 0 }, logprobs = { 0 };
	char *prompt = prompt_of(root);
	int stream = json_is_true(json_object_get(root, "stream")) ||
		     r->step.what == MOCK_sse || r->step.what == MOCK_sse_cut;

	say(r, prompt, root, &said, &logprobs);
	o->answer = 1;
	if (stream) {
		o->type = "text/event-stream; charset=utf-8";
		answer_stream(r->step.what, buf_view(&said), &o->body);
	} else {
		answer_json(r->step.what, buf_view(&said), buf_view(&logprobs),
			    strlen(prompt), &o->body);
	}
	if (r->step.what == MOCK_cut)
		o->body.n /= 2;
	if (r->step.what == MOCK_cut || r->step.what == MOCK_sse_cut ||
	    r->step.what == MOCK_short_body)
		o->answer = 0;
	buf_free(&said);
	buf_free(&logprobs);
	mem_free(prompt);
}

static void vector_of(const char *text, float ret[MOCK_DIM])
{
	memset(ret, 0, MOCK_DIM * sizeof *ret);
	while (*text) {
		size_t n = strcspn(text, " ?.,");

		if (n)
			ret[sip64_of(text, n) % MOCK_DIM] += 1;
		text += n + (text[n] != 0);
	}
}

static void add_vector(enum mock_behaviour what, int last, const char *text,
		       struct buf *b)
{
	uint32_t n = last && what == MOCK_odd_vector ? MOCK_DIM - 4 : MOCK_DIM;
	float v[MOCK_DIM];
	char base64[MOCK_DIM * 8];

	vector_of(last && what == MOCK_zero_vector ? "" : text, v);
	if (what == MOCK_base64) {
		sodium_bin2base64(base64, sizeof base64, (unsigned char *)v, sizeof v,
				  sodium_base64_VARIANT_ORIGINAL);
		buf_addf(b, "\"%s\"", base64);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		buf_addf(b, "%s%g", i ? "," : "[", (double)v[i]);
	buf_add_char(b, ']');
}

static void embed(struct request *r, const json_t *root, struct out *o)
{
	const json_t *input = json_object_get(root, "input");
	enum mock_behaviour what = r->step.what;
	size_t n = json_array_size(input), lost = what == MOCK_lost_vector;

	buf_add_str(&o->body, "{\"object\":\"list\",\"data\":[");
	for (size_t i = n; i-- > lost;) {
		buf_addf(&o->body,
			 "%s{\"index\":%zu,\"embedding\":", i + 1 < n ? "," : "",
			 what == MOCK_twice_vector && i == 0 ? n - 1 : i);
		add_vector(what, i + 1 == n,
			   json_string_value(json_array_get(input, i)), &o->body);
		buf_add_char(&o->body, '}');
	}
	buf_addf(&o->body, "],\"usage\":{\"prompt_tokens\":%zu,\"total_tokens\":%zu}}",
		 5 * n, 5 * n);
	o->answer = 1;
}

static void fill(struct request *r, const char *path, struct out *o)
{
	json_t *root;

	o->status = 200;
	o->type = "application/json";
	if (refuse(r, o))
		return;
	if (r->mock->set.raw) {
		o->answer = 1;
		answer_json(MOCK_ok, view_of("[B] > [A]"), view_of(""), r->body.n,
			    &o->body);
		return;
	}
	root = json_loadb(r->body.p ? r->body.p : "", r->body.n, JSON_ALLOW_NUL, NULL);
	if (!root)
		error_json(o, 400, "the request is not JSON", "400");
	else if (r->embeds)
		embed(r, root, o);
	else if (mock_reward_path(path)) {
		o->status =
			mock_reward_answer(r->mock->set.reward, path, root, &o->body);
		o->answer = o->status == 200;
	} else if (!refuse_parameter(&r->step, root, o))
		answer(r, root, o);
	json_decref(root);
}

/* ---- bytes that are promised and do not come ---- */

struct stub {
	struct buf body;
};

static ssize_t read_stub(void *arg, uint64_t at, char *to, size_t max)
{
	struct stub *s = arg;

	if (at >= s->body.n / 2)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (max > s->body.n / 2 - at)
		max = s->body.n / 2 - at;
	memcpy(to, s->body.p + at, max);
	return (ssize_t)max;
}

static void free_stub(void *arg)
{
	struct stub *s = arg;

	buf_free(&s->body);
	mem_free(s);
}

static struct MHD_Response *make(struct request *r, struct out *o)
{
	struct MHD_Response *res;
	struct stub *s;

	if (r->step.what != MOCK_short_body) {
		res = MHD_create_response_from_buffer(
			o->body.n, o->body.p ? o->body.p : "", MHD_RESPMEM_MUST_COPY);
		buf_free(&o->body);
		return res;
	}
	s = mem_alloc(1, sizeof *s);
	s->body = o->body;
	return MHD_create_response_from_callback(s->body.n, 64, read_stub, s,
						 free_stub);
}

static enum MHD_Result queue(struct MHD_Connection *on, struct MHD_Response *res,
			     const struct out *o)
{
	enum MHD_Result ok;

	MHD_add_response_header(res, "Content-Type", o->type);
	if (o->header)
		MHD_add_response_header(res, o->header, o->value);
	ok = MHD_queue_response(on, o->status, res);
	MHD_destroy_response(res);
	return ok;
}

/* ---- the server ---- */

static void count_request(struct request *r)
{
	struct mock_llm *m = r->mock;
	struct mock_llm_stats *st = &m->stats;

	pthread_mutex_lock(&m->lock);
	st->total++;
	r->step = next_step(m);
	r->in_flight = 1;
	if (++m->in_flight > st->max_in_flight)
		st->max_in_flight = m->in_flight;
	if (!m->set.raw) {
		r->prompt = sip64_of(r->body.p ? r->body.p : "", r->body.n) | 1;
		r->repeated = set_has(m->done, m->done_room, r->prompt);
		st->repeated += (uint64_t)r->repeated;
		st->distinct += (uint64_t)set_put(&m->seen, &m->seen_room,
						  st->distinct + 1, r->prompt);
		free(m->last);
		m->last = strndup(r->body.p ? r->body.p : "", r->body.n);
	}
	pthread_mutex_unlock(&m->lock);
}

static void count_answer(struct request *r)
{
	struct mock_llm *m = r->mock;

	pthread_mutex_lock(&m->lock);
	m->stats.answered++;
	if (!m->set.raw)
		m->n_done += (size_t)set_put(&m->done, &m->done_room, m->n_done + 1,
					     r->prompt);
	pthread_mutex_unlock(&m->lock);
}

/* Before its answer is on the wire: who gets it may ask again at once. */
static void land(struct request *r)
{
	pthread_mutex_lock(&r->mock->lock);
	r->mock->in_flight -= r->in_flight;
	r->in_flight = 0;
	pthread_mutex_unlock(&r->mock->lock);
}

static uint64_t delay_of(const struct request *r)
{
	uint64_t ms = r->mock->set.latency_ms;

	if (r->step.what == MOCK_slow)
		ms += strtoull(r->step.arg, NULL, 10);
	return r->step.what == MOCK_never ? UINT64_MAX / 2 : ms;
}

static enum MHD_Result suspend(struct request *r, uint64_t ms)
{
	struct mock_llm *m = r->mock;

	pthread_mutex_lock(&m->lock);
	if (m->stopping) { /* nobody would resume it */
		pthread_mutex_unlock(&m->lock);
		return MHD_NO;
	}
	r->due_ms = clock_ms() + ms;
	MHD_suspend_connection(r->on);
	r->next = m->late;
	m->late = r;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	return MHD_YES;
}

/* Resumes what is due; returns when the next one is, in ms from now. */
static uint64_t resume_due(struct mock_llm *m)
{
	uint64_t now = clock_ms(), next = 1000;

	for (struct request **at = &m->late; *at;) {
		struct request *r = *at;

		if (r->due_ms > now && !m->stopping) {
			next = r->due_ms - now < next ? r->due_ms - now : next;
			at = &r->next;
			continue;
		}
		*at = r->next;
		MHD_resume_connection(r->on);
	}
	return next;
}

static void *run_clock(void *arg)
{
	struct mock_llm *m = arg;

	pthread_mutex_lock(&m->lock);
	while (!m->stopping) {
		uint64_t ms = resume_due(m);
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += (long)(ms % 1000) * 1000000;
		until.tv_sec += (time_t)(ms / 1000) + until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&m->wake, &m->lock, &until);
	}
	resume_due(m);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

static int served_before(struct MHD_Connection *on)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(on, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	uintptr_t *n = i ? (uintptr_t *)i->socket_context : NULL;

	return n && (*n)++ > 0;
}

static enum MHD_Result reset(struct MHD_Connection *on)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(on, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct linger at_once = { 1, 0 };

	setsockopt(i->connect_fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	return MHD_NO;
}

static void add_last(struct mock_llm *m, struct buf *b)
{
	char *last = mock_llm_last(m);

	buf_add_str(b, last);
	free(last);
}

static enum MHD_Result get_page(struct mock_llm *m, struct MHD_Connection *on,
				const char *path)
{
	struct out o = { .status = 200, .type = "application/json" };
	struct request none = { .mock = m, .on = on };
	struct mock_llm_stats s = mock_llm_stats(m);

	if (strcmp(path, "/stats") == 0)
		buf_addf(&o.body,
			 "{\"total\":%llu,\"distinct\":%llu,\"repeated\":%llu,"
			 "\"max_in_flight\":%llu,\"answered\":%llu,\"connections\":%"
			 "llu}\n",
			 (unsigned long long)s.total, (unsigned long long)s.distinct,
			 (unsigned long long)s.repeated,
			 (unsigned long long)s.max_in_flight,
			 (unsigned long long)s.answered,
			 (unsigned long long)s.connections);
	else if (strstr(path, "/models"))
		buf_add_str(&o.body, "{\"object\":\"list\",\"data\":[{\"id\":\"mock\","
				     "\"object\":\"model\",\"owned_by\":\"mock\"}]}\n");
	else if (strcmp(path, "/last") == 0)
		add_last(m, &o.body);
	else if (strcmp(path, "/health") == 0)
		buf_add_str(&o.body, "{\"status\":\"ok\"}\n");
	else
		error_json(&o, 404, "no such page", "404");
	return queue(on, make(&none, &o), &o);
}

static int is_stopping(struct mock_llm *m)
{
	int yes;

	pthread_mutex_lock(&m->lock);
	yes = m->stopping;
	pthread_mutex_unlock(&m->lock);
	return yes;
}

static enum MHD_Result decide(struct request *r, const char *path)
{
	struct out o = { 0 };
	int before = served_before(r->on);

	if (!r->decided) {
		count_request(r);
		r->decided = 1;
		if (delay_of(r))
			return suspend(r, delay_of(r));
	}
	if (is_stopping(r->mock))
		return MHD_NO;
	if (r->step.what == MOCK_reset || (r->step.what == MOCK_reset_reused && before))
		return reset(r->on);
	r->embeds = strstr(path, "/embeddings") != NULL;
	fill(r, path, &o);
	if (!strstr(path, "/chat/completions") && !r->embeds &&
	    !mock_reward_path(path)) {
		buf_clear(&o.body);
		error_json(&o, 404, "no such path", "404");
		o.answer = 0;
	}
	if (o.answer)
		count_answer(r);
	land(r);
	return queue(r->on, make(r, &o), &o);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *on,
				  const char *path, const char *method,
				  const char *version, const char *data, size_t *n,
				  void **state)
{
	struct request *r = *state;

	(void)version;
	if (!r) {
		r = *state = mem_alloc(1, sizeof *r);
		if (!r)
			return MHD_NO;
		r->mock = arg;
		r->on = on;
		return MHD_YES;
	}
	if (*n) {
		buf_add(&r->body, data, *n);
		*n = 0;
		return MHD_YES;
	}
	if (strcmp(method, "GET") == 0)
		return get_page(arg, on, path);
	return decide(r, path);
}

static void on_completed(void *arg, struct MHD_Connection *on, void **state,
			 enum MHD_RequestTerminationCode why)
{
	struct request *r = *state;

	(void)arg, (void)on, (void)why;
	if (!r)
		return;
	land(r);
	buf_free(&r->body);
	mem_free(r);
	*state = NULL;
}

static void on_connection(void *arg, struct MHD_Connection *on, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct mock_llm *m = arg;

	(void)on;
	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		mem_free(*context);
		return;
	}
	*context = mem_alloc(1, sizeof(uintptr_t));
	pthread_mutex_lock(&m->lock);
	m->stats.connections++;
	pthread_mutex_unlock(&m->lock);
}

/* It would tell stderr of each connection that a script closes. */
static void no_log(void *arg, const char *fmt, va_list ap)
{
	(void)arg, (void)fmt, (void)ap;
}

static struct MHD_Daemon *start_daemon(struct mock_llm *m)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(m->set.port),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL |
			 MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem pool[] = {
		{ MHD_OPTION_THREAD_POOL_SIZE, m->set.threads, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	return MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, m, MHD_OPTION_EXTERNAL_LOGGER, no_log,
		NULL, MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, m, MHD_OPTION_NOTIFY_CONNECTION, on_connection, m,
		MHD_OPTION_CONNECTION_TIMEOUT, m->set.idle_s,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
		MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_ARRAY,
		m->set.threads > 1 ? pool : pool + 1, MHD_OPTION_END);
}

static void init_locks(struct mock_llm *m)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

struct mock_llm *mock_llm_start(const struct mock_llm_options *o)
{
	struct mock_llm *m = mem_alloc(1, sizeof *m);
	const union MHD_DaemonInfo *info;

	m->set = *o;
	init_locks(m);
	if (mock_llm_script(m, o->script) == 0)
		m->daemon = start_daemon(m);
	if (!m->daemon) {
		fprintf(stderr, "mock_llm: cannot listen on port %u\n", o->port);
		mem_free(m);
		return NULL;
	}
	info = MHD_get_daemon_info(m->daemon, MHD_DAEMON_INFO_BIND_PORT);
	m->port = info->port;
	snprintf(m->url, sizeof m->url, "http://127.0.0.1:%u/v1", m->port);
	pthread_create(&m->clock, NULL, run_clock, m);
	return m;
}

void mock_llm_stop(struct mock_llm **mp)
{
	struct mock_llm *m = *mp;

	if (!m)
		return;
	*mp = NULL;
	pthread_mutex_lock(&m->lock);
	m->stopping = 1;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->clock, NULL);
	MHD_stop_daemon(m->daemon);
	mem_free(m->seen);
	mem_free(m->done);
	free(m->last);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->wake);
	mem_free(m);
}

uint16_t mock_llm_port(const struct mock_llm *m)
{
	return m->port;
}

const char *mock_llm_url(const struct mock_llm *m)
{
	return m->url;
}

struct mock_llm_stats mock_llm_stats(struct mock_llm *m)
{
	struct mock_llm_stats s;

	pthread_mutex_lock(&m->lock);
	s = m->stats;
	pthread_mutex_unlock(&m->lock);
	return s;
}

char *mock_llm_last(struct mock_llm *m)
{
	char *copy;

	pthread_mutex_lock(&m->lock);
	copy = strdup(m->last ? m->last : "");
	pthread_mutex_unlock(&m->lock);
	return copy;
}
