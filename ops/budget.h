/* budget.h - runs whose asks are counted over the whole benchmark
 *
 * Such a run is planned in drafts before it chooses. The first draft asks nobody: it
 * executes and weighs the evidence. Then, round by round, common/select/allot.h says
 * which questions may ask once more, from what their last drafts believe, and these are
 * drafted again; a round begins when all of the one before are there. So who may ask
 * depends on no order of arrival. Drafts are written nowhere: a command that goes on
 * after a kill makes them again from the facts.
 *
 * A draft's unit has as its `arg` how many asks it may have, as has the choice's at the
 * end.
 *
 * Memory: budget_free(). What units point at lives until then.
 * Errors: ERR_NOMEM.
 */
#ifndef OPS_BUDGET_H
#define OPS_BUDGET_H

#include "broker/broker.h"

struct budget; /* opaque */

/* *ret is NULL where no run has a budget. */
int budget_new(const struct sweep *s, struct budget **ret);
void budget_free(struct budget **b);

/* Adds the units of the next round: how many, 0 when there is none, or a negative
 * ERR_*, among them that of a draft. */
int budget_round(struct budget *b, struct core *core);

/* What a draft says; what is wrong with it, the next round tells. */
void budget_draft(struct budget *b, const struct unit *u, struct view record);

/* The `arg` of a choice's unit; NULL: it may ask as often as it wants. */
const void *budget_arg(const struct budget *b, uint32_t question, uint32_t run);

#endif
