/* rves.c - R-VES has the rewards and the cut of BIRD's script */
#include "tests/support/cm.h"

#include "common/select/rves.h"

#include <math.h>

static void rewards_are_steps(void **unused)
{
	(void)unused;
	assert_true(rves_reward(3) == 1.25 && rves_reward(2) == 1.25);
	assert_true(rves_reward(1.999) == 1 && rves_reward(1) == 1);
	assert_true(rves_reward(.999) == .75 && rves_reward(.5) == .75);
	assert_true(rves_reward(.499) == .5 && rves_reward(.25) == .5);
	assert_true(rves_reward(.249) == .25);
	assert_true(rves_reward(0) == 0);
}

static void points_are_the_rewards_square_roots(void **unused)
{
	(void)unused;
	assert_true(fabs(rves_points(2) - 111.80339887498949) < 1e-12);
	assert_true(rves_points(1) == 100);
	assert_true(fabs(rves_points(.5) - 86.602540378443865) < 1e-12);
	assert_true(fabs(rves_points(.25) - 70.710678118654752) < 1e-12);
	assert_true(rves_points(.1) == 50);
	assert_true(rves_points(0) == 0 && rves_points(-1) == 0); /* wrong */
}

/* 20 ratios about 1 and one of 50: mean 3.33, sd 10.4, so 50 is out. */
static void three_standard_deviations_are_out(void **unused)
{
	double x[21];

	(void)unused;
	for (int i = 0; i < 20; i++)
		x[i] = i % 2 ? .9 : 1.1;
	x[20] = 50;
	assert_true(fabs(rves_ratio(x, 21) - 1) < 1e-12);
	/* of three no value can be so far out */
	x[0] = 1;
	x[1] = 1;
	x[2] = 100;
	assert_true(fabs(rves_ratio(x, 3) - 34) < 1e-12);
}

static void ratios_without_spread_leave_none(void **unused)
{
	double x[4] = { 1, 1, 1, 1 };

	(void)unused;
	assert_true(rves_ratio(x, 4) == 0);
	assert_true(rves_ratio(x, 1) == 0);
	assert_true(rves_ratio(x, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewards_are_steps),
		cmocka_unit_test(points_are_the_rewards_square_roots),
		cmocka_unit_test(three_standard_deviations_are_out),
		cmocka_unit_test(ratios_without_spread_leave_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
