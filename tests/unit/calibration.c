/* calibration.c - numbers that can be checked on paper */
#include "tests/support/cm.h"

#include "common/select/calibration.h"

#include <math.h>

#define NEAR(a, b, by) assert_true(fabs((a) - (b)) < (by))

static void choices_are_sorted_by_p_and_keep_their_order_where_equal(void **unused)
{
	struct sure v[] = { { .5, 1, 0 }, { .9, 0, 0 }, { .5, 0, 0 } };

	(void)unused;
	calibration_sort(v, 3);
	assert_true(v[0].p == .9);
	assert_int_equal(v[1].right, 1);
	assert_int_equal(v[2].order, 2);
	calibration_sort(v, 0);
}

/* Bins of two: (.9 + .8) - 1 right = .7; (.4 + .2) - 1 = -.4; 1.1 / 4. */
static void ece_is_the_mean_gap_of_bins_of_equal_mass(void **unused)
{
	struct sure v[] = { { .9, 1, 0 }, { .8, 0, 0 }, { .4, 1, 0 }, { .2, 0, 0 } };

	(void)unused;
	calibration_sort(v, 4);
	NEAR(calibration_ece(v, 4, 2), 0.275, 1e-12);
	NEAR(calibration_ece(v, 4, 1), 0.075, 1e-12); /* 2.3 - 2 */
	NEAR(calibration_ece(v, 4, 4), 0.425, 1e-12); /* .1 .8 .6 .2 */
	assert_true(calibration_ece(v, 0, 10) == 0);
}

/* Risks 0, 1/2, 1/3, 2/4. */
static void aurc_is_the_mean_risk_over_all_coverages(void **unused)
{
	struct sure v[] = { { .9, 1, 0 }, { .8, 0, 0 }, { .4, 1, 0 }, { .2, 0, 0 } };

	(void)unused;
	calibration_sort(v, 4);
	NEAR(calibration_aurc(v, 4), (0 + 1. / 2 + 1. / 3 + 2. / 4) / 4, 1e-12);
	NEAR(calibration_wrong(v, 4, 3), 1, 1e-12);
}

static void equal_confidence_says_nothing_about_the_order(void **unused)
{
	struct sure v[] = { { .9, 1, 0 }, { .5, 0, 0 }, { .5, 1, 0 } };
	struct sure w[] = { { .9, 1, 0 }, { .5, 1, 0 }, { .5, 0, 0 } };

	(void)unused;
	calibration_sort(v, 3);
	calibration_sort(w, 3);
	NEAR(calibration_wrong(v, 3, 2), .5, 1e-12);
	NEAR(calibration_aurc(v, 3), (0 + .25 + 1. / 3) / 3, 1e-12);
	NEAR(calibration_aurc(w, 3), calibration_aurc(v, 3), 1e-15);
}

static void tails_are_exact(void **unused)
{
	(void)unused;
	NEAR(binomial_tail(0, 28, .1), pow(.9, 28), 1e-12);
	NEAR(binomial_tail(1, 3, .5), .5, 1e-12);
	NEAR(binomial_tail(3, 3, .5), 1, 1e-12);
}

/* .9^50 = .0052 and .9^51 = .0046: of 51 at least none may be wrong, at .05 / 10. */
static void tau_is_the_lowest_that_can_be_trusted(void **unused)
{
	struct sure v[100];
	double tau = -1;

	(void)unused;
	for (uint32_t i = 0; i < 100; i++)
		v[i] = (struct sure){ .p = 1 - i / 200., .right = i < 65 };
	calibration_sort(v, 100);
	assert_int_equal(calibration_tau(v, 50, .1, .05, &tau), 0);
	assert_true(tau == -1);
	assert_int_equal(calibration_tau(v, 60, .1, .05, &tau), 1);
	assert_true(tau == v[59].p);
	/* Tried are 10, 20, ... 100; of 70 five are wrong. */
	assert_int_equal(calibration_tau(v, 100, .1, .05, &tau), 1);
	assert_true(tau == v[59].p);
	v[0].right =
		0; /* with one wrong 60 do not do: .9^60 + 60 * .1 * .9^59 = .0138 */
	assert_int_equal(calibration_tau(v, 100, .1, .05, &tau), 0);
}

static void equal_p_are_taken_together_or_not_at_all(void **unused)
{
	struct sure v[100];
	double tau = -1;

	(void)unused;
	for (uint32_t i = 0; i < 100; i++)
		v[i] = (struct sure){ .p = i < 55 ? .9 : .5, .right = i < 90 };
	calibration_sort(v, 100);
	assert_int_equal(calibration_tau(v, 100, .1, .05, &tau), 1);
	assert_true(tau == .9);
	assert_int_equal(calibration_tau(v, 0, .1, .05, &tau), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			choices_are_sorted_by_p_and_keep_their_order_where_equal),
		cmocka_unit_test(ece_is_the_mean_gap_of_bins_of_equal_mass),
		cmocka_unit_test(aurc_is_the_mean_risk_over_all_coverages),
		cmocka_unit_test(equal_confidence_says_nothing_about_the_order),
		cmocka_unit_test(tails_are_exact),
		cmocka_unit_test(tau_is_the_lowest_that_can_be_trusted),
		cmocka_unit_test(equal_p_are_taken_together_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
