/* verb_export.c - tables for notebooks, and prediction files, out of a directory */
#include "ops/verb.h"
#include "results/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int to_file(struct options *o, const char *path, struct err *e)
{
	char draft[4096];
	FILE *f;
	int rc;

	if ((size_t)snprintf(draft, sizeof draft, "%s.part", path) >= sizeof draft)
		return err_set(e, ERR_USAGE, "%s: the name is too long", path);
	f = fopen(draft, "wb");
	if (!f)
		return err_set(e, ERR_STORE, "%s: %s", draft, strerror(errno));
	rc = export_dir(f, o->arg[0], opt_text(o, FLAG_format), opt_text(o, FLAG_run),
			opt_on(o, FLAG_json), opt_on(o, FLAG_quiet) ? NULL : stderr, e);
	if ((fflush(f) || ferror(f) || fsync(fileno(f))) && !rc)
		rc = err_set(e, ERR_STORE, "%s: %s", draft, strerror(errno));
	if (fclose(f) && !rc)
		rc = err_set(e, ERR_STORE, "%s: %s", draft, strerror(errno));
	if (!rc && rename(draft, path))
		rc = err_set(e, ERR_STORE, "%s: %s", path, strerror(errno));
	if (rc)
		unlink(draft);
	else
		printf("%s\n", path);
	return rc;
}

static int run(struct options *o, struct err *e)
{
	const char *path = opt_text(o, FLAG_output);

	if (path)
		return to_file(o, path, e);
	return export_dir(stdout, o->arg[0], opt_text(o, FLAG_format),
			  opt_text(o, FLAG_run), opt_on(o, FLAG_json),
			  opt_on(o, FLAG_quiet) ? NULL : stderr, e);
}

const struct verb verb_export = {
	"export",
	"DIR [--format csv|jsonl|candidates|bird|spider|ehrsql] [--run RUN] [-o FILE]",
	"tables for notebooks, and prediction files\n"
	"csv and jsonl: a line a question and run; candidates: a line a candidate, "
	"with "
	"its group\n"
	"and rank; bird, spider, ehrsql: the prediction file of one run, as the "
	"official "
	"scripts read it.",
	V_EXPORT,
	1,
	1,
	0,
	run
};
