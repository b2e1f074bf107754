/* permute.h - the order in which a pass meets the candidates
 *
 * `within` keeps the groups in their order and changes the members' inside each group,
 * `between` changes the order of the groups and keeps the members', `both` does both.
 *
 * The orders are balanced, so that a judge's love of a place cancels instead of being
 * averaged by luck. Passes come in pairs: 2i is a drawn order, 2i+1 is it reversed
 * (each group reversed in place for `within`, the groups for `between`, the whole line
 * for `both`). Pair i turns one drawn base order round by a step that spreads over the
 * size m (bit reversal: 0, m/2, m/4, ...); after m pairs a new base is drawn.
 *
 * Invariants: (1) order k depends on the groups, the mode, the seed, the question and
 *                 k, never on how many passes are wanted: asking for more only adds
 *                 orders;
 *             (2) after any even number of passes all members of a group have had the
 *                 same mean place in it (`within`), all groups the same mean place
 *                 among groups (`between`, `both`), all candidates the same mean place
 *                 (`both`): a judge that always prefers the first listed gives a tie;
 *             (3) each member of a line of even length m has been at each place once
 *                 after m passes, of odd m twice after 2m;
 *             (4) an order is repeated only where 64 draws found no fresh one, or none
 *                 is left. (3) yields to (4): a repeated order costs a pass and teaches
 *                 nothing.
 *
 * Units:      candidates and groups as in group.h; failed candidates take no part.
 *
 * Source:     Williams, "Experimental designs balanced for the estimation of residual
 *             effects of treatments" (1949), for pairing rotations with reversals.
 */
#ifndef PERMUTE_H
#define PERMUTE_H

#include "common/select/group.h"

enum permute { PERMUTE_WITHIN, PERMUTE_BETWEEN, PERMUTE_BOTH };

/* ret: passes lines of g->ranked candidates. `id`: the question's, as JSON text. */
int permute_passes(const struct grouping *g, enum permute how, uint64_t seed,
		   struct view id, uint32_t passes, uint32_t *ret, struct err *e);

/* How many different orders there are at all; UINT64_MAX for that or more. */
uint64_t permute_orders(const struct grouping *g, enum permute how);

const char *permute_name(enum permute how);                 /* "within" */
int permute_from_name(struct view name, enum permute *ret); /* 1, or 0: no such mode */

#endif
