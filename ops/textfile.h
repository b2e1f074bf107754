/* textfile.h - a whole file of text, as people's tools leave them
 *
 * A UTF-8 byte order mark is skipped; UTF-16, UTF-32 and packed files are refused by
 * name. Lines end in LF or CRLF, and neither is part of the line.
 *
 * Memory:  text and path live in the arena.
 * Errors:  ERR_INPUT with the path and the remedy; ERR_LIMIT past TEXTFILE_BYTES.
 */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/base/view.h"

#include <stdint.h>

#define TEXTFILE_BYTES ((size_t)4 << 30)

enum { EXCERPT = 80 };

struct textfile {
	const char *path;
	struct view text;
	struct hash hash; /* of all bytes, the mark too */
};

struct line {
	struct view text;
	uint32_t number; /* from 1 */
};

int textfile_read(struct arena *a, const char *path, struct textfile *ret,
		  struct err *e);

/* The next line; *at begins with 0, and l->number with 0. Returns 0 at the end. What
 * follows the last newline is a line if it is not empty. */
int textfile_line(const struct textfile *f, size_t *at, struct line *l);

int line_is_blank(const struct line *l);

/* The first EXCERPT bytes of `text` on one line, for an error. */
const char *excerpt(struct view text, char ret[EXCERPT + 4]);

#endif
