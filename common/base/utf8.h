/* utf8.h - text of which nobody promised that it is UTF-8
 *
 * Databases hold Latin-1, servers cut texts in the middle of a character, JSON takes
 * neither. Valid is what Python's decoder takes: no overlong form, no surrogate,
 * nothing above U+10FFFF. A byte that begins no code point counts as one character.
 *
 * Threads: pure.
 * Source:  RFC 3629, section 4.
 */
#ifndef UTF8_H
#define UTF8_H

#include "common/base/buf.h"

#include <stdint.h>

/* Bytes of the code point at p, or 0: none begins there. `ret` (if not NULL) gets the
 * code point, and anything after a 0. */
size_t utf8_point(const char *p, size_t n, uint32_t *ret);

int utf8_valid(struct view v); /* 1 or 0 */

/* The first `chars` characters of v, and how many there are in all. */
struct view utf8_prefix(struct view v, size_t chars);
size_t utf8_length(struct view v);

/* At most `bytes` bytes of v, cut between two code points. */
struct view utf8_cut(struct view v, size_t bytes);

/* Adds v with U+FFFD in place of each byte that is wrong. */
void utf8_mend(struct buf *b, struct view v);

/* Copies what is valid to `to` (room for v.n bytes) and drops the rest, as Python's
 * errors="ignore"; gives how many bytes were kept. */
size_t utf8_ignore(struct view v, char *to);

#endif
