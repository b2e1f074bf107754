/* verdict_plan.h - the planner of verdicts: is each candidate right?
 *
 * It runs after the last choice, with role RESULTS. What it needs of candidates are the
 * same `exec` tasks that selection asked, so only gold is executed anew. Digests decide
 * wherever they can; a `match` task is asked only where rule spider needs the search
 * for a column permutation, a `softf1` task only where rule bird has two results that
 * are not the same list.
 *
 * Invariants: (1) the verdict depends on outputs only, not on the order they came in;
 *             (2) two empty results match under every rule; (3) a candidate that failed
 *             is wrong; where gold failed all are, with gold's status in the record.
 * Source:     the official evaluators (taoyds/test-suite-sql-eval,
 *             bird-bench/mini_dev, glee4810/ehrsql-2024).
 */
#ifndef VERDICT_PLAN_H
#define VERDICT_PLAN_H

#include "proto/plan.h"

/* p->arg is the struct gold of p->sweep; the record is proto/verdict.h's. */
plan_fn verdict_plan;

#endif
