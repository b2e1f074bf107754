/* judge.h - verdicts of real queries on the orchard, one question at a time
 *
 * A sweep of one question whose candidates are given, gold given, and a fleet that is
 * one SQL child: what verdict_plan() wishes is run at once.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "proto/verdict.h"
#include "results/results.h"
#include "tests/support/sqlrig.h"

enum { JUDGE_MOST = 33 };

struct judge_case {
	enum rule rule;
	int keep_distinct;
	const char *clock;                        /* ISO; NULL: the rule's own */
	const char *gold, *candidate[JUDGE_MOST]; /* NULL ends */
};

struct judgement {
	struct verdict v;
	uint32_t execs, matches, softs; /* wishes by kind, distinct */
	uint32_t rounds;                /* calls of the planner until it was done */
	struct arena arena;
};

/* `late`: wishes are granted one a round, newest first. */
struct judgement judge(struct sqlrig *rig, const struct judge_case *c, int late);
void judgement_free(struct judgement *j);

#endif
