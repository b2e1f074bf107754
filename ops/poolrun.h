/* poolrun.h - what executing a pool tells of it: groups, majority, bounds
 *
 * Runs this program as `mapfleet run --method majority` over the pool into a folder of
 * its own, which is removed, and reads the results. There is no second way to execute.
 *
 * Errors: what the run said stands on stderr already; the error names its exit code.
 */
#ifndef POOLRUN_H
#define POOLRUN_H

#include "common/base/err.h"
#include "ops/options.h"

struct pool_run {
	double groups; /* mean a question */
	long single;   /* questions with one group */
	int has_gold;  /* and so the three below: fractions */
	double majority, oracle, adversary;
};

/* Takes --databases, --gold, --questions, --benchmark and the like from the options. */
int pool_run(struct options *o, const char *pool, struct pool_run *ret, struct err *e);

/* Runs this program with these arguments (argv, NULL behind them); its stdout goes to
 * `out`. Questions that failed (exit 2) are no error. */
struct buf;
int poolrun_program(const char *const *arg, struct buf *out, struct err *e);

#endif
