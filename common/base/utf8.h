/* utf8.h - text of which nobody promised that it is UTF-8
 *
 * Databases hold Latin-1, servers cut texts in the middle of a character, JSON takes
 * neither. A byte that begins no code point counts as one character.
 *
 * Threads: pure.
 * Source:  RFC 3629, section 4.
 */
#ifndef UTF8_H
#define UTF8_H

#include "common/base/buf.h"

/* Bytes of the code point at p, or 0: none begins there. n > 0. */
size_t utf8_point(const char *p, size_t n);

/* The first `chars` characters of v, and how many there are in all. */
struct view utf8_prefix(struct view v, size_t chars);
size_t utf8_length(struct view v);

/* Adds v with U+FFFD in place of each byte that is wrong. */
void utf8_mend(struct buf *b, struct view v);

#endif
