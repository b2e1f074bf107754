/* methods_a.c - mbr, pointwise, pairwise, r3, agentar, tourrank and bestof: how many
 * asks each makes, and what each makes of the answers */
#include "tests/support/cm.h"

#include "broker/method/method.h"
#include "tests/support/variant.h"

#include <string.h>

/* ---- how many asks --------------------------------------------------------------- */

static uint64_t pairs_of_groups(const struct pool *p, uint32_t most)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->g; i++)
		for (uint32_t k = i + 1; k < p->g; k++) {
			uint64_t a = p->size[i], b = p->size[k];

			sum += (most && most < a ? most : a) *
			       (most && most < b ? most : b);
		}
	return sum;
}

/* A knock-out played with bare numbers. */
static uint64_t knock_out(uint32_t n, uint32_t size, int halves)
{
	uint64_t asks = 0;

	while (n > 1) {
		uint32_t pools = (n + size - 1) / size, left = n, next = 0;

		for (uint32_t i = 0; i < pools; i++) {
			uint32_t in = (left + pools - i - 1) / (pools - i);

			left -= in;
			asks += in >= 2;
			next += halves && in >= 2 ? in / 2 : 1;
		}
		n = next;
	}
	return asks;
}

static uint64_t expected(const struct run *r, const struct pool *p)
{
	const char *method = r->method;
	uint64_t cross = pairs_of_groups(p, 0), g = p->g;

	if (g < 2 || strcmp(method, "mbr") == 0)
		return 0;
	if (strcmp(method, "pointwise") == 0)
		return p->ranked;
	if (strcmp(method, "pairwise") == 0)
		return (r->own[1] > 0 ? g * (g - 1) / 2 : cross) *
		       (r->own[0] > 0 ? 1 : 2);
	if (strcmp(method, "agentar") == 0)
		return g * (g - 1) / 2;
	if (strcmp(method, "r3") == 0)
		return 1 + p->ranked + 2 * pairs_of_groups(p, (uint32_t)r->own[0]) + 2;
	if (strcmp(method, "bestof") == 0)
		return knock_out(p->g, (uint32_t)r->own[0], 0);
	return (uint64_t)r->own[0] * knock_out(p->g, (uint32_t)r->own[1], 1);
}

static const struct variant variants[] = {
	{ "mbr", { 0 } },         { "pointwise", { 0 } },   { "pairwise", { 0, 0 } },
	{ "pairwise", { 1, 0 } }, { "pairwise", { 0, 1 } }, { "pairwise", { 1, 1 } },
	{ "agentar", { 0 } },     { "r3", { 0 } },          { "r3", { 1 } },
	{ "r3", { 2 } },          { "bestof", { 8 } },      { "bestof", { 2 } },
	{ "bestof", { 3 } },      { "tourrank", { 1, 8 } }, { "tourrank", { 4, 8 } },
	{ "tourrank", { 2, 3 } },
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static const struct variants all = { variants, VARIANTS, expected, NULL };

static void every_partition_of_up_to_8_costs_what_the_formula_says(void **unused)
{
	(void)unused;
	variants_cost_of_partitions(&all);
}

static void of_1_to_40_all_different_the_most_is_asked(void **unused)
{
	(void)unused;
	variants_cost_of_different(&all);
}

static void the_published_counts_are_met(void **unused)
{
	const struct method *pairwise = method_by_name("pairwise");
	const struct method *tourrank = method_by_name("tourrank");
	const struct method *bestof = method_by_name("bestof");
	const struct method *agentar = method_by_name("agentar");
	struct run r = { .own = { 0 } }, t = { .own = { 1, 8 } }, b = { .own = { 8 } };

	(void)unused;
	assert_int_equal(pairwise->most(&r, 21), 420);
	assert_int_equal(pairwise->most(&r, 32), 992);
	assert_int_equal(tourrank->most(&t, 32), 9);
	assert_int_equal(tourrank->most(&t, 8), 3);
	assert_int_equal(bestof->most(&b, 32), 5);
	assert_int_equal(bestof->most(&b, 8), 1);
	assert_int_equal(agentar->most(&r, 17), 136);
	assert_int_equal(agentar->most(&r, 34), 561);
	assert_int_equal(agentar->most(&r, 2), 1);
}

static void what_hangs_on_nothing_is_asked_at_once(void **unused)
{
	static const struct variant flat[] = { { "pointwise", { 0 } },
					       { "pairwise", { 0 } },
					       { "agentar", { 0 } },
					       { "r3", { 0 } } };
	struct pool p = { .size = { 4, 3, 2, 1, 1 }, .g = 5, .ranked = 11 };

	(void)unused;
	for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &flat[i], &p);
		w.hide = 1;
		assert_int_equal(poolworld_plan(&w, &c), PLAN_WAITS);
		/* r3's last comparison is of who leads then */
		assert_int_equal(w.asked, expected(&w.run, &p) - (i == 3 ? 2 : 0));
		poolworld_free(&w);
	}
}

static void tournaments_run_side_by_side(void **unused)
{
	struct pool p;
	const struct variant four = { "tourrank", { 4, 8 } };
	struct poolworld w;
	struct choice c;

	(void)unused;
	pool_all_different(&p, 16);
	variant_make(&w, &four, &p);
	w.hide = 1;
	assert_int_equal(poolworld_plan(&w, &c), PLAN_WAITS);
	assert_int_equal(w.asked, 4 * 2); /* the first rounds of all */
	poolworld_free(&w);
}

/* ---- what comes of the answers --------------------------------------------------- */

static void where_nothing_can_be_read_majority_stands_in(void **unused)
{
	(void)unused;
	for (size_t i = 1; i < VARIANTS; i++)
		variant_where_nothing_can_be_read_majority_stands_in(&variants[i]);
}

static void of_equals_the_larger_group_wins_everywhere(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < VARIANTS; i++)
		variant_of_equals_the_larger_group_wins(&variants[i]);
}

static void a_good_judge_is_believed_by_all_of_them(void **unused)
{
	struct pool p = { .size = { 3, 2, 1 }, .g = 3, .ranked = 6 };

	(void)unused;
	for (size_t i = 1; i < VARIANTS; i++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[i], &p);
		for (uint32_t k = 0; k < w.n; k++)
			w.good[k] = w.class_of[k];
		assert_int_equal(variant_chosen(&w, &c), 2);
		assert_true(c.group[2].mean_rank == 1);
		poolworld_free(&w);
	}
}

/* With both orders each side of a pair gets a point, so the vote alone is left. */
static void pairwise_in_both_orders_is_not_moved_by_who_stands_first(void **unused)
{
	static const uint32_t size[] = { 3, 2, 2 };

	(void)unused;
	for (int unit = 0; unit < 2; unit++) {
		struct poolworld w;
		struct choice c;

		poolworld_groups(&w, size, 3, 1, "pairwise");
		w.run.own[1] = unit;
		w.first = 100;
		w.good[3] = 1;
		assert_int_equal(variant_chosen(&w, &c), 0);
		poolworld_free(&w);
	}
}

/* a has 2 of the vote and 4 for beating c; b 6 + 4; c 1 of the vote. */
static void pairwise_counts_the_vote_and_the_wins(void **unused)
{
	static const int class_of[] = { 0, 0, 0, 1, 2, 2 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_make(&w, class_of, 6, "pairwise");
	w.good[0] = w.good[1] = w.good[2] = 2;
	w.good[3] = 3;
	w.good[4] = w.good[5] = 1;
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.npass, 1);
	assert_int_equal(c.pass[0].places, 3);
	assert_int_equal(c.pass[0].place[0], 1);
	assert_int_equal(c.pass[0].place[1], 3);
	assert_int_equal(c.pass[0].place[2], 2);
	assert_int_equal(c.pass[0].cand[0], 3);
	poolworld_free(&w);
}

/* A judge that looks at results only: all members of a group are alike to it. */
static void representatives_decide_as_all_candidates_would(void **unused)
{
	static const uint32_t sizes[][4] = { { 5, 1, 1, 1 },
					     { 3, 3, 1, 1 },
					     { 2, 2, 2, 2 },
					     { 4, 2, 1, 1 },
					     { 3, 2, 2, 1 } };

	(void)unused;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (uint32_t order = 0; order < 256; order++) {
			int chosen[2];

			for (int unit = 0; unit < 2; unit++) {
				struct poolworld w;
				struct choice c;

				poolworld_groups(&w, sizes[s], 4, 0, "pairwise");
				w.run.own[1] = unit;
				for (uint32_t k = 0; k < w.n; k++)
					w.good[k] = order >> 2 * w.class_of[k] & 3;
				chosen[unit] = variant_chosen(&w, &c);
				poolworld_free(&w);
			}
			assert_int_equal(chosen[0], chosen[1]);
		}
}

static int lose_3(const struct poolworld *w, struct view what, const uint32_t *cand,
		  uint32_t n)
{
	(void)w;
	(void)what;
	for (uint32_t i = 0; i < n; i++)
		if (cand[i] == 3)
			return 1;
	return 0;
}

static void an_unread_comparison_is_half_a_point_each(void **unused)
{
	static const uint32_t size[] = { 3, 1 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 2, 0, "pairwise");
	w.good[3] = 9;
	assert_int_equal(variant_chosen(&w, &c), 1);
	poolworld_free(&w);
	poolworld_groups(&w, (uint32_t[]){ 3, 1, 1 }, 3, 0, "pairwise");
	w.good[3] = 9;
	w.lost = lose_3; /* it has 4 of 8 points; each of the first group 2 + 1 + 2 */
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_true(c.nnote > 0);
	poolworld_free(&w);
}

static int pointwise_class(int aggregate, const double *good, struct choice *c)
{
	static const int class_of[] = { 0, 0, 1, 1, 1, 2 };
	struct poolworld w;
	int class_id;

	poolworld_make(&w, class_of, 6, "pointwise");
	w.run.own[0] = aggregate;
	memcpy(w.good, good, 6 * sizeof *good);
	class_id = variant_chosen(&w, c);
	poolworld_free(&w);
	return class_id;
}

static void a_groups_score_is_its_best_its_mean_or_its_sum(void **unused)
{
	static const double best[] = { 0, 5, 3, 3, 3, 4 };
	static const double sum[] = { 1, 1, 1, 1, 1, 1.9 };
	struct choice c;

	(void)unused;
	assert_int_equal(pointwise_class(0, best, &c), 0);
	assert_int_equal(c.chosen, 1); /* and in it the best member */
	assert_int_equal(pointwise_class(1, best, &c), 2);
	/* log(3e) = 2.0986 against 1.9 and 1.6931 */
	assert_int_equal(pointwise_class(2, sum, &c), 1);
	assert_int_equal(pointwise_class(0, sum, &c), 2);
}

static void a_group_without_a_score_stands_behind_all(void **unused)
{
	static const uint32_t size[] = { 3, 1, 1 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 3, 0, "pointwise");
	for (uint32_t k = 0; k < 5; k++)
		w.good[k] = -1.0 - k;
	w.good[3] = 9;
	w.lost = lose_3;
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_true(c.group[1].mean_rank == 3 || c.group[2].mean_rank == 3);
	poolworld_free(&w);
}

static int lose_scores(const struct poolworld *w, struct view what,
		       const uint32_t *cand, uint32_t n)
{
	(void)w;
	(void)cand;
	(void)n;
	return view_eq(what, view_of("score"));
}

static int lose_pairs(const struct poolworld *w, struct view what, const uint32_t *cand,
		      uint32_t n)
{
	(void)w;
	(void)cand;
	(void)n;
	return view_eq(what, view_of("pair"));
}

static void r3_goes_by_wins_and_then_by_size_and_rank(void **unused)
{
	static const uint32_t size[] = { 4, 2, 1 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 3, 0, "r3");
	w.good[0] = 1;
	w.good[6] = 3; /* the single one: one decisive win more than any */
	assert_int_equal(variant_chosen(&w, &c), 2);
	w.lost = lose_pairs; /* no wins: 4 * 1/2 against 2 * 1/3 and 1 * 1 */
	assert_int_equal(variant_chosen(&w, &c), 0);
	w.good[6] = 0;
	w.good[4] = 3; /* 4 * 1/2 against 2 * 1: the larger */
	assert_int_equal(variant_chosen(&w, &c), 0);
	w.lost = lose_scores; /* pairs alone: 11 of 16 to class 1 */
	assert_int_equal(variant_chosen(&w, &c), 1);
	poolworld_free(&w);
}

/* A third group wins anyway. Of the second one member beats all of the first and the
 * other but one: of 2 x 20 pairs 21, a margin of .05, which is no win, so that the size
 * decides; of 2 x 19 pairs 20, a margin of .053. */
static void r3_wants_a_margin_of_more_than_a_twentieth(void **unused)
{
	(void)unused;
	for (uint32_t n = 19; n <= 20; n++) {
		const uint32_t size[] = { n, 2, 1 };
		struct poolworld w;
		struct choice c;

		poolworld_groups(&w, size, 3, 0, "r3");
		for (uint32_t k = 1; k < n; k++)
			w.good[k] = 3;
		w.good[n] = 4;
		w.good[n + 1] = 2;
		w.good[n + 2] = 9;
		assert_int_equal(variant_chosen(&w, &c), 2);
		assert_true(c.group[0].mean_rank == (n == 19 ? 3 : 2));
		assert_true(c.group[1].mean_rank == (n == 19 ? 2 : 3));
		poolworld_free(&w);
	}
}

/* The winner by wins is beaten by the second's best member. */
static void r3_lets_the_first_two_meet_at_last(void **unused)
{
	static const uint32_t size[] = { 3, 3 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 2, 0, "r3");
	w.good[0] = w.good[1] = w.good[2] = 2;
	w.good[3] = 3; /* wins 3 of 9 pairs, and the last one */
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.chosen, 3);
	w.run.own[0] = 1; /* the best of each alone: it wins at once */
	assert_int_equal(variant_chosen(&w, &c), 1);
	poolworld_free(&w);
}

static void r3_notes_that_a_right_candidate_may_be_missing(void **unused)
{
	static const uint32_t size[] = { 2, 1 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 2, 0, "r3");
	w.good[2] = 1;
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.nnote, 0);
	w.missing = 1;
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.nnote, 1);
	poolworld_free(&w);
}

static int lose_largest_pools(const struct poolworld *w, struct view what,
			      const uint32_t *cand, uint32_t n)
{
	(void)what;
	for (uint32_t i = 0; i < n; i++)
		if (w->class_of[cand[i]] == 0)
			return 1;
	return 0;
}

static void a_pool_that_cannot_be_read_lets_the_largest_go_on(void **unused)
{
	uint32_t size[16] = { 3 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	for (uint32_t i = 1; i < 16; i++)
		size[i] = 1;
	for (int k = 0; k < 2; k++) {
		poolworld_groups(&w, size, 16, 0, k ? "tourrank" : "bestof");
		w.lost = lose_largest_pools;
		w.good[7] = 5;
		/* Only the other pool's first round is read: its winner has a point. */
		assert_int_not_equal(variant_chosen(&w, &c), 0);
		assert_int_equal(c.degraded, 0);
		assert_true(c.nnote > 0);
		poolworld_free(&w);
	}
}

static void points_add_up_over_tournaments(void **unused)
{
	uint32_t size[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 8, 0, "tourrank");
	w.run.own[0] = 5;
	for (uint32_t i = 0; i < 8; i++)
		w.good[i] = i;
	assert_int_equal(variant_chosen(&w, &c), 7);
	assert_int_equal(c.npass, 5);
	assert_int_equal(c.pass[4].places, 4); /* 3, 2, 1 and 0 points */
	assert_int_equal(c.pass[4].place[0], 1);
	assert_int_equal(c.pass[4].place[3], 4);
	assert_int_equal(c.pass[4].cand[1], 6);
	poolworld_free(&w);
}

/* ---- mbr ------------------------------------------------------------------------- */

/* 1 and 2 are nearly the same result; 0 is like none. */
static uint64_t near_twins(const struct poolworld *w, int a, int b)
{
	(void)w;
	return a + b == 3 ? 900 : 100;
}

static void mbr_takes_what_is_most_like_the_others(void **unused)
{
	static const uint32_t size[] = { 3, 2, 2 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	poolworld_groups(&w, size, 3, 2, "mbr");
	w.same = near_twins;
	/* 3 + .1 * 4 = 3.4 against 2 + .9 * 2 + .1 * 3 = 4.1, twice */
	assert_int_not_equal(variant_chosen(&w, &c), 0);
	assert_true(c.group[0].mean_rank == 3);
	assert_true(c.group[1].mean_rank == 1.5);
	assert_int_equal(c.asks, 0);
	/* Three frames: three tasks, each wanted by several pairs. */
	assert_int_equal(w.alike, 3 * 2 + 3 * 2 + 2 * 2);
	poolworld_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_partition_of_up_to_8_costs_what_the_formula_says),
		cmocka_unit_test(of_1_to_40_all_different_the_most_is_asked),
		cmocka_unit_test(the_published_counts_are_met),
		cmocka_unit_test(what_hangs_on_nothing_is_asked_at_once),
		cmocka_unit_test(tournaments_run_side_by_side),
		cmocka_unit_test(where_nothing_can_be_read_majority_stands_in),
		cmocka_unit_test(of_equals_the_larger_group_wins_everywhere),
		cmocka_unit_test(a_good_judge_is_believed_by_all_of_them),
		cmocka_unit_test(
			pairwise_in_both_orders_is_not_moved_by_who_stands_first),
		cmocka_unit_test(pairwise_counts_the_vote_and_the_wins),
		cmocka_unit_test(representatives_decide_as_all_candidates_would),
		cmocka_unit_test(an_unread_comparison_is_half_a_point_each),
		cmocka_unit_test(a_groups_score_is_its_best_its_mean_or_its_sum),
		cmocka_unit_test(a_group_without_a_score_stands_behind_all),
		cmocka_unit_test(r3_goes_by_wins_and_then_by_size_and_rank),
		cmocka_unit_test(r3_wants_a_margin_of_more_than_a_twentieth),
		cmocka_unit_test(r3_lets_the_first_two_meet_at_last),
		cmocka_unit_test(r3_notes_that_a_right_candidate_may_be_missing),
		cmocka_unit_test(a_pool_that_cannot_be_read_lets_the_largest_go_on),
		cmocka_unit_test(points_add_up_over_tournaments),
		cmocka_unit_test(mbr_takes_what_is_most_like_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
