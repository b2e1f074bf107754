/* utf8.c - see utf8.h */
#include "common/base/utf8.h"

static int tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

static size_t next_2(const unsigned char *p, uint32_t *ret)
{
	*ret = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
	return tail(p[1]) && p[0] >= 0xc2 ? 2 : 0;
}

static size_t next_3(const unsigned char *p, uint32_t *ret)
{
	uint32_t u = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 |
		     (p[2] & 0x3f);

	*ret = u;
	if (!tail(p[1]) || !tail(p[2]) || u < 0x800 || (u >= 0xd800 && u <= 0xdfff))
		return 0;
	return 3;
}

static size_t next_4(const unsigned char *p, uint32_t *ret)
{
	uint32_t u = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
		     (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);

	*ret = u;
	if (!tail(p[1]) || !tail(p[2]) || !tail(p[3]) || u < 0x10000 || u > 0x10ffff)
		return 0;
	return 4;
}

size_t utf8_point(const char *s, size_t n, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t unread;

	if (!ret)
		ret = &unread;
	if (n == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret = p[0];
		return 1;
	}
	if (p[0] < 0xe0)
		return n < 2 ? 0 : next_2(p, ret);
	if (p[0] < 0xf0)
		return n < 3 ? 0 : next_3(p, ret);
	return n < 4 || p[0] > 0xf4 ? 0 : next_4(p, ret);
}

static size_t step(struct view v, size_t at)
{
	size_t len = utf8_point(v.p + at, v.n - at, NULL);

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

struct view utf8_cut(struct view v, size_t bytes)
{
	size_t n = v.n < bytes ? v.n : bytes;

	while (n && n < v.n && tail((unsigned char)v.p[n]))
		n--;
	return (struct view){ v.p, n };
}

void utf8_mend(struct buf *b, struct view v)
{
	size_t from = 0, at = 0;

	while (at < v.n) {
		size_t len = utf8_point(v.p + at, v.n - at, NULL);

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

/* How many bytes from `at` on are plain ASCII, eight at a time: most text is. */
static size_t ascii_run(struct view t, size_t at)
{
	size_t from = at;
	uint64_t w;

	for (; at + 8 <= t.n; at += 8) {
		memcpy(&w, t.p + at, 8);
		if (w & 0x8080808080808080u)
			break;
	}
	while (at < t.n && (unsigned char)t.p[at] < 0x80)
		at++;
	return at - from;
}

int utf8_valid(struct view t)
{
	size_t at = 0;

	while ((at += ascii_run(t, at)) < t.n) {
		size_t k = utf8_point(t.p + at, t.n - at, NULL);

		if (!k)
			return 0;
		at += k;
	}
	return 1;
}

size_t utf8_ignore(struct view t, char *to)
{
	size_t kept = 0;

	for (size_t at = 0; at < t.n;) {
		size_t k = utf8_point(t.p + at, t.n - at, NULL);

		if (k)
			memmove(to + kept, t.p + at, k);
		kept += k;
		at += k ? k : 1;
	}
	return kept;
}
