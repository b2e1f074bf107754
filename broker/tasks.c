/* tasks.c - chunks of structs, and an open-addressing table of their numbers */
#include "broker/tasks.h"

#include "common/base/mem.h"

#include <assert.h>

enum { CHUNK = 1024, FIRST_SLOTS = 1024 };

struct tasks {
	struct task **chunk;
	uint32_t chunks, most; /* most: numbers handed out so far, plus 1 */
	uint32_t free;         /* first unused number, linked by next; 0: none */
	uint32_t count;
	uint32_t *slot, slots; /* a power of two */
	uint64_t bytes;        /* of specs */
};

struct tasks *tasks_new(void)
{
	struct tasks *t = mem_alloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->most = 1;
	t->slots = FIRST_SLOTS;
	t->slot = mem_alloc(t->slots, sizeof *t->slot);
	if (!t->slot)
		tasks_free(&t);
	return t;
}

struct task *tasks_at(const struct tasks *t, uint32_t number)
{
	assert(number && number < t->most);
	return &t->chunk[number / CHUNK][number % CHUNK];
}

int tasks_live(const struct tasks *t, uint32_t number)
{
	return tasks_at(t, number)->spec != NULL;
}

static void forget(struct task *k)
{
	if (k->state == TASK_DONE || k->state == TASK_FAILED)
		mem_free(k->output);
	mem_free(k->spec);
	k->spec = NULL;
}

void tasks_free(struct tasks **tp)
{
	struct tasks *t = *tp;

	if (!t)
		return;
	for (uint32_t i = 1; i < t->most; i++)
		if (tasks_live(t, i))
			forget(tasks_at(t, i));
	for (uint32_t i = 0; i < t->chunks; i++)
		mem_free(t->chunk[i]);
	mem_free(t->chunk);
	mem_free(t->slot);
	mem_free(t);
	*tp = NULL;
}

/* The slot where it is, or the empty one where it would be. */
static uint32_t probe(const struct tasks *t, uint64_t key64, struct view spec)
{
	uint32_t i = (uint32_t)key64 & (t->slots - 1);

	for (; t->slot[i]; i = (i + 1) & (t->slots - 1)) {
		const struct task *k = tasks_at(t, t->slot[i]);

		if (k->key64 == key64 && k->spec_n == spec.n &&
		    memcmp(k->spec, spec.p, spec.n) == 0)
			break;
	}
	return i;
}

uint32_t tasks_find(const struct tasks *t, uint64_t key64, struct view spec)
{
	return t->slot[probe(t, key64, spec)];
}

static int grow_table(struct tasks *t)
{
	uint32_t *old = t->slot, slots = t->slots, *bigger;

	bigger = mem_alloc((size_t)slots * 2, sizeof *bigger);
	if (!bigger)
		return 0;
	t->slot = bigger;
	t->slots = slots * 2;
	for (uint32_t i = 0; i < slots; i++)
		if (old[i]) {
			const struct task *k = tasks_at(t, old[i]);
			struct view spec = { k->spec, k->spec_n };

			t->slot[probe(t, k->key64, spec)] = old[i];
		}
	mem_free(old);
	return 1;
}

static int grow_pool(struct tasks *t)
{
	struct task **chunk = mem_resize(t->chunk, t->chunks + 1, sizeof *chunk);

	if (!chunk)
		return 0;
	t->chunk = chunk;
	chunk[t->chunks] = mem_alloc(CHUNK, sizeof **chunk);
	if (!chunk[t->chunks])
		return 0;
	t->chunks++;
	return 1;
}

static uint32_t take_number(struct tasks *t)
{
	uint32_t n = t->free;

	if (n) {
		t->free = tasks_at(t, n)->next;
		return n;
	}
	if (t->most >= t->chunks * CHUNK && !grow_pool(t))
		return NO_TASK;
	return t->most++;
}

uint32_t tasks_add(struct tasks *t, uint64_t key64, struct view spec)
{
	uint32_t n;
	struct task *k;
	char *copy;

	assert(spec.n <= UINT16_MAX);
	if (t->count + t->count / 2 >= t->slots && !grow_table(t))
		return NO_TASK;
	copy = mem_dup(spec.p, spec.n);
	n = copy ? take_number(t) : NO_TASK;
	if (n == NO_TASK) {
		mem_free(copy);
		return NO_TASK;
	}
	k = tasks_at(t, n);
	*k = (struct task){ .key64 = key64, .spec = copy, .spec_n = (uint16_t)spec.n };
	t->slot[probe(t, key64, spec)] = n;
	t->count++;
	t->bytes += spec.n + 1;
	return n;
}

/* Linear probing without tombstones: what follows in the run moves up if it may. */
static void close_gap(struct tasks *t, uint32_t gap)
{
	uint32_t mask = t->slots - 1;

	for (uint32_t i = (gap + 1) & mask; t->slot[i]; i = (i + 1) & mask) {
		uint32_t home = (uint32_t)tasks_at(t, t->slot[i])->key64 & mask;

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		t->slot[gap] = t->slot[i];
		gap = i;
	}
	t->slot[gap] = NO_TASK;
}

void tasks_remove(struct tasks *t, uint32_t number)
{
	struct task *k = tasks_at(t, number);
	struct view spec = { k->spec, k->spec_n };
	uint32_t at = probe(t, k->key64, spec);

	assert(t->slot[at] == number);
	close_gap(t, at);
	t->bytes -= spec.n + 1u;
	t->count--;
	forget(k);
	k->next = t->free;
	t->free = number;
}

uint32_t tasks_by_id(const struct tasks *t, uint64_t id)
{
	for (uint32_t i = 1; id && i < t->most; i++)
		if (tasks_live(t, i) && tasks_at(t, i)->id == id)
			return i;
	return NO_TASK;
}

uint32_t tasks_count(const struct tasks *t)
{
	return t->count;
}

uint32_t tasks_most(const struct tasks *t)
{
	return t->most;
}

uint64_t tasks_memory(const struct tasks *t)
{
	return (uint64_t)t->chunks * CHUNK * sizeof(struct task) +
	       (uint64_t)t->slots * sizeof *t->slot + t->bytes;
}

void list_push(struct tasks *t, struct task_list *l, uint32_t number)
{
	struct task *k = tasks_at(t, number);

	k->next = NO_TASK;
	k->prev = l->last;
	if (l->last)
		tasks_at(t, l->last)->next = number;
	else
		l->first = number;
	l->last = number;
	l->n++;
}

void list_push_first(struct tasks *t, struct task_list *l, uint32_t number)
{
	struct task *k = tasks_at(t, number);

	k->prev = NO_TASK;
	k->next = l->first;
	if (l->first)
		tasks_at(t, l->first)->prev = number;
	else
		l->last = number;
	l->first = number;
	l->n++;
}

void list_remove(struct tasks *t, struct task_list *l, uint32_t number)
{
	struct task *k = tasks_at(t, number);

	assert(l->n > 0);
	if (k->prev)
		tasks_at(t, k->prev)->next = k->next;
	else
		l->first = k->next;
	if (k->next)
		tasks_at(t, k->next)->prev = k->prev;
	else
		l->last = k->prev;
	k->next = k->prev = NO_TASK;
	l->n--;
}
