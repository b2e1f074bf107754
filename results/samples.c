/* samples.c - see samples.h; two readings: which lines count, then those */
#include "results/samples.h"

#include "common/base/buf.h"
#include "common/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *sample_text(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

double sample_number(json_t *o, const char *key, double otherwise)
{
	json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : otherwise;
}

static int is_failed(json_t *group)
{
	const char *s = sample_text(group, "status");

	return strcmp(s, "rows") != 0 && strcmp(s, "empty") != 0 &&
	       strcmp(s, "abstain") != 0;
}

json_t *sample_majority_group(json_t *sample)
{
	json_t *g, *best = NULL;
	size_t i;

	json_array_foreach (json_object_get(sample, "groups"), i, g)
		if (!best || (is_failed(best) && !is_failed(g)) ||
		    (is_failed(best) == is_failed(g) &&
		     sample_number(g, "size", 0) > sample_number(best, "size", 0)))
			best = g;
	return best;
}

json_t *sample_chosen_group(json_t *sample)
{
	json_t *chosen = json_object_get(sample, "chosen"), *g, *m;
	size_t i, k;

	json_array_foreach (json_object_get(sample, "groups"), i, g)
		json_array_foreach (json_object_get(g, "members"), k, m)
			if (chosen && json_equal(m, chosen))
				return g;
	return NULL;
}

struct reading {
	FILE *f;
	char *line;
	size_t cap;
	uint64_t number;
};

/* 1: a line, parsed into *ret (NULL: broken; *ret_torn: it has no end). 0: the end. */
static int next(struct reading *r, json_t **ret, int *ret_torn)
{
	ssize_t n = getline(&r->line, &r->cap, r->f);

	if (n < 0)
		return 0;
	r->number++;
	*ret = json_loadb(r->line, (size_t)n, 0, NULL);
	*ret_torn = r->line[n - 1] != '\n';
	return 1;
}

static char *name_of(json_t *sample)
{
	struct buf b = { 0 };

	buf_addf(&b, "%s\n%lld", sample_text(sample, "run"),
		 (long long)sample_number(sample, "position", -1));
	return buf_take(&b, NULL);
}

static int note(json_t *last, json_t *sample, uint64_t number, struct samples_seen *s)
{
	char *name = name_of(sample);

	if (!name)
		return ERR_NOMEM;
	if (json_object_get(last, name))
		s->repeated++;
	else
		s->kept++;
	json_object_set_new(last, name, json_integer((json_int_t)number));
	mem_free(name);
	return 0;
}

static int find_last(struct reading *r, json_t *last, struct samples_seen *s)
{
	json_t *x;
	int torn, rc = 0;

	while (rc == 0 && next(r, &x, &torn)) {
		s->lines++;
		if (json_is_object(x))
			rc = note(last, x, r->number, s);
		else if (torn)
			s->torn = 1;
		else
			s->broken++;
		json_decref(x);
	}
	return rc;
}

static int visit(struct reading *r, json_t *last, samples_fn *fn, void *arg,
		 struct err *e)
{
	json_t *x;
	int torn, rc = 0;

	rewind(r->f);
	r->number = 0;
	while (rc == 0 && next(r, &x, &torn)) {
		char *name = json_is_object(x) ? name_of(x) : NULL;

		if (!name && json_is_object(x))
			rc = err_set(e, ERR_NOMEM, "samples.jsonl");
		if (name && json_integer_value(json_object_get(last, name)) ==
				    (json_int_t)r->number)
			rc = fn(arg, x, e);
		mem_free(name);
		json_decref(x);
	}
	return rc;
}

static void warn(FILE *log, const char *path, const struct samples_seen *s)
{
	if (!log)
		return;
	if (s->torn)
		fprintf(log, "warning: %s: the last line is torn and left out\n", path);
	if (s->broken)
		fprintf(log, "warning: %s: %llu broken lines are left out\n", path,
			(unsigned long long)s->broken);
	if (s->repeated)
		fprintf(log,
			"warning: %s: %llu lines say again what another says; the "
			"last one counts\n",
			path, (unsigned long long)s->repeated);
}

int samples_each(const char *dir, FILE *log, samples_fn *fn, void *arg,
		 struct samples_seen *ret, struct err *e)
{
	struct samples_seen seen = { 0 };
	struct reading r = { 0 };
	struct buf path = { 0 };
	json_t *last = json_object();
	int rc = 0;

	buf_addf(&path, "%s/samples.jsonl", dir);
	if (path.bad || !last)
		rc = err_set(e, ERR_NOMEM, "samples.jsonl");
	else if (!(r.f = fopen(path.p, "rb")))
		rc = err_set(e, ERR_INPUT, "cannot read %s: %s", path.p,
			     strerror(errno));
	if (rc == 0) {
		if (find_last(&r, last, &seen) != 0)
			rc = err_set(e, ERR_NOMEM, "samples.jsonl");
		warn(log, path.p, &seen);
	}
	if (rc == 0)
		rc = visit(&r, last, fn, arg, e);
	if (r.f)
		fclose(r.f);
	free(r.line);
	json_decref(last);
	buf_free(&path);
	if (rc == 0 && ret)
		*ret = seen;
	return rc;
}
