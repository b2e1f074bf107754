/* tasks.c - the table of tasks against a list that cannot be wrong
 *
 * SEED=n in the environment repeats a run; the seed is printed first. */
#include "tests/support/cm.h"

#include "broker/tasks.h"
#include "common/base/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 40, STEPS = 4000, MOST = 3000, LISTS = 3 };

static uint64_t seed;
static struct rng dice;

struct naive { /* what the table should hold */
	uint32_t number;
	uint32_t hash;
	char spec[64];
	int list, done; /* list -1: in none */
};

static struct naive model[MOST];
static size_t n;
static uint32_t order[LISTS][MOST], length[LISTS];

static struct view spec_of(const struct naive *k)
{
	return view_of(k->spec);
}

/* Few distinct hashes: runs in the table are long, and gaps close over the end. */
static void add(struct tasks *t)
{
	struct naive *k = &model[n];

	snprintf(k->spec, sizeof k->spec, "%*s %" PRIu64, (int)rng_below(&dice, 50),
		 "spec", rng_below(&dice, 100000));
	k->hash =
		(uint32_t)(rng_below(&dice, 4) ? rng_below(&dice, 40) + UINT32_MAX - 20
					       : rng_u64(&dice));
	for (size_t i = 0; i < n; i++)
		if (strcmp(model[i].spec, k->spec) == 0)
			return;
	assert_int_equal(tasks_find(t, k->hash, spec_of(k)), NO_TASK);
	k->number = tasks_add(t, k->hash, spec_of(k));
	assert_int_not_equal(k->number, NO_TASK);
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(model[i].number, k->number);
	tasks_at(t, k->number)->id = k->number + 7u;
	k->list = -1;
	k->done = 0;
	n++;
}

static void leave_list(struct tasks *t, struct task_list *list, struct naive *k)
{
	uint32_t *o = order[k->list], at = 0;

	while (o[at] != k->number)
		at++;
	memmove(o + at, o + at + 1, (--length[k->list] - at) * sizeof *o);
	list_remove(t, &list[k->list], k->number);
	k->list = -1;
}

static void enter_list(struct tasks *t, struct task_list *list, struct naive *k)
{
	uint32_t *o;

	k->list = (int)rng_below(&dice, LISTS);
	o = order[k->list];
	if (rng_below(&dice, 2)) {
		o[length[k->list]++] = k->number;
		list_push(t, &list[k->list], k->number);
	} else {
		memmove(o + 1, o, length[k->list]++ * sizeof *o);
		o[0] = k->number;
		list_push_first(t, &list[k->list], k->number);
	}
}

static void drop(struct tasks *t, struct task_list *list, size_t i)
{
	struct naive *k = &model[i];

	if (k->list >= 0)
		leave_list(t, list, k);
	tasks_remove(t, k->number);
	assert_false(tasks_live(t, k->number));
	assert_int_equal(tasks_by_id(t, k->number + 7u), NO_TASK);
	assert_int_equal(tasks_find(t, k->hash, spec_of(k)), NO_TASK);
	*k = model[--n];
}

static void compare(struct tasks *t, const struct task_list *list)
{
	assert_int_equal(tasks_count(t), n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tasks_find(t, model[i].hash, spec_of(&model[i])),
				 model[i].number);
		assert_true(tasks_live(t, model[i].number));
		assert_true(
			view_eq(tasks_spec(t, model[i].number), spec_of(&model[i])));
		assert_true(model[i].number < tasks_most(t));
	}
	for (int l = 0; l < LISTS; l++) {
		uint32_t at = list[l].first, before = NO_TASK;

		assert_int_equal(list[l].n, length[l]);
		for (uint32_t i = 0; i < length[l]; i++) {
			assert_int_equal(at, order[l][i]);
			assert_int_equal(tasks_at(t, at)->prev, before);
			before = at;
			at = tasks_at(t, at)->next;
		}
		assert_int_equal(at, NO_TASK);
		assert_int_equal(list[l].last, before);
	}
}

static void the_table_and_its_lists_are_what_a_plain_list_is(void **unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		struct tasks *t = tasks_new();
		struct task_list list[LISTS] = { { 0 } };
		uint64_t growth = 30 + rng_below(&dice, 60);

		assert_non_null(t);
		n = 0;
		memset(length, 0, sizeof length);
		for (int i = 0; i < STEPS && n < MOST - 1; i++) {
			size_t one = n ? rng_below(&dice, n) : 0;

			if (!n || rng_below(&dice, 100) < growth)
				add(t);
			else if (rng_below(&dice, 3) == 0)
				drop(t, list, one);
			else if (model[one].list >= 0)
				leave_list(t, list, &model[one]);
			else
				enter_list(t, list, &model[one]);
			if (i % 500 == 0)
				compare(t, list);
		}
		compare(t, list);
		if (n)
			assert_int_equal(tasks_by_id(t, model[0].number + 7u),
					 model[0].number);
		tasks_free(&t);
		assert_null(t);
	}
}

static void a_queued_task_takes_at_most_200_bytes(void **unused)
{
	struct tasks *t = tasks_new();
	char spec[108] = ""; /* an exec's: three hashes and a head */

	(void)unused;
	for (uint32_t i = 0; i < 100000; i++) {
		memcpy(spec, &i, sizeof i);
		assert_true(tasks_add(t, (uint32_t)rng_u64(&dice),
				      (struct view){ spec, 105 }));
	}
	/* core.h: its question and who waits take up to 23 more */
	assert_true(tasks_memory(t) <= (200u - 23) * 100000);
	assert_int_equal(tasks_by_id(t, 0), NO_TASK); /* 0 is: not in the journal yet */
	tasks_free(&t);
}

int main(void)
{
	const char *s = getenv("SEED");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_and_its_lists_are_what_a_plain_list_is),
		cmocka_unit_test(a_queued_task_takes_at_most_200_bytes),
	};

	seed = s ? strtoull(s, NULL, 10) : (uint64_t)time(NULL);
	printf("SEED=%" PRIu64 "\n", seed);
	rng_init(&dice, "property", seed, view_of("tasks"), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
