/* words.c - see words.h */
#include "common/sql/words.h"

#include "common/base/err.h"
#include "common/sql/lex.h"

static int is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static int is_word(char c)
{
	return is_letter(c) || is_digit(c);
}

int word_is_stop(struct view lower)
{
	static const char *const words[] = {
#define X(word) word,
#include "common/sql/stop_words.def"
#undef X
		NULL
	};

	for (const char *const *w = words; *w; w++)
		if (name_is(lower, *w))
			return 1;
	return 0;
}

/* Takes `tail` off where three letters stay, puts `put` there; 1 if it did. */
static int cut(char *s, size_t *n, const char *tail, const char *put)
{
	size_t len = strlen(tail), add = strlen(put);

	if (*n < len + 3 || memcmp(s + *n - len, tail, len) != 0)
		return 0;
	memcpy(s + *n - len, put, add);
	*n += add - len;
	return 1;
}

size_t word_stem(struct view word, char ret[STEM_MAX])
{
	size_t n = word.n < STEM_MAX ? word.n : STEM_MAX;

	for (size_t i = 0; i < n; i++)
		ret[i] = (char)(is_upper(word.p[i]) ? word.p[i] + 32 : word.p[i]);
	if (!cut(ret, &n, "ies", "y") && !cut(ret, &n, "sses", "ss") &&
	    !cut(ret, &n, "ing", "") && !cut(ret, &n, "edly", "") &&
	    !cut(ret, &n, "ed", "") && !cut(ret, &n, "es", ""))
		cut(ret, &n, "s", "");
	while (cut(ret, &n, "e", ""))
		;
	return n;
}

static int add(struct arena *a, struct words *list, struct view text)
{
	char stem[STEM_MAX];
	size_t cap = list->cap ? list->cap * 2 : 16;
	struct word w = { .text = text };

	if (list->n >= WORDS_MAX || word_is_stop(text))
		return 0;
	if (list->n == list->cap) {
		struct word *p = arena_alloc(a, cap, sizeof *p);

		if (!p)
			return ERR_NOMEM;
		if (list->n)
			memcpy(p, list->w, list->n * sizeof *p);
		list->w = p;
		list->cap = cap;
	}
	w.stem.n = word_stem(text, stem);
	w.stem.p = arena_dup(a, stem, w.stem.n);
	if (!w.stem.p)
		return ERR_NOMEM;
	list->w[list->n++] = w;
	return 0;
}

int words_of_text(struct arena *a, struct view text, struct words *ret)
{
	size_t start = 0;
	int rc = 0;

	for (size_t i = 0; i <= text.n && !rc; i++) {
		if (i < text.n && is_word(text.p[i]))
			continue;
		if (i > start)
			rc = add(a, ret, (struct view){ text.p + start, i - start });
		start = i + 1;
	}
	return rc;
}

/* Does a new word begin at byte i > 0 of a name, both sides being letters or digits?
 * fooBar: at B; HTTPServer: at S; item2: nowhere. */
static int turns(struct view v, size_t i)
{
	char before = v.p[i - 1], here = v.p[i];

	if (is_upper(here) && is_letter(before) && !is_upper(before))
		return 1;
	return is_upper(here) && is_upper(before) && i + 1 < v.n &&
	       is_letter(v.p[i + 1]) && !is_upper(v.p[i + 1]);
}

int words_of_name(struct arena *a, struct view name, struct words *ret)
{
	size_t start = 0;
	int rc = 0;

	for (size_t i = 0; i <= name.n && !rc; i++) {
		int gap = i == name.n || !is_word(name.p[i]);

		if (!gap && !(i > start && turns(name, i)))
			continue;
		if (i > start)
			rc = add(a, ret, (struct view){ name.p + start, i - start });
		start = gap ? i + 1 : i;
	}
	return rc;
}

/* Does `a` begin with the first five letters of `b`, or with all of a shorter `b`? */
static int begins(struct view a, struct view b)
{
	size_t n = b.n < 5 ? b.n : 5;

	return a.n >= n && memcmp(a.p, b.p, n) == 0;
}

int stems_match(struct view a, struct view b)
{
	if (view_eq(a, b))
		return a.n > 0;
	return a.n >= 4 && b.n >= 4 && (begins(a, b) || begins(b, a));
}

int words_have(const struct words *list, struct view stem)
{
	for (size_t i = 0; i < list->n; i++)
		if (stems_match(list->w[i].stem, stem))
			return 1;
	return 0;
}

int name_is_id(struct view name)
{
	struct view last;
	size_t start = 0;

	if (name.n < 2)
		return 0;
	last = (struct view){ name.p + name.n - 2, 2 };
	if (name_is(last, "id"))
		return 1;
	for (size_t i = 0; i <= name.n; i++) {
		int gap = i == name.n || !is_word(name.p[i]);

		if (!gap && !(i > start && turns(name, i)))
			continue;
		if (i - start == 2 && name_is((struct view){ name.p + start, 2 }, "id"))
			return 1;
		start = gap ? i + 1 : i;
	}
	return 0;
}
