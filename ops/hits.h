/* hits.h - what memories did in finished runs that know what is right
 *
 * Read from samples.jsonl, which is the journal's choices and verdicts as people read
 * them. A memory was retrieved for a choice that lists it. It helped where the choice
 * is right and the vote (the largest group, in the same line) is not; it misled where
 * the choice is wrong and the vote is right. Choices without a verdict count for
 * nothing.
 *
 * Memory: ids live until hits_free().
 * Errors: ERR_INPUT: no finished directory; runs over several banks, or over another
 *         than asked for.
 */
#ifndef HITS_H
#define HITS_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/hash.h"

#include <stdint.h>

struct hit {
	struct view id; /* as JSON text */
	uint64_t retrieved, right, helped, misled;
};

struct hits {
	struct arena arena;
	struct hit *v; /* in the order of ids */
	uint32_t n;
	uint64_t choices; /* with memories and a verdict */
	char bank[HASH_HEX + 1];
};

/* `bank` NULL: whichever it is, as long as it is one. */
int hits_read(const char *const *dir, uint32_t n, const struct hash *bank,
	      struct hits *ret, struct err *e);
void hits_free(struct hits *h);
const struct hit *hits_find(const struct hits *h, struct view id); /* or NULL */

#endif
