/* jsonfile.h - JSON out of a text file, with the place of what is wrong
 *
 * Memory: the document is jansson's: json_decref().
 * Errors: ERR_INPUT: "FILE:LINE:COLUMN: what: first 80 bytes of the line".
 */
#ifndef JSONFILE_H
#define JSONFILE_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "ops/textfile.h"

#include <jansson.h>

int json_document(const struct textfile *f, json_t **ret, struct err *e);
int json_line(const struct textfile *f, const struct line *l, json_t **ret,
	      struct err *e);

/* Calls `each` with the object of each line that is not blank. `skip_bad`: a line that
 * is ERR_INPUT, here or to `each`, is counted in *ret_bad and passed over. */
typedef int json_line_fn(void *arg, const json_t *o, const struct line *l);
int json_lines(const struct textfile *f, int skip_bad, json_line_fn *each, void *arg,
	       uint32_t *ret_blank, uint32_t *ret_bad, struct err *e);

/* Text of string member `name`; n 0 and p "" where it is absent or null. 0 where it is
 * something else than a string. */
int json_text(const json_t *o, const char *name, struct arena *a, struct view *ret);

/* A value as compact JSON text, in the arena; p NULL when memory is out. */
struct view json_compact(const json_t *v, struct arena *a);

void json_quote(struct buf *b,
		struct view text); /* with its quotes; bad UTF-8: U+FFFD */

#endif
