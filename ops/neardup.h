/* neardup.h - questions that stand, nearly to the letter, in the memory bank
 *
 * A memory of the very question holds its answer: a benchmark that meets such is not
 * measured by it. Two questions are near duplicates where the cosine of the built-in
 * embedder's vectors is at least `from`; texts that differ in case and punctuation
 * alone have 1. Whatever embedder the bank is of, these vectors decide.
 *
 * Errors: ERR_STORE, ERR_NOMEM, ERR_INPUT: nothing is left of the bank.
 */
#ifndef NEARDUP_H
#define NEARDUP_H

#include "common/base/err.h"
#include "proto/sweep.h"

struct neardup {
	uint32_t questions, memories; /* that have such, on either side */
	double nearest;               /* 0: none */
	struct hash bank;             /* of the new one */
};

/* Lists them in DIR/near_duplicates.jsonl (no file where there are none). `without` not
 * NULL: writes there the sweep's bank without such memories, if there are any. */
int neardup(const struct sweep *s, double from, const char *dir, const char *without,
	    struct neardup *ret, struct err *e);

#endif
