/* csv.h - the cells of a CSV file, as RFC 4180 has them
 *
 * Quoted cells may hold commas, newlines and doubled quotes. Bytes that are no UTF-8
 * are taken as Latin-1: the descriptions that come with BIRD are in both.
 *
 * Memory: cells are in the arena.
 */
#ifndef CSV_H
#define CSV_H

#include "common/base/arena.h"

enum { CSV_CELLS = 32 }; /* of a row; more are passed over */

struct csv {
	struct view text;
	size_t at;
};

/* The next row's cells; returns how many, or -1 at the end. */
int csv_row(struct csv *c, struct arena *a, struct view ret[CSV_CELLS]);

#endif
