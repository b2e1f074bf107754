/* scope.h - which table and column each name of a tree leads to
 *
 * Walks a tree as SQLite's resolver does and fills what parse.h leaves to it. A name
 * that leads through a subquery or CTE to a table's column is given that column too,
 * but only the name inside counts as a read.
 *
 * Invariants: at most SCOPE_WORK steps and SCOPE_OUTPUTS result columns, whatever the
 *             text; past them names stay unresolved and `cut` is 1.
 * Memory:     the arena.
 * Errors:     ERR_NOMEM.
 */
#ifndef SCOPE_H
#define SCOPE_H

#include "common/base/arena.h"
#include "common/sql/parse.h"
#include "common/sql/schema.h"

enum {
	SCOPE_WORK = 20 * 1000 * 1000,
	SCOPE_OUTPUTS = 1 << 18,
	SCOPE_DEPTH = 2 * PARSE_DEPTH
};

struct sql_output { /* a result column, as a FROM around it sees it */
	struct view name;
	int table, column; /* where it comes from unchanged; table -1: computed */
	int star;          /* by a * */
};

struct sql_outputs {
	struct sql_output *o;
	size_t n, cap;
};

struct sql_column {
	int table, column; /* column -1: the rowid of a table that has no name for it */
};

struct scope_result {
	struct sql_column
		*columns; /* read, in the order SQLite's resolver meets them */
	size_t n_columns;
	struct view *unknown; /* names that lead nowhere */
	size_t n_unknown;
	const struct sql_outputs *outputs; /* of the outermost select */
	int cut;
};

int scope_resolve(struct arena *a, const struct schema *s, struct select *select,
		  struct scope_result *ret);

#endif
