/* chat_reply.c - see chat_reply.h */
#include "worker/chat_reply.h"

#include "worker/chat_first.h"

#include <assert.h>
#include <jansson.h>
#include <strings.h>

enum { BYTES_PER_TOKEN = 4, ODD_BYTES_PER_TOKEN = 16, CAP_LEAST = 2048 };

/* What both forms of a reply are gathered into. */
struct gathered {
	struct buf content, reasoning, finish, model;
	struct usage usage;
	struct chat_first first;
	struct arena *arena;
	int prompt_told, completion_told;
	int choices, done; /* seen a choice; seen [DONE] */
};

static void gathered_fini(struct gathered *g)
{
	buf_free(&g->content);
	buf_free(&g->reasoning);
	buf_free(&g->finish);
	buf_free(&g->model);
}

static void add_text(struct buf *b, const json_t *j)
{
	if (json_is_string(j))
		buf_add(b, json_string_value(j), json_string_length(j));
}

static void set_text(struct buf *b, const json_t *j)
{
	if (json_string_length(j)) {
		buf_clear(b);
		add_text(b, j);
	}
}

/* ---- usage ---- */

/* A count, told if it is there, a number and not negative. */
static int count_of(const json_t *j, const char *name, uint64_t *ret)
{
	const json_t *v = json_object_get(j, name);

	if (!json_is_number(v) || json_number_value(v) < 0 ||
	    json_number_value(v) > 1e15)
		return 0;
	*ret = (uint64_t)json_number_value(v);
	return 1;
}

static int cached_of(const json_t *root, const json_t *usage, uint64_t *ret)
{
	return count_of(json_object_get(usage, "prompt_tokens_details"),
			"cached_tokens", ret) ||
	       count_of(usage, "prompt_cache_hit_tokens", ret) || /* DeepSeek */
	       count_of(json_object_get(root, "timings"), "cache_n",
			ret); /* llama.cpp */
}

/* In a stream usage may come with any chunk, and the last one counts. A prompt of 0
 * tokens is Ollama's way to say that it was cached: not told. */
static void take_usage(struct gathered *g, const json_t *root)
{
	const json_t *u = json_object_get(root, "usage");
	uint64_t n;

	if (count_of(u, "prompt_tokens", &n) && n > 0) {
		g->usage.prompt = n;
		g->prompt_told = 1;
	}
	if (count_of(u, "completion_tokens", &n)) {
		g->usage.completion = n;
		g->completion_told = 1;
	}
	if (g->prompt_told && cached_of(root, u, &n)) {
		g->usage.cached = n < g->usage.prompt ? n : g->usage.prompt;
		g->usage.flags |= USAGE_CACHED;
	}
}

static void estimate(struct gathered *g, size_t prompt_bytes)
{
	size_t said = g->content.n + g->reasoning.n;

	if (g->prompt_told || g->completion_told)
		g->usage.flags |= USAGE_MEASURED;
	if (!g->prompt_told || !g->completion_told)
		g->usage.flags |= USAGE_ESTIMATED;
	if (!g->prompt_told)
		g->usage.prompt =
			(prompt_bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
	if (!g->completion_told)
		g->usage.completion = (said + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
}

/* Ollama cuts a prompt to its context and says 200. */
static int looks_truncated(const struct gathered *g, size_t prompt_bytes)
{
	uint64_t sum = g->usage.prompt + g->usage.completion;

	if (!g->prompt_told || !g->completion_told)
		return 0;
	if (prompt_bytes > CAP_LEAST * 2 &&
	    g->usage.prompt < prompt_bytes / ODD_BYTES_PER_TOKEN)
		return 1;
	return sum >= CAP_LEAST && (sum & (sum - 1)) == 0 &&
	       g->usage.prompt < prompt_bytes / BYTES_PER_TOKEN / 2;
}

/* ---- choices ---- */

/* content is a string, null, or a list of parts. */
static void take_content(struct buf *b, const json_t *content)
{
	const json_t *part;
	size_t i;

	add_text(b, content);
	json_array_foreach (content, i, part)
		add_text(b, json_object_get(part, "text"));
}

static const json_t *first_choice(const json_t *root)
{
	const json_t *choices = json_object_get(root, "choices"), *c, *best = NULL;
	json_int_t least = 0;
	size_t i;

	json_array_foreach (choices, i, c) {
		json_int_t at = json_integer_value(json_object_get(c, "index"));

		if (!best || at < least) {
			best = c;
			least = at;
		}
	}
	return best;
}

static void take_chunk(struct gathered *g, const json_t *root)
{
	const json_t *choice = first_choice(root);
	const json_t *m = json_object_get(choice, "delta");

	if (!json_is_object(m))
		m = json_object_get(choice, "message");
	set_text(&g->model, json_object_get(root, "model"));
	take_usage(g, root);
	if (!json_is_object(choice))
		return;
	g->choices |= json_is_object(m) || json_object_get(choice, "finish_reason");
	take_content(&g->content, json_object_get(m, "content"));
	add_text(&g->reasoning, json_object_get(m, "reasoning"));
	if (!json_is_string(json_object_get(m, "reasoning")))
		add_text(&g->reasoning, json_object_get(m, "reasoning_content"));
	set_text(&g->finish, json_object_get(choice, "finish_reason"));
	chat_first_take(&g->first, root, choice, g->arena);
}

/* ---- errors under a 200 ---- */

static int is_error(const json_t *root)
{
	const json_t *error = json_object_get(root, "error");
	const char *object = json_string_value(json_object_get(root, "object"));

	if (object && strcmp(object, "error") == 0)
		return 1;
	return error && !json_is_null(error) && !json_is_false(error);
}

static int say_error(const json_t *root, struct arena *a, struct view *ret_error,
		     struct err *e)
{
	char *text = json_dumps(root, JSON_COMPACT);

	if (text) {
		ret_error->p = arena_str(a, text);
		ret_error->n = ret_error->p ? strlen(text) : 0;
		free(text);
	}
	return err_set(e, ERR_PROTO, "an error under HTTP 200");
}

/* ---- the two forms ---- */

static int read_json(struct view body, struct gathered *g, struct arena *a,
		     struct view *ret_error, struct err *e)
{
	json_error_t why;
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, &why);
	int rc = 0;

	if (!root)
		return err_set(e, ERR_PROTO, "%s",
			       json_error_code(&why) ==
					       json_error_premature_end_of_input
				       ? "JSON that ends too early"
				       : "not JSON");
	if (is_error(root))
		rc = say_error(root, a, ret_error, e);
	else
		take_chunk(g, root);
	json_decref(root);
	if (!rc && !g->choices)
		rc = err_set(e, ERR_PROTO, "JSON, but no chat completion: no choices");
	return rc;
}

/* The next line without its end; 0 when there is none. An event stream may end lines
 * with LF, CR LF or CR. */
static int next_line(struct view *rest, struct view *ret)
{
	size_t n = 0;

	if (!rest->n)
		return 0;
	while (n < rest->n && rest->p[n] != '\n' && rest->p[n] != '\r')
		n++;
	*ret = (struct view){ rest->p, n };
	if (n + 1 < rest->n && rest->p[n] == '\r' && rest->p[n + 1] == '\n')
		n++;
	n += n < rest->n;
	*rest = (struct view){ rest->p + n, rest->n - n };
	return 1;
}

static int take_event(struct gathered *g, struct buf *data, struct arena *a,
		      struct view *ret_error, struct err *e)
{
	int rc = 0;
	json_t *root;

	if (data->bad)
		return err_set(e, data->bad, "an event: %s", err_text(data->bad));
	if (!data->n)
		return 0;
	if (view_eq(buf_view(data), view_of("[DONE]"))) {
		g->done = 1;
		return 0;
	}
	root = json_loadb(data->p, data->n, JSON_ALLOW_NUL, NULL);
	if (!root)
		rc = err_set(e, ERR_PROTO, "an event that is not JSON");
	else if (is_error(root))
		rc = say_error(root, a, ret_error, e);
	else
		take_chunk(g, root);
	json_decref(root);
	return rc;
}

static int read_stream(struct view body, struct gathered *g, struct arena *a,
		       struct view *ret_error, struct err *e)
{
	struct buf data = { 0 };
	struct view line;
	int rc = 0;

	while (!rc && !g->done && next_line(&body, &line)) {
		if (line.n == 0) {
			rc = take_event(g, &data, a, ret_error, e);
			buf_clear(&data);
		} else if (line.n >= 5 && memcmp(line.p, "data:", 5) == 0) {
			size_t skip = 5 + (line.n > 5 && line.p[5] == ' ');

			if (data.n)
				buf_add_char(&data, '\n');
			buf_add(&data, line.p + skip, line.n - skip);
		}
	}
	if (!rc && !g->done) /* the last event may lack its blank line */
		rc = take_event(g, &data, a, ret_error, e);
	buf_free(&data);
	if (rc)
		return rc;
	if (!g->done && !g->finish.n)
		return err_set(e, ERR_PROTO, "event stream that ends too early");
	return g->choices ? 0 : err_set(e, ERR_PROTO, "event stream without choices");
}

/* The content type decides; a body that is plainly the other thing wins over it. */
static int is_stream(struct view type, struct view body)
{
	static const char stream[] = "text/event-stream";
	static const char *const first[] = { "data:", "event:", "id:", "retry:", ":" };

	if (body.p[0] == '{')
		return 0;
	if (type.n >= sizeof stream - 1 &&
	    strncasecmp(type.p, stream, sizeof stream - 1) == 0)
		return 1;
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (body.n > strlen(first[i]) &&
		    memcmp(body.p, first[i], strlen(first[i])) == 0)
			return 1;
	return 0;
}

/* ---- the verdict ---- */

/* Is there anything behind the last </think>, and no <think> left open? */
static int says_something(struct view answer, int *ret_thought)
{
	static const char open[] = "<think>", close[] = "</think>";
	struct view rest = answer;
	const char *at;

	while ((at = memmem(rest.p, rest.n, close, sizeof close - 1))) {
		at += sizeof close - 1;
		rest.n -= (size_t)(at - rest.p);
		rest.p = at;
		*ret_thought = 1;
	}
	while (rest.n && strchr(" \t\r\n", rest.p[0]))
		rest.p++, rest.n--;
	if (rest.n >= sizeof open - 1 && memcmp(rest.p, open, sizeof open - 1) == 0) {
		*ret_thought = 1;
		return 0;
	}
	return rest.n > 0;
}

static int keep(struct arena *a, const struct buf *b, struct view *ret)
{
	if (b->bad)
		return b->bad;
	*ret = b->n ? arena_view(a, buf_view(b)) : view_of("");
	return ret->p ? 0 : ERR_NOMEM;
}

static int conclude(struct gathered *g, size_t prompt_bytes, struct arena *a,
		    struct chat_out *out, struct err *e)
{
	int thought = g->reasoning.n > 0;

	estimate(g, prompt_bytes);
	out->usage = g->usage;
	out->note = view_of("");
	out->first = g->first.alt;
	out->truncated = looks_truncated(g, prompt_bytes);
	if (keep(a, &g->content, &out->answer) || keep(a, &g->finish, &out->finish) ||
	    keep(a, &g->model, &out->model))
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	if (says_something(out->answer, &thought))
		out->kind = CHAT_ANSWER;
	else
		out->kind = thought ? CHAT_EMPTY_AFTER_REASONING : CHAT_EMPTY;
	return 0;
}

int chat_reply_read(struct view content_type, struct view body, size_t prompt_bytes,
		    struct arena *a, struct chat_out *ret, struct view *ret_error,
		    struct err *e)
{
	struct gathered g = { .arena = a };
	struct chat_out out = { .reply = body };
	int rc;

	*ret_error = view_of("");
	while (body.n && strchr(" \t\r\n\xef\xbb\xbf", body.p[0]) && body.p[0])
		body.p++, body.n--; /* keep-alive blanks, a byte order mark */
	if (!body.n)
		return err_set(e, ERR_PROTO, "an empty body");
	rc = is_stream(content_type, body) ? read_stream(body, &g, a, ret_error, e)
					   : read_json(body, &g, a, ret_error, e);
	if (!rc)
		rc = conclude(&g, prompt_bytes, a, &out, e);
	gathered_fini(&g);
	if (!rc)
		*ret = out;
	return rc;
}
