/* cell.h - one value of a result, and how it crosses a process
 *
 * SQLite's five kinds. Text is bytes as they came: it may hold NUL and need not be
 * valid UTF-8. A value that was cut for a preview keeps the size it had.
 *
 * Shapes:  msgpack nil, integer, float64, str (text, raw bytes), bin (blob); a cut text
 *          or blob is [str or bin, bytes of the whole].
 * Memory:  text and blob are lent.
 */
#ifndef CELL_H
#define CELL_H

#include "common/base/buf.h"
#include "common/base/cursor.h"
#include "common/base/view.h"

#include <stdint.h>

enum cell_type { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT, CELL_BLOB };

struct cell {
	enum cell_type type;
	union {
		int64_t i;
		double d;
		struct view v;
	};
	uint64_t whole; /* bytes before the cut; 0: not cut */
};

/* Equal as Python has it: 1 == 1.0 compared exactly, -0.0 == 0.0, NULL == NULL, text is
 * never a number and a blob never text. */
int cell_eq(const struct cell *a, const struct cell *b);

/* A double that is a whole number of int64's range becomes that CELL_INT: equal numbers
 * are then equal bit for bit. Other cells come back as they are. */
struct cell cell_plain(const struct cell *c);

void cell_pack(const struct cell *c, struct buf *b);
struct cell cell_take(struct cursor *c); /* errors: the cursor's */

#endif
