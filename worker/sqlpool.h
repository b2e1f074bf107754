/* sqlpool.h - SQL children on a loop
 *
 * Hands requests to a few children, several ahead so that none waits for us, and calls
 * back with what they answered. What a child answers is an output: its bytes are made
 * by proto/exec_out.h, equal_out.h, alike_out.h, softf1_out.h or the call. What happens
 * to a child is a failure:
 *
 *     ERR_TIMEOUT   wall_ms passed; the child was killed
 *     ERR_DEATH     the child died of it; the text says of which signal
 *     ERR_SANDBOX   no child can be had
 *     others        the call's own
 *
 * Only the request that ran when a child ended is answered with that; those that waited
 * behind it go to another child.
 *
 * Invariants: (1) every accepted request is called back exactly once, unless cancelled;
 *             (2) never from within sqlpool_submit().
 * Memory:     the request's SQL is copied; db_fd must stay open until the callback. The
 *             reply is lent for the length of the callback.
 * Threads:    the loop's.
 */
#ifndef SQLPOOL_H
#define SQLPOOL_H

#include "common/base/digests.h"
#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/base/view.h"
#include "worker/sqlzygote.h"

#include <stdint.h>
#include <uv.h>

enum sql_op { SQL_EXEC, SQL_EQUAL, SQL_CALL, SQL_ALIKE, SQL_SOFTF1, SQL_TIME };

/* All of them are part of the task's key. */
struct sql_limits {
	uint64_t steps;  /* of SQLite's virtual machine, per SQL */
	uint64_t rows;   /* per SQL */
	uint64_t length; /* bytes of one value */
	uint64_t memory; /* bytes; sqlite's heap, and what `equal` holds */
};

#define SQL_LIMITS_DEFAULT \
	((struct sql_limits){ 1000000000, 1000000, 16 << 20, (uint64_t)512 << 20 })

struct sql_request {
	enum sql_op op;
	struct hash db;         /* by which a child knows it */
	int db_fd;              /* struct dbfile's */
	struct view sql, other; /* other: the second of EQUAL, ALIKE and SOFTF1 */
	struct sql_limits limits;
	int64_t clock_ms; /* what time queries see, since 1970, UTC */
	unsigned digests; /* EXEC: mask of enum digest_kind */
	enum text_mode text;
	int ordered;   /* EQUAL: as lists; ALIKE: columns by their place */
	uint32_t call; /* CALL: row of the zygote's table; TIME: repeats */
	uint64_t wall_ms;
};

struct sql_reply {
	int code;         /* 0, or ERR_*: a failure */
	const char *text; /* the failure's, else "" */
	struct view output;
	uint64_t cpu_ns; /* of the child, for this request */
};

typedef void sqlpool_fn(void *arg, const struct sql_reply *reply);

struct sqlpool_stats {
	uint64_t done, timeouts, deaths, requeued, spawned;
	uint64_t cpu_ns; /* of the children, in requests that were answered */
	uint32_t queued, running, children;
	uint32_t lost; /* 1: the zygote is gone, only a new process has another */
};

struct sqlpool;

/* One pool a zygote at a time. `memory`: the largest limits.memory that will be asked.
 */
int sqlpool_new(uv_loop_t *loop, struct sqlzygote *z, uint32_t children,
		uint64_t memory, struct sqlpool **ret, struct err *e);
/* Kills what runs; no callback comes any more. The loop must run once more. */
void sqlpool_free(struct sqlpool **p);

/* ret_id, if not NULL, is for sqlpool_cancel(). ERR_NOMEM or ERR_SANDBOX. */
int sqlpool_submit(struct sqlpool *p, const struct sql_request *r, sqlpool_fn *call,
		   void *arg, uint64_t *ret_id);
int sqlpool_cancel(struct sqlpool *p, uint64_t id); /* 1: forgotten; 0: unknown */
void sqlpool_stats(const struct sqlpool *p, struct sqlpool_stats *ret);

#endif
