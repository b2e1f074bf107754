/* buf.c - see buf.h */
#include "common/base/buf.h"

#include "common/base/err.h"
#include "common/base/mem.h"

#include <stdio.h>

static int fits(struct buf *b, size_t n)
{
	size_t max = b->max ? b->max : (size_t)1 << 30, cap = b->cap ? b->cap : 64;
	char *p;

	if (b->bad)
		return 0;
	if (n > max || b->n > max - n) {
		b->bad = ERR_LIMIT;
		return 0;
	}
	if (b->p && b->n + n + 1 <= b->cap)
		return 1;
	while (cap < b->n + n + 1)
		cap *= 2;
	p = mem_resize(b->p, cap, 1);
	if (!p) {
		b->bad = ERR_NOMEM;
		return 0;
	}
	b->p = p;
	b->cap = cap;
	return 1;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (!fits(b, n))
		return;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !fits(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	b->bad = 0;
	if (b->p)
		b->p[0] = '\0';
}

void buf_free(struct buf *b)
{
	if (!b)
		return;
	mem_free(b->p);
	*b = (struct buf){ .max = b->max };
}

char *buf_take(struct buf *b, size_t *ret_n)
{
	char *p;

	buf_add(b, "", 0);
	if (b->bad)
		return NULL;
	p = b->p;
	if (ret_n)
		*ret_n = b->n;
	*b = (struct buf){ .max = b->max };
	return p;
}
