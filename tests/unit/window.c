/* window.c - windows stand where window.h has them; a line-up remembers its ties */
#include "tests/support/cm.h"

#include "common/select/lineup.h"
#include "common/select/window.h"

static void check(uint32_t n, uint32_t w, uint32_t s, uint32_t count,
		  const uint32_t *start)
{
	assert_int_equal(window_count(n, w, s), count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(window_start(n, w, s, i), start[i]);
}

static void starts_are_the_published_ones(void **unused)
{
	(void)unused;
	check(32, 8, 4, 7, (const uint32_t[]){ 24, 20, 16, 12, 8, 4, 0 });
	check(8, 8, 4, 1, (const uint32_t[]){ 0 });
	check(10, 8, 4, 2, (const uint32_t[]){ 2, 0 });
	check(16, 8, 4, 3, (const uint32_t[]){ 8, 4, 0 });
	check(24, 8, 4, 5, (const uint32_t[]){ 16, 12, 8, 4, 0 });
	check(8, 4, 2, 3, (const uint32_t[]){ 4, 2, 0 });
	assert_int_equal(window_count(32, 4, 2), 15);
}

static void fewer_candidates_than_a_window_are_one_window(void **unused)
{
	(void)unused;
	check(0, 8, 4, 0, NULL);
	check(1, 8, 4, 1, (const uint32_t[]){ 0 });
	check(7, 8, 4, 1, (const uint32_t[]){ 0 });
	assert_int_equal(window_size(7, 8), 7);
	assert_int_equal(window_size(9, 8), 8);
}

static void the_front_is_clamped_and_never_left_out(void **unused)
{
	(void)unused;
	check(9, 8, 4, 2, (const uint32_t[]){ 1, 0 });
	check(11, 8, 4, 2, (const uint32_t[]){ 3, 0 });
	check(13, 8, 4, 3, (const uint32_t[]){ 5, 1, 0 });
	check(31, 8, 4, 7, (const uint32_t[]){ 23, 19, 15, 11, 7, 3, 0 });
}

static void a_window_is_written_back_in_place_and_keeps_its_ties(void **unused)
{
	uint32_t order[] = { 10, 11, 12, 13, 14 };
	static const double rank[] = { 3, 1.5, 1.5 };
	static const uint32_t want[] = { 10, 11, 13, 14, 12 };
	static const uint8_t ties[] = { 0, 0, 0, 1, 0 };
	uint8_t tied[5];
	struct lineup l;

	(void)unused;
	lineup_begin(&l, order, tied, 5);
	lineup_write(&l, 2, 3, rank);
	assert_memory_equal(order, want, sizeof want);
	assert_memory_equal(tied, ties, sizeof ties);
}

static void ranks_of_a_lineup_share_places(void **unused)
{
	uint32_t order[] = { 2, 0, 3, 1 };
	uint8_t tied[] = { 0, 0, 1, 0 };
	struct lineup l = { 4, order, tied };
	double r[4];

	(void)unused;
	lineup_ranks(&l, r);
	assert_true(r[2] == 1 && r[0] == 2.5 && r[3] == 2.5 && r[1] == 4);
}

static void a_tie_over_a_windows_end_holds_while_its_front_stays_last(void **unused)
{
	uint32_t order[] = { 0, 1, 2, 3 };
	uint8_t tied[4];
	struct lineup l;

	(void)unused;
	lineup_begin(&l, order, tied, 4);
	lineup_write(&l, 1, 3, (const double[]){ 1, 2.5, 2.5 }); /* 2 ties with 3 */
	lineup_write(&l, 0, 3, (const double[]){ 2, 1, 3 });     /* 2 stays last */
	assert_int_equal(order[2], 2);
	assert_int_equal(tied[3], 1);
	lineup_write(&l, 0, 3, (const double[]){ 2, 3, 1 }); /* 2 goes to the front */
	assert_int_equal(order[0], 2);
	assert_int_equal(tied[3], 0);
}

static void a_window_where_all_tie_changes_no_place(void **unused)
{
	uint32_t order[] = { 3, 1, 2, 0 };
	static const uint32_t was[] = { 3, 1, 2, 0 };
	uint8_t tied[4];
	struct lineup l;
	double r[4];

	(void)unused;
	lineup_begin(&l, order, tied, 4);
	lineup_write(&l, 0, 4, (const double[]){ 2.5, 2.5, 2.5, 2.5 });
	assert_memory_equal(order, was, sizeof was);
	lineup_ranks(&l, r);
	for (int i = 0; i < 4; i++)
		assert_true(r[i] == 2.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_are_the_published_ones),
		cmocka_unit_test(fewer_candidates_than_a_window_are_one_window),
		cmocka_unit_test(the_front_is_clamped_and_never_left_out),
		cmocka_unit_test(a_window_is_written_back_in_place_and_keeps_its_ties),
		cmocka_unit_test(ranks_of_a_lineup_share_places),
		cmocka_unit_test(
			a_tie_over_a_windows_end_holds_while_its_front_stays_last),
		cmocka_unit_test(a_window_where_all_tie_changes_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
