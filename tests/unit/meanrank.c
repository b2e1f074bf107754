/* meanrank.c - ranks, their means, who leads, and how sure that is */
#include "tests/support/cm.h"

#include "common/base/round.h"
#include "common/select/confidence.h"
#include "common/select/meanrank.h"
#include "common/select/ranks.h"
#include "common/select/student.h"

#include <math.h>

static void near_to(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		print_message("got %.17g, want %.17g\n", got, want);
	assert_true(fabs(got - want) <= by);
}

static void equals_share_the_mean_of_their_places(void **unused)
{
	static const double key[] = { 7, 5, 7, 9, 7 };
	double r[5];

	(void)unused;
	ranks_ascending(key, 5, r);
	assert_true(r[0] == 3 && r[1] == 1 && r[2] == 3 && r[3] == 5 && r[4] == 3);
}

static void scores_that_differ_below_2_to_minus_20_tie(void **unused)
{
	static const double score[] = { 0.5, 0.5 + 0x1p-24, 0.75, 0.5 - 0x1p-19 };
	double r[4];

	(void)unused;
	ranks_of_scores(score, 4, r);
	assert_true(r[2] == 1 && r[0] == 2.5 && r[1] == 2.5 && r[3] == 4);
}

static void rounding_is_to_2_to_minus_20_and_never_minus_zero(void **unused)
{
	(void)unused;
	assert_true(round20(1 / 3.0) == 349525 * 0x1p-20);
	assert_true(round20(-0x1p-30) == 0 && !signbit(round20(-0x1p-30)));
	assert_true(round20(3.25) == 3.25);
}

static void a_groups_rank_is_its_best_members_place_among_groups(void **unused)
{
	static const int class_id[] = { 0, 1, 0, 1, 2, -1 };
	static const double rank[] = { 5, 2, 1, 3, 4, 0 };
	struct arena a = { 0 };
	struct grouping g;
	double r[3];

	(void)unused;
	assert_int_equal(grouping_make(&a, class_id, 6, &g, NULL), 0);
	meanrank_groups(&g, rank, r);
	assert_true(r[0] == 1 && r[1] == 2 && r[2] == 3);
	meanrank_groups(&g, (const double[]){ 2, 2, 4, 5, 2, 0 }, r);
	assert_true(r[0] == 2 && r[1] == 2 && r[2] == 2);
	arena_free(&a);
}

static void means_are_over_the_passes_given(void **unused)
{
	static const double rank[] = { 1, 2, 3, 3, 2, 1, 1, 3, 2 };
	double m[3];

	(void)unused;
	meanrank_over(rank, 3, 3, m);
	near_to(m[0], 5 / 3.0, 0x1p-20);
	near_to(m[1], 7 / 3.0, 0x1p-20);
	assert_true(m[2] == 2);
	meanrank_over(rank, 1, 3, m);
	assert_true(m[0] == 1 && m[1] == 2 && m[2] == 3);
}

static void F05_with_no_pass_left_all_mean_ranks_are_equal(void **unused)
{
	double m[4];

	(void)unused;
	meanrank_over(NULL, 0, 4, m);
	for (int i = 0; i < 4; i++)
		assert_true(m[i] == 2.5);
	assert_int_equal(meanrank_lead_groups(m, 4).a, 0);
	assert_int_equal(meanrank_lead_groups(m, 4).b, 1);
}

static void the_leaders_are_the_two_smallest_first_group_first(void **unused)
{
	struct leaders l = meanrank_lead_groups((const double[]){ 2, 3, 1, 2 }, 4);

	(void)unused;
	assert_int_equal(l.a, 2);
	assert_int_equal(l.b, 0);
	l = meanrank_lead_groups((const double[]){ 1, 2, 1 }, 3);
	assert_int_equal(l.a, 0);
	assert_int_equal(l.b, 2);
	l = meanrank_lead_groups((const double[]){ 1 }, 1);
	assert_true(l.b == UINT32_MAX);
}

static void a_leading_candidates_rival_is_of_another_group(void **unused)
{
	static const int class_id[] = { 0, 1, 1, 0, 1, -1 };
	static const double mean[] = { 3, 1, 2, 3, 5, 0 };
	struct arena a = { 0 };
	struct grouping g;
	struct leaders l;

	(void)unused;
	assert_int_equal(grouping_make(&a, class_id, 6, &g, NULL), 0);
	l = meanrank_lead_candidates(&g, mean);
	assert_int_equal(l.a, 1);
	assert_int_equal(l.b, 0);
	l = meanrank_lead_candidates(&g, (const double[]){ 1, 1, 1, 1, 1, 0 });
	assert_int_equal(l.a, 1); /* the larger group, though 0 has the smaller H */
	assert_int_equal(l.b, 0);
	arena_free(&a);
}

static void confidence_has_the_published_values(void **unused)
{
	static const struct {
		double d[4], want;
	} row[] = {
		{ { 1, 1, 1, 1 }, 1.000 }, { { 1, 1, 1, 2 }, .992 },
		{ { 1, 1, 1, 3 }, .971 },  { { 1, 1, 1, 5 }, .930 },
		{ { 1, 1, 1, 7 }, .903 },  { { 1, 1, 7, 7 }, .948 },
		{ { 7, 7, 7, -1 }, .956 }, { { 5, 5, 5, -1 }, .949 },
		{ { 1, 1, 1, -1 }, .804 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double p = -1;

		assert_int_equal(confidence_of_differences(row[i].d, 4, &p), 1);
		near_to(p, row[i].want, .0005);
		assert_true(p == round20(p));
	}
}

static void confidence_without_spread_is_one_half_or_nothing(void **unused)
{
	double p = -1;

	(void)unused;
	confidence_of_differences((const double[]){ 2, 2, 2 }, 3, &p);
	assert_true(p == 1);
	confidence_of_differences((const double[]){ 0, 0, 0 }, 3, &p);
	assert_true(p == 0.5);
	confidence_of_differences((const double[]){ -1, -1 }, 2, &p);
	assert_true(p == 0);
}

static void fewer_than_two_passes_have_no_confidence(void **unused)
{
	double p = 7;

	(void)unused;
	assert_int_equal(confidence_of_differences((const double[]){ 3 }, 1, &p), 0);
	assert_int_equal(confidence_of_differences(NULL, 0, &p), 0);
	assert_true(p == 7);
}

static void confidence_reads_two_columns_of_ranks(void **unused)
{
	static const double rank[] = { 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 4 };
	double p, q;

	(void)unused;
	assert_int_equal(confidence_of_ranks(rank, 4, 3, 1, 2, &p), 1);
	confidence_of_differences((const double[]){ 1, 1, 1, 3 }, 4, &q);
	assert_true(p == q);
}

/* Closed forms for few degrees of freedom (DLMF has none; Abramowitz and Stegun 26.7.3
 * and 26.7.4): sums of powers of cos^2. */
static double student_series(double t, int df)
{
	double theta = atan(t / sqrt(df)), c = cos(theta), s = sin(theta), sum = 0,
	       term;

	if (df % 2) {
		term = c;
		for (int k = 1; k < df; k += 2) {
			sum += term;
			term *= c * c * (k + 1) / (k + 2);
		}
		return 0.5 + (theta + s * (df > 1 ? sum : 0)) / M_PI;
	}
	term = 1;
	for (int k = 0; k < df; k += 2) {
		sum += term;
		term *= c * c * (k + 1) / (k + 2);
	}
	return 0.5 + s * sum / 2;
}

static void student_agrees_with_its_closed_forms_to_1e_12(void **unused)
{
	static const double t[] = { 0, 1e-9, .01, .3, 1, 1.7, 2.5, 4, 9, 40, 1e3 };
	static const int df[] = { 1,  2,  3,  4,  5,   7,   10,   19,
				  30, 39, 40, 41, 100, 286, 1533, 9999 };

	(void)unused;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		for (size_t j = 0; j < sizeof df / sizeof *df; j++) {
			near_to(student_cdf(t[i], df[j]), student_series(t[i], df[j]),
				1e-12);
			near_to(student_cdf(-t[i], df[j]),
				1 - student_series(t[i], df[j]), 1e-12);
		}
}

static void student_approaches_the_normal(void **unused)
{
	(void)unused;
	for (double z = -4; z <= 4; z += .25) {
		double pdf = exp(-z * z / 2) / sqrt(2 * M_PI);
		double by = -pdf * (z * z * z + z) / 4 / 1e6; /* first term in 1/df */

		near_to(student_cdf(z, 1e6), normal_cdf(z) + by, 1e-11);
	}
}

static void quantiles_are_the_tables_and_invert(void **unused)
{
	(void)unused;
	near_to(student_quantile(.95, 3), 2.353363434801823, 1e-12);
	near_to(student_quantile(.975, 1), 12.706204736174705, 1e-9);
	near_to(student_quantile(.975, 2), .95 * sqrt(2 / .0975), 1e-13);
	near_to(student_series(student_quantile(.975, 10), 10), .975, 1e-14);
	near_to(student_quantile(.975, 1533), 1.9615, 5e-5);
	near_to(student_quantile(.025, 10), -student_quantile(.975, 10), 1e-12);
	near_to(normal_quantile(.975), 1.959963984540054, 1e-12);
	assert_true(student_quantile(.5, 3) == 0);
	for (double p = .001; p < 1; p += .037)
		near_to(student_cdf(student_quantile(p, 5), 5), p, 1e-14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_share_the_mean_of_their_places),
		cmocka_unit_test(scores_that_differ_below_2_to_minus_20_tie),
		cmocka_unit_test(rounding_is_to_2_to_minus_20_and_never_minus_zero),
		cmocka_unit_test(a_groups_rank_is_its_best_members_place_among_groups),
		cmocka_unit_test(means_are_over_the_passes_given),
		cmocka_unit_test(F05_with_no_pass_left_all_mean_ranks_are_equal),
		cmocka_unit_test(the_leaders_are_the_two_smallest_first_group_first),
		cmocka_unit_test(a_leading_candidates_rival_is_of_another_group),
		cmocka_unit_test(confidence_has_the_published_values),
		cmocka_unit_test(confidence_without_spread_is_one_half_or_nothing),
		cmocka_unit_test(fewer_than_two_passes_have_no_confidence),
		cmocka_unit_test(confidence_reads_two_columns_of_ranks),
		cmocka_unit_test(student_agrees_with_its_closed_forms_to_1e_12),
		cmocka_unit_test(student_approaches_the_normal),
		cmocka_unit_test(quantiles_are_the_tables_and_invert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
