/* equal.c - equality up to a column permutation: exact, and quick where it is tempting
 * not to be */
#include "tests/support/cm.h"

#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/select/equal.h"

static struct cell cell(int64_t i)
{
	return (struct cell){ .type = CELL_INT, .i = i };
}

static int decide(const struct cell *a, size_t a_rows, uint32_t a_cols,
		  const struct cell *b, size_t b_rows, uint32_t b_cols, int ordered)
{
	struct equal *q;
	int r = -1;

	assert_int_equal(equal_new(1 << 28, TEXT_RAW, &q), 0);
	equal_columns(q, EQUAL_A, a_cols);
	equal_columns(q, EQUAL_B, b_cols);
	for (size_t i = 0; i < a_rows; i++)
		assert_int_equal(equal_row(q, EQUAL_A, a + i * a_cols), 0);
	for (size_t i = 0; i < b_rows; i++)
		assert_int_equal(equal_row(q, EQUAL_B, b + i * b_cols), 0);
	assert_int_equal(equal_decide(q, ordered, &r), 0);
	equal_free(&q);
	return r;
}

static int decide_ints(const int *a, const int *b, size_t rows, uint32_t cols,
		       int ordered)
{
	struct cell x[4096], y[4096];

	for (size_t i = 0; i < rows * cols; i++) {
		x[i] = cell(a[i]);
		y[i] = cell(b[i]);
	}
	return decide(x, rows, cols, y, rows, cols, ordered);
}

static void A03_one_permutation_must_fit_all_rows(void **unused)
{
	static const int id_row[] = { 1, 1, 2, 1, 3, 2, 4, 2, 5, 3 };
	static const int row_id[] = { 1, 1, 1, 2, 2, 3, 2, 4, 3, 5 };
	static const int x[] = { 1, 2, 2, 1 }, y[] = { 1, 2, 1, 2 };

	(void)unused;
	assert_int_equal(decide_ints(id_row, row_id, 5, 2, 0), 1);
	assert_int_equal(decide_ints(id_row, row_id, 5, 2, 1), 1);
	/* Sorting inside each row would call these equal. */
	assert_int_equal(decide_ints(x, y, 2, 2, 0), 0);
}

static void A13_26_columns_answer_within_a_second(void **unused)
{
	int up[26], down[26], same[26];
	uint64_t from = clock_ms();

	(void)unused;
	for (int i = 0; i < 26; i++) {
		up[i] = i + 1;
		down[i] = 26 - i;
		same[i] = 7;
	}
	assert_int_equal(decide_ints(up, down, 1, 26, 0), 1);
	assert_int_equal(decide_ints(up, down, 1, 26, 1), 1);
	assert_int_equal(decide_ints(same, same, 1, 26, 0), 1);
	assert_int_equal(decide_ints(up, same, 1, 26, 0), 0);
	assert_true(clock_ms() - from < 1000);
}

/* 26 columns, each with a single 1: every column looks like every other. */
static void A13_columns_that_look_alike_are_told_apart_within_a_second(void **unused)
{
	static int a[26 * 26], b[26 * 26], c[26 * 26];
	uint64_t from = clock_ms();

	(void)unused;
	for (int i = 0; i < 26; i++) {
		a[i * 26 + i] = 1;
		b[i * 26 + (25 - i)] = 1;
		/* one ring of 26 against two rings of 13 */
		c[i * 26 + i] = 1;
	}
	assert_int_equal(decide_ints(a, b, 26, 26, 0), 1);
	for (int i = 0; i < 26; i++) {
		a[i * 26 + (i + 1) % 26] = 1;
		c[i * 26 + (i / 13 * 13 + (i % 13 + 1) % 13)] = 1;
	}
	assert_int_equal(decide_ints(a, c, 26, 26, 0), 0);
	assert_true(clock_ms() - from < 1000);
}

static void both_empty_are_equal_and_counts_must_agree(void **unused)
{
	struct cell one[] = { cell(1), cell(1) };

	(void)unused;
	assert_int_equal(decide(NULL, 0, 1, NULL, 0, 5, 0), 1);
	assert_int_equal(decide(NULL, 0, 1, one, 1, 1, 0), 0);
	assert_int_equal(decide(one, 2, 1, one, 1, 1, 0), 0);
	assert_int_equal(decide(one, 1, 2, one, 1, 1, 0), 0);
}

static void values_are_equal_across_types_as_python_has_it(void **unused)
{
	struct cell a[] = { cell(1), { .type = CELL_TEXT, .v = { "x", 1 } } };
	struct cell b[] = { { .type = CELL_TEXT, .v = { "x", 1 } },
			    { .type = CELL_REAL, .d = 1.0 } };
	struct cell c[] = { { .type = CELL_BLOB, .v = { "x", 1 } }, cell(1) };

	(void)unused;
	assert_int_equal(decide(a, 1, 2, b, 1, 2, 0), 1);
	assert_int_equal(decide(a, 1, 2, c, 1, 2, 0), 0);
}

static void order_counts_when_it_is_asked_for(void **unused)
{
	static const int a[] = { 1, 9, 2, 8, 3, 7 }, b[] = { 7, 3, 8, 2, 9, 1 };

	(void)unused;
	assert_int_equal(decide_ints(a, b, 3, 2, 0), 1);
	assert_int_equal(decide_ints(a, b, 3, 2, 1), 0);
}

static struct cell real(double d)
{
	return (struct cell){ .type = CELL_REAL, .d = d };
}

/* "1.5<class 'float'>" sorts before "1<class 'int'>" and after "1.0<class 'float'>". */
static void the_hasty_test_is_the_scorers(void **unused)
{
	const struct cell whole[] = { cell(1), real(1.5) },
			  part[] = { real(1), real(1.5) },
			  turned[] = { real(1.5), cell(1) },
			  both[] = { cell(1), real(1.5), real(1), real(1.5) },
			  swapped[] = { real(1), real(1.5), cell(1), real(1.5) },
			  twice[] = { cell(1), real(1.5), cell(1), real(1.5) },
			  ints[] = { cell(1), cell(2) }, reals[] = { real(1), real(2) };

	(void)unused;
	assert_int_equal(decide(whole, 1, 2, part, 1, 2, 0), 0);
	assert_int_equal(decide(whole, 1, 2, part, 1, 2, 1), 0);
	assert_int_equal(decide(whole, 1, 2, turned, 1, 2, 1), 1);
	assert_int_equal(decide(part, 1, 2, turned, 1, 2, 0), 0);
	assert_int_equal(decide(part, 1, 2, part, 1, 2, 1), 1);
	assert_int_equal(decide(both, 2, 2, swapped, 2, 2, 0), 1); /* as sets */
	assert_int_equal(decide(both, 2, 2, swapped, 2, 2, 1), 0);
	assert_int_equal(decide(both, 2, 2, twice, 2, 2, 0), 0);
	assert_int_equal(decide(ints, 1, 2, reals, 1, 2, 0), 1);
	assert_int_equal(decide(ints, 1, 2, reals, 1, 2, 1), 1);
}

static void too_much_to_hold_is_a_limit(void **unused)
{
	struct equal *q;
	struct cell c;
	int r = 0;

	(void)unused;
	assert_int_equal(equal_new(100000, TEXT_RAW, &q), 0);
	equal_columns(q, EQUAL_A, 1);
	for (int i = 0; !r && i < 100000; i++) {
		c = cell(i);
		r = equal_row(q, EQUAL_A, &c);
	}
	assert_int_equal(r, ERR_LIMIT);
	equal_free(&q);
}

/* ---- against trying every permutation ---- */

static int next_permutation(int *p, int n)
{
	int i = n - 2, j = n - 1, t;

	while (i >= 0 && p[i] >= p[i + 1])
		i--;
	if (i < 0)
		return 0;
	while (p[j] <= p[i])
		j--;
	t = p[i], p[i] = p[j], p[j] = t;
	for (i++, j = n - 1; i < j; i++, j--)
		t = p[i], p[i] = p[j], p[j] = t;
	return 1;
}

static int row_is(const int *a, const int *b, const int *p, int cols)
{
	for (int i = 0; i < cols; i++)
		if (a[i] != b[p[i]])
			return 0;
	return 1;
}

static int fits(const int *a, const int *b, const int *p, int rows, int cols,
		int ordered)
{
	int taken[16] = { 0 };

	for (int r = 0; r < rows; r++) {
		int s = ordered ? r : 0;

		while (s < rows &&
		       (taken[s] || !row_is(a + r * cols, b + s * cols, p, cols)))
			s = ordered ? rows : s + 1;
		if (s >= rows)
			return 0;
		taken[s] = 1;
	}
	return 1;
}

static int brute(const int *a, const int *b, int rows, int cols, int ordered)
{
	int p[8];

	for (int i = 0; i < cols; i++)
		p[i] = i;
	do
		if (fits(a, b, p, rows, cols, ordered))
			return 1;
	while (next_permutation(p, cols));
	return 0;
}

/* b from a: columns and rows shuffled, now and then a cell changed or two swapped. */
static void derive(struct rng *g, const int *a, int *b, int rows, int cols)
{
	uint32_t row[16], col[8];

	for (int i = 0; i < rows; i++)
		row[i] = (uint32_t)i;
	for (int i = 0; i < cols; i++)
		col[i] = (uint32_t)i;
	rng_shuffle(g, row, (size_t)rows);
	rng_shuffle(g, col, (size_t)cols);
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < cols; c++)
			b[r * cols + c] = a[row[r] * (uint32_t)cols + col[c]];
	if (rng_below(g, 2)) {
		size_t i = rng_below(g, (uint64_t)(rows * cols));
		size_t j = rng_below(g, (uint64_t)(rows * cols));
		int t = b[i];

		b[i] = b[j];
		b[j] = t;
	}
}

static void it_agrees_with_trying_every_permutation(void **unused)
{
	struct rng g;
	int a[64], b[64], equal = 0;

	(void)unused;
	rng_init(&g, "equal", 1, view_of(""), 0);
	for (int n = 0; n < 4000; n++) {
		int rows = 1 + (int)rng_below(&g, 8), cols = 1 + (int)rng_below(&g, 5);
		uint64_t values = 1 + rng_below(&g, 3);

		for (int i = 0; i < rows * cols; i++)
			a[i] = (int)rng_below(&g, values);
		derive(&g, a, b, rows, cols);
		for (int ordered = 0; ordered < 2; ordered++) {
			int want = brute(a, b, rows, cols, ordered);

			assert_int_equal(decide_ints(a, b, (size_t)rows, (uint32_t)cols,
						     ordered),
					 want);
			equal += want;
		}
	}
	assert_in_range(equal, 2000, 7000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(A03_one_permutation_must_fit_all_rows),
		cmocka_unit_test(A13_26_columns_answer_within_a_second),
		cmocka_unit_test(
			A13_columns_that_look_alike_are_told_apart_within_a_second),
		cmocka_unit_test(both_empty_are_equal_and_counts_must_agree),
		cmocka_unit_test(values_are_equal_across_types_as_python_has_it),
		cmocka_unit_test(order_counts_when_it_is_asked_for),
		cmocka_unit_test(the_hasty_test_is_the_scorers),
		cmocka_unit_test(too_much_to_hold_is_a_limit),
		cmocka_unit_test(it_agrees_with_trying_every_permutation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
