/* core_nomem.c - any allocation of a sweep may fail, and nothing leaks or says
 * something wrong
 *
 * An undisturbed history of the real planners, with one worker that answers at once. In
 * one of its steps the n-th allocation fails, n = 1, 2, ... until the step makes fewer:
 * it says ERR_NOMEM, and no record but the right ones was ever given. STEPS=n tries
 * each n-th step only. */
#include "tests/support/cm.h"

#include "broker/core.h"
#include "common/base/mem.h"
#include "tests/support/fake.h"

#include <stdio.h>
#include <stdlib.h>

enum { QUEUE = 4096 };

static struct fake fake;
static struct buf expected[FAKE_UNITS];

struct history {
	struct core *core;
	struct event queue[QUEUE];
	size_t n, at;
	struct arena bytes;
	int steps, done, hit;
};

static struct history h;

static int poison_or_answer(const struct action *a, struct buf *out)
{
	return fake_is_poison(&fake, a->spec) ? ERR_INPUT
					      : fake_answer(&fake, a->spec, out);
}

static void push(const struct event *ev)
{
	assert_true(h.n < QUEUE);
	h.queue[h.n++] = *ev;
}

static void record(const struct action *a)
{
	struct buf *b = &expected[a->unit->tag];

	if (!b->n)
		buf_add(b, a->record.p, a->record.n);
	assert_int_equal(b->n, a->record.n);
	assert_memory_equal(b->p, a->record.p, b->n);
}

static void act(const struct action *a)
{
	struct buf out = { 0 };
	struct event ev = { .kind = EVENT_RESULT,
			    .task = a->task,
			    .attempt = a->attempt,
			    .text = view_of("x") };

	switch (a->kind) {
	case ACTION_LOOKUP:
		fake_see(&fake, a->blob, a->nblob);
		push(&(struct event){ .kind = EVENT_FOUND, .lookup = a->lookup });
		break;
	case ACTION_LEASE:
		ev.code = poison_or_answer(a, &out);
		ev.output = arena_view(&h.bytes, buf_view(&out));
		buf_free(&out);
		push(&ev);
		break;
	case ACTION_RECORD: record(a); break;
	case ACTION_DONE: h.done = 1; break;
	default: break;
	}
}

static int step(const struct event *ev, int fault)
{
	const struct action *a;
	size_t n;
	int rc;

	mem_fail_after(fault);
	rc = core_step(h.core, ev, 1000 + 100 * (uint64_t)h.steps++, &a, &n);
	h.hit = mem_fault_hit();
	mem_fail_after(-1);
	for (size_t i = 0; !rc && i < n; i++)
		act(&a[i]);
	return rc;
}

static void next_event(struct event *ret)
{
	if (h.at < h.n)
		*ret = h.queue[h.at++];
	else
		*ret = (struct event){ .kind = EVENT_TICK };
}

static void begin(void)
{
	struct core_config cfg = {
		.sweep = &fake.sweep, .epoch = 1, .lease_ms = 1 << 30, .active = 2
	};
	struct event hello = { .kind = EVENT_HELLO, .slots = { 4, 4, 4 } };

	memset(&h, 0, sizeof h);
	assert_int_equal(core_new(&cfg, &h.core), 0);
	fake_add_units(&fake, h.core);
	push(&(struct event){ .kind = EVENT_START });
	push(&hello);
}

static void end(void)
{
	core_free(&h.core);
	arena_free(&h.bytes);
}

/* Until the end, or until step `at` fails for want of its n-th allocation: what
 * core_step() said, and in *ret_hit whether there was such an allocation. */
static int live(int at, int n, int *ret_hit)
{
	int rc = 0;

	*ret_hit = 0;
	begin();
	while (!h.done && !rc) {
		struct event ev;
		int now = h.steps == at;

		next_event(&ev);
		rc = step(&ev, now ? n : -1);
		*ret_hit |= now && h.hit;
		if (now && !rc)
			break;
	}
	return rc;
}

static int total; /* steps of the whole */

static void the_whole_sweep_makes_every_record(void **unused)
{
	int hit;

	(void)unused;
	assert_int_equal(live(-1, -1, &hit), 0);
	total = h.steps;
	for (int u = 0; u < FAKE_UNITS; u++)
		assert_true(expected[u].n > 0);
	end();
}

static void a_step_without_memory_says_so_and_leaks_nothing(void **unused)
{
	const char *s = getenv("STEPS");
	int stride = s ? atoi(s) : 23, failed = 0;

	(void)unused;
	for (int at = 0; at < total; at += stride)
		for (int n = 0, hit = 1; hit; n++) {
			int rc = live(at, n, &hit);

			assert_true(rc == 0 || rc == ERR_NOMEM);
			failed += rc != 0;
			end();
		}
	printf("%d steps, %d failed allocations\n", total, failed);
	assert_true(failed > 100);
}

static void a_core_that_cannot_be_made_is_not(void **unused)
{
	struct core_config cfg = { .epoch = 1, .lease_ms = 1 };
	int rc, tries = 0;

	(void)unused;
	do {
		struct core *c = NULL;

		mem_fail_after(tries++);
		rc = core_new(&cfg, &c);
		mem_fail_after(-1);
		assert_true(rc == 0 || rc == ERR_NOMEM);
		assert_true(!rc == !!c);
		core_free(&c);
	} while (rc);
	assert_true(tries > 3);
}

static int free_all(void **unused)
{
	(void)unused;
	for (int u = 0; u < FAKE_UNITS; u++)
		buf_free(&expected[u]);
	fake_free(&fake);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_sweep_makes_every_record),
		cmocka_unit_test(a_step_without_memory_says_so_and_leaks_nothing),
		cmocka_unit_test(a_core_that_cannot_be_made_is_not),
	};

	fake_make(&fake);
	return cmocka_run_group_tests(tests, NULL, free_all);
}
