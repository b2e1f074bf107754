/* meanrank.h - what several passes say together
 *
 * The mean of a candidate's or group's rank over the passes; void and failed passes are
 * left out by the caller, by not being among the lines. A group's rank in a pass is its
 * best member's place among groups.
 *
 * Shapes: ranks are lines, one per pass, of n doubles (candidates) or g (groups), from
 *         1. Failed candidates have no rank: their entries are 0 and not looked at.
 * Units:  means are rounded to 2^-20 (round.h).
 * Source: Jeong et al., arXiv 2609.00834.
 */
#ifndef MEANRANK_H
#define MEANRANK_H

#include "common/select/group.h"

/* One pass: rank of each of the g groups from the ranks of the candidates. */
void meanrank_groups(const struct grouping *g, const double *rank, double *ret);

/* ret[i]: the mean over the passes of line[i]; with no pass all are (n+1)/2, a tie. */
void meanrank_over(const double *rank, uint32_t passes, uint32_t n, double *ret);

/* The two whose ranks are compared. Equal means: the smaller group number, then the
 * smaller candidate. `b` is the best of another group; UINT32_MAX where there is none.
 */
struct leaders {
	uint32_t a, b;
};

struct leaders meanrank_lead_groups(const double *mean, uint32_t g); /* g >= 1 */
struct leaders meanrank_lead_candidates(const struct grouping *g, const double *mean);

/* The same for a group that something else has chosen: its best, and its best rival. */
struct leaders meanrank_beside_group(const double *mean, uint32_t g, uint32_t group);
struct leaders meanrank_beside_candidates(const struct grouping *g, const double *mean,
					  uint32_t group);

/* The best candidate of a group. */
uint32_t meanrank_best_of(const struct grouping *g, const double *mean, uint32_t group);

#endif
