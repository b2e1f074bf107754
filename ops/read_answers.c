/* read_answers.c - gold, for scoring only
 *
 * BIRD and Spider .sql (SQL, TAB, db_id), BIRD dev.json, Spider dev.json, EHRSQL
 * label.json, JSONL. What is read here goes to results/ alone.
 */
#include "ops/items.h"
#include "ops/jsonfile.h"

struct into {
	struct arena *a;
	struct answers *l;
	const struct read_how *how;
	struct err *e;
};

static int put(struct into *to, const struct answer *what)
{
	struct answer *kept = answers_add(to->l, to->a);

	if (!kept)
		return err_set(to->e, ERR_NOMEM, "%s", to->l->path);
	*kept = *what;
	to->l->has_ids |= what->id.n > 0;
	return 0;
}

/* Split at the last TAB, so that one inside a literal is no border. */
static int read_sql(struct into *to, const struct textfile *f)
{
	struct line line;
	size_t at = 0;
	char part[EXCERPT + 4];
	int rc = 0;

	while (!rc && textfile_line(f, &at, &line)) {
		struct view v = view_trim(line.text, VIEW_SPACE);
		const char *tab = v.n ? memrchr(v.p, '\t', v.n) : NULL;
		struct answer g = { .answerable = -1, .line = line.number };

		if (!tab) {
			if (!v.n && at == f->text.n)
				break;
			return err_set(to->e, ERR_INPUT,
				       "%s:%u:1: SQL, a tab and a db_id are wanted: %s",
				       f->path, line.number,
				       v.n ? excerpt(v, part) : "(blank line)");
		}
		g.sql = arena_view(to->a,
				   view_trim((struct view){ v.p, (size_t)(tab - v.p) },
					     VIEW_SPACE));
		g.db_id = arena_view(
			to->a, view_trim((struct view){ tab + 1,
							(size_t)(v.p + v.n - tab - 1) },
					 VIEW_SPACE));
		rc = g.sql.p && g.db_id.p ? put(to, &g)
					  : err_set(to->e, ERR_NOMEM, "%s", f->path);
	}
	return rc;
}

static int text_of(struct into *to, const json_t *o, const char *const *names,
		   struct view *ret)
{
	for (*ret = (struct view){ "", 0 }; *names && !ret->n; names++)
		if (!json_text(o, *names, to->a, ret))
			return 0;
	return 1;
}

static int put_object(struct into *to, const json_t *o, uint32_t line, size_t element)
{
	static const char *const sqls[] = { "sql", "SQL", "query", NULL };
	static const char *const levels[] = { "difficulty", "hardness", NULL };
	static const char *const dbs[] = { "db_id", NULL };
	const json_t *id = json_object_get(o, "question_id"),
		     *answerable = json_object_get(o, "answerable");
	struct answer g = { .answerable = -1, .line = line };

	if (!id)
		id = json_object_get(o, "id");
	if (id && (json_is_string(id) || json_is_integer(id)))
		g.id = json_compact(id, to->a);
	if (json_is_boolean(answerable))
		g.answerable = json_is_true(answerable);
	if (!text_of(to, o, sqls, &g.sql) || !text_of(to, o, levels, &g.level) ||
	    !text_of(to, o, dbs, &g.db_id))
		return err_set(to->e, ERR_INPUT,
			       "%s:%u: element %zu: sql, db_id and level are strings",
			       to->l->path, line, element);
	if (!json_object_get(o, "sql") && !json_object_get(o, "SQL") &&
	    !json_object_get(o, "query"))
		return err_set(to->e, ERR_INPUT,
			       "%s:%u: element %zu (id %.*s) has no gold SQL (sql, SQL "
			       "or query)",
			       to->l->path, line, element, (int)g.id.n,
			       g.id.p ? g.id.p : "");
	if (json_object_get(o, "SQL"))
		to->l->benchmark = "bird";
	else if (json_object_get(o, "query") && id)
		to->l->benchmark = "ehrsql"; /* its first edition */
	else if (json_object_get(o, "query") || json_object_get(o, "hardness"))
		to->l->benchmark = "spider";
	else if (answerable)
		to->l->benchmark = "ehrsql";
	else if (g.level.n)
		to->l->benchmark = "bird";
	return put(to, &g);
}

static int put_line(void *arg, const json_t *o, const struct line *line)
{
	return put_object(arg, o, line->number, 0);
}

static int read_lines(struct into *to, const struct textfile *f)
{
	return json_lines(f, to->how->skip_bad, put_line, to, &to->l->blank,
			  &to->l->bad, to->e);
}

static int read_labels(struct into *to, const json_t *doc)
{
	const json_t *v;
	const char *key;
	struct buf id = { 0 };
	int rc = 0;

	to->l->benchmark = "ehrsql";
	json_object_foreach ((json_t *)doc, key, v) {
		struct answer g = { .answerable = -1 };

		if (!json_is_string(v)) {
			rc = err_set(to->e, ERR_INPUT,
				     "%s: id %s: the label is no string", to->l->path,
				     key);
			break;
		}
		buf_clear(&id);
		json_quote(&id, view_of(key));
		g.id = arena_view(to->a, buf_view(&id));
		g.sql = arena_view(to->a, (struct view){ json_string_value(v),
							 json_string_length(v) });
		g.answerable = strcmp(json_string_value(v), "null") != 0;
		rc = put(to, &g);
		if (rc)
			break;
	}
	buf_free(&id);
	return rc;
}

static int read_document(struct into *to, const struct textfile *f)
{
	const json_t *o;
	json_t *doc = NULL;
	size_t k;
	int rc = json_document(f, &doc, to->e);

	if (rc)
		return rc;
	if (json_is_object(doc)) {
		rc = read_labels(to, doc);
	} else {
		json_array_foreach (doc, k, o)
			if ((rc = put_object(to, o, 1, k)))
				break;
	}
	json_decref(doc);
	return rc;
}

int answers_read(struct arena *a, const char *path, const struct read_how *how,
		 struct answers *ret, struct err *e)
{
	struct answers l = { .path = path };
	struct into to = { a, &l, how, e };
	struct textfile f;
	int rc = textfile_read(a, path, &f, e);

	if (rc)
		return rc;
	l.path = f.path;
	l.hash = f.hash;
	switch (file_shape(&f)) {
	case SHAPE_EMPTY: return err_set(e, ERR_INPUT, "%s: is empty", path);
	case SHAPE_TEXT: rc = read_sql(&to, &f); break;
	case SHAPE_JSONL:
		rc = memmem(f.text.p, f.text.n, "\"sql\"", 5) ? read_lines(&to, &f)
							      : read_document(&to, &f);
		break;
	default: rc = read_document(&to, &f); break;
	}
	if (!rc && l.n == 0)
		rc = err_set(e, ERR_INPUT, "%s: holds no gold", path);
	if (!rc)
		*ret = l;
	return rc;
}
