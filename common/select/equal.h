/* equal.h - are two results equal up to one column permutation?
 *
 * Digests cannot answer that (digests.h, sig), so both results are held: each distinct
 * value once, each cell as its number. Everything after that is about numbers and
 * exact.
 *
 * As a list, columns match one by one. As a bag, columns are told apart by what stands
 * in them and beside them (colour refinement), and only what is alike even so is tried
 * out, one for one; 26 equal columns are paired off without a search.
 *
 * Both empty: equal, whatever the columns. Else row and column counts must agree, and
 * the scorer's hasty test comes first: the rows, each sorted as Python sorts text of
 * its cells, must be the same, in order or as a set. It tells (1, 1.5) from (1.0, 1.5),
 * which have the same values: "1.5" sorts before "1<class 'int'>", not before
 * "1.0<class 'float'>".
 *
 * Memory:  everything is in the struct; at most `memory` bytes.
 * Errors:  ERR_LIMIT when memory (or the search's own budget) does not suffice: the
 *          caller takes that as unequal and says so. ERR_NOMEM.
 * Source:  result_eq of taoyds/test-suite-sql-eval.
 */
#ifndef EQUAL_H
#define EQUAL_H

#include "common/base/cell.h"
#include "common/base/digests.h"
#include "common/select/softf1.h"

#include <stddef.h>

struct equal;

enum equal_side { EQUAL_A, EQUAL_B };

int equal_new(size_t memory, enum text_mode text, struct equal **ret);
void equal_free(struct equal **q); /* NULL-safe */

/* Before the rows of a side: how many columns it has. */
void equal_columns(struct equal *q, enum equal_side side, uint32_t cols);
int equal_row(struct equal *q, enum equal_side side, const struct cell *cells);

/* A side as it is held, until the next row. */
struct numbered equal_side_of(const struct equal *q, enum equal_side side);

/* ret 1 or 0. `ordered`: as lists, else as bags. */
int equal_decide(struct equal *q, int ordered, int *ret);

#endif
