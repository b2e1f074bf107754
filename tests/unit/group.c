/* group.c - groups stand in the order that methods begin with */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/select/group.h"

static void groups_stand_by_size_then_by_smallest_H(void **unused)
{
	static const int class_id[] = { 7, 3, 3, 9, 7, 5, 9, 9 };
	static const uint32_t member[] = { 3, 6, 7, 0, 4, 1, 2, 5 };
	struct arena a = { 0 };
	struct grouping g;

	(void)unused;
	assert_int_equal(grouping_make(&a, class_id, 8, &g, NULL), 0);
	assert_int_equal(g.g, 4);
	assert_int_equal(g.groups, 4);
	assert_int_equal(g.ranked, 8);
	assert_memory_equal(g.member, member, sizeof member);
	assert_int_equal(g.group[0].size, 3);
	assert_int_equal(group_face(&g, 0), 3);
	assert_int_equal(g.of[4], 1);
	assert_int_equal(group_majority(&g), 3);
	arena_free(&a);
}

static void failed_candidates_are_one_last_group_that_counts_nowhere(void **unused)
{
	static const int class_id[] = { -1, 4, -1, -1, 2, -1 };
	struct arena a = { 0 };
	struct grouping g;

	(void)unused;
	assert_int_equal(grouping_make(&a, class_id, 6, &g, NULL), 0);
	assert_int_equal(g.g, 2);
	assert_int_equal(g.groups, 3);
	assert_int_equal(g.ranked, 2);
	assert_int_equal(g.group[2].size, 4);
	assert_true(group_failed(&g, 2));
	assert_false(group_failed(&g, 1));
	assert_int_equal(group_majority(&g), 1);
	arena_free(&a);
}

static void F12_all_failed_is_decided_by_H_alone(void **unused)
{
	static const int class_id[] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	struct arena a = { 0 };
	struct grouping g;

	(void)unused;
	assert_int_equal(grouping_make(&a, class_id, 8, &g, NULL), 0);
	assert_int_equal(g.g, 0);
	assert_int_equal(g.groups, 1);
	assert_int_equal(group_majority(&g), 0); /* the smallest H */
	arena_free(&a);
}

static void F12_a_split_of_four_and_four_goes_to_the_smaller_H(void **unused)
{
	static const int class_id[] = { 5, 2, 2, 5, 5, 2, 2, 5 };
	struct arena a = { 0 };
	struct grouping g;

	(void)unused;
	assert_int_equal(grouping_make(&a, class_id, 8, &g, NULL), 0);
	assert_int_equal(group_majority(&g), 0);
	assert_int_equal(group_face(&g, 1), 1);
	arena_free(&a);
}

static void classes_are_by_kind_and_digest(void **unused)
{
	const struct result_key key[] = {
		{ RESULT_ROWS, { 1, 2 } },   { RESULT_FAILED, { 0, 0 } },
		{ RESULT_EMPTY, { 3, 4 } },  { RESULT_ROWS, { 1, 3 } },
		{ RESULT_ROWS, { 1, 2 } },   { RESULT_EMPTY, { 5, 6 } },
		{ RESULT_FAILED, { 0, 0 } }, { RESULT_ABSTAIN, { 0, 0 } },
	};
	static const int want[] = { 0, -1, 2, 3, 0, 2, -1, 7 };
	int got[8];

	(void)unused;
	class_ids(key, 8, got);
	assert_memory_equal(got, want, sizeof want);
}

static void joins_give_the_same_classes_in_any_order(void **unused)
{
	int a[] = { 0, 1, 2, 3, 2, -1 }, b[] = { 0, 1, 2, 3, 2, -1 };

	(void)unused;
	class_join(a, 6, 0, 2);
	class_join(a, 6, a[3], a[4]);
	class_join(b, 6, 3, 2);
	class_join(b, 6, b[4], b[0]);
	assert_memory_equal(a, b, sizeof a);
	assert_int_equal(a[3], 0);
	assert_int_equal(a[1], 1);
	assert_int_equal(a[5], -1);
}

static void no_candidates_make_no_groups(void **unused)
{
	struct arena a = { 0 };
	struct grouping g;

	(void)unused;
	assert_int_equal(grouping_make(&a, NULL, 0, &g, NULL), 0);
	assert_int_equal(g.groups, 0);
	assert_int_equal(group_majority(&g), 0);
	arena_free(&a);
}

static void no_memory_is_reported(void **unused)
{
	static const int class_id[] = { 1, 2 };
	struct arena a = { 0 };
	struct grouping g;
	struct err e;

	(void)unused;
	mem_fail_after(0);
	assert_int_equal(grouping_make(&a, class_id, 2, &g, &e), ERR_NOMEM);
	assert_true(mem_fault_hit());
	mem_fail_after(-1);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_stand_by_size_then_by_smallest_H),
		cmocka_unit_test(
			failed_candidates_are_one_last_group_that_counts_nowhere),
		cmocka_unit_test(F12_all_failed_is_decided_by_H_alone),
		cmocka_unit_test(F12_a_split_of_four_and_four_goes_to_the_smaller_H),
		cmocka_unit_test(classes_are_by_kind_and_digest),
		cmocka_unit_test(joins_give_the_same_classes_in_any_order),
		cmocka_unit_test(no_candidates_make_no_groups),
		cmocka_unit_test(no_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
