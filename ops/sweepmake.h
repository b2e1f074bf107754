/* sweepmake.h - from what the user said to a struct sweep
 *
 * Reads every file, checks everything, and touches nothing: the output directory comes
 * later (rundir.h). Gold is read apart, into `gold`, and goes to results/ only.
 *
 * Memory:  everything is in sweep.arena, and gone with job_free().
 * Errors:  ERR_USAGE, ERR_INPUT: nothing was started.
 */
#ifndef SWEEPMAKE_H
#define SWEEPMAKE_H

#include "ops/databases.h"
#include "ops/items.h"
#include "ops/join.h"
#include "ops/options.h"
#include "proto/sweep.h"

struct job {
	struct sweep sweep;
	struct answers gold;      /* n 0: none */
	struct answers corrected; /* --gold-corrected */
	uint32_t total;           /* questions before any filter */
	struct view *level;       /* [total] as the questions file has them */
	struct source *source;
	size_t nsource;
	struct databases_how databases;
	struct hash pool_hash, questions_hash, gold_hash; /* of the files; zero: none */
	struct hash databases_hash; /* of all that the questions name */
};

/* `score`: --predictions instead of --pool, one answer a file, no runs. */
int job_read(struct options *o, int score, struct job *ret, struct err *e);

/* What needs the bank's hash: runs, their names, the sweep's key. Call it once the bank
 * (if there is one) is made. */
int job_finish(struct options *o, struct job *j, struct err *e);

void job_free(struct job *j);

/* NAME of results/runs/NAME. */
const char *job_name(struct options *o, struct job *j);

/* The right answers of the questions that the filters left, for results/. */
struct gold;
int job_gold(const struct job *j, struct gold **ret, struct err *e);

#endif
