/* fit.c - coefficients where they can be had otherwise: on paper, by difference, by
 * simulation */
#include "tests/support/cm.h"

#include "common/base/rng.h"
#include "common/select/fit.h"

#include <math.h>
#include <string.h>

#define NEAR(a, b, by) assert_true(fabs((a) - (b)) < (by))

/* Of 4 questions with groups x = 1 and x = 0, in 3 the first is right: P = 3/4, so w =
 * ln 3. */
static void one_input_gives_the_log_odds(void **unused)
{
	static const double x[] = { 1, 0 };
	static const uint8_t first[] = { 1, 0 }, second[] = { 0, 1 };
	struct fit_groups q[4] = { { x, first, 2, 1 },
				   { x, first, 2, 1 },
				   { x, second, 2, 1 },
				   { x, first, 2, 1 } };
	struct fit_how how = { .inputs = 1 };
	double w;

	(void)unused;
	assert_int_equal(fit_choice(&how, q, 4, &w, NULL), 0);
	NEAR(w, log(3), 1e-9);
	q[2].weight = 3; /* as if it had come three times: 3 to 3 */
	assert_int_equal(fit_choice(&how, q, 4, &w, NULL), 0);
	NEAR(w, 0, 1e-9);
}

/* Three right groups of four: their summed probability is 3/4 at w = 0 for any w on the
 * odd one, and two questions balance. */
static void several_right_groups_count_together(void **unused)
{
	static const double x[] = { 0, 0, 0, 1 };
	static const uint8_t three[] = { 1, 1, 1, 0 }, odd[] = { 0, 0, 0, 1 };
	struct fit_groups q[2] = { { x, three, 4, 1 }, { x, odd, 4, 1 } };
	struct fit_how how = { .inputs = 1 };
	double w;

	(void)unused;
	assert_int_equal(fit_choice(&how, q, 2, &w, NULL), 0);
	NEAR(w, log(3), 1e-7); /* 1/2 each: exp(w) = 3 */
}

static void what_tells_nothing_is_passed_over(void **unused)
{
	static const double x[] = { 1, 0 };
	static const uint8_t none[] = { 0, 0 }, all[] = { 1, 1 }, one[] = { 1, 0 };
	struct fit_groups q[3] = { { x, none, 2, 1 },
				   { x, all, 2, 1 },
				   { x, one, 2, 1 } };
	struct fit_how how = { .inputs = 1, .ridge = 1 };
	struct err e = { 0 };
	double w = 7, only;

	(void)unused;
	assert_int_equal(fit_choice(&how, q, 2, &w, &e), ERR_VALUE);
	assert_true(w == 7);
	assert_non_null(strstr(e.text, "none of 2 questions"));
	assert_int_equal(fit_choice(&how, q, 3, &w, NULL), 0);
	assert_int_equal(fit_choice(&how, q + 2, 1, &only, NULL), 0);
	assert_true(w == only);
}

/* At the end the gradient is 0: 1 - s(w) = ridge * w. */
static void ridge_pulls_towards_the_mean(void **unused)
{
	static const double x[] = { 1, 0 };
	static const uint8_t one[] = { 1, 0 };
	static const double mean[] = { 2 };
	struct fit_groups q = { x, one, 2, 1 };
	struct fit_how how = { .inputs = 1, .ridge = 0.5 };
	double w;

	(void)unused;
	assert_int_equal(fit_choice(&how, &q, 1, &w, NULL), 0);
	NEAR(1 / (1 + exp(w)), 0.5 * w, 1e-9);
	how.mean = mean;
	assert_int_equal(fit_choice(&how, &q, 1, &w, NULL), 0);
	NEAR(1 / (1 + exp(w)), 0.5 * (w - 2), 1e-9);
	how.ridge = 1e6;
	assert_int_equal(fit_choice(&how, &q, 1, &w, NULL), 0);
	NEAR(w, 2, 1e-5);
}

static void a_sign_is_kept_and_the_others_are_fitted_without_it(void **unused)
{
	static const double x[] = { 1, 1, 0, 0 };
	static const double alone[] = { 0, 1, 0, 0 };
	static const uint8_t first[] = { 1, 0 };
	struct fit_groups q = { x, first, 2, 1 }, q0 = { alone, first, 2, 1 };
	int sign[2] = { -1, 1 };
	struct fit_how how = { .inputs = 2, .ridge = .1, .sign = sign },
		       free_ = { 2, .1, NULL, NULL };
	double w[2], v[2];

	(void)unused;
	assert_int_equal(fit_choice(&how, &q, 1, w, NULL), 0);
	assert_int_equal(fit_choice(&free_, &q0, 1, v, NULL), 0);
	assert_true(w[0] == 0);
	NEAR(w[1], v[1], 1e-8);
}

enum { INPUTS = 3, QUESTIONS = 4000, GROUPS = 4 };

struct world {
	double x[QUESTIONS * GROUPS * INPUTS];
	uint8_t right[QUESTIONS * GROUPS];
	struct fit_groups q[QUESTIONS];
};

static double uniform(struct rng *r)
{
	return (double)rng_below(r, 1 << 20) / (1 << 20);
}

static void simulate(struct world *v, const double *truth)
{
	struct rng r;

	memset(v, 0, sizeof *v);
	rng_init(&r, "fit test", 42, view_of("1"), 0);
	for (uint32_t i = 0; i < QUESTIONS; i++) {
		double *x = v->x + (size_t)i * GROUPS * INPUTS, e[GROUPS], sum = 0, at;
		uint32_t g = 0;

		for (uint32_t k = 0; k < GROUPS * INPUTS; k++)
			x[k] = 2 * uniform(&r) - 1;
		for (g = 0; g < GROUPS; g++) {
			e[g] = 0;
			for (uint32_t a = 0; a < INPUTS; a++)
				e[g] += truth[a] * x[g * INPUTS + a];
			sum += e[g] = exp(e[g]);
		}
		at = uniform(&r) * sum;
		for (g = 0; g < GROUPS - 1 && at > e[g]; g++)
			at -= e[g];
		v->right[i * GROUPS + g] = 1;
		v->q[i] = (struct fit_groups){ x, v->right + i * GROUPS, GROUPS, 1 };
	}
}

static void simulated_weights_come_back(void **unused)
{
	static struct world v;
	static const double truth[INPUTS] = { 1.5, -2, 0 };
	struct fit_how how = { .inputs = INPUTS, .ridge = 1e-3 };
	double w[INPUTS], again[INPUTS], gradient[INPUTS];

	(void)unused;
	simulate(&v, truth);
	assert_int_equal(fit_choice(&how, v.q, QUESTIONS, w, NULL), 0);
	for (int a = 0; a < INPUTS; a++)
		NEAR(w[a], truth[a], 0.15);
	fit_choice_value(&how, v.q, QUESTIONS, w, gradient);
	for (int a = 0; a < INPUTS; a++)
		NEAR(gradient[a], 0, 1e-6);
	assert_int_equal(fit_choice(&how, v.q, QUESTIONS, again, NULL), 0);
	assert_memory_equal(w, again, sizeof w);
}

static void gradients_are_those_of_the_value(void **unused)
{
	static struct world v;
	static const double truth[INPUTS] = { 1, -1, .5 };
	struct fit_how how = { .inputs = INPUTS, .ridge = .3 };
	double w[INPUTS] = { .2, -.4, 1.1 }, g[INPUTS], h[INPUTS];

	(void)unused;
	simulate(&v, truth);
	v.right[0] = v.right[1] = 1; /* a question with two right groups */
	fit_choice_value(&how, v.q, 50, w, g);
	fit_logistic_value(&how, v.x, v.right, NULL, 50, w, h);
	for (int a = 0; a < INPUTS; a++) {
		const double step = 1e-5, at = w[a];
		double up, down, up2, down2;

		w[a] = at + step;
		up = fit_choice_value(&how, v.q, 50, w, NULL);
		up2 = fit_logistic_value(&how, v.x, v.right, NULL, 50, w, NULL);
		w[a] = at - step;
		down = fit_choice_value(&how, v.q, 50, w, NULL);
		down2 = fit_logistic_value(&how, v.x, v.right, NULL, 50, w, NULL);
		w[a] = at;
		NEAR((up - down) / (2 * step), g[a], 1e-5);
		NEAR((up2 - down2) / (2 * step), h[a], 1e-5);
	}
}

/* 3 of 4 right at x = 0, 1 of 4 at x = 1: the constant is ln 3, the slope -2 ln 3. */
static void logistic_of_two_cells_is_exact(void **unused)
{
	static const double x[] = { 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint8_t y[] = { 1, 1, 1, 0, 0, 0, 0, 1 };
	struct fit_how how = { .inputs = 2 };
	double w[2];

	(void)unused;
	assert_int_equal(fit_logistic(&how, x, y, NULL, 8, w, NULL), 0);
	NEAR(w[0], log(3), 1e-8);
	NEAR(w[1], -2 * log(3), 1e-8);
	assert_int_equal(fit_logistic(&how, x, y, NULL, 0, w, NULL), ERR_VALUE);
}

/* Separable: without ridge there is no end, with it there is. */
static void what_can_be_told_apart_wholly_needs_a_ridge(void **unused)
{
	static const double x[] = { -1, 1 };
	static const uint8_t y[] = { 0, 1 };
	struct fit_how how = { .inputs = 1, .ridge = 0.01 };
	double w;

	(void)unused;
	assert_int_equal(fit_logistic(&how, x, y, NULL, 2, &w, NULL), 0);
	NEAR(2 / (1 + exp(w)), 0.01 * w, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_input_gives_the_log_odds),
		cmocka_unit_test(several_right_groups_count_together),
		cmocka_unit_test(what_tells_nothing_is_passed_over),
		cmocka_unit_test(ridge_pulls_towards_the_mean),
		cmocka_unit_test(a_sign_is_kept_and_the_others_are_fitted_without_it),
		cmocka_unit_test(simulated_weights_come_back),
		cmocka_unit_test(gradients_are_those_of_the_value),
		cmocka_unit_test(logistic_of_two_cells_is_exact),
		cmocka_unit_test(what_can_be_told_apart_wholly_needs_a_ridge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
