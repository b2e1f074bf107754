/* extract.c - see extract.h */
#include "common/sql/extract.h"

#include "common/sql/lex.h"
#include "common/sql/rewrite.h"

const char *extract_text(enum extract_reason reason)
{
	static const char *const texts[] = {
#define X(name, text) text,
		EXTRACT_LIST(X)
#undef X
	};

	return texts[reason];
}

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct view from(struct view v, size_t at)
{
	return (struct view){ v.p + at, v.n - at };
}

/* Byte offset of `word` in any ASCII case at or after `at`, or v.n. */
static size_t find(struct view v, size_t at, const char *word)
{
	size_t n = strlen(word);

	for (; n <= v.n && at <= v.n - n; at++)
		if (name_is((struct view){ v.p + at, n }, word))
			return at;
	return v.n;
}

/* Past the last `word`, or 0. */
static size_t after_last(struct view v, const char *word)
{
	size_t last = 0, at = 0;

	while ((at = find(v, at, word)) < v.n)
		last = at += strlen(word);
	return last;
}

/* Does the text begin with a word that begins a query? */
static int begins_query(struct view v)
{
	struct lexer l = lex_of(v);
	struct token t;

	lex_solid(&l, &t);
	return token_is(&t, "select") || token_is(&t, "with");
}

struct fence {
	struct view info, body; /* "sql", and what stands between the fences */
	size_t end;             /* of the closing fence */
};

static int info_is_sql(struct view info)
{
	static const char *const names[] = { "sql", "sqlite", "sqlite3", "sqlite_sql",
					     NULL };

	for (const char *const *n = names; *n; n++)
		if (name_is(info, *n))
			return 1;
	return 0;
}

static int is_tick_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c | 32) - 'a' + 0u < 26u;
}

/* The next complete ``` block at or after `at`; 0: there is none. What follows the
 * opening fence on its line is the language if it is one word, else already SQL. */
static int next_fence(struct view v, size_t at, struct fence *ret)
{
	size_t open = find(v, at, "```"), close, info = open + 3, body;

	if (open == v.n)
		return 0;
	close = find(v, info, "```");
	if (close == v.n)
		return 0;
	for (body = info; body < close && is_tick_word(v.p[body]); body++)
		;
	ret->info = (struct view){ v.p + info, body - info };
	if (body < close && !is_space(v.p[body]))
		body = info;
	if (!info_is_sql(ret->info) &&
	    begins_query((struct view){ v.p + info, close - info }))
		body = info;
	ret->body = view_trim((struct view){ v.p + body, close - body }, VIEW_SPACE);
	ret->end = close + 3;
	return 1;
}

/* The last ```sql block; else the last block that begins with a query. */
static struct view last_block(struct view v)
{
	struct view sql = { NULL, 0 }, other = { NULL, 0 };
	struct fence f;

	for (size_t at = 0; next_fence(v, at, &f); at = f.end) {
		if (info_is_sql(f.info) && f.body.n)
			sql = f.body;
		else if (begins_query(f.body))
			other = f.body;
	}
	return sql.p ? sql : other;
}

/* The prompt had opened the fence: the answer begins inside it. */
static struct view opened_block(struct view v)
{
	size_t close = find(v, 0, "```");
	struct view body = view_trim((struct view){ v.p, close }, VIEW_SPACE);

	if (close == v.n || !begins_query(body))
		return (struct view){ NULL, 0 };
	return body;
}

static struct view in_answer(struct view v)
{
	size_t open = after_last(v, "<answer>"), close;
	struct view body, block;

	if (!open)
		return (struct view){ NULL, 0 };
	close = find(v, open, "</answer>");
	body = view_trim((struct view){ v.p + open, close - open }, VIEW_SPACE);
	block = last_block(body);
	return block.p ? block : body;
}

/* A fence that nothing closes: the answer was cut, or its author forgot. */
static struct view unclosed_block(struct view v)
{
	size_t open = after_last(v, "```"), body = open;

	if (!open)
		return (struct view){ NULL, 0 };
	while (body < v.n && is_tick_word(v.p[body]))
		body++;
	if (!info_is_sql((struct view){ v.p + open, body - open }))
		body = open;
	v = view_trim(from(v, body), VIEW_SPACE);
	return begins_query(v) ? v : (struct view){ NULL, 0 };
}

/* Prose says "with" and "select" too: a WITH must name something AS. */
static int begins_here(struct view v, size_t i)
{
	struct view rest = from(v, i);
	struct lexer l = lex_of(rest);
	struct token t;

	if (i && (is_tick_word(v.p[i - 1]) || (unsigned char)v.p[i - 1] >= 0x80))
		return 0;
	if (((v.p[i] | 32) != 's' && (v.p[i] | 32) != 'w') || !begins_query(rest))
		return 0;
	lex_solid(&l, &t);
	if (!token_is(&t, "with"))
		return 1;
	lex_solid(&l, &t);
	if (token_is(&t, "recursive"))
		lex_solid(&l, &t);
	if (!token_is_name(&t) || !lex_solid(&l, &t))
		return 0;
	return token_is(&t, "as") || token_op(&t, "(");
}

static int stands_out(struct view v, size_t i)
{
	return v.p[i + 1] < 'a' || i == 0 || v.p[i - 1] == '\n';
}

/* From the first word that begins a query to the last semicolon behind it; one in
 * capitals or at the beginning of a line goes before one inside a sentence. */
static struct view in_prose(struct view v)
{
	for (int choosy = 1; choosy >= 0; choosy--)
		for (size_t i = 0; i < v.n; i++) {
			struct view rest = from(v, i);
			const char *end;

			if (!begins_here(v, i) || (choosy && !stands_out(v, i)))
				continue;
			end = memrchr(rest.p, ';', rest.n);
			if (end)
				rest.n = (size_t)(end - rest.p) + 1;
			return view_trim(rest, VIEW_SPACE);
		}
	return (struct view){ NULL, 0 };
}

static struct view found_in(struct view v)
{
	struct view (*const ways[])(struct view) = { last_block, opened_block,
						     in_answer, unclosed_block,
						     in_prose };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct view sql = ways[i](v);

		if (sql.n)
			return sql;
	}
	return (struct view){ NULL, 0 };
}

/* The first verb that stands outside parentheses. */
static int is_read_only(struct view sql)
{
	struct lexer l = lex_of(sql);
	struct token t;
	int open = 0, with;

	lex_solid(&l, &t);
	with = token_is(&t, "with");
	if (!with)
		return token_is(&t, "select") || token_is(&t, "values");
	while (lex_solid(&l, &t)) {
		open += token_op(&t, "(") - token_op(&t, ")");
		if (open)
			continue;
		if (token_is(&t, "select") || token_is(&t, "values"))
			return 1;
		if (token_is(&t, "delete") || token_is(&t, "update") ||
		    token_is(&t, "insert") || token_is(&t, "replace"))
			return 0;
	}
	return 0;
}

enum extract_reason extract_check(struct view sql)
{
	switch (python_execute_shape(sql)) {
	case PYTHON_EMPTY: return EXTRACT_NONE;
	case PYTHON_MULTI: return EXTRACT_MULTI;
	case PYTHON_NUL: return EXTRACT_NUL;
	case PYTHON_PARAMETERS: return EXTRACT_PARAMETERS;
	case PYTHON_ONE: break;
	}
	return is_read_only(statement_of(sql)) ? EXTRACT_OK : EXTRACT_WRITE;
}

struct extract extract_sql(struct view answer)
{
	size_t thought = after_last(answer, "</think>");
	struct view rest = from(answer, thought);
	struct extract x = { { NULL, 0 }, EXTRACT_NONE };

	if (find(rest, 0, "<think>") < rest.n) {
		x.reason = EXTRACT_THINKING;
		return x;
	}
	x.sql = found_in(rest);
	if (x.sql.n)
		x.reason = extract_check(x.sql);
	return x;
}
