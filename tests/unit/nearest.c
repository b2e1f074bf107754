/* nearest.c - the search is exact, the embedding is pure */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/select/embed.h"
#include "common/select/nearest.h"

#include <math.h>

static double cosine(const char *a, const char *b)
{
	float u[EMBED_DIM], v[EMBED_DIM];
	double sum = 0;

	embed_text(view_of(a), u);
	embed_text(view_of(b), v);
	for (int i = 0; i < EMBED_DIM; i++)
		sum += (double)u[i] * v[i];
	return sum;
}

static void texts_have_length_one_and_are_nearest_to_themselves(void **unused)
{
	(void)unused;
	assert_true(fabs(cosine("How many heroes?", "how MANY heroes") - 1) < 1e-6);
	assert_true(
		cosine("How many heroes are there?", "How many villains are there?") >
		cosine("How many heroes are there?", "List the name of each school."));
	assert_true(cosine("schools in California", "school of california") > .4);
	assert_true(fabs(cosine("alpha beta", "gamma delta")) < .2);
}

static void the_order_of_words_matters_a_little(void **unused)
{
	double c = cosine("red wine and white bread", "white wine and red bread");

	(void)unused;
	assert_true(c > .7 && c < .999);
}

static void a_text_without_words_is_all_zeros(void **unused)
{
	float v[EMBED_DIM];

	(void)unused;
	embed_text(view_of(" ?!\n"), v);
	for (int i = 0; i < EMBED_DIM; i++)
		assert_true(v[i] == 0);
	embed_text((struct view){ NULL, 0 }, v);
	assert_true(v[0] == 0);
}

static void long_words_and_broken_utf8_are_no_trouble(void **unused)
{
	char text[5000];
	float v[EMBED_DIM];
	double sum = 0;

	(void)unused;
	memset(text, 'q', sizeof text);
	memset(text + 100, 0xBF, 1000);
	memset(text + 2000, 0xF0, 1000);
	embed_text((struct view){ text, sizeof text }, v);
	for (int i = 0; i < EMBED_DIM; i++)
		sum += (double)v[i] * v[i];
	assert_true(fabs(sum - 1) < 1e-6);
}

static const double known_moment = 555.004352868;

static void a_known_text_keeps_its_numbers(void **unused)
{
	float v[EMBED_DIM];
	double moment = 0;

	(void)unused;
	embed_text(view_of("How many superheroes have blue eyes?"), v);
	for (int i = 0; i < EMBED_DIM; i++)
		moment += (double)v[i] * i;
	if (fabs(moment - known_moment) > 1e-3)
		print_message("moment %.9f: raise EMBED_VERSION\n", moment);
	assert_true(fabs(moment - known_moment) <= 1e-3);
}

static void ties_go_to_the_smaller_row(void **unused)
{
	static const float rows[] = { 0, 1, 1, 0, 0, 1, 1, 0, 0.6f, 0.8f };
	struct vectors bank = { rows, 5, 2 };
	struct near r[3];

	(void)unused;
	assert_int_equal(nearest_find(&bank, (const float[]){ 1, 0 }, 1, 3, r, NULL),
			 0);
	assert_int_equal(r[0].row, 1);
	assert_int_equal(r[1].row, 3);
	assert_int_equal(r[2].row, 4);
	assert_true(r[0].score == 1 && fabs(r[2].score - .6) < 1e-6);
}

static void more_wanted_than_there_are_gives_all(void **unused)
{
	static const float rows[] = { 0, 1, 1, 0 };
	struct vectors bank = { rows, 2, 2 };
	struct near r[2];

	(void)unused;
	assert_int_equal(nearest_find(&bank, (const float[]){ 1, 0 }, 1, 9, r, NULL),
			 0);
	assert_int_equal(r[0].row, 1);
	assert_int_equal(r[1].row, 0);
	assert_int_equal(nearest_find(&(struct vectors){ NULL, 0, 2 },
				      (const float[]){ 1, 0 }, 1, 9, r, NULL),
			 0);
}

/* Each small product alone is lost beside the first, all of them together are not, and
 * the first is half a step of 2^-20: the scores differ by what is summed first. */
static void a_score_at_the_edge_of_rounding_is_the_sum_in_index_order(void **unused)
{
	enum { DIM = 45 };
	float rows[2 * DIM], query[DIM];
	struct vectors bank = { rows, 2, DIM };
	struct near r[2];

	(void)unused;
	for (int i = 0; i < DIM; i++) {
		query[i] = i ? 0x1p-27f : 1;
		rows[i] = rows[2 * DIM - 1 - i] = i ? 0x1p-28f : .5f + 0x1p-21f;
	}
	query[DIM - 1] = 1;
	rows[DIM - 1] = rows[DIM] = 0;
	assert_int_equal(nearest_find(&bank, query, 1, 2, r, NULL), 0);
	assert_int_equal(r[0].row, 1);
	assert_true(r[0].score == .5 + 0x1p-20);
	assert_true(r[1].score == .5);
}

static void no_memory_is_reported_at_every_allocation(void **unused)
{
	static const float rows[] = { 0, 1, 1, 0 };
	struct vectors bank = { rows, 2, 2 };
	struct near r[2];
	struct err e;

	(void)unused;
	for (int n = 0; n < 5; n++) {
		mem_fail_after(n);
		assert_int_equal(nearest_find(&bank, rows, 1, 1, r, &e), ERR_NOMEM);
		assert_true(mem_fault_hit());
	}
	mem_fail_after(-1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_have_length_one_and_are_nearest_to_themselves),
		cmocka_unit_test(the_order_of_words_matters_a_little),
		cmocka_unit_test(a_text_without_words_is_all_zeros),
		cmocka_unit_test(long_words_and_broken_utf8_are_no_trouble),
		cmocka_unit_test(a_known_text_keeps_its_numbers),
		cmocka_unit_test(ties_go_to_the_smaller_row),
		cmocka_unit_test(more_wanted_than_there_are_gives_all),
		cmocka_unit_test(
			a_score_at_the_edge_of_rounding_is_the_sum_in_index_order),
		cmocka_unit_test(no_memory_is_reported_at_every_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
