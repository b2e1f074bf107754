/* jsonfile.c - see jsonfile.h */
#include "ops/jsonfile.h"

#include "common/base/utf8.h"

enum { STRICT = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL };

static struct view line_at(const struct textfile *f, uint32_t number)
{
	struct line l = { 0 };
	size_t at = 0;

	while (textfile_line(f, &at, &l) && l.number < number)
		;
	return l.text;
}

static int bad(const char *path, uint32_t line, int column, const char *what,
	       struct view text, struct err *e)
{
	char part[EXCERPT + 4];

	return err_set(e, ERR_INPUT, "%s:%u:%d: %s: %s", path, line, column, what,
		       excerpt(text, part));
}

int json_document(const struct textfile *f, json_t **ret, struct err *e)
{
	json_error_t j;
	json_t *doc;

	if (f->text.n == 0)
		return err_set(e, ERR_INPUT, "%s: is empty", f->path);
	doc = json_loadb(f->text.p, f->text.n, STRICT, &j);
	if (!doc)
		return bad(f->path, j.line > 0 ? (uint32_t)j.line : 1, j.column, j.text,
			   line_at(f, j.line > 0 ? (uint32_t)j.line : 1), e);
	*ret = doc;
	return 0;
}

int json_line(const struct textfile *f, const struct line *l, json_t **ret,
	      struct err *e)
{
	json_error_t j;
	json_t *doc = json_loadb(l->text.p, l->text.n, STRICT, &j);

	if (!doc)
		return bad(f->path, l->number, j.column, j.text, l->text, e);
	if (!json_is_object(doc)) {
		json_decref(doc);
		return bad(f->path, l->number, 1, "an object {...} is wanted", l->text,
			   e);
	}
	*ret = doc;
	return 0;
}

int json_text(const json_t *o, const char *name, struct arena *a, struct view *ret)
{
	const json_t *v = json_object_get(o, name);

	*ret = (struct view){ "", 0 };
	if (!v || json_is_null(v))
		return 1;
	if (!json_is_string(v))
		return 0;
	ret->n = json_string_length(v);
	ret->p = arena_dup(a, json_string_value(v), ret->n);
	return ret->p != NULL;
}

struct view json_compact(const json_t *v, struct arena *a)
{
	char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	struct view out = { NULL, 0 };

	if (text) {
		out.n = strlen(text);
		out.p = arena_dup(a, text, out.n);
	}
	free(text);
	return out;
}

void json_quote(struct buf *b, struct view text)
{
	const unsigned char *p = (const unsigned char *)text.p;

	buf_add_char(b, '"');
	for (size_t i = 0; i < text.n;) {
		size_t n = utf8_point(text.p + i, text.n - i, NULL);

		if (n == 0)
			buf_add_str(b, "\xef\xbf\xbd");
		else if (p[i] == '"' || p[i] == '\\')
			buf_addf(b, "\\%c", p[i]);
		else if (p[i] == '\n')
			buf_add_str(b, "\\n");
		else if (p[i] < 32)
			buf_addf(b, "\\u%04x", p[i]);
		else
			buf_add(b, p + i, n);
		i += n ? n : 1;
	}
	buf_add_char(b, '"');
}
