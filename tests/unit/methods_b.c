/* methods_b.c - mcs, xiyan, csc, rankgpt, psc and setwise: how many asks each makes,
 * and what each makes of the answers */
#include "tests/support/cm.h"

#include "broker/method/method.h"
#include "common/base/rng.h"
#include "common/select/window.h"
#include "tests/support/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- how many asks --------------------------------------------------------------- */

static uint32_t above(const struct pool *p, double threshold)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->g; i++)
		n += 100 * p->size[i] > threshold * p->ranked;
	return n;
}

static uint64_t expected(const struct run *r, const struct pool *p)
{
	if (p->g < 2)
		return 0;
	if (strcmp(r->method, "mcs") == 0)
		return above(p, r->own[0]) > 1 ? (uint64_t)r->own[1] : 0;
	if (strcmp(r->method, "rankgpt") == 0)
		return window_count(p->ranked, VARIANT_WINDOW, VARIANT_STEP);
	if (strcmp(r->method, "psc") == 0)
		return (uint64_t)VARIANT_PASSES *
		       window_count(p->g, VARIANT_WINDOW, VARIANT_STEP);
	if (strcmp(r->method, "setwise") == 0)
		return (p->g - 2) / (uint32_t)r->own[1] + 1;
	return 1; /* xiyan, csc */
}

static const struct variant variants[] = {
	{ "mcs", { 20, 20 } },      { "mcs", { 0, 5 } },     { "xiyan", { 0 } },
	{ "csc", { 0, 0 } },        { "csc", { 0, 1 } },     { "rankgpt", { 0 } },
	{ "psc", { 0 } },           { "psc", { 1 } },        { "psc", { 2 } },
	{ "setwise", { 0, 3 } },    { "setwise", { 1, 3 } }, { "setwise", { 0, 7 } },
	{ "setwise", { 1, 7 } },    { "setwise", { 0, 1 } }, { "setwise", { 1, 2 } },
	{ "setwise", { 0, 25, 1 } }
};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* Without a look at the journal: what was asked, and that the chosen group came first
 * of those shown. csc shows two. */
static void check_record(const struct variant *v, const struct choice *c)
{
	int listwise =
		strcmp(v->method, "rankgpt") == 0 || strcmp(v->method, "psc") == 0;
	double first = HUGE_VAL;
	uint32_t shown = 0;

	assert_int_equal(c->npass > 0, c->asks > 0);
	for (uint32_t i = 0; i < c->g; i++)
		if (c->group[i].mean_rank >= 1) {
			shown++;
			first = fmin(first, c->group[i].mean_rank);
		}
	if (listwise || !c->asks)
		return;
	assert_int_equal(c->npass, c->asks);
	for (uint32_t i = 0; i < c->g; i++)
		for (uint32_t k = 0; k < c->group[i].size; k++)
			if (c->group[i].member[k] == c->chosen)
				assert_true(c->group[i].mean_rank == first);
	if (strcmp(v->method, "csc") == 0)
		assert_int_equal(shown, 2);
	if (strcmp(v->method, "setwise") == 0)
		assert_int_equal(shown, c->g);
}

static const struct variants all = { variants, VARIANTS, expected, check_record };

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
	const struct method *setwise = method_by_name("setwise");
	const struct method *rankgpt = method_by_name("rankgpt");
	const struct method *psc = method_by_name("psc");
	struct run three = { .own = { 0, 3 } }, seven = { .own = { 0, 7 } };
	struct run bubble = { .own = { 1, 3 } }, wider = { .own = { 1, 7 } };
	struct run wide = { .window = 20, .step = 10, .passes_max = 20 };
	struct run w8 = { .window = 8, .step = 4, .passes_max = 4 };

	(void)unused;
	assert_int_equal(setwise->most(&three, 32), 11);
	assert_int_equal(setwise->most(&seven, 32), 5);
	assert_int_equal(setwise->most(&three, 8), 3);
	assert_int_equal(setwise->most(&seven, 8), 1);
	for (uint32_t n = 2; n <= 100; n++) { /* ceil((n - 1) / c) */
		assert_int_equal(setwise->most(&bubble, n), (n - 1 + 2) / 3);
		assert_int_equal(setwise->most(&wider, n), (n - 1 + 6) / 7);
	}
	assert_int_equal(rankgpt->most(&wide, 100), 9);
	assert_int_equal(rankgpt->most(&w8, 32), 7);
	assert_int_equal(rankgpt->most(&w8, 8), 1);
	assert_int_equal(psc->most(&wide, 10), 20);
	assert_int_equal(psc->most(&w8, 32), 28);
	assert_int_equal(
		method_by_name("mcs")->most(&(struct run){ .own = { 20, 20 } }, 100),
		20);
}

static uint32_t asked_at_once(const char *method, const double own[3], uint32_t n)
{
	struct variant v = { method, { own[0], own[1], own[2] } };
	struct poolworld w;
	struct choice c;
	struct pool p;
	uint32_t asked;

	pool_all_different(&p, n);
	variant_make(&w, &v, &p);
	w.hide = 1;
	assert_int_equal(poolworld_plan(&w, &c), PLAN_WAITS);
	asked = w.asked;
	poolworld_free(&w);
	return asked;
}

static void what_hangs_on_nothing_is_asked_at_once(void **unused)
{
	(void)unused;
	assert_int_equal(asked_at_once("psc", (double[]){ 0, 0, 0 }, 16),
			 VARIANT_PASSES);
	assert_int_equal(asked_at_once("mcs", (double[]){ 0, 7, 0 }, 9), 7);
	/* parents 2, 3 and 4 of 16 have leaves only */
	assert_int_equal(asked_at_once("setwise", (double[]){ 0, 3, 0 }, 16), 3);
	assert_int_equal(asked_at_once("setwise", (double[]){ 1, 3, 0 }, 16), 1);
}

/* ---- what comes of the answers --------------------------------------------------- */

static void where_nothing_can_be_read_majority_stands_in(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < VARIANTS; i++)
		variant_where_nothing_can_be_read_majority_stands_in(&variants[i]);
}

static void of_equals_the_larger_group_wins_everywhere(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < VARIANTS; i++)
		variant_of_equals_the_larger_group_wins(&variants[i]);
}

/* mcs drops a share of a sixth, csc the third group: their papers' price. */
static void a_good_judge_is_believed_by_all_that_ask_about_everyone(void **unused)
{
	struct pool p = { .size = { 3, 2, 1 }, .g = 3, .ranked = 6 };

	(void)unused;
	for (size_t i = 0; i < VARIANTS; i++) {
		int drops = strcmp(variants[i].method, "csc") == 0 ||
			    (strcmp(variants[i].method, "mcs") == 0 &&
			     variants[i].own[0] > 0);
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[i], &p);
		for (uint32_t k = 0; k < w.n; k++)
			w.good[k] = w.class_of[k];
		assert_int_equal(variant_chosen(&w, &c), drops ? 1 : 2);
		poolworld_free(&w);
	}
}

/* ---- mcs ------------------------------------------------------------------------- */

/* Two of five say the first option, three the second; pass 65534 is the first ask. */
static double two_to_three(const struct poolworld *w, uint64_t pass, uint32_t cand)
{
	int first = pass == 65534 || pass == 3;

	return w->class_of[cand] == (first ? 0 : 1);
}

static void mcs_goes_by_the_votes_for_an_option(void **unused)
{
	struct pool p = { .size = { 3, 2, 1 }, .g = 3, .ranked = 6 };
	const struct variant five = { "mcs", { 20, 5 } }, four = { "mcs", { 20, 4 } };
	struct poolworld w;
	struct choice c;

	(void)unused;
	variant_make(&w, &five, &p);
	memset(w.good, 0, sizeof w.good);
	w.sway = two_to_three;
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.chosen, 4); /* its fastest: fewest steps */
	assert_int_equal(c.asks, 5);
	poolworld_free(&w);
	variant_make(&w, &four, &p); /* two each: the larger group */
	memset(w.good, 0, sizeof w.good);
	w.sway = two_to_three;
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_int_equal(c.chosen, 2);
	poolworld_free(&w);
}

static void mcs_asks_evidence_once(void **unused)
{
	struct pool p = { .size = { 3, 3 }, .g = 2, .ranked = 6 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	variant_make(&w, &variants[0], &p);
	w.run.judge = JUDGE_evidence;
	for (uint32_t k = 0; k < w.n; k++)
		w.good[k] = w.class_of[k];
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.asks, 1);
	poolworld_free(&w);
}

/* A fifth exactly is not more than a fifth. */
static void mcs_without_two_options_takes_the_largest(void **unused)
{
	static const struct pool pools[] = {
		{ .size = { 1, 1, 1, 1, 1 }, .g = 5, .ranked = 5 },
		{ .size = { 3, 1, 1 }, .g = 3, .ranked = 5 },
		{ .size = { 11, 3, 1 }, .g = 3, .ranked = 15 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[0], &pools[i]);
		if (pools[i].size[0] > 1)
			assert_int_equal(variant_chosen(&w, &c), 0);
		else
			assert_true(variant_chosen(&w, &c) >= 0);
		assert_int_equal(c.asks, 0);
		assert_int_equal(c.why, WHY_MAJORITY);
		poolworld_free(&w);
	}
}

/* ---- xiyan ----------------------------------------------------------------------- */

static uint32_t shown[POOLWORLD_MOST], nshown;

static int note_shown(const struct poolworld *w, struct view what, const uint32_t *cand,
		      uint32_t n)
{
	(void)w;
	(void)what;
	nshown = n;
	memcpy(shown, cand, n * sizeof *shown);
	return 0;
}

static void rename_candidate(struct poolworld *w, uint32_t c, const char *sql)
{
	struct candidate *k = &w->q.cand[c];

	k->sql = k->run = view_of(arena_str(&w->arena, sql));
	k->run_hash = hash_of(k->run.p, k->run.n);
}

static void xiyan_shows_all_where_half_agree_and_else_one_a_group(void **unused)
{
	static const struct {
		struct pool p;
		uint32_t shown;
	} cases[] = {
		{ { .size = { 3, 2, 1 }, .g = 3, .ranked = 6, .failed = 2 }, 6 },
		{ { .size = { 3, 2, 2 }, .g = 3, .ranked = 7 }, 3 },
		{ { .size = { 4, 2, 1 }, .g = 3, .ranked = 7 }, 7 },
		{ { .size = { 1, 1 }, .g = 2, .ranked = 2 }, 2 },
		{ { .size = { 30, 5, 5 }, .g = 3, .ranked = 40 }, 26 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[2], &cases[i].p);
		w.lost = note_shown;
		assert_int_equal(poolworld_plan(&w, &c), PLAN_DONE);
		assert_int_equal(nshown, cases[i].shown);
		for (uint32_t k = 1; k < nshown; k++) /* the largest group first */
			assert_true(cases[i].p.size[w.class_of[shown[k]]] <=
				    cases[i].p.size[w.class_of[shown[k - 1]]]);
		assert_int_equal(c.nnote, cases[i].p.ranked > 26);
		poolworld_free(&w);
	}
}

static void a_groups_shortest_stands_for_it_also_alone(void **unused)
{
	static const struct pool one = { .size = { 4 }, .g = 1, .ranked = 4 };
	static const struct pool many = { .size = { 2, 2, 2 }, .g = 3, .ranked = 6 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	variant_make(&w, &variants[2], &one);
	for (uint32_t k = 0; k < 4; k++)
		rename_candidate(&w, k, k == 2 ? "SELECT 2" : "SELECT  22");
	rename_candidate(&w, 3, "SELECT   33");
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_int_equal(c.chosen, 2);
	assert_int_equal(c.why, WHY_ONE_GROUP);
	poolworld_free(&w);
	variant_make(&w, &variants[2], &many);
	rename_candidate(&w, 4, "SELECT       5");
	w.good[5] = 99;
	assert_int_equal(variant_chosen(&w, &c), 2);
	assert_int_equal(c.chosen, 5);
	poolworld_free(&w);
	variant_make(&w, &variants[0], &one); /* mcs: the fastest */
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_int_equal(c.chosen, 3);
	poolworld_free(&w);
}

/* ---- csc ------------------------------------------------------------------------- */

static void csc_by_lot_shows_either_group_first(void **unused)
{
	struct pool p = { .size = { 3, 2, 1 }, .g = 3, .ranked = 6 };
	uint32_t first[2] = { 0 };

	(void)unused;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[4], &p);
		w.run.seed = seed;
		w.first = 1000; /* whoever stands first is right */
		first[variant_chosen(&w, &c)]++;
		poolworld_free(&w);
	}
	assert_int_equal(first[0] + first[1], 64);
	assert_true(first[0] > 16 && first[1] > 16);
}

static void csc_keeps_the_vote_where_a_text_holds_no_query(void **unused)
{
	struct pool p = { .size = { 2, 1 }, .g = 2, .ranked = 3 };
	struct poolworld w;
	struct choice c;

	(void)unused;
	variant_make(&w, &variants[3], &p);
	rename_candidate(&w, 2, "PRAGMA table_list");
	w.good[2] = 100;
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_int_equal(c.asks, 0);
	assert_int_equal(c.why, WHY_MAJORITY);
	rename_candidate(&w, 2, "with x as (sElEcT 3) select * from x");
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.asks, 1);
	w.q.cand[2].abstains = 1;
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_int_equal(c.asks, 0);
	poolworld_free(&w);
}

/* ---- rankgpt --------------------------------------------------------------------- */

static void rankgpt_carries_the_last_to_the_front(void **unused)
{
	(void)unused;
	for (uint32_t n = 2; n <= 40; n++)
		for (uint32_t best = 0; best < n; best += 3) {
			struct poolworld w;
			struct choice c;
			struct pool p;

			pool_all_different(&p, n);
			variant_make(&w, &variants[5], &p);
			memset(w.good, 0, sizeof w.good);
			w.good[best] = 1;
			assert_int_equal(variant_chosen(&w, &c), (int)best);
			assert_int_equal(c.npass, 1);
			assert_int_equal(c.pass[0].cand[0], best);
			poolworld_free(&w);
		}
}

/* ---- psc ------------------------------------------------------------------------- */

/* Of five passes three say a b c and two b c a. */
static double three_to_two(const struct poolworld *w, uint64_t pass, uint32_t cand)
{
	static const double one[] = { 3, 2, 1 }, other[] = { 1, 3, 2 };

	return pass < 3 ? one[w->class_of[cand]] : other[w->class_of[cand]];
}

static void psc_chooses_by_its_rule(void **unused)
{
	static const int chosen[] = { 0, 1, 1 };
	struct pool p = { .size = { 1, 1, 2 }, .g = 3, .ranked = 4 };

	(void)unused;
	for (uint32_t rule = 0; rule < 3; rule++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[6 + rule], &p);
		memset(w.good, 0, sizeof w.good);
		w.sway = three_to_two;
		assert_int_equal(variant_chosen(&w, &c), chosen[rule]);
		assert_int_equal(c.npass, VARIANT_PASSES);
		assert_int_equal(c.pass[0].places, 3);
		assert_int_equal(c.group[0].size, 2);
		/* c's mean place: 3, 3, 3, 2, 2 */
		assert_float_equal(c.group[0].mean_rank, 2.6, 1e-6);
		poolworld_free(&w);
	}
}

/* a b c and c b a: all mean ranks are equal, and b, the largest, has no first place. */
static double there_and_back(const struct poolworld *w, uint64_t pass, uint32_t cand)
{
	return pass % 2 ? w->class_of[cand] : -w->class_of[cand];
}

static void reciprocal_ranks_like_extremes_and_the_others_the_larger_group(
	void **unused)
{
	static const int chosen[] = { 1, 1, 2 };
	struct pool p = { .size = { 1, 3, 2 }, .g = 3, .ranked = 6 };

	(void)unused;
	for (uint32_t rule = 0; rule < 3; rule++) {
		struct poolworld w;
		struct choice c;

		variant_make(&w, &variants[6 + rule], &p);
		memset(w.good, 0, sizeof w.good);
		w.run.passes_min = w.run.passes_max = 2;
		w.sway = there_and_back;
		assert_int_equal(variant_chosen(&w, &c), chosen[rule]);
		poolworld_free(&w);
	}
}

static int lose_kemeny(const struct poolworld *w, struct view what,
		       const uint32_t *cand, uint32_t n)
{
	(void)w;
	(void)cand;
	(void)n;
	return view_eq(what, view_of("kemeny"));
}

static void psc_of_many_groups_has_a_worker_find_the_order(void **unused)
{
	(void)unused;
	for (uint32_t n = 10; n <= 20; n++) {
		struct poolworld w;
		struct choice c;
		struct pool p;

		pool_all_different(&p, n);
		variant_make(&w, &variants[6], &p);
		memset(w.good, 0, sizeof w.good);
		w.good[n / 2] = 1;
		assert_int_equal(variant_chosen(&w, &c), (int)(n / 2));
		assert_int_equal(w.ordered, n > 11);
		w.lost = lose_kemeny; /* mean ranks stand in */
		assert_int_equal(variant_chosen(&w, &c), (int)(n / 2));
		assert_int_equal(c.degraded, 0);
		assert_int_equal(c.nnote, n > 11);
		poolworld_free(&w);
	}
}

static uint32_t first_shown;

static int lose_ranks(const struct poolworld *w, struct view what, const uint32_t *cand,
		      uint32_t n)
{
	(void)w;
	(void)what;
	(void)n;
	return cand[0] == first_shown;
}

/* Passes that begin with a certain candidate cannot be read. */
static void a_void_pass_counts_for_nothing(void **unused)
{
	struct pool p = { .size = { 1, 1, 1 }, .g = 3, .ranked = 3 };
	uint32_t read = 0, lost = 0;
	struct poolworld w;
	struct choice c;

	(void)unused;
	for (first_shown = 0; first_shown < 3; first_shown++) {
		variant_make(&w, &variants[6], &p);
		for (uint32_t k = 0; k < 3; k++)
			w.good[k] = k;
		w.lost = lose_ranks;
		assert_int_equal(poolworld_plan(&w, &c), PLAN_DONE);
		for (uint32_t k = 0; k < c.npass; k++) {
			lost += c.pass[k].is_void;
			read += !c.pass[k].is_void;
		}
		if (!c.degraded)
			assert_int_equal(w.class_of[c.chosen], 2);
		poolworld_free(&w);
	}
	assert_int_equal(lost, VARIANT_PASSES); /* each begins with one of the three */
	assert_int_equal(read, 2 * VARIANT_PASSES);
}

/* ---- setwise --------------------------------------------------------------------- */

static void setwise_finds_the_best_whatever_the_sort(void **unused)
{
	struct rng r;

	(void)unused;
	rng_init(&r, "setwise", 1, view_of("best"), 0);
	for (uint32_t round = 0; round < 400; round++) {
		struct variant v = { "setwise", { 0 } };
		uint32_t n = 2 + (uint32_t)rng_below(&r, 39), best = 0;
		struct poolworld w;
		struct choice c;
		struct pool p;

		v.own[0] = round % 2;
		v.own[1] = (double)(1 + rng_below(&r, 25));
		pool_all_different(&p, n);
		variant_make(&w, &v, &p);
		for (uint32_t k = 0; k < n; k++) {
			w.good[k] = rng_unit(&r);
			if (w.good[k] > w.good[best])
				best = k;
		}
		assert_int_equal(variant_chosen(&w, &c), (int)best);
		poolworld_free(&w);
	}
}

static int lose_9(const struct poolworld *w, struct view what, const uint32_t *cand,
		  uint32_t n)
{
	(void)w;
	(void)what;
	for (uint32_t i = 0; i < n; i++)
		if (cand[i] == 9)
			return 1;
	return 0;
}

/* The best is among those of an ask that cannot be read: it is not the first shown. */
static void an_unread_ask_keeps_the_first_shown(void **unused)
{
	struct poolworld w;
	struct choice c;
	struct pool p;

	(void)unused;
	pool_all_different(&p, 20);
	for (int sort = 0; sort < 2; sort++) {
		struct variant v = { "setwise", { sort, 3 } };

		variant_make(&w, &v, &p);
		memset(w.good, 0, sizeof w.good);
		w.good[9] = 2;
		w.good[11] = 1;
		w.lost = lose_9;
		assert_int_equal(poolworld_plan(&w, &c), PLAN_DONE);
		assert_int_equal(c.why, WHY_RANKED);
		assert_true(c.nnote > 0);
		poolworld_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_partition_of_up_to_8_costs_what_the_formula_says),
		cmocka_unit_test(of_1_to_40_all_different_the_most_is_asked),
		cmocka_unit_test(the_published_counts_are_met),
		cmocka_unit_test(what_hangs_on_nothing_is_asked_at_once),
		cmocka_unit_test(where_nothing_can_be_read_majority_stands_in),
		cmocka_unit_test(of_equals_the_larger_group_wins_everywhere),
		cmocka_unit_test(
			a_good_judge_is_believed_by_all_that_ask_about_everyone),
		cmocka_unit_test(mcs_goes_by_the_votes_for_an_option),
		cmocka_unit_test(mcs_asks_evidence_once),
		cmocka_unit_test(mcs_without_two_options_takes_the_largest),
		cmocka_unit_test(xiyan_shows_all_where_half_agree_and_else_one_a_group),
		cmocka_unit_test(a_groups_shortest_stands_for_it_also_alone),
		cmocka_unit_test(csc_by_lot_shows_either_group_first),
		cmocka_unit_test(csc_keeps_the_vote_where_a_text_holds_no_query),
		cmocka_unit_test(rankgpt_carries_the_last_to_the_front),
		cmocka_unit_test(psc_chooses_by_its_rule),
		cmocka_unit_test(
			reciprocal_ranks_like_extremes_and_the_others_the_larger_group),
		cmocka_unit_test(psc_of_many_groups_has_a_worker_find_the_order),
		cmocka_unit_test(a_void_pass_counts_for_nothing),
		cmocka_unit_test(setwise_finds_the_best_whatever_the_sort),
		cmocka_unit_test(an_unread_ask_keeps_the_first_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
