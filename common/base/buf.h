/* buf.h - bytes that grow, with a limit they never pass
 *
 * Invariants: (1) n <= cap <= max; (2) p[n] is NUL whenever p is not NULL.
 * Memory:     the buffer owns p; buf_take() hands it over.
 * Errors:     sticky: after the first failure (no memory, or max passed) every call is
 *             a no-op and `bad` holds ERR_NOMEM or ERR_LIMIT. Ask once, at the end.
 */
#ifndef BUF_H
#define BUF_H

#include "common/base/view.h"

#include <stdarg.h>

struct buf {
	char *p;
	size_t n, cap, max; /* max 0: 1 GiB */
	int bad;
};

void buf_add(struct buf *b, const void *p, size_t n);
void buf_add_str(struct buf *b, const char *s);
void buf_add_char(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_clear(struct buf *b); /* n = 0, bad = 0; keeps the memory */
void buf_free(struct buf *b);  /* NULL-safe; ready for use again */

/* The bytes are the caller's, to be freed with mem_free(); NULL if `bad`. The buffer
 * is empty afterwards. Never NULL for an empty good buffer. */
char *buf_take(struct buf *b, size_t *ret_n);

static inline struct view buf_view(const struct buf *b)
{
	return (struct view){ b->p, b->n };
}

#endif
