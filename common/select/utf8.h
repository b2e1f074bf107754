/* utf8.h - text as Python's UTF-8 decoder has it
 *
 * Valid means no overlong form, no surrogate, nothing above U+10FFFF.
 */
#ifndef UTF8_H
#define UTF8_H

#include "common/base/view.h"

#include <stdint.h>

int utf8_valid(struct view text); /* 1 or 0 */

/* Copies the valid sequences to `to` (room for text.n bytes) and drops the rest, as
 * errors="ignore"; gives how many bytes were kept. */
size_t utf8_ignore(struct view text, char *to);

/* Bytes of the valid sequence that `p` begins with, at most n; 0 if there is none.
 * `ret` its code point. */
size_t utf8_next(const char *p, size_t n, uint32_t *ret);

#endif
