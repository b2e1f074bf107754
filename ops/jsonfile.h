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

/* Text of string member `name`; n 0 and p "" where it is absent or null. 0 where it is
 * something else than a string. */
int json_text(const json_t *o, const char *name, struct arena *a, struct view *ret);

/* A value as compact JSON text, in the arena; p NULL when memory is out. */
struct view json_compact(const json_t *v, struct arena *a);

void json_quote(struct buf *b,
		struct view text); /* with its quotes; bad UTF-8: U+FFFD */

#endif
