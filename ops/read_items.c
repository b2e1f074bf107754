/* read_items.c - pools and questions: JSONL, and the benchmarks' own JSON
 *
 * A question file's gold (SQL, query) is dropped here, before anything else sees it.
 */
#include "ops/items.h"
#include "ops/jsonfile.h"

#include <math.h>
#include <stdio.h>

struct place {
	const char *path;
	uint32_t line; /* 0: element `at` of an array */
	uint32_t at;
	struct view text;
};

static int fault(const struct place *w, struct err *e, const char *what)
{
	char part[EXCERPT + 4];

	if (w->line)
		return err_set(e, ERR_INPUT, "%s:%u:1: %s: %s", w->path, w->line, what,
			       excerpt(w->text, part));
	return err_set(e, ERR_INPUT, "%s: element %u: %s", w->path, w->at, what);
}

static int take_id(const json_t *o, struct arena *a, struct item *i,
		   const struct place *w, struct err *e)
{
	const json_t *id = json_object_get(o, "question_id");

	if (!id)
		id = json_object_get(o, "id");
	if (!id || json_is_null(id))
		return 0;
	if (!json_is_string(id) && !json_is_integer(id))
		return fault(w, e,
			     "question_id is neither a string nor a whole number");
	i->id = json_compact(id, a);
	return i->id.p ? 0 : err_set(e, ERR_NOMEM, "%s", w->path);
}

static int take_number(const json_t *o, const char *name, const struct place *w,
		       double *ret, uint8_t *ret_has, struct err *e)
{
	const json_t *v = json_object_get(o, name);
	char text[64];

	*ret_has = 0;
	if (!v || json_is_null(v))
		return 0;
	if (json_is_number(v)) {
		*ret = json_number_value(v);
		*ret_has = 1;
		return 0;
	}
	snprintf(text, sizeof text, "%s is no number", name);
	return fault(w, e, text);
}

static int take_candidate(const json_t *o, struct arena *a, struct candidate *c,
			  const struct place *w, struct err *e)
{
	double tokens = 0;
	int rc;

	if (json_is_string(o)) {
		c->sql.n = json_string_length(o);
		c->sql.p = arena_dup(a, json_string_value(o), c->sql.n);
		return c->sql.p ? 0 : err_set(e, ERR_NOMEM, "%s", w->path);
	}
	if (!json_is_string(json_object_get(o, "sql")))
		return fault(w, e, "a candidate without \"sql\"");
	if (!json_text(o, "sql", a, &c->sql) || !json_text(o, "source", a, &c->source))
		return fault(w, e, "a candidate's source is no string");
	if ((rc = take_number(o, "logprob", w, &c->logprob, &c->has_logprob, e)) ||
	    (rc = take_number(o, "tokens", w, &tokens, &c->has_tokens, e)))
		return rc;
	if (tokens < 0 || tokens > 1e15 || tokens != floor(tokens))
		return fault(w, e, "a candidate's tokens is no count");
	c->tokens = (uint64_t)tokens;
	c->greedy = json_is_true(json_object_get(o, "greedy"));
	return 0;
}

static int take_candidates(const json_t *o, struct arena *a, struct item *i,
			   const struct place *w, struct err *e)
{
	const json_t *list = json_object_get(o, "candidates"), *one;
	size_t k;

	if (!list)
		return 0;
	if (!json_is_array(list))
		return fault(w, e, "candidates is no list");
	json_array_foreach (list, k, one) {
		struct candidate *c = item_add(i, a);
		int rc = c ? take_candidate(one, a, c, w, e)
			   : err_set(e, ERR_NOMEM, "%s", w->path);

		if (rc)
			return rc;
	}
	return 0;
}

static int take_item(const json_t *o, struct arena *a, struct items *l,
		     const struct place *w, struct err *e)
{
	struct item i = { .line = w->line }, *to;
	int rc;

	if (!json_is_object(o))
		return fault(w, e, "an object {...} is wanted");
	if ((rc = take_id(o, a, &i, w, e)))
		return rc;
	if (!json_text(o, "db_id", a, &i.db_id) ||
	    !json_text(o, "question", a, &i.text) ||
	    !json_text(o, "evidence", a, &i.evidence))
		return fault(w, e, "db_id, question and evidence are strings");
	if (!json_text(o, "difficulty", a, &i.level) ||
	    (!i.level.n && !json_text(o, "hardness", a, &i.level)))
		return fault(w, e, "difficulty and hardness are strings");
	if ((rc = take_candidates(o, a, &i, w, e)))
		return rc;
	to = items_add(l, a);
	if (!to)
		return err_set(e, ERR_NOMEM, "%s", w->path);
	*to = i;
	l->has_ids |= i.id.n > 0;
	l->has_sql |= json_object_get(o, "candidates") != NULL;
	return 0;
}

/* What an element tells of its benchmark. */
static const char *benchmark_of(const json_t *o)
{
	if (json_object_get(o, "SQL") || json_object_get(o, "difficulty"))
		return "bird";
	if (json_object_get(o, "query") || json_object_get(o, "query_toks") ||
	    json_object_get(o, "hardness"))
		return "spider";
	if (json_object_get(o, "answerable"))
		return "ehrsql";
	return NULL;
}

struct into {
	struct arena *a;
	struct items *l;
	const char *path;
	struct err *e;
};

static int take_line(void *arg, const json_t *o, const struct line *line)
{
	struct into *to = arg;
	struct place w = { to->path, line->number, 0, line->text };
	int rc = take_item(o, to->a, to->l, &w, to->e);

	if (!rc && !to->l->benchmark)
		to->l->benchmark = benchmark_of(o);
	return rc;
}

static int read_lines(struct arena *a, const struct textfile *f,
		      const struct read_how *how, struct items *l, struct err *e)
{
	struct into to = { a, l, f->path, e };

	return json_lines(f, how->skip_bad, take_line, &to, &l->blank, &l->bad, e);
}

static int read_array(struct arena *a, const struct textfile *f, const json_t *list,
		      struct items *l, struct err *e)
{
	const json_t *o;
	size_t k;
	int rc = 0;

	json_array_foreach (list, k, o) {
		struct place w = { f->path, 0, (uint32_t)k, { "", 0 } };

		if ((rc = take_item(o, a, l, &w, e)))
			break;
		if (!l->benchmark)
			l->benchmark = benchmark_of(o);
	}
	return rc;
}

/* dev.json of BIRD and Spider is an array; data.json of EHRSQL an object around one. */
static int read_document(struct arena *a, const struct textfile *f, struct items *l,
			 struct err *e)
{
	const json_t *list;
	json_t *doc = NULL;
	int rc = json_document(f, &doc, e);

	if (rc)
		return rc;
	list = json_is_object(doc) ? json_object_get(doc, "data") : doc;
	if (!json_is_array(list))
		rc = err_set(
			e, ERR_INPUT,
			"%s: neither a list of questions nor an object with \"data\"",
			f->path);
	else
		rc = read_array(a, f, list, l, e);
	if (!rc && json_is_object(doc) && json_object_get(doc, "version"))
		l->benchmark = "ehrsql";
	json_decref(doc);
	return rc;
}

/* EHRSQL's data.json may stand on one line. */
static int is_one_document(const struct textfile *f)
{
	struct line l;
	size_t at = 0;
	int lines = 0, data = 0;

	while (textfile_line(f, &at, &l))
		if (!line_is_blank(&l) && lines++ == 0)
			data = memmem(l.text.p, l.text.n, "\"data\"", 6) != NULL;
	return lines == 1 && data;
}

int items_read(struct arena *a, const char *path, const struct read_how *how,
	       struct items *ret, struct err *e)
{
	struct items l = { .path = path };
	struct textfile f;
	int rc = textfile_read(a, path, &f, e);

	if (rc)
		return rc;
	l.path = f.path;
	l.hash = f.hash;
	switch (file_shape(&f)) {
	case SHAPE_EMPTY: return err_set(e, ERR_INPUT, "%s: is empty", path);
	case SHAPE_TEXT:
		if (!how->skip_bad)
			return err_set(e, ERR_INPUT, "%s:1:1: JSON expected: %.60s",
				       path, f.text.p);
		/* fall through */
	case SHAPE_JSONL:
		rc = is_one_document(&f) ? read_document(a, &f, &l, e)
					 : read_lines(a, &f, how, &l, e);
		break;
	default: rc = read_document(a, &f, &l, e); break;
	}
	if (!rc && l.n == 0)
		rc = err_set(e, ERR_INPUT, "%s: holds no question", path);
	if (!rc)
		*ret = l;
	return rc;
}
