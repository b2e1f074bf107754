/* predfile.h - the prediction file that a benchmark's own script reads
 *
 * Line formats drop or misplace blank lines, so an item is never blank: SELECT NULL
 * where nothing was chosen, and for a chosen text without a statement a query that
 * returns the same no rows.
 *
 * Errors: the buffer's, sticky.
 */
#ifndef PREDFILE_H
#define PREDFILE_H

#include "common/base/buf.h"
#include "proto/sweep.h"

struct prediction {
	uint32_t at;    /* place in the file, from 0 */
	struct view id; /* as JSON text */
	struct view db;
	struct view sql;
	int chosen; /* 0: there is none, and sql does not count */
};

/* The format is that of the rule a benchmark is named after. */
const char *predfile_name(enum rule r); /* predict_dev.json */
void predfile_add(enum rule r, struct buf *b, const struct prediction *p);
void predfile_end(enum rule r, struct buf *b);

#endif
