/* verb_extend.c - more passes for a sweep that is done: `run` again, as it was
 *
 * The directory's run.json has every setting as it was resolved. They are set as a
 * sweep file's would be, so that flags go before them; then it is `run`, which does
 * only what is new. Paths lead from where that command stood.
 */
#include "ops/jsonfile.h"
#include "ops/notice.h"
#include "ops/runs.h"
#include "ops/verb.h"

#include "broker/method/method.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int read_run(struct options *o, json_t **ret, struct err *e)
{
	const char *dir = o->arg[0], *format;
	struct textfile file;
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof path, "%s/run.json", dir);
	if (access(path, F_OK))
		return err_set(e, ERR_INPUT,
			       "%s: there is no run.json in it: say the --output-dir "
			       "of a `run` that is done",
			       dir);
	if ((rc = textfile_read(&o->arena, path, &file, e)) ||
	    (rc = json_document(&file, ret, e)))
		return rc;
	format = json_string_value(json_object_get(*ret, "format"));
	if (format && strcmp(format, "mapfleet-run-1") == 0 &&
	    json_is_object(json_object_get(*ret, "config")))
		return 0;
	json_decref(*ret);
	return err_set(e, ERR_INPUT, "%s: is no run.json that this version wrote",
		       path);
}

/* Of the command, and not of what it chose. */
static int is_of_the_command(enum flag f)
{
	return f == FLAG_output_dir || f == FLAG_overwrite || f == FLAG_dry_run ||
	       f == FLAG_retry_errors || f == FLAG_log_format;
}

static int take_setting(struct options *o, const char *key, const json_t *v,
			struct err *e)
{
	int f = flag_by_key(key);
	char where[PATH_MAX + 32], number[32];
	const char *text = json_string_value(v);

	if (f < 0 || (!text && !json_is_integer(v)))
		return err_set(e, ERR_INPUT,
			       "%s/run.json, config: what is %s? This version does not "
			       "know it",
			       o->arg[0], key);
	if (is_of_the_command((enum flag)f) || opt_said(o, (enum flag)f))
		return 0;
	if (text && strstr(text, "***"))
		return err_set(e, ERR_USAGE,
			       "%s/run.json keeps no secrets: say --%s again",
			       o->arg[0], flag_name((enum flag)f));
	if (!text) {
		snprintf(number, sizeof number, "%lld",
			 (long long)json_integer_value(v));
		text = number;
	}
	snprintf(where, sizeof where, "%s/run.json, %s", o->arg[0], key);
	return options_set(o, (enum flag)f, FROM_FILE, where, text, e);
}

static int take_settings(struct options *o, const json_t *run, struct err *e)
{
	const char *key, *name = json_string_value(json_object_get(run, "name"));
	json_t *v;
	int rc = 0;

	json_object_foreach (json_object_get(run, "config"), key, v)
		if (!rc)
			rc = take_setting(o, key, v, e);
	if (!rc && name && !opt_text(o, FLAG_name))
		rc = options_set(o, FLAG_name, FROM_FILE, "run.json, name", name, e);
	if (!rc && !opt_text(o, FLAG_method))
		rc = err_set(e, ERR_INPUT,
			     "%s: is no directory of `run`: it has no passes",
			     o->arg[0]);
	return rc;
}

static int reads_passes(const char *spec)
{
	char name[64];
	const struct method *m;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
	m = method_by_name(name);
	return m && m->reads & READS_PASSES;
}

static int check_methods(struct options *o, struct err *e)
{
	size_t n;
	const char **list = opt_list(o, FLAG_method, &n);

	for (size_t i = 0; i < n; i++)
		if (reads_passes(list[i]))
			return 0;
	return err_set(e, ERR_USAGE,
		       "%s: its methods (%s) have no passes: nothing can be extended",
		       o->arg[0], opt_text(o, FLAG_method));
}

/* Fewer passes are a prefix of those that are there, so it is no extension. */
static int check_passes(struct options *o, const json_t *run, struct err *e)
{
	struct options had = { 0 };
	const char **list;
	uint32_t more = 0, most = 0;
	size_t n;
	int rc;

	had.value[FLAG_passes] = json_string_value(
		json_object_get(json_object_get(run, "config"), "passes"));
	list = opt_list(&had, FLAG_passes, &n);
	rc = runs_most_passes(list, n, &most, e);
	list = opt_list(o, FLAG_passes, &n);
	if (!rc)
		rc = runs_most_passes(list, n, &more, e);
	if (!rc && more < most)
		rc = err_set(e, ERR_USAGE,
			     "%s %s: %s has %u already, and extend only raises them; "
			     "`run` takes fewer",
			     opt_where(o, FLAG_passes), opt_text(o, FLAG_passes),
			     o->arg[0], most);
	options_free(&had);
	return rc;
}

static int make_whole(struct options *o, enum flag f, const char *path, struct err *e)
{
	char whole[PATH_MAX];

	if (!realpath(path, whole))
		return err_set(e, ERR_INPUT, "%s: cannot be found", path);
	o->value[f] = arena_str(&o->arena, whole);
	return o->value[f] ? 0 : err_set(e, ERR_NOMEM, "%s", path);
}

/* To where the paths of the directory's settings lead from; this command's own are made
 * whole before. */
static int go_there(struct options *o, const json_t *run, struct err *e)
{
	const char *cwd = json_string_value(json_object_get(run, "cwd"));
	int rc = make_whole(o, FLAG_output_dir, o->arg[0], e);

	o->from[FLAG_output_dir] = FROM_FILE;
	if (!rc && opt_said(o, FLAG_price_file) &&
	    o->from[FLAG_price_file] != FROM_FILE)
		rc = make_whole(o, FLAG_price_file, opt_text(o, FLAG_price_file), e);
	if (!rc && cwd && chdir(cwd))
		notice_say("%s is gone: relative paths lead from here", cwd);
	return rc;
}

static int run(struct options *o, struct err *e)
{
	json_t *doc = NULL;
	int rc;

	if (!opt_said(o, FLAG_passes))
		return err_set(e, ERR_USAGE,
			       "--passes is missing: how many shall %s have?",
			       o->arg[0]);
	rc = read_run(o, &doc, e);
	if (rc)
		return rc;
	o->verb = V_RUN;
	rc = check_passes(o, doc, e);
	if (!rc)
		rc = take_settings(o, doc, e);
	if (!rc)
		rc = check_methods(o, e);
	if (!rc)
		rc = go_there(o, doc, e);
	json_decref(doc);
	if (rc)
		return rc;
	options_defaults(o);
	return verb_run_sweep(o, "extend", e);
}

const struct verb verb_extend = {
	"extend",
	"DIR --passes K|MIN..MAX [flags]",
	"raises the passes of a finished run and pays only for the new ones\n"
	"Everything else is as DIR/run.json has it: inputs, methods, seeds, judges.",
	V_EXTEND,
	1,
	1,
	0,
	run
};
