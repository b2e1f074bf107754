/* mock_reward.c - see mock_reward.h */
#include "tests/support/mock_reward.h"

#include "common/base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXTS = 64, EMBEDDING = 1024 };

static const char *const names[] = { "/classify", "/pooling", "/score", "/rerank" };

static const char *name_of(const char *path)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(path), k = strlen(names[i]);

		if (n >= k && strcmp(path + n - k, names[i]) == 0)
			return names[i];
	}
	return NULL;
}

int mock_reward_path(const char *path)
{
	return name_of(path) != NULL;
}

double mock_reward_of(struct view text)
{
	return ((double)(sip64_of(text.p, text.n) % 2001) - 1000) / 100;
}

static struct view view_json(const json_t *j)
{
	return (struct view){ json_string_value(j), json_string_length(j) };
}

/* A string is one text. */
static size_t texts_of(const json_t *j, struct view *ret)
{
	size_t n = json_array_size(j) < TEXTS ? json_array_size(j) : TEXTS;

	if (json_is_string(j)) {
		ret[0] = view_json(j);
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = view_json(json_array_get(j, i));
	return n;
}

static size_t inputs_of(const json_t *q, struct view *ret)
{
	const json_t *m = json_object_get(q, "messages");

	if (!m)
		return texts_of(json_object_get(q, "input"), ret);
	ret[0] = view_json(
		json_object_get(json_array_get(m, json_array_size(m) - 1), "content"));
	return 1;
}

static unsigned refuse(unsigned status, const char *text, struct buf *b)
{
	buf_addf(b, "{\"error\":{\"message\":\"%s\",\"type\":\"x\",\"code\":%u}}", text,
		 status);
	return status;
}

/* ---- one item each --------------------------------------------------------------- */

static void classify(double x, int labels, int softmaxed, struct buf *b)
{
	double e = exp(x), all = e + (labels - 1);

	buf_addf(b, "\"label\":\"LABEL_0\",\"num_classes\":%d,\"probs\":[", labels);
	for (int i = 0; i < labels; i++) {
		int last = i == labels - 1;
		double raw = last ? x : 0;

		buf_addf(b, "%s%.17g", i ? "," : "",
			 softmaxed ? (last ? e : 1) / all : raw);
	}
	buf_add_str(b, "]");
}

static void pool(double x, const char *how, struct buf *b)
{
	buf_add_str(b, "\"object\":\"reward\",\"data\":[");
	if (strcmp(how, "tokens") == 0)
		buf_addf(b, "[0.5],[-3.25],[%.17g]", x);
	else if (strcmp(how, "embedding") == 0)
		for (int i = 0; i < EMBEDDING; i++)
			buf_addf(b, "%s0.%d", i ? "," : "", i);
	else
		buf_addf(b, "%.17g", x);
	buf_add_str(b, "]");
}

static unsigned items(const char *serves, const struct view *text, size_t n,
		      struct buf *b)
{
	const char *colon = strchr(serves, ':');
	int labels = colon ? atoi(colon + 1) : 1;

	buf_add_str(b, "{\"id\":\"mock\",\"object\":\"list\",\"data\":[");
	for (size_t i = n; i--;) { /* matched by index, or not at all */
		double x = mock_reward_of(text[i]);

		buf_addf(b, "%s{\"index\":%zu,", i + 1 < n ? "," : "", i);
		if (strncmp(serves, "classify", 8) == 0)
			classify(x, labels, 0, b);
		else if (strcmp(serves, "ones") == 0)
			classify(memmem(text[i].p, text[i].n, "no answer", 9) ? -2 : 1,
				 1, 0, b);
		else if (strncmp(serves, "softmax", 7) == 0)
			classify(x, labels, 1, b);
		else if (strncmp(serves, "score", 5) == 0)
			buf_addf(b, "\"object\":\"score\",\"score\":%.17g", x);
		else
			pool(x, serves, b);
		buf_add_char(b, '}');
	}
	buf_add_str(b,
		    strncmp(serves, "score", 5) == 0
			    ? "],\"usage\":{}}"
			    : "],\"usage\":{\"prompt_tokens\":12,\"total_tokens\":12,"
			      "\"completion_tokens\":0}}");
	return 200;
}

/* ---- rerank ---------------------------------------------------------------------- */

static unsigned rerank(const char *serves, const json_t *q, struct buf *b)
{
	int bare = strcmp(serves, "rerank:bare") == 0,
	    shorter = strcmp(serves, "rerank:short") == 0;
	struct view text[TEXTS];
	size_t n = texts_of(json_object_get(q, "documents"), text), order[TEXTS];

	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		for (;
		     k && mock_reward_of(text[order[k - 1]]) < mock_reward_of(text[i]);
		     k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	buf_add_str(b, bare ? "[" : "{\"results\":[");
	for (size_t i = 0; i + (size_t)shorter < n; i++)
		buf_addf(b, "%s{\"index\":%zu,\"%s\":%.17g}", i ? "," : "", order[i],
			 bare ? "score" : "relevance_score",
			 mock_reward_of(text[order[i]]));
	buf_add_str(b, bare ? "]" : "],\"usage\":{\"total_tokens\":30}}");
	return 200;
}

/* ---- which ----------------------------------------------------------------------- */

static int is(const char *serves, const char *word)
{
	size_t n = strlen(word);

	return strncmp(serves, word, n) == 0 && (!serves[n] || serves[n] == ':');
}

static unsigned pairs(const char *serves, const json_t *q, struct buf *b)
{
	int old = strcmp(serves, "score:old") == 0;
	const json_t *texts = json_object_get(q, old ? "text_2" : "documents");
	struct view text[TEXTS];

	if (!texts)
		return refuse(old ? 422 : 400,
			      old ? "Field required: text_1, text_2"
				  : "Field required: queries",
			      b);
	return items(serves, text, texts_of(texts, text), b);
}

unsigned mock_reward_answer(const char *serves, const char *path, const json_t *q,
			    struct buf *b)
{
	const char *name = name_of(path);
	struct view text[TEXTS];

	if (!serves)
		serves = "";
	if (strcmp(name, "/classify") == 0 &&
	    (is(serves, "classify") || is(serves, "softmax") || is(serves, "ones")))
		return items(serves, text, inputs_of(q, text), b);
	if (strcmp(name, "/pooling") == 0 &&
	    (is(serves, "pooling") || is(serves, "tokens") || is(serves, "embedding")))
		return items(serves, text, inputs_of(q, text), b);
	if (strcmp(name, "/score") == 0 && is(serves, "score"))
		return pairs(serves, q, b);
	if (strcmp(name, "/rerank") == 0 && is(serves, "rerank"))
		return rerank(serves, q, b);
	return refuse(404, "The model does not support this API", b);
}
