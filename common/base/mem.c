/* mem.c - see mem.h */
#include "common/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int countdown = -1;
static _Thread_local int hit;

void mem_fail_after(int n)
{
	countdown = n;
	hit = 0;
}

int mem_fault_hit(void)
{
	return hit;
}

static int fails_now(void)
{
	if (countdown < 0 || countdown-- > 0)
		return 0;
	return hit = 1;
}

void *mem_alloc(size_t n, size_t size)
{
	return fails_now() ? NULL : calloc(n, size);
}

void *mem_resize(void *p, size_t n, size_t size)
{
	if (fails_now() || (size && n > SIZE_MAX / size))
		return NULL;
	return realloc(p, n * size);
}

char *mem_dup(const void *p, size_t n)
{
	char *s = mem_alloc(n + 1, 1);

	if (s && n)
		memcpy(s, p, n);
	return s;
}

void mem_free(void *p)
{
	free(p);
}
