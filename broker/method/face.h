/* face.h - which member stands for a group before a judge
 *
 * Papers differ: the shortest SQL (XiYan-SQL), the fastest (MCS-SQL; here the one of
 * fewest VM steps, which is the same on every machine), or anyone (then smallest H).
 * What is as short or as fast is decided by H. SQL is measured as it runs, in bytes.
 */
#ifndef FACE_H
#define FACE_H

#include "broker/aggregate.h"

enum face { FACE_FIRST, FACE_SHORTEST, FACE_FASTEST };

/* The candidate that stands for `group`. */
uint32_t face_of(const struct plan *p, const struct aggregate *g, uint32_t group,
		 enum face by);

/* Those of the g groups, in the groups' order, in the plan's arena; NULL: memory. */
uint32_t *faces_of(const struct plan *p, const struct aggregate *g, enum face by);

#endif
