/* sqlexec.h - the operations exec, equal, alike, softf1 and time, over one connection
 *
 * A query that is not short is run only if no other of the same program has been
 * (sqlprogram.h): its answer is the other's, under its own names. Which of them ran
 * cannot be seen in any answer.
 *
 * Memory:  a struct sqlexec serves any number of requests, one after the other.
 * Threads: one.
 */
#ifndef SQLEXEC_H
#define SQLEXEC_H

#include "common/base/buf.h"
#include "worker/sqlconn.h"
#include "worker/sqlpool.h"

struct sqlexec;

int sqlexec_new(struct sqlexec **ret);
void sqlexec_free(struct sqlexec **x); /* NULL-safe */

/* Called now and then while a query runs. */
void sqlexec_on_tick(struct sqlexec *x, void (*tick)(void *arg), void *arg);

/* Before a connection gets another file: what was learnt of the old one is void. */
void sqlexec_forget(struct sqlexec *x);

/* All append the encoded output to `ret`. sql and other end in a NUL behind n. */
void sqlexec_exec(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		  struct buf *ret);
void sqlexec_equal(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		   struct buf *ret);
void sqlexec_alike(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		   struct buf *ret);
void sqlexec_softf1(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		    struct buf *ret);

/* r->call repeats of sql and other in turn, each on a fresh connection; appends
 * [[ns, ...], [ns, ...]]. ERR_VALUE: one of them does not run to its end. */
int sqlexec_time(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		 struct buf *ret, struct err *e);

#endif
