/* digest.h - a result's digests, made row by row
 *
 * Rows stream through; what is kept is a hash per distinct row (set only), two sums and
 * at most 100 rows of text (ehr only). Cells are equal as Python has it (cell_eq).
 *
 * Shapes:  a row's hash is over its cells' canonical bytes: tag, then 8 bytes of
 *          number, or length and bytes. A whole real is written as the integer.
 * Memory:  one struct digest serves any number of results, one after the other, and
 *          keeps its memory between them; `memory` bounds what a result may take.
 * Errors:  ERR_NOMEM; ERR_LIMIT when `memory` bytes do not hold the set.
 * Source:  the benchmarks' own evaluators (taoyds/test-suite-sql-eval,
 *          bird-bench/mini_dev, glee4810/ehrsql-2024).
 */
#ifndef DIGEST_H
#define DIGEST_H

#include "common/base/cell.h"
#include "common/base/digests.h"
#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_EHR_ROWS = 100 };

struct digest;

struct digest_sum {
	struct digests digests;
	uint64_t rows, cells, nulls;
	uint64_t reals; /* with sig, of rows of two cells and more: which whole numbers
			   are reals; 0: none */
	uint32_t cols;
	int one_zero;     /* a single cell, a number equal to 0 */
	int invalid_utf8; /* some text was not valid UTF-8 */
};

int digest_new(struct digest **ret);
void digest_free(struct digest **d); /* NULL-safe */

/* Starts a result of `cols` columns; `mask` of enum digest_kind. */
int digest_begin(struct digest *d, unsigned mask, enum text_mode text, uint32_t cols,
		 size_t memory);
int digest_row(struct digest *d, const struct cell *cells); /* `cols` of them */
void digest_end(struct digest *d, struct digest_sum *ret);

#endif
