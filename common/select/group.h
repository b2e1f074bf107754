/* group.h - candidates whose results are equal, together
 *
 * Candidates are named 0 .. n-1 by their place in H order (draw.h), so "smaller H" is
 * "smaller number" and a group's H is that of its first member. Groups are numbered in
 * the order every method begins with: larger first, then smaller H; so of two groups
 * that nothing else separates the one with the smaller number wins.
 *
 * A candidate that failed (error, timeout, limit, refused) equals no one. All failed
 * ones stand together as one last group, flagged, that is in no count `g`, no window
 * and no vote; only if nothing else exists does H choose among them.
 *
 * Shapes:     member[] holds all n candidates, group by group; group i's are
 *             member[first .. first+size-1], by H. The first `ranked` of them are those
 *             of the g groups that take part: the order that methods begin with.
 *             of[c] is the group of candidate c.
 * Invariants: (1) ranked is n less the failed ones; (2) groups is g, or g+1 with the
 *             failed group last; (3) g = 0 only if all failed or n = 0.
 * Memory:     the arena's.
 * Errors:     ERR_NOMEM.
 */
#ifndef GROUP_H
#define GROUP_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/hash.h"

#include <stdint.h>

enum { CLASS_FAILED = -1 };

/* What a result is, for those who sort results into classes. */
enum result_kind { RESULT_ROWS, RESULT_EMPTY, RESULT_ABSTAIN, RESULT_FAILED };

struct result_key {
	enum result_kind kind;
	struct sip digest; /* the rule's; counts for RESULT_ROWS only */
};

struct group {
	uint32_t first, size;
	int class_id; /* CLASS_FAILED for the failed group */
};

struct grouping {
	uint32_t n, ranked;
	uint32_t g, groups;
	uint32_t *member, *of;
	struct group *group;
};

/* Equal keys get equal class ids: those of ROWS by digest, all EMPTY one, all ABSTAIN
 * one; FAILED gets CLASS_FAILED. An id is the smallest candidate of its class. */
void class_ids(const struct result_key *key, uint32_t n, int *ret);

/* `a` and `b` turned out equal (an `equal` task said so): one class from now on. Any
 * order of joins gives the same classes. Neither may be CLASS_FAILED. */
void class_join(int *class_id, uint32_t n, int a, int b);

int grouping_make(struct arena *a, const int *class_id, uint32_t n,
		  struct grouping *ret, struct err *e);

static inline int group_failed(const struct grouping *g, uint32_t group)
{
	return group >= g->g;
}

/* The candidate that stands for a group: its smallest H. */
static inline uint32_t group_face(const struct grouping *g, uint32_t group)
{
	return g->member[g->group[group].first];
}

/* Majority: group 0's face, also where all failed (H decides); n if there is no one. */
static inline uint32_t group_majority(const struct grouping *g)
{
	return g->groups ? group_face(g, 0) : g->n;
}

#endif
