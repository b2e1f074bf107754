/* sqlzygote.h - the process that SQL children are forked from
 *
 * It is forked itself before the worker's first thread, has SQLite set up and nothing
 * else, and does two things: forks a child when asked, and says how a child ended. It
 * dies with its parent, and its children with it.
 *
 * Call sqlzygote_start() first thing in main(), before threads, loops and sqlite3_*.
 *
 * Memory:  `calls` must live as long as the program (the children use the same table).
 * Errors:  ERR_SANDBOX, with a text that names what the system refused.
 */
#ifndef SQLZYGOTE_H
#define SQLZYGOTE_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a child can be told to do besides exec and equal: SQL_CALL's `call` is a row of
 * the table. The connection is guarded as for a query; what is appended to `ret` is the
 * output. */
typedef int sqlchild_call_fn(sqlite3 *db, struct buf *ret, struct err *e);

struct sqlchild_call {
	const char *name;
	sqlchild_call_fn *call;
};

struct sqlzygote;

enum { SQLZYGOTE_CHILDREN = 256 };

int sqlzygote_start(const struct sqlchild_call *calls, size_t n, struct sqlzygote **ret,
		    struct err *e);
void sqlzygote_stop(struct sqlzygote **z); /* NULL-safe; kills the children, waits */

/* For sqlpool.c. A child's place is a number below SQLZYGOTE_CHILDREN, the caller's. */
struct sqlzygote_news {
	uint32_t place;
	pid_t pid;
	int ended;  /* 0: born, 1: gone */
	int status; /* of waitpid, when gone */
};

int sqlzygote_fd(const struct sqlzygote *z);
/* The child talks over `socket`, which stays the caller's too. `address_space` bytes
 * bound it (0: no bound). */
int sqlzygote_spawn(struct sqlzygote *z, uint32_t place, int socket,
		    uint64_t address_space);
/* 1: news; 0: none now; negative: the zygote is gone. */
int sqlzygote_read(struct sqlzygote *z, struct sqlzygote_news *ret);
void sqlzygote_kill(struct sqlzygote *z, pid_t pid);
/* The sequence number of what the child at `place` runs now; 0: nothing. */
uint64_t sqlzygote_running(const struct sqlzygote *z, uint32_t place);
/* It need not run what it has not begun up to this number. */
void sqlzygote_skip(struct sqlzygote *z, uint32_t place, uint64_t up_to);

#endif
