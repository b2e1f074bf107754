/* digests.h - what is known of a result without holding it
 *
 * Two results are equal under a rule if the digest of that rule is the same 16 bytes:
 *
 *     set   rows as a set: order and duplicates ignored (BIRD)
 *     bag   rows as a multiset: order ignored (plain)
 *     list  rows in order
 *     sig   row count and the columns' multisets, sorted. The same for results that are
 *           equal up to a column permutation; different sigs prove that none fits.
 *           Equal sigs with different bags need common/select/equal.h (Spider)
 *     ehr   the answer string of EHRSQL 2024, or, asked as EHR1, of its first edition
 *
 * Empty results are equal whatever their columns. `sig` and the others never meet: a
 * digest compares only with its own kind.
 */
#ifndef DIGESTS_H
#define DIGESTS_H

#include "common/base/hash.h"

#include <stdint.h>

enum digest_kind {
	DIGEST_SET = 1,
	DIGEST_BAG = 2,
	DIGEST_LIST = 4,
	DIGEST_SIG = 8,
	DIGEST_EHR = 16,
	DIGEST_ALL = 31,
	DIGEST_EHR1 = 32, /* in the place of EHR, never with it */
};

/* How text that is not valid UTF-8 is taken. */
enum text_mode {
	TEXT_RAW,    /* bytes as they are */
	TEXT_IGNORE, /* invalid bytes dropped, as Python's errors="ignore" (Spider) */
	TEXT_STRICT, /* an error, as Python's default (BIRD): status error, note decode
		      */
};

struct digests {
	unsigned mask; /* which of these were made; the others are zero */
	struct sip set, bag, list, sig, ehr;
};

static inline int sip_eq(const struct sip *a, const struct sip *b)
{
	return a->lo == b->lo && a->hi == b->hi;
}

#endif
