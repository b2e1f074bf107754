/* utf8.c - see utf8.h */
#include "common/base/utf8.h"

static size_t length_by_first(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
static int second_fits(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0: return second >= 0xa0;
	case 0xed: return second <= 0x9f;
	case 0xf0: return second >= 0x90;
	case 0xf4: return second <= 0x8f;
	default: return 1;
	}
}

size_t utf8_point(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t len = length_by_first(u[0]);

	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	return len < 2 || second_fits(u[0], u[1]) ? len : 0;
}

static size_t step(struct view v, size_t at)
{
	size_t len = utf8_point(v.p + at, v.n - at);

	return len ? len : 1;
}

struct view utf8_prefix(struct view v, size_t chars)
{
	size_t at = 0;

	while (at < v.n && chars--)
		at += step(v, at);
	return (struct view){ v.p, at };
}

size_t utf8_length(struct view v)
{
	size_t at = 0, chars = 0;

	for (; at < v.n; chars++)
		at += step(v, at);
	return chars;
}

void utf8_mend(struct buf *b, struct view v)
{
	size_t from = 0, at = 0;

	while (at < v.n) {
		size_t len = utf8_point(v.p + at, v.n - at);

		if (len) {
			at += len;
			continue;
		}
		buf_add(b, v.p + from, at - from);
		buf_add_str(b, "\xef\xbf\xbd");
		from = ++at;
	}
	buf_add(b, v.n ? v.p + from : "", v.n - from);
}
