/* plan.h - how a planner sees the world
 *
 * A planner is a pure function of a question's facts: it says which tasks it still
 * wants, or gives its record (a choice, a verdict). It is written as straight-line code
 * that is run again from the start whenever facts arrive: plan_need() gives the fact if
 * it is there and otherwise notes the wish. So facts may come in any order, twice, or
 * from a journal, and the record is the same. No socket, clock or chance beyond rng.h.
 *
 * broker/method has one planner a file; results/ has one for verdicts. What a selecting
 * planner needs has role SELECT, what results/ needs has role RESULTS: the caller sets
 * it.
 *
 * Memory:  outputs are lent until the planner returns; `arena` is scratch of this call.
 * Threads: whoever calls; no shared state.
 */
#ifndef PLAN_H
#define PLAN_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "proto/sweep.h"
#include "proto/task.h"

enum fact_state { FACT_PENDING, FACT_OUTPUT, FACT_FAILED };

struct fact {
	enum fact_state state;
	struct view output; /* FACT_OUTPUT */
	int code; /* FACT_FAILED: ERR_TIMEOUT, ERR_DEATH (quarantined), ERR_NET ... */
	struct view text; /* FACT_FAILED: one line for people */
};

/* A blob that a spec names. `bytes` must stay while the fleet runs (the sweep's own
 * texts), or be marked `copy`. */
struct blob {
	struct hash hash;
	struct view bytes;
	int copy;
};

struct plan {
	const struct sweep *sweep;
	const struct run *run; /* NULL for a verdict */
	const struct question *q;
	/* The planner's own. Of a verdict: gold; of a run that reads a budget: how many
	 * asks this question may have, a uint32_t, NULL for as many as it wants. */
	const void *arg;
	struct arena *arena;
	struct fact (*need)(struct plan *p, struct view spec, const struct blob *blob,
			    size_t nblob);
	void *world; /* whoever implements need() */
};

static inline struct fact plan_need(struct plan *p, const struct buf *spec,
				    const struct blob *blob, size_t nblob)
{
	/* A spec that memory did not suffice for is another task's, cut short. */
	return p->need(p, spec->bad ? (struct view){ "", 0 } : buf_view(spec), blob,
		       nblob);
}

enum plan_state { PLAN_WAITS, PLAN_DONE };

/* PLAN_DONE: *ret holds the record. PLAN_WAITS: something is pending. */
typedef enum plan_state plan_fn(struct plan *p, struct buf *ret);

#endif
