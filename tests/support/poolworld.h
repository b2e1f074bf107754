/* poolworld.h - one question whose candidates fall into groups as a test wants them
 *
 * The simulated judge is asked about it, and answers from a table: the candidate of
 * higher `good` is the better one, and who is shown first has `first` added. What is
 * asked is counted, and no one may be asked about a candidate that failed. The evidence
 * judge (set run.judge) scores a group by its first member's `good`.
 *
 * Memory:  poolworld_free().
 */
#ifndef POOLWORLD_H
#define POOLWORLD_H

#include "proto/choice.h"
#include "proto/plan.h"

enum { POOLWORLD_MOST = 64, POOLWORLD_FAILED = -1 };

struct poolworld {
	struct arena arena;
	struct sweep sweep;
	struct run run;
	struct question q;
	uint32_t n;
	int class_of[POOLWORLD_MOST]; /* or POOLWORLD_FAILED */
	double good[POOLWORLD_MOST];
	double first;
	int missing; /* the agent says that no right one is there */
	/* 1: an ask of `what` (pair, score, pick, rank, cover; kemeny) about these
	 * fails
	 */
	int (*lost)(const struct poolworld *w, struct view what, const uint32_t *cand,
		    uint32_t n);
	/* added to what a candidate is worth in a pass; NULL: nothing */
	double (*sway)(const struct poolworld *w, uint64_t pass, uint32_t cand);
	/* of two classes, of all = 1000 */
	uint64_t (*same)(const struct poolworld *w, int a, int b);
	int hide; /* nothing but executions is there */
	/* counted over a plan */
	uint32_t asked, alike, ordered;
};

/* Candidate c is of class_of[c]; goodness 0. */
void poolworld_make(struct poolworld *w, const int *class_of, uint32_t n,
		    const char *method);
/* Groups of these sizes, then `failed` ones. */
void poolworld_groups(struct poolworld *w, const uint32_t *size, uint32_t groups,
		      uint32_t failed, const char *method);
void poolworld_free(struct poolworld *w);

enum plan_state poolworld_plan(struct poolworld *w, struct choice *ret);

#endif
