/* verb_fit.c - weights of the evidence judge, learnt from labelled questions */
#include "ops/notice.h"
#include "ops/poolrun.h"
#include "ops/setting.h"
#include "ops/tempdir.h"
#include "ops/textfile.h"
#include "ops/verb.h"
#include "results/fitting.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the run that examples come from ---- */

static const char *const asked[] = {
	"mapfleet",     "run",     "--quiet",  "--json",   "--method",
	"majority,map", "--judge", "evidence", "--passes", "1",
};

enum { ASKED = sizeof asked / sizeof *asked };

/* Every flag that was said and that run knows, but for weights: features do not depend
 * on them. */
static int arguments(struct options *o, const char *dir, const char **arg)
{
	int n = 0;

	for (int i = 0; i < ASKED; i++)
		arg[n++] = asked[i];
	for (enum flag f = 0; f < FLAGS; f++) {
		struct buf b = { 0 };

		if (!opt_said(o, f) || !flag_known(V_FIT, f) || !flag_known(V_RUN, f) ||
		    f == FLAG_evidence_weights || f == FLAG_output_dir ||
		    f == FLAG_quiet || f == FLAG_json || f == FLAG_verbose)
			continue;
		buf_addf(&b, "--%s=%s", flag_name(f), opt_text(o, f));
		arg[n++] = b.bad ? NULL : arena_str(&o->arena, b.p);
		buf_free(&b);
		if (!arg[n - 1])
			return ERR_NOMEM;
	}
	arg[n++] = "--output-dir";
	arg[n++] = dir;
	arg[n] = NULL;
	return 0;
}

static int make_examples(struct options *o, const char *dir, struct err *e)
{
	const char *arg[ASKED + FLAGS + 3];
	struct buf out = { 0 };
	int rc = arguments(o, dir, arg);

	if (rc)
		return err_set(e, rc, "fit");
	notice_say("fit: runs the pool through the fleet, to see what evidence sees");
	rc = poolrun_program(arg, &out, e);
	buf_free(&out);
	return rc;
}

static int from_flags(struct options *o, struct fitdata *d, struct err *e)
{
	static const enum flag needed[] = { FLAG_pool, FLAG_gold, FLAG_databases };
	const char *kept = opt_text(o, FLAG_output_dir);
	char dir[TEMPDIR_PATH] = "";
	int rc = 0;

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!opt_text(o, needed[i]))
			return err_set(
				e, ERR_USAGE,
				"--%s is missing: fit learns from directories of "
				"finished runs, or from --pool, --gold and "
				"--databases",
				flag_name(needed[i]));
	if (!kept)
		rc = tempdir_make(dir, e);
	if (!rc)
		rc = make_examples(o, kept ? kept : dir, e);
	if (!rc)
		rc = fitdata_read(d, kept ? kept : dir, stderr, e);
	tempdir_remove(dir);
	return rc;
}

static int from_directories(struct options *o, struct fitdata *d, struct err *e)
{
	FILE *log = opt_on(o, FLAG_quiet) ? NULL : stderr;
	int rc = 0;

	if (opt_said(o, FLAG_pool))
		return err_set(e, ERR_USAGE,
			       "say directories or --pool, not both: the directory %s "
			       "has a pool already",
			       o->arg[0]);
	for (int i = 0; i < o->nargs && !rc; i++)
		rc = fitdata_read(d, o->arg[i], log, e);
	return rc;
}

/* ---- settings ---- */

static int word(struct options *o, enum flag f, const char *const *words, int n,
		int *ret, struct err *e)
{
	const char *v = opt_text(o, f);
	struct buf all = { 0 };

	for (int i = 0; i < n; i++) {
		if (strcmp(v, words[i]) == 0) {
			*ret = i;
			buf_free(&all);
			return 0;
		}
		buf_addf(&all, "%s%s", i ? ", " : "", words[i]);
	}
	err_set(e, ERR_USAGE, "%s: \"%s\" is none of %s", opt_where(o, f), v,
		all.p ? all.p : "?");
	buf_free(&all);
	return ERR_USAGE;
}

static int settings(struct options *o, struct weights *from, struct fitting_how *ret,
		    struct err *e)
{
	static const char *const parts[] = { "none", "db", "dir" };
	static const char *const priors[] = { "weights", "none" };
	const char *path = opt_text(o, FLAG_evidence_weights);
	struct textfile file;
	int leave, prior, rc;

	if (!opt_text(o, FLAG_output))
		return err_set(e, ERR_USAGE,
			       "-o WEIGHTS is missing: the file to write");
	if ((rc = word(o, FLAG_leave_out, parts, 3, &leave, e)) ||
	    (rc = word(o, FLAG_prior, priors, 2, &prior, e)))
		return rc;
	rc = path ? textfile_read(&o->arena, path, &file, e)
		  : weights_builtin(&o->arena, from, e);
	if (!rc && path && (rc = weights_read(file.text, &o->arena, from, e)))
		err_where(e, "%s", path);
	*ret = (struct fitting_how){ .from = from,
				     .towards_from = prior == 0,
				     .keep_signs = opt_on(o, FLAG_keep_signs),
				     .ridge = opt_number(o, FLAG_ridge),
				     .leave_out = (enum leave_out)leave };
	return rc;
}

/* ---- the file ---- */

static void add_command(struct options *o, struct buf *b)
{
	buf_add_str(b, "mapfleet fit");
	for (int i = 0; i < o->nargs; i++)
		buf_addf(b, " %s", o->arg[i]);
	for (enum flag f = 0; f < FLAGS; f++)
		if (o->from[f] == FROM_FLAG)
			buf_addf(b, " --%s=%s", flag_name(f),
				 setting_shown(&o->arena, f, opt_text(o, f)));
	buf_add_char(b, '\n');
}

static void add_report(const struct fitting_report *r, struct buf *b)
{
	const char *how = r->held_out ? "left out in turn" : "not left out: in sample";

	buf_addf(b, "%u questions, %u with several groups, %u parts %s\n", r->questions,
		 r->contested, r->parts, how);
	buf_addf(b,
		 "right: majority %.2f %%, weights begun with %.2f %%, these %.2f %%\n",
		 100 * r->majority, 100 * r->before, 100 * r->after);
	buf_addf(b, "against majority: %+.2f points [%+.2f, %+.2f]", 100 * r->gain.mean,
		 100 * r->gain.low, 100 * r->gain.high);
	if (r->gain_by_db.known)
		buf_addf(b, ", by database [%+.2f, %+.2f]", 100 * r->gain_by_db.low,
			 100 * r->gain_by_db.high);
	buf_addf(b, ", won %.1f, lost %.1f\n", r->won, r->lost);
	buf_addf(b, "P(right): ECE %.4f, AURC %.4f\n", r->ece, r->aurc);
	for (int i = 0; i < FITTING_TAUS; i++)
		if (r->tau[i].found)
			buf_addf(b,
				 "P(right) >= %.4f: error at most %.0f %% at 95 %% "
				 "confidence, %.1f %% of questions\n",
				 r->tau[i].tau, 100 * r->tau[i].epsilon,
				 100 * r->tau[i].coverage);
		else
			buf_addf(b,
				 "no P(right) can be trusted for an error of at most "
				 "%.0f %%\n",
				 100 * r->tau[i].epsilon);
}

static void add_places(const struct fitplaces *p, struct buf *b)
{
	uint32_t last = fitplaces_last(p);

	if (p->other)
		buf_addf(b,
			 "no row lean.placeN: \"%s\" and \"%s\" are several judges; "
			 "name directories of one\n",
			 p->judge, p->other);
	if (!last)
		return;
	buf_addf(b, "what places cost \"%s\", from %u runs:", p->judge, p->runs);
	for (uint32_t i = 2; i <= last; i++)
		buf_addf(b, " %+.2f", fitplaces_cost(p, i));
	buf_add_char(b, '\n');
}

static int write_file(struct options *o, const struct fitdata *d,
		      const struct weights *w, const struct buf *report, struct err *e)
{
	const char *path = opt_text(o, FLAG_output);
	struct buf head = { 0 }, text = { 0 }, part = { 0 };
	FILE *to = NULL;
	int bad;

	add_command(o, &head);
	for (uint32_t i = 0; i < d->ndir; i++)
		buf_addf(&head, "from %s\n", d->source[i]);
	buf_add(&head, report->p, report->n);
	weights_write(w, buf_view(&head), &text);
	buf_addf(&part, "%s.part", path);
	bad = head.bad || text.bad || part.bad || !(to = fopen(part.p, "w")) ||
	      fwrite(text.p, 1, text.n, to) != text.n;
	if (to && fclose(to))
		bad = 1;
	if (!bad)
		bad = rename(part.p, path);
	if (bad)
		err_set(e, ERR_STORE, "%s: cannot be written: %s", path,
			strerror(errno));
	buf_free(&head);
	buf_free(&text);
	buf_free(&part);
	return bad ? ERR_STORE : 0;
}

/* ---- what stdout says ---- */

static json_t *interval(const struct estimate *x)
{
	return x->known ? json_pack("[f,f]", x->low, x->high) : json_null();
}

static json_t *costs(const struct fitplaces *p)
{
	json_t *list = json_array();

	for (uint32_t i = 1; i <= fitplaces_last(p); i++)
		json_array_append_new(list, json_real(fitplaces_cost(p, i)));
	return list;
}

static void print_json(const char *path, const struct fitting_report *r,
		       const struct fitplaces *p)
{
	json_t *doc = json_pack(
		"{s:s,s:i,s:i,s:i,s:b,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:o,s:o,s:[],s:"
		"o}",
		"file", path, "questions", (int)r->questions, "contested",
		(int)r->contested, "parts", (int)r->parts, "held_out", (int)r->held_out,
		"majority", r->majority, "before", r->before, "after", r->after, "won",
		r->won, "lost", r->lost, "gain", r->gain.mean, "ece", r->ece, "aurc",
		r->aurc, "gain_ci95", interval(&r->gain), "gain_ci95_by_db",
		interval(&r->gain_by_db), "accept", "places", costs(p));

	for (int i = 0; i < FITTING_TAUS; i++)
		if (r->tau[i].found)
			json_array_append_new(json_object_get(doc, "accept"),
					      json_pack("{s:f,s:f,s:f}", "error",
							r->tau[i].epsilon, "least",
							r->tau[i].tau, "coverage",
							r->tau[i].coverage));
	json_dumpf(doc, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(doc);
}

static int finish(struct options *o, struct fitdata *d, const struct fitting_how *how,
		  struct err *e)
{
	const char *path = opt_text(o, FLAG_output);
	struct fitting_report r = { 0 };
	struct weights fitted = *how->from;
	struct buf report = { 0 };
	int rc = 0;

	if (!d->n && d->places.other)
		return err_set(
			e, ERR_INPUT,
			"no labelled examples, and what places cost is one "
			"judge's: \"%s\" and \"%s\" are several; name directories "
			"of one",
			d->places.judge, d->places.other);
	if (d->n || !fitplaces_last(&d->places))
		rc = fitting_learn(d, how, &fitted, &r, e);
	if (!rc)
		rc = fitplaces_put(&d->places, d->arena, &fitted, e);
	if (rc)
		return rc;
	if (d->n)
		add_report(&r, &report);
	else
		buf_add_str(&report, "no labelled examples: weights as begun with\n");
	add_places(&d->places, &report);
	rc = report.bad ? err_set(e, ERR_NOMEM, "fit")
			: write_file(o, d, &fitted, &report, e);
	if (!rc && opt_on(o, FLAG_json))
		print_json(path, &r, &d->places);
	else if (!rc)
		printf("%s%s: use it with --evidence-weights\n", report.p, path);
	buf_free(&report);
	return rc;
}

static int run(struct options *o, struct err *e)
{
	struct arena a = { 0 };
	struct fitdata d = { .arena = &a };
	struct fitting_how how;
	struct weights from;
	int rc = settings(o, &from, &how, e);

	if (!rc)
		rc = o->nargs ? from_directories(o, &d, e) : from_flags(o, &d, e);
	if (!rc)
		rc = finish(o, &d, &how, e);
	arena_free(&a);
	return rc;
}

const struct verb verb_fit = {
	"fit",
	"DIR... -o WEIGHTS, or --pool F --gold F --databases D -o WEIGHTS",
	"learns the evidence judge's weights and P(right) from labelled questions\n"
	"From directories of runs that evidence judged and gold scored, or from a pool "
	"that is run first\n(into --output-dir, if it is to stay). Leaves out each "
	"database in turn to tell what the weights are worth.\n"
	"From runs in which one judge was asked it learns what places in the prompt "
	"cost, "
	"labelled or not\n(rows lean.placeN, for method lean).",
	V_FIT,
	0,
	-1,
	0,
	run
};
