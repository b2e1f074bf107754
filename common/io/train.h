/* train.h - solved questions to learn from, read from a file
 *
 * One JSON object a line: {"id", "db_id", "question", "evidence", "sql"}; evidence may
 * be absent, "query" and "SQL" stand for "sql", "question_id" for "id"; without either
 * the line's number (from 0) is the id. Other fields are ignored. A file that is one
 * JSON array of such objects is read too.
 *
 * Memory: items live until train_free().
 * Errors: ERR_INPUT names file, line and column; ERR_STORE, ERR_NOMEM.
 */
#ifndef TRAIN_H
#define TRAIN_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/hash.h"

#include <stdint.h>

struct train_item {
	struct view id; /* as JSON text: 12, or "x" with its quotes */
	struct view db_id, question, evidence, sql;
};

struct train {
	struct arena arena;
	struct train_item *item;
	uint32_t n;
	uint32_t skipped; /* malformed lines passed over */
	struct hash hash; /* of the file's bytes */
};

/* `skip_bad`: pass over malformed lines and count them. */
int train_read(const char *path, int skip_bad, struct train *ret, struct err *e);
void train_free(struct train *t); /* NULL-safe */

#endif
