/* reward_wire.c - see reward_wire.h */
#include "worker/reward_wire.h"

#include "common/base/round.h"
#include "common/base/softmax.h"
#include "worker/chat_body.h"

#include <jansson.h>
#include <math.h>

const char reward_one_label[] =
	"a head with one label under softmax is always 1.0: update the server, or "
	"serve "
	"with --pooler-config '{\"use_activation\": false}' (older: "
	"'{\"softmax\": false}')";

static const struct {
	const char *path;
	int at_root;
} ways[REWARD_KINDS] = {
	[REWARD_classify] = { "/classify", 1 },
	[REWARD_pooling] = { "/pooling", 1 },
	[REWARD_score] = { "/score", 0 },
	[REWARD_rerank] = { "/rerank", 0 },
};

const char *reward_path(enum reward_kind k)
{
	return ways[k].path;
}

int reward_path_at_root(enum reward_kind k)
{
	return ways[k].at_root;
}

/* ---- asking ---------------------------------------------------------------------- */

static void add_texts(struct buf *b, const char *name, const struct reward_ask *ask)
{
	buf_addf(b, ",\"%s\":", name);
	buf_add_char(b, '[');
	for (uint32_t i = 0; i < ask->n; i++) {
		if (i)
			buf_add_char(b, ',');
		chat_body_text(b, ask->text[i]);
	}
	buf_add_char(b, ']');
}

static void add_message(struct buf *b, const char *role, struct view text, int more)
{
	buf_addf(b, "%s{\"role\":\"%s\",\"content\":", more ? "," : "", role);
	chat_body_text(b, text);
	buf_add_char(b, '}');
}

static void add_messages(struct buf *b, const struct reward_ask *ask)
{
	buf_add_str(b, ",\"messages\":[");
	if (ask->system.n)
		add_message(b, "system", ask->system, 0);
	add_message(b, "user", ask->query, ask->system.n > 0);
	if (ask->n)
		add_message(b, "assistant", ask->text[0], 1);
	buf_add_char(b, ']');
}

/* One text alone is sent as such: SGLang takes no list of one. */
static void add_input(struct buf *b, const struct reward_ask *ask)
{
	if (ask->talks) {
		add_messages(b, ask);
	} else if (ask->n == 1) {
		buf_add_str(b, ",\"input\":");
		chat_body_text(b, ask->text[0]);
	} else {
		add_texts(b, "input", ask);
	}
	buf_add_str(b, ",\"use_activation\":false");
}

static void add_query(struct buf *b, const char *name, const struct reward_ask *ask)
{
	buf_addf(b, ",\"%s\":", name);
	chat_body_text(b, ask->query);
}

void reward_body(struct buf *b, const char *model, const struct reward_ask *ask,
		 const struct endpoint_facts *facts)
{
	buf_add_str(b, "{\"model\":");
	chat_body_text(b, view_of(model));
	switch (ask->kind) {
	case REWARD_score:
		add_query(b, facts->old_pair_names ? "text_1" : "queries", ask);
		add_texts(b, facts->old_pair_names ? "text_2" : "documents", ask);
		break;
	case REWARD_rerank:
		add_query(b, "query", ask);
		add_texts(b, "documents", ask);
		break;
	default: add_input(b, ask);
	}
	buf_add_char(b, '}');
}

/* ---- numbers --------------------------------------------------------------------- */

static int are_probabilities(const double *v, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (v[i] < 0 || v[i] > 1)
			return 0;
		sum += v[i];
	}
	return fabs(sum - 1) < 0.02; /* half precision adds up to no better */
}

static int class_score(const double *v, uint32_t n, int32_t label, double *ret,
		       struct err *e)
{
	uint32_t k = label == REWARD_LAST_LABEL ? n - 1 : (uint32_t)label;

	if (n == 1 && label <= 0) {
		*ret = v[0];
		return 0;
	}
	if (k >= n)
		return err_set(e, ERR_REFUSED,
			       "label %u of %u classes: say --reward-label 0 to %u", k,
			       n, n - 1);
	*ret = round20(are_probabilities(v, n) ? v[k] : softmax_at(v, n, k));
	return 0;
}

static int number(const json_t *j, double *ret)
{
	double v = json_number_value(j);

	if (!json_is_number(j) || !isfinite(v))
		return 0;
	*ret = v;
	return 1;
}

static int not_numbers(struct err *e)
{
	return err_set(e, ERR_PROTO, "a score that is no number");
}

/* A list of numbers. */
static int take_classes(const json_t *list, int32_t label, double *ret,
			uint32_t *ret_classes, struct err *e)
{
	size_t n = json_array_size(list);
	double v[REWARD_CLASSES];

	if (n > REWARD_CLASSES)
		return err_set(e, ERR_REFUSED,
			       "%zu numbers for one text: an embedding, not a score; "
			       "serve a reward model, or say another --reward-kind",
			       n);
	for (size_t i = 0; i < n; i++)
		if (!number(json_array_get(list, i), &v[i]))
			return not_numbers(e);
	if (!n)
		return not_numbers(e);
	*ret_classes = (uint32_t)n;
	return class_score(v, (uint32_t)n, label, ret, e);
}

/* A number, a list of them, or rows of such: the last token's, the last step's. */
static int take_pooled(const json_t *j, int32_t label, double *ret,
		       uint32_t *ret_classes, struct err *e)
{
	if (json_is_string(j))
		return err_set(e, ERR_PROTO, "base64, though numbers were asked for");
	while (json_is_array(json_array_get(j, 0)))
		j = json_array_get(j, json_array_size(j) - 1);
	if (json_is_array(j))
		return take_classes(j, label, ret, ret_classes, e);
	*ret_classes = 1;
	return number(j, ret) ? 0 : not_numbers(e);
}

/* ---- answers --------------------------------------------------------------------- */

static const json_t *first_of(const json_t *item, const char *const *names)
{
	for (; *names; names++) {
		const json_t *j = json_object_get(item, *names);

		if (j && !json_is_null(j))
			return j;
	}
	return NULL;
}

static int take_item(const struct reward_ask *ask, const json_t *item, double *ret,
		     uint32_t *ret_classes, struct err *e)
{
	static const char *const classes[] = { "probs", "embedding", NULL };
	static const char *const pooled[] = { "data", "embedding", NULL };
	static const char *const score[] = { "relevance_score", "score", NULL };

	*ret_classes = 1;
	switch (ask->kind) {
	case REWARD_classify:
		return take_classes(first_of(item, classes), ask->label, ret,
				    ret_classes, e);
	case REWARD_pooling:
		return take_pooled(first_of(item, pooled), ask->label, ret, ret_classes,
				   e);
	default: return number(first_of(item, score), ret) ? 0 : not_numbers(e);
	}
}

static const json_t *list_of(const json_t *root)
{
	static const char *const names[] = { "data", "results", NULL };

	return json_is_array(root) ? root : first_of(root, names);
}

/* Where an item belongs: its index, or its place where items have none. */
static int place_of(const json_t *item, size_t i, uint32_t n, uint32_t *ret)
{
	const json_t *index = json_object_get(item, "index");
	json_int_t at = index ? json_integer_value(index) : (json_int_t)i;

	if ((index && !json_is_integer(index)) || at < 0 || at >= (json_int_t)n)
		return 0;
	*ret = (uint32_t)at;
	return 1;
}

static int take_list(const struct reward_ask *ask, const json_t *list, uint32_t n,
		     double *ret, uint32_t *ret_classes, struct err *e)
{
	uint8_t seen[REWARD_TEXTS] = { 0 };
	const json_t *item;
	size_t i;

	if (json_array_size(list) != n)
		return err_set(e, ERR_PROTO, "%zu scores for %u texts",
			       json_array_size(list), n);
	json_array_foreach (list, i, item) {
		uint32_t at;
		int rc;

		if (!place_of(item, i, n, &at) || seen[at])
			return err_set(e, ERR_PROTO,
				       "scores whose indexes are not 0 to %u", n - 1);
		seen[at] = 1;
		rc = take_item(ask, item, &ret[at], ret_classes, e);
		if (rc)
			return rc;
	}
	return 0;
}

static uint32_t texts_of(const struct reward_ask *ask)
{
	return ask->talks ? 1 : ask->n;
}

static int read_root(const struct reward_ask *ask, const json_t *root, double *ret,
		     uint32_t *ret_classes, struct err *e)
{
	const json_t *list = list_of(root);

	if (!json_is_array(list))
		return err_set(e, ERR_PROTO, "JSON without a list of scores");
	return take_list(ask, list, texts_of(ask), ret, ret_classes, e);
}

int reward_scores(const struct reward_ask *ask, struct view body, double *ret,
		  uint32_t *ret_classes, struct err *e)
{
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	double score[REWARD_TEXTS];
	uint32_t classes = 0;
	int rc = root ? read_root(ask, root, score, &classes, e)
		      : err_set(e, ERR_PROTO, "not JSON");

	json_decref(root);
	if (rc)
		return rc;
	memcpy(ret, score, texts_of(ask) * sizeof *ret);
	*ret_classes = classes;
	return 0;
}

/* ---- as a form of ask ------------------------------------------------------------ */

static void form_body(struct buf *b, const struct chat_ask *ask,
		      const struct endpoint_facts *facts)
{
	reward_body(b, ask->model, ask->of_form, facts);
}

static size_t bytes_of(const struct reward_ask *ask)
{
	size_t n = ask->system.n + ask->query.n;

	for (uint32_t i = 0; i < ask->n; i++)
		n += ask->text[i].n;
	return n;
}

/* Servers tell prompt_tokens, only total_tokens, {}, or nothing. */
static struct usage usage_of(const json_t *root, const struct reward_ask *ask)
{
	const json_t *u = json_object_get(root, "usage");
	const json_t *told = json_object_get(u, "prompt_tokens");

	if (!json_is_integer(told) || json_integer_value(told) <= 0)
		told = json_object_get(u, "total_tokens");
	if (json_is_integer(told) && json_integer_value(told) > 0)
		return (struct usage){ .prompt = (uint64_t)json_integer_value(told),
				       .flags = USAGE_MEASURED };
	return (struct usage){ .prompt = (bytes_of(ask) + 3) / 4,
			       .flags = USAGE_ESTIMATED };
}

static int is_error(const json_t *root)
{
	const json_t *error = json_object_get(root, "error");
	const char *object = json_string_value(json_object_get(root, "object"));

	return (object && strcmp(object, "error") == 0) ||
	       (error && !json_is_null(error) && !json_is_false(error));
}

static int form_read(const struct chat_ask *ask, struct view body, struct arena *a,
		     struct chat_out *ret, struct view *ret_error, struct err *e)
{
	const struct reward_ask *of = ask->of_form;
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	struct view none = view_of("");
	double score[REWARD_TEXTS];
	uint32_t classes;
	int rc;

	(void)a;
	*ret_error = none;
	if (is_error(root)) {
		*ret_error = body;
		rc = err_set(e, ERR_PROTO, "an error under HTTP 200");
	} else {
		rc = root ? read_root(of, root, score, &classes, e)
			  : err_set(e, ERR_PROTO, "not JSON");
	}
	if (!rc)
		*ret = (struct chat_out){ .kind = CHAT_ANSWER,
					  .answer = none,
					  .finish = none,
					  .model = none,
					  .note = none,
					  .usage = usage_of(root, of),
					  .reply = body };
	json_decref(root);
	return rc;
}

/* vLLM called the members of a pair text_1 and text_2, and says so. */
static int form_learn(struct endpoint_facts *facts, struct view body)
{
	if (!memmem(body.p, body.n, "text_1", 6))
		return 0;
	facts->old_pair_names = 1;
	return 1;
}

const struct chat_form reward_form = { form_body, form_read, form_learn };
