/* bootstrap.c - intervals by drawing again are those of the published comparison */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/select/bootstrap.h"

#include <math.h>

enum { N = 1534 };

/* b10 times only the first was right, b01 times only the second. */
static void fill(double *x, int b10, int b01)
{
	for (int q = 0; q < N; q++)
		x[q] = q < b10 ? 1 : q < b10 + b01 ? -1 : 0;
}

/* MAP-SQL's paper: 1.11 [0.20, 2.02] and 3.06 [1.76, 4.37], in points. */
static void the_published_intervals_are_met(void **unused)
{
	static double a[N], b[N];
	const double *x[] = { a, b };
	struct interval r[2];

	(void)unused;
	fill(a, 33, 16);
	fill(b, 76, 29);
	assert_int_equal(bootstrap_means(x, 2, N, 42, r), 0);
	assert_true(r[0].known && r[1].known);
	assert_true(fabs(r[0].low - .0020) < .0005 && fabs(r[0].high - .0202) < .0005);
	assert_true(fabs(r[1].low - .0176) < .0007 && fabs(r[1].high - .0437) < .0007);
}

static void the_same_seed_gives_the_same_bits_alone_and_in_company(void **unused)
{
	static double a[N], b[N];
	const double *x[] = { b, a }, *alone[] = { a };
	struct interval r[2], s, other;

	(void)unused;
	fill(a, 33, 16);
	fill(b, 76, 29);
	bootstrap_means(x, 2, N, 42, r);
	bootstrap_means(alone, 1, N, 42, &s);
	bootstrap_means(alone, 1, N, 43, &other);
	assert_true(r[1].low == s.low && r[1].high == s.high);
	assert_true(other.low != s.low || other.high != s.high);
}

static void no_difference_at_all_is_a_point(void **unused)
{
	static double a[N];
	const double *x[] = { a };
	struct interval r;

	(void)unused;
	assert_int_equal(bootstrap_means(x, 1, N, 42, &r), 0);
	assert_true(r.known && r.low == 0 && r.high == 0);
}

/* Databases that disagree: together they are 0, drawn as clusters far from it. */
static void databases_stand_and_fall_together(void **unused)
{
	double a[60];
	uint32_t db[60];
	const double *x[] = { a };
	struct interval questions, databases;

	(void)unused;
	for (int q = 0; q < 60; q++) {
		db[q] = (uint32_t)(q / 10 + 1);
		a[q] = q < 30 ? .5 : -.5;
	}
	assert_int_equal(bootstrap_means(x, 1, 60, 42, &questions), 0);
	assert_int_equal(bootstrap_clusters(x, 1, 60, db, 9, 42, &databases), 0);
	assert_true(databases.known);
	assert_true(databases.low < -.3 && databases.high > .3);
	assert_true(questions.low > -.2 && questions.high < .2);
}

static void one_question_or_few_databases_tell_nothing(void **unused)
{
	double a[8] = { 1, 0, 1, 1, 1, 0, 0, 1 };
	uint32_t db[8] = { 2, 2, 2, 2, 3, 4, 5, 5 };
	const double *x[] = { a };
	struct interval r = { 1, 1, 1 };

	(void)unused;
	assert_int_equal(bootstrap_means(x, 1, 1, 42, &r), 0);
	assert_false(r.known);
	assert_int_equal(bootstrap_clusters(x, 1, 8, db, 6, 42, &r), 0);
	assert_false(r.known);
	db[0] = 0;
	assert_int_equal(bootstrap_clusters(x, 1, 8, db, 6, 42, &r), 0);
	assert_true(r.known);
	assert_int_equal(bootstrap_means(x, 0, 8, 42, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_intervals_are_met),
		cmocka_unit_test(
			the_same_seed_gives_the_same_bits_alone_and_in_company),
		cmocka_unit_test(no_difference_at_all_is_a_point),
		cmocka_unit_test(databases_stand_and_fall_together),
		cmocka_unit_test(one_question_or_few_databases_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
