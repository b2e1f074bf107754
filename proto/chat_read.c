/* chat_read.c - see chat_read.h */
#include "proto/chat_read.h"

#include <strings.h>

struct view chat_said(const struct chat_out *o)
{
	if (o->kind != CHAT_ANSWER)
		return view_of("");
	return view_trim(view_behind(o->answer, "</think>"), VIEW_SPACE);
}

static int next_word(struct view *rest, struct view *ret)
{
	size_t n = 0;

	*rest = view_trim(*rest, VIEW_SPACE);
	while (n < rest->n && !(rest->p[n] && strchr(VIEW_SPACE ",;:.!?", rest->p[n])))
		n++;
	if (!rest->n)
		return 0;
	*ret = (struct view){ rest->p, n };
	n += n < rest->n;
	*rest = (struct view){ rest->p + n, rest->n - n };
	return 1;
}

/* The first word, or the only of the two words that the text has. A lone letter within
 * a text is no answer. */
static int text_yes(struct view text, double *ret)
{
	int seen[2] = { 0, 0 }, first = 1;
	struct view rest = text, word;

	while (next_word(&rest, &word)) {
		int yes = token_yes(word);

		if (yes >= 0 && first) {
			*ret = yes;
			return 1;
		}
		if (yes >= 0 && word.n > 1)
			seen[yes] = 1;
		first = 0;
	}
	if (seen[0] == seen[1])
		return 0;
	*ret = seen[1];
	return 1;
}

int chat_read_yes(const struct chat_out *o, int talked, double *ret)
{
	struct view said = chat_said(o);

	if (talked && text_yes(said, ret)) {
		/* How sure, where the word was the first token. */
		if (o->first.n && token_yes(o->first.at[0].token) == (int)*ret)
			return alternatives_yes(&o->first, ret);
		return 1;
	}
	return alternatives_yes(&o->first, ret) || text_yes(said, ret);
}

static const char *find(struct view v, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= v.n; i++)
		if (strncasecmp(v.p + i, word, n) == 0)
			return v.p + i;
	return NULL;
}

static struct view behind_last(struct view v, const char *word)
{
	const char *at;

	while ((at = find(v, word))) {
		at += strlen(word);
		v = (struct view){ at, v.n - (size_t)(at - v.p) };
	}
	return v;
}

int chat_read_cover(const struct chat_out *o, int *ret)
{
	struct view said = chat_said(o), v = behind_last(said, "\"verdict\"");
	const char *covered = find(v, "covered"), *missing = find(v, "missing");

	if (!covered == !missing && v.n == said.n)
		return 0; /* prose with both words, or with none */
	if (!covered && !missing)
		return 0;
	*ret = !missing || (covered && covered < missing);
	return 1;
}
