/* profile.h - what a database holds, learnt once, asked often
 *
 * profile_db() reads a whole database and packs its schema and, for each column, the
 * set of its values as sorted 64-bit hashes. Later questions ("does this column hold
 * 'Alameda'?", "do these two columns have a value in common?") are binary searches in
 * those bytes.
 *
 * A value's hash is of its text: 1, 1.0 and '1' are one value, as they are where a
 * numeric column is compared with anything. A column that collates NOCASE or RTRIM has
 * its text folded so. A blob is nobody's equal but another blob's.
 *
 * Three answers: yes, no, and unknown, which is of a column that has more than
 * PROFILE_DISTINCT values, that did not fit into PROFILE_BYTES, or of a view. A check
 * must say nothing where the answer is unknown.
 *
 * Invariants: (1) the same database gives the same bytes; (2) a column's hashes ascend
 *             strictly.
 * Memory:     a decoded profile holds a copy of the bytes: profile_free().
 * Errors:     ERR_STORE: SQLite cannot read it; ERR_LIMIT; ERR_NOMEM; decoding:
 *             ERR_PROTO.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/sql/schema.h"
#include "worker/cellhash.h"

#include <stdint.h>

struct sqlite3;

enum {
	PROFILE_VERSION = 2,
	PROFILE_DISTINCT = 200000,
	PROFILE_BYTES = 32 << 20,
};

/* Only reads: SELECT, PRAGMA table_xinfo and foreign_key_list. No file, no clock. */
int profile_db(struct sqlite3 *db, struct buf *ret, struct err *e);

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

/* What a column holds; of all its values, also where its hashes are not kept. */
enum {
	HOLDS_TEXT = 1,
	HOLDS_NUMBER = 2,
	HOLDS_WORD = 4,  /* a text that reads as no number */
	HOLDS_UPPER = 8, /* a text with a capital, of ASCII's */
	HOLDS_LOWER = 16,
	HOLDS_TRIM = 32, /* a text without white space around it */
};

struct profile_column {
	uint8_t affinity;  /* enum below */
	uint8_t fold;      /* enum fold: its collation */
	uint8_t sets;      /* its hashes are here */
	uint8_t unique;    /* no value twice (NULLs aside); 0 if unknown */
	uint8_t kinds;     /* bits HOLDS_ */
	enum answer holds; /* a value that is not NULL */
	struct view raw;   /* u64 LE each, ascending: all values */
	struct view loose; /* cellhash_loose() of its values, those not in raw */
};

enum { AFFINITY_NONE, AFFINITY_TEXT, AFFINITY_NUMERIC };

struct profile_table {
	uint8_t is_view;
	uint8_t in_key; /* takes part in a declared foreign key */
	enum answer has_row;
	uint64_t rows;
	struct profile_column *column; /* as many as the schema says */
};

struct profile {
	struct schema schema; /* tables, then views */
	struct profile_table *table;
	int one_style; /* all its texts are in capitals, or in small letters, or have
			* blanks around them: its spelling says nothing */
};

int profile_decode(struct view bytes, struct profile *ret, struct err *e);
void profile_free(struct profile *p); /* NULL-safe; empty, ready for use again */

/* Would `column = 'literal'` find a row? */
enum answer profile_holds(const struct profile *p, int table, int column,
			  struct view literal);
/* Would it if case, blanks around both, how a date is written, and whether text, number
 * or blob were overlooked? */
enum answer profile_holds_loosely(const struct profile *p, int table, int column,
				  struct view literal);

/* 1 if comparing the column with such a literal says nothing of their values: it keeps
 * numbers as text, or text as numbers, and has no affinity to mend that; or it keeps
 * blobs and nothing else. */
int profile_mistyped(const struct profile *p, int table, int column,
		     struct view literal, int is_number);
/* The same of two columns. */
int profile_mistyped_join(const struct profile *p, int a_table, int a_column,
			  int b_table, int b_column);

/* Are at least `share` of b's distinct values among a's? */
enum answer profile_contains(const struct profile *p, int a_table, int a_column,
			     int b_table, int b_column, double share);
/* Have they no value in common, though both hold one? */
enum answer profile_disjoint(const struct profile *p, int a_table, int a_column,
			     int b_table, int b_column);

/* 1 if one is declared to reference the other, in either direction. */
int profile_declared(const struct profile *p, int a_table, int a_column, int b_table,
		     int b_column);

#endif
