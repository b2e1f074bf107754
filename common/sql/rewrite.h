/* rewrite.h - what the official scripts do to SQL before they run it, bug for bug
 *
 * Each appends the rewritten text to `b`; ask b->bad at the end. Bytes that are no
 * UTF-8 pass through untouched.
 *
 * Source: the official scripts: test-suite-sql-eval e97acc5, ehrsql-2024 4659789,
 * EHRSQL 01241a3, CPython 3.11's sqlite3.
 */
#ifndef REWRITE_H
#define REWRITE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/view.h"

/* The test-suite's. Unless `keep_distinct`, every DISTINCT and all after the first
 * statement go. A prediction also has `value` made `1`. */
void rewrite_spider_prediction(struct buf *b, struct view sql, int keep_distinct);
void rewrite_spider_gold(struct buf *b, struct view sql, int keep_distinct);

/* Of a gold that rewrite_spider_gold() has written: the substring "order by". */
int rewrite_order_matters(struct view gold);

/* post_process_sql of ehrsql-2024 and of EHRSQL v1. `now` (n 0: the script's own) is
 * what v1 is told by --current_time. */
void rewrite_ehrsql(struct buf *b, struct view sql);
void rewrite_ehrsql_v1(struct buf *b, struct view sql, struct view now);
int rewrite_is_abstention(struct view rewritten); /* exactly `null` */

/* What Python's sqlite3.Cursor.execute makes of the text before SQLite runs it. */
enum python_shape {
	PYTHON_ONE,   /* one statement: run `ret_sql` */
	PYTHON_EMPTY, /* nothing but space, comments and ; before the end: no rows */
	PYTHON_MULTI, /* "You can only execute one statement at a time." */
	PYTHON_NUL,   /* "the query contains a null character" */
	PYTHON_PARAMETERS, /* ?, :a, @a, $a: "Incorrect number of bindings supplied" */
};
enum python_shape python_execute_shape(struct view sql);
const char *python_shape_text(enum python_shape shape);

/* The statement alone, for PYTHON_ONE: space, comments and ; around it cut. */
struct view statement_of(struct view sql);

/* One line with no newline, tab or carriage return in it that means the same: such
 * space becomes a blank, a -- comment becomes a bracketed one, and a string literal
 * that holds one is spelled with char(). ERR_VALUE: a quoted name holds one. */
int one_line(struct buf *b, struct view sql, struct err *e);

#endif
