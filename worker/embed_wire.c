/* embed_wire.c - see embed_wire.h */
#include "worker/embed_wire.h"

#include "worker/chat_body.h"

#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>

/* ---- asking ---------------------------------------------------------------------- */

void embed_body(struct buf *b, const char *model, const struct embed_ask *ask)
{
	buf_add_str(b, "{\"model\":");
	chat_body_text(b, view_of(model));
	buf_add_str(b, ",\"input\":[");
	for (uint32_t i = 0; i < ask->n; i++) {
		if (i)
			buf_add_char(b, ',');
		/* An empty string is an error at most servers. */
		chat_body_text(b, ask->text[i].n ? ask->text[i] : view_of(" "));
	}
	buf_add_str(b, "],\"encoding_format\":\"float\"");
	if (ask->dim) /* most servers refuse the word */
		buf_addf(b, ",\"dimensions\":%u", ask->dim);
	buf_add_char(b, '}');
}

/* ---- one vector ------------------------------------------------------------------ */

struct reading {
	const char *model;
	const struct embed_ask *ask;
	struct arena *a;
	uint32_t dim; /* of the first one */
	float **vector;
	struct err *e;
};

static int refused(struct reading *r, uint32_t i, const char *what)
{
	return err_set(r->e, ERR_REFUSED, "embeddings of %s: text %u: %s", r->model, i,
		       what);
}

static int numbers(struct reading *r, uint32_t i, const json_t *list, double *ret)
{
	const json_t *v;
	size_t k;

	json_array_foreach (list, k, v) {
		if (json_is_array(v))
			return refused(r, i,
				       "a vector for each token: serve the model with "
				       "pooling (llama.cpp: --pooling mean)");
		if (!json_is_number(v))
			return refused(r, i, "a number is not one");
		ret[k] = json_number_value(v);
	}
	return 0;
}

/* Little-endian floats. */
static int base64(struct reading *r, uint32_t i, const json_t *text, double **ret,
		  size_t *ret_n)
{
	size_t n = json_string_length(text), bytes = 0;
	unsigned char *raw = arena_alloc(r->a, n + 1, 1);
	const char *end = NULL, *from = json_string_value(text);
	int variant = sodium_base64_VARIANT_ORIGINAL;

	if (raw && n && from[n - 1] != '=' && n % 4)
		variant = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
	if (!raw || sodium_base642bin(raw, n, from, n, "\r\n", &bytes, &end, variant) ||
	    bytes % sizeof(float))
		return refused(r, i, "a text that is no base64 of floats");
	*ret_n = bytes / sizeof(float);
	*ret = arena_alloc(r->a, *ret_n + 1, sizeof **ret);
	for (size_t k = 0; *ret && k < *ret_n; k++) {
		float f;

		memcpy(&f, raw + k * sizeof f, sizeof f);
		(*ret)[k] = (double)f;
	}
	return *ret ? 0 : err_set(r->e, ERR_NOMEM, "embeddings");
}

static int dimensions(struct reading *r, uint32_t i, size_t n)
{
	char what[160];

	if (!r->dim)
		r->dim = (uint32_t)n;
	if (n == 0 || n > EMBED_DIM_MAX)
		return refused(r, i, n ? "over 8192 numbers" : "an empty vector");
	if (n == r->dim && (!r->ask->dim || n == r->ask->dim))
		return 0;
	snprintf(what, sizeof what, "%zu numbers, %u were expected", n,
		 n == r->dim ? r->ask->dim : r->dim);
	return refused(r, i, what);
}

static int normalise(struct reading *r, uint32_t i, const double *v)
{
	double squares = 0, length;

	for (uint32_t k = 0; k < r->dim; k++)
		squares += v[k] * v[k];
	length = sqrt(squares);
	if (!isfinite(length) || length == 0)
		return refused(r, i,
			       length == 0 ? "all zeros" : "a number is not finite");
	r->vector[i] = arena_alloc(r->a, r->dim, sizeof **r->vector);
	if (!r->vector[i])
		return err_set(r->e, ERR_NOMEM, "embeddings");
	for (uint32_t k = 0; k < r->dim; k++)
		r->vector[i][k] = (float)(v[k] / length);
	return 0;
}

static int take_vector(struct reading *r, uint32_t i, const json_t *j)
{
	size_t n = json_array_size(j);
	double *v = NULL;
	int rc;

	if (json_is_string(j)) {
		rc = base64(r, i, j, &v, &n);
	} else if (json_is_array(j)) {
		v = arena_alloc(r->a, n + 1, sizeof *v);
		rc = v ? numbers(r, i, j, v) : err_set(r->e, ERR_NOMEM, "embeddings");
	} else {
		rc = refused(r, i, "no vector");
	}
	if (!rc)
		rc = dimensions(r, i, n);
	return rc ? rc : normalise(r, i, v);
}

/* ---- the answer ------------------------------------------------------------------ */

static int take_list(struct reading *r, const json_t *list)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) != r->ask->n)
		return err_set(r->e, ERR_PROTO, "%zu embeddings for %u texts",
			       json_array_size(list), r->ask->n);
	json_array_foreach (list, i, item) {
		const json_t *index = json_object_get(item, "index");
		json_int_t at = index ? json_integer_value(index) : (json_int_t)i;
		int rc;

		if ((index && !json_is_integer(index)) || at < 0 ||
		    at >= (json_int_t)r->ask->n || r->vector[at])
			return err_set(r->e, ERR_PROTO,
				       "embeddings whose indexes are not 0 to %u",
				       r->ask->n - 1);
		rc = take_vector(r, (uint32_t)at, json_object_get(item, "embedding"));
		if (rc)
			return rc;
	}
	return 0;
}

static struct usage usage_of(const json_t *root, const struct embed_ask *ask)
{
	const json_t *u = json_object_get(root, "usage");
	const json_t *told = json_object_get(u, "prompt_tokens");
	size_t bytes = 0;

	if (!json_is_integer(told) || json_integer_value(told) <= 0)
		told = json_object_get(u, "total_tokens");
	if (json_is_integer(told) && json_integer_value(told) > 0)
		return (struct usage){ .prompt = (uint64_t)json_integer_value(told),
				       .flags = USAGE_MEASURED };
	for (uint32_t i = 0; i < ask->n; i++)
		bytes += ask->text[i].n;
	return (struct usage){ .prompt = (bytes + 3) / 4, .flags = USAGE_ESTIMATED };
}

static int read_root(struct reading *r, const json_t *root, struct embed_out *ret)
{
	float *all;
	int rc = take_list(r, json_object_get(root, "data"));

	if (rc)
		return rc;
	all = arena_alloc(r->a, (size_t)r->ask->n * r->dim + 1, sizeof *all);
	if (!all)
		return err_set(r->e, ERR_NOMEM, "embeddings");
	for (uint32_t i = 0; i < r->ask->n; i++)
		memcpy(all + (size_t)i * r->dim, r->vector[i], r->dim * sizeof *all);
	*ret = (struct embed_out){ all, r->ask->n, r->dim, usage_of(root, r->ask) };
	return 0;
}

int embed_read(const char *model, const struct embed_ask *ask, struct view body,
	       struct arena *a, struct embed_out *ret, struct err *e)
{
	float *vector[EMBED_TEXTS] = { NULL };
	struct reading r = { model, ask, a, 0, vector, e };
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	int rc = json_is_object(root)
			 ? read_root(&r, root, ret)
			 : err_set(e, ERR_PROTO, "no JSON object with embeddings");

	json_decref(root);
	return rc;
}

/* ---- as a form of ask ------------------------------------------------------------ */

static void form_body(struct buf *b, const struct chat_ask *ask,
		      const struct endpoint_facts *facts)
{
	(void)facts;
	embed_body(b, ask->model, ask->of_form);
}

static int form_read(const struct chat_ask *ask, struct view body, struct arena *a,
		     struct chat_out *ret, struct view *ret_error, struct err *e)
{
	struct embed_out out;
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	const json_t *error = json_object_get(root, "error");
	int is_error = error && !json_is_null(error) && !json_is_false(error);
	int rc;

	json_decref(root);
	*ret_error = is_error ? body : (struct view){ "", 0 };
	rc = is_error ? err_set(e, ERR_PROTO, "an error under a 200")
		      : embed_read(ask->model, ask->of_form, body, a, &out, e);
	if (rc)
		return rc;
	*ret = (struct chat_out){ .kind = CHAT_ANSWER,
				  .answer = { "", 0 },
				  .finish = { "", 0 },
				  .usage = out.usage,
				  .model = { "", 0 },
				  .note = { "", 0 },
				  .reply = body };
	return 0;
}

const struct chat_form embed_form = { form_body, form_read, NULL };
