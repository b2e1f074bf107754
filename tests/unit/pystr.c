/* pystr.c - values and rows as Python writes and sorts them */
#include "tests/support/cm.h"

#include "common/select/pystr.h"

static struct view v(const char *s, size_t n)
{
	return (struct view){ s, n };
}

static void bytes_print_as_pythons_str(void **unused)
{
	static const struct {
		const char *in;
		size_t n;
		const char *out;
	} row[] = {
		{ "", 0, "b''" },
		{ "a\0b", 3, "b'a\\x00b'" },
		{ "it's", 4, "b\"it's\"" },
		{ "'\"", 2, "b'\\'\"'" },
		{ "\t\n\r\\\x7f\xff", 6, "b'\\t\\n\\r\\\\\\x7f\\xff'" },
	};
	char text[64];

	(void)unused;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		size_t n = py_str_bytes(v(row[i].in, row[i].n), text);

		assert_int_equal(n, strlen(row[i].out));
		assert_memory_equal(text, row[i].out, n);
	}
}

/* sorted((2, 10, 1.0, 1, 1.5, None, 'b', b'b'), key=lambda x: str(x) + str(type(x))) */
static void a_row_sorts_as_its_text_with_its_type(void **unused)
{
	static const uint32_t want[] = { 2, 4, 1, 3, 0, 5, 7, 6 };
	const struct cell cell[] = {
		{ .type = CELL_INT, .i = 2 },
		{ .type = CELL_INT, .i = 10 },
		{ .type = CELL_REAL, .d = 1.0 },
		{ .type = CELL_INT, .i = 1 },
		{ .type = CELL_REAL, .d = 1.5 },
		{ .type = CELL_NULL },
		{ .type = CELL_TEXT, .v = { "b", 1 } },
		{ .type = CELL_BLOB, .v = { "b", 1 } },
	};
	struct pyorder p = { .key = NULL };
	uint32_t order[8];

	(void)unused;
	assert_int_equal(py_order(&p, cell, 8, order), 0);
	assert_memory_equal(order, want, sizeof want);
	assert_int_equal(py_order(&p, cell, 0, order), 0);
	py_order_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_print_as_pythons_str),
		cmocka_unit_test(a_row_sorts_as_its_text_with_its_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
