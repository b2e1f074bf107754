/* candidate.h - what a model is shown: a question, and a candidate with its result
 *
 * Two blobs that planners make and workers fill templates with. A candidate's holds the
 * SQL and what executing it gave, cut as exec cuts it; the template's rendering cuts
 * further. It holds no index, source or vote: those never reach a judge.
 *
 * Memory: after decoding, arrays are in the arena and views in the bytes.
 */
#ifndef CANDIDATE_BLOB_H
#define CANDIDATE_BLOB_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "proto/exec_out.h"

struct shown {
	struct view sql;
	enum status status;
	struct view note; /* of a failed one: SQLite's text */
	uint64_t rows;
	uint32_t cols;
	struct view *name; /* of columns */
	uint32_t preview_rows;
	struct view *cell; /* printed; p NULL is NULL */
};

/* From an execution, or (NULL) of a candidate that abstains. */
void shown_encode(struct view sql, const struct exec_out *out, struct buf *ret);
int shown_decode(struct view bytes, struct arena *a, struct shown *ret); /* ERR_PROTO */

struct asked_question {
	struct view text, evidence;
};

void asked_question_encode(const struct asked_question *q, struct buf *ret);
int asked_question_decode(struct view bytes,
			  struct asked_question *ret); /* ERR_PROTO */

#endif
