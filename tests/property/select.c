/* select.c - what must hold for any pool, order, window and answer
 *
 * SEED=n in the environment repeats a run; the seed is printed first. */
#include "tests/support/cm.h"

#include "common/base/buf.h"
#include "common/base/rng.h"
#include "common/base/round.h"
#include "common/select/draw.h"
#include "common/select/lineup.h"
#include "common/select/meanrank.h"
#include "common/select/nearest.h"
#include "common/select/permute.h"
#include "common/select/ranking.h"
#include "common/select/ranks.h"
#include "common/select/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 300, MOST = 40, PASSES = 12 };

static uint64_t seed;
static struct rng dice;

static uint32_t upto(uint32_t n) /* 1 .. n */
{
	return (uint32_t)rng_below(&dice, n) + 1;
}

static int start(void **unused)
{
	(void)unused;
	rng_init(&dice, "property", seed, view_of("select"), 0);
	return 0;
}

static void permutation(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = i;
	rng_shuffle(&dice, v, n);
}

/* A pool with many equal candidates, and with twins that differ in one field. */
static void random_pool(struct draw_item *item, uint32_t n)
{
	static const char *const sql[] = { "SELECT 1", "SELECT 2", "SELECT 3",
					   "select 1" };
	static const char *const source[] = { "", "a", "b" };

	for (uint32_t i = 0; i < n; i++)
		item[i] = (struct draw_item){
			.sql = view_of(sql[upto(4) - 1]),
			.source = view_of(source[upto(3) - 1]),
			.has_logprob = (int)upto(2) - 1,
			.logprob = -0.5 * upto(3),
			.has_tokens = (int)upto(2) - 1,
			.tokens = upto(2),
			.greedy = upto(4) == 1,
		};
}

static int same_item(const struct draw_item *a, const struct draw_item *b)
{
	return view_eq(a->sql, b->sql) && view_eq(a->source, b->source) &&
	       a->has_logprob == b->has_logprob &&
	       (!a->has_logprob || a->logprob == b->logprob) &&
	       a->has_tokens == b->has_tokens &&
	       (!a->has_tokens || a->tokens == b->tokens) && a->greedy == b->greedy;
}

static void F12_the_order_of_candidates_in_the_file_does_not_matter(void **unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = upto(MOST), at[MOST];
		struct draw_item item[MOST], other[MOST];
		struct drawn a[MOST], b[MOST];

		random_pool(item, n);
		permutation(at, n);
		for (uint32_t i = 0; i < n; i++)
			other[i] = item[at[i]];
		draw_order(42, view_of("7"), item, n, a);
		draw_order(42, view_of("7"), other, n, b);
		for (uint32_t i = 0; i < n; i++) {
			assert_true(hash_eq(&a[i].h, &b[i].h));
			assert_true(same_item(&item[a[i].item], &other[b[i].item]));
		}
	}
}

static void random_classes(int *class_id, uint32_t n)
{
	int classes = (int)upto(6);

	for (uint32_t i = 0; i < n; i++)
		class_id[i] = (int)upto((uint32_t)classes + 1) - 2;
}

static void groups_partition_the_candidates(void **unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = upto(MOST), seen = 0;
		int class_id[MOST];
		struct arena a = { 0 };
		struct grouping g;

		random_classes(class_id, n);
		assert_int_equal(grouping_make(&a, class_id, n, &g, NULL), 0);
		for (uint32_t i = 0; i < g.groups; i++) {
			const uint32_t *m = g.member + g.group[i].first;

			assert_int_equal(g.group[i].first, seen);
			assert_int_equal(group_failed(&g, i),
					 class_id[m[0]] == CLASS_FAILED);
			for (uint32_t j = 0; j < g.group[i].size; j++) {
				assert_int_equal(class_id[m[j]], class_id[m[0]]);
				assert_int_equal(g.of[m[j]], i);
				assert_true(j == 0 || m[j - 1] < m[j]);
			}
			if (i && i < g.g)
				assert_true(g.group[i - 1].size > g.group[i].size ||
					    (g.group[i - 1].size == g.group[i].size &&
					     group_face(&g, i - 1) < m[0]));
			seen += g.group[i].size;
			if (i + 1 == g.g)
				assert_int_equal(g.ranked, seen);
		}
		assert_int_equal(seen, n);
		arena_free(&a);
	}
}

/* starts = [max(0,n-w)]; while last>0: append(max(0,last-s)) */
static void windows_are_those_of_the_published_loop(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n < 80; n++)
		for (uint32_t w = 1; w < 12; w++)
			for (uint32_t s = 1; s <= w; s++) {
				uint32_t last = n > w ? n - w : 0, i = 0;

				assert_int_equal(window_start(n, w, s, i++), last);
				while (last > 0) {
					last = last > s ? last - s : 0;
					assert_int_equal(window_start(n, w, s, i++),
							 last);
				}
				assert_int_equal(window_count(n, w, s), i);
			}
}

static void check_orders(const struct grouping *g, enum permute how)
{
	static uint32_t all[PASSES * MOST], some[PASSES * MOST];
	uint32_t passes = upto(PASSES), n = g->ranked;
	double rank[PASSES * MOST], mean[MOST];

	permute_passes(g, how, 42, view_of("7"), PASSES, all, NULL);
	permute_passes(g, how, 42, view_of("7"), passes, some, NULL);
	assert_memory_equal(all, some, sizeof *all * passes * n);
	for (uint32_t k = 0; k < PASSES; k++) {
		uint8_t seen[MOST] = { 0 };

		for (uint32_t p = 0; p < n; p++) {
			uint32_t c = all[k * n + p];

			assert_true(c < g->n && g->of[c] < g->g && !seen[c]++);
			rank[k * n + p] = 0;
		}
	}
	if (n != g->n || how != PERMUTE_BOTH)
		return;
	for (uint32_t k = 0; k < PASSES; k++)
		for (uint32_t p = 0; p < n; p++)
			rank[k * n + all[k * n + p]] = p + 1;
	meanrank_over(rank, passes & ~1u, n, mean);
	for (uint32_t c = 0; c < n; c++)
		assert_true(mean[c] == (n + 1) / 2.0);
}

static void F10_orders_are_balanced_and_more_passes_only_add_some(void **unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = upto(MOST);
		int class_id[MOST];
		struct arena a = { 0 };
		struct grouping g;

		random_classes(class_id, n);
		grouping_make(&a, class_id, n, &g, NULL);
		for (int how = PERMUTE_WITHIN; g.ranked && how <= PERMUTE_BOTH; how++)
			check_orders(&g, (enum permute)how);
		arena_free(&a);
	}
}

static void the_best_candidate_reaches_the_front_in_one_pass(void **unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = upto(MOST), w = upto(7) + 1, s = upto(w - 1), order[MOST];
		uint8_t tied[MOST];
		double quality[MOST], rank[MOST], score[MOST], sum = 0;
		struct lineup l;
		uint32_t best = 0;

		for (uint32_t i = 0; i < n; i++) {
			quality[i] = upto(10);
			if (quality[i] > quality[best])
				best = i;
		}
		permutation(order, n);
		lineup_begin(&l, order, tied, n);
		for (uint32_t k = 0; k < window_count(n, w, s); k++) {
			uint32_t from = window_start(n, w, s, k),
				 size = window_size(n, w);

			for (uint32_t i = 0; i < size; i++)
				score[i] = quality[order[from + i]];
			ranks_of_scores(score, size, rank);
			lineup_write(&l, from, size, rank);
		}
		assert_true(quality[order[0]] == quality[best]);
		lineup_ranks(&l, rank);
		for (uint32_t p = 0; p < n; p++)
			sum += rank[order[p]];
		assert_true(sum == n * (n + 1) / 2.0);
		for (uint32_t p = 1; p < n; p++)
			assert_true(!tied[p] ||
				    quality[order[p]] == quality[order[p - 1]]);
	}
}

/* The ways in which the same ranking is written. */
static const struct style {
	const char *before, *open, *close, *above, *after;
	int ties; /* it can say = */
} styles[] = {
	{ "", "[", "]", " > ", "", 1 },
	{ "The 9 candidates, best first: ", "[", "]", ">", ".\n\nI think so.", 1 },
	{ "<think>[A] > [B], [1] > [2]</think>\n", "[", "]", " > ", "\n", 1 },
	{ "```\n", "**[", "]**", " >> ", "\n```", 1 },
	{ "", "", "", " > ", "", 1 },
	{ "Ranking:\n", "", "", ">", "<|im_end|>", 1 },
	{ "{\"ranking\": [", "\"", "\"", ", ", "]}", 0 },
	{ "[", "", "", ",\n", "]", 0 },
	{ "Sure!\n\n- ", "[", "]", "\n- ", "\n\nHope this helps.", 0 },
	{ "", "Candidate ", "", " -> ", "", 0 },
	{ "\xe3\x80\x90", "", "\xe3\x80\x91", "\xef\xbc\x9e\xe3\x80\x90", "", 0 },
};

static void render(const struct style *s, enum ranking_labels kind,
		   const uint32_t *order, const uint8_t *tied, uint32_t n,
		   struct buf *b)
{
	char label[RANKING_LABEL];

	buf_clear(b);
	buf_add_str(b, s->before);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_add_str(b, tied[i] ? " = " : s->above);
		ranking_label(kind, order[i], label);
		buf_addf(b, "%s%s%s", s->open, label, s->close);
	}
	buf_add_str(b, s->after);
}

static void F07_a_ranking_is_read_back_from_every_way_of_writing_it(void **unused)
{
	struct buf b = { 0 };

	(void)unused;
	for (int round = 0; round < ROUNDS * 10; round++) {
		const struct style *s =
			&styles[rng_below(&dice, sizeof styles / sizeof *styles)];
		enum ranking_labels kind =
			upto(2) == 1 ? RANKING_LETTERS : RANKING_NUMBERS;
		uint32_t n = upto(24) + 1, order[25];
		uint8_t tied[25] = { 0 };
		struct lineup l = { n, order, tied };
		struct ranking r;
		double want[25];

		permutation(order, n);
		for (uint32_t i = 1; i < n; i++)
			tied[i] = s->ties && upto(4) == 1;
		render(s, kind, order, tied, n, &b);
		if (s->ties && !strstr(b.p, s->above) && !*s->open)
			continue; /* bare and all tied: no ranking */
		lineup_ranks(&l, want);
		if (!ranking_parse(buf_view(&b), kind, n, &r) ||
		    memcmp(r.rank, want, n * sizeof *want))
			print_message("answer: %s\n", b.p);
		assert_int_equal(r.n_missing + r.n_duplicate + r.n_out_of_range, 0);
		assert_memory_equal(r.rank, want, n * sizeof *want);
	}
	buf_free(&b);
}

static void any_text_is_parsed_into_ranks_that_sum_up(void **unused)
{
	static const char *const piece[] = { "[A]", "[B]",  ">",       "<",
					     "=",   " ",    "\n",      ",",
					     "A",   "b",    "1",       "2.",
					     ":",   "[",    "]",       "x",
					     "\"",  "and",  "[Z]",     "\xe2\x91\xa0",
					     "*",   "\xff", "</think>" };
	struct buf b = { 0 };

	(void)unused;
	for (int round = 0; round < ROUNDS * 20; round++) {
		uint32_t n = upto(5), pieces = upto(30);
		enum ranking_labels kind =
			upto(2) == 1 ? RANKING_LETTERS : RANKING_NUMBERS;
		struct ranking r;
		double sum = 0;
		int ok;

		buf_clear(&b);
		for (uint32_t i = 0; i < pieces; i++)
			buf_add_str(
				&b,
				piece[rng_below(&dice, sizeof piece / sizeof *piece)]);
		ok = ranking_parse(buf_view(&b), kind, n, &r);
		for (uint32_t i = 0; i < n; i++)
			sum += r.rank[i];
		assert_true(sum == n * (n + 1) / 2.0);
		assert_int_equal(ok, r.named > 0);
		assert_int_equal(r.named + r.n_missing, n);
	}
	buf_free(&b);
}

enum { ROWS = 300, DIM = 24, QUERIES = 70 };

static float rows[ROWS * DIM], queries[QUERIES * DIM];

static void random_unit(float *v)
{
	double squares = 0;

	for (int i = 0; i < DIM; i++) {
		v[i] = (float)rng_normal(&dice);
		squares += (double)v[i] * v[i];
	}
	for (int i = 0; i < DIM; i++)
		v[i] = (float)(v[i] / sqrt(squares));
}

static double exact(const float *a, const float *b)
{
	double sum = 0;

	for (int i = 0; i < DIM; i++)
		sum += (double)a[i] * b[i];
	return round20(sum);
}

static void a_search_finds_what_looking_at_each_row_finds(void **unused)
{
	static struct near got[QUERIES * ROWS], alone[ROWS];
	struct vectors bank = { rows, ROWS, DIM };
	uint32_t k = upto(40);

	(void)unused;
	for (int i = 0; i < ROWS; i++)
		random_unit(rows + i * DIM);
	for (int i = 0; i < ROWS / 3; i++) /* twins, so that ties occur */
		memcpy(rows + (ROWS - 1 - i) * DIM, rows + i * DIM, DIM * sizeof *rows);
	for (int q = 0; q < QUERIES; q++)
		random_unit(queries + q * DIM);
	assert_int_equal(nearest_find(&bank, queries, QUERIES, k, got, NULL), 0);
	for (uint32_t q = 0; q < QUERIES; q++) {
		const float *query = queries + q * DIM;

		for (uint32_t i = 0; i < k; i++) {
			const struct near *r = &got[q * k + i];
			uint32_t before = 0;

			assert_true(r->score == exact(query, rows + r->row * DIM));
			for (uint32_t row = 0; row < ROWS; row++) {
				double score = exact(query, rows + row * DIM);

				before += score > r->score ||
					  (score == r->score && row < r->row);
			}
			assert_int_equal(before, i);
		}
		assert_int_equal(nearest_find(&bank, query, 1, k, alone, NULL), 0);
		for (uint32_t i = 0; i < k; i++)
			assert_true(alone[i].row == got[q * k + i].row &&
				    alone[i].score == got[q * k + i].score);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			F12_the_order_of_candidates_in_the_file_does_not_matter, start),
		cmocka_unit_test_setup(groups_partition_the_candidates, start),
		cmocka_unit_test(windows_are_those_of_the_published_loop),
		cmocka_unit_test_setup(
			F10_orders_are_balanced_and_more_passes_only_add_some, start),
		cmocka_unit_test_setup(the_best_candidate_reaches_the_front_in_one_pass,
				       start),
		cmocka_unit_test_setup(
			F07_a_ranking_is_read_back_from_every_way_of_writing_it, start),
		cmocka_unit_test_setup(any_text_is_parsed_into_ranks_that_sum_up,
				       start),
		cmocka_unit_test_setup(a_search_finds_what_looking_at_each_row_finds,
				       start),
	};
	const char *given = getenv("SEED");

	seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	print_message("SEED=%llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
