/* specs.h - bytes of specs, close together
 *
 * A heap of its own for what is many, short and of few lengths: no header a piece, no
 * rounding but to 4 bytes, and a name of 4 bytes instead of a pointer. A freed piece is
 * taken again for the next of its length; when none is left, the blocks go back.
 *
 * Invariants: a piece does not move and does not straddle two blocks.
 * Memory:     the bytes, up to 3 more, and what is left unused behind the last piece of
 *             a block: less than 1 in 1000 for pieces under 128 bytes.
 * Errors:     NO_SPEC when memory is out, or all 16 GiB that can be named.
 * Threads:    one.
 */
#ifndef SPECS_H
#define SPECS_H

#include "common/base/view.h"

#include <stdint.h>

enum { NO_SPEC = 0 };

struct specs; /* opaque */

struct specs *specs_new(void); /* NULL: out of memory */
void specs_free(struct specs **s);

/* At most UINT16_MAX bytes. The caller remembers how many there are. */
uint32_t specs_add(struct specs *s, struct view bytes);
const char *specs_at(const struct specs *s, uint32_t spec);
void specs_remove(struct specs *s, uint32_t spec, uint16_t n);
uint64_t specs_memory(const struct specs *s);

#endif
