/* fleet.h - broker and workers as children of this command
 *
 * Forks the broker, which starts `workers` copies of this program as `mapfleet worker`
 * on a private socket, and waits for it. SIGINT and SIGTERM go to the broker alone,
 * once each: the first lets what runs finish, the second ends at once.
 *
 * Phases: labels for the simulated judge (if a run asks it), drafts of runs with a
 * budget (budget.h), choices, verdicts (if there is gold). With `learn` there is one
 * phase, a record for each question.
 *
 * Errors: the broker's; ERR_DEATH when it died: what was committed stays.
 * Threads: none may run when it is called (it forks).
 */
#ifndef FLEET_H
#define FLEET_H

#include "broker/broker.h"
#include "broker/learn.h"
#include "results/gold.h"

struct fleet {
	struct sweep *sweep; /* labels are filled in the broker's process */
	const struct gold *gold;
	int quiet; /* no progress */
	const struct learn
		*learn; /* not NULL: memories are learnt, nothing is chosen */
};

struct fleet_result {
	struct broker_result broker;
	int interrupted;
};

int fleet_run(const struct fleet *f, struct fleet_result *ret, struct err *e);

#endif
