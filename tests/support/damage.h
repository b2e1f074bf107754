/* damage.h - copies of a database that went wrong while queries stayed right
 *
 * Each kind does one thing to every table, the same each time. Right is then what
 * equals gold's result on the copy, empty or not: a judge that runs from empty answers
 * loses where the data are at fault.
 *
 * Errors: NULL, if SQLite cannot read the one or write the other.
 */
#ifndef TESTS_DAMAGE_H
#define TESTS_DAMAGE_H

#include "common/base/view.h"

struct sqlite3;

/* Columns: name, what is done. */
#define DAMAGE_LIST(X) \
	X(none, "nothing") \
	X(padded, "every text gets a blank behind it") \
	X(framed, "every second column's texts get a blank on both sides") \
	X(recased, "every text is in capitals") \
	X(lowered, "every text is in small letters") \
	X(unmatched, "no declared key matches anything") \
	X(halfmatched, "every second declared key matches nothing") \
	X(emptied, "every second table has no row") \
	X(emptied_too, "every other second table has no row") \
	X(retyped, "every number is stored as text in a column without a type") \
	X(numbered, "every text that reads as a number is one, without a type") \
	X(blobbed, "every text is a blob") \
	X(redated, "dates have strokes where they had dashes")

enum damage {
#define X(name, what) DAMAGE_##name,
	DAMAGE_LIST(X)
#undef X
		DAMAGES
};

const char *damage_name(enum damage d);
const char *damage_what(enum damage d);

/* `to` may be ":memory:". The copy is open, and complete. */
struct sqlite3 *damage_open(const char *from, const char *to, enum damage damage);

#endif
