/* arena.c - blocks that double, newest first */
#include "common/base/arena.h"

#include "common/base/mem.h"

#include <stdalign.h>
#include <stdint.h>

enum { FIRST = 1024, LARGEST = 1 << 20 };

struct arena_block {
	struct arena_block *next;
	size_t cap;
	alignas(max_align_t) char bytes[];
};

static int grow(struct arena *a, size_t n)
{
	size_t cap = a->block ? a->block->cap * 2 : FIRST;
	struct arena_block *b;

	if (cap > LARGEST)
		cap = LARGEST;
	if (cap < n)
		cap = n;
	b = mem_alloc(1, sizeof *b + cap);
	if (!b)
		return 0;
	b->next = a->block;
	b->cap = cap;
	a->block = b;
	a->used = 0;
	a->total += sizeof *b + cap;
	return 1;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t align = alignof(max_align_t), bytes;
	void *p;

	if (size && n > (SIZE_MAX / 2) / size) {
		a->bad = 1;
		return NULL;
	}
	bytes = (n * size + align - 1) / align * align;
	if (!a->block || a->block->cap - a->used < bytes)
		if (!grow(a, bytes)) {
			a->bad = 1;
			return NULL;
		}
	p = a->block->bytes + a->used;
	a->used += bytes;
	return p;
}

char *arena_dup(struct arena *a, const void *p, size_t n)
{
	char *s = arena_alloc(a, n + 1, 1);

	if (s && n)
		memcpy(s, p, n);
	return s;
}

char *arena_str(struct arena *a, const char *s)
{
	return arena_dup(a, s, strlen(s));
}

struct view arena_view(struct arena *a, struct view v)
{
	return (struct view){ arena_dup(a, v.p, v.n), v.n };
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = a->block;
	struct arena rest = { .block = keep ? keep->next : NULL };

	arena_free(&rest);
	if (!keep)
		return;
	memset(keep->bytes, 0, a->used); /* what is handed out is zeroed */
	keep->next = NULL;
	*a = (struct arena){ .block = keep, .total = sizeof *keep + keep->cap };
}

void arena_free(struct arena *a)
{
	while (a->block) {
		struct arena_block *b = a->block;

		a->block = b->next;
		mem_free(b);
	}
	*a = (struct arena){ 0 };
}
