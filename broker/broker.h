/* broker.h - a broker: the core with its loop, socket, journal and workers
 *
 * broker_run() plays a sweep from its first task to its last record and returns. It is
 * the whole process's business meanwhile: it owns a libuv loop, one ROUTER socket, the
 * journal's threads, and the workers it starts itself.
 *
 * Work comes in phases: when all records of one are on disk, the next is asked for. So
 * scoring begins after the last choice.
 *
 * SIGINT or SIGTERM: nothing is leased any more, what is in hand may finish (up to
 * `grace_ms`), then all is flushed; a second one flushes at once.
 *
 * Memory:  the sweep and what units point at must stay; nothing of it is written.
 * Errors:  ERR_LIMIT (a limit or quota: exit 3), ERR_REFUSED and ERR_NET (the other
 *          side: exit 4), ERR_STORE, ERR_SANDBOX, ERR_NOMEM (this machine: exit 5). In
 *          each case what was committed stays, and the same command goes on from there.
 *          `ret->interrupted` is the signal's number (exit 130).
 * Threads: one call a process.
 */
#ifndef BROKER_H
#define BROKER_H

#include "broker/core.h"

struct broker_progress {
	uint32_t units, units_done; /* of this phase */
	uint64_t tasks, found;      /* outputs of this command; known from before */
	uint64_t calls, wasted_calls, prompt_tokens, completion_tokens, cached_tokens;
	uint64_t failures, deaths, quarantined, timeouts;
	uint64_t elapsed_ms;
	uint32_t workers, ready, leased, waiting;
	int paused; /* stopping: a limit, or a signal */
};

/* Adds the units of phase n to the core: 1, or 0 when there is no such phase (the end),
 * or a negative ERR_* code. */
typedef int broker_phase_fn(void *arg, uint32_t n, struct core *core, struct err *e);
/* A unit's record, before it is on disk, or a draft; lent for the call. */
typedef void broker_record_fn(void *arg, const struct unit *u, struct view record);
typedef void broker_progress_fn(void *arg, const struct broker_progress *p);

struct broker_config {
	const struct sweep *sweep;
	const char *address;      /* where workers connect: ipc://DIR/fleet */
	char *const *worker_argv; /* how to start one; NULL: none is started */
	uint32_t workers;
	int parent;        /* pid: ends with it at once; 0: lives on its own */
	uint32_t lease_ms; /* 0: 30,000 */
	uint32_t grace_ms; /* 0: 10,000 */
	broker_phase_fn *phase;
	broker_record_fn *on_record; /* NULL: nobody listens */
	broker_progress_fn
		*on_progress; /* NULL; about 4 times a second, and at the end */
	void *arg;
};

struct broker_result {
	int64_t sweep; /* id in the journal */
	uint64_t epoch;
	int interrupted;
	struct broker_progress last;
	struct core_stats stats;
};

int broker_run(const struct broker_config *config, struct broker_result *ret,
	       struct err *e);

#endif
