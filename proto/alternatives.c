/* alternatives.c - see alternatives.h */
#include "proto/alternatives.h"

#include "common/base/pack.h"
#include "common/base/round.h"

#include <math.h>
#include <strings.h>

void alternatives_add(struct alternatives *a, struct view token, double logprob)
{
	if (!(logprob <= 1e-6) || a->n == ALTERNATIVES)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		if (view_eq(a->at[i].token, token))
			return;
	a->at[a->n++] = (struct alternative){ token, logprob };
}

void alternatives_pack(struct buf *b, const struct alternatives *a)
{
	pack_array(b, a->n);
	for (uint32_t i = 0; i < a->n; i++) {
		pack_array(b, 2);
		pack_str(b, a->at[i].token);
		pack_f64(b, a->at[i].logprob);
	}
}

struct alternatives alternatives_take(struct cursor *c)
{
	struct alternatives a = { 0 };
	size_t n = cur_array(c);

	if (n > ALTERNATIVES) {
		c->bad = 1;
		return a;
	}
	for (; a.n < n; a.n++) {
		cur_array_of(c, 2);
		a.at[a.n].token = cur_str(c);
		a.at[a.n].logprob = cur_f64(c);
	}
	return a;
}

/* ---- what a token means ---- */

/* Byte-level and SentencePiece vocabularies write a blank as U+0120 or U+2581, and some
 * servers hand that out. */
static size_t blank_mark(struct view v)
{
	if (v.n >= 2 && memcmp(v.p, "\xc4\xa0", 2) == 0)
		return 2;
	return v.n >= 3 && memcmp(v.p, "\xe2\x96\x81", 3) == 0 ? 3 : 0;
}

static int is_mark(char c)
{
	return c && strchr(" \t\r\n[](){}<>*_`'\".,:;!#=", c);
}

static struct view word_of(struct view v)
{
	for (;;) {
		size_t skip = blank_mark(v);

		if (!skip)
			skip = v.n && is_mark(v.p[0]);
		if (!skip)
			break;
		v = (struct view){ v.p + skip, v.n - skip };
	}
	while (v.n && is_mark(v.p[v.n - 1]))
		v.n--;
	return v;
}

int token_is_word(struct view token)
{
	return word_of(token).n > 0;
}

int token_label(struct view token, uint32_t n)
{
	struct view w = word_of(token);
	int label;

	if (w.n != 1)
		return -1;
	label = w.p[0] >= 'a' ? w.p[0] - 'a' : w.p[0] - 'A';
	return label >= 0 && label < 26 && (uint32_t)label < n ? label : -1;
}

static int is_word(struct view w, const char *word)
{
	return w.n && (w.n == strlen(word) || w.n == 1) &&
	       strncasecmp(w.p, word, w.n) == 0;
}

int token_yes(struct view token)
{
	struct view w = word_of(token);

	return is_word(w, "yes") ? 1 : is_word(w, "no") ? 0 : -1;
}

/* ---- probabilities ---- */

int alternatives_labels(const struct alternatives *a, uint32_t n, double *ret)
{
	double all = 0;

	for (uint32_t i = 0; i < n; i++)
		ret[i] = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		int label = token_label(a->at[i].token, n);
		double p = label < 0 ? 0 : exp(a->at[i].logprob);

		if (label >= 0)
			ret[label] += p;
		all += p;
	}
	if (!(all > 0))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		ret[i] = round20(ret[i] / all);
	return 1;
}

int alternatives_yes(const struct alternatives *a, double *ret)
{
	double p[2] = { 0, 0 };

	for (uint32_t i = 0; i < a->n; i++) {
		int yes = token_yes(a->at[i].token);

		if (yes >= 0)
			p[yes] += exp(a->at[i].logprob);
	}
	if (!(p[0] + p[1] > 0))
		return 0;
	*ret = round20(p[1] / (p[0] + p[1]));
	return 1;
}
