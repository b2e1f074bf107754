/* digest.c - digests are equal exactly where the benchmarks' rules say so */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/select/digest.h"
#include "common/select/pynum.h"

#include <math.h>

/* clang-format off */
#define I(x) { .type = CELL_INT, .i = (x) }
#define R(x) { .type = CELL_REAL, .d = (x) }
#define T(s) { .type = CELL_TEXT, .v = { (s), sizeof(s) - 1 } }
#define B(s) { .type = CELL_BLOB, .v = { (s), sizeof(s) - 1 } }
#define N { .type = CELL_NULL }
/* clang-format on */

static struct digest_sum sum_of(const struct cell *cells, size_t n, uint32_t cols,
				enum text_mode text)
{
	static struct digest *d;
	struct digest_sum s;

	if (!d)
		assert_int_equal(digest_new(&d), 0);
	assert_int_equal(digest_begin(d, DIGEST_ALL, text, cols, 1 << 24), 0);
	for (size_t i = 0; i < n; i += cols)
		assert_int_equal(digest_row(d, cells + i), 0);
	digest_end(d, &s);
	return s;
}

#define SUM(cells, cols) sum_of(cells, sizeof cells / sizeof *cells, cols, TEXT_RAW)

/* Which digests of the two are the same, as a mask. */
static unsigned same(const struct digest_sum *a, const struct digest_sum *b)
{
	const struct digests *x = &a->digests, *y = &b->digests;

	return (sip_eq(&x->set, &y->set) ? DIGEST_SET : 0) |
	       (sip_eq(&x->bag, &y->bag) ? DIGEST_BAG : 0) |
	       (sip_eq(&x->list, &y->list) ? DIGEST_LIST : 0) |
	       (sip_eq(&x->sig, &y->sig) ? DIGEST_SIG : 0) |
	       (sip_eq(&x->ehr, &y->ehr) ? DIGEST_EHR : 0);
}

static unsigned same_cell(struct cell a, struct cell b)
{
	struct digest_sum x = sum_of(&a, 1, 1, TEXT_RAW),
			  y = sum_of(&b, 1, 1, TEXT_RAW);

	assert_int_equal(cell_eq(&a, &b), (same(&x, &y) & DIGEST_BAG) != 0);
	return same(&x, &y);
}

#define SAME(a, b) same_cell((struct cell)a, (struct cell)b)

static void numbers_are_equal_as_python_has_it(void **unused)
{
	(void)unused;
	assert_int_equal(SAME(I(1), R(1.0)), DIGEST_ALL);
	assert_true(SAME(R(-0.0), R(0.0)) & DIGEST_BAG);
	assert_false(SAME(R(-0.0), R(0.0)) & DIGEST_EHR); /* '-0.0' and '0.0' */
	/* 2^53 + 1 is no double: casting would call them equal. */
	assert_false(SAME(I(9007199254740993), R(9007199254740992.0)) & DIGEST_BAG);
	assert_true(SAME(I(9007199254740993), R(9007199254740992.0)) & DIGEST_EHR);
	assert_true(SAME(I(INT64_MIN), R(-0x1p63)) & DIGEST_BAG);
	assert_false(SAME(I(INT64_MAX), R(0x1p63)) & DIGEST_BAG);
	assert_true(SAME(R(INFINITY), R(INFINITY)) & DIGEST_BAG);
	assert_false(SAME(R(0.1 + 0.2), R(0.3)) & DIGEST_BAG);
}

static void A06_text_is_never_a_number_outside_ehrsql(void **unused)
{
	(void)unused;
	assert_int_equal(SAME(T("3.0"), I(3)), DIGEST_EHR);
	assert_int_equal(SAME(T("3"), I(3)), DIGEST_EHR);
}

static void A12_a_blob_is_never_text(void **unused)
{
	(void)unused;
	assert_int_equal(SAME(B("ABC"), T("ABC")), 0);
	assert_int_equal(SAME(B("12"), I(12)), DIGEST_EHR); /* float(b'12') */
}

static void A01_duplicates_count_in_a_bag_and_not_in_a_set(void **unused)
{
	struct cell all[] = { T("plum"), T("pear"), T("plum"), T("fig"), T("pear") };
	struct cell distinct[] = { T("fig"), T("plum"), T("pear") };
	struct digest_sum a = SUM(all, 1), b = SUM(distinct, 1);

	(void)unused;
	assert_int_equal(same(&a, &b), DIGEST_SET);
}

static void A02_order_counts_in_a_list_only(void **unused)
{
	struct cell up[] = { I(1), I(2), I(3) }, down[] = { I(3), I(2), I(1) };
	struct digest_sum a = SUM(up, 1), b = SUM(down, 1);

	(void)unused;
	assert_int_equal(same(&a, &b), DIGEST_ALL & ~DIGEST_LIST);
}

static void A03_columns_in_another_order_share_only_the_signature(void **unused)
{
	struct cell ab[] = { T("fig"), I(1), T("pear"), I(2) };
	struct cell ba[] = { I(1), T("fig"), I(2), T("pear") };
	struct digest_sum a = SUM(ab, 2), b = SUM(ba, 2);

	(void)unused;
	assert_int_equal(same(&a, &b), DIGEST_SIG);
}

static void A09_a_prefix_is_not_the_result(void **unused)
{
	struct cell n[40];
	struct digest_sum a, b;

	(void)unused;
	for (int i = 0; i < 40; i++)
		n[i] = (struct cell)I(i + 1);
	a = sum_of(n, 40, 1, TEXT_RAW);
	b = sum_of(n, 30, 1, TEXT_RAW);
	assert_int_equal(same(&a, &b), 0);
}

static void A20_null_empty_and_zero_are_three_results(void **unused)
{
	struct cell null = N, zero = I(0);
	struct digest_sum a = sum_of(&null, 1, 1, TEXT_RAW),
			  b = sum_of(&zero, 1, 1, TEXT_RAW),
			  c = sum_of(&zero, 0, 1, TEXT_RAW);

	(void)unused;
	assert_int_equal(same(&a, &b), 0);
	assert_int_equal(same(&a, &c), 0);
	assert_int_equal(same(&b, &c), 0);
	assert_int_equal(same(&a, &a), DIGEST_ALL);
	assert_int_equal(a.nulls, 1);
	assert_true(b.one_zero && !a.one_zero && !c.one_zero);
}

static void empty_results_are_equal_whatever_their_columns(void **unused)
{
	struct digest_sum a = sum_of(NULL, 0, 1, TEXT_RAW),
			  b = sum_of(NULL, 0, 7, TEXT_RAW);

	(void)unused;
	assert_int_equal(same(&a, &b), DIGEST_ALL);
}

static void the_cut_between_cells_and_rows_matters(void **unused)
{
	struct cell ab_c[] = { T("ab"), T("c") }, a_bc[] = { T("a"), T("bc") };
	struct digest_sum a = SUM(ab_c, 2), b = SUM(a_bc, 2), c = SUM(ab_c, 1);

	(void)unused;
	assert_int_equal(same(&a, &b), 0);
	assert_int_equal(same(&a, &c), 0);
}

static void one_digest_serves_results_one_after_the_other(void **unused)
{
	struct cell many[3000], one = I(7);
	struct digest_sum a = sum_of(&one, 1, 1, TEXT_RAW), b;

	(void)unused;
	for (int i = 0; i < 3000; i++)
		many[i] = (struct cell)I(i % 1000);
	b = sum_of(many, 3000, 3, TEXT_RAW);
	assert_int_equal(b.rows, 1000);
	b = sum_of(&one, 1, 1, TEXT_RAW);
	assert_int_equal(same(&a, &b), DIGEST_ALL);
}

static void spider_drops_invalid_bytes_before_it_compares(void **unused)
{
	struct cell bad = T("Jos\xe9"), good = T("Jos");
	struct digest_sum raw = sum_of(&bad, 1, 1, TEXT_RAW),
			  ignore = sum_of(&bad, 1, 1, TEXT_IGNORE),
			  jos = sum_of(&good, 1, 1, TEXT_IGNORE);

	(void)unused;
	assert_true(raw.invalid_utf8 && ignore.invalid_utf8 && !jos.invalid_utf8);
	assert_int_equal(same(&ignore, &jos), DIGEST_ALL);
	assert_int_equal(same(&raw, &jos), DIGEST_EHR);
}

static void utf8_is_taken_as_python_takes_it(void **unused)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "ab", "ab" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "\xe2\x82\x41", "A" },      /* truncated */
		{ "\xf0\x80\x80\x80z", "z" }, /* overlong */
		{ "\xed\xa0\x80x", "x" },     /* surrogate */
		{ "\xf4\x90\x80\x80y", "y" }, /* above U+10FFFF */
		{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
		{ "\xc0\xaf\xff\xfe", "" },
		{ "12345678\xe9", "12345678" },
	};
	char got[64];

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct view from = view_of(rows[i].from), to = view_of(rows[i].to);
		size_t n = utf8_ignore(from, got);

		assert_true(view_eq((struct view){ got, n }, to));
		assert_int_equal(utf8_valid(from), view_eq(from, to));
	}
}

static void py_float_takes_what_pythons_float_takes(void **unused)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "1", 1 },
		{ " 1.5\n", 1.5 },
		{ "\v1 ", 1 },
		{ "\xc2\xa0"
		  "1",
		  1 },
		{ "1_000", 1000 },
		{ "1e1_0", 1e10 },
		{ "-INF", -INFINITY },
		{ "Infinity", INFINITY },
		{ ".5", .5 },
		{ "5.", 5 },
		{ "\xd9\xa1\xd9\xa2", 12 },
		{ "+3e-2", .03 },
		{ "1e999", INFINITY },
	};
	static const char *const bad[] = {
		"",
		" ",
		".",
		"1 2",
		"0x10",
		"1__0",
		"_1",
		"1_",
		"1_.0",
		"1._0",
		"1_e1",
		"infinit",
		"nan(1)",
		"1e",
		"1e+",
		"x",
		"\x1c"
		"1",
		"\xc3\xa9"
		"1",
		"2019-04-02",
		"--1",
		"+-1",
	};
	double d;

	(void)unused;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(py_float(view_of(good[i].text), 0, &d));
		assert_true(d == good[i].value);
	}
	assert_true(py_float(view_of("+nan"), 0, &d) && isnan(d));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(py_float(view_of(bad[i]), 0, &d));
	assert_false(py_float((struct view){ "1\0", 2 }, 0, &d));
	assert_true(py_float(view_of(" 1_0 "), 1, &d) && d == 10);
	assert_false(py_float(view_of("\xd9\xa1"), 1, &d));
}

static void numbers_print_as_pythons_repr(void **unused)
{
	static const struct {
		double d;
		const char *repr, *round3;
	} rows[] = {
		{ 0, "0.0", "0.0" },
		{ -0.0, "-0.0", "-0.0" },
		{ 500, "500.0", "500.0" },
		{ 500.0004, "500.0004", "500.0" },
		{ 0.1 + 0.2, "0.30000000000000004", "0.3" },
		{ -0.0001, "-0.0001", "-0.0" },
		{ 0.00001, "1e-05", "0.0" },
		{ 1.0005, "1.0005", "1.0" }, /* below the half in binary */
		{ 2.0005, "2.0005", "2.001" },
		{ 0.0625, "0.0625", "0.062" }, /* a real half goes to even */
		{ 0.1875, "0.1875", "0.188" },
		{ 1234567.891, "1234567.891", "1234567.891" },
		{ 1e15, "1000000000000000.0", "1000000000000000.0" },
		{ 1e16, "1e+16", "1e+16" },
		{ 1.5e300, "1.5e+300", "1.5e+300" },
		{ 123456789012.3456, "123456789012.3456", "123456789012.346" },
		{ 1234567890123.0005, "1234567890123.0005", "1234567890123.0" },
		{ 5e-324, "5e-324", "0.0" },
		{ INFINITY, "inf", "inf" },
		{ -INFINITY, "-inf", "-inf" },
		{ NAN, "nan", "nan" },
		{ 9007199254740993.0, "9007199254740992.0", "9007199254740992.0" },
	};
	char s[PY_REPR];

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		py_repr(rows[i].d, s);
		assert_string_equal(s, rows[i].repr);
		py_repr_round3(rows[i].d, s);
		assert_string_equal(s, rows[i].round3);
	}
}

static void ehrsql_compares_rounded_numbers_whatever_their_type(void **unused)
{
	(void)unused;
	assert_true(SAME(T("500.0"), R(500.0004)) & DIGEST_EHR);
	assert_true(SAME(T(" 5e2 "), I(500)) & DIGEST_EHR);
	assert_true(SAME(T("nan"), T("NaN")) & DIGEST_EHR);
	assert_true(SAME(N, T("None")) & DIGEST_EHR);
	assert_true(SAME(B("a'b\n\x80"), T("b\"a'b\\n\\x80\"")) & DIGEST_EHR);
	assert_true(SAME(B("a'\"b"), T("b'a\\'\"b'")) & DIGEST_EHR);
	assert_false(SAME(T("abc"), T("abd")) & DIGEST_EHR);
	assert_false(SAME(T("a"), T("a\0")) & DIGEST_EHR);
}

static void ehrsql_keeps_the_first_hundred_rows_after_sorting(void **unused)
{
	struct cell up[150], down[150];
	struct digest_sum a, b, c;

	(void)unused;
	for (int i = 0; i < 150; i++) {
		up[i] = (struct cell)I(1000 + i);
		down[149 - i] = (struct cell)I(1000 + i);
	}
	a = sum_of(up, 150, 1, TEXT_RAW);
	b = sum_of(down, 150, 1, TEXT_RAW);
	c = sum_of(up, 120, 1, TEXT_RAW); /* shorter, and equal all the same */
	assert_int_equal(same(&a, &b), DIGEST_ALL & ~DIGEST_LIST);
	assert_int_equal(same(&a, &c), DIGEST_EHR);
	c = sum_of(up, 99, 1, TEXT_RAW);
	assert_int_equal(same(&a, &c), 0);
	up[149] = (struct cell)I(2); /* '2.0' sorts behind '1099.0' */
	b = sum_of(up, 150, 1, TEXT_RAW);
	assert_int_equal(same(&a, &b), DIGEST_EHR);
	up[149] = (struct cell)I(0);
	b = sum_of(up, 150, 1, TEXT_RAW);
	assert_int_equal(same(&a, &b), 0);
}

static void a_set_that_does_not_fit_is_a_limit(void **unused)
{
	struct digest *d;
	struct cell c = I(0);
	int r = 0;

	(void)unused;
	assert_int_equal(digest_new(&d), 0);
	assert_int_equal(digest_begin(d, DIGEST_SET, TEXT_RAW, 1, 4096), 0);
	for (int i = 0; !r && i < 1000; i++) {
		c.i = i;
		r = digest_row(d, &c);
	}
	assert_int_equal(r, ERR_LIMIT);
	digest_free(&d);
}

static void every_failed_allocation_is_reported(void **unused)
{
	struct digest *d;
	struct digest_sum s;
	struct cell row[] = { T("some text"), I(1) };
	int r, hit;

	(void)unused;
	for (int n = 0;; n++) {
		mem_fail_after(n);
		r = digest_new(&d);
		if (!r) {
			r = digest_begin(d, DIGEST_ALL, TEXT_RAW, 2, 1 << 20);
			if (!r)
				r = digest_row(d, row);
			if (!r)
				digest_end(d, &s);
			digest_free(&d);
		}
		hit = mem_fault_hit();
		mem_fail_after(-1);
		if (!hit)
			break;
		assert_int_equal(r, ERR_NOMEM);
	}
	assert_int_equal(r, 0);
}

static struct sip first_edition(const struct cell *cells, size_t n, uint32_t cols)
{
	struct digest_sum s;
	struct digest *d;

	assert_int_equal(digest_new(&d), 0);
	assert_int_equal(digest_begin(d, DIGEST_EHR1, TEXT_STRICT, cols, 1 << 24), 0);
	for (size_t i = 0; i < n; i += cols)
		assert_int_equal(digest_row(d, cells + i), 0);
	digest_end(d, &s);
	assert_int_equal(s.digests.mask, DIGEST_EHR);
	digest_free(&d);
	return s.digests.ehr;
}

static int same_first(struct cell a, struct cell b)
{
	struct sip x = first_edition(&a, 1, 1), y = first_edition(&b, 1, 1);

	return sip_eq(&x, &y);
}

static void the_first_ehrsql_compares_what_str_prints(void **unused)
{
	static const struct cell one = I(1), real = R(1.0), text = T("1"),
				 blob = B("1"), zero = R(0.0), minus = R(-0.0),
				 none = N, word = T("None");

	(void)unused;
	assert_true(same_first(one, one));
	assert_false(same_first(one, real)); /* '(1,)' and '(1.0,)' */
	assert_false(same_first(one, text));
	assert_false(same_first(text, blob));
	assert_false(same_first(zero, minus));
	assert_false(same_first(none, word));
}

static void the_first_ehrsql_takes_a_hundred_rows_before_it_sorts(void **unused)
{
	struct cell a[150], b[150];
	struct sip x, y;

	(void)unused;
	for (int i = 0; i < 150; i++) {
		a[i] = (struct cell){ .type = CELL_INT, .i = i };
		b[i] = (struct cell){ .type = CELL_INT, .i = i < 100 ? 99 - i : 7 };
	}
	x = first_edition(a, 150, 1);
	y = first_edition(b, 101, 1);
	assert_true(sip_eq(&x, &y)); /* order, and what comes later, do not count */
	b[0].i = 500;
	y = first_edition(b, 150, 1);
	assert_false(sip_eq(&x, &y));
	y = first_edition(a, 99, 1);
	assert_false(sip_eq(&x, &y));
	y = first_edition(a, 100, 1);
	assert_true(sip_eq(&x, &y));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_equal_as_python_has_it),
		cmocka_unit_test(A06_text_is_never_a_number_outside_ehrsql),
		cmocka_unit_test(A12_a_blob_is_never_text),
		cmocka_unit_test(A01_duplicates_count_in_a_bag_and_not_in_a_set),
		cmocka_unit_test(A02_order_counts_in_a_list_only),
		cmocka_unit_test(A03_columns_in_another_order_share_only_the_signature),
		cmocka_unit_test(A09_a_prefix_is_not_the_result),
		cmocka_unit_test(A20_null_empty_and_zero_are_three_results),
		cmocka_unit_test(empty_results_are_equal_whatever_their_columns),
		cmocka_unit_test(the_cut_between_cells_and_rows_matters),
		cmocka_unit_test(one_digest_serves_results_one_after_the_other),
		cmocka_unit_test(spider_drops_invalid_bytes_before_it_compares),
		cmocka_unit_test(utf8_is_taken_as_python_takes_it),
		cmocka_unit_test(py_float_takes_what_pythons_float_takes),
		cmocka_unit_test(numbers_print_as_pythons_repr),
		cmocka_unit_test(ehrsql_compares_rounded_numbers_whatever_their_type),
		cmocka_unit_test(ehrsql_keeps_the_first_hundred_rows_after_sorting),
		cmocka_unit_test(a_set_that_does_not_fit_is_a_limit),
		cmocka_unit_test(the_first_ehrsql_compares_what_str_prints),
		cmocka_unit_test(the_first_ehrsql_takes_a_hundred_rows_before_it_sorts),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
