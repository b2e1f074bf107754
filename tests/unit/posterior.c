/* posterior.c - beliefs add up, and no answer is the last word */
#include "tests/support/cm.h"

#include "common/base/round.h"
#include "common/select/posterior.h"

static void near(double is, double wanted, double by)
{
	assert_true(fabs(is - wanted) <= by);
}

static void shares_are_a_softmax_and_sum_to_one(void **unused)
{
	const double belief[] = { 0, round20(log(3)), -700 };
	double share[3];

	(void)unused;
	posterior_shares(belief, 3, share);
	near(share[0], 0.25, 1e-6);
	near(share[1], 0.75, 1e-6);
	near(share[2], 0, 0);
}

static void large_beliefs_do_not_overflow(void **unused)
{
	const double belief[] = { 5000, 5000 };
	double share[2];

	(void)unused;
	posterior_shares(belief, 2, share);
	near(share[0], 0.5, 0);
	near(share[1], 0.5, 0);
}

static void of_equal_beliefs_the_smaller_number_stands_first(void **unused)
{
	const double belief[] = { 1, 2, 1, 2, 3 };
	const uint32_t want[] = { 4, 1, 3, 0, 2 };
	uint32_t order[5];

	(void)unused;
	posterior_order(belief, 5, order);
	for (int i = 0; i < 5; i++)
		assert_int_equal(order[i], want[i]);
}

static void a_pick_moves_the_picked_one_up_by_weight_times_floor(void **unused)
{
	double belief[] = { 1, 0, -1 };
	const uint32_t group[] = { 2, 0 };
	const double p[] = { 1, 0 };

	(void)unused;
	posterior_add(belief, group, p, 2, 0.5, -2.5);
	near(belief[0], 1 - 1.25, 0); /* shown, not picked */
	near(belief[1], 0, 0);        /* not shown */
	near(belief[2], -1, 0);       /* picked */
}

static void probabilities_count_by_their_logarithm_down_to_the_floor(void **unused)
{
	double belief[] = { 0, 0, 0 };
	const uint32_t group[] = { 0, 1, 2 };
	const double p[] = { 0.5, 0.49999, 1e-9 };

	(void)unused;
	posterior_add(belief, group, p, 3, 1, -3);
	near(belief[0], round20(log(0.5)), 0);
	near(belief[2], -3, 0);
	assert_true(belief[0] > belief[1]);
}

static void answers_in_any_order_give_the_same_belief_but_for_rounding(void **unused)
{
	const uint32_t group[] = { 0, 1 };
	const double p[] = { 0.7, 0.3 }, q[] = { 0.2, 0.8 };
	double a[] = { 0, 0 }, b[] = { 0, 0 };

	(void)unused;
	posterior_add(a, group, p, 2, 0.5, -3);
	posterior_add(a, group, q, 2, 0.5, -3);
	posterior_add(b, group, q, 2, 0.5, -3);
	posterior_add(b, group, p, 2, 0.5, -3);
	near(a[0], b[0], 0x1p-20);
	near(a[1], b[1], 0x1p-20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_a_softmax_and_sum_to_one),
		cmocka_unit_test(large_beliefs_do_not_overflow),
		cmocka_unit_test(of_equal_beliefs_the_smaller_number_stands_first),
		cmocka_unit_test(a_pick_moves_the_picked_one_up_by_weight_times_floor),
		cmocka_unit_test(
			probabilities_count_by_their_logarithm_down_to_the_floor),
		cmocka_unit_test(
			answers_in_any_order_give_the_same_belief_but_for_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
