/* fitdata.c - see fitdata.h */
#include "results/fitdata.h"

#include "common/base/buf.h"
#include "results/samples.h"

struct adding {
	struct fitdata *d;
	const char *dir;
	json_t *runs; /* {RUN: parameters} of those that count */
	uint32_t first;
	json_int_t position; /* of the question read last; -1: none */
	uint64_t unscored, unjudged;
};

static json_t *get(json_t *o, const char *key)
{
	return json_object_get(o, key);
}

/* ---- which runs count ---- */

/* As results.json has it: judged by evidence, and scored. */
static int find_runs(struct adding *w, struct err *e)
{
	uint32_t before = w->d->places.runs;
	struct buf path = { 0 };
	json_t *doc, *run;
	json_error_t why;
	size_t i;
	int rc = 0;

	buf_addf(&path, "%s/results.json", w->dir);
	doc = path.bad ? NULL : json_load_file(path.p, 0, &why);
	if (!doc)
		rc = err_set(e, ERR_INPUT, "%s: %s; is %s a directory of results?",
			     path.bad ? "results.json" : path.p,
			     path.bad ? "out of memory" : why.text, w->dir);
	buf_free(&path);
	json_array_foreach (get(doc, "runs"), i, run) {
		if (!rc && fitplaces_add(&w->d->places, run, w->d->arena))
			rc = err_set(e, ERR_NOMEM, "%s", w->dir);
		if (strcmp(sample_text(run, "judge"), "evidence") == 0 &&
		    json_is_number(get(run, "ex")))
			json_object_set(w->runs, sample_text(run, "run"),
					get(run, "parameters"));
	}
	json_decref(doc);
	if (!rc && !json_object_size(w->runs) && w->d->places.runs == before)
		rc = err_set(e, ERR_INPUT,
			     "%s: no run there was judged by evidence and scored: "
			     "run --method map --judge evidence --gold FILE",
			     w->dir);
	return rc;
}

/* ---- one question ---- */

static int db_index(struct fitdata *d, uint32_t dir, const char *id, uint32_t *ret)
{
	struct buf name = { 0 };
	uint32_t i = 0;
	const char **more;

	buf_addf(&name, "%u %s", dir, id);
	while (!name.bad && i < d->ndb && strcmp(d->db[i], name.p) != 0)
		i++;
	if (!name.bad && i == d->ndb) {
		more = arena_alloc(d->arena, d->ndb + 1, sizeof *more);
		if (more && d->ndb)
			memcpy(more, d->db, d->ndb * sizeof *more);
		d->db = more ? more : d->db;
		name.bad |= !more;
		if (more)
			d->db[d->ndb++] = arena_str(d->arena, name.p);
	}
	*ret = i;
	i = (uint32_t)name.bad;
	buf_free(&name);
	return i || d->arena->bad ? ERR_NOMEM : 0;
}

static struct fit_example *room(struct fitdata *d)
{
	uint32_t cap = d->cap ? 2 * d->cap : 256;
	struct fit_example *v;

	if (d->n < d->cap)
		return &d->v[d->n];
	v = arena_alloc(d->arena, cap, sizeof *v);
	if (!v)
		return NULL;
	if (d->n)
		memcpy(v, d->v, d->n * sizeof *v);
	d->v = v;
	d->cap = cap;
	return &d->v[d->n];
}

static int is_failed(json_t *group)
{
	const char *s = sample_text(group, "status");

	return strcmp(s, "rows") != 0 && strcmp(s, "empty") != 0 &&
	       strcmp(s, "abstain") != 0;
}

static int read_features(const struct adding *w, json_t *from, double *ret,
			 struct err *e)
{
	const char *name;
	json_t *v;

	json_object_foreach (from, name, v) {
		int f = feature_by_name(view_of(name));

		if (f < 0)
			return err_set(e, ERR_INPUT,
				       "%s: samples.jsonl has a feature %s that this "
				       "program does not know: run it again",
				       w->dir, name);
		ret[f] = json_number_value(v);
	}
	return 0;
}

static int read_group(const struct adding *w, json_t *g, struct fit_example *x,
		      uint32_t i, struct err *e)
{
	x->votes[i] = (uint32_t)sample_number(g, "size", 0);
	x->right[i] = sample_number(g, "right", 0) > 0;
	return read_features(w, get(g, "features"), x->feature + (size_t)i * FEATURES,
			     e);
}

static int read_example(struct adding *w, json_t *sample, struct fit_example *x,
			struct err *e)
{
	json_t *groups = get(sample, "groups"), *g;
	struct arena *a = w->d->arena;
	size_t i, n = json_array_size(groups);
	int rc = 0;

	*x = (struct fit_example){ .dir = w->d->ndir, .weight = 1 };
	x->feature = arena_alloc(a, (n + 1) * FEATURES, sizeof *x->feature);
	x->votes = arena_alloc(a, n + 1, sizeof *x->votes);
	x->right = arena_alloc(a, n + 1, 1);
	if (!x->feature || !x->votes || !x->right ||
	    db_index(w->d, w->d->ndir, sample_text(sample, "db_id"), &x->db))
		return err_set(e, ERR_NOMEM, "%s", w->dir);
	json_array_foreach (groups, i, g) {
		x->asked += (uint32_t)sample_number(g, "size", 0);
		if (rc == 0 && !is_failed(g))
			rc = read_group(w, g, x, x->n++, e);
	}
	return rc;
}

/* A directory tells all runs of a question, then the next. */
static void number(struct adding *w, json_t *sample, struct fit_example *x)
{
	json_int_t position = json_integer_value(get(sample, "position"));
	const char *run;
	json_t *v;

	w->d->questions += position != w->position;
	w->position = position;
	x->question = w->d->questions - 1;
	json_object_foreach (w->runs, run, v) {
		if (strcmp(run, sample_text(sample, "run")) == 0)
			break;
		x->draw++;
	}
}

static int take(void *arg, json_t *sample, struct err *e)
{
	struct adding *w = arg;
	json_t *parameters = get(w->runs, sample_text(sample, "run")),
	       *first = json_array_get(get(sample, "groups"), 0);
	struct fit_example *x;
	int rc;

	if (!parameters)
		return 0;
	if (!json_is_boolean(get(sample, "correct"))) {
		w->unscored++;
		return 0;
	}
	x = room(w->d);
	rc = x ? read_example(w, sample, x, e) : err_set(e, ERR_NOMEM, "%s", w->dir);
	if (rc)
		return rc;
	if (x->n > 1 && !get(first, "features")) {
		w->unjudged++;
		return 0;
	}
	w->d->with_bank |= get(parameters, "memory") != NULL;
	w->d->without_bank |= get(parameters, "memory") == NULL;
	if (x->n) {
		number(w, sample, x);
		w->d->n++;
	}
	return 0;
}

/* The inputs' hash is run.json's; a directory may have lost that file. */
static int add_source(struct adding *w, struct err *e)
{
	struct fitdata *d = w->d;
	const char **more = arena_alloc(d->arena, d->ndir + 1, sizeof *more);
	struct buf path = { 0 }, text = { 0 };
	json_t *doc;

	buf_addf(&path, "%s/run.json", w->dir);
	doc = path.bad ? NULL : json_load_file(path.p, 0, NULL);
	buf_addf(&text, "%s, inputs %s, %zu draws", sample_text(doc, "name"),
		 sample_text(get(doc, "inputs"), "all"), json_object_size(w->runs));
	json_decref(doc);
	if (more && d->ndir)
		memcpy(more, d->source, d->ndir * sizeof *more);
	if (more && !text.bad)
		more[d->ndir++] = arena_str(d->arena, text.p);
	d->source = more;
	buf_free(&path);
	buf_free(&text);
	return d->arena->bad || !more ? err_set(e, ERR_NOMEM, "%s", w->dir) : 0;
}

static int finish(struct adding *w, FILE *log, struct err *e)
{
	struct fitdata *d = w->d;

	if (log && w->unscored)
		fprintf(log, "warning: %s: %llu questions without a verdict left out\n",
			w->dir, (unsigned long long)w->unscored);
	if (w->unjudged)
		return err_set(e, ERR_INPUT,
			       "%s: %llu questions tell no features: a former version "
			       "made them; run it again",
			       w->dir, (unsigned long long)w->unjudged);
	for (uint32_t i = w->first; i < d->n; i++)
		d->v[i].weight = 1.0 / (double)json_object_size(w->runs);
	return add_source(w, e);
}

int fitdata_read(struct fitdata *d, const char *dir, FILE *log, struct err *e)
{
	struct adding w = {
		.d = d, .dir = dir, .runs = json_object(), .first = d->n, .position = -1
	};
	struct samples_seen seen;
	int rc = w.runs ? find_runs(&w, e) : err_set(e, ERR_NOMEM, "%s", dir);

	if (!rc && json_object_size(w.runs))
		rc = samples_each(dir, log, take, &w, &seen, e);
	if (!rc)
		rc = finish(&w, log, e);
	json_decref(w.runs);
	return rc;
}
