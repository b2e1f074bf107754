/* draw.h - H, the order that nothing else decides
 *
 * Where nothing better decides between candidates, H does: BLAKE2b-256 over (seed as
 * u64 LE, question id as JSON text, raw SQL, occurrence), each length-prefixed,
 * compared as bytes. H gives the draw, the order inside a group before any shuffle,
 * the representative, the order of float sums and the last tie-break. A place in a
 * file is not evidence and never decides.
 *
 * The occurrence numbers equal SQL within a question from 0, in the order of (logprob,
 * tokens, greedy, source): numbers ascending and an absent one before any present one,
 * not greedy before greedy, source by bytes with absent as "". Candidates that are
 * equal in all of this are interchangeable; the place in the input then only says which
 * index carries which number.
 *
 * Invariants: (1) for the same multiset of candidates the sequence of (H, candidate) is
 *             the same whatever the order of the input; (2) a draw of N is the first N,
 *             so a draw of 8 is part of a draw of 16.
 * Memory:     the caller's arrays; views are read, never kept.
 */
#ifndef DRAW_H
#define DRAW_H

#include "common/base/hash.h"
#include "common/base/view.h"

#include <stdint.h>

struct draw_item {
	struct view sql;
	struct view source; /* empty where absent */
	double logprob;     /* finite; read only if has_logprob */
	uint64_t tokens;    /* read only if has_tokens */
	int has_logprob, has_tokens, greedy;
};

struct drawn {
	uint32_t item;       /* index into the input */
	uint32_t occurrence; /* among candidates of equal SQL */
	struct hash h;
};

/* All n of them, smallest H first. `id` is the question's id as JSON text (717, "x").
 */
void draw_order(uint64_t seed, struct view id, const struct draw_item *item, uint32_t n,
		struct drawn *ret);

struct hash draw_hash(uint64_t seed, struct view id, struct view sql,
		      uint64_t occurrence);

#endif
