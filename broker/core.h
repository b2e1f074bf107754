/* core.h - the broker's mind: a pure state machine
 *
 * step(state, event, now) -> actions. No socket, clock, disk or chance in here: what
 * happens comes in as events, what is to be done goes out as actions, and time is a
 * number that comes with each event. So one process can simulate a fleet, and a test
 * can try every order of events.
 *
 * Work is a list of units: a planner (proto/plan.h) with a question. All units of a
 * question are planned together, so that they share its facts; questions start in
 * order, a bounded number at once. A task lives here from the first plan() that wants
 * it until the last unit of its questions is done:
 *
 *   LOOKING --absent--> READY --lease--> LEASED --output--> DONE
 *      |                  ^  ^              |  \
 *      |                  |  +---expire-----+   +--final failure--> FAILED
 *      |                  |                 | retryable
 *      |                  +------due-----WAITING
 *      +--output or final failure in the journal--> DONE, FAILED
 *   READY and WAITING --nobody wants it any more--> DROPPED (wanted again: READY)
 *
 * What a unit's last plan did not want again it waits for no longer, and what nobody
 * waits for is not leased: passes asked ahead of a question that is decided cost
 * nothing unless they run already. Those may finish while their question goes on.
 *
 * A worker that is silent for a lease loses all it holds, is counted as dead, and gets
 * nothing until it says HELLO again; one that speaks but does not name an attempt never
 * got it: no death. When ticks themselves come late, all leases grow by as much.
 *
 * Invariants (core_check() tests 1 and 6, tests/sim/fleet.c all):
 *   (1) a task is in exactly one of: lookup, a ready queue, a worker's hand, the
 *       waiting list, or at rest (DONE, FAILED, DROPPED);
 *   (2) a worker is never given more than its slots, by lane, nor all of them together
 *       more than `most`;
 *   (3) an attempt number of a task only grows: it is the fence;
 *   (4) the first output of a task is kept, whichever attempt brought it;
 *   (5) a record (choice, verdict) is written once for each unit that is no draft;
 *   (6) somebody waits for whatever is ready or waiting.
 *
 * Units:   *_ms are milliseconds of the broker's monotonic clock.
 *
 * Memory:  at most 200 bytes for a queued task with a spec as long as an exec's (105
 *          bytes): 56 and the spec (tasks.h), 6 to 12 for the table of tasks, 5 to 11
 *          for its question's set, 8 to 12 for who waits. Bytes in actions live until
 *          the next step. Outputs are kept while a unit may ask for them.
 *
 * Errors:  ERR_NOMEM is the only one; the core must not be used after it.
 *
 * Threads: one.
 *
 * Source:  leases and fences: beanstalkd's time-to-run; Kleppmann, "Designing
 *          Data-Intensive Applications" (2017), chapter 8.
 */
#ifndef CORE_H
#define CORE_H

#include "common/base/err.h"
#include "proto/plan.h"

struct core; /* opaque */

struct core_config {
	const struct sweep *sweep;
	uint64_t epoch;
	uint32_t lease_ms;
	uint32_t active; /* questions planned at once; 0: 256 */
	uint32_t ahead;  /* tasks queued beyond what slots hold; 0: as many again */
	/* Leased to all workers together, by lane; 0: as many as they have slots. */
	uint32_t most[LANES];
};

enum { CORE_DEATHS = 3 };

int core_new(const struct core_config *config, struct core **ret);
void core_free(struct core **c);

/* A unit of work. Units of the same question must be added one after the other, all
 * before the phase starts. `tag` comes back with the record. */
struct unit {
	uint32_t question; /* position in sweep->q */
	plan_fn *plan;
	const struct run *run;
	const void *arg;
	enum role role;
	uint32_t tag;
	uint8_t draft; /* its record is told and not written */
};

int core_add(struct core *c, const struct unit *u);

/* ---- what happens ---------------------------------------------------------------- */

struct held {
	uint64_t task;
	uint32_t attempt;
};

enum event_kind {
	EVENT_START,     /* the units added since the last phase may begin */
	EVENT_FOUND,     /* the journal's answer to ACTION_LOOKUP */
	EVENT_HELLO,     /* peer: slots, held */
	EVENT_RENEW,     /* peer: held */
	EVENT_RESULT,    /* peer: one result */
	EVENT_RETURN,    /* peer: held */
	EVENT_BYE,       /* peer leaves, announced */
	EVENT_LOST,      /* peer is unreachable or replaced by a new boot */
	EVENT_COMMITTED, /* all writes up to `seq` are on disk */
	EVENT_TICK,
	EVENT_STOP, /* lease nothing any more */
};

struct event {
	enum event_kind kind;
	uint32_t peer; /* the caller's number for a worker, small and dense */
	/* FOUND: */
	uint32_t lookup; /* as in the action */
	uint64_t task;   /* id in the journal; 0: not known there */
	enum fact_state
		state; /* PENDING: no output; OUTPUT; FAILED: for good, in this sweep */
	/* HELLO, RENEW, RETURN: */
	uint32_t slots[LANES];
	const struct held *held;
	size_t nheld;
	/* RESULT (task, attempt, and): FOUND shares code, text, output */
	uint32_t attempt;
	int code; /* 0 or ERR_* */
	struct view text, output;
	const struct view *call; /* encoded calls */
	size_t ncall;
	uint64_t spent_us;
	/* COMMITTED: */
	uint64_t seq;
};

/* ---- what is to be done ---------------------------------------------------------- */

enum action_kind {
	ACTION_LOOKUP,  /* lookup, key: answer with EVENT_FOUND */
	ACTION_TASK,    /* write: task, kind, spec, blobs */
	ACTION_ROLE,    /* write: task, role: on whose behalf it is wanted */
	ACTION_OUTPUT,  /* write: task, attempt, output, calls, spent_us; peer */
	ACTION_FAILURE, /* write: task, attempt, code, text, final, calls; peer */
	ACTION_CALLS,   /* write: calls that were wasted; peer */
	ACTION_ORPHAN,  /* write: as OUTPUT, if the journal knows the task and has none
			 */
	ACTION_RECORD,  /* write: unit, record */
	ACTION_DRAFT,   /* tell: unit, record */
	ACTION_LEASE,   /* send to peer: task, attempt, kind, spec */
	ACTION_ACK,     /* send to peer once the writes before it are on disk */
	ACTION_STALE,   /* send to peer */
	ACTION_CANCEL,  /* send to peer */
	ACTION_REJOIN,  /* send to peer: we do not know it */
	ACTION_DONE,    /* every unit has its record */
};

struct action {
	enum action_kind kind;
	uint32_t peer;
	uint32_t lookup;
	struct hash key;
	uint64_t task;
	uint32_t attempt;
	enum kind task_kind;
	enum role role;
	struct view spec;
	const struct blob *blob; /* TASK */
	size_t nblob;
	int code, final;
	struct view text, output;
	const struct view *call;
	size_t ncall;
	uint64_t spent_us;
	const struct unit *unit; /* RECORD */
	struct view record;
	uint64_t seq; /* of a write: what EVENT_COMMITTED counts */
};

/* `*ret` is the core's until the next step. */
int core_step(struct core *c, const struct event *ev, uint64_t now_ms,
	      const struct action **ret, size_t *ret_n);

/* ---- what people see ------------------------------------------------------------- */

struct core_stats {
	uint32_t units, units_done, questions, questions_done, active;
	uint64_t tasks_new, outputs, found, failures, final_failures, deaths,
		quarantined;
	uint64_t expired, stale, orphans, returned, dropped;
	uint32_t ready[LANES], leased[LANES], waiting, looking, peers;
	uint64_t memory; /* bytes of tasks, specs and outputs */
};

/* 1: it leases nothing any more, for the model's server answers nobody: what was asked
 * in vain is not held against its question. */
int core_unreachable(const struct core *c);

void core_stats(const struct core *c, struct core_stats *ret);
int core_check(const struct core *c); /* 1 when all invariants hold */

#endif
