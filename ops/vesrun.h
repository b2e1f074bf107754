/* vesrun.h - `score --ves`: R-VES, timed alone after the fleet has gone
 *
 * Every right prediction and its gold, --ves-repeats times in turn, on one core, by one
 * SQL child. The numbers are of this machine and this moment; a machine that is busy
 * with something else is told, in the log and in timing.json.
 *
 * Errors: ERR_SANDBOX, ERR_NOMEM, ERR_STORE. A pair that cannot be timed has reward 0,
 *         as in the original, and is warned of.
 */
#ifndef VESRUN_H
#define VESRUN_H

#include "ops/options.h"
#include "ops/sweepmake.h"
#include "results/results.h"

/* Before anything runs: ERR_USAGE where --ves makes no sense. */
int ves_check(struct options *o, const struct job *j, struct err *e);

int ves_run(struct options *o, const struct job *j, const struct gold *g,
	    const struct results *r, struct err *e);

#endif
