/* tasks.h - the tasks that somebody wants, in memory
 *
 * A pool of small structs with stable numbers, found by what they are (their spec), and
 * lists of them: a task is in one list at a time, by its `next` and `prev`.
 *
 * Invariants: (1) two live tasks never have equal specs; (2) a number is not used again
 *             while `refs` or a list holds it; (3) a task with an output is in no list.
 * Memory:     56 bytes, the spec to the next 4, and 6 to 12 for the table. `output` is
 *             the task's own. A spec does not move while its task lives.
 * Threads:    one.
 */
#ifndef TASKS_H
#define TASKS_H

#include "common/base/hash.h"
#include "proto/task.h"

enum { NO_TASK = 0 }; /* task numbers count from 1 */

enum task_state {
	TASK_LOOKING,
	TASK_READY,
	TASK_LEASED,
	TASK_WAITING,
	TASK_DROPPED,
	TASK_DONE,
	TASK_FAILED,
};

struct task {
	uint64_t id; /* in the journal; 0: not known yet */
	union {
		uint64_t due_ms; /* LEASED: deadline; WAITING: when */
		char *output;    /* DONE: output; FAILED: text */
	};
	uint32_t hash; /* of its key, for tables */
	uint32_t spec; /* tasks_spec() */
	uint32_t next;
	union {
		uint32_t prev;
		uint32_t output_n; /* DONE, FAILED */
	};
	uint32_t waits; /* first of the units that wait for it; 0: none */
	uint32_t attempt;
	uint32_t refs; /* questions that hold it */
	uint32_t peer; /* LEASED: to whom; DONE, FAILED: who brought it */
	uint16_t spec_n;
	uint8_t kind, failures, deaths, roles, code;
	uint8_t state : 3, spent : 1; /* spent: `attempt` has failed, and said so */
	uint8_t rests : 1, again : 1; /* in the core's list of tasks at rest; since then
					 it has come to rest again */
};

_Static_assert(sizeof(struct task) == 56, "the contract says so");

struct task_list {
	uint32_t first, last, n;
};

struct tasks; /* opaque */

struct tasks *tasks_new(void); /* NULL: out of memory */
void tasks_free(struct tasks **t);

struct task *tasks_at(const struct tasks *t, uint32_t number);
struct view tasks_spec(const struct tasks *t, uint32_t number);
uint32_t tasks_find(const struct tasks *t, uint32_t hash,
		    struct view spec); /* NO_TASK */
uint32_t tasks_add(struct tasks *t, uint32_t hash,
		   struct view spec);                /* NO_TASK: memory */
void tasks_remove(struct tasks *t, uint32_t number); /* in no list */
uint32_t tasks_by_id(const struct tasks *t,
		     uint64_t id); /* a scan: for rare occasions */
uint32_t tasks_count(const struct tasks *t);
uint32_t tasks_most(const struct tasks *t); /* numbers in use are below it */
int tasks_live(const struct tasks *t, uint32_t number);
uint64_t tasks_memory(const struct tasks *t);

void list_push(struct tasks *t, struct task_list *l, uint32_t number); /* at the end */
void list_push_first(struct tasks *t, struct task_list *l, uint32_t number);
void list_remove(struct tasks *t, struct task_list *l, uint32_t number);

#endif
