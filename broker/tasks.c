/* tasks.c - chunks of structs, and an open-addressing table of their numbers */
#include "broker/tasks.h"

#include "broker/specs.h"
#include "common/base/mem.h"

#include <assert.h>

enum { CHUNK = 1024, FIRST_SLOTS = 1024 };

struct tasks {
	struct task **chunk;
	uint32_t chunks, most; /* most: numbers handed out so far, plus 1 */
	uint32_t free;         /* first unused number, linked by next; 0: none */
	uint32_t count;
	uint32_t *slot, slots; /* a power of two */
	struct specs *specs;
};

struct tasks *tasks_new(void)
{
	struct tasks *t = mem_alloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->most = 1;
	t->slots = FIRST_SLOTS;
	t->slot = mem_alloc(t->slots, sizeof *t->slot);
	t->specs = specs_new();
	if (!t->slot || !t->specs)
		tasks_free(&t);
	return t;
}

struct task *tasks_at(const struct tasks *t, uint32_t number)
{
	assert(number && number < t->most);
	return &t->chunk[number / CHUNK][number % CHUNK];
}

static struct view spec_of(const struct tasks *t, const struct task *k)
{
	return (struct view){ specs_at(t->specs, k->spec), k->spec_n };
}

struct view tasks_spec(const struct tasks *t, uint32_t number)
{
	return spec_of(t, tasks_at(t, number));
}

int tasks_live(const struct tasks *t, uint32_t number)
{
	return tasks_at(t, number)->spec != NO_SPEC;
}

static void forget(struct tasks *t, struct task *k)
{
	if (k->state == TASK_DONE || k->state == TASK_FAILED)
		mem_free(k->output);
	specs_remove(t->specs, k->spec, k->spec_n);
	k->spec = NO_SPEC;
}

void tasks_free(struct tasks **tp)
{
	struct tasks *t = *tp;

	if (!t)
		return;
	for (uint32_t i = 1; i < t->most; i++)
		if (tasks_live(t, i))
			forget(t, tasks_at(t, i));
	for (uint32_t i = 0; i < t->chunks; i++)
		mem_free(t->chunk[i]);
	mem_free(t->chunk);
	mem_free(t->slot);
	specs_free(&t->specs);
	mem_free(t);
	*tp = NULL;
}

/* The slot where it is, or the empty one where it would be. */
static uint32_t probe(const struct tasks *t, uint32_t hash, struct view spec)
{
	uint32_t i = hash & (t->slots - 1);

	for (; t->slot[i]; i = (i + 1) & (t->slots - 1)) {
		const struct task *k = tasks_at(t, t->slot[i]);

		if (k->hash == hash && view_eq(spec_of(t, k), spec))
			break;
	}
	return i;
}

uint32_t tasks_find(const struct tasks *t, uint32_t hash, struct view spec)
{
	return t->slot[probe(t, hash, spec)];
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

			t->slot[probe(t, k->hash, spec_of(t, k))] = old[i];
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

uint32_t tasks_add(struct tasks *t, uint32_t hash, struct view spec)
{
	uint32_t n, copy;

	assert(spec.n <= UINT16_MAX);
	if (t->count + t->count / 2 >= t->slots && !grow_table(t))
		return NO_TASK;
	copy = specs_add(t->specs, spec);
	if (copy == NO_SPEC)
		return NO_TASK;
	n = take_number(t);
	if (n == NO_TASK) {
		specs_remove(t->specs, copy, (uint16_t)spec.n);
		return NO_TASK;
	}
	*tasks_at(t, n) =
		(struct task){ .hash = hash, .spec = copy, .spec_n = (uint16_t)spec.n };
	t->slot[probe(t, hash, spec)] = n;
	t->count++;
	return n;
}

/* Linear probing without tombstones: what follows in the run moves up if it may. */
static void close_gap(struct tasks *t, uint32_t gap)
{
	uint32_t mask = t->slots - 1;

	for (uint32_t i = (gap + 1) & mask; t->slot[i]; i = (i + 1) & mask) {
		uint32_t home = tasks_at(t, t->slot[i])->hash & mask;

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
	uint32_t at = probe(t, k->hash, spec_of(t, k));

	assert(t->slot[at] == number);
	close_gap(t, at);
	t->count--;
	forget(t, k);
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
	       (uint64_t)t->slots * sizeof *t->slot + specs_memory(t->specs);
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
