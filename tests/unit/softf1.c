/* softf1.c - soft F1 is what BIRD's script makes of two lists of rows
 *
 * Expected values are the script's own arithmetic, done by hand as fractions.
 */
#include "tests/support/cm.h"

#include "common/select/softf1.h"

static double f1(const uint32_t *p, size_t prows, uint32_t pcols, const uint32_t *g,
		 size_t grows, uint32_t gcols)
{
	struct numbered a = { p, pcols, prows }, b = { g, gcols, grows };
	double r = -1;

	assert_int_equal(softf1(&a, &b, &r), 0);
	return r;
}

static void two_empty_results_are_alike_whatever_their_columns(void **unused)
{
	static const uint32_t one[] = { 1 };

	(void)unused;
	assert_true(f1(NULL, 0, 1, NULL, 0, 3) == 1);
	assert_true(f1(one, 1, 1, NULL, 0, 1) == 0);
	assert_true(f1(NULL, 0, 1, one, 1, 1) == 0);
}

static void row_stands_beside_row(void **unused)
{
	static const uint32_t ab[] = { 1, 2, 3, 4 }, ba[] = { 3, 4, 1, 2 };

	(void)unused;
	assert_true(f1(ab, 2, 2, ab, 2, 2) == 1);
	assert_true(f1(ba, 2, 2, ab, 2, 2) == 0);
}

/* Columns may stand in any order, and a column too many or too few costs its share. */
static void columns_count_by_value(void **unused)
{
	static const uint32_t gold[] = { 1, 2 }, swapped[] = { 2, 1 }, less[] = { 1 },
			      more[] = { 1, 2, 9 };

	(void)unused;
	assert_true(f1(swapped, 1, 2, gold, 1, 2) == 1);
	/* match 1/2, missed 1/2: precision 1, recall 1/2 */
	assert_true(f1(less, 1, 1, gold, 1, 2) == 2. / 3);
	/* match 1, too many 1/2: precision 2/3, recall 1 */
	assert_true(f1(more, 1, 3, gold, 1, 2) == 2 * (1 / 1.5) * 1 / (1 / 1.5 + 1));
}

static void repeated_rows_go_and_the_first_stays(void **unused)
{
	static const uint32_t gold[] = { 1, 2, 3 }, twice[] = { 1, 1, 2, 2, 3 },
			      late[] = { 1, 2, 1, 3 };

	(void)unused;
	assert_true(f1(twice, 5, 1, gold, 3, 1) == 1);
	assert_true(f1(late, 4, 1, gold, 3, 1) == 1);
	/* 1 of 3 rows there: precision 1, recall 1/3 */
	assert_true(f1(gold, 1, 1, gold, 3, 1) == 2 * 1 * (1. / 3) / (1 + 1. / 3));
}

/* The original's: a value predicted in two columns matches twice. */
static void a_repeated_column_matches_twice(void **unused)
{
	static const uint32_t gold[] = { 1, 2 }, seven[] = { 1, 1, 1 };

	(void)unused;
	/* match 3/2, missed 1/2: precision 1, recall 3/4 */
	assert_true(f1(seven, 1, 3, gold, 1, 2) == 2 * 1 * .75 / (1 + .75));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_empty_results_are_alike_whatever_their_columns),
		cmocka_unit_test(row_stands_beside_row),
		cmocka_unit_test(columns_count_by_value),
		cmocka_unit_test(repeated_rows_go_and_the_first_stays),
		cmocka_unit_test(a_repeated_column_matches_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
