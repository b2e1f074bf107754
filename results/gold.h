/* gold.h - the right answers, aligned with a sweep's questions
 *
 * ops/ reads a gold file into rows and hands them over; from here on only results/
 * holds them. Nothing that selects can see this type: broker/ and worker/ may not
 * include results/.
 *
 * Rows are matched by question id. Ids that occur twice, on either side, are matched by
 * place instead, and then every row must stand where its question stands. A file
 * without ids speaks by place alone, so its length must be the benchmark's.
 *
 * Invariants: item[i] belongs to sweep->q[i].
 * Memory:     gold_new() copies all that it keeps.
 * Errors:     ERR_INPUT: a question without gold, gold without a question where places
 *             decide, another database, duplicate ids in another order.
 */
#ifndef GOLD_H
#define GOLD_H

#include "common/base/err.h"
#include "proto/sweep.h"

struct gold_row {          /* one item of a gold file, as it stands there */
	struct view id;    /* as JSON text: 717, or "x" with its quotes; n 0: none */
	struct view db;    /* n 0: not told */
	struct view sql;   /* "null" where the benchmark says so: no answer */
	struct view level; /* difficulty or hardness; n 0: none */
	int answerable;    /* 1, 0; -1: not told */
};

struct gold_item {
	struct view sql; /* as it stands in the file */
	struct view run; /* as the rule rewrites it; what is executed */
	struct hash run_hash;
	struct view level; /* "" where there is none */
	uint8_t abstains;  /* there is no answer: gold is null, and the rule knows that
			    */
	uint8_t ordered;   /* the rule compares with it as a list */
	uint8_t strict_ordered; /* rule plain does */
};

struct gold {
	struct arena arena;
	struct gold_item *item;
	uint32_t n;
	struct gold_item *corrected; /* of a second file; NULL: there is none */
	uint8_t *is_corrected;       /* [n] questions that it speaks of */
};

/* `total` is how many questions the benchmark's file holds before any filter (0: not
 * known): a file of another length is refused where places decide. */
int gold_new(const struct sweep *s, const struct gold_row *row, uint32_t n,
	     uint32_t total, struct gold **ret, struct err *e);
/* Adds a second opinion: rows for some questions, found by id, or by place where the
 * file has no ids. ERR_INPUT also where no row is of a question here. */
int gold_correct(struct gold *g, const struct sweep *s, const struct gold_row *row,
		 uint32_t n, uint32_t total, struct err *e);
void gold_free(struct gold **g); /* NULL-safe */

#endif
