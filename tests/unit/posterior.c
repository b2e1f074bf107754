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

static void places_that_all_cost_the_same_cost_nothing(void **unused)
{
	const uint32_t group[] = { 2, 0, 1 };
	const double pick[] = { 0, 1, 0 }, share[] = { 0.2, 0.7, 0.1 };
	const double cost[] = { 0.9, 0.9, 0.9 };

	(void)unused;
	for (int bare = 0; bare < 2; bare++) {
		const double *p = bare ? pick : share;
		double a[] = { 0, 0, 0 }, b[] = { 0, 0, 0 };

		posterior_add(a, group, p, 3, 0.5, -2.4);
		posterior_add_placed(b, group, p, cost, 3, 0.5, -2.4);
		near(a[0] - a[1], b[0] - b[1], 0x1p-19);
		near(a[0] - a[2], b[0] - b[2], 0x1p-19);
	}
}

/* Two places, the second costs ln 2, being right is worth ln 4. Picked first: 4 / (4 +
 * 1/2) if it is right, 1 / (1 + 2) if the other is. Picked from the back: 2 / (1 + 2)
 * and 1/2 / (4 + 1/2). */
static void a_pick_from_the_back_says_more(void **unused)
{
	const uint32_t group[] = { 0, 1 };
	const double first[] = { 1, 0 }, second[] = { 0, 1 }, cost[] = { 0, log(2) };
	double a[] = { 0, 0 }, b[] = { 0, 0 };

	(void)unused;
	posterior_add_placed(a, group, first, cost, 2, 1, -log(4));
	near(a[0] - a[1], log(4 / 4.5 / (1 / 3.0)), 0x1p-19);
	posterior_add_placed(b, group, second, cost, 2, 1, -log(4));
	near(b[1] - b[0], log(2 / 3.0 / (0.5 / 4.5)), 0x1p-19);
	assert_true(b[1] - b[0] > a[0] - a[1]);
}

/* 0.8 and 0.2 where the second costs ln 2 are 2/3 and 1/3 where it costs nothing. */
static void a_probability_is_what_it_would_be_without_costs(void **unused)
{
	const uint32_t group[] = { 0, 1 };
	const double p[] = { 0.8, 0.2 }, none[] = { 1.5, 0 }, cost[] = { 0, log(2) };
	double a[] = { 0, 0 }, b[] = { 0, 0 };

	(void)unused;
	posterior_add_placed(a, group, p, cost, 2, 1, -3);
	near(a[0], log(2 / 3.0), 0x1p-19);
	near(a[1], log(1 / 3.0), 0x1p-19);
	posterior_add_placed(b, group, none, cost, 2, 1,
			     -3); /* no more than the floor */
	near(b[0], 0, 0x1p-19);
	near(b[1], -3, 0x1p-19);
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
		cmocka_unit_test(places_that_all_cost_the_same_cost_nothing),
		cmocka_unit_test(a_pick_from_the_back_says_more),
		cmocka_unit_test(a_probability_is_what_it_would_be_without_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
