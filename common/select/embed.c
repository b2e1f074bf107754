/* embed.c - see embed.h */
#include "common/select/embed.h"

#include "common/base/hash.h"

#include <math.h>

/* A word weighs 1, less if short (and thus common); all its pieces together weigh about
 * as much as it does; a pair half. */
static const double short_word = 0.5, long_word = 1, pair = 0.5, piece = 0.2;

enum { WORD = 64, SHORT = 3, TAG = 1, MARKED = WORD + 2 };

struct word {
	char p[WORD]; /* lower case, cut at WORD bytes */
	size_t n;
};

static void add(double *v, char tag, const char *p, size_t n, double weight)
{
	char bytes[TAG + 2 * WORD + 1];
	uint64_t h;

	bytes[0] = tag;
	memcpy(bytes + TAG, p, n);
	h = sip64_of(bytes, TAG + n);
	v[h % EMBED_DIM] += h >> 63 ? weight : -weight;
}

static int in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* The next word from *at on; 0 at the end of the text. */
static int next_word(struct view text, size_t *at, struct word *ret)
{
	size_t i = *at;

	ret->n = 0;
	while (i < text.n && !in_word(text.p[i]))
		i++;
	for (; i < text.n && in_word(text.p[i]); i++)
		if (ret->n < WORD) {
			char c = text.p[i];

			ret->p[ret->n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
		}
	*at = i;
	return ret->n > 0;
}

/* One character on: a byte, and the UTF-8 continuation bytes behind it. */
static size_t past(const char *p, size_t n, size_t i)
{
	do
		i++;
	while (i < n && ((unsigned char)p[i] & 0xC0) == 0x80);
	return i;
}

static void add_pieces(double *v, const struct word *w)
{
	char marked[MARKED];
	size_t n = w->n + 2;

	marked[0] = '<';
	memcpy(marked + 1, w->p, w->n);
	marked[n - 1] = '>';
	for (size_t from = 0; from < n; from = past(marked, n, from)) {
		size_t to = from;

		for (int letters = 1; letters <= 5 && to < n; letters++) {
			to = past(marked, n, to);
			if (letters >= 3)
				add(v, '3', marked + from, to - from, piece);
		}
	}
}

static void add_pair(double *v, const struct word *a, const struct word *b)
{
	char both[2 * WORD + 1];

	memcpy(both, a->p, a->n);
	both[a->n] = ' ';
	memcpy(both + a->n + 1, b->p, b->n);
	add(v, '2', both, a->n + 1 + b->n, pair);
}

static void normalise(const double *v, float *ret)
{
	double squares = 0, length;

	for (int i = 0; i < EMBED_DIM; i++)
		squares += v[i] * v[i];
	length = sqrt(squares);
	for (int i = 0; i < EMBED_DIM; i++)
		ret[i] = length > 0 ? (float)(v[i] / length) : 0;
}

void embed_text(struct view text, float ret[EMBED_DIM])
{
	double v[EMBED_DIM] = { 0 };
	struct word word, before = { .n = 0 };
	size_t at = 0;

	while (next_word(text, &at, &word)) {
		add(v, '1', word.p, word.n, word.n > SHORT ? long_word : short_word);
		add_pieces(v, &word);
		if (before.n)
			add_pair(v, &before, &word);
		before = word;
	}
	normalise(v, ret);
}
