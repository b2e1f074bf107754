/* stats.c - intervals and tests have their textbook and published values */
#include "tests/support/cm.h"

#include "common/select/stats.h"
#include "common/select/student.h"

#include <math.h>

static void near_to(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		print_message("got %.17g, want %.17g\n", got, want);
	assert_true(fabs(got - want) <= by);
}

static void mcnemar_has_the_published_values(void **unused)
{
	(void)unused;
	near_to(mcnemar_exact(33, 16), .0213, .00005);
	assert_true(mcnemar_exact(76, 29) < 1e-5);
	near_to(mcnemar_exact(11, 4), .1185, .00005);
	near_to(mcnemar_exact(6, 1), .125, 1e-15);
	near_to(mcnemar_exact(4, 0), .125, 1e-15);
	assert_true(mcnemar_exact(0, 0) == 1);
	assert_true(mcnemar_exact(5, 5) == 1);
	assert_true(mcnemar_exact(29, 76) == mcnemar_exact(76, 29));
}

static double flipped(const int32_t *x, uint32_t n)
{
	double p = -1;

	assert_int_equal(stats_sign_flip(x, n, &p), 0);
	return p;
}

static void one_seeds_sign_flip_is_mcnemars(void **unused)
{
	static int32_t x[1534];

	(void)unused;
	for (int i = 0; i < 49; i++)
		x[i * 7] = i < 33 ? 1 : -1;
	near_to(flipped(x, 1534), mcnemar_exact(33, 16), 1e-14);
	near_to(flipped(x, 1534), .0213, .00005);
	assert_true(flipped(x, 0) == 1);
	assert_true(flipped(x + 1, 6) == 1); /* no difference at all */
}

/* Three seeds that say the same are one opinion, not three. */
static void a_question_asked_three_times_is_one_question(void **unused)
{
	static const int32_t one[] = { 1, 1, 1, 1, -1 }, three[] = { 3, 3, 3, 3, -3 },
			     mixed[] = { 3, 1, -2 };

	(void)unused;
	near_to(flipped(three, 5), flipped(one, 5), 1e-15);
	near_to(flipped(one, 5), mcnemar_exact(4, 1), 1e-15);
	/* Sums of +-3 +-1 +-2: 6 4 2 0 0 -2 -4 -6; 2 or more from 0: 6 of 8. */
	near_to(flipped(mixed, 3), .75, 1e-15);
	/* Four passes of one mind: 1/16 on one side, whatever the distances. */
	near_to(flipped((const int32_t[]){ 1, 1, 1, 5 }, 4) / 2, .0625, 1e-15);
}

static void mcnemar_is_the_same_on_both_sides_of_its_change_of_method(void **unused)
{
	/* 1000 pairs are summed from the front, 1002 from the largest term. */

	(void)unused;
	near_to(mcnemar_exact(460, 540), 0.01244414627717178, 1e-14);
	near_to(mcnemar_exact(461, 541), 0.01253222933691704, 1e-13);
	near_to(mcnemar_exact(600, 600), 1, 1e-12);
	assert_true(mcnemar_exact(3000, 3001) > .98 && mcnemar_exact(3000, 3001) <= 1);
	assert_true(mcnemar_exact(0, 2000) == 0 || mcnemar_exact(0, 2000) < 1e-300);
}

static void a_share_is_the_mean_of_zeros_and_ones(void **unused)
{
	double x[10] = { 1, 1, 0, 1, 0, 1, 1, 1, 0, 1 };
	struct estimate a = stats_mean(x, 10), b = stats_share(7, 10);

	(void)unused;
	near_to(a.mean, .7, 1e-15);
	near_to(a.sd, sqrt(.7 * .3 * 10 / 9), 1e-15);
	near_to(a.high - a.mean, student_quantile(.975, 9) * a.sd / sqrt(10), 1e-12);
	near_to(a.sd, b.sd, 1e-15);
	near_to(a.low, b.low, 1e-14);
	near_to(a.high, b.high, 1e-14);
	assert_true(a.known && b.known);
}

static void one_value_tells_nothing_about_spread(void **unused)
{
	struct estimate a = stats_share(1, 1);

	(void)unused;
	assert_true(a.mean == 1 && a.low == 1 && a.high == 1 && !a.known);
}

static void values_without_spread_have_an_interval_of_no_width(void **unused)
{
	struct estimate a = stats_share(8, 8);

	(void)unused;
	assert_true(a.known && a.low == 1 && a.high == 1 && a.sd == 0);
}

static void clustered_intervals_follow_their_formula(void **unused)
{
	static const double x[] = { 1, 1, 1, 0, 0, 0, 1, 0 };
	static const uint32_t c[] = { 0, 0, 0, 2, 2, 2, 3, 3 }; /* 1 holds nothing */
	double sum[4], u2 = 1.5 * 1.5 + 1.5 * 1.5 + 0;
	struct estimate a = stats_clustered(x, c, 8, 4, sum);

	(void)unused;
	near_to(a.mean, .5, 1e-15);
	near_to(a.stderr_, sqrt(1.5 * u2) / 8, 1e-15);
	near_to(a.high - a.mean, .95 * sqrt(2 / .0975) * a.stderr_, 1e-11);
	assert_true(a.known);
}

static void clusters_of_one_are_the_plain_interval(void **unused)
{
	static const double x[] = { 1, 0, 1, 1, 0, 1 };
	static const uint32_t c[] = { 5, 4, 3, 2, 1, 0 };
	double sum[6];
	struct estimate a = stats_clustered(x, c, 6, 6, sum), b = stats_mean(x, 6);

	(void)unused;
	near_to(a.low, b.low, 1e-14);
	near_to(a.high, b.high, 1e-14);
}

static void one_cluster_tells_nothing_about_spread(void **unused)
{
	static const double x[] = { 1, 0 };
	static const uint32_t c[] = { 1, 1 };
	double sum[2];
	struct estimate a = stats_clustered(x, c, 2, 2, sum);

	(void)unused;
	assert_true(!a.known && a.mean == .5 && a.low == .5 && a.high == .5);
}

/* The published intervals are those of a bootstrap: [0.20, 2.02] and [1.76, 4.37]
 * points. The adjusted interval gives both to a hundredth, Wald's the second. */
static void paired_differences_have_the_published_intervals(void **unused)
{
	struct estimate a = stats_paired_adjusted(33, 16, 1534);
	struct estimate b = stats_paired_adjusted(76, 29, 1534);
	struct estimate w = stats_paired_wald(76, 29, 1534);
	struct estimate v = stats_paired_wald(33, 16, 1534);

	(void)unused;
	near_to(a.mean, .0111, .00005);
	near_to(a.low, .0020, .00005);
	near_to(a.high, .0202, .00005);
	near_to(b.mean, .0306, .00005);
	near_to(b.low, .0176, .00015);
	near_to(b.high, .0437, .00005);
	near_to(w.low, .0176, .00005);
	near_to(w.high, .0436, .00005);
	near_to(v.low, .0020, .0002);
	near_to(v.high, .0202, .0002);
}

static void a_paired_t_is_the_mean_of_the_differences(void **unused)
{
	double x[12] = { 1, 1, 1, -1 };
	struct estimate a = stats_paired_t(3, 1, 12), b = stats_mean(x, 12);

	(void)unused;
	near_to(a.mean, b.mean, 1e-15);
	near_to(a.low, b.low, 1e-14);
	near_to(a.high, b.high, 1e-14);
}

static void power_is_what_counting_outcomes_gives(void **unused)
{
	/* Of 6 pairs only 6-0 and 0-6 are significant at .05. */
	(void)unused;
	near_to(mcnemar_power(6, .9, .05), pow(.9, 6) + pow(.1, 6), 1e-14);
	near_to(mcnemar_power(6, .5, .05), 2 / 64.0, 1e-15);
	assert_true(mcnemar_power(5, 1, .05) == 0);
	assert_true(mcnemar_power(6, 1, .05) == 1);
	assert_true(mcnemar_power(0, .5, .05) == 0);
	assert_true(mcnemar_power(200, .7, .05) > .999);
}

static void differences_below_a_point_do_not_show_on_one_pool(void **unused)
{
	/* 3 to 7 % discordant of 1,534. */
	(void)unused;
	assert_true(mcnemar_detectable(46, 1534, .8, .05) > .01);
	assert_true(mcnemar_detectable(107, 1534, .8, .05) > .01);
	assert_true(mcnemar_detectable(107, 1534, .8, .05) < .03);
	assert_true(mcnemar_detectable(3, 1534, .8, .05) == 1);
}

static void holm_steps_down_and_stays_monotone(void **unused)
{
	static const double p[] = { .01, .04, .03, .005 };
	double q[4];

	(void)unused;
	stats_holm(p, 4, q);
	near_to(q[3], .02, 1e-15);
	near_to(q[0], .03, 1e-15);
	near_to(q[2], .06, 1e-15);
	near_to(q[1], .06, 1e-15);
	stats_holm((const double[]){ .6, .9 }, 2, q);
	assert_true(q[0] == 1 && q[1] == 1);
}

static void chance_agrees_as_METHODS_15_6_says(void **unused)
{
	static const uint32_t size[] = { 4, 2, 1, 1 };

	(void)unused;
	near_to(consistency_by_chance_group(size, 4), 22 / 64.0, 1e-15);
	near_to(consistency_by_chance_candidate(8), .125, 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_seeds_sign_flip_is_mcnemars),
		cmocka_unit_test(a_question_asked_three_times_is_one_question),
		cmocka_unit_test(mcnemar_has_the_published_values),
		cmocka_unit_test(
			mcnemar_is_the_same_on_both_sides_of_its_change_of_method),
		cmocka_unit_test(a_share_is_the_mean_of_zeros_and_ones),
		cmocka_unit_test(one_value_tells_nothing_about_spread),
		cmocka_unit_test(values_without_spread_have_an_interval_of_no_width),
		cmocka_unit_test(clustered_intervals_follow_their_formula),
		cmocka_unit_test(clusters_of_one_are_the_plain_interval),
		cmocka_unit_test(one_cluster_tells_nothing_about_spread),
		cmocka_unit_test(paired_differences_have_the_published_intervals),
		cmocka_unit_test(a_paired_t_is_the_mean_of_the_differences),
		cmocka_unit_test(power_is_what_counting_outcomes_gives),
		cmocka_unit_test(differences_below_a_point_do_not_show_on_one_pool),
		cmocka_unit_test(holm_steps_down_and_stays_monotone),
		cmocka_unit_test(chance_agrees_as_METHODS_15_6_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
