/* alike.h - how much two results have in common, column by column
 *
 * Columns of one name (or place) are put together; for each distinct value in them
 * `all` is how often the side that has it more often has it, `same` how often both do:
 * the larger count less the difference. Sums over all names of either side; same / all
 * is the similarity. Row order and column order do not matter, nor what stands beside
 * what. NULL is a value like others, equal to NULL. Cells are equal as Python has it
 * (cell_eq).
 *
 * Memory:  a hash and two counts for each distinct value of a column; at most `memory`
 *          bytes.
 * Errors:  ERR_LIMIT when memory does not suffice; ERR_NOMEM.
 * Source:  execution-based MBR decoding, arXiv 2503.24364.
 */
#ifndef ALIKE_H
#define ALIKE_H

#include "common/base/cell.h"
#include "common/base/digests.h"

#include <stddef.h>

struct alike;

enum alike_side { ALIKE_A, ALIKE_B };

int alike_new(size_t memory, enum text_mode text, struct alike **ret);
void alike_free(struct alike **k); /* NULL-safe */

/* Before the rows of a side. names NULL: columns are told by their place. */
int alike_columns(struct alike *k, enum alike_side side, const struct view *names,
		  uint32_t cols);
int alike_row(struct alike *k, enum alike_side side, const struct cell *cells);

/* 0 of 0 where neither has a cell. */
void alike_decide(const struct alike *k, uint64_t *ret_same, uint64_t *ret_all);

#endif
