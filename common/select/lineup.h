/* lineup.h - the order of one pass while its windows rewrite it
 *
 * A pass starts from an order (permute.h); each window's ranking is written back in
 * place: sorted by rank, equals keep the order they had. Ties are remembered: a line-up
 * is a list of ties, [[3],[0,5],[1]].
 *
 * Shapes:     order[p] is the candidate at place p; tied[p] is 1 if it ties with the
 *             one at place p-1. tied[0] is 0.
 * Invariants: a tie is of the last window that held both. One across a window's end
 *             holds on while the candidate before that end stays in the window's last
 *             tie; one across a window's start is broken until the next window.
 * Memory:     the caller's arrays.
 */
#ifndef LINEUP_H
#define LINEUP_H

#include <stdint.h>

enum { LINEUP_WINDOW = 1024 };

struct lineup {
	uint32_t n;
	uint32_t *order;
	uint8_t *tied;
};

/* From an order without ties; `order` is used in place and rewritten. */
void lineup_begin(struct lineup *l, uint32_t *order, uint8_t *tied, uint32_t n);

/* rank[i] is that of the candidate at place start+i, as ranking.h and ranks.h give it:
 * only which is smaller counts. start + size <= n, size <= LINEUP_WINDOW. */
void lineup_write(struct lineup *l, uint32_t start, uint32_t size, const double *rank);

/* ret[c] for every candidate c in the order; equals share the mean of their places.
 * Other entries of ret are left alone. */
void lineup_ranks(const struct lineup *l, double *ret);

#endif
