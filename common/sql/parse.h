/* parse.h - the syntax tree of one SELECT
 *
 * Total: any bytes give a tree, of what could be understood. Where the grammar is left,
 * `whole` is 0, tokens are skipped up to the next clause, and the rest is still read.
 * Names are not looked up here: analysis.h does that.
 *
 * Invariants: (1) no tree is deeper than PARSE_DEPTH expressions or selects; text
 * beyond is not read; (2) text over PARSE_BYTES is cut there. Both clear `whole`. (3)
 * `a + b - c` and `x AND y AND z` are one node with three args, other operators nest.
 * Memory:     the tree lives in the arena, its views point into the text or the arena.
 * Errors:     ERR_NOMEM only.
 */
#ifndef PARSE_H
#define PARSE_H

#include "common/base/arena.h"
#include "common/base/view.h"
#include "common/sql/lex.h"

enum { PARSE_DEPTH = 200, PARSE_BYTES = 1 << 20 };

enum expr_kind {
	EXPR_NAME, /* [qualifier.]name; `quote` if the name was quoted */
	EXPR_STRING,
	EXPR_NUMBER,
	EXPR_VALUE,   /* other constants: NULL, blobs, CURRENT_TIME, variables */
	EXPR_STAR,    /* * or qualifier.* */
	EXPR_CALL,    /* name(args); distinct, star, over */
	EXPR_CHAIN,   /* args joined by OR, AND, || or arithmetic: `op` is the first */
	EXPR_BINARY,  /* comparison of two args: op = == != <> < <= > >= IS "IS NOT" ...
		       */
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
	struct view name, qualifier;
	struct view op; /* as written, one word or sign */
	char quote;     /* of the name: " ` [ or 0 */
	char negated, distinct, star, over;
	int height;
	struct expr *args, *last, *next;
	struct select *select;
	/* Filled by analysis: where the name leads, -1 for nowhere. `literal`: a
	 * double-quoted name that is a string. */
	int table, column, source;
	char literal;
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
};

struct cte {
	struct view name;
	struct term *columns;
	struct select *select;
	int state; /* analysis: 0 untouched, 1 under way, 2 done */
	void *outputs;
	struct cte *next;
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
