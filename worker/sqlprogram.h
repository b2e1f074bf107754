/* sqlprogram.h - what a query compiles to
 *
 * SQLite compiles SQL to a program of its virtual machine and lists it on EXPLAIN.
 * Queries that differ in aliases, case or white space often are one program, and one
 * program on one immutable file has one result. The names of its columns are not part
 * of it.
 *
 * Invariants: two queries of one connection with the same listing give the same rows.
 *             A program whose listing does not tell it whole has none: reals are
 *             listed rounded, and blobs up to their first NUL.
 * Threads:    one.
 */
#ifndef SQLPROGRAM_H
#define SQLPROGRAM_H

#include "common/base/buf.h"
#include "worker/sqlrun.h"

/* Appends the program of `sql` to `ret`: 1. There is none, or it cannot be told: 0. `r`
 * is whom it runs by. */
int sqlprogram_list(struct sqlrun *r, struct sqlconn *c, struct view sql,
		    const struct sql_limits *limits, struct buf *ret);

#endif
