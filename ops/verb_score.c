/* verb_score.c - verdicts for prediction files, through the same fleet */
#include "common/base/clock.h"
#include "ops/compat.h"
#include "ops/finish.h"
#include "ops/fleet.h"
#include "ops/notice.h"
#include "ops/plaintext.h"
#include "ops/rundir.h"
#include "ops/tempdir.h"
#include "ops/verb.h"
#include "ops/vesrun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct score_file *files_of(struct job *j)
{
	struct score_file *f = arena_alloc(&j->sweep.arena, j->nsource, sizeof *f);

	for (size_t i = 0; f && i < j->nsource; i++)
		f[i] = (struct score_file){ j->source[i].name, j->source[i].file };
	return f;
}

static int explain(struct options *o, const struct job *j, const struct gold *gold,
		   const struct score_file *files, int64_t sweep, struct err *e)
{
	FILE *shown = opt_on(o, FLAG_json) ? stderr : stdout, *to;
	char *text = NULL;
	size_t n = 0;
	int rc;

	to = open_memstream(&text, &n);
	if (!to)
		return err_set(e, ERR_NOMEM, "score");
	rc = score_explain(to, &j->sweep, gold, files, (uint32_t)j->nsource,
			   j->sweep.journal, sweep, view_of(opt_text(o, FLAG_explain)),
			   e);
	fclose(to);
	putc('\n', shown);
	plaintext_put(shown, text, n);
	free(text);
	return rc;
}

/* --official FILE: what the official script would have put there. */
static int put_official(struct options *o, const struct results *r, struct err *e)
{
	const char *path = opt_text(o, FLAG_official);
	FILE *f = path ? fopen(path, "wb") : NULL;
	int bad;

	if (!path)
		return 0;
	if (!f)
		return err_set(e, ERR_STORE, "%s: %s", path, strerror(errno));
	score_official(f, r, 1);
	bad = ferror(f);
	return fclose(f) || bad ? err_set(e, ERR_STORE, "%s: %s", path, strerror(errno))
				: 0;
}

static void print_tables(struct options *o, const struct results *r)
{
	struct view json = results_json(r);

	if (opt_on(o, FLAG_json)) {
		fwrite(json.p, 1, json.n, stdout);
		putchar('\n');
	} else if (opt_text(o, FLAG_compat)) {
		score_official(stdout, r, 0);
	} else {
		score_table(stdout, r);
	}
}

/* Before anything runs, as for every wrong flag. */
static int check_explain(const struct options *o, const struct job *j, struct err *e)
{
	const char *id = opt_text(o, FLAG_explain);

	for (uint32_t q = 0; id && q < j->sweep.nq; q++)
		if (view_eq(id_typed(j->sweep.q[q].id), view_of(id)))
			return 0;
	return id ? err_set(e, ERR_USAGE, "--explain %s: no question %s here", id, id)
		  : 0;
}

static int play(struct options *o, struct job *j, struct err *e)
{
	struct finish fin = {
		.verb = "score", .options = o, .job = j, .started_ms = clock_wall_ms()
	};
	struct score_file *files = files_of(j);
	struct fleet f = { &j->sweep, NULL, opt_on(o, FLAG_quiet), NULL };
	struct fleet_result done;
	struct results *r = NULL;
	struct run_facts facts;
	struct gold *gold = NULL;
	int rc = job_gold(j, &gold, e);

	f.gold = gold;
	if (!rc)
		rc = fleet_run(&f, &done, e);
	if (!rc && done.interrupted) {
		notice_say(
			"interrupted; what is done is kept, the same command goes on");
		o->exit = 130;
	}
	if (!rc && !done.interrupted)
		rc = finish_facts(&fin, 0, &facts, e);
	if (!rc && !done.interrupted)
		rc = files ? score_write(&j->sweep, gold, files, (uint32_t)j->nsource,
					 j->sweep.journal, done.broker.sweep, &facts,
					 &r, e)
			   : err_set(e, ERR_NOMEM, "score");
	if (r)
		print_tables(o, r);
	if (r && !rc)
		rc = put_official(o, r, e);
	if (r && !rc && opt_on(o, FLAG_ves))
		rc = ves_run(o, j, gold, r, e);
	if (r && !opt_on(o, FLAG_quiet))
		score_warnings(stderr, r);
	if (r && !rc && opt_text(o, FLAG_explain))
		rc = explain(o, j, gold, files, done.broker.sweep, e);
	results_free(&r);
	gold_free(&gold);
	return rc;
}

/* Without --output-dir nothing stays: the journal is in a folder of the moment. */
static int play_aside(struct options *o, struct job *j, struct err *e)
{
	char dir[TEMPDIR_PATH], path[TEMPDIR_PATH + 16];
	int rc = tempdir_make(dir, e);

	if (rc)
		return rc;
	snprintf(path, sizeof path, "%s/journal.db", dir);
	j->sweep.journal = opt_text(o, FLAG_journal) ? opt_text(o, FLAG_journal) : path;
	rc = play(o, j, e);
	tempdir_remove(dir);
	return rc;
}

/* In the words of the script whose flags were used. */
static int check_files(struct options *o, struct err *e)
{
	static const struct {
		enum flag flag;
		const char *what;
	} need[] = { { FLAG_gold, "what to score against" },
		     { FLAG_predictions, "the prediction files to score" },
		     { FLAG_databases, "the folder with DB_ID/DB_ID.sqlite" } };
	const char *compat = opt_text(o, FLAG_compat), *theirs;

	for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
		if (opt_said(o, need[i].flag))
			continue;
		theirs = compat ? compat_flag(compat, flag_name(need[i].flag)) : NULL;
		return err_set(e, ERR_USAGE, "--%s is missing: %s",
			       theirs ? theirs : flag_name(need[i].flag), need[i].what);
	}
	return 0;
}

static int run(struct options *o, struct err *e)
{
	struct rundir dir;
	struct job j;
	int rc = check_files(o, e);

	if (rc)
		return rc;
	rc = job_read(o, 1, &j, e);
	if (rc)
		return rc;
	rc = check_explain(o, &j, e);
	if (!rc)
		rc = ves_check(o, &j, e);
	if (!rc)
		rc = job_finish(o, &j, e);
	if (!rc && !opt_text(o, FLAG_output_dir)) {
		rc = play_aside(o, &j, e);
	} else if (!rc) {
		rc = rundir_open(o, &j, &dir, e);
		if (!rc) {
			rc = play(o, &j, e);
			rundir_close(&dir);
		}
	}
	job_free(&j);
	return rc;
}

const struct verb verb_score = {
	"score",
	"--benchmark B --predictions [NAME=]FILE[,...] --gold F --databases D [flags]",
	"verdicts for prediction files, by the benchmark's own rule\n"
	"Prints the table that the official script prints; with --output-dir also "
	"scores.jsonl\n"
	"and results.json. --gold as its own prediction gives the ceiling.\n"
	"--compat bird|spider|ehrsql: with the official script's own flags, as in\n"
	"  score --compat bird --predicted_sql_path P --ground_truth_path G "
	"--db_root_path D\n"
	"  score --compat spider --gold G --pred P --db D --table T --etype exec\n"
	"  score --compat ehrsql INPUT OUTPUT --databases D    (2024)\n"
	"  score --compat ehrsql --data_file D --pred_file P --db_path F    (first "
	"edition)",
	V_SCORE,
	0,
	0,
	0,
	run
};
