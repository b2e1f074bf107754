/* learn.h - the planner of a memory: what one solved training question teaches
 *
 * A question's only candidate is its known SQL. It is executed (what gives no result
 * teaches nothing and is not asked about); a model is asked for the memory, and once
 * more where the answer cannot be read or nothing of it stands; what it says is held
 * against the SQL and the schema (common/sql/memory_check.h). With self_check the model
 * is then asked for SQL from the memory and the question alone, whose result must equal
 * that of the known SQL under the sweep's rule. The record is a struct learnt.
 *
 * Without a model the memory is derived from the SQL and nobody is asked.
 *
 * Where the sweep has an embedder, the question's vector is asked for besides, together
 * with those of its neighbours in the sweep.
 *
 * The same answers give the same record: no chance or clock is in it.
 *
 * Memory:  struct learn is lent while the fleet runs.
 * Threads: pure, as all planning.
 */
#ifndef LEARN_H
#define LEARN_H

#include "common/sql/schema.h"
#include "proto/plan.h"

struct learn {
	const struct schema *schema; /* [sweep->ndb] */
	struct view memory_template, regenerate_template;
	struct hash memory_template_hash, regenerate_template_hash;
	int self_check;
};

/* plan->arg is a struct learn; plan->run draws the only candidate. */
plan_fn learn_plan;

#endif
