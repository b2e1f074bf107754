/* permute.c - orders of passes are balanced, repeatable and as different as can be */
#include "tests/support/cm.h"

#include "common/select/confidence.h"
#include "common/select/lineup.h"
#include "common/select/meanrank.h"
#include "common/select/permute.h"
#include "common/select/window.h"

enum { MOST = 64, PASSES = 16 };

struct bench {
	struct arena a;
	struct grouping g;
	uint32_t order[PASSES * MOST];
	double rank[PASSES * MOST], mean[MOST];
	uint32_t passes;
};

static void make(struct bench *b, const int *class_id, uint32_t n, enum permute how,
		 uint32_t passes)
{
	*b = (struct bench){ .passes = passes };
	assert_int_equal(grouping_make(&b->a, class_id, n, &b->g, NULL), 0);
	assert_int_equal(
		permute_passes(&b->g, how, 42, view_of("717"), passes, b->order, NULL),
		0);
}

/* The judge of F10: whatever stands first is best. Whole passes, windows and all. */
static void rank_first_listed_first(struct bench *b)
{
	uint32_t n = b->g.ranked;

	for (uint32_t k = 0; k < b->passes; k++) {
		uint8_t tied[MOST];
		double rank[MOST];
		struct lineup l;

		lineup_begin(&l, b->order + k * n, tied, n);
		for (uint32_t w = 0; w < window_count(n, 8, 4); w++) {
			uint32_t size = window_size(n, 8);

			for (uint32_t i = 0; i < size; i++)
				rank[i] = i + 1;
			lineup_write(&l, window_start(n, 8, 4, w), size, rank);
		}
		lineup_ranks(&l, b->rank + k * n);
	}
	meanrank_over(b->rank, b->passes, n, b->mean);
}

static const int eight[] = { 0, 0, 0, 1, 1, 2, 0, 3 };

static void F10_all_mean_ranks_are_equal_for_a_judge_that_prefers_the_first(
	void **unused)
{
	for (uint32_t passes = 2; passes <= 8; passes += 2) {
		double p = -1, lines[PASSES * MOST], mean[MOST];
		struct bench b;
		struct leaders l;

		(void)unused;
		make(&b, eight, 8, PERMUTE_BOTH, passes);
		rank_first_listed_first(&b);
		for (int c = 0; c < 8; c++)
			assert_true(b.mean[c] == 4.5);
		for (uint32_t k = 0; k < passes; k++)
			meanrank_groups(&b.g, b.rank + k * 8, lines + k * b.g.g);
		meanrank_over(lines, passes, b.g.g, mean);
		l = meanrank_lead_groups(mean, b.g.g);
		assert_int_equal(
			confidence_of_ranks(lines, passes, b.g.g, l.a, l.b, &p), 1);
		assert_true(p == 0.5); /* a tie */
		arena_free(&b.a);
	}
}

static void F10_members_of_a_group_share_their_mean_rank_within(void **unused)
{
	struct bench b;

	(void)unused;
	make(&b, eight, 8, PERMUTE_WITHIN, 4);
	rank_first_listed_first(&b);
	for (uint32_t i = 0; i < b.g.g; i++)
		for (uint32_t j = 1; j < b.g.group[i].size; j++)
			assert_true(b.mean[b.g.member[b.g.group[i].first + j]] ==
				    b.mean[group_face(&b.g, i)]);
	arena_free(&b.a);
}

static void F10_groups_share_their_mean_rank_between(void **unused)
{
	struct bench b;
	double lines[PASSES * MOST], mean[MOST];

	(void)unused;
	make(&b, eight, 8, PERMUTE_BETWEEN, 4);
	rank_first_listed_first(&b);
	for (int k = 0; k < 4; k++)
		meanrank_groups(&b.g, b.rank + k * 8, lines + k * 4);
	meanrank_over(lines, 4, 4, mean);
	for (int i = 0; i < 4; i++)
		assert_true(mean[i] == 2.5);
	arena_free(&b.a);
}

static void within_keeps_groups_together_and_in_order(void **unused)
{
	struct bench b;

	(void)unused;
	make(&b, eight, 8, PERMUTE_WITHIN, 8);
	for (int k = 0; k < 8; k++)
		for (int p = 1; p < 8; p++)
			assert_true(b.g.of[b.order[8 * k + p - 1]] <=
				    b.g.of[b.order[8 * k + p]]);
	arena_free(&b.a);
}

static void between_keeps_members_in_H_order(void **unused)
{
	struct bench b;

	(void)unused;
	make(&b, eight, 8, PERMUTE_BETWEEN, 8);
	for (int k = 0; k < 8; k++)
		for (int p = 1; p < 8; p++) {
			uint32_t before = b.order[8 * k + p - 1],
				 c = b.order[8 * k + p];

			if (b.g.of[before] == b.g.of[c])
				assert_true(before < c);
		}
	arena_free(&b.a);
}

static void each_member_of_an_even_group_is_at_each_place_once(void **unused)
{
	static const int one[8] = { 0 };
	uint32_t at[8][8] = { { 0 } };
	struct bench b;

	(void)unused;
	make(&b, one, 8, PERMUTE_WITHIN, 8);
	for (int k = 0; k < 8; k++)
		for (int p = 0; p < 8; p++)
			at[b.order[8 * k + p]][p]++;
	for (int c = 0; c < 8; c++)
		for (int p = 0; p < 8; p++)
			assert_int_equal(at[c][p], 1);
	arena_free(&b.a);
}

static int distinct(const struct bench *b)
{
	uint32_t n = b->g.ranked;
	int count = 0;

	for (uint32_t k = 0; k < b->passes; k++) {
		int fresh = 1;

		for (uint32_t j = 0; j < k; j++)
			if (!memcmp(b->order + k * n, b->order + j * n,
				    n * sizeof(uint32_t)))
				fresh = 0;
		count += fresh;
	}
	return count;
}

static void orders_are_all_different_as_long_as_there_are_any(void **unused)
{
	static const int pairs[] = { 0, 0, 1, 1 }, pair[] = { 0, 0, 1, 2 },
			 three[] = { 0, 0, 0, 1 }, single[] = { 0, 1, 2 };
	struct bench b;

	(void)unused;
	make(&b, pairs, 4, PERMUTE_WITHIN, 4);
	assert_int_equal(permute_orders(&b.g, PERMUTE_WITHIN), 4);
	assert_int_equal(distinct(&b), 4);
	arena_free(&b.a);
	make(&b, pair, 4, PERMUTE_WITHIN, 4);
	assert_int_equal(distinct(&b), 2);
	arena_free(&b.a);
	make(&b, three, 4, PERMUTE_WITHIN, 8);
	assert_int_equal(distinct(&b), 6);
	arena_free(&b.a);
	make(&b, single, 3, PERMUTE_WITHIN, 4);
	assert_int_equal(permute_orders(&b.g, PERMUTE_WITHIN), 1);
	assert_int_equal(distinct(&b), 1);
	arena_free(&b.a);
	make(&b, single, 3, PERMUTE_BETWEEN, 8);
	assert_int_equal(distinct(&b), 6);
	arena_free(&b.a);
	make(&b, eight, 8, PERMUTE_WITHIN, 16);
	assert_int_equal(permute_orders(&b.g, PERMUTE_WITHIN), 48);
	assert_int_equal(permute_orders(&b.g, PERMUTE_BOTH), 48 * 24);
	assert_int_equal(distinct(&b), 16);
	arena_free(&b.a);
}

static void failed_candidates_take_no_part(void **unused)
{
	static const int class_id[] = { -1, 0, 0, -1, 1 };
	struct bench b;

	(void)unused;
	make(&b, class_id, 5, PERMUTE_BOTH, 4);
	for (int i = 0; i < 4 * 3; i++)
		assert_true(b.order[i] != 0 && b.order[i] != 3);
	arena_free(&b.a);
}

static void another_seed_or_question_gives_other_orders(void **unused)
{
	static const int one[16] = { 0 };
	uint32_t other[4 * 16];
	struct bench b;

	(void)unused;
	make(&b, one, 16, PERMUTE_WITHIN, 4);
	permute_passes(&b.g, PERMUTE_WITHIN, 43, view_of("717"), 4, other, NULL);
	assert_memory_not_equal(other, b.order, sizeof other);
	permute_passes(&b.g, PERMUTE_WITHIN, 42, view_of("718"), 4, other, NULL);
	assert_memory_not_equal(other, b.order, sizeof other);
	permute_passes(&b.g, PERMUTE_WITHIN, 42, view_of("717"), 4, other, NULL);
	assert_memory_equal(other, b.order, sizeof other);
	arena_free(&b.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			F10_all_mean_ranks_are_equal_for_a_judge_that_prefers_the_first),
		cmocka_unit_test(F10_members_of_a_group_share_their_mean_rank_within),
		cmocka_unit_test(F10_groups_share_their_mean_rank_between),
		cmocka_unit_test(within_keeps_groups_together_and_in_order),
		cmocka_unit_test(between_keeps_members_in_H_order),
		cmocka_unit_test(each_member_of_an_even_group_is_at_each_place_once),
		cmocka_unit_test(orders_are_all_different_as_long_as_there_are_any),
		cmocka_unit_test(failed_candidates_take_no_part),
		cmocka_unit_test(another_seed_or_question_gives_other_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
