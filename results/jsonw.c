/* jsonw.c - see jsonw.h */
#include "results/jsonw.h"

#include "common/base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct jsonw jsonw_of(struct buf *b, int pretty)
{
	return (struct jsonw){ .b = b, .pretty = pretty };
}

static int lines(const struct jsonw *w)
{
	return w->pretty && (!w->flat || w->depth < w->flat);
}

static void line(struct jsonw *w)
{
	buf_add_char(w->b, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		buf_add_char(w->b, ' ');
}

/* What stands between the members. */
static void before(struct jsonw *w)
{
	if (w->keyed) {
		w->keyed = 0;
		return;
	}
	if (w->depth == 0)
		return;
	if (w->some[w->depth - 1])
		buf_add_str(w->b, w->pretty && !lines(w) ? ", " : ",");
	w->some[w->depth - 1] = 1;
	if (lines(w))
		line(w);
}

static void begin(struct jsonw *w, const char *open, char close)
{
	assert(w->depth < JSONW_DEPTH);
	before(w);
	buf_add_str(w->b, open);
	w->close[w->depth] = close;
	w->some[w->depth++] = 0;
}

void jw_object(struct jsonw *w)
{
	begin(w, "{", '}');
}

void jw_array(struct jsonw *w)
{
	begin(w, "[", ']');
}

void jw_flat(struct jsonw *w)
{
	if (!w->flat)
		w->flat = w->depth + 1;
}

void jw_end(struct jsonw *w)
{
	int was = lines(w);

	assert(w->depth > 0 && !w->keyed);
	w->depth--;
	if (was && w->some[w->depth])
		line(w);
	buf_add_char(w->b, w->close[w->depth]);
	if (w->flat > w->depth)
		w->flat = 0;
	if (w->depth == 0 && w->pretty)
		buf_add_char(w->b, '\n');
}

static void escape(struct buf *b, unsigned char c)
{
	static const char *const named[128] = {
		['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
		['\n'] = "\\n", ['\r'] = "\\r",  ['\t'] = "\\t",
	};

	if (named[c])
		buf_add_str(b, named[c]);
	else if (c < 0x20 || c == 0x7f)
		buf_addf(b, "\\u%04x", c);
	else
		buf_add_char(b, (char)c);
}

static void quoted(struct buf *b, struct view v)
{
	const unsigned char *p = (const unsigned char *)v.p;

	buf_add_char(b, '"');
	for (size_t i = 0; i < v.n;) {
		size_t n = utf8_point(v.p + i, v.n - i, NULL);

		if (n == 1)
			escape(b, p[i]);
		else if (n)
			buf_add(b, p + i, n);
		else
			buf_add_str(b, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	buf_add_char(b, '"');
}

void jw_key_view(struct jsonw *w, struct view key)
{
	assert(w->depth && w->close[w->depth - 1] == '}');
	before(w);
	quoted(w->b, key);
	buf_add_str(w->b, w->pretty ? ": " : ":");
	w->keyed = 1;
}

void jw_key(struct jsonw *w, const char *key)
{
	jw_key_view(w, view_of(key));
}

void jw_str(struct jsonw *w, struct view v)
{
	before(w);
	quoted(w->b, v);
}

void jw_u64(struct jsonw *w, uint64_t v)
{
	before(w);
	buf_addf(w->b, "%" PRIu64, v);
}

void jw_i64(struct jsonw *w, int64_t v)
{
	before(w);
	buf_addf(w->b, "%" PRId64, v);
}

/* As Python's repr() has it: digits, with an exponent only where it is far away. */
void num_text(double v, char ret[NUM_TEXT])
{
	int digits = 1, ten;

	do
		snprintf(ret, NUM_TEXT, "%.*e", digits - 1, v);
	while (strtod(ret, NULL) != v && digits++ < 17);
	ten = atoi(strchr(ret, 'e') + 1);
	if (ten < -5 || ten >= 16)
		return;
	snprintf(ret, NUM_TEXT, "%.*f", digits - 1 - ten > 1 ? digits - 1 - ten : 1, v);
}

void jw_num(struct jsonw *w, double v)
{
	char text[NUM_TEXT];

	before(w);
	if (!isfinite(v)) {
		buf_add_str(w->b, "null");
		return;
	}
	num_text(v == 0 ? 0 : v, text); /* no -0.0 */
	buf_add_str(w->b, text);
}

void jw_num9(struct jsonw *w, double v)
{
	char text[NUM_TEXT];

	snprintf(text, sizeof text, "%.9g", v);
	jw_num(w, isfinite(v) ? strtod(text, NULL) : v);
}

void jw_bool(struct jsonw *w, int v)
{
	before(w);
	buf_add_str(w->b, v ? "true" : "false");
}

void jw_null(struct jsonw *w)
{
	before(w);
	buf_add_str(w->b, "null");
}

void jw_raw(struct jsonw *w, struct view json)
{
	before(w);
	buf_add(w->b, json.p, json.n);
}

void jw_kstr(struct jsonw *w, const char *key, const char *v)
{
	jw_key(w, key);
	if (v)
		jw_str(w, view_of(v));
	else
		jw_null(w);
}

void jw_kview(struct jsonw *w, const char *key, struct view v)
{
	jw_key(w, key);
	jw_str(w, v);
}

void jw_ku64(struct jsonw *w, const char *key, uint64_t v)
{
	jw_key(w, key);
	jw_u64(w, v);
}

void jw_knum(struct jsonw *w, const char *key, double v)
{
	jw_key(w, key);
	jw_num(w, v);
}

void jw_knum9(struct jsonw *w, const char *key, double v)
{
	jw_key(w, key);
	jw_num9(w, v);
}

void jw_kbool(struct jsonw *w, const char *key, int v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

void jw_knull(struct jsonw *w, const char *key)
{
	jw_key(w, key);
	jw_null(w);
}

void jw_kobject(struct jsonw *w, const char *key)
{
	jw_key(w, key);
	jw_object(w);
}

void jw_karray(struct jsonw *w, const char *key)
{
	jw_key(w, key);
	jw_array(w);
}
