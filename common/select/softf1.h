/* softf1.h - BIRD's soft F1 of two results, row beside row
 *
 * Each side loses its repeated rows, the first of them stays; then row i stands beside
 * row i, so order matters. Of a pair, over the columns of gold: how many predicted
 * values occur anywhere in gold's row, how many do not, and how many of gold's are not
 * predicted. A row without a partner counts as one missed, or one too many. Precision,
 * recall and F1 are of the sums.
 *
 * Cells are numbers: equal numbers, equal values (equal.h makes them). A value that is
 * predicted in two columns is counted twice, so F1 may pass 1, as in the original.
 *
 * Invariants: doubles are added in row order, as Python's sum() does before 3.12: the
 *             same bits as the original's.
 * Errors:     ERR_NOMEM.
 * Source:     evaluation_f1.py of bird-bench/mini_dev 4d970a9.
 */
#ifndef SOFTF1_H
#define SOFTF1_H

#include <stddef.h>
#include <stdint.h>

struct numbered {           /* a result whose cells are numbers */
	const uint32_t *id; /* [rows * cols] */
	uint32_t cols;
	size_t rows;
};

int softf1(const struct numbered *predicted, const struct numbered *gold, double *ret);

#endif
