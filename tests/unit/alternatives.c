/* alternatives.c - what tokens mean, and what their probabilities say together */
#include "tests/support/cm.h"

#include "common/base/round.h"
#include "proto/alternatives.h"

#include <math.h>

static struct alternatives of(size_t n, const char *const *token, const double *p)
{
	struct alternatives a = { 0 };

	for (size_t i = 0; i < n; i++)
		alternatives_add(&a, view_of(token[i]), log(p[i]));
	return a;
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 2e-6);
}

static void a_label_is_one_letter_whatever_stands_around_it(void **unused)
{
	static const char *const a[] = { "A",
					 " A",
					 "[A",
					 "[A]",
					 "a",
					 "(a)",
					 "**A",
					 "\"A\"",
					 "A.",
					 "\nA",
					 "`A`",
					 "A:",
					 "\xc4\xa0"
					 "A",
					 "\xe2\x96\x81"
					 "A" };
	static const char *const none[] = { "",  " ", "[", "AB",       "An",
					    "1", "E", "e", "\xc3\x84", "A B" };

	(void)unused;
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		assert_int_equal(token_label(view_of(a[i]), 4), 0);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(token_label(view_of(none[i]), 4), -1);
	assert_int_equal(token_label(view_of(" D"), 4), 3);
	assert_int_equal(token_label(view_of("z"), 26), 25);
	assert_int_equal(token_label(view_of("{"), 26), -1);
}

static void yes_and_no_are_known_in_any_case_and_by_their_letter(void **unused)
{
	static const char *const yes[] = { "Yes", " yes", "YES.", "\"Yes", "Y", "y" };
	static const char *const no[] = { "No", " no", "NO", "n", "**No**" };
	static const char *const none[] = { "Not", "None", "Yesterday", "", "Ye", "[" };

	(void)unused;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_int_equal(token_yes(view_of(yes[i])), 1);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_int_equal(token_yes(view_of(no[i])), 0);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(token_yes(view_of(none[i])), -1);
}

static void the_tokens_of_a_label_are_summed(void **unused)
{
	static const char *const token[] = { " B", "A", "B", "[A", "The", "a" };
	static const double p[] = { 0.4, 0.1, 0.1, 0.1, 0.2, 0.05 };
	struct alternatives a = of(6, token, p);
	double got[3];

	(void)unused;
	assert_int_equal(alternatives_labels(&a, 3, got), 1);
	assert_near(got[0], 0.25 / 0.75);
	assert_near(got[1], 0.5 / 0.75);
	assert_near(got[2], 0);
	assert_true(got[0] == round20(got[0]));
}

static void without_a_label_nothing_is_said(void **unused)
{
	static const char *const token[] = { "The", "Is" };
	static const double p[] = { 0.6, 0.2 };
	struct alternatives a = of(2, token, p), none = { 0 };
	double got[2];

	(void)unused;
	assert_int_equal(alternatives_labels(&a, 2, got), 0);
	assert_int_equal(alternatives_labels(&none, 2, got), 0);
	assert_int_equal(alternatives_yes(&a, got), 0);
	assert_int_equal(alternatives_yes(&none, got), 0);
}

static void yes_is_weighed_against_no_alone(void **unused)
{
	static const char *const token[] = { "Yes", "No", " yes", "Maybe" };
	static const double p[] = { 0.3, 0.1, 0.1, 0.5 };
	struct alternatives a = of(4, token, p), sure = of(1, token, p);
	double got;

	(void)unused;
	assert_int_equal(alternatives_yes(&a, &got), 1);
	assert_near(got, 0.8);
	assert_int_equal(alternatives_yes(&sure, &got), 1);
	assert_near(got, 1);
}

/* vLLM's floor is no probability, and a token it has twice is one. */
static void floors_repeats_and_numbers_that_are_none_are_harmless(void **unused)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct alternatives a = { 0 };
	double got[2];

	(void)unused;
	alternatives_add(&a, view_of("A"), -9999.0);
	assert_int_equal(alternatives_labels(&a, 2, got), 0);
	alternatives_add(&a, view_of("B"), -0.5);
	alternatives_add(&a, view_of("B"), -0.5);
	alternatives_add(&a, view_of(" A"), NAN);
	alternatives_add(&a, view_of(" A"), 3);
	assert_int_equal(a.n, 2);
	assert_int_equal(alternatives_labels(&a, 2, got), 1);
	assert_near(got[0], 0);
	assert_near(got[1], 1);
	for (size_t i = 0; i < 2 * ALTERNATIVES; i++)
		alternatives_add(&a, (struct view){ letters + i, 1 }, -1);
	assert_int_equal(a.n, ALTERNATIVES);
}

static void they_are_read_as_they_were_written(void **unused)
{
	static const char *const token[] = { " B", "A" };
	static const double p[] = { 0.5, 0.25 };
	struct alternatives a = of(2, token, p), got;
	struct buf b = { 0 };
	struct cursor c;

	(void)unused;
	alternatives_pack(&b, &a);
	c = cur_of(buf_view(&b));
	got = alternatives_take(&c);
	assert_true(cur_done(&c));
	assert_int_equal(got.n, 2);
	assert_true(view_eq(got.at[0].token, view_of(" B")));
	assert_true(got.at[1].logprob == log(0.25));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_is_one_letter_whatever_stands_around_it),
		cmocka_unit_test(yes_and_no_are_known_in_any_case_and_by_their_letter),
		cmocka_unit_test(the_tokens_of_a_label_are_summed),
		cmocka_unit_test(without_a_label_nothing_is_said),
		cmocka_unit_test(yes_is_weighed_against_no_alone),
		cmocka_unit_test(floors_repeats_and_numbers_that_are_none_are_harmless),
		cmocka_unit_test(they_are_read_as_they_were_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
