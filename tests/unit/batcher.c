/* batcher.c - items come back once, in order, and closing loses none */
#include "tests/support/cm.h"

#include "common/io/batcher.h"

#include <string.h>

enum { ITEMS = 5000 };

struct item {
	struct batch_item item;
	uint32_t number, worked;
};

static uv_loop_t loop;
static struct item item[ITEMS];
static uint32_t next, batches, closed;

static void work(void *arg, struct batch_item *list)
{
	(void)arg;
	__atomic_add_fetch(&batches, 1, __ATOMIC_RELAXED);
	for (; list; list = list->next)
		((struct item *)list)->worked++;
}

static void done(void *arg, struct batch_item *list)
{
	(void)arg;
	while (list) {
		struct item *i = (struct item *)list;

		list = list->next;
		assert_int_equal(i->number, next++);
		assert_int_equal(i->worked, 1);
		assert_int_equal(closed, 0);
	}
}

static void on_closed(void *arg)
{
	(void)arg;
	closed++;
}

static struct batcher *begin(void)
{
	struct batcher *b;

	uv_loop_init(&loop);
	memset(item, 0, sizeof item);
	next = batches = closed = 0;
	assert_int_equal(batcher_new(&loop, work, done, NULL, 0, &b), 0);
	return b;
}

static void put(struct batcher *b, uint32_t i)
{
	item[i].number = i;
	batcher_put(b, &item[i].item);
}

static void items_come_back_in_order_and_in_few_batches(void **unused)
{
	struct batcher *b = begin();

	(void)unused;
	for (uint32_t i = 0; i < ITEMS; i++) {
		put(b, i);
		if (i % 100 == 0)
			uv_run(&loop, UV_RUN_NOWAIT);
	}
	while (batcher_inside(b))
		uv_run(&loop, UV_RUN_ONCE);
	assert_int_equal(next, ITEMS);
	assert_true(batches < ITEMS);
	batcher_close(b, on_closed);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(closed, 1);
	assert_int_equal(uv_loop_close(&loop), 0);
}

static void closing_works_off_what_is_inside_first(void **unused)
{
	struct batcher *b = begin();

	(void)unused;
	for (uint32_t i = 0; i < ITEMS; i++)
		put(b, i);
	batcher_close(b, on_closed); /* the loop has not run once */
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(next, ITEMS);
	assert_int_equal(closed, 1);
	assert_int_equal(uv_loop_close(&loop), 0);
}

static void an_idle_one_closes_at_once(void **unused)
{
	struct batcher *b = begin();

	(void)unused;
	batcher_close(b, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_back_in_order_and_in_few_batches),
		cmocka_unit_test(closing_works_off_what_is_inside_first),
		cmocka_unit_test(an_idle_one_closes_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
