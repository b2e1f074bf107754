/* aggregate.h - what a question's executions say before any judge is asked
 *
 * Draws the candidates, has each executed, and groups them by the rule's equality.
 * Every method begins here, so two methods that draw alike share all of it. From here
 * on a candidate is its place in H order (common/select/draw.h); `index` leads back to
 * the pool line.
 *
 * Memory:  all in the plan's arena; outputs are lent by the plan.
 * Threads: pure, as all planning.
 */
#ifndef AGGREGATE_H
#define AGGREGATE_H

#include "common/select/group.h"
#include "proto/choice.h"
#include "proto/exec_out.h"
#include "proto/plan.h"

struct aggregate {
	uint32_t n;              /* candidates drawn */
	uint32_t *index;         /* [n] in the pool line */
	struct exec_out *out;    /* [n]; status abstain: nothing was executed */
	struct grouping group;   /* over 0 .. n-1 */
	uint32_t failed_tasks;   /* executions that nobody could make */
	struct view failed_text; /* of one of them */
};

/* PLAN_WAITS until all is there. */
enum plan_state aggregate(struct plan *p, struct aggregate *ret);

static inline const struct candidate *aggregate_candidate(const struct plan *p,
							  const struct aggregate *g,
							  uint32_t i)
{
	return &p->q->cand[g->index[i]];
}

/* A choice with its groups filled, `chosen` the largest group's face, why MAJORITY; and
 * degraded, with the reason, where an execution could not be made. */
void aggregate_choice(const struct plan *p, const struct aggregate *g,
		      struct choice *ret);

/* Adds a line to the choice's notes. */
void choice_note(const struct plan *p, struct choice *c, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
