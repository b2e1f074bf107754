/* parse.h - the syntax tree of one SELECT
 *
 * Total: any bytes give a tree, of what could be understood. Where the grammar is left,
 * `whole` is 0, tokens are skipped up to the next clause, and the rest is still read.
 * Names are not looked up here: scope.h does that.
 *
 * Invariants: (1) no tree is deeper than PARSE_DEPTH expressions or selects; text
 *                 beyond is not read;
 *             (2) text over PARSE_BYTES is cut there. Both clear `whole`;
 *             (3) `a + b - c` and `x AND y AND z` are one node with three args, other
 *                 operators nest.
 *
 * Memory:     the tree lives in the arena, its views point into the text or the arena.
 * Errors:     ERR_NOMEM only.
 */
#ifndef PARSE_H
#define PARSE_H

#include "common/base/arena.h"
#include "common/base/view.h"
#include "common/sql/lex.h"

enum { PARSE_DEPTH = 200, PARSE_BYTES = 1 << 18 };

struct sql_outputs; /* scope.h */

enum expr_kind {
	EXPR_NAME, /* [qualifier.]name; `quote` if the name was quoted */
	EXPR_STRING,
	EXPR_NUMBER,
	EXPR_VALUE,   /* other constants: NULL, blobs, CURRENT_TIME, variables */
	EXPR_STAR,    /* * or qualifier.* */
	EXPR_CALL,    /* name(args); distinct, star, over */
	EXPR_CHAIN,   /* args joined by OR, AND, || or arithmetic: `op` is the first */
	EXPR_BINARY,  /* comparison of two args: op = == != <> < <= > >= or IS */
	EXPR_LIKE,    /* args: left, pattern[, escape]; op LIKE GLOB REGEXP MATCH */
	EXPR_BETWEEN, /* args: value, low, high */
	EXPR_IN,      /* args: left, then the list; or left and `select` */
	EXPR_NULL_TEST, /* args: value; negated: IS NOT NULL */
	EXPR_NOT,
	EXPR_UNARY, /* - + ~ */
	EXPR_CASE,  /* args: every part in order */
	EXPR_CAST,
	EXPR_LIST, /* (a, b) */
	EXPR_SELECT,
	EXPR_EXISTS,
	EXPR_COLLATE,
};

struct expr {
	enum expr_kind kind;
	struct view text; /* as written, without parentheses around it */
	struct view name; /* of a CALL too; strings without their quotes */
	struct view qualifier;
	struct view op; /* as written, one word or sign; a CALL without FILTER, OVER */
	struct view args_text; /* of a CALL: in its parentheses, without DISTINCT */
	char quote;            /* of the name: " ` [ or 0 */
	char negated, distinct, star, over;
	char level; /* of a CHAIN that may still grow: its precedence */
	int height;
	struct expr *args, *last, *next;
	struct select *select;

	/* Filled by scope.h. */
	int table, column; /* of the schema the name leads to; table -1: to none */
	int source;        /* number of the FROM entry it was found in, or -1 */
	char found;        /* it leads somewhere */
	char literal;      /* a double-quoted name that is a string */
	const struct expr *alias_of; /* found as a result column's alias */
};

struct term { /* of a result list, GROUP BY or ORDER BY */
	struct expr *expr;
	struct view alias; /* p NULL: none */
	int desc;
	struct term *next;
};

struct from { /* one table, subquery or parenthesised join of a FROM */
	struct view name, alias; /* p NULL: none */
	struct select *select;
	struct from *group; /* of a parenthesised join */
	struct view join;   /* as written: ",", "LEFT JOIN"; n 0 for the first */
	int natural;
	struct expr *on;
	struct term *using;
	struct from *next;
	int table; /* filled by scope.h: of the schema, or -1 */
};

struct cte {
	struct view name;
	struct term *columns;
	struct select *select;
	struct cte *next;

	/* Filled by scope.h. A CTE that nothing names stays untouched, as in SQLite. */
	enum { CTE_UNTOUCHED, CTE_UNDER_WAY, CTE_DONE } state;
	struct sql_outputs *outputs;
};

struct core {           /* one SELECT of a compound, or VALUES */
	struct view op; /* as written: "UNION ALL"; n 0 for the first */
	int distinct, values;
	struct term *results;
	struct from *from;
	struct expr *where, *having;
	struct term *group_by;
	struct term *windows; /* expressions of named windows */
	struct core *next;
};

struct select {
	struct cte *with;
	struct core *cores;
	struct term *order_by;
	struct expr *limit, *offset;
};

struct parse {
	struct select *select; /* NULL: there is none */
	int whole;             /* one SELECT statement and nothing else */
};

int parse_select(struct arena *a, struct view sql, struct parse *ret);

#endif
