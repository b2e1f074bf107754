/* csv.c - see csv.h */
#include "ops/csv.h"

#include "common/base/utf8.h"

static size_t put(char *to, const unsigned char *p, size_t left, size_t *ret_read)
{
	size_t n = utf8_point((const char *)p, left, NULL);

	*ret_read = n ? n : 1;
	if (n) {
		memcpy(to, p, n);
		return n;
	}
	to[0] = (char)(0xc0 | p[0] >> 6);
	to[1] = (char)(0x80 | (p[0] & 0x3f));
	return 2;
}

static struct view cell(struct csv *c, struct arena *a)
{
	const unsigned char *p = (const unsigned char *)c->text.p;
	size_t n = c->text.n, at = c->at, used;
	int quoted = at < n && p[at] == '"';
	struct view v = { NULL, 0 };
	char *to;
	size_t end = at + (size_t)quoted;

	while (end < n &&
	       (quoted ? p[end] != '"' || (end + 1 < n && p[end + 1] == '"' && ++end)
		       : p[end] != ',' && p[end] != '\n'))
		end++;
	v.p = to = arena_alloc(a, 2 * (end - at) + 1, 1);
	for (size_t i = at + (size_t)quoted; to && i < end; i += used) {
		v.n += put(to + v.n, p + i, end - i, &used);
		if (quoted && p[i] == '"')
			used = 2;
	}
	c->at = end + (size_t)(quoted && end < n);
	while (quoted && c->at < n && p[c->at] != ',' && p[c->at] != '\n')
		c->at++;
	while (!quoted && v.n && v.p[v.n - 1] == '\r')
		v.n--;
	return v;
}

int csv_row(struct csv *c, struct arena *a, struct view ret[CSV_CELLS])
{
	int n = 0;

	if (c->at >= c->text.n)
		return -1;
	for (;;) {
		struct view v = cell(c, a);

		if (n < CSV_CELLS)
			ret[n++] = v;
		if (c->at >= c->text.n || c->text.p[c->at] == '\n')
			break;
		c->at++;
	}
	c->at++;
	return n;
}
