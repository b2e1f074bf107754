/* verb_run.c - the whole job on this machine */
#include "ops/plan.h"
#include "ops/sweepmake.h"
#include "ops/verb.h"

static int run(struct options *o, struct err *e)
{
	struct job j;
	int rc = job_read(o, 0, &j, e);

	if (rc)
		return rc;
	rc = job_finish(o, &j, e);
	if (!rc && opt_on(o, FLAG_dry_run))
		rc = plan_print(stdout, o, &j, opt_on(o, FLAG_json), e);
	job_free(&j);
	return rc;
}

const struct verb verb_run = {
	"run",
	"[SWEEP.yaml] [flags]",
	"chooses SQL out of a pool: broker and workers on this machine, then results\n"
	"The same command again goes on where the last one stopped; when all is done "
	"it says\n"
	"so. Axes given as lists (method, seed, candidates, judge, passes) make a "
	"sweep.",
	V_RUN,
	0,
	1,
	1,
	run
};
