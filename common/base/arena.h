/* arena.h - memory that is freed all at once
 *
 * One attempt, one loaded file, one question: whatever is made for it goes into its
 * arena and dies with it, so "did it leak?" is not a question.
 *
 * Memory:  a pointer lives until arena_free(). Alignment is that of max_align_t.
 * Errors:  NULL when memory is out.
 * Threads: one at a time.
 */
#ifndef ARENA_H
#define ARENA_H

#include "common/base/view.h"

#include <stddef.h>

struct arena {
	struct arena_block *block; /* newest first */
	size_t used;               /* bytes handed out in the newest block */
	size_t total;              /* bytes asked of malloc */
	int bad;                   /* 1: some allocation failed since arena_free() */
};

void *arena_alloc(struct arena *a, size_t n, size_t size); /* zeroed */
char *arena_dup(struct arena *a, const void *p, size_t n); /* with a NUL behind */
char *arena_str(struct arena *a, const char *s);
struct view arena_view(struct arena *a, struct view v); /* p NULL when memory is out */
void arena_reset(struct arena *a); /* empty, but keeps its newest block for next time */
void arena_free(struct arena *a);  /* empty, ready for use again */

#endif
