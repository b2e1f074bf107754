/* learntell.h - what a sweep of memories came to: its records, and a summary of them
 *
 * Memory: records are views into what learned_free() ends.
 * Errors: ERR_STORE: the journal cannot be read, or has no record of a question.
 */
#ifndef LEARNTELL_H
#define LEARNTELL_H

#include "common/base/err.h"
#include "ops/options.h"
#include "proto/learnt.h"
#include "proto/sweep.h"
#include "proto/usage.h"
#include "worker/bank_make.h"

struct learned {
	struct arena arena;
	struct learnt *v; /* [sweep->nq] */
	/* Of this sweep's model and embedder, whenever they were asked: */
	uint64_t memories, memory_us, slowest_us; /* of tasks that ask for a memory */
	uint64_t calls, wasted_calls;             /* answered; and in vain */
	struct usage usage;
};

int learned_read(const struct sweep *s, int64_t sweep, struct learned *ret,
		 struct err *e);
void learned_free(struct learned *l);

/* To stdout, as text or (--json) as one document. */
int learntell(struct options *o, const struct sweep *s, const struct learned *l,
	      const struct bank_made *made);

#endif
