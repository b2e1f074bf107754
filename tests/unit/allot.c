/* allot.c - a counted number of asks goes where least is known, whatever comes first */
#include "tests/support/cm.h"

#include "common/select/allot.h"

#include <string.h>

enum { N = 9, MOST = 8 };

static struct claim claim[N], *order[N];

/* Question i is sure by 0.1 * (i + 1); nobody has asked. */
static void begin(void)
{
	for (uint32_t i = 0; i < N; i++)
		claim[i] = (struct claim){ .sure = (i + 1) / 10.0,
					   .most = MOST,
					   .unsure = 1 };
}

/* Everyone asks what it may, and each answer makes it surer by a tenth. */
static void ask(void)
{
	for (uint32_t i = 0; i < N; i++)
		for (; claim[i].unsure && claim[i].asked < claim[i].may;
		     claim[i].asked++) {
			claim[i].sure += .1;
			claim[i].unsure = claim[i].sure < .95;
		}
}

static uint32_t asked_in_all(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < N; i++)
		sum += claim[i].asked;
	return sum;
}

static void spend(uint64_t budget)
{
	begin();
	while (allot_round(claim, N, budget, order))
		ask();
}

static void the_least_sure_quarter_asks_first(void **unused)
{
	(void)unused;
	begin();
	assert_int_equal(allot_round(claim, N, 20, order), 3);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(claim[i].may, i < 3);
		assert_int_equal(claim[i].raised, i < 3);
	}
}

static void of_equals_the_first_in_the_list_asks(void **unused)
{
	(void)unused;
	begin();
	for (uint32_t i = 0; i < N; i++)
		claim[i].sure = .5;
	assert_int_equal(allot_round(claim, N, 2, order), 2);
	assert_int_equal(claim[0].may + claim[1].may, 2);
}

static void no_budget_is_overspent_and_none_is_left_while_somebody_wants(void **unused)
{
	uint32_t all;

	(void)unused;
	spend(UINT32_MAX);
	all = asked_in_all();
	assert_true(all > 20);
	for (uint32_t budget = 0; budget <= all + 3; budget++) {
		spend(budget);
		assert_int_equal(asked_in_all(), budget < all ? budget : all);
	}
}

static void what_few_asks_buy_more_asks_buy_too(void **unused)
{
	uint32_t before[N] = { 0 };

	(void)unused;
	for (uint32_t budget = 0; budget < 50; budget++) {
		spend(budget);
		for (uint32_t i = 0; i < N; i++) {
			assert_true(claim[i].asked >= before[i]);
			before[i] = claim[i].asked;
		}
	}
}

static void enough_for_all_is_given_at_once(void **unused)
{
	(void)unused;
	begin();
	claim[4].unsure = 0;
	assert_int_equal(allot_round(claim, N, (N - 1) * MOST, order), N - 1);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(claim[i].may, i == 4 ? 0 : MOST);
	ask();
	assert_int_equal(allot_round(claim, N, (N - 1) * MOST, order), 0);
}

static void who_did_not_use_what_it_had_gets_no_more_and_its_ask_goes_on(void **unused)
{
	(void)unused;
	begin();
	assert_int_equal(allot_round(claim, N, 1, order), 1);
	assert_int_equal(claim[0].may, 1); /* and nobody answers it */
	assert_int_equal(allot_round(claim, N, 1, order), 1);
	assert_int_equal(claim[0].may, 1);
	assert_int_equal(claim[1].may, 1);
}

static void nobody_gets_more_than_its_most(void **unused)
{
	(void)unused;
	begin();
	claim[0].most = claim[0].may = claim[0].asked = 2;
	claim[1].most = 0;
	assert_int_equal(allot_round(claim, N, 4, order), 2);
	assert_int_equal(claim[0].may, 2);
	assert_int_equal(claim[1].may, 0);
	assert_int_equal(claim[2].may + claim[3].may, 2);
}

static void a_list_of_none_wants_nothing(void **unused)
{
	(void)unused;
	assert_int_equal(allot_round(claim, 0, 5, order), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_sure_quarter_asks_first),
		cmocka_unit_test(of_equals_the_first_in_the_list_asks),
		cmocka_unit_test(
			no_budget_is_overspent_and_none_is_left_while_somebody_wants),
		cmocka_unit_test(what_few_asks_buy_more_asks_buy_too),
		cmocka_unit_test(enough_for_all_is_given_at_once),
		cmocka_unit_test(
			who_did_not_use_what_it_had_gets_no_more_and_its_ask_goes_on),
		cmocka_unit_test(nobody_gets_more_than_its_most),
		cmocka_unit_test(a_list_of_none_wants_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
