/* read_predictions.c - one system's answers, in its benchmark's own format
 *
 * BIRD: {"0": "SQL<separator>DB"}, in file order; the official script ignores the keys,
 *       so keys out of order are refused here unless lenient.
 * EHRSQL: {ID: SQL}, ids and all.
 * Spider: one SQL a line, TAB and more behind it ignored. A blank line is a prediction
 *       that is missing (the official scripts drop it, or take it for a session border,
 *       and shift all that follow).
 * Samples: a list or lines of objects with several SQLs each ("pred_sqls" and its kin),
 *       with raw answers ("responses") that SQL is taken out of, or with one ("sql"),
 *       as files of gold are.
 */
#include "common/sql/extract.h"
#include "ops/items.h"
#include "ops/jsonfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BIRD_SEPARATOR "\t----- bird -----\t"

/* What stands for a missing prediction: never right, not even where gold is empty. */
static const char missing_sql[] = "SELECT";

struct into {
	struct arena *a;
	struct items *l;
	const char *name; /* of the source */
	const struct read_how *how;
	struct err *e;
};

static int put(struct into *to, struct view id, struct view db, struct view sql,
	       uint32_t line)
{
	struct item *i = items_add(to->l, to->a);
	struct candidate *c;

	if (!i)
		return err_set(to->e, ERR_NOMEM, "%s", to->l->path);
	*i = (struct item){ .id = id, .line = line };
	i->db_id = arena_view(to->a, db);
	c = item_add(i, to->a);
	if (!c)
		return err_set(to->e, ERR_NOMEM, "%s", to->l->path);
	c->sql = arena_view(to->a, sql);
	c->source = view_of(to->name);
	to->l->has_ids |= id.n > 0;
	return c->sql.p ? 0 : err_set(to->e, ERR_NOMEM, "%s", to->l->path);
}

static const char *find_separator(struct view v)
{
	return memmem(v.p, v.n, BIRD_SEPARATOR, sizeof BIRD_SEPARATOR - 1);
}

/* As mini_dev does it: exactly two parts, else the whole string, trimmed. */
static int put_bird(struct into *to, const char *key, const json_t *v)
{
	struct view text = { " ", 1 }, db = { "", 0 };
	const char *at, *again = NULL;

	if (json_is_string(v))
		text = (struct view){ json_string_value(v), json_string_length(v) };
	at = find_separator(text);
	if (at) {
		db.p = at + sizeof BIRD_SEPARATOR - 1;
		db.n = (size_t)(text.p + text.n - db.p);
		again = find_separator(db);
	}
	if (!at || again) {
		to->l->bad++;
		if (!to->how->lenient)
			return err_set(to->e, ERR_INPUT,
				       "%s: key \"%s\": %s; --lenient takes the whole "
				       "text as SQL",
				       to->l->path, key,
				       json_is_string(v)
					       ? "no \"\\t----- bird -----\\tDB_ID\" "
						 "behind the SQL"
					       : "the prediction is no string");
		return put(to, (struct view){ "", 0 }, (struct view){ "", 0 },
			   view_trim(text, VIEW_SPACE), 0);
	}
	text.n = (size_t)(at - text.p);
	return put(to, (struct view){ "", 0 }, view_trim(db, VIEW_SPACE), text, 0);
}

static int bird_key(struct into *to, const char *key, uint64_t want)
{
	char number[24];

	snprintf(number, sizeof number, "%" PRIu64, want);
	if (strcmp(key, number) == 0 || to->how->lenient)
		return 0;
	return err_set(
		to->e, ERR_INPUT,
		"%s: key \"%s\" stands where \"%s\" is expected: the official script "
		"ignores keys and would judge it as question %s; put them in order, or "
		"--lenient",
		to->l->path, key, number, number);
}

static int is_bird(const json_t *doc)
{
	const json_t *v;
	const char *key;

	json_object_foreach ((json_t *)doc, key, v)
		if (json_is_string(v) &&
		    find_separator((struct view){ json_string_value(v),
						  json_string_length(v) }))
			return 1;
	return 0;
}

static int read_bird(struct into *to, const json_t *doc)
{
	const json_t *v;
	const char *key;
	uint64_t k = 0;
	int rc = 0;

	to->l->benchmark = "bird";
	json_object_foreach ((json_t *)doc, key, v)
		if ((rc = bird_key(to, key, k++)) || (rc = put_bird(to, key, v)))
			break;
	return rc;
}

static int read_ehrsql(struct into *to, const json_t *doc)
{
	struct buf id = { 0 };
	const json_t *v;
	const char *key;
	int rc = 0;

	to->l->benchmark = "ehrsql";
	json_object_foreach ((json_t *)doc, key, v) {
		struct view kept;

		if (!json_is_string(v)) {
			rc = err_set(to->e, ERR_INPUT,
				     "%s: id %s: the prediction is no string",
				     to->l->path, key);
			break;
		}
		buf_clear(&id);
		json_quote(&id, view_of(key));
		kept = arena_view(to->a, buf_view(&id));
		rc = put(to, kept, (struct view){ "", 0 },
			 (struct view){ json_string_value(v), json_string_length(v) },
			 0);
		if (rc)
			break;
	}
	buf_free(&id);
	return rc;
}

static int read_spider(struct into *to, const struct textfile *f)
{
	struct line line;
	size_t at = 0;
	int rc = 0;

	to->l->benchmark = "spider";
	while (!rc && textfile_line(f, &at, &line)) {
		struct view sql = view_trim(line.text, VIEW_SPACE), db = { "", 0 };
		const char *tab = memchr(sql.p, '\t', sql.n);

		if (tab)
			sql = view_trim((struct view){ sql.p, (size_t)(tab - sql.p) },
					VIEW_SPACE);
		rc = put(to, (struct view){ "", 0 }, db, sql, line.number);
		if (!rc && !sql.n) {
			struct candidate *c = to->l->v[to->l->n - 1].cand;

			c->run = view_of(missing_sql);
			to->l->blank++;
		}
	}
	return rc;
}

/* ---- several samples a question ---- */

static const char *const sql_lists[] = { "pred_sqls", "predictions", "sqls", "samples",
					 "candidates" };
static const char *const answer_lists[] = { "responses", "outputs", "answers" };

static const json_t *list_of(const json_t *o, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (json_is_array(json_object_get(o, names[i])))
			return json_object_get(o, names[i]);
	return NULL;
}

static int put_sample(struct into *to, struct item *i, const json_t *v, int raw)
{
	struct candidate *c;
	struct view text = { "", 0 };

	if (json_is_object(v))
		v = json_object_get(v, "sql");
	if (json_is_string(v))
		text = (struct view){ json_string_value(v), json_string_length(v) };
	if (raw)
		text = extract_sql(text).sql;
	c = item_add(i, to->a);
	if (!c)
		return err_set(to->e, ERR_NOMEM, "%s", to->l->path);
	c->sql = text.n ? arena_view(to->a, text) : (struct view){ "", 0 };
	c->source = view_of(to->name);
	if (!text.n)
		c->run = view_of(missing_sql);
	return c->sql.p ? 0 : err_set(to->e, ERR_NOMEM, "%s", to->l->path);
}

/* One SQL a question, as gold files have it: gold as its own prediction. */
static const json_t *only_sql(const json_t *o)
{
	static const char *const names[] = { "sql", "SQL", "query", "pred_sql" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (json_is_string(json_object_get(o, names[i])))
			return json_object_get(o, names[i]);
	return NULL;
}

static int is_sample(const json_t *o)
{
	return only_sql(o) ||
	       list_of(o, sql_lists, sizeof sql_lists / sizeof *sql_lists) ||
	       list_of(o, answer_lists, sizeof answer_lists / sizeof *answer_lists);
}

static int put_samples(struct into *to, const json_t *o, uint32_t line)
{
	const json_t *list =
		list_of(o, sql_lists, sizeof sql_lists / sizeof *sql_lists);
	const json_t *id = json_object_get(o, "question_id"), *v;
	struct item i = { .line = line }, *kept;
	const json_t *only = list ? NULL : only_sql(o);
	int raw = !list && !only, rc;
	size_t k;

	if (raw)
		list = list_of(o, answer_lists,
			       sizeof answer_lists / sizeof *answer_lists);
	if (!list && !only)
		return err_set(
			to->e, ERR_INPUT,
			"%s: element %u: no sql, no list of SQL (pred_sqls, sqls, "
			"candidates) and "
			"none of answers (responses)",
			to->l->path, to->l->n);
	if (!id)
		id = json_object_get(o, "id");
	if (id && (json_is_string(id) || json_is_integer(id)))
		i.id = json_compact(id, to->a);
	if (!json_text(o, "db_id", to->a, &i.db_id) ||
	    !json_text(o, "evidence", to->a, &i.evidence) ||
	    !json_text(o, "question", to->a, &i.text))
		return err_set(to->e, ERR_INPUT,
			       "%s: element %u: db_id and question are strings",
			       to->l->path, to->l->n);
	if (only && (rc = put_sample(to, &i, only, 0)))
		return rc;
	json_array_foreach (list, k, v)
		if ((rc = put_sample(to, &i, v, raw)))
			return rc;
	kept = items_add(to->l, to->a);
	if (!kept)
		return err_set(to->e, ERR_NOMEM, "%s", to->l->path);
	*kept = i;
	to->l->has_ids |= i.id.n > 0;
	return 0;
}

static int read_samples(struct into *to, const json_t *list)
{
	const json_t *o;
	size_t k;
	int rc = 0;

	json_array_foreach (list, k, o)
		if ((rc = put_samples(to, o, 0)))
			break;
	return rc;
}

static int put_line(void *arg, const json_t *o, const struct line *line)
{
	return put_samples(arg, o, line->number);
}

static int read_sample_lines(struct into *to, const struct textfile *f)
{
	return json_lines(f, to->how->skip_bad, put_line, to, &to->l->blank,
			  &to->l->bad, to->e);
}

static int read_document(struct into *to, const struct textfile *f)
{
	json_t *doc = NULL;
	int rc = json_document(f, &doc, to->e);

	if (rc)
		return rc;
	if (json_is_array(doc))
		rc = read_samples(to, doc);
	else if (to->how->benchmark ? strcmp(to->how->benchmark, "bird") == 0
				    : is_bird(doc))
		rc = read_bird(to, doc);
	else
		rc = read_ehrsql(to, doc);
	json_decref(doc);
	return rc;
}

/* {"0": "..."} on one line is a document, and lines of objects with SQL are not. A
 * first line that cannot be read is told by whoever reads it. */
static int is_lines(const struct textfile *f)
{
	struct line line;
	json_t *o = NULL;
	size_t at = 0;
	int lines;

	while (textfile_line(f, &at, &line))
		if (!line_is_blank(&line))
			break;
	if (json_line(f, &line, &o, NULL))
		return memmem(f->text.p, f->text.n, ": [", 3) ||
		       memmem(f->text.p, f->text.n, ":[", 2);
	lines = is_sample(o);
	json_decref(o);
	return lines;
}

int predictions_read(struct arena *a, const char *path, const char *name,
		     const struct read_how *how, struct items *ret, struct err *e)
{
	struct items l = { .path = path, .has_sql = 1 };
	struct into to = { a, &l, NULL, how, e };
	struct textfile f;
	int rc = textfile_read(a, path, &f, e);

	if (rc)
		return rc;
	to.name = l.name = arena_str(a, name);
	l.path = f.path;
	l.hash = f.hash;
	switch (file_shape(&f)) {
	case SHAPE_EMPTY: return err_set(e, ERR_INPUT, "%s: is empty", path);
	case SHAPE_TEXT: rc = read_spider(&to, &f); break;
	case SHAPE_JSONL:
		rc = is_lines(&f) ? read_sample_lines(&to, &f) : read_document(&to, &f);
		break;
	default: rc = read_document(&to, &f); break;
	}
	if (!rc && l.n == 0)
		rc = err_set(e, ERR_INPUT, "%s: holds no prediction", path);
	if (!rc)
		*ret = l;
	return rc;
}
