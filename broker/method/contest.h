/* contest.h - what every method does around its own work
 *
 * Aggregates; decides alone where there is nothing to choose (one group, none, or an
 * execution that nobody could make); begins the judge; hands over to the method; and
 * writes the record. The method gives values, higher is better, and from them come
 * order, mean ranks and choice, with the ties of every method: the larger group, then
 * the smaller H.
 *
 * Shapes:  values of groups: one per group of the g; of candidates: n, in aggregate.h's
 *          numbers, of which those of failed ones are not looked at.
 * Units:   values are rounded (common/base/round.h) before they are compared.
 * Memory:  the plan's arena.
 */
#ifndef CONTEST_H
#define CONTEST_H

#include "broker/judge.h"
#include "broker/method/face.h"

struct contest {
	struct plan *p;
	struct aggregate g;
	struct choice c;
	struct judge judge;
};

/* The method's own work where there is more than one group. PLAN_DONE: `c` is the
 * record, but for its encoding. PLAN_WAITS also when memory is out. */
typedef enum plan_state contest_fn(struct contest *t);

enum { CONTEST_ALONE, CONTEST_JUDGED }; /* without, with a judge */

/* A planner but for its name: see proto/plan.h. */
enum plan_state contest_plan(struct plan *p, int judged, contest_fn *work,
			     struct buf *ret);

/* The same, where another member than the smallest H stands for the largest group. */
enum plan_state contest_plan_by(struct plan *p, enum face by, int judged,
				contest_fn *work, struct buf *ret);

/* The largest group stays chosen. */
void contest_degrade(struct contest *t, const char *reason);

/* The mean ranks of the groups as they are, 1 is best. */
void contest_set_ranks(struct contest *t, const double *rank);

/* Mean ranks of the groups; 0: memory is out. */
int contest_mean_ranks(struct contest *t, const double *value);

/* Mean ranks of the groups, and one more pass in the record, in which a group's members
 * tie; 0: memory is out. */
int contest_rank_groups(struct contest *t, const double *value);

/* The same by candidates; a group's rank is its best member's. */
int contest_rank_candidates(struct contest *t, const double *value);

/* Mean ranks of the groups of n candidates that were shown, by their best; the others
 * keep none. 0: memory is out. */
int contest_rank_shown(struct contest *t, const uint32_t *cand, const double *value,
		       uint32_t n);

/* One more pass in the record, by what was said of n candidates; equals stand as they
 * were shown. 0: memory is out. */
int contest_show_pick(struct contest *t, const uint32_t *cand, const double *value,
		      uint32_t n);

/* The same of one ask: the order shown is kept, too. */
int contest_show_ask(struct contest *t, const uint32_t *cand, const double *value,
		     uint32_t n);

/* One more pass in the record, of an ask that could not be read. */
int contest_show_void(struct contest *t);

/* One more pass in the record, by values of groups; `is_void` shows none. */
int contest_show_groups(struct contest *t, const double *value, int is_void);

/* The best group; the best candidate of all, or of one group. */
uint32_t contest_best_group(const struct contest *t, const double *value);
uint32_t contest_best_candidate(const struct contest *t, const double *value);
uint32_t contest_best_member(const struct contest *t, uint32_t group,
			     const double *value);

void contest_choose(struct contest *t, uint32_t cand); /* why: ranked */

#endif
