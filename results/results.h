/* results.h - what ops/ asks of results/: everything that people read
 *
 * A finished (or stopped) command's journal goes in, files come out. Nothing here asks
 * for a task; verdicts have been planned by verdict_plan.h before. The same journal
 * gives the same bytes of results.json, samples.jsonl, predictions and reports,
 * whenever and wherever it is read.
 *
 * Memory:  strings of the facts are lent for the call.
 * Errors:  ERR_STORE: the journal cannot be read, or a file not written; the text names
 *          it. A file is written beside its place and moved there whole, so a failure
 *          leaves what was there before.
 * Threads: one at a time; blocks on disk.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include "common/base/err.h"
#include "results/gold.h"
#include "results/verdict_plan.h"

#include <stdint.h>
#include <stdio.h>

struct price { /* money per million tokens; all 0: not known */
	double prompt, cached, completion;
};

struct prices { /* by the role that is asked */
	struct price llm, reward, embed;
};

/* What only the command knows: for run.json, which need not be the same bytes. */
struct run_facts {
	const char *version; /* of this program */
	const char *sqlite_version, *sqlite_source_id;
	const char *command;  /* the command line, without secrets; NULL: not told */
	const char *cwd;      /* what relative paths in it lead from; NULL: not told */
	const char *machines; /* JSON text; NULL: not told */
	uint64_t started_ms, ended_ms; /* wall clock */
	int code; /* what the command exits with; 0 becomes 2 where more questions
		     are unsound than the sweep allows */
	struct prices price;
};

struct results; /* the numbers of one sweep */

/* Writes results.json, samples.jsonl, calls.jsonl, predictions/RUN, run.json,
 * report.md and report.html into s->output_dir (made if absent). Without gold there are
 * choices and no verdicts. */
int results_write(const struct sweep *s, const struct gold *g, const char *journal,
		  int64_t sweep_id, const struct run_facts *f, struct results **ret,
		  struct err *e);
void results_free(struct results **r); /* NULL-safe */

/* The final table of methods: at most 100 columns. */
void results_table(FILE *to, const struct results *r);

struct view results_json(const struct results *r); /* results.json's bytes */

/* (question, run) pairs that failed or were degraded, and how many there are in all:
 * for --fail-on-error. */
uint64_t results_unsound(const struct results *r, uint64_t *ret_all);

/* Verb score: candidate i of every question is the prediction of file[i]. */
struct score_file {
	const char *source; /* NAME of NAME=FILE, else what the file's name says */
	const char *file;   /* the file's name without its folders */
};

/* Writes scores.jsonl and results.json into s->output_dir, or nowhere if that is NULL.
 */
int score_write(const struct sweep *s, const struct gold *g,
		const struct score_file *file, uint32_t nfile, const char *journal,
		int64_t sweep_id, const struct run_facts *f, struct results **ret,
		struct err *e);

/* The tables that the benchmark's official script prints, one a file, and whose they
 * are. */
void score_table(FILE *to, const struct results *r);

/* Those tables alone; `as_file`: as the script writes them into a file. */
void score_official(FILE *to, const struct results *r, int as_file);
/* R-VES: what timed repeats tell of right predictions. */
struct ves {
	const double *ratio; /* [file * questions + question] gold's time over the
				prediction's; < 0: not timed */
	uint32_t repeats;
	int cpu;     /* the core; -1: any */
	double load; /* of the machine, before: above 0.5 it was not quiet */
};

/* 1: file's prediction is right (and so is timed). */
int score_right(const struct results *r, uint32_t file, uint32_t question);

/* Prints the table of the official script and writes timing.json into s->output_dir,
 * or nowhere if that is NULL. */
int score_ves(FILE *to, const struct sweep *s, const struct results *r,
	      const struct ves *v, struct err *e);

void score_warnings(FILE *log, const struct results *r); /* predictions that are gold */

/* How scoring saw one question, per file: both results, the rule, the first row that
 * differs. ERR_INPUT: no such question. */
int score_explain(FILE *to, const struct sweep *s, const struct gold *g,
		  const struct score_file *file, uint32_t nfile, const char *journal,
		  int64_t sweep_id, struct view question_id, struct err *e);

/* (Re)writes report.md and report.html from what stands in the directories; several
 * are compared, into `output_dir` (NULL: the first of them). Warnings go to `log`. */
int report_dirs(const char *const *dir, uint32_t n, const char *output_dir, FILE *log,
		struct err *e);

/* Writes lines of a directory as a table (csv, jsonl: a line a question and run;
 * candidates: a line a candidate) or one run as a prediction file (bird, spider,
 * ehrsql). `run` NULL: all, or the only one. `as_array`: lines of JSON as one document.
 * ERR_INPUT: no such directory or run; ERR_USAGE: an unknown format, or no run said.
 */
int export_dir(FILE *to, const char *dir, const char *format, const char *run,
	       int as_array, FILE *log, struct err *e);

/* Tells one question of a finished directory: groups, passes, memories, why, scoring.
 * `question_id` as typed: 717 or x; run NULL: all. ERR_INPUT: no such question or run.
 */
int show_question(FILE *to, const char *dir, const char *question_id, const char *run,
		  FILE *log, struct err *e);

#endif
