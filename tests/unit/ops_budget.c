/* ops_budget.c - rounds of drafts: who may ask once more, and until when
 *
 * Of the fake sweep's runs only lean's has a budget. What its drafts would say is made
 * up: question q is sure by 0.5 + q / 100, and asks whenever it may.
 */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "ops/budget.h"
#include "proto/choice.h"
#include "tests/support/fake.h"

enum { LEAN = 4 };

static struct fake fake;
static struct budget *budget;
static struct core *core;

static int begin(void **unused)
{
	struct core_config cfg = { .sweep = &fake.sweep, .epoch = 1, .lease_ms = 1000 };

	(void)unused;
	fake_make(&fake);
	fake.sweep.run[LEAN].own[1] = 8; /* most */
	return core_new(&cfg, &core);
}

static int end(void **unused)
{
	(void)unused;
	budget_free(&budget);
	core_free(&core);
	fake_free(&fake);
	return 0;
}

static void give(uint64_t asks)
{
	fake.sweep.run[LEAN].budget = asks;
	fake.sweep.run[LEAN].has_budget = 1;
	assert_int_equal(budget_new(&fake.sweep, &budget), 0);
	assert_non_null(budget);
}

static uint32_t may(uint32_t q)
{
	return *(const uint32_t *)budget_arg(budget, q, LEAN);
}

static void draft_all(void)
{
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		struct choice c = { .chosen = 0,
				    .confidence = 0.5 + q / 100.0,
				    .tied = 1,
				    .asks = may(q),
				    .reason = view_of("") };
		struct unit u = { .question = q, .tag = LEAN, .draft = 1 };
		struct buf record = { 0 };

		choice_encode(&c, &record);
		budget_draft(budget, &u, buf_view(&record));
		buf_free(&record);
	}
}

static void without_a_budget_there_is_nothing_to_do(void **unused)
{
	(void)unused;
	assert_int_equal(budget_new(&fake.sweep, &budget), 0);
	assert_null(budget);
	assert_null(budget_arg(budget, 0, LEAN));
}

static void the_first_round_drafts_all_questions_of_runs_with_a_budget(void **unused)
{
	(void)unused;
	give(3);
	assert_int_equal(budget_round(budget, core), FAKE_QUESTIONS);
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(may(q), 0);
		assert_null(budget_arg(budget, q, LEAN - 1));
	}
}

static void rounds_go_on_until_the_budget_is_spent(void **unused)
{
	(void)unused;
	give(3);
	budget_round(budget, core);
	draft_all();
	assert_int_equal(budget_round(budget, core), 2);
	assert_int_equal(may(0) + may(1), 2);
	draft_all();
	assert_int_equal(budget_round(budget, core), 1);
	assert_int_equal(may(0), 2); /* the least sure, still */
	draft_all();
	assert_int_equal(budget_round(budget, core), 0);
}

static void a_draft_that_cannot_be_read_ends_the_rounds(void **unused)
{
	struct unit u = { .question = 1, .tag = LEAN, .draft = 1 };

	(void)unused;
	give(3);
	budget_round(budget, core);
	budget_draft(budget, &u, view_of("no choice"));
	assert_int_equal(budget_round(budget, core), -ERR_PROTO);
}

static void any_allocation_may_fail(void **unused)
{
	int n = 0, rc = ERR_NOMEM;

	(void)unused;
	fake.sweep.run[LEAN].has_budget = 1;
	for (; rc; n++) {
		mem_fail_after(n);
		rc = budget_new(&fake.sweep, &budget);
		assert_true(rc == 0 || rc == ERR_NOMEM);
		assert_int_equal(rc == 0, budget != NULL);
	}
	mem_fail_after(-1);
	assert_true(n > 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_budget_there_is_nothing_to_do),
		TEST(the_first_round_drafts_all_questions_of_runs_with_a_budget),
		TEST(rounds_go_on_until_the_budget_is_spent),
		TEST(a_draft_that_cannot_be_read_ends_the_rounds),
		TEST(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
