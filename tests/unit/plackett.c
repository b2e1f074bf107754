/* plackett.c - strengths and costs that are known otherwise: on paper, by another
 * program, by simulation */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/select/plackett.h"
#include "common/select/posterior.h"
#include "common/select/simjudge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR(a, b, by) assert_true(fabs((a) - (b)) <= (by))
#define DIGIT 0x1p-20 /* results are rounded to it */

static const struct plackett_how plain = { PLACKETT_SD, 1, NULL };

static const uint32_t line[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint32_t ones[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };

/* The value less the prior's part, which is 0 at the mean. */
static double chance_of(const struct plackett_ask *ask, const double *strength,
			uint32_t items, const double *cost)
{
	struct plackett_how how = { PLACKETT_SD, 1, cost };
	struct plackett q = { ask, 1, items, strength };

	return exp(plackett_value(&how, &q, strength, NULL));
}

/* ---- the likelihood ---- */

static void a_ranking_is_drawn_from_the_front(void **unused)
{
	const double s[] = { log(4), log(2), log(1) };
	struct plackett_ask ask = { line, line, ones, 3, 3 };

	(void)unused;
	NEAR(chance_of(&ask, s, 3, NULL), 4.0 / 7 * 2 / 3, 1e-15);
	ask.order = (uint32_t[]){ 2, 0, 1 };
	NEAR(chance_of(&ask, s, 3, NULL), 1.0 / 7 * 4 / 6, 1e-15);
}

static void of_two_it_is_bradley_and_terrys(void **unused)
{
	const double s[] = { 0.7, -0.4 };
	struct plackett_ask ask = { line, line, ones, 2, 2 };

	(void)unused;
	NEAR(chance_of(&ask, s, 2, NULL), 1 / (1 + exp(-1.1)), 1e-15);
}

static double sum_of_orders(uint32_t *order, uint32_t at, uint32_t n, const double *s,
			    const double *cost)
{
	struct plackett_ask ask = { line, order, ones, n, n };
	double sum = 0;

	if (at == n)
		return chance_of(&ask, s, n, cost);
	for (uint32_t i = at; i < n; i++) {
		uint32_t was = order[at];

		order[at] = order[i];
		order[i] = was;
		sum += sum_of_orders(order, at + 1, n, s, cost);
		order[i] = order[at];
		order[at] = was;
	}
	return sum;
}

static void all_orders_together_are_certain(void **unused)
{
	const double s[] = { 1.5, -0.3, 0, 0.4, -2 };
	const double cost[PLACKETT_SLOTS] = { 0, 0.5, -0.2, 1, 3 };
	uint32_t order[] = { 0, 1, 2, 3, 4 };

	(void)unused;
	NEAR(sum_of_orders(order, 0, 5, s, NULL), 1, 1e-14);
	NEAR(sum_of_orders(order, 0, 5, s, cost), 1, 1e-14);
}

static void a_place_costs_what_a_weaker_group_would(void **unused)
{
	const double s[] = { 0, 0 }, weaker[] = { 0, -0.6 };
	const double cost[PLACKETT_SLOTS] = { 0, 0.6 };
	struct plackett_ask ask = { line, line, ones, 2, 2 };

	(void)unused;
	NEAR(chance_of(&ask, s, 2, cost), chance_of(&ask, weaker, 2, NULL), 1e-15);
}

static void those_that_tie_last_were_not_told_apart(void **unused)
{
	const double s[] = { log(4), log(2), log(1) };
	struct plackett_ask pick = { line, line, (uint32_t[]){ 1, 2 }, 3, 2 };
	struct plackett_ask none = { line, line, (uint32_t[]){ 3 }, 3, 1 };
	struct plackett_ask two = { line, line, (uint32_t[]){ 2, 1 }, 3, 2 };

	(void)unused;
	NEAR(chance_of(&pick, s, 3, NULL), 4.0 / 7, 1e-15);
	NEAR(chance_of(&none, s, 3, NULL), 1, 0);
	NEAR(chance_of(&two, s, 3, NULL), 4.0 / 7 * 2 / 7, 1e-15); /* Breslow */
}

static void members_of_a_group_share_its_strength(void **unused)
{
	const double s[] = { log(3), log(1) };
	const uint32_t item[] = { 0, 1, 0 };
	struct plackett_ask ask = { item, line, ones, 3, 3 };

	(void)unused;
	NEAR(chance_of(&ask, s, 2, NULL), 3.0 / 7 * 1 / 4, 1e-15);
}

static void places_beyond_the_last_cost_share_it(void **unused)
{
	enum { N = PLACKETT_SLOTS + 2 };
	uint32_t item[N], first[N], last[N];
	double s[N] = { 0 }, cost[PLACKETT_SLOTS] = { 0 };
	struct plackett_ask a = { item, first, (uint32_t[]){ 1, N - 1 }, N, 2 }, b = a;

	(void)unused;
	for (uint32_t i = 0; i < N; i++) {
		item[i] = first[i] = i;
		last[i] = N - 1 - i;
	}
	cost[PLACKETT_SLOTS - 1] = 1;
	b.order = last;
	NEAR(chance_of(&a, s, N, cost) / chance_of(&b, s, N, cost), exp(1), 1e-13);
}

/* ---- strengths ---- */

static const struct plackett_ask four_asks[] = {
	{ (const uint32_t[]){ 0, 1, 2, 3 }, (const uint32_t[]){ 1, 0, 2, 3 }, ones, 4,
	  4 },
	{ (const uint32_t[]){ 3, 2, 1, 0 }, (const uint32_t[]){ 2, 0, 1, 3 },
	  (const uint32_t[]){ 1, 3 }, 4, 2 },
	{ (const uint32_t[]){ 1, 0, 3 }, (const uint32_t[]){ 0, 2, 1 },
	  (const uint32_t[]){ 2, 1 }, 3, 2 },
	{ (const uint32_t[]){ 0, 2, 0, 1 }, (const uint32_t[]){ 2, 1, 0, 3 },
	  (const uint32_t[]){ 1, 1, 2 }, 4, 3 },
};
static const double four_costs[PLACKETT_SLOTS] = { 0, 0.1, 0.3, 0.4 };

/* Full rankings, a pick, a tie above, members of one group, costs, eta 1/2: made by
 * another program with differences for derivatives. */
static void four_groups_are_as_another_program_has_them(void **unused)
{
	static const double want[] = { -0.6735136, -0.3369518, -0.8146437, -1.2700827 };
	static const double want_cov[] = { 0.622704, 0.165744, 0.123849, 0.087703,
					   0.165744, 0.646458, 0.101560, 0.086238,
					   0.123849, 0.101560, 0.670563, 0.104028,
					   0.087703, 0.086238, 0.104028, 0.722031 };
	static const double want_top[] = { 0.24176, 0.45963, 0.20639, 0.09222 };
	const struct plackett_how how = { PLACKETT_SD, 0.5, four_costs };
	double mean[4], s[4], cov[16], top[4];
	struct plackett q = { four_asks, 4, 4, mean };
	struct rng rng;
	uint32_t steps;

	(void)unused;
	plackett_prior((uint32_t[]){ 5, 3, 2, 1 }, 4, 0.5, mean);
	NEAR(mean[0], 0.5 * log(5.0 / 11), DIGIT);
	NEAR(plackett_value(&how, &q, mean, NULL), -4.545277936, 1e-6);
	assert_int_equal(plackett_fit(&how, &q, s, cov, &steps, NULL), 0);
	assert_true(steps < 10);
	for (int i = 0; i < 4; i++)
		NEAR(s[i], want[i], DIGIT);
	for (int i = 0; i < 16; i++)
		NEAR(cov[i], want_cov[i], 2e-6);
	rng_init(&rng, "test", 1, view_of("7"), 0);
	assert_int_equal(
		plackett_chances(s, cov, 4, 200000, &rng, top, NULL, NULL, NULL), 0);
	for (int i = 0; i < 4; i++)
		NEAR(top[i], want_top[i], 4e-3);
}

/* k wins of n: d = s0 - s1 has prior variance 2, so k - n / (1 + exp(-d)) = d / 2. The
 * covariance is (1 + c, c) / (1 + 2 c), c the curvature of the n comparisons. */
static void two_groups_are_solved_on_paper(void **unused)
{
	const uint32_t lost[] = { 1, 0 };
	const double mean[] = { 0, 0 };
	struct plackett_ask ask[8];
	struct plackett q = { ask, 8, 2, mean };
	double s[2], cov[4], low = 0, high = 5, c, p;

	(void)unused;
	for (int i = 0; i < 8; i++)
		ask[i] = (struct plackett_ask){ line, i < 6 ? line : lost, ones, 2, 2 };
	for (int i = 0; i < 60; i++) {
		double d = (low + high) / 2;

		if (6 - 8 / (1 + exp(-d)) > d / 2)
			low = d;
		else
			high = d;
	}
	assert_int_equal(plackett_fit(&plain, &q, s, cov, NULL, NULL), 0);
	NEAR(s[0] - s[1], low, 2 * DIGIT);
	NEAR(s[0] + s[1], 0, 2 * DIGIT);
	p = 1 / (1 + exp(-low));
	c = 8 * p * (1 - p);
	NEAR(cov[0], (1 + c) / (1 + 2 * c), DIGIT);
	NEAR(cov[1], c / (1 + 2 * c), DIGIT);
	NEAR(cov[3], cov[0], 0);
}

static void the_gradient_is_the_values(void **unused)
{
	const struct plackett_how how = { 1.3, 0.7, four_costs };
	const double mean[] = { 0.2, 0, -0.1, -0.5 };
	double s[] = { 0.5, -0.2, 0.9, -1 }, gradient[4];
	struct plackett q = { four_asks, 4, 4, mean };

	(void)unused;
	plackett_value(&how, &q, s, gradient);
	for (int i = 0; i < 4; i++) {
		double at = s[i], up, down;

		s[i] = at + 1e-5;
		up = plackett_value(&how, &q, s, NULL);
		s[i] = at - 1e-5;
		down = plackett_value(&how, &q, s, NULL);
		s[i] = at;
		NEAR((up - down) / 2e-5, gradient[i], 1e-8);
	}
}

static void without_rankings_the_prior_is_all(void **unused)
{
	const double mean[] = { 1, -2 };
	struct plackett q = { NULL, 0, 2, mean };
	struct plackett_how wide = { 3, 1, NULL };
	double s[2], cov[4];

	(void)unused;
	assert_int_equal(plackett_fit(&wide, &q, s, cov, NULL, NULL), 0);
	NEAR(s[0], 1, 0);
	NEAR(s[1], -2, 0);
	NEAR(cov[0], 9, DIGIT);
	NEAR(cov[1], 0, 0);
}

static void one_group_has_nobody_to_lose_to(void **unused)
{
	const double mean[] = { 0.25 };
	struct plackett_ask ask = { line, line, ones, 1, 1 };
	struct plackett q = { &ask, 1, 1, mean };
	double s[1], cov[1], top[1], above[1], rank[1];
	struct rng rng;

	(void)unused;
	assert_int_equal(plackett_fit(&plain, &q, s, cov, NULL, NULL), 0);
	NEAR(s[0], 0.25, 0);
	rng_init(&rng, "test", 1, view_of("7"), 0);
	assert_int_equal(plackett_chances(s, cov, 1, 10, &rng, top, above, rank, NULL),
			 0);
	NEAR(top[0], 1, 0);
	NEAR(rank[0], 1, 0);
	NEAR(above[0], 0, 0);
	assert_int_equal(plackett_open(top, 1, (uint32_t[1]){ 0 }), 0);
}

/* The same said twice at eta 1/2 is said once. */
static void eta_tempers_what_rankings_say(void **unused)
{
	const struct plackett_how half = { PLACKETT_SD, 0.5, NULL };
	const double mean[] = { 0, 0, 0 };
	struct plackett_ask ask[] = { { line, line, ones, 3, 3 },
				      { line, line, ones, 3, 3 } };
	struct plackett once = { ask, 1, 3, mean }, twice = { ask, 2, 3, mean };
	double a[3], b[3], cov_a[9], cov_b[9];

	(void)unused;
	assert_int_equal(plackett_fit(&plain, &once, a, cov_a, NULL, NULL), 0);
	assert_int_equal(plackett_fit(&half, &twice, b, cov_b, NULL, NULL), 0);
	for (int i = 0; i < 3; i++)
		NEAR(a[i], b[i], DIGIT);
	for (int i = 0; i < 9; i++)
		NEAR(cov_a[i], cov_b[i], DIGIT);
}

/* Sixteen groups, eight passes that all agree, a narrow and a wide prior. */
static void sixteen_groups_take_fewer_than_ten_steps(void **unused)
{
	enum { G = 16 };
	uint32_t item[G], place[G], size[G], steps;
	double mean[G], s[G], cov[G * G];
	struct plackett_ask ask[8];
	struct plackett q = { ask, 8, G, mean };

	(void)unused;
	for (uint32_t i = 0; i < G; i++) {
		item[i] = i;
		place[i] = 1;
		size[i] = G - i;
	}
	for (int k = 0; k < 8; k++)
		ask[k] = (struct plackett_ask){ item, item, place, G, G };
	plackett_prior(size, G, 1, mean);
	for (double sd = 0.5; sd < 3; sd *= 2) {
		struct plackett_how how = { sd, 1, NULL };

		assert_int_equal(plackett_fit(&how, &q, s, cov, &steps, NULL), 0);
		assert_true(steps < 10);
		for (uint32_t i = 1; i < G; i++)
			assert_true(s[i] < s[i - 1]);
	}
}

/* ---- chances ---- */

static double phi(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

static void chances_are_those_of_the_normal(void **unused)
{
	const double s[] = { 0.3, 0, -0.5 };
	const double cov[] = { 1, 0.4, 0, 0.4, 0.5, 0.1, 0, 0.1, 0.8 };
	double top[3], above[9], rank[9];
	struct rng rng;

	(void)unused;
	rng_init(&rng, "test", 3, view_of("7"), 0);
	assert_int_equal(
		plackett_chances(s, cov, 3, 100000, &rng, top, above, rank, NULL), 0);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			if (i != j)
				NEAR(above[i * 3 + j],
				     phi((s[i] - s[j]) / sqrt(cov[i * 4] + cov[j * 4] -
							      2 * cov[i * 3 + j])),
				     6e-3);
	for (int i = 0; i < 3; i++) {
		NEAR(rank[i * 3] + rank[i * 3 + 1] + rank[i * 3 + 2], 1, 3 * DIGIT);
		NEAR(rank[i] + rank[3 + i] + rank[6 + i], 1, 3 * DIGIT);
		NEAR(top[i], rank[i * 3], 0);
		for (int j = 0; j < i; j++)
			NEAR(above[i * 3 + j] + above[j * 3 + i], 1, 2 * DIGIT);
	}
}

static void the_same_seed_draws_the_same(void **unused)
{
	const double s[] = { 0.3, 0 }, cov[] = { 1, 0, 0, 1 };
	double a[2], b[2], c[2];
	struct rng rng;

	(void)unused;
	rng_init(&rng, "test", 3, view_of("7"), 0);
	plackett_chances(s, cov, 2, PLACKETT_SAMPLES, &rng, a, NULL, NULL, NULL);
	rng_init(&rng, "test", 3, view_of("7"), 0);
	plackett_chances(s, cov, 2, PLACKETT_SAMPLES, &rng, b, NULL, NULL, NULL);
	plackett_chances(s, cov, 2, PLACKETT_SAMPLES, &rng, c, NULL, NULL, NULL);
	assert_memory_equal(a, b, sizeof a);
	assert_memory_not_equal(a, c, sizeof a);
	NEAR(a[0], phi(0.3 / sqrt(2)), 4 * sqrt(0.25 / PLACKETT_SAMPLES));
}

/* Of two groups with a and b passes and no prior: the sum of C(a+b+1, i), i <= a, over
 * 2^(a+b+1). */
static void tops_alone_are_adaptive_consistencys_beta(void **unused)
{
	static const struct {
		uint32_t won[2];
		double p;
	} want[] = { { { 4, 0 }, 31.0 / 32 },     { { 6, 1 }, 247.0 / 256 },
		     { { 8, 2 }, 1981.0 / 2048 }, { { 3, 3 }, 0.5 },
		     { { 0, 0 }, 0.5 },           { { 0, 4 }, 1.0 / 32 } };
	const uint32_t size[] = { 3, 1 };
	double top[2];
	struct rng rng;

	(void)unused;
	rng_init(&rng, "test", 5, view_of("7"), 0);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		assert_int_equal(plackett_top_only(want[i].won, size, 2, 0, 40000, &rng,
						   top, NULL),
				 0);
		NEAR(top[0], want[i].p, 0.01);
		NEAR(top[0] + top[1], 1, 2 * DIGIT);
	}
	/* 1 + 4 * 3/4 and 1 + 4 * 1/4 are what 3 and 1 passes would have made. */
	plackett_top_only((uint32_t[]){ 0, 0 }, size, 2, 4, 40000, &rng, top, NULL);
	NEAR(top[0], 26.0 / 32, 0.01);
}

static void who_is_nearly_sure_to_win_or_lose_is_not_asked_about(void **unused)
{
	const double top[] = { 0.5, 0.02, 0.46, 0.0201, 0 };
	uint32_t open[5];

	(void)unused;
	assert_int_equal(plackett_open(top, 5, open), 3);
	assert_int_equal(open[0], 0);
	assert_int_equal(open[1], 2);
	assert_int_equal(open[2], 3);
	assert_int_equal(plackett_open((double[]){ 0.98, 0.02 }, 2, open), 0);
	assert_int_equal(plackett_open((double[]){ 0.979, 0.021 }, 2, open), 2);
}

/* ---- places ---- */

/* Both orders of one pair, the first place wins k of n each way: strengths stay level
 * and the cost is a logit, less what its prior (variance 4) takes. */
static void the_cost_of_a_place_is_solved_on_paper(void **unused)
{
	enum { N = 40, WON = 30 };
	const uint32_t back[] = { 1, 0 };
	const double mean[] = { 0, 0 };
	static struct plackett_ask ask[2 * N];
	struct plackett q = { ask, 2 * N, 2, mean };
	struct plackett_slot slot[PLACKETT_SLOTS];
	double low = 0, high = 5;

	(void)unused;
	for (int i = 0; i < 2 * N; i++)
		ask[i] = (struct plackett_ask){ i % 2 ? back : line,
						i / 2 < WON ? line : back, ones, 2, 2 };
	for (int i = 0; i < 60; i++) {
		double c = (low + high) / 2;

		if (2 * WON - 2 * N / (1 + exp(-c)) > c / 4)
			low = c;
		else
			high = c;
	}
	assert_int_equal(plackett_slots(&plain, &q, 1, slot, NULL), 0);
	NEAR(slot[1].cost, low, DIGIT);
	NEAR(slot[1].se, 1 / sqrt(2 * N * 0.1875 + 0.25), 0.01);
	assert_int_equal(slot[0].seen, 2 * N);
	assert_int_equal(slot[1].seen, 2 * N);
	NEAR(slot[0].cost, 0, 0);
	NEAR(slot[0].se, 0, 0);
}

static void a_place_that_nobody_saw_costs_nothing_and_is_unknown(void **unused)
{
	const double mean[] = { 0, 0 };
	struct plackett_ask ask = { line, line, ones, 2, 2 };
	struct plackett q = { &ask, 1, 2, mean };
	struct plackett_slot slot[PLACKETT_SLOTS];

	(void)unused;
	assert_int_equal(plackett_slots(&plain, &q, 1, slot, NULL), 0);
	NEAR(slot[2].cost, 0, 0);
	NEAR(slot[2].se, PLACKETT_COST_SD, DIGIT);
	assert_int_equal(slot[2].seen, 0);
}

static void rankings_that_tell_nothing_are_refused(void **unused)
{
	const double mean[] = { 0, 0 };
	struct plackett_ask level = { line, line, (uint32_t[]){ 2 }, 2, 1 };
	struct plackett q = { &level, 1, 2, mean };
	struct plackett_slot slot[PLACKETT_SLOTS];
	struct err e = { 0 };

	(void)unused;
	assert_int_equal(plackett_slots(&plain, &q, 1, slot, &e), ERR_VALUE);
	assert_non_null(strstr(e.text, "none of 1 questions has a ranking"));
	assert_int_equal(plackett_slots(&plain, NULL, 0, slot, NULL), ERR_VALUE);
}

static void without_memory_nothing_is_said(void **unused)
{
	const double mean[] = { 0, 0 };
	struct plackett_ask ask = { line, line, ones, 2, 2 };
	struct plackett q = { &ask, 1, 2, mean };
	struct plackett_slot slot[PLACKETT_SLOTS];
	double s[2], cov[4] = { 1, 0, 0, 1 };
	struct rng rng = { 0 };

	(void)unused;
	for (int n = 0; n < 2; n++) {
		mem_fail_after(n);
		assert_int_equal(plackett_slots(&plain, &q, 1, slot, NULL), ERR_NOMEM);
	}
	mem_fail_after(0);
	assert_int_equal(plackett_fit(&plain, &q, s, cov, NULL, NULL), ERR_NOMEM);
	mem_fail_after(0);
	assert_int_equal(plackett_chances(mean, cov, 2, 1, &rng, s, NULL, NULL, NULL),
			 ERR_NOMEM);
	mem_fail_after(0);
	assert_int_equal(plackett_top_only(ones, ones, 2, 0, 1, &rng, s, NULL),
			 ERR_NOMEM);
	mem_fail_after(0);
	assert_true(isnan(plackett_value(&plain, &q, mean, NULL)));
	mem_fail_after(-1);
}

/* ---- the simulated judge ---- */

enum { QUESTIONS = 300, MOST = 5, ASKS = 6 };

struct simulated {
	struct plackett q[QUESTIONS];
	struct plackett_ask ask[QUESTIONS][ASKS];
	uint32_t item[QUESTIONS][ASKS][MOST], order[QUESTIONS][ASKS][MOST];
	double mean[QUESTIONS][MOST];
	uint32_t right[QUESTIONS];
};

static void show(const struct simjudge *judge, uint32_t question, uint32_t k,
		 const struct sim_candidate *c, struct simulated *w)
{
	static const uint32_t pick[MOST][2] = {
		{ 1 }, { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 }
	};
	uint32_t n = w->q[question].items, *item = w->item[question][k],
		 *order = w->order[question][k];
	struct sim_candidate shown[MOST];
	char id[32], ask[32];
	double u[MOST];

	for (uint32_t i = 0; i < n; i++) { /* turned round, and reversed in turn */
		uint32_t turned = (i + k / 2) % n;

		item[i] = k % 2 ? n - 1 - turned : turned;
		shown[i] = c[item[i]];
	}
	snprintf(id, sizeof id, "%u", question);
	snprintf(ask, sizeof ask, "pick %u", k);
	simjudge_scores(judge, view_of(id), view_of(ask), shown, n, u);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;

		for (; at && u[order[at - 1]] < u[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	w->ask[question][k] = (struct plackett_ask){ item, order, pick[n - 1], n, 2 };
}

/* Questions of two to five groups, of which one is right, as often as its
 * share of the vote says, each asked six times for a pick. */
static void simulate(const struct simjudge *judge, struct simulated *w)
{
	static const uint32_t size[] = { 5, 3, 2, 1, 1 };
	static const char *const name[] = { "a", "b", "c", "d", "e" };
	struct rng rng;

	for (uint32_t i = 0; i < QUESTIONS; i++) {
		struct sim_candidate c[MOST];
		uint32_t n = 2 + i % (MOST - 1), right, all, at;

		rng_init(&rng, "test", judge->seed, view_of("right"), i);
		for (right = 0, all = 0; right < n; right++)
			all += size[right];
		at = (uint32_t)rng_below(&rng, all);
		for (right = 0; at >= size[right]; right++)
			at -= size[right];
		w->q[i] = (struct plackett){ w->ask[i], ASKS, n, w->mean[i] };
		w->right[i] = right;
		plackett_prior(size, n, 1, w->mean[i]);
		for (uint32_t g = 0; g < n; g++)
			c[g] = (struct sim_candidate){ view_of(name[g]), g == right };
		for (uint32_t k = 0; k < ASKS; k++)
			show(judge, i, k, c, w);
	}
}

static void the_simulated_judges_bias_comes_back(void **unused)
{
	static struct simulated w;

	(void)unused;
	for (int b = 0; b < 3; b++) {
		struct simjudge judge = { .accuracy = 0.8, .bias = 0.3 * b, .seed = 7 };
		struct plackett_slot slot[PLACKETT_SLOTS];

		simulate(&judge, &w);
		assert_int_equal(plackett_slots(&plain, w.q, QUESTIONS, slot, NULL), 0);
		for (int k = 1; k < MOST; k++) {
			assert_true(slot[k].se < 0.25);
			NEAR(slot[k].cost, k * judge.bias,
			     3 * slot[k].se + 0.1 * k * judge.bias);
		}
	}
}

/* How many are right by the vote and one ask, each ask in turn. */
static uint32_t count_right(const struct simulated *w, const double *cost)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < QUESTIONS * ASKS; i++) {
		const struct plackett_ask *ask = &w->ask[i / ASKS][i % ASKS];
		double belief[MOST], p[MOST] = { 0 };
		uint32_t best[MOST];

		memcpy(belief, w->mean[i / ASKS], sizeof belief);
		p[ask->order[0]] = 1;
		posterior_add_placed(belief, ask->item, p, cost, ask->n, 0.5, -2.4);
		posterior_order(belief, ask->n, best);
		right += best[0] == w->right[i / ASKS];
	}
	return right;
}

static void what_places_cost_taken_off_finds_more_right_ones(void **unused)
{
	static struct simulated w;
	const double none[PLACKETT_SLOTS] = { 0 };
	uint32_t as_said = 0, taken_off = 0;

	(void)unused;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct simjudge judge = {
			.accuracy = 0.8, .bias = 0.6, .shared = 0.5, .seed = seed
		};
		struct plackett_slot slot[PLACKETT_SLOTS];
		double cost[PLACKETT_SLOTS];

		simulate(&judge, &w);
		assert_int_equal(plackett_slots(&plain, w.q, QUESTIONS, slot, NULL), 0);
		for (int i = 0; i < PLACKETT_SLOTS; i++)
			cost[i] = slot[i].cost;
		as_said += count_right(&w, none);
		taken_off += count_right(&w, cost);
	}
	assert_true(taken_off > as_said + as_said / 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ranking_is_drawn_from_the_front),
		cmocka_unit_test(of_two_it_is_bradley_and_terrys),
		cmocka_unit_test(all_orders_together_are_certain),
		cmocka_unit_test(a_place_costs_what_a_weaker_group_would),
		cmocka_unit_test(those_that_tie_last_were_not_told_apart),
		cmocka_unit_test(members_of_a_group_share_its_strength),
		cmocka_unit_test(places_beyond_the_last_cost_share_it),
		cmocka_unit_test(four_groups_are_as_another_program_has_them),
		cmocka_unit_test(two_groups_are_solved_on_paper),
		cmocka_unit_test(the_gradient_is_the_values),
		cmocka_unit_test(without_rankings_the_prior_is_all),
		cmocka_unit_test(one_group_has_nobody_to_lose_to),
		cmocka_unit_test(eta_tempers_what_rankings_say),
		cmocka_unit_test(sixteen_groups_take_fewer_than_ten_steps),
		cmocka_unit_test(chances_are_those_of_the_normal),
		cmocka_unit_test(the_same_seed_draws_the_same),
		cmocka_unit_test(tops_alone_are_adaptive_consistencys_beta),
		cmocka_unit_test(who_is_nearly_sure_to_win_or_lose_is_not_asked_about),
		cmocka_unit_test(the_cost_of_a_place_is_solved_on_paper),
		cmocka_unit_test(a_place_that_nobody_saw_costs_nothing_and_is_unknown),
		cmocka_unit_test(rankings_that_tell_nothing_are_refused),
		cmocka_unit_test(without_memory_nothing_is_said),
		cmocka_unit_test(the_simulated_judges_bias_comes_back),
		cmocka_unit_test(what_places_cost_taken_off_finds_more_right_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
