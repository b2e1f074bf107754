/* ops_options.c - where values come from, and what a wrong one is told */
#include "tests/support/cm.h"

#include "ops/guess.h"
#include "ops/options.h"

#include <stdio.h>
#include <string.h>

#define READ(o, e, ...) \
	options_flags(o, V_RUN, \
		      sizeof((char *[]){ "x", __VA_ARGS__ }) / sizeof(char *), \
		      (char *[]){ "x", __VA_ARGS__, NULL }, e)

static void a_flag_is_taken_in_both_forms(void **state)
{
	struct options o = { 0 };

	(void)state;
	assert_int_equal(READ(&o, NULL, "--seed", "7", "--window=6", "sweep.yaml"), 0);
	assert_string_equal(opt_text(&o, FLAG_seed), "7");
	assert_int_equal(opt_count(&o, FLAG_window), 6);
	assert_int_equal(o.nargs, 1);
	assert_string_equal(o.arg[0], "sweep.yaml");
	options_free(&o);
}

static void every_flag_can_be_said(void **state)
{
	(void)state;
	for (enum flag f = 0; f < FLAGS; f++) {
		struct options o = { 0 };
		struct err e = { 0 };
		char arg[64], *argv[] = { "x", arg, NULL };

		snprintf(arg, sizeof arg, "--%s=true", flag_name(f));
		if (options_flags(&o, V_ALL, 2, argv, &e))
			assert_non_null(strstr(
				e.text, flag_name(f))); /* its type, not its name */
		else
			assert_non_null(opt_text(&o, f));
		options_free(&o);
	}
}

static void a_flag_is_stronger_than_a_variable_and_that_than_the_default(void **state)
{
	char *env[] = { "MAPFLEET_SEED=3", "MAPFLEET_MAX_CONNECTIONS=9",
			"MAPFLEET_SHARED=/x", NULL };
	struct options o = { 0 };

	(void)state;
	assert_int_equal(READ(&o, NULL, "--seed=4"), 0);
	assert_int_equal(options_variables(&o, env, NULL), 0);
	options_defaults(&o);
	assert_string_equal(opt_text(&o, FLAG_seed), "4");
	assert_int_equal(opt_count(&o, FLAG_max_connections), 9);
	assert_int_equal(opt_count(&o, FLAG_step), 4);
	assert_true(opt_said(&o, FLAG_seed));
	assert_false(opt_said(&o, FLAG_step));
	options_free(&o);
}

static void a_list_grows_and_is_parted_at_commas(void **state)
{
	struct options o = { 0 };
	const char **list;
	size_t n;

	(void)state;
	assert_int_equal(
		READ(&o, NULL, "--method", "map, greedy", "--method=majority,"), 0);
	list = opt_list(&o, FLAG_method, &n);
	assert_int_equal(n, 3);
	assert_string_equal(list[0], "map");
	assert_string_equal(list[1], "greedy");
	assert_string_equal(list[2], "majority");
	options_free(&o);
}

static void a_header_keeps_its_commas(void **state)
{
	struct options o = { 0 };

	(void)state;
	assert_int_equal(READ(&o, NULL, "--header", "A: 1, 2", "--header", "B: 3"), 0);
	assert_string_equal(opt_text(&o, FLAG_header), "A: 1, 2\nB: 3");
	options_free(&o);
}

static void a_switch_takes_true_false_or_nothing(void **state)
{
	struct options o = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(READ(&o, NULL, "--lenient", "--skip-bad=no"), 0);
	assert_true(opt_on(&o, FLAG_lenient));
	assert_false(opt_on(&o, FLAG_skip_bad));
	options_free(&o);
	o = (struct options){ 0 };
	assert_int_equal(READ(&o, &e, "--lenient=perhaps"), ERR_USAGE);
	options_free(&o);
}

static void numbers_outside_their_range_are_refused(void **state)
{
	static char *const bad[] = { "--window=0",       "--window=1e99",
				     "--window=",        "--window=8x",
				     "--window=inf",     "--window=0x8p",
				     "--confidence=0.2", "--temperature=-1",
				     "--max-retries=-1", "--workers=1.5" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct options o = { 0 };
		struct err e = { 0 };

		assert_int_equal(READ(&o, &e, bad[i]), ERR_USAGE);
		assert_true(e.text[0] != 0);
		options_free(&o);
	}
}

static void the_nearest_name_is_the_one_with_fewest_changes(void **state)
{
	static const char *const names[] = { "seed", "passes", "max-connections",
					     "sql-steps" };

	(void)state;
	assert_int_equal(guess_distance("seed", "seed"), 0);
	assert_int_equal(guess_distance("sede", "seed"),
			 1); /* two neighbours swapped */
	assert_int_equal(guess_distance("", "seed"), 4);
	assert_int_equal(guess_distance("Max_Connections", "max-connections"), 0);
	assert_string_equal(guess_of("max_conections", names, 4), "max-connections");
	assert_string_equal(guess_of("pass", names, 4), "passes");
	assert_null(guess_of("qqqqqqq", names, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flag_is_taken_in_both_forms),
		cmocka_unit_test(every_flag_can_be_said),
		cmocka_unit_test(
			a_flag_is_stronger_than_a_variable_and_that_than_the_default),
		cmocka_unit_test(a_list_grows_and_is_parted_at_commas),
		cmocka_unit_test(a_header_keeps_its_commas),
		cmocka_unit_test(a_switch_takes_true_false_or_nothing),
		cmocka_unit_test(numbers_outside_their_range_are_refused),
		cmocka_unit_test(the_nearest_name_is_the_one_with_fewest_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
