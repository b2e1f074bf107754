/* alike.c - what two results have in common, by hand and against a slow count */
#include "tests/support/cm.h"

#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/select/alike.h"

#include <stdlib.h>

static const struct view ab[] = { { "a", 1 }, { "b", 1 } };
static const struct view ba[] = { { "b", 1 }, { "a", 1 } };
static const struct view ax[] = { { "a", 1 }, { "x", 1 } };
static const struct view aa[] = { { "a", 1 }, { "a", 1 } };

static struct cell whole(int64_t i)
{
	return (struct cell){ .type = CELL_INT, .i = i };
}

struct frame {
	const struct view *names; /* NULL: by place */
	const struct cell *cells;
	uint32_t rows, cols;
};

static void measure(struct frame a, struct frame b, enum text_mode text, uint64_t *same,
		    uint64_t *all)
{
	struct alike *k;

	assert_int_equal(alike_new(1 << 20, text, &k), 0);
	assert_int_equal(alike_columns(k, ALIKE_A, a.names, a.cols), 0);
	for (uint32_t i = 0; i < a.rows; i++)
		assert_int_equal(alike_row(k, ALIKE_A, a.cells + i * a.cols), 0);
	assert_int_equal(alike_columns(k, ALIKE_B, b.names, b.cols), 0);
	for (uint32_t i = 0; i < b.rows; i++)
		assert_int_equal(alike_row(k, ALIKE_B, b.cells + i * b.cols), 0);
	alike_decide(k, same, all);
	alike_free(&k);
}

static void expect(struct frame a, struct frame b, uint64_t same, uint64_t all)
{
	uint64_t s, n;

	measure(a, b, TEXT_RAW, &s, &n);
	assert_int_equal(s, same);
	assert_int_equal(n, all);
	measure(b, a, TEXT_RAW, &s, &n); /* it is symmetric */
	assert_int_equal(s, same);
	assert_int_equal(n, all);
}

static void columns_are_told_by_name_or_by_place(void **unused)
{
	const struct cell x[] = { whole(1), whole(5), whole(1), whole(6) };
	const struct cell y[] = { whole(5), whole(1), whole(6), whole(1) };
	const struct cell z[] = { whole(1), whole(5) };

	(void)unused;
	expect((struct frame){ ab, x, 2, 2 }, (struct frame){ ab, x, 2, 2 }, 4, 4);
	expect((struct frame){ ab, x, 2, 2 }, (struct frame){ ba, y, 2, 2 }, 4, 4);
	expect((struct frame){ NULL, x, 2, 2 }, (struct frame){ NULL, y, 2, 2 }, 0, 8);
	/* a: 1 twice against once; b: 5 both, 6 once */
	expect((struct frame){ ab, x, 2, 2 }, (struct frame){ ab, z, 1, 2 }, 2, 4);
	/* columns b and x stand alone */
	expect((struct frame){ ab, x, 2, 2 }, (struct frame){ ax, x, 2, 2 }, 2, 6);
	/* two columns of one name are one of twice the length */
	expect((struct frame){ aa, x, 2, 2 }, (struct frame){ aa, y, 2, 2 }, 4, 4);
	expect((struct frame){ ab, NULL, 0, 2 }, (struct frame){ ab, NULL, 0, 2 }, 0,
	       0);
	expect((struct frame){ ab, NULL, 0, 2 }, (struct frame){ ab, z, 1, 2 }, 0, 2);
}

static void values_are_equal_as_python_has_it(void **unused)
{
	const struct cell null = { .type = CELL_NULL };
	const struct cell one = { .type = CELL_REAL, .d = 1.0 };
	const struct cell zero = { .type = CELL_REAL, .d = -0.0 };
	const struct cell text = { .type = CELL_TEXT, .v = { "1", 1 } };
	const struct cell blob = { .type = CELL_BLOB, .v = { "1", 1 } };
	const struct cell x[] = { null, whole(1), whole(0), text };
	const struct cell y[] = { null, one, zero, blob };
	struct frame a = { ab, x, 4, 1 }, b = { ab, y, 4, 1 };

	(void)unused;
	expect(a, b, 3, 5); /* text is no blob; NULL agrees with NULL */
}

static void bytes_that_are_no_text_are_dropped_where_the_rule_says_so(void **unused)
{
	const struct cell x[] = { { .type = CELL_TEXT, .v = { "a\xff", 2 } } };
	const struct cell y[] = { { .type = CELL_TEXT, .v = { "a", 1 } } };
	uint64_t same, all;

	(void)unused;
	measure((struct frame){ ab, x, 1, 1 }, (struct frame){ ab, y, 1, 1 },
		TEXT_IGNORE, &same, &all);
	assert_int_equal(same, 1);
	measure((struct frame){ ab, x, 1, 1 }, (struct frame){ ab, y, 1, 1 }, TEXT_RAW,
		&same, &all);
	assert_int_equal(same, 0);
}

static void many_values_are_counted_as_one_by_one(void **unused)
{
	static struct cell x[3000], y[2000];
	uint64_t count[2][2][500] = { 0 }, same = 0, all = 0;
	struct rng r;

	(void)unused;
	rng_init(&r, "alike", 1, view_of("x"), 0);
	for (size_t i = 0; i < 3000; i++) {
		x[i] = whole((int64_t)rng_below(&r, 500));
		count[0][i % 2][x[i].i]++;
	}
	for (size_t i = 0; i < 2000; i++) {
		y[i] = whole((int64_t)rng_below(&r, 500));
		count[1][i % 2][y[i].i]++;
	}
	for (int c = 0; c < 2; c++)
		for (int v = 0; v < 500; v++) {
			uint64_t a = count[0][c][v], b = count[1][c][v];

			same += a < b ? a : b;
			all += a < b ? b : a;
		}
	expect((struct frame){ ab, x, 1500, 2 }, (struct frame){ ab, y, 1000, 2 }, same,
	       all);
}

static void more_values_than_memory_holds_are_an_error(void **unused)
{
	struct alike *k;
	int r = 0;

	(void)unused;
	assert_int_equal(alike_new(10000, TEXT_RAW, &k), 0);
	assert_int_equal(alike_columns(k, ALIKE_A, ab, 1), 0);
	for (int64_t i = 0; i < 1000 && !r; i++) {
		struct cell c = whole(i);

		r = alike_row(k, ALIKE_A, &c);
	}
	assert_int_equal(r, ERR_LIMIT);
	alike_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_told_by_name_or_by_place),
		cmocka_unit_test(values_are_equal_as_python_has_it),
		cmocka_unit_test(
			bytes_that_are_no_text_are_dropped_where_the_rule_says_so),
		cmocka_unit_test(many_values_are_counted_as_one_by_one),
		cmocka_unit_test(more_values_than_memory_holds_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
