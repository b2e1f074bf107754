/* analysis.h - what a SELECT reads and asks for, against a schema
 *
 * Every name is resolved as SQLite would: aliases, subqueries, CTEs, compounds,
 * correlation, USING, NATURAL, *, t.*, result aliases, rowid, and a double-quoted name
 * that is no column is a string. What SQL cannot be understood gives what could be.
 *
 * `columns` is what SQLite's authorizer reports as read (tests/unit/sql_columns.c says
 * where not). A name that leads through a subquery or CTE to a table's column stands
 * for that column in joins and conditions.
 *
 * Invariants: (1) table and column numbers are valid in the schema, or -1 where said;
 *             (2) tables, columns and joins hold no duplicates; (3) no list is longer
 *             than SQL_LIST, or `whole` is 0 and the rest of it is missing.
 * Memory:     all in the arena or views into `sql`, which must outlive it.
 * Errors:     ERR_NOMEM only. Any bytes are fine.
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include "common/base/arena.h"
#include "common/sql/schema.h"
#include "common/sql/scope.h"

/* The one list of comparison operators. The first ten are those that the
 * evidence judge compares: bit (1 << SQL_GT) and so on of `compares`. */
#define SQL_OP_LIST(X) \
	X(GT, ">") \
	X(GE, ">=") \
	X(LT, "<") \
	X(LE, "<=") \
	X(NE, "!=") \
	X(OR, "OR") \
	X(BETWEEN, "BETWEEN") \
	X(LIKE, "LIKE") \
	X(IS_NULL, "IS NULL") \
	X(IS_NOT_NULL, "IS NOT NULL") \
	X(EQ, "=") \
	X(IN, "IN") \
	X(NOT_IN, "NOT IN") \
	X(NOT_LIKE, "NOT LIKE") \
	X(NOT_BETWEEN, "NOT BETWEEN") \
	X(IS, "IS") \
	X(IS_NOT, "IS NOT") \
	X(GLOB, "GLOB") \
	X(EXISTS, "EXISTS") \
	X(NOT_EXISTS, "NOT EXISTS")

enum sql_op {
#define X(name, text) SQL_##name,
	SQL_OP_LIST(X)
#undef X
		SQL_OPS,
	SQL_COMPARES = SQL_EQ /* how many of them the evidence judge counts */
};
const char *sql_op_text(enum sql_op op);

enum { SQL_LIST = 4096 };

struct sql_join {
	struct sql_column a, b;
	enum { SQL_JOIN_EQ, SQL_JOIN_IN, SQL_JOIN_USING } kind;
};

enum sql_value { SQL_STRING, SQL_NUMBER, SQL_COLUMN, SQL_SELECT, SQL_OTHER, SQL_NONE };

enum sql_clause { SQL_RESULT, SQL_FROM, SQL_WHERE, SQL_HAVING, SQL_BY };

struct sql_condition {
	struct sql_column column; /* table -1: the left side is no plain column */
	enum sql_op op;
	enum sql_value kind;
	struct view left;  /* as written */
	struct view value; /* strings without quotes, else as written; one IN entry */
	enum sql_value low_kind; /* of BETWEEN: its lower bound, like kind and value */
	struct view low;
	enum sql_clause clause;     /* the innermost SELECT's clause it stands in */
	struct sql_column selected; /* of kind SQL_SELECT: the column, or table -1 */
	const struct expr *left_expr, *value_expr; /* value_expr NULL: none, or many */
};

struct sql_call {
	struct view name, text;   /* text: the whole call as written */
	struct view args;         /* between the parentheses, DISTINCT left out */
	struct sql_column column; /* of the first argument; table -1: no plain column */
	const struct expr *expr;
	int aggregate, distinct, window;
};

struct sql_item { /* of the result list, GROUP BY or ORDER BY, as written */
	struct view text, alias;
	struct sql_column column; /* table -1: no plain column */
	int aggregate;            /* an aggregate is in it */
	int desc;
	const struct expr *expr;
};

struct sql_name { /* a keyword or function outside the nine keys' own constructs */
	struct view text;  /* keywords in upper case, functions as first written */
	const char *usage; /* a sentence about it, static */
};

struct sql_from {         /* a join in the order written */
	struct view type; /* ",", "JOIN", "LEFT JOIN" ... ; n 0: first of its FROM */
	int table;        /* -1: subquery */
};

struct sql_analysis {
	int whole; /* the text is one SELECT and all of it was understood */

	int *tables; /* after FROM and JOIN, also in subqueries */
	struct sql_column *columns;
	struct sql_join *joins;
	struct sql_condition *conditions;
	/* Those conditions with kind SQL_STRING, a column, and op =, !=, IN or NOT IN.
	 */
	struct sql_condition *literals;
	struct sql_call *calls; /* aggregates and other functions */
	struct sql_from *froms;
	struct sql_name *extras;
	struct view *unknown; /* names that lead nowhere */
	size_t n_tables, n_columns, n_joins, n_conditions, n_literals, n_calls, n_froms,
		n_extras, n_unknown;

	unsigned compares; /* bits 1 << enum sql_op, the first SQL_COMPARES of them */

	/* Of the outermost SELECT: its first core; of the whole: order and limit. */
	struct sql_item *outputs, *group_by, *order_by;
	size_t n_outputs, n_group_by, n_order_by;
	const struct expr *having, *limit, *offset; /* NULL: none */
	int distinct;

	/* Of all other SELECTs, in the order met. */
	struct sql_item *inner_group_by, *inner_order_by, *inner_limits, *inner_havings;
	size_t n_inner_group_by, n_inner_order_by, n_inner_limits, n_inner_havings;

	struct sql_item *cases; /* every CASE; only text and expr are filled */
	size_t n_cases;

	/* Anywhere in the text. */
	int has_where, has_group_by, has_having, has_order_by, has_limit, has_distinct;
	int has_case, has_iif, has_coalesce, has_ifnull, has_nullif;
	int set_operations; /* UNION, UNION ALL, INTERSECT, EXCEPT: how many */
	int selects;        /* SELECT cores */
};

int sql_analyse(struct arena *a, const struct schema *s, struct view sql,
		struct sql_analysis *ret);

#endif
