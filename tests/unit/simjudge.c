/* simjudge.c - the simulated judge is as good, and as repetitive, as it says */
#include "tests/support/cm.h"

#include "common/select/simjudge.h"

#include <math.h>
#include <stdio.h>

enum { ASKS = 100000 };

/* One ask between a right and a wrong one, the right one at `place`: is it above? */
static int right_wins(const struct simjudge *j, int question, int ask, int place)
{
	struct sim_candidate c[2] = { { view_of("SELECT 1"), place == 0 },
				      { view_of("SELECT 2"), place == 1 } };
	char q[16], a[16];
	double u[2];

	snprintf(q, sizeof q, "%d", question);
	snprintf(a, sizeof a, "pass %d", ask);
	simjudge_scores(j, view_of(q), view_of(a), c, 2, u);
	return u[place] > u[1 - place];
}

static double accuracy(double nominal, double shared)
{
	struct simjudge j = { .accuracy = nominal, .shared = shared, .seed = 42 };
	int right = 0;

	for (int i = 0; i < ASKS; i++)
		right += right_wins(&j, i, 0, i % 2);
	return (double)right / ASKS;
}

static void between_two_the_right_one_wins_as_often_as_nominal(void **unused)
{
	(void)unused;
	assert_true(fabs(accuracy(.8, 0) - .8) < .005);
	assert_true(fabs(accuracy(.8, .5) - .8) < .005);
	assert_true(fabs(accuracy(.6, .5) - .6) < .005);
	assert_true(fabs(accuracy(.95, 1) - .95) < .005);
}

/* Phi between two passes over the same questions. */
static double correlation(double shared)
{
	struct simjudge j = { .accuracy = .7, .shared = shared, .seed = 42 };
	double n = 20000, x = 0, y = 0, xy = 0;

	for (int i = 0; i < (int)n; i++) {
		int a = right_wins(&j, i, 1, i % 2), b = right_wins(&j, i, 2, i % 2);

		x += a;
		y += b;
		xy += a && b;
	}
	x /= n;
	y /= n;
	return (xy / n - x * y) / sqrt(x * (1 - x) * y * (1 - y));
}

static void passes_agree_the_more_the_more_they_share(void **unused)
{
	static const double shared[] = { 0, .25, .5, .75, 1 };
	double before = -.02;

	(void)unused;
	for (int i = 0; i < 5; i++) {
		double r = correlation(shared[i]);

		assert_true(r > before + .02);
		before = r;
	}
	assert_true(fabs(correlation(0)) < .02);
	assert_true(correlation(1) > .999);
}

static void bias_moves_choices_towards_the_front(void **unused)
{
	struct simjudge j = { .accuracy = .8, .bias = .3, .seed = 42 };
	double front = 0, back = 0, n = 20000;

	(void)unused;
	for (int i = 0; i < (int)n; i++) {
		front += right_wins(&j, i, 0, 0);
		back += right_wins(&j, i, 0, 1);
	}
	assert_true(fabs(front / n - 1 / (1 + exp(-log(4) - .3))) < .01);
	assert_true(fabs(back / n - 1 / (1 + exp(-log(4) + .3))) < .01);
}

static void the_same_ask_has_the_same_answer_and_place_only_adds_bias(void **unused)
{
	struct simjudge j = { .accuracy = .8, .shared = .5, .seed = 42 };
	struct sim_candidate c[2] = { { view_of("a"), 1 }, { view_of("b"), 0 } };
	struct sim_candidate d[2] = { c[1], c[0] };
	double u[2], v[2];

	(void)unused;
	simjudge_scores(&j, view_of("1"), view_of("x"), c, 2, u);
	simjudge_scores(&j, view_of("1"), view_of("x"), d, 2, v);
	assert_true(u[0] == v[1] && u[1] == v[0]);
	simjudge_scores(&j, view_of("1"), view_of("y"), c, 2, v);
	assert_true(u[0] != v[0]);
	j.seed = 43;
	simjudge_scores(&j, view_of("1"), view_of("x"), c, 2, v);
	assert_true(u[0] != v[0]);
}

static void impossible_parameters_are_refused_with_a_reason(void **unused)
{
	static const struct simjudge bad[] = {
		{ .accuracy = 1 },
		{ .accuracy = 0 },
		{ .accuracy = NAN },
		{ .accuracy = .8, .shared = 1.1 },
		{ .accuracy = .8, .shared = -.1 },
		{ .accuracy = .8, .bias = INFINITY },
	};
	struct err e;

	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(simjudge_check(&bad[i], &e), ERR_VALUE);
	assert_int_equal(simjudge_check(&(struct simjudge){ .accuracy = .8 }, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_two_the_right_one_wins_as_often_as_nominal),
		cmocka_unit_test(passes_agree_the_more_the_more_they_share),
		cmocka_unit_test(bias_moves_choices_towards_the_front),
		cmocka_unit_test(
			the_same_ask_has_the_same_answer_and_place_only_adds_bias),
		cmocka_unit_test(impossible_parameters_are_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
