/* items.c - the lists of items.h, and what a file is by its looks */
#include "ops/items.h"

#include "ops/textfile.h"

#include <ctype.h>

/* Arenas do not resize; doubling costs at most as much again. */
static void *grown(struct arena *a, const void *old, uint32_t n, uint32_t *cap,
		   size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 8;
	void *p = arena_alloc(a, more, size);

	if (!p)
		return NULL;
	if (n)
		memcpy(p, old, n * size);
	*cap = more;
	return p;
}

struct item *items_add(struct items *l, struct arena *a)
{
	if (l->n == l->cap) {
		struct item *v = grown(a, l->v, l->n, &l->cap, sizeof *v);

		if (!v)
			return NULL;
		l->v = v;
	}
	return &l->v[l->n++];
}

struct candidate *item_add(struct item *i, struct arena *a)
{
	if (i->n == i->cap) {
		struct candidate *v = grown(a, i->cand, i->n, &i->cap, sizeof *v);

		if (!v)
			return NULL;
		i->cand = v;
	}
	return &i->cand[i->n++];
}

struct answer *answers_add(struct answers *l, struct arena *a)
{
	if (l->n == l->cap) {
		struct answer *v = grown(a, l->v, l->n, &l->cap, sizeof *v);

		if (!v)
			return NULL;
		l->v = v;
	}
	return &l->v[l->n++];
}

/* JSONL is a file whose first line that is not blank is an object that ends there. */
static int one_line_object(struct view v)
{
	const char *nl = memchr(v.p, '\n', v.n);
	size_t n = nl ? (size_t)(nl - v.p) : v.n;

	while (n && isspace((unsigned char)v.p[n - 1]))
		n--;
	return n > 1 && v.p[n - 1] == '}' && memchr(v.p, '"', n);
}

enum file_shape file_shape(const struct textfile *f)
{
	struct view v = f->text;

	while (v.n && isspace((unsigned char)v.p[0]))
		v.p++, v.n--;
	if (!v.n)
		return SHAPE_EMPTY;
	if (v.p[0] == '[')
		return SHAPE_ARRAY;
	if (v.p[0] != '{')
		return SHAPE_TEXT;
	return one_line_object(v) ? SHAPE_JSONL : SHAPE_OBJECT;
}
