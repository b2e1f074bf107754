/* view.h - bytes that somebody else owns
 *
 * A view is lent: it lives as long as what it points into, which the function that
 * gives one says. It need not end in NUL and may hold any byte.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stddef.h>
#include <string.h>

struct view {
	const char *p;
	size_t n; /* bytes */
};

static inline struct view view_of(const char *s)
{
	return (struct view){ s, s ? strlen(s) : 0 };
}

static inline int view_eq(struct view a, struct view b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

#define VIEW_SPACE " \t\n\v\f\r"

/* Without the characters of `set` at both ends. NUL is never one of them. */
static inline struct view view_trim(struct view v, const char *set)
{
	while (v.n && v.p[0] && strchr(set, v.p[0]))
		v = (struct view){ v.p + 1, v.n - 1 };
	while (v.n && v.p[v.n - 1] && strchr(set, v.p[v.n - 1]))
		v.n--;
	return v;
}

/* What stands behind the last `mark`: all where there is none. */
static inline struct view view_behind(struct view v, const char *mark)
{
	size_t n = strlen(mark);

	for (size_t i = v.n; i >= n; i--)
		if (memcmp(v.p + i - n, mark, n) == 0)
			return (struct view){ v.p + i, v.n - i };
	return v;
}

/* As memcmp, a shorter prefix first. */
static inline int view_cmp(struct view a, struct view b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

#endif
