/* attempts.h - the attempts that a worker holds, by state and by task
 *
 * Invariants: an attempt stands in the list of its state, in the order it came to that
 *             state; there is at most one of a task.
 * Memory:     intrusive: the attempts are the worker's.
 * Threads:    the loop's.
 */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include "worker/attempt.h"

enum { ATTEMPTS_BUCKETS = 1024 };

struct attempts {
	struct {
		struct attempt *first, *last;
		size_t n;
	} in[ATTEMPT_STATES];
	struct attempt *by_task[ATTEMPTS_BUCKETS];
};

void attempts_add(struct attempts *all, struct attempt *a); /* FETCHING */
void attempts_take_out(struct attempts *all, struct attempt *a);
void attempts_turn(struct attempts *all, struct attempt *a, enum attempt_state s);

struct attempt *attempts_of(struct attempts *all, uint64_t task); /* NULL: none */
size_t attempts_held(const struct attempts *all);

/* msgpack: an array of [task, number]. */
void attempts_pack(const struct attempts *all, struct buf *list);

#endif
