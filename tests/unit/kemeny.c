/* kemeny.c - the central order, against all orders; reciprocal ranks, to the digit */
#include "tests/support/cm.h"

#include "common/base/rng.h"
#include "common/select/kemeny.h"
#include "common/select/meanrank.h"
#include "common/select/rrf.h"
#include "proto/rankings.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { MOST = 40, PASSES = 9 };

struct poll {
	double rank[PASSES * MOST], mean[MOST];
	uint32_t n, count;
	uint32_t votes[MOST * MOST];
};

static void count(struct poll *p)
{
	kemeny_votes(p->rank, p->count, p->n, p->votes);
	meanrank_over(p->rank, p->count, p->n, p->mean);
}

/* Rankings around a common order, the noisier the larger `noise`; some with ties. */
static void draw(struct poll *p, struct rng *r, uint32_t n, uint32_t passes,
		 double noise)
{
	*p = (struct poll){ .n = n, .count = passes };
	for (uint32_t k = 0; k < passes; k++)
		for (uint32_t i = 0; i < n; i++) {
			double at = i + noise * rng_normal(r);

			p->rank[k * n + i] = k % 3 == 2 ? nearbyint(at / 2) : at;
		}
	count(p);
}

/* ---- all orders ------------------------------------------------------------------ */

struct best {
	const struct poll *p;
	uint64_t cost;
	uint32_t order[MOST];
	uint32_t place[MOST]; /* in the order of preference */
};

static int preferred(const struct best *b, const uint32_t *order)
{
	for (uint32_t i = 0; i < b->p->n; i++)
		if (b->place[order[i]] != b->place[b->order[i]])
			return b->place[order[i]] < b->place[b->order[i]];
	return 0;
}

static void try_all(struct best *b, uint32_t *order, uint32_t done)
{
	uint64_t cost;

	if (done == b->p->n) {
		cost = kemeny_cost(b->p->votes, b->p->n, order);
		if (cost < b->cost || (cost == b->cost && preferred(b, order))) {
			b->cost = cost;
			memcpy(b->order, order, done * sizeof *order);
		}
		return;
	}
	for (uint32_t i = done; i < b->p->n; i++) {
		uint32_t x = order[done];

		order[done] = order[i];
		order[i] = x;
		try_all(b, order, done + 1);
		order[i] = order[done];
		order[done] = x;
	}
}

static void best_of_all(const struct poll *p, struct best *b)
{
	uint32_t order[MOST];

	*b = (struct best){ .p = p, .cost = UINT64_MAX };
	for (uint32_t i = 0; i < p->n; i++) {
		order[i] = i;
		for (uint32_t j = 0; j < p->n; j++)
			b->place[i] += p->mean[j] < p->mean[i] ||
				       (p->mean[j] == p->mean[i] && j < i);
	}
	try_all(b, order, 0);
}

static void the_central_order_is_the_best_of_all_orders_and_of_equals_the_preferred(
	void **unused)
{
	struct rng r;

	(void)unused;
	rng_init(&r, "kemeny", 1, view_of("all"), 0);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t n = 1 + round % 7, order[MOST];
		struct poll p;
		struct best b;

		draw(&p, &r, n, 1 + (uint32_t)rng_below(&r, PASSES),
		     (double)rng_below(&r, 5));
		best_of_all(&p, &b);
		assert_int_equal(kemeny_order(p.votes, n, p.mean, order, NULL), 0);
		assert_int_equal(kemeny_cost(p.votes, n, order), b.cost);
		assert_memory_equal(order, b.order, n * sizeof *order);
	}
}

static void is_a_permutation(const uint32_t *order, uint32_t n)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < n; i++) {
		assert_true(order[i] < n);
		assert_false(seen >> order[i] & 1);
		seen |= (uint64_t)1 << order[i];
	}
}

/* Up to 16 the search may be worse than the best, never better; and never worse than
 * the order by mean ranks that it starts from. */
static void the_search_lies_between_mean_ranks_and_the_best(void **unused)
{
	uint32_t equal = 0, rounds = 120;
	struct rng r;

	(void)unused;
	rng_init(&r, "kemeny", 2, view_of("search"), 0);
	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t n = 2 + round % 10, exact[MOST], found[MOST], mean[MOST];
		const uint32_t none[MOST * MOST] = { 0 };
		struct poll p;
		uint64_t least, cost;

		draw(&p, &r, n, 5, 3);
		kemeny_order(p.votes, n, p.mean, exact, NULL);
		kemeny_search(p.votes, n, p.mean, found);
		kemeny_search(none, n, p.mean, mean);
		is_a_permutation(found, n);
		least = kemeny_cost(p.votes, n, exact);
		cost = kemeny_cost(p.votes, n, found);
		assert_true(least <= cost);
		assert_true(cost <= kemeny_cost(p.votes, n, mean));
		equal += least == cost;
	}
	printf("the search found the best order in %u of %u\n", equal, rounds);
	assert_true(equal > rounds / 2);
}

static void above_16_no_neighbours_stand_against_the_majority(void **unused)
{
	struct rng r;

	(void)unused;
	rng_init(&r, "kemeny", 3, view_of("many"), 0);
	for (uint32_t n = KEMENY_EXACT + 1; n <= MOST; n++) {
		uint32_t order[MOST];
		struct poll p;

		draw(&p, &r, n, 7, 4);
		assert_int_equal(kemeny_order(p.votes, n, p.mean, order, NULL), 0);
		is_a_permutation(order, n);
		for (uint32_t i = 1; i < n; i++)
			assert_true(p.votes[order[i - 1] * n + order[i]] >=
				    p.votes[order[i] * n + order[i - 1]]);
	}
}

static void what_all_rankings_say_is_the_order_at_any_size(void **unused)
{
	static const uint32_t sizes[] = { 1, 2, 5, 16, 17, MOST };

	(void)unused;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		uint32_t n = sizes[s], order[MOST];
		struct poll p = { .n = n, .count = 3 };

		for (uint32_t k = 0; k < 3; k++)
			for (uint32_t i = 0; i < n; i++)
				p.rank[k * n + i] = n - i;
		count(&p);
		assert_int_equal(kemeny_order(p.votes, n, p.mean, order, NULL), 0);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(order[i], n - 1 - i);
		assert_int_equal(kemeny_cost(p.votes, n, order), 0);
	}
}

/* Whoever beats all others one by one comes first, also in the search. */
static void a_condorcet_winner_is_first(void **unused)
{
	uint32_t winners = 0;
	struct rng r;

	(void)unused;
	rng_init(&r, "kemeny", 4, view_of("winner"), 0);
	for (uint32_t round = 0; round < 100; round++) {
		uint32_t n = 3 + round % 8, order[MOST];
		struct poll p;

		draw(&p, &r, n, 5, 3);
		kemeny_order(p.votes, n, p.mean, order, NULL);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t beaten = 0;

			for (uint32_t j = 0; j < n; j++)
				beaten += p.votes[i * n + j] > p.votes[j * n + i];
			if (beaten < n - 1)
				continue;
			assert_int_equal(order[0], i);
			winners++;
		}
	}
	assert_true(winners > 50);
}

/* Three say a b c, two say b c a. */
static void kemeny_and_mean_ranks_differ_where_they_should(void **unused)
{
	struct poll p = { .n = 3, .count = 5 };
	static const double rank[] = { 1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 1, 2, 3, 1, 2 };
	double score[3];
	uint32_t order[3];

	(void)unused;
	memcpy(p.rank, rank, sizeof rank);
	count(&p);
	assert_int_equal(kemeny_order(p.votes, 3, p.mean, order, NULL), 0);
	assert_int_equal(order[0], 0);
	assert_int_equal(order[1], 1);
	assert_int_equal(order[2], 2);
	assert_int_equal(kemeny_cost(p.votes, 3, order), 4);
	assert_int_equal(meanrank_lead_groups(p.mean, 3).a, 1);
	rrf_scores(p.rank, 5, 3, score);
	assert_float_equal(score[0], (3.0 / 60 + 2.0 / 62) / 5, 1e-12);
	assert_float_equal(score[1], (3.0 / 61 + 2.0 / 60) / 5, 1e-12);
	assert_float_equal(score[2], (3.0 / 62 + 2.0 / 61) / 5, 1e-12);
}

/* a b c, b c a, c a b: all of three orders are as good. */
static void a_cycle_is_cut_by_mean_rank_and_then_by_number(void **unused)
{
	struct poll p = { .n = 3, .count = 3 };
	static const double rank[] = { 1, 2, 3, 3, 1, 2, 2, 3, 1 };
	uint32_t order[3];

	(void)unused;
	memcpy(p.rank, rank, sizeof rank);
	count(&p);
	kemeny_order(p.votes, 3, p.mean, order, NULL);
	assert_int_equal(order[0], 0);
	assert_int_equal(kemeny_cost(p.votes, 3, order), 4);
	p.mean[2] -= 0.5;
	kemeny_order(p.votes, 3, p.mean, order, NULL);
	assert_int_equal(order[0], 2);
	assert_int_equal(kemeny_cost(p.votes, 3, order), 4);
}

static void ties_are_no_votes(void **unused)
{
	struct poll p = { .n = 2, .count = 2, .rank = { 1.5, 1.5, 2, 1 } };
	uint32_t order[2];

	(void)unused;
	count(&p);
	assert_int_equal(p.votes[1], 0);
	assert_int_equal(p.votes[2], 1);
	kemeny_order(p.votes, 2, p.mean, order, NULL);
	assert_int_equal(order[0], 1);
}

/* 1/60 + 1/62 is more than 2/61, by less than a millionth. */
static void reciprocal_ranks_tell_apart_what_lies_close(void **unused)
{
	const double rank[] = { 1, 2, 3, 3, 2, 1 };
	double score[3];

	(void)unused;
	rrf_scores(rank, 2, 3, score);
	assert_true(score[0] > score[1]);
	assert_true(score[0] == score[2]);
	assert_true(fabs(score[0] - (1. / 60 + 1. / 62) / 2) < 1e-12);
	assert_true(fabs(score[1] - 1. / 61) < 1e-12);
	rrf_scores(rank, 0, 3, score);
	assert_true(score[0] == 0);
}

static void sixteen_items_take_less_than_a_second(void **unused)
{
	uint32_t order[MOST];
	clock_t start;
	struct poll p;
	struct rng r;

	(void)unused;
	rng_init(&r, "kemeny", 5, view_of("time"), 0);
	draw(&p, &r, KEMENY_EXACT, 9, 6);
	start = clock(); /* of this process: the machine may be busy */
	assert_int_equal(kemeny_order(p.votes, p.n, p.mean, order, NULL), 0);
	printf("16 items: %.1f ms\n", 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC);
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

/* ---- as bytes -------------------------------------------------------------------- */

static void rankings_come_back_and_cut_are_none(void **unused)
{
	double rank[] = { 1, 2.5, 2.5, 3, 1, 2 };
	struct rankings r = { 3, 2, rank }, back;
	struct arena a = { 0 };
	struct buf b = { 0 };

	(void)unused;
	rankings_encode(&r, &b);
	assert_int_equal(rankings_decode(buf_view(&b), &a, &back, NULL), 0);
	assert_int_equal(back.n, 3);
	assert_int_equal(back.count, 2);
	assert_memory_equal(back.rank, rank, sizeof rank);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(
			rankings_decode((struct view){ b.p, n }, &a, &back, NULL),
			ERR_PROTO);
	buf_free(&b);
	r.n = 4; /* six ranks are no rankings of four */
	rankings_encode(&(struct rankings){ 4, 1, rank }, &b);
	b.p[1] = 3;
	assert_int_equal(rankings_decode(buf_view(&b), &a, &back, NULL), ERR_PROTO);
	buf_free(&b);
	arena_free(&a);
}

static void an_order_comes_back_and_what_is_no_permutation_is_none(void **unused)
{
	const uint32_t order[] = { 2, 0, 1 }, twice[] = { 0, 0, 1 },
		       far[] = { 0, 1, 3 };
	struct arena a = { 0 };
	struct buf b = { 0 };
	uint32_t *back;

	(void)unused;
	order_out_encode(order, 3, &b);
	assert_int_equal(order_out_decode(buf_view(&b), &a, 3, &back), 0);
	assert_memory_equal(back, order, sizeof order);
	assert_int_equal(order_out_decode(buf_view(&b), &a, 4, &back), ERR_PROTO);
	buf_free(&b);
	order_out_encode(twice, 3, &b);
	assert_int_equal(order_out_decode(buf_view(&b), &a, 3, &back), ERR_PROTO);
	buf_free(&b);
	order_out_encode(far, 3, &b);
	assert_int_equal(order_out_decode(buf_view(&b), &a, 3, &back), ERR_PROTO);
	buf_free(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_central_order_is_the_best_of_all_orders_and_of_equals_the_preferred),
		cmocka_unit_test(the_search_lies_between_mean_ranks_and_the_best),
		cmocka_unit_test(above_16_no_neighbours_stand_against_the_majority),
		cmocka_unit_test(what_all_rankings_say_is_the_order_at_any_size),
		cmocka_unit_test(a_condorcet_winner_is_first),
		cmocka_unit_test(kemeny_and_mean_ranks_differ_where_they_should),
		cmocka_unit_test(a_cycle_is_cut_by_mean_rank_and_then_by_number),
		cmocka_unit_test(ties_are_no_votes),
		cmocka_unit_test(reciprocal_ranks_tell_apart_what_lies_close),
		cmocka_unit_test(sixteen_items_take_less_than_a_second),
		cmocka_unit_test(rankings_come_back_and_cut_are_none),
		cmocka_unit_test(
			an_order_comes_back_and_what_is_no_permutation_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
