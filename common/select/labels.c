/* labels.c - see labels.h */
#include "common/select/labels.h"

#include "common/select/answer.h"

#include <strings.h>

enum { NUMBER_DIGITS = 6, TAG_LENGTH = 32 };

static const char decoration[] = " \t\r*_`\"'(){}#~|$.-+?!\\";

static const char *const cues[] = { "candidate", "candidates", "query",  "queries",
				    "sql",       "option",     "answer", "label",
				    "item",      "number",     "no",     "choice",
				    "response" };
static const char *const commas[] = { "then", "and", "followed", "by" };

struct labels labels_of(struct view plain, enum ranking_labels kind, uint32_t n)
{
	return (struct labels){ .p = plain.p,
				.end = plain.p + plain.n,
				.kind = kind,
				.n = (int)n,
				.opens = 1 };
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int in_word(char c)
{
	return is_digit(c) || is_letter(c) || (unsigned char)c == ANSWER_OTHER;
}

static int is_decoration(char c)
{
	return c && strchr(decoration, c);
}

/* Inside a word also: _, and ' - . between its characters, but for "1.B". */
static int joins(const char *p, const char *end, const char *from)
{
	if (p + 1 >= end || p == from || !in_word(p[1]))
		return 0;
	if (*p == '.')
		return is_digit(p[-1]) == is_digit(p[1]);
	return *p == '_' || *p == '\'' || *p == '-';
}

static struct view word_at(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && (in_word(*p) || joins(p, end, from)))
		p++;
	return (struct view){ from, (size_t)(p - from) };
}

static int listed(struct view w, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == w.n && strncasecmp(list[i], w.p, w.n) == 0)
			return 1;
	return 0;
}

static int is_cue(struct view w)
{
	return listed(w, cues, sizeof cues / sizeof *cues);
}

/* The number, or -1 if the word is none. */
static int number(struct view w)
{
	int v = 0;

	if (!w.n || w.n > NUMBER_DIGITS)
		return -1;
	for (size_t i = 0; i < w.n; i++) {
		if (!is_digit(w.p[i]))
			return -1;
		v = v * 10 + (w.p[i] - '0');
	}
	return v;
}

/* The label's index, LABEL_ELSEWHERE, or -2 where the word has not the shape of one. */
static int label_of(const struct labels *l, struct view w, int *ret_other_kind)
{
	int v = number(w), letters = l->kind == RANKING_LETTERS;

	*ret_other_kind = 0;
	if (v >= 0)
		v -= 1;
	else if (w.n == 1 && is_letter(*w.p))
		v = (*w.p | 0x20) - 'a';
	else
		return -2;
	*ret_other_kind = is_digit(*w.p) == letters;
	return *ret_other_kind || v < 0 || v >= l->n ? LABEL_ELSEWHERE : v;
}

static const char *skip_decoration(const char *p, const char *end)
{
	while (p < end && is_decoration(*p))
		p++;
	return p;
}

/* [A], [Candidate A], ["A"], [ **A** ]: where it ends, or NULL. */
static const char *bracketed(const struct labels *l, int *ret_label)
{
	const char *p = skip_decoration(l->p + 1, l->end);
	struct view w = word_at(p, l->end);
	int other;

	if (is_cue(w)) {
		p = skip_decoration(w.p + w.n, l->end);
		w = word_at(p, l->end);
	}
	*ret_label = label_of(l, w, &other);
	if (*ret_label == -2)
		return NULL;
	p = skip_decoration(w.p + w.n, l->end);
	return p < l->end && *p == ']' ? p + 1 : NULL;
}

/* Whether a label at w, alone in prose, is meant as one. */
static int is_clear(const struct labels *l, struct view w)
{
	const char *p = w.p + w.n;

	if (is_digit(*w.p))
		return l->cue;
	if (*w.p >= 'a')
		return 0;
	if (l->cue || (*w.p != 'A' && *w.p != 'I'))
		return 1;
	while (p < l->end && *p == ' ')
		p++;
	return p == l->end || !in_word(*p);
}

/* What an item's number is followed by. */
static int ends_mark(const struct labels *l, const char *p)
{
	return p < l->end && (*p == '.' || *p == ')' || (*p == ':' && l->opens));
}

/* "1." and "1)", and any number that opens a line where labels are letters: a table's
 * first column. */
static int is_mark(const struct labels *l, struct view w)
{
	if (number(w) < 0)
		return 0;
	if (l->kind == RANKING_LETTERS && l->opens)
		return 1;
	return (l->kind == RANKING_LETTERS || l->opens) && ends_mark(l, w.p + w.n);
}

static struct token take_word(struct labels *l)
{
	struct view w = word_at(l->p, l->end);
	struct token t = { .kind = TOKEN_WORD };
	int other, label = label_of(l, w, &other);

	if (is_mark(l, w)) {
		t.kind = TOKEN_MARK;
		t.label = number(w);
		w.n += (size_t)ends_mark(l, w.p + w.n);
	} else if (label != -2 && !other) {
		t.kind = TOKEN_LABEL;
		t.label = label;
		t.clear = is_clear(l, w);
	} else if (listed(w, commas, sizeof commas / sizeof *commas)) {
		t.kind = TOKEN_NEXT;
	}
	l->p = w.p + w.n;
	return t;
}

/* <br>, </b>, <|im_end|>: its length, or 0. */
static size_t tag_at(const char *p, const char *end)
{
	if (end - p < 3 || !(is_letter(p[1]) || p[1] == '/' || p[1] == '|'))
		return 0;
	for (size_t i = 2; p + i < end && i < TAG_LENGTH && p[i] != ' ' && p[i] != '\n';
	     i++)
		if (p[i] == '>')
			return i + 1;
	return 0;
}

static const char *past_run(const char *p, const char *end, const char *of)
{
	while (p < end && *p && strchr(of, *p))
		p++;
	return p;
}

/* > >> >=, < << <=, = ==, => and <=>. */
static struct token take_sign(struct labels *l)
{
	const char *from = l->p;
	int above = 0, below = 0;

	l->p = past_run(l->p, l->end, "<>=");
	for (const char *p = from; p < l->p; p++) {
		above |= *p == '>';
		below |= *p == '<';
	}
	if (above && below && l->p[-2] != '=')
		return (struct token){ .kind = TOKEN_WORD }; /* SQL's <> */
	if (above == below)
		return (struct token){ .kind = TOKEN_SAME };
	return (struct token){ .kind = above ? TOKEN_ABOVE : TOKEN_BELOW };
}

static struct token take_bracket(struct labels *l)
{
	struct token t = { .kind = TOKEN_LABEL, .bracketed = 1, .clear = 1 };
	const char *end = bracketed(l, &t.label);

	if (!end) {
		l->p++;
		return (struct token){ .kind = TOKEN_OPEN };
	}
	l->p = end;
	return t;
}

static struct token take_one(struct labels *l, enum token_kind kind)
{
	l->p++;
	return (struct token){ .kind = kind };
}

/* Decoration, tags, LaTeX commands and cue words. */
static void skip(struct labels *l)
{
	for (;;) {
		const char *p = l->p;
		size_t tag;

		if (p < l->end && *p == '\\') {
			struct view w = word_at(p + 1, l->end);

			l->p = p + 1 + w.n;
			continue;
		}
		if (p < l->end && is_decoration(*p)) {
			l->p++;
			continue;
		}
		if (p < l->end && *p == '<' && (tag = tag_at(p, l->end))) {
			l->p += tag;
			continue;
		}
		if (p < l->end && is_cue(word_at(p, l->end))) {
			l->p += word_at(p, l->end).n;
			l->cue = 1;
			continue;
		}
		return;
	}
}

static struct token take(struct labels *l)
{
	skip(l);
	if (l->p >= l->end)
		return (struct token){ .kind = TOKEN_END };
	switch (*l->p) {
	case '\n': return take_one(l, TOKEN_LINE);
	case ',':
	case ';': return take_one(l, TOKEN_NEXT);
	case ':': return take_one(l, TOKEN_COLON);
	case ']': return take_one(l, TOKEN_CLOSE);
	case '[': return take_bracket(l);
	case '<':
	case '>':
	case '=': return take_sign(l);
	}
	return in_word(*l->p) ? take_word(l) : take_one(l, TOKEN_WORD);
}

struct token labels_next(struct labels *l)
{
	int opens = l->opens;
	struct token t = take(l);

	t.opens = opens;
	l->opens = t.kind == TOKEN_LINE;
	l->cue = 0;
	return t;
}
