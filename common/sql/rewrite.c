/* rewrite.c - see rewrite.h */
#include "common/sql/rewrite.h"

#include "common/sql/lex.h"

#include <stdio.h>

/* Bytes of the white-space character at byte i as Python's str sees it, 0 if it is
 * none: its str.strip() and the \s of its regular expressions agree. */
static size_t py_space(struct view v, size_t i)
{
	static const char *const wide[] = {
		"\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80",
		"\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84",
		"\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
		"\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
		"\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", NULL
	};
	unsigned char c = i < v.n ? (unsigned char)v.p[i] : 0;

	if (c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f))
		return 1;
	for (const char *const *w = wide; c >= 0xc2 && *w; w++)
		if (v.n - i >= strlen(*w) && memcmp(v.p + i, *w, strlen(*w)) == 0)
			return strlen(*w);
	return 0;
}

/* Bytes of the white-space character that v ends in. */
static size_t py_space_last(struct view v)
{
	for (size_t n = 1; n <= 3 && n <= v.n; n++)
		if (py_space(v, v.n - n) == n)
			return n;
	return 0;
}

static struct view py_strip(struct view v)
{
	size_t n;

	while (v.n && (n = py_space(v, 0))) {
		v.p += n;
		v.n -= n;
	}
	while ((n = py_space_last(v)))
		v.n -= n;
	return v;
}

static int has(struct view v, size_t i, const char *s)
{
	size_t n = strlen(s);

	return i <= v.n && v.n - i >= n && memcmp(v.p + i, s, n) == 0;
}

static int contains(struct view v, const char *s)
{
	return v.n && memmem(v.p, v.n, s, strlen(s)) != NULL;
}

/* Puts `next` in the place of `b`, errors too. */
static void swap(struct buf *b, struct buf *next)
{
	int bad = b->bad;

	buf_free(b);
	*b = *next;
	b->bad = b->bad ? b->bad : bad;
}

/* str.replace() */
static void replace(struct buf *b, const char *what, const char *with)
{
	struct buf next = { .max = b->max };
	struct view v = buf_view(b);
	size_t n = strlen(what), from = 0;
	const char *at;

	if (b->bad || !contains(v, what))
		return;
	while ((at = memmem(v.p + from, v.n - from, what, n))) {
		buf_add(&next, v.p + from, (size_t)(at - v.p) - from);
		buf_add_str(&next, with);
		from = (size_t)(at - v.p) + n;
	}
	buf_add(&next, v.p + from, v.n - from);
	swap(b, &next);
}

static void join_operators(struct buf *b)
{
	replace(b, "> =", ">=");
	replace(b, "< =", "<=");
	replace(b, "! =", "!=");
}

/* Appends what a rewrite has made of its own buffer. */
static void finish(struct buf *b, struct buf *made)
{
	buf_add(b, made->p, made->bad ? 0 : made->n);
	if (made->bad && !b->bad)
		b->bad = made->bad;
	buf_free(made);
}

/* ---- Spider ---- */

/* Past `word` in any case at byte i, and the white space behind it; 0: not there. */
static size_t past(struct view v, size_t i, const char *word)
{
	size_t n = strlen(word), space;

	if (i > v.n || v.n - i < n || !name_is((struct view){ v.p + i, n }, word))
		return 0;
	for (i += n; (space = py_space(v, i)); i += space)
		;
	return i;
}

static size_t past_cur_year(struct view v, size_t i)
{
	static const char *const words[] = {
		"YEAR", "(", "CURDATE", "(", ")", ")", NULL
	};

	for (const char *const *w = words; *w; w++)
		if (!(i = past(v, i, *w)))
			return 0;
	return i;
}

static void fix_cur_year(struct buf *b)
{
	struct buf next = { .max = b->max };
	struct view v = buf_view(b);
	size_t from = 0;

	for (size_t i = 0, end; !b->bad && i < v.n; i = end ? end : i + 1) {
		end = past_cur_year(v, i);
		if (!end)
			continue;
		buf_add(&next, v.p + from, i - from);
		buf_add_str(&next, "2020");
		from = end;
	}
	if (!from)
		return;
	buf_add(&next, v.p + from, v.n - from);
	swap(b, &next);
}

/* The words DISTINCT go, and what stands behind the first statement. */
static void remove_distinct(struct buf *b)
{
	struct buf next = { .max = b->max };
	struct lexer l = lex_of(buf_view(b));
	struct token t;

	while (!b->bad && lex_next(&l, &t)) {
		if (token_is(&t, "distinct"))
			continue;
		buf_add(&next, t.text.p, t.text.n);
		if (token_op(&t, ";"))
			break;
	}
	swap(b, &next);
}

static void spider(struct buf *b, struct buf *made, int keep_distinct)
{
	join_operators(made);
	if (!keep_distinct)
		remove_distinct(made);
	fix_cur_year(made);
	finish(b, made);
}

void rewrite_spider_prediction(struct buf *b, struct view sql, int keep_distinct)
{
	struct buf made = { .max = b->max };

	buf_add(&made, sql.p, sql.n);
	replace(&made, "value", "1");
	spider(b, &made, keep_distinct);
}

void rewrite_spider_gold(struct buf *b, struct view sql, int keep_distinct)
{
	struct buf made = { .max = b->max };

	buf_add(&made, sql.p, sql.n);
	spider(b, &made, keep_distinct);
}

int rewrite_order_matters(struct view gold)
{
	for (size_t i = 0; i + 8 <= gold.n; i++)
		if (name_is((struct view){ gold.p + i, 8 }, "order by"))
			return 1;
	return 0;
}

/* ---- EHRSQL ---- */

static int is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static int is_blank(char c)
{
	return c == ' ' || c == '\n';
}

/* Newlines are blanks, runs of blanks are one, the ends are stripped. */
static void fold(struct buf *b, struct view sql)
{
	struct buf made = { .max = b->max };
	struct view v;

	for (size_t i = 0, from; i < sql.n;) {
		for (from = i; i < sql.n && !is_blank(sql.p[i]); i++)
			;
		buf_add(&made, sql.p + from, i - from);
		for (from = i; i < sql.n && is_blank(sql.p[i]); i++)
			;
		if (i > from)
			buf_add_char(&made, ' ');
	}
	v = made.bad ? (struct view){ NULL, 0 } : py_strip(buf_view(&made));
	buf_add(b, v.p, v.n);
	if (made.bad && !b->bad)
		b->bad = made.bad;
	buf_free(&made);
}

struct date_call {
	struct view date, number;
	const char *unit;
	char sign;
	size_t end;
};

/* name() or a text between single quotes, as the script's pattern has it. */
static size_t past_date(struct view v, size_t i)
{
	size_t start = i;

	if (has(v, i, "'")) {
		const char *close = memchr(v.p + i + 1, '\'', v.n - i - 1);

		if (!close || close == v.p + i + 1)
			return 0;
		return (size_t)(close - v.p) + 1;
	}
	while (i < v.n && (is_word(v.p[i]) || (unsigned char)v.p[i] >= 0x80))
		i++;
	return i > start && has(v, i, "()") ? i + 2 : 0;
}

static size_t past_unit(struct view v, size_t i, const char **ret)
{
	static const char *const units[][2] = { { "MONTH)", "month" },
						{ "YEAR)", "year" },
						{ "DAY)", "day" } };

	for (size_t u = 0; u < 3; u++)
		if (has(v, i, units[u][0])) {
			*ret = units[u][1];
			return i + strlen(units[u][0]);
		}
	return 0;
}

/* DATE_SUB(date, INTERVAL 1 MONTH): between the date and INTERVAL stand two or more of
 * comma and blank, the last a blank. */
static int is_date_call(struct view v, size_t i, struct date_call *ret)
{
	size_t start, gap;

	if (!has(v, i, "DATE_SUB(") && !has(v, i, "DATE_ADD("))
		return 0;
	ret->sign = v.p[i + 5] == 'S' ? '-' : '+';
	start = i + 9;
	i = past_date(v, start);
	if (!i)
		return 0;
	ret->date = (struct view){ v.p + start, i - start };
	for (gap = i; i < v.n && (v.p[i] == ',' || v.p[i] == ' '); i++)
		;
	if (i - gap < 2 || v.p[i - 1] != ' ' || !has(v, i, "INTERVAL "))
		return 0;
	start = i += 9;
	while (i < v.n && v.p[i] >= '0' && v.p[i] <= '9')
		i++;
	ret->number = (struct view){ v.p + start, i - start };
	if (i == start || !has(v, i, " "))
		return 0;
	ret->end = past_unit(v, i + 1, &ret->unit);
	return ret->end != 0;
}

static void convert_dates(struct buf *b)
{
	struct buf next = { .max = b->max };
	struct view v = buf_view(b);
	struct date_call d;

	if (b->bad || (!contains(v, "DATE_SUB(") && !contains(v, "DATE_ADD(")))
		return;
	for (size_t i = 0; i < v.n;) {
		if (!is_date_call(v, i, &d)) {
			buf_add_char(&next, v.p[i++]);
			continue;
		}
		buf_add_str(&next, "datetime(");
		buf_add(&next, d.date.p, d.date.n);
		buf_addf(&next, ", '%c", d.sign);
		buf_add(&next, d.number.p, d.number.n);
		buf_addf(&next, " %s%s')", d.unit,
			 view_eq(d.number, view_of("1")) ? "" : "s");
		i = d.end;
	}
	swap(b, &next);
}

/* The first word behind a blank or newline that ends in `suffix`, cut behind it; n 0:
 * there is none. */
static struct view first_vital(struct view v, const char *suffix)
{
	size_t s = strlen(suffix);

	for (size_t i = contains(v, suffix) ? 1 : v.n; i < v.n; i++) {
		size_t n = 0;

		if (v.p[i - 1] != ' ' && v.p[i - 1] != '\n')
			continue;
		while (i + n < v.n && is_word(v.p[i + n]))
			n++;
		for (; n > s; n--)
			if (memcmp(v.p + i + n - s, suffix, s) == 0)
				return (struct view){ v.p + i, n };
	}
	return (struct view){ NULL, 0 };
}

static void fill_vitals(struct buf *b)
{
	static const char *const vitals[][3] = {
		{ "temperature", "35.5", "38.1" },  { "sao2", "95.0", "100.0" },
		{ "heart_rate", "60.0", "100.0" },  { "respiration", "12.0", "18.0" },
		{ "systolic_bp", "90.0", "120.0" }, { "diastolic_bp", "60.0", "90.0" },
		{ "mean_bp", "60.0", "110.0" }
	};
	struct view low, high, name;
	char text[32];

	if (b->bad)
		return;
	low = first_vital(buf_view(b), "_lower");
	high = first_vital(buf_view(b), "_upper");
	name = (struct view){ low.p, low.n - 6 };
	if (!low.n || !high.n || !view_eq(name, (struct view){ high.p, high.n - 6 }))
		return;
	for (size_t i = 0; i < sizeof vitals / sizeof *vitals; i++) {
		if (!view_eq(name, view_of(vitals[i][0])))
			continue;
		snprintf(text, sizeof text, "%s_lower", vitals[i][0]);
		replace(b, text, vitals[i][1]);
		snprintf(text, sizeof text, "%s_upper", vitals[i][0]);
		replace(b, text, vitals[i][2]);
		return;
	}
}

void rewrite_ehrsql(struct buf *b, struct view sql)
{
	static const char *const now[][2] = {
		{ "current_time", "'2100-12-31 23:59:00'" },
		{ "current_date", "'2100-12-31'" },
		{ "'now'", "'2100-12-31 23:59:00'" },
		{ "NOW()", "'2100-12-31 23:59:00'" },
		{ "CURDATE()", "'2100-12-31'" },
		{ "CURTIME()", "'23:59:00'" },
	};
	struct buf made = { .max = b->max };

	fold(&made, sql);
	join_operators(&made);
	convert_dates(&made);
	for (size_t i = 0; i < sizeof now / sizeof *now; i++)
		replace(&made, now[i][0], now[i][1]);
	fill_vitals(&made);
	replace(&made, "%y", "%Y");
	replace(&made, "%j", "%J");
	finish(b, &made);
}

/* str.lower() for ASCII and Latin-1 capitals. */
static void add_lower(struct buf *b, struct view v)
{
	for (size_t i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.p[i];

		if (c >= 'A' && c <= 'Z')
			c += 32;
		else if (i && (unsigned char)v.p[i - 1] == 0xc3 && c >= 0x80 &&
			 c <= 0x9e && c != 0x97)
			c += 32;
		buf_add_char(b, (char)c);
	}
}

void rewrite_ehrsql_v1(struct buf *b, struct view sql, struct view now)
{
	struct buf made = { .max = b->max };
	char time[64];

	if (!now.n)
		now = view_of("2105-12-31 23:59:00");
	snprintf(time, sizeof time, "'%.*s'", (int)(now.n < 60 ? now.n : 60), now.p);
	add_lower(&made, sql);
	replace(&made, "current_time", time);
	fill_vitals(&made);
	replace(&made, "''", "'");
	replace(&made, "< =", "<=");
	replace(&made, "%y", "%Y");
	replace(&made, "%j", "%J");
	replace(&made, "'now'", time);
	finish(b, &made);
}

int rewrite_is_abstention(struct view rewritten)
{
	return view_eq(rewritten, view_of("null"));
}

/* ---- Python's execute() ---- */

/* lstrip_sql() of CPython's statement.c: is anything but space and comments left? */
static int is_rest(struct view v, size_t i)
{
	while (i < v.n) {
		if (has(v, i, "--")) {
			const char *nl = memchr(v.p + i, '\n', v.n - i);

			i = nl ? (size_t)(nl - v.p) + 1 : v.n;
		} else if (has(v, i, "/*")) {
			const char *end = memmem(v.p + i + 2, v.n - i - 2, "*/", 2);

			i = end ? (size_t)(end - v.p) + 2 : v.n;
		} else if (strchr(" \t\f\n\r", v.p[i])) {
			i++;
		} else {
			return 1;
		}
	}
	return 0;
}

/* Past space, comments and semicolons: where SQLite finds the first statement. */
static size_t first_statement(struct view sql)
{
	struct lexer l = lex_of(sql);
	struct token t;

	while (lex_solid(&l, &t))
		if (!token_op(&t, ";"))
			return l.at - t.text.n;
	return sql.n;
}

enum python_shape python_execute_shape(struct view sql)
{
	struct lexer l = { sql, first_statement(sql) };
	struct token t;
	int variables = 0;

	if (sql.n && memchr(sql.p, '\0', sql.n))
		return PYTHON_NUL;
	if (l.at == sql.n)
		return PYTHON_EMPTY;
	while (lex_solid(&l, &t)) {
		variables |= t.kind == TOKEN_VARIABLE;
		if (token_op(&t, ";"))
			break;
	}
	if (is_rest(sql, l.at))
		return PYTHON_MULTI;
	return variables ? PYTHON_PARAMETERS : PYTHON_ONE;
}

const char *python_shape_text(enum python_shape shape)
{
	static const char *const texts[] = { "one statement", "no statement",
					     "multi-statement", "NUL byte in SQL",
					     "unbound parameters" };

	return texts[shape];
}

struct view statement_of(struct view sql)
{
	size_t start = first_statement(sql), end = start;
	struct lexer l = { sql, start };
	struct token t;

	while (lex_solid(&l, &t) && !token_op(&t, ";"))
		end = l.at;
	return (struct view){ sql.p + start, end - start };
}

/* ---- one line ---- */

static int is_break(char c)
{
	return c == '\n' || c == '\r' || c == '\t';
}

static int has_break(struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (is_break(v.p[i]))
			return 1;
	return 0;
}

static void add_blanks(struct buf *b, struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		buf_add_char(b, is_break(v.p[i]) ? ' ' : v.p[i]);
}

/* A -- comment's own text may hold what ends the other kind. */
static void add_comment(struct buf *b, struct view v)
{
	if (v.p[0] == '/') {
		add_blanks(b, v);
		if (v.n < 4 || memcmp(v.p + v.n - 2, "*/", 2) != 0)
			buf_add_str(b, " */");
		return;
	}
	buf_add_str(b, "/*");
	for (size_t i = 2; i < v.n; i++) {
		buf_add_char(b, is_break(v.p[i]) ? ' ' : v.p[i]);
		if (v.p[i] == '*' && i + 1 < v.n && v.p[i + 1] == '/')
			buf_add_char(b, ' ');
	}
	buf_add_str(b, " */");
}

/* 'a<newline>b' is ('a'||char(10)||'b'). */
static void add_string(struct buf *b, struct view v)
{
	buf_add_str(b, "(");
	for (size_t i = 0; i < v.n; i++) {
		if (is_break(v.p[i]))
			buf_addf(b, "'||char(%d)||'", v.p[i]);
		else
			buf_add_char(b, v.p[i]);
	}
	buf_add_str(b, ")");
}

int one_line(struct buf *b, struct view sql, struct err *e)
{
	struct lexer l = lex_of(sql);
	struct token t;

	while (lex_next(&l, &t)) {
		if (t.kind == TOKEN_COMMENT)
			add_comment(b, t.text);
		else if (!has_break(t.text))
			buf_add(b, t.text.p, t.text.n);
		else if (t.kind == TOKEN_STRING)
			add_string(b, t.text);
		else if (t.kind != TOKEN_QUOTED)
			add_blanks(b, t.text);
		else
			return err_set(
				e, ERR_VALUE,
				"a quoted name at byte %zu holds a line break, which "
				"a one-line format cannot say",
				l.at - t.text.n);
	}
	return b->bad;
}
