/* goldcheck.h - what can be known of gold before anything is scored
 *
 * Which gold queries cannot be compiled on their database, and so which ceiling no
 * system can pass (gold that fails counts as wrong); and which have a LIMIT that cuts
 * through a tie, so that another SQLite, or another right query, gives another answer.
 * Gold is never mended.
 *
 * Ties are looked for in plain SELECT ... ORDER BY ... LIMIT n: the query is run with
 * its ORDER BY terms as further columns and one more row; rows n and n+1 with the same
 * terms are a tie. Others count as not looked at.
 *
 * Memory:  texts in `arena`.
 */
#ifndef GOLDCHECK_H
#define GOLDCHECK_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "proto/sweep.h"
#include "results/gold.h"

struct gold_finding {
	const struct question *q;
	const char *text; /* SQLite's error, or "" for a tie */
};

struct gold_report {
	struct gold_finding *broken, *tied;
	uint32_t n, nbroken, ntied, unlooked; /* unlooked: a LIMIT in another form */
};

int gold_check(struct arena *a, const struct sweep *s, const struct gold *g,
	       struct gold_report *ret, struct err *e);

/* The query that shows a tie: 1, and its text and n; 0: no LIMIT; -1: another form. */
int gold_tie_query(struct view sql, struct buf *ret, uint64_t *ret_limit,
		   uint32_t *ret_terms);

#endif
