/* nearest.h - exact cosine search over a bank of vectors
 *
 * BLAS proposes, a double dot product decides: all rows whose proposed score is within
 * 1e-4 of the last one wanted are scored again in double, in index order, rounded to
 * 2^-20; ties go to the smaller row. So the answer is the same on every machine and for
 * any batch. Rows stand in the order of training ids: a tie goes to the smaller id.
 *
 * Shapes:  rows: n lines of dim floats, L2-normalised (a line of zeros is near no one),
 *          64-byte aligned for speed. queries: nq lines of dim. ret: nq lines of
 *          min(k, n), best first.
 * Memory:  scratch of n x min(nq, 64) floats, n more and n candidates, freed on return.
 * Errors:  ERR_NOMEM.
 * Threads: pure; OpenBLAS may use its own threads.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include "common/base/err.h"

#include <stdint.h>

struct vectors {
	const float *rows;
	uint32_t n, dim;
};

struct near {
	uint32_t row;
	double score; /* cosine */
};

int nearest_find(const struct vectors *bank, const float *queries, uint32_t nq,
		 uint32_t k, struct near *ret, struct err *e);

#endif
