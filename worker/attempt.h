/* attempt.h - one lease, from its coming to its result's acknowledgement
 *
 *   FETCHING --all is here--> READY --a turn--> RUNNING --attempt_done()--> FINISHED
 *   FINISHED --sent--> SENT --ACK or STALE--> gone
 *   CANCEL: gone from anywhere but SENT. Drain: FETCHING and READY are handed back.
 *
 * A kind's code (a row of kinds.c) says what it needs and starts it; it gives its
 * result with attempt_done(), at once or later on the loop's thread. All it allocates
 * is the attempt's arena or its `state`, which `stop` frees.
 *
 * Memory:  an attempt and all in its arena live until it is gone.
 * Threads: the loop's.
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "proto/reward.h"
#include "proto/task.h"

enum attempt_state {
	ATTEMPT_FETCHING,
	ATTEMPT_READY,
	ATTEMPT_RUNNING,
	ATTEMPT_FINISHED,
	ATTEMPT_SENT,
	ATTEMPT_STATES
};

struct worker;

struct attempt {
	struct attempt *next, *prev; /* in the list of its state */
	struct attempt *chain;       /* of those with its task's hash */
	struct worker *worker;
	uint64_t task;
	uint32_t number;
	enum kind kind;
	enum attempt_state state_now;
	struct arena arena;
	struct view spec;
	uint64_t sql_timeout_ms;
	uint64_t started_ns, spent_us;
	int pinned;       /* its texts stay in the store */
	uint32_t missing; /* needs not here yet */
	void *state;      /* of the kind's code, while it runs */
	uint64_t request; /* of the SQL pool */
	/* the result */
	int code;
	char text[600];
	struct buf output, calls; /* calls: a msgpack array of proto/usage.h calls */
};

/* What must be here before a kind can start. */
enum need {
	NEED_BLOB,
	NEED_OUTPUT /* of a task, by its key */,
	NEED_DATABASE,
	NEED_BANK
};

typedef void attempt_need_fn(struct attempt *a, const struct hash *h, enum need what);

struct kind_code {
	/* Calls `need` for each; 0 when the spec is malformed. NULL: needs nothing. */
	int (*needs)(struct attempt *a, attempt_need_fn *need);
	void (*start)(struct attempt *a);
	/* Ends it early and frees `state`; no attempt_done() may follow. NULL: it never
	 * runs past start(). */
	void (*stop)(struct attempt *a);
};

const struct kind_code *kind_code(enum kind k); /* NULL: not for this worker */

/* The result: code 0 with `a->output`, or an ERR_* code with `text`. */
void attempt_done(struct attempt *a, int code, const char *text);

/* ---- what a running attempt may ask of its worker ---------------------------------
 */

struct dbfile;
struct bank;
struct sqlpool;
struct chat;
struct searcher;

struct view worker_blob(struct worker *w,
			const struct hash *h); /* needed before: there */
const struct dbfile *worker_database(struct worker *w, const struct hash *h);
const struct bank *worker_bank(struct worker *w, const struct hash *h);
struct sqlpool *worker_sql(struct worker *w);
void worker_lost(struct worker *w,
		 const char *why); /* it ends, answering nothing more */
struct searcher *worker_searcher(struct worker *w);
int worker_chat(struct worker *w, struct chat **ret,
		struct err *e); /* opened on demand */
int worker_reward(struct worker *w, enum reward_kind kind, struct chat **ret,
		  struct err *e); /* the reward role's endpoint, likewise */
int worker_embed(struct worker *w, struct chat **ret,
		 struct err *e); /* the embedder's, likewise */

#endif
