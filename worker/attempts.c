/* attempts.c - see attempts.h */
#include "worker/attempts.h"

#include "common/base/pack.h"

/* Task numbers count up, so their low bits spread them. */
static struct attempt **bucket_of(struct attempts *all, uint64_t task)
{
	return &all->by_task[task % ATTEMPTS_BUCKETS];
}

static void enter(struct attempts *all, struct attempt *a, enum attempt_state s)
{
	a->state_now = s;
	a->next = NULL;
	a->prev = all->in[s].last;
	*(a->prev ? &a->prev->next : &all->in[s].first) = a;
	all->in[s].last = a;
	all->in[s].n++;
}

static void leave(struct attempts *all, struct attempt *a)
{
	enum attempt_state s = a->state_now;

	*(a->prev ? &a->prev->next : &all->in[s].first) = a->next;
	*(a->next ? &a->next->prev : &all->in[s].last) = a->prev;
	all->in[s].n--;
}

void attempts_turn(struct attempts *all, struct attempt *a, enum attempt_state s)
{
	leave(all, a);
	enter(all, a, s);
}

void attempts_add(struct attempts *all, struct attempt *a)
{
	struct attempt **bucket = bucket_of(all, a->task);

	enter(all, a, ATTEMPT_FETCHING);
	a->chain = *bucket;
	*bucket = a;
}

void attempts_take_out(struct attempts *all, struct attempt *a)
{
	struct attempt **p = bucket_of(all, a->task);

	while (*p != a)
		p = &(*p)->chain;
	*p = a->chain;
	leave(all, a);
}

struct attempt *attempts_of(struct attempts *all, uint64_t task)
{
	struct attempt *a = *bucket_of(all, task);

	while (a && a->task != task)
		a = a->chain;
	return a;
}

size_t attempts_held(const struct attempts *all)
{
	size_t n = 0;

	for (int s = 0; s < ATTEMPT_STATES; s++)
		n += all->in[s].n;
	return n;
}

void attempts_pack(const struct attempts *all, struct buf *list)
{
	pack_array(list, attempts_held(all));
	for (int s = 0; s < ATTEMPT_STATES; s++)
		for (struct attempt *a = all->in[s].first; a; a = a->next) {
			pack_array(list, 2);
			pack_u64(list, a->task);
			pack_u64(list, a->number);
		}
}
