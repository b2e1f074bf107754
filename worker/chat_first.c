/* chat_first.c - see chat_first.h */
#include "worker/chat_first.h"

#include "common/base/utf8.h"

#include <math.h>

static const char open_tag[] = "<think>", close_tag[] = "</think>";

/* ---- what was said, and whether it is answer ---- */

static void remember(struct chat_first *f, struct view said)
{
	size_t most = sizeof f->tail - 1;

	for (size_t i = 0; i < said.n; i++) {
		if (f->ntail == most)
			memmove(f->tail, f->tail + 1, --f->ntail);
		f->tail[f->ntail++] = said.p[i];
	}
}

static int ends_in(const struct chat_first *f, const char *tag)
{
	size_t n = strlen(tag);

	return f->ntail >= n && memcmp(f->tail + f->ntail - n, tag, n) == 0;
}

/* 1: the token may be the answer's first. */
static int is_answer(struct chat_first *f, struct view said)
{
	remember(f, said);
	if (ends_in(f, close_tag)) {
		f->thinks = f->found = 0;
		f->alt.n = 0;
		return 0;
	}
	if (ends_in(f, open_tag)) {
		f->thinks = 1;
		f->alt.n = 0;
		return 0;
	}
	return !f->thinks && !f->found;
}

static void add(struct chat_first *f, struct view token, const json_t *logprob,
		struct arena *a)
{
	if (json_is_number(logprob))
		alternatives_add(&f->alt, arena_view(a, token),
				 json_number_value(logprob));
}

static struct view text(const json_t *j)
{
	return (struct view){ json_is_string(j) ? json_string_value(j) : "",
			      json_is_string(j) ? json_string_length(j) : 0 };
}

/* Begins a place; 0: its alternatives are not wanted. */
static int begin(struct chat_first *f, struct view said)
{
	if (!is_answer(f, said))
		return 0;
	f->alt.n = 0;
	f->found = token_is_word(said);
	return 1;
}

/* ---- the three forms ---- */

static void take_place(struct chat_first *f, const json_t *place, struct arena *a)
{
	const json_t *other, *list = json_object_get(place, "top_logprobs");
	struct view said = text(json_object_get(place, "token"));
	size_t i;

	if (!begin(f, said))
		return;
	json_array_foreach (list, i, other)
		add(f, text(json_object_get(other, "token")),
		    json_object_get(other, "logprob"), a);
	add(f, said, json_object_get(place, "logprob"), a);
}

static void take_columns(struct chat_first *f, const json_t *logprobs, struct arena *a)
{
	const json_t *tokens = json_object_get(logprobs, "tokens"), *token;
	size_t i;

	json_array_foreach (tokens, i, token) {
		json_t *top =
			json_array_get(json_object_get(logprobs, "top_logprobs"), i);
		const char *name;
		json_t *logprob;

		if (!begin(f, text(token)))
			continue;
		json_object_foreach (top, name, logprob)
			add(f, view_of(name), logprob, a);
		add(f, text(token),
		    json_array_get(json_object_get(logprobs, "token_logprobs"), i), a);
	}
}

static void take_probability(struct chat_first *f, const json_t *place, struct arena *a)
{
	const json_t *list = json_object_get(place, "probs"), *other;
	size_t i;

	if (!begin(f, text(json_object_get(place, "content"))))
		return;
	json_array_foreach (list, i, other) {
		double p = json_number_value(json_object_get(other, "prob"));
		struct view token = text(json_object_get(other, "tok_str"));

		if (p > 0)
			alternatives_add(&f->alt, arena_view(a, token), log(p));
	}
}

static void take_old_llamacpp(struct chat_first *f, const json_t *list, struct arena *a)
{
	const json_t *place;
	size_t i;

	json_array_foreach (list, i, place)
		if (json_object_get(place, "probs"))
			take_probability(f, place, a);
		else
			take_place(f, place, a);
}

void chat_first_take(struct chat_first *f, const json_t *root, const json_t *choice,
		     struct arena *a)
{
	const json_t *logprobs = json_object_get(choice, "logprobs"), *place;
	const json_t *content = json_object_get(logprobs, "content");
	size_t i;

	json_array_foreach (content, i, place)
		take_place(f, place, a);
	if (json_is_array(content))
		return;
	take_columns(f, logprobs, a);
	take_old_llamacpp(f, json_object_get(root, "completion_probabilities"), a);
}
