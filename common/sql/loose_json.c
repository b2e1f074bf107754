/* loose_json.c - see loose_json.h */
#include "common/sql/loose_json.h"

#include "common/sql/lex.h"

#include <stdint.h>

struct reader {
	struct arena *a;
	const char *at, *end;
	char open[LOOSE_DEPTH]; /* { or [ */
	int depth;
	uint32_t values;
	unsigned repairs;
	int rc;
};

const char *loose_repair_name(enum loose_repair r)
{
	static const char *const names[] = {
#define X(name, text) #name,
		LOOSE_REPAIR_LIST(X)
#undef X
	};

	return r < LOOSE_REPAIRS ? names[r] : "?";
}

const struct loose *loose_member(const struct loose *object, const char *name)
{
	for (const struct loose *m = object ? object->first : NULL; m; m = m->next)
		if (m->key.n && name_is(m->key, name))
			return m;
	return NULL;
}

/* ---- characters ------------------------------------------------------------------ */

static void mended(struct reader *r, enum loose_repair what)
{
	r->repairs |= 1u << what;
}

static int is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int starts(const struct reader *r, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(r->end - r->at) >= n && memcmp(r->at, word, n) == 0;
}

static void skip_to(struct reader *r, const char *word)
{
	const char *p = memmem(r->at, (size_t)(r->end - r->at), word, strlen(word));

	r->at = p ? p + strlen(word) : r->end;
}

static void skip_space(struct reader *r)
{
	for (;;) {
		while (r->at < r->end && is_space(*r->at))
			r->at++;
		if (starts(r, "//"))
			skip_to(r, "\n");
		else if (starts(r, "/*"))
			skip_to(r, "*/");
		else
			return;
		mended(r, LOOSE_comma);
	}
}

/* Space and commas; more than one comma, or one before a bracket, is too many. */
static void skip_commas(struct reader *r, int first)
{
	int commas = 0;

	for (skip_space(r); r->at < r->end && *r->at == ','; skip_space(r)) {
		r->at++;
		commas++;
	}
	if (commas > !first || (commas && r->at < r->end && strchr("]}", *r->at)))
		mended(r, LOOSE_comma);
}

static size_t put_point(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* Four hex digits behind \u; 0x110000 where there are none. */
static uint32_t take_hex(struct reader *r)
{
	uint32_t v = 0;

	if (r->end - r->at < 4)
		return 0x110000;
	for (int i = 0; i < 4; i++) {
		char c = r->at[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return 0x110000;
		v = v << 4 | (uint32_t)digit;
	}
	r->at += 4;
	return v;
}

/* At most as many bytes as were read. */
static size_t take_unicode(struct reader *r, char *to)
{
	uint32_t c = take_hex(r);

	if (c >= 0xd800 && c < 0xdc00 && starts(r, "\\u")) {
		uint32_t low;

		r->at += 2;
		low = take_hex(r);
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_point(to, (c >= 0xd800 && c < 0xe000) || c >= 0x110000 ? 0xfffd : c);
}

static size_t take_escape(struct reader *r, char *to)
{
	static const char from[] = "nrtbf", into[] = "\n\r\t\b\f";
	char c = *r->at++;
	const char *known = strchr(from, c);

	if (c == 'u')
		return take_unicode(r, to);
	to[0] = c && known ? into[known - from] : c;
	return 1;
}

/* From a quote on. One that never closes ends with its line. */
static struct view take_string(struct reader *r)
{
	char quote = *r->at++;
	const char *close = r->at,
		   *line = memchr(r->at, '\n', (size_t)(r->end - r->at));
	struct view v = { NULL, 0 };
	char *to;

	if (quote == '\'')
		mended(r, LOOSE_quote);
	while (close < r->end && *close != quote)
		close += *close == '\\' && close + 1 < r->end ? 2 : 1;
	if (close >= r->end) {
		mended(r, LOOSE_quote);
		close = line ? line : r->end;
	}
	to = arena_alloc(r->a, (size_t)(close - r->at) + 4, 1);
	v.p = to ? to : "";
	while (r->at < close && to)
		if (*r->at == '\\' && r->at + 1 < r->end) {
			r->at++;
			v.n += take_escape(r, to + v.n);
		} else {
			to[v.n++] = *r->at++;
		}
	r->at = close + (close < r->end && *close == quote);
	return v;
}

/* true, 12, or a word that lacks its quotes: up to what ends a value. */
static struct view take_bare(struct reader *r)
{
	const char *from = r->at;

	while (r->at < r->end && !strchr(",]}:\n", *r->at))
		r->at++;
	if (r->at == from && r->at < r->end)
		r->at++; /* a stray colon */
	return view_trim((struct view){ from, (size_t)(r->at - from) }, " \t\r\n:");
}

static int is_quote(const struct reader *r)
{
	return r->at < r->end && (*r->at == '"' || *r->at == '\'');
}

/* Does `"name":` stand here? */
static int names_member(struct reader *r)
{
	struct reader look = *r;

	if (!is_quote(r))
		return 0;
	take_string(&look);
	skip_space(&look);
	return look.at < look.end && *look.at == ':';
}

/* ---- values ---------------------------------------------------------------------- */

static int around(const struct reader *r, char bracket)
{
	for (int i = 0; i < r->depth - 1; i++)
		if (r->open[i] == bracket)
			return 1;
	return 0;
}

static struct loose *add(struct reader *r, struct loose *parent, struct loose *last)
{
	struct loose *v = arena_alloc(r->a, 1, sizeof *v);

	if (!v)
		r->rc = ERR_NOMEM;
	else if (++r->values > LOOSE_VALUES)
		r->rc = ERR_LIMIT;
	if (r->rc)
		return NULL;
	*(last ? &last->next : &parent->first) = v;
	return v;
}

static void read_value(struct reader *r, struct loose *v);

/* 1: this container ends here. `own` closes it, `other` may close what is around. */
static int ends(struct reader *r, char own, char other, char other_open)
{
	if (r->at >= r->end) {
		mended(r, LOOSE_bracket);
		return 1;
	}
	if (*r->at == own) {
		r->at++;
		return 1;
	}
	if (*r->at != other)
		return 0;
	mended(r, LOOSE_bracket);
	if (around(r, other_open))
		return 1;
	r->at++;
	skip_commas(r, 0);
	return ends(r, own, other, other_open);
}

static void read_members(struct reader *r, struct loose *object)
{
	struct loose *last = object->first;

	while (last && last->next)
		last = last->next;
	for (int first = 1; !r->rc; first = 0) {
		struct view key = { "", 0 };

		skip_commas(r, first);
		if (ends(r, '}', ']', '['))
			return;
		if (*r->at == '{' || *r->at == '[') {
			mended(r, LOOSE_header);
		} else {
			if (!is_quote(r))
				mended(r, LOOSE_quote);
			key = is_quote(r) ? take_string(r) : take_bare(r);
			skip_space(r);
			if (r->at >= r->end || *r->at != ':')
				continue; /* a name without a value */
			r->at++;
		}
		last = add(r, object, last);
		if (last) {
			last->key = key;
			read_value(r, last);
		}
	}
}

static void read_items(struct reader *r, struct loose *array)
{
	struct loose *last = NULL;

	for (int first = 1; !r->rc; first = 0) {
		skip_commas(r, first);
		if (ends(r, ']', '}', '{'))
			return;
		if (names_member(r)) {
			mended(r, LOOSE_bracket);
			return;
		}
		last = add(r, array, last);
		if (last)
			read_value(r, last);
	}
}

static void read_container(struct reader *r, struct loose *v)
{
	if (r->depth == LOOSE_DEPTH) {
		r->rc = ERR_LIMIT;
		return;
	}
	v->kind = *r->at == '{' ? LOOSE_OBJECT : LOOSE_ARRAY;
	r->open[r->depth++] = *r->at++;
	if (v->kind == LOOSE_OBJECT)
		read_members(r, v);
	else
		read_items(r, v);
	r->depth--;
}

static void read_value(struct reader *r, struct loose *v)
{
	skip_space(r);
	if (r->at >= r->end)
		return;
	if (*r->at == '{' || *r->at == '[') {
		read_container(r, v);
		return;
	}
	v->kind = LOOSE_TEXT;
	if (is_quote(r)) {
		v->text = take_string(r);
		return;
	}
	v->text = take_bare(r);
	if (name_is(v->text, "null") || name_is(v->text, "none") || !v->text.n)
		v->kind = LOOSE_NULL;
}

/* ---- the whole ------------------------------------------------------------------- */

static struct view behind_thinking(struct view v)
{
	static const char mark[] = "</think>";
	const char *p;

	while ((p = memmem(v.p, v.n, mark, sizeof mark - 1))) {
		p += sizeof mark - 1;
		v.n -= (size_t)(p - v.p);
		v.p = p;
	}
	return v;
}

/* The first `{`, or the first `"name":` where nobody opened. */
static int find_start(struct reader *r)
{
	const char *brace = memchr(r->at, '{', (size_t)(r->end - r->at)), *from = r->at;

	for (; r->at < (brace ? brace : r->end); r->at++)
		if (*r->at == '"' && names_member(r))
			return 1;
	r->at = brace ? brace : from;
	return brace != NULL;
}

/* What stands behind the end: brackets too many, then perhaps more members. */
static int goes_on(struct reader *r)
{
	const char *from = r->at;

	for (;;) {
		skip_commas(r, 0);
		if (r->at >= r->end || !strchr("}]", *r->at) || !*r->at)
			break;
		r->at++;
	}
	if (names_member(r))
		return 1;
	r->at = from;
	return 0;
}

int loose_json_read(struct arena *a, struct view answer, struct loose *ret,
		    unsigned *ret_repairs)
{
	struct view v = view_trim(behind_thinking(answer), " \t\r\n");
	struct reader r = { .a = a, .at = v.p, .end = v.p + v.n };
	struct loose top = { .kind = LOOSE_OBJECT };
	unsigned before;

	if (!v.n || !find_start(&r))
		return ERR_VALUE;
	if (r.at > v.p)
		mended(&r, LOOSE_fence);
	r.open[r.depth++] = '{';
	if (*r.at == '{')
		r.at++;
	else
		mended(&r, LOOSE_bracket);
	read_members(&r, &top);
	for (before = r.repairs; !r.rc && goes_on(&r); before = r.repairs) {
		mended(&r, LOOSE_bracket);
		read_members(&r, &top);
	}
	r.repairs = before; /* looking ahead mends nothing */
	if (r.at < r.end)
		mended(&r, LOOSE_fence);
	if (!r.rc && a->bad)
		r.rc = ERR_NOMEM;
	if (r.rc)
		return r.rc;
	*ret = top;
	*ret_repairs = r.repairs;
	return 0;
}
