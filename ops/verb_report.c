/* verb_report.c - reports again, from what stands in directories */
#include "ops/verb.h"
#include "results/results.h"

#include <stdio.h>

static int run(struct options *o, struct err *e)
{
	const char *to = opt_text(o, FLAG_output_dir);
	int rc = report_dirs(o->arg, (uint32_t)o->nargs, to,
			     opt_on(o, FLAG_quiet) ? NULL : stderr, e);

	if (!rc)
		printf("%s/report.md\n%s/report.html\n", to ? to : o->arg[0],
		       to ? to : o->arg[0]);
	return rc;
}

const struct verb verb_report = {
	"report",
	"DIR... [--output-dir DIR]",
	"(re)writes report.md and report.html; compares runs across directories",
	V_REPORT,
	1,
	-1,
	0,
	run
};
