/* exec_out.h - what executing one SQL gave: the output of `exec`
 *
 * A fact for ever: nothing in it depends on the machine, the load or the clock.
 *
 * Shapes:  a msgpack array of EXEC_OUT_FIELDS in the struct's order; digests as bins of
 *          16 bytes or nil; names, warnings and preview (cells row by row) as arrays.
 *          With a failed status digests are absent and rows counts what was seen.
 * Memory:  exec_out_decode() puts the arrays into the arena; views point into the bytes
 *          that were decoded.
 * Errors:  ERR_PROTO for bytes that are no exec_out; ERR_NOMEM.
 */
#ifndef EXEC_OUT_H
#define EXEC_OUT_H

#include "common/base/arena.h"
#include "common/base/cell.h"
#include "common/base/digests.h"
#include "common/base/err.h"
#include "proto/status.h"

#include <stdint.h>

enum {
	EXEC_OUT_FIELDS = 21,
	EXEC_PREVIEW_ROWS = 20,
	EXEC_PREVIEW_CHARS = 4000, /* of text and printed numbers, all rows together */
	EXEC_WARNINGS = 16,
};

struct exec_out {
	enum status status;
	struct view note;  /* the finer word, or "" */
	struct view error; /* SQLite's text, or "" */
	int64_t error_at;  /* byte offset in the SQL; -1: SQLite did not say */
	uint64_t rows, cells, nulls;
	uint64_t reals; /* which whole numbers are reals (digest.h); 0: none */
	uint64_t steps; /* of SQLite's virtual machine */
	uint32_t cols;
	int one_zero;             /* a single cell, a number equal to 0 */
	int invalid_utf8;         /* some text was not valid UTF-8 */
	int cut;                  /* the preview does not show everything */
	const struct view *names; /* cols of them */
	struct digests digests;
	const struct view *warnings; /* dqs_literal:"Colour" */
	uint32_t n_warnings;
	const struct cell *preview; /* preview_rows * cols */
	uint32_t preview_rows;
};

void exec_out_encode(const struct exec_out *o, struct buf *b);
int exec_out_decode(struct view bytes, struct exec_out *ret, struct arena *a);

#endif
