/* vestime.h - how long two queries take, side by side, many times
 *
 * One SQL child on one core does nothing else. Each repeat runs the prediction, then
 * gold, each with a connection of its own: opening, running and fetching all rows are
 * timed, as BIRD's script does. The times are of a machine and a moment, so they are no
 * task's output and never in a journal.
 *
 * Units:  nanoseconds of the monotonic clock.
 * Errors: ERR_SANDBOX: no child; ERR_TIMEOUT, ERR_DEATH: of the child; ERR_VALUE: one
 * of the two did not run to its end. Threads: one; blocks while the child works. Start
 * it before any thread.
 */
#ifndef VESTIME_H
#define VESTIME_H

#include "common/base/err.h"
#include "common/base/view.h"

#include <stdint.h>

struct vestime;

/* `env` is an encoded struct env: its limits and clock hold for each repeat. *ret_cpu:
 * the core, -1 where the system does not let us choose. */
int vestime_open(struct view env, struct vestime **ret, int *ret_cpu, struct err *e);
void vestime_close(struct vestime **v); /* NULL-safe */

/* Arrays of `repeats`. `wall_ms` bounds all of it. */
int vestime_pair(struct vestime *v, const char *database, struct view prediction,
		 struct view gold, uint32_t repeats, uint64_t wall_ms,
		 uint64_t *ret_prediction, uint64_t *ret_gold, struct err *e);

#endif
