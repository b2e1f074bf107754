/* verb_run.c - the whole job on this machine */
#include "ops/bankmake.h"
#include "ops/finish.h"
#include "ops/fleet.h"
#include "ops/notice.h"
#include "ops/plan.h"
#include "ops/reward_detect.h"
#include "ops/rundir.h"
#include "ops/sweepmake.h"
#include "ops/verb.h"

#include "common/base/clock.h"
#include "results/results.h"

static int dry_run(struct options *o, struct job *j, struct err *e)
{
	int rc;

	if (opt_text(o, FLAG_train))
		notice_say("--dry-run: the bank of --train %s is not derived, names "
			   "lack its hash",
			   opt_text(o, FLAG_train));
	rc = bank_named(o, j, e);
	if (!rc)
		rc = job_finish(o, j, e);
	return rc ? rc : plan_print(stdout, o, j, opt_on(o, FLAG_json), e);
}

static void tell_work(const struct fleet_result *f)
{
	const struct broker_progress *p = &f->broker.last;

	if (!f->interrupted && p->tasks == 0 && p->failures == 0)
		notice_say("nothing to do: every task was known");
}

static int play(struct options *o, const char *verb, struct job *j, struct err *e)
{
	struct finish fin = {
		.verb = verb, .options = o, .job = j, .started_ms = clock_wall_ms()
	};
	struct fleet_result done;
	struct fleet f = { &j->sweep, NULL, opt_on(o, FLAG_quiet), NULL };
	struct gold *gold = NULL;
	int rc = job_gold(j, &gold, e);

	f.gold = fin.gold = gold;
	if (!rc)
		rc = fleet_run(&f, &done, e);
	if (!rc)
		tell_work(&done);
	if (!rc)
		rc = finish_run(&fin, &done, e);
	gold_free(&gold);
	return rc;
}

int verb_run_sweep(struct options *o, const char *verb, struct err *e)
{
	struct rundir dir;
	struct job j;
	int rc = job_read(o, 0, &j, e);

	if (rc)
		return rc;
	if (opt_on(o, FLAG_dry_run)) {
		rc = dry_run(o, &j, e);
		job_free(&j);
		return rc;
	}
	/* Names and specs are checked before the directory is touched. */
	rc = reward_settle(o, &j.sweep, rundir_path(o, &j), e);
	if (!rc)
		rc = bank_named(o, &j, e);
	if (!rc)
		rc = job_finish(o, &j, e);
	if (!rc)
		rc = rundir_open(o, &j, &dir, e);
	if (!rc) {
		if (opt_text(o, FLAG_train))
			rc = bank_derived(o, &j, e);
		if (!rc)
			rc = bank_near_duplicates(o, &j, e);
		if (!rc && (opt_text(o, FLAG_train) ||
			    opt_on(o, FLAG_exclude_near_duplicates)))
			rc = job_finish(o, &j, e);
		if (!rc)
			rc = play(o, verb, &j, e);
		rundir_close(&dir);
	}
	job_free(&j);
	return rc;
}

static int run(struct options *o, struct err *e)
{
	return verb_run_sweep(o, "run", e);
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
