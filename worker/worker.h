/* worker.h - a worker: takes leases, runs tasks, gives results; decides nothing
 *
 * One process: a libuv loop with the DEALER socket and the model requests in flight, a
 * zygote with SQL children, a cache of what it fetched. Nothing in it is needed again
 * when it is gone: it may be killed at any moment.
 *
 * SIGTERM: takes no more leases, hands back what it has not started, finishes what runs
 * (up to a grace), says BYE. A broker that is silent is reconnected to; after
 * orphan_ms of silence the worker ends by itself.
 *
 * Errors:  ERR_NET (no broker within orphan_ms), ERR_SANDBOX (no SQL child can be had),
 *          ERR_REFUSED (the broker speaks another version), ERR_NOMEM.
 * Threads: one call a process, before any other thread is started.
 */
#ifndef WORKER_H
#define WORKER_H

#include "common/base/err.h"

#include <stdint.h>

struct worker_config {
	const char *address; /* of the broker: ipc://..., tcp://... */
	const char *cache;   /* folder for what is downloaded */
	uint32_t children;   /* SQL children; 0: 1 */
	uint32_t orphan_ms;  /* 0: 60,000 */
	int parent;          /* pid: ends with it; 0: lives on its own */
};

/* env's engine: SQLite, and all that is set of it and can change an answer. */
const char *worker_engine(void);

int worker_main(const struct worker_config *config, struct err *e);

#endif
