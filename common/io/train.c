/* train.c - see train.h */
#include "common/io/train.h"

#include "common/base/buf.h"
#include "common/base/mem.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

enum { FILE_MOST = 1 << 30 };

struct reader {
	const char *path;
	struct train t;
	uint32_t cap;
	int skip_bad;
	struct err *e;
};

static int slurp(struct reader *r, struct buf *b)
{
	FILE *f = fopen(r->path, "rb");
	char piece[1 << 14];
	size_t n;
	int bad;

	if (!f)
		return err_set(r->e, ERR_INPUT, "%s: %s", r->path, strerror(errno));
	b->max = FILE_MOST;
	while ((n = fread(piece, 1, sizeof piece, f)) > 0)
		buf_add(b, piece, n);
	bad = ferror(f);
	fclose(f);
	if (bad)
		return err_set(r->e, ERR_INPUT, "%s: cannot be read", r->path);
	return b->bad ? err_set(r->e, b->bad, "%s: too large", r->path) : 0;
}

static int bad_item(struct reader *r, uint32_t line, int column, const char *what)
{
	if (r->skip_bad) {
		r->t.skipped++;
		return 0;
	}
	return err_set(r->e, ERR_INPUT,
		       "%s:%u:%d: %s; mend the line, or pass it over with --skip-bad",
		       r->path, line, column < 1 ? 1 : column, what);
}

static json_t *first_of(json_t *o, const char *a, const char *b, const char *c)
{
	json_t *v = json_object_get(o, a);

	if (!v && b)
		v = json_object_get(o, b);
	if (!v && c)
		v = json_object_get(o, c);
	return v;
}

static struct view text_of(struct reader *r, json_t *v)
{
	if (!json_is_string(v))
		return (struct view){ "", 0 };
	return (struct view){ arena_dup(&r->t.arena, json_string_value(v),
					json_string_length(v)),
			      json_string_length(v) };
}

static struct view id_of(struct reader *r, json_t *v, uint32_t at)
{
	char number[32], *s;
	struct view id;

	if (!v) {
		snprintf(number, sizeof number, "%u", at);
		return (struct view){ arena_str(&r->t.arena, number), strlen(number) };
	}
	s = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	id = view_of(s ? arena_str(&r->t.arena, s) : NULL);
	free(s);
	return id;
}

static struct train_item *next_item(struct reader *r)
{
	if (r->t.n == r->cap) {
		uint32_t cap = r->cap ? r->cap * 2 : 256;
		struct train_item *more = arena_alloc(&r->t.arena, cap, sizeof *more);

		if (!more)
			return NULL;
		if (r->t.n)
			memcpy(more, r->t.item, r->t.n * sizeof *more);
		r->t.item = more;
		r->cap = cap;
	}
	return &r->t.item[r->t.n];
}

static int add_item(struct reader *r, json_t *o, uint32_t line, uint32_t at)
{
	json_t *sql = first_of(o, "sql", "SQL", "query");
	json_t *id = first_of(o, "id", "question_id", NULL);
	struct train_item *i;

	if (!json_is_object(o))
		return bad_item(r, line, 1, "not a JSON object");
	if (!json_is_string(sql))
		return bad_item(r, line, 1, "no text under \"sql\"");
	if (!json_is_string(json_object_get(o, "question")))
		return bad_item(r, line, 1, "no text under \"question\"");
	if (!json_is_string(json_object_get(o, "db_id")))
		return bad_item(r, line, 1, "no text under \"db_id\"");
	if (id && !json_is_integer(id) && !json_is_string(id))
		return bad_item(r, line, 1,
				"\"id\" is neither a whole number nor text");
	i = next_item(r);
	if (!i)
		return err_set(r->e, ERR_NOMEM, "%s", r->path);
	*i = (struct train_item){
		.id = id_of(r, id, at),
		.db_id = text_of(r, json_object_get(o, "db_id")),
		.question = text_of(r, json_object_get(o, "question")),
		.evidence = text_of(r, json_object_get(o, "evidence")),
		.sql = text_of(r, sql),
	};
	if (!i->id.p || !i->db_id.p || !i->question.p || !i->evidence.p || !i->sql.p)
		return err_set(r->e, ERR_NOMEM, "%s", r->path);
	r->t.n++;
	return 0;
}

static int is_blank(const char *p, size_t n)
{
	while (n && (*p == ' ' || *p == '\t' || *p == '\r')) {
		p++;
		n--;
	}
	return n == 0;
}

static int read_line(struct reader *r, const char *p, size_t n, uint32_t line)
{
	json_error_t je;
	json_t *o;
	int code;

	if (is_blank(p, n))
		return 0;
	o = json_loadb(p, n, JSON_REJECT_DUPLICATES, &je);
	if (!o)
		return bad_item(r, line, je.column, je.text);
	code = add_item(r, o, line, line - 1);
	json_decref(o);
	return code;
}

static int read_lines(struct reader *r, const struct buf *b)
{
	uint32_t line = 1;
	int code = 0;

	for (size_t at = 0; at < b->n && !code; line++) {
		const char *p = b->p + at, *end = memchr(p, '\n', b->n - at);
		size_t n = end ? (size_t)(end - p) : b->n - at;

		code = read_line(r, p, n, line);
		at += n + 1;
	}
	return code;
}

static int read_array(struct reader *r, const struct buf *b)
{
	json_error_t je;
	json_t *all = json_loadb(b->p, b->n, 0, &je);
	int code = 0;

	if (!all)
		return err_set(r->e, ERR_INPUT, "%s:%d:%d: %s", r->path, je.line,
			       je.column, je.text);
	for (size_t i = 0; i < json_array_size(all) && !code; i++)
		code = add_item(r, json_array_get(all, i), (uint32_t)i + 1,
				(uint32_t)i);
	json_decref(all);
	return code;
}

static int is_array(const struct buf *b)
{
	size_t i = 0;

	while (i < b->n && strchr(" \t\r\n", b->p[i]) && b->p[i])
		i++;
	return i < b->n && b->p[i] == '[';
}

int train_read(const char *path, int skip_bad, struct train *ret, struct err *e)
{
	struct reader r = { .path = path, .skip_bad = skip_bad, .e = e };
	struct buf b = { 0 };
	int code = slurp(&r, &b);

	if (!code) {
		r.t.hash = hash_of(b.p ? b.p : "", b.n);
		code = is_array(&b) ? read_array(&r, &b) : read_lines(&r, &b);
	}
	buf_free(&b);
	if (code) {
		train_free(&r.t);
		return code;
	}
	*ret = r.t;
	return 0;
}

void train_free(struct train *t)
{
	if (!t)
		return;
	arena_free(&t->arena);
	*t = (struct train){ 0 };
}
