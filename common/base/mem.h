/* mem.h - malloc with a place to fail on purpose
 *
 * The project's own allocations go through these, so that a test can make the n-th
 * one fail. Libraries keep their own allocators.
 *
 * Threads: as safe as malloc and free; the fault counter is the calling thread's.
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>

void *mem_alloc(size_t n, size_t size); /* zeroed; NULL on failure or overflow */
void *mem_resize(void *p, size_t n, size_t size); /* NULL on failure: p is as it was */
char *mem_dup(const void *p, size_t n);           /* n bytes and a NUL behind them */
void mem_free(void *p);

/* Tests only: let `n` more allocations pass, fail the next one, then pass again.
 * A negative n disarms. mem_fault_hit() says whether the fault was taken. */
void mem_fail_after(int n);
int mem_fault_hit(void);

#endif
