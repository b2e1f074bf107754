/* lex.c - see lex.h */
#include "common/sql/lex.h"

struct lexer lex_of(struct view text)
{
	return (struct lexer){ text, 0 };
}

static int is_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

/* A vertical tab begins nothing, but SQLite takes it inside a run of space. */
static int is_space_on(unsigned char c)
{
	return is_space(c) || c == '\v';
}

static int is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static int is_hex(unsigned char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static int is_start(unsigned char c)
{
	return c >= 0x80 || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static int is_ident(unsigned char c)
{
	return is_start(c) || is_digit(c) || c == '$';
}

/* Byte i of what is left, or 0 past it. A NUL in the text reads the same, which is what
 * SQLite makes of it too. */
static unsigned char at(struct view v, size_t i)
{
	return i < v.n ? (unsigned char)v.p[i] : 0;
}

static size_t run(struct view v, size_t i, int (*is)(unsigned char))
{
	while (i < v.n && is((unsigned char)v.p[i]))
		i++;
	return i;
}

/* Past the closing quote; 0 if there is none. Two closing quotes are one inside, but
 * not for ]. */
static size_t quoted(struct view v, size_t i, char close)
{
	for (; i < v.n; i++) {
		if (v.p[i] != close)
			continue;
		if (close == ']' || at(v, i + 1) != (unsigned char)close)
			return i + 1;
		i++;
	}
	return 0;
}

static struct token made(enum token_kind kind, struct view v, size_t n)
{
	return (struct token){ kind, { v.p, n } };
}

static struct token made_quoted(enum token_kind kind, struct view v, char close)
{
	size_t n = quoted(v, 1, close);

	return n ? made(kind, v, n) : made(TOKEN_BAD, v, v.n);
}

static size_t line_end(struct view v, size_t i)
{
	const char *nl = memchr(v.p + i, '\n', v.n - i);

	return nl ? (size_t)(nl - v.p) : v.n;
}

/* An unclosed comment runs to the end, as in SQLite. */
static size_t comment_end(struct view v)
{
	for (size_t i = 3; i < v.n; i++)
		if (v.p[i] == '/' && v.p[i - 1] == '*')
			return i + 1;
	return v.n;
}

static struct token number(struct view v)
{
	size_t n, e;

	if (at(v, 0) == '0' && (at(v, 1) | 32) == 'x' && is_hex(at(v, 2))) {
		n = run(v, 3, is_hex);
	} else {
		n = run(v, 0, is_digit);
		if (at(v, n) == '.')
			n = run(v, n + 1, is_digit);
		e = n + 1 + (at(v, n + 1) == '+' || at(v, n + 1) == '-');
		if ((at(v, n) | 32) == 'e' && is_digit(at(v, e)))
			n = run(v, e, is_digit);
	}
	if (n < v.n && is_ident(at(v, n)))
		return made(TOKEN_BAD, v, run(v, n, is_ident));
	return made(TOKEN_NUMBER, v, n);
}

static struct token variable(struct view v)
{
	size_t n;

	if (v.p[0] == '?')
		return made(TOKEN_VARIABLE, v, run(v, 1, is_digit));
	n = run(v, 1, is_ident);
	return made(n > 1 ? TOKEN_VARIABLE : TOKEN_BAD, v, n);
}

static struct token blob(struct view v)
{
	size_t n = run(v, 2, is_hex);

	if (at(v, n) == '\'' && n % 2 == 0)
		return made(TOKEN_BLOB, v, n + 1);
	while (n < v.n && v.p[n] != '\'')
		n++;
	return made(TOKEN_BAD, v, n < v.n ? n + 1 : n);
}

static struct token sign(struct view v)
{
	static const char *const signs[] = { "->>", "->", "==", "<=", "<>", "<<",
					     ">=",  ">>", "!=", "||", NULL };

	for (const char *const *s = signs; *s; s++) {
		size_t n = strlen(*s);

		if (v.n >= n && memcmp(v.p, *s, n) == 0)
			return made(TOKEN_OP, v, n);
	}
	if (v.p[0] && strchr("()+-*/%=<>|,&~.;", v.p[0]))
		return made(TOKEN_OP, v, 1);
	return made(TOKEN_BAD, v, 1);
}

/* `v` is not empty. */
static struct token scan(struct view v)
{
	unsigned char c = at(v, 0), d = at(v, 1);

	if (is_space(c))
		return made(TOKEN_SPACE, v, run(v, 1, is_space_on));
	if (c == '-' && d == '-')
		return made(TOKEN_COMMENT, v, line_end(v, 2));
	if (c == '/' && d == '*' && v.n > 2)
		return made(TOKEN_COMMENT, v, comment_end(v));
	if (c == '\'')
		return made_quoted(TOKEN_STRING, v, '\'');
	if (c == '"' || c == '`')
		return made_quoted(TOKEN_QUOTED, v, (char)c);
	if (c == '[')
		return made_quoted(TOKEN_QUOTED, v, ']');
	if ((c | 32) == 'x' && d == '\'')
		return blob(v);
	if (is_digit(c) || (c == '.' && is_digit(d)))
		return number(v);
	if (c == '?' || c == ':' || c == '@' || c == '$' || c == '#')
		return variable(v);
	if (c == 0xef && d == 0xbb && at(v, 2) == 0xbf) /* a byte order mark is space */
		return made(TOKEN_SPACE, v, 3);
	if (is_start(c))
		return made(TOKEN_WORD, v, run(v, 1, is_ident));
	return sign(v);
}

int lex_next(struct lexer *l, struct token *ret)
{
	struct view left = { l->text.p + l->at, l->text.n - l->at };

	if (left.n == 0) {
		*ret = (struct token){ TOKEN_END, { left.p, 0 } };
		return 0;
	}
	*ret = scan(left);
	l->at += ret->text.n;
	return 1;
}

int lex_solid(struct lexer *l, struct token *ret)
{
	while (lex_next(l, ret))
		if (ret->kind != TOKEN_SPACE && ret->kind != TOKEN_COMMENT)
			return 1;
	return 0;
}

static unsigned char folded(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

int name_eq(struct view a, struct view b)
{
	if (a.n != b.n)
		return 0;
	for (size_t i = 0; i < a.n; i++)
		if (folded(a.p[i]) != folded(b.p[i]))
			return 0;
	return 1;
}

/* Most comparisons end at the first byte. */
int name_is(struct view a, const char *b)
{
	size_t i = 0;

	for (; i < a.n && b[i]; i++)
		if (folded(a.p[i]) != folded(b[i]))
			return 0;
	return i == a.n && !b[i];
}

int token_is(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && name_is(t->text, word);
}

int token_op(const struct token *t, const char *op)
{
	return t->kind == TOKEN_OP && view_eq(t->text, view_of(op));
}

int token_is_name(const struct token *t)
{
	return t->kind == TOKEN_WORD || t->kind == TOKEN_QUOTED;
}

struct view token_value(struct arena *a, const struct token *t)
{
	struct view inner = { t->text.p + 1, t->text.n - 2 };
	size_t n = 0;
	char *p;

	if (t->kind != TOKEN_QUOTED && t->kind != TOKEN_STRING)
		return t->text;
	if (t->text.p[0] == '[' || !memchr(inner.p, t->text.p[0], inner.n))
		return inner;
	p = arena_alloc(a, inner.n + 1, 1);
	if (!p)
		return (struct view){ NULL, 0 };
	for (size_t i = 0; i < inner.n; i++) {
		p[n++] = inner.p[i];
		i += inner.p[i] == t->text.p[0];
	}
	return (struct view){ p, n };
}
