/* draw.c - H is what the interface says it is */
#include "tests/support/cm.h"

#include "common/select/draw.h"

static struct draw_item sql(const char *s)
{
	return (struct draw_item){ .sql = view_of(s) };
}

static void H_is_blake2b_over_length_prefixed_parts(void **unused)
{
	/* seed 42, id 717, SQL "SELECT 1", occurrence 0, laid out by hand */
	static const char bytes[] = "\x08\0\0\0\0\0\0\0\x2a\0\0\0\0\0\0\0"
				    "\x03\0\0\0\0\0\0\0"
				    "717"
				    "\x08\0\0\0\0\0\0\0SELECT 1"
				    "\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	struct hash want = hash_of(bytes, sizeof bytes - 1);
	struct hash got = draw_hash(42, view_of("717"), view_of("SELECT 1"), 0);

	(void)unused;
	assert_true(hash_eq(&want, &got));
}

static void H_depends_on_seed_question_sql_and_occurrence(void **unused)
{
	struct hash h[] = {
		draw_hash(42, view_of("7"), view_of("SELECT 1"), 0),
		draw_hash(43, view_of("7"), view_of("SELECT 1"), 0),
		draw_hash(42, view_of("\"7\""), view_of("SELECT 1"), 0),
		draw_hash(42, view_of("7"), view_of("SELECT 1 "), 0),
		draw_hash(42, view_of("7"), view_of("SELECT 1"), 1),
	};

	(void)unused;
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < i; j++)
			assert_false(hash_eq(&h[i], &h[j]));
}

static void the_order_is_that_of_H(void **unused)
{
	struct draw_item item[] = { sql("a"), sql("b"), sql("c"), sql("d"), sql("e") };
	struct drawn d[5];

	(void)unused;
	draw_order(42, view_of("1"), item, 5, d);
	for (int i = 1; i < 5; i++)
		assert_true(hash_cmp(&d[i - 1].h, &d[i].h) < 0);
}

static uint32_t occurrence_of(const struct drawn *d, uint32_t n, uint32_t item)
{
	for (uint32_t i = 0; i < n; i++)
		if (d[i].item == item)
			return d[i].occurrence;
	return UINT32_MAX;
}

static void equal_sql_is_numbered_by_logprob_tokens_greedy_source(void **unused)
{
	struct draw_item item[7];
	struct drawn d[7];

	(void)unused;
	for (int i = 0; i < 7; i++)
		item[i] = sql("SELECT 1");
	item[0].has_logprob = 1, item[0].logprob = -1;
	item[1].has_logprob = 1, item[1].logprob = -2;
	item[2].has_tokens = 1, item[2].tokens = 9;
	item[3].greedy = 1;
	item[4].source = view_of("b");
	item[5].source = view_of("a");
	/* item[6]: all absent, the first of all */
	draw_order(42, view_of("1"), item, 7, d);
	assert_int_equal(occurrence_of(d, 7, 6), 0);
	assert_int_equal(occurrence_of(d, 7, 5), 1);
	assert_int_equal(occurrence_of(d, 7, 4), 2);
	assert_int_equal(occurrence_of(d, 7, 3), 3);
	assert_int_equal(occurrence_of(d, 7, 2), 4);
	assert_int_equal(occurrence_of(d, 7, 1), 5);
	assert_int_equal(occurrence_of(d, 7, 0), 6);
}

static void an_empty_pool_and_empty_sql_are_no_trouble(void **unused)
{
	struct draw_item item = { .sql = { NULL, 0 } };
	struct drawn d;

	(void)unused;
	draw_order(42, view_of("1"), NULL, 0, &d);
	draw_order(42, view_of("1"), &item, 1, &d);
	assert_int_equal(d.item, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(H_is_blake2b_over_length_prefixed_parts),
		cmocka_unit_test(H_depends_on_seed_question_sql_and_occurrence),
		cmocka_unit_test(the_order_is_that_of_H),
		cmocka_unit_test(equal_sql_is_numbered_by_logprob_tokens_greedy_source),
		cmocka_unit_test(an_empty_pool_and_empty_sql_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
