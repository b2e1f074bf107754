/* export.c - verb export: a directory's lines as tables and prediction files
 *
 * Read from samples.jsonl (or, of verb score, scores.jsonl) and results.json alone.
 */
#include "results/results.h"

#include "common/base/mem.h"
#include "results/jsonw.h"
#include "results/predfile.h"
#include "results/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A column: where its value stands in a line. */
struct column {
	const char *name, *path;
	int counted; /* how many there are, not what */
};

static const struct column sample_column[] = {
	{ "run", "run", 0 },
	{ "question_id", "question_id", 0 },
	{ "position", "position", 0 },
	{ "db_id", "db_id", 0 },
	{ "difficulty", "scoring.difficulty", 0 },
	{ "chosen", "chosen", 0 },
	{ "correct", "correct", 0 },
	{ "strict", "scoring.strict", 0 },
	{ "soft_f1", "scoring.soft_f1", 0 },
	{ "confidence", "confidence", 0 },
	{ "why", "why", 0 },
	{ "groups", "groups", 1 },
	{ "passes", "passes", 1 },
	{ "memories", "memories", 1 },
	{ "status", "scoring.status", 0 },
	{ "gold_status", "scoring.gold_status", 0 },
	{ "asks", "usage.asks", 0 },
	{ "calls", "usage.calls", 0 },
	{ "prompt_tokens", "usage.prompt_tokens", 0 },
	{ "completion_tokens", "usage.completion_tokens", 0 },
	{ "cost", "usage.cost", 0 },
	{ "question", "question", 0 },
	{ "sql", "sql", 0 },
	{ "gold", "scoring.gold", 0 },
};

static const struct column candidate_column[] = {
	{ "run", "run", 0 },
	{ "question_id", "question_id", 0 },
	{ "position", "position", 0 },
	{ "db_id", "db_id", 0 },
	{ "candidate", "candidate", 0 },
	{ "group", "group", 0 },
	{ "group_size", "size", 0 },
	{ "group_right", "right", 0 },
	{ "status", "status", 0 },
	{ "rows", "rows", 0 },
	{ "mean_rank", "mean_rank", 0 },
	{ "digest", "digest", 0 },
	{ "chosen", "chosen", 0 },
};

static const struct column score_column[] = {
	{ "question_id", "question_id", 0 },
	{ "source", "source", 0 },
	{ "file", "file", 0 },
	{ "ex", "ex", 0 },
	{ "soft_f1", "soft_f1", 0 },
	{ "rs", "rs", 0 },
	{ "status", "status", 0 },
	{ "note", "note", 0 },
	{ "strict", "strict", 0 },
};

enum shape { CSV, JSONL, FILE_OF_RUN };

struct export
{
	FILE *to;
	enum shape shape;
	const struct column *column;
	size_t columns;
	int of_candidates;
	int as_array;    /* JSONL's lines as one document */
	const char *run; /* NULL: all */
	enum rule rule;  /* FILE_OF_RUN */
	struct buf line, file;
	uint32_t lines;
};

/* ---- a line ---- */

static json_t *value_at(json_t *line, const char *path)
{
	const char *dot = strchr(path, '.');
	char key[32];

	if (!dot)
		return json_object_get(line, path);
	snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
	return json_object_get(json_object_get(line, key), dot + 1);
}

static void scalar_json(struct jsonw *w, json_t *v)
{
	if (json_is_string(v))
		jw_str(w, (struct view){ json_string_value(v), json_string_length(v) });
	else if (json_is_integer(v))
		jw_i64(w, json_integer_value(v));
	else if (json_is_real(v))
		jw_num(w, json_real_value(v));
	else if (json_is_boolean(v))
		jw_bool(w, json_is_true(v));
	else
		jw_null(w);
}

static void csv_text(struct buf *b, struct view v)
{
	int quoted = 0;

	for (size_t i = 0; i < v.n; i++)
		quoted |= strchr(",\"\r\n", v.p[i]) && v.p[i];
	if (!quoted) {
		buf_add(b, v.p, v.n);
		return;
	}
	buf_add_char(b, '"');
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '"')
			buf_add_char(b, '"');
		buf_add_char(b, v.p[i]);
	}
	buf_add_char(b, '"');
}

/* What is unknown is an empty field. */
static void csv_value(struct buf *b, json_t *v)
{
	struct jsonw w = jsonw_of(b, 0);

	if (json_is_string(v))
		csv_text(b,
			 (struct view){ json_string_value(v), json_string_length(v) });
	else if (v && !json_is_null(v))
		scalar_json(&w, v);
}

static void csv_line(struct export *x, json_t *line)
{
	for (size_t i = 0; i < x->columns; i++) {
		const struct column *c = &x->column[i];
		json_t *v = line ? value_at(line, c->path) : NULL;

		if (i)
			buf_add_char(&x->line, ',');
		if (!line)
			buf_add_str(&x->line, c->name);
		else if (c->counted)
			buf_addf(&x->line, "%zu", json_array_size(v));
		else
			csv_value(&x->line, v);
	}
	buf_add_str(&x->line, "\r\n"); /* as RFC 4180 has it */
}

static void json_line(struct export *x, json_t *line)
{
	struct jsonw w = jsonw_of(&x->line, 0);

	if (x->as_array)
		buf_add_str(&x->line, x->lines ? ",\n" : "");
	jw_object(&w);
	for (size_t i = 0; i < x->columns; i++) {
		const struct column *c = &x->column[i];
		json_t *v = value_at(line, c->path);

		jw_key(&w, c->name);
		if (c->counted)
			jw_u64(&w, json_array_size(v));
		else
			scalar_json(&w, v);
	}
	jw_end(&w);
	if (!x->as_array)
		buf_add_char(&x->line, '\n');
}

static int put_line(struct export *x, json_t *line, struct err *e)
{
	buf_clear(&x->line);
	if (x->shape == CSV)
		csv_line(x, line);
	else
		json_line(x, line);
	if (x->line.bad)
		return err_set(e, ERR_NOMEM, "export");
	fwrite(x->line.p, 1, x->line.n, x->to);
	x->lines++;
	return 0;
}

/* ---- what a line is made of ---- */

static int put_candidates(struct export *x, json_t *sample, struct err *e)
{
	json_t *groups = json_object_get(sample, "groups"), *g, *member;
	size_t i, k;
	int rc = 0;

	json_array_foreach (groups, i, g)
		json_array_foreach (json_object_get(g, "members"), k, member) {
			json_t *line = json_copy(g);

			if (!line || json_object_set(line, "candidate", member) ||
			    json_object_set_new(line, "group",
						json_integer((json_int_t)i)) ||
			    json_object_set_new(
				    line, "chosen",
				    json_boolean(json_equal(
					    member,
					    json_object_get(sample, "chosen")))))
				rc = err_set(e, ERR_NOMEM, "export");
			for (size_t c = 0; !rc && c < 4; c++) /* run .. db_id */
				json_object_set(
					line, candidate_column[c].name,
					json_object_get(sample,
							candidate_column[c].name));
			if (!rc)
				rc = put_line(x, line, e);
			json_decref(line);
			if (rc)
				return rc;
		}
	return rc;
}

static int put_prediction(struct export *x, json_t *sample, struct err *e)
{
	char *id = json_dumps(json_object_get(sample, "question_id"), JSON_ENCODE_ANY);
	json_t *sql = json_object_get(sample, "sql");
	const struct prediction p = { .at = x->lines++,
				      .id = view_of(id ? id : ""),
				      .db = view_of(sample_text(sample, "db_id")),
				      .sql = { json_string_value(sql),
					       json_string_length(sql) },
				      .chosen = json_is_string(sql) };

	predfile_add(x->rule, &x->file, &p);
	mem_free(id);
	return x->file.bad ? err_set(e, ERR_NOMEM, "export") : 0;
}

static int take_sample(void *arg, json_t *sample, struct err *e)
{
	struct export *x = arg;

	if (x->run && strcmp(sample_text(sample, "run"), x->run) != 0)
		return 0;
	if (x->shape == FILE_OF_RUN)
		return put_prediction(x, sample, e);
	return x->of_candidates ? put_candidates(x, sample, e) : put_line(x, sample, e);
}

/* scores.jsonl, a line an item and file. */
static int walk_scores(struct export *x, const char *path, struct err *e)
{
	char *text = NULL;
	size_t cap = 0;
	uint32_t number = 0;
	FILE *f = fopen(path, "rb");
	int rc = f ? 0 : err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));

	while (!rc && getline(&text, &cap, f) > 0) {
		json_t *line = json_loads(text, 0, NULL);

		number++;
		if (!line)
			rc = err_set(e, ERR_INPUT,
				     "%s:%u: no JSON; score into the directory again",
				     path, number);
		else if (!x->run || strcmp(sample_text(line, "source"), x->run) == 0)
			rc = put_line(x, line, e);
		json_decref(line);
	}
	if (f)
		fclose(f);
	free(text);
	return rc;
}

/* ---- which run, which format ---- */

static void name_runs(json_t *list, const char *key, struct buf *b)
{
	json_t *r;
	size_t i;

	json_array_foreach (list, i, r) {
		buf_addf(b, "%s%s", b->n ? ", " : "", sample_text(r, key));
		if (b->n > 600) {
			buf_add_str(b, ", ...");
			break;
		}
	}
	buf_add_char(b, '\0');
}

/* x->run is one of the directory's, or for a prediction file its only one. */
static int choose_run(struct export *x, const char *dir, json_t *list, const char *key,
		      struct err *e)
{
	struct buf names = { 0 };
	json_t *r;
	size_t i;
	int known = 0, rc = 0;

	json_array_foreach (list, i, r)
		known |= x->run && strcmp(sample_text(r, key), x->run) == 0;
	if (x->shape == FILE_OF_RUN && !x->run && json_array_size(list) == 1) {
		x->run = sample_text(json_array_get(list, 0), key);
		known = 1;
	}
	name_runs(list, key, &names);
	if (x->run && !known)
		rc = err_set(e, ERR_INPUT, "%s has no run %s; it has %s", dir, x->run,
			     names.bad ? "" : names.p);
	else if (x->shape == FILE_OF_RUN && !x->run)
		rc = err_set(e, ERR_USAGE,
			     "a prediction file is of one run: say --run, one of %s",
			     names.bad ? "" : names.p);
	buf_free(&names);
	return rc;
}

static int choose_format(struct export *x, const char *format, int scores,
			 struct err *e)
{
	static const enum rule file[] = { RULE_bird, RULE_spider, RULE_ehrsql };

	x->column = scores ? score_column : sample_column;
	x->columns = scores ? sizeof score_column / sizeof *score_column
			    : sizeof sample_column / sizeof *sample_column;
	if (strcmp(format, "csv") == 0)
		return 0;
	x->shape = JSONL;
	if (strcmp(format, "jsonl") == 0)
		return 0;
	if (scores)
		return err_set(e, ERR_USAGE,
			       "--format %s: scores of prediction files are exported "
			       "as csv or jsonl",
			       format);
	if (strcmp(format, "candidates") == 0) {
		x->of_candidates = 1;
		x->column = candidate_column;
		x->columns = sizeof candidate_column / sizeof *candidate_column;
		return 0;
	}
	x->shape = FILE_OF_RUN;
	for (size_t i = 0; i < sizeof file / sizeof *file; i++)
		if (strcmp(format, rule_name(file[i])) == 0) {
			x->rule = file[i];
			return 0;
		}
	return err_set(e, ERR_USAGE,
		       "--format: unknown %s; csv, jsonl, candidates, bird, spider, "
		       "ehrsql",
		       format);
}

static int walk(struct export *x, const char *dir, const char *scores, FILE *log,
		struct err *e)
{
	int rc = 0;

	if (x->shape == CSV) {
		csv_line(x, NULL);
		fwrite(x->line.p, 1, x->line.bad ? 0 : x->line.n, x->to);
	}
	if (x->as_array)
		fputc('[', x->to);
	rc = scores ? walk_scores(x, scores, e)
		    : samples_each(dir, log, take_sample, x, NULL, e);
	if (x->as_array)
		fputs("]\n", x->to);
	if (rc || x->shape != FILE_OF_RUN)
		return rc;
	predfile_end(x->rule, &x->file);
	if (x->file.bad)
		return err_set(e, ERR_NOMEM, "export");
	fwrite(x->file.p, 1, x->file.n, x->to);
	return 0;
}

int export_dir(FILE *to, const char *dir, const char *format, const char *run,
	       int as_array, FILE *log, struct err *e)
{
	struct export x = { .to = to, .run = run };
	struct buf results = { 0 }, scores = { 0 };
	json_t *doc = NULL, *files;
	json_error_t why;
	int rc = 0;

	buf_addf(&results, "%s/results.json", dir);
	buf_addf(&scores, "%s/scores.jsonl", dir);
	if (results.bad || scores.bad)
		rc = err_set(e, ERR_NOMEM, "export");
	else if (!(doc = json_load_file(results.p, 0, &why)))
		rc = err_set(e, ERR_INPUT, "%s: %s; is %s a directory of results?",
			     results.p, why.text, dir);
	files = json_object_get(doc, "files");
	if (!rc)
		rc = choose_format(&x, format, files != NULL, e);
	x.as_array = as_array && x.shape == JSONL;
	if (!rc && as_array && x.shape == CSV)
		rc = err_set(e, ERR_USAGE, "--json and --format csv: one of the two");
	if (!rc)
		rc = files ? choose_run(&x, dir, files, "source", e)
			   : choose_run(&x, dir, json_object_get(doc, "runs"), "run",
					e);
	if (!rc)
		rc = walk(&x, dir, files ? scores.p : NULL, log, e);
	json_decref(doc);
	buf_free(&results);
	buf_free(&scores);
	buf_free(&x.line);
	buf_free(&x.file);
	return rc;
}
