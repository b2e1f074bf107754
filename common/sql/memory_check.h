/* memory_check.h - a memory that a model wrote, held against the SQL and the schema
 *
 * What the SQL does not have is refused: a key whose construct is not in it, a join
 * type, operator, function, direction, limit or keyword that it does not use, another
 * shape of the result, a condition or grouping on a column that it does not read. So is
 * every column that the schema does not have. What is left is written in the shape of
 * memory.h, in its order, columns spelled table.column (an alias of the SQL becomes its
 * table). extra_keywords gets an entry for each construct that the model left out.
 *
 * A key that lost its name is known by its fields, a field that is the only one of its
 * key may stand without its name.
 *
 * Errors: ERR_VALUE: the SQL holds no SELECT, or nothing of the answer stands;
 *         ERR_NOMEM.
 */
#ifndef MEMORY_CHECK_H
#define MEMORY_CHECK_H

#include "common/sql/loose_json.h"
#include "common/sql/memory.h"

#include <stdint.h>

struct memory_counts {
	uint32_t refused[MEMORY_KEY_COUNT]; /* 1: the key, whole */
	uint32_t dropped[MEMORY_KEY_COUNT]; /* parts of a key that stayed, or not */
	uint32_t unknown;                   /* members that are none of the nine keys */
	uint32_t added; /* entries of extra_keywords that the model left out */
};

int memory_check(const struct schema *s, struct view sql, const struct loose *answer,
		 struct buf *ret_json, struct memory_counts *ret, struct err *e);

/* The constructs outside the nine keys' own, as a prompt lists them: UNION, ROUND. */
int memory_constructs(const struct schema *s, struct view sql, struct buf *ret);

#endif
