/* sqlrun.h - one SQL, run under its limits, row by row
 *
 * What Python's sqlite3 takes, this takes: one statement, white space and comments
 * behind it; nothing at all is a success without rows; a NUL byte, a parameter or a
 * second statement is an error.
 *
 * Everything that is decided here depends on the database, the SQL and the limits only.
 *
 * Memory:  `out`'s views and `names` are SQLite's and the struct's: they live until
 *          sqlrun_end().
 * Threads: one.
 */
#ifndef SQLRUN_H
#define SQLRUN_H

#include "common/base/cell.h"
#include "common/base/digests.h"
#include "proto/exec_out.h"
#include "worker/sqlconn.h"
#include "worker/sqlpool.h"

struct sqlrun_sink {
	/* Before the first row, also if there is none; 0 or ERR_NOMEM, ERR_LIMIT. */
	int (*begin)(void *to, uint32_t cols);
	int (*row)(void *to, const struct cell *cells);
	void *to;
};

struct sqlrun {
	struct exec_out out; /* status, note, error, names, rows, steps, warnings */
	sqlite3_stmt *stmt;
	struct cell *cells;
	struct view *names;
	uint32_t cap;
	struct view warnings[EXEC_WARNINGS];
	char text[512];            /* of our own errors */
	char warning_text[4096];   /* what warnings point into */
	int64_t heap;              /* SQLite's, before the query */
	uint64_t ticks, ticks_max; /* calls of the progress handler */
	void (*tick)(void *arg);   /* now and then while a query runs; may be NULL */
	void *tick_arg;
};

/* Once per process, before sqlite3_initialize(): where double-quoted strings are
 * reported. */
int sqlrun_setup(void);

void sqlrun_exec(struct sqlrun *r, struct sqlconn *c, struct view sql,
		 const struct sql_limits *limits, struct sqlrun_sink sink);
/* The same from its beginning, after it ended of its limits; the sink begins anew. */
void sqlrun_again(struct sqlrun *r, struct sqlconn *c, const struct sql_limits *limits,
		  struct sqlrun_sink sink);
void sqlrun_end(struct sqlrun *r);  /* the statement is gone; memory is kept */
void sqlrun_free(struct sqlrun *r); /* the memory too */

#endif
