/* poolfile.h - writing a JSONL pool, and a pool's plain numbers */
#ifndef POOLFILE_H
#define POOLFILE_H

#include "common/base/err.h"
#include "ops/items.h"

/* Beside its place first, then moved there: never half a file. */
int pool_write(const char *path, const struct items *l, struct err *e);

struct pool_numbers {
	uint64_t questions, candidates, distinct; /* distinct: by text, per question */
	uint64_t least, most;                     /* candidates of a question */
	uint64_t databases, bare, greedy, sources;
};

int pool_count(const struct items *l, struct pool_numbers *ret);

#endif
