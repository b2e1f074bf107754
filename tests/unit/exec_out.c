/* exec_out.c - outputs of a child survive their encoding */
#include "tests/support/cm.h"

#include "proto/alike_out.h"
#include "proto/equal_out.h"
#include "proto/exec_out.h"

#include <stdio.h>
#include <stdlib.h>

static const struct view names[] = { { "a", 1 }, { "b", 1 } };
static const struct view warnings[] = { { "dqs_literal:\"x\"", 15 } };
static const struct cell preview[] = {
	{ .type = CELL_INT, .i = INT64_MIN },
	{ .type = CELL_TEXT, .v = { "Jos\xe9", 4 } },
	{ .type = CELL_REAL, .d = 1.0 },
	{ .type = CELL_BLOB, .v = { "\0\1", 2 }, .whole = 900 },
	{ .type = CELL_NULL },
	{ .type = CELL_TEXT, .v = { "cut", 3 }, .whole = 5000 },
};

static struct exec_out sample(void)
{
	struct exec_out o = { .status = STATUS_rows,
			      .error_at = -1,
			      .rows = 3,
			      .cells = 6,
			      .nulls = 1,
			      .steps = 42,
			      .cols = 2,
			      .invalid_utf8 = 1,
			      .cut = 1,
			      .names = names,
			      .warnings = warnings,
			      .n_warnings = 1,
			      .preview = preview,
			      .preview_rows = 3 };

	o.note = o.error = (struct view){ "", 0 };
	o.digests.mask = DIGEST_SET | DIGEST_EHR;
	o.digests.set = (struct sip){ 1, UINT64_MAX };
	o.digests.ehr = (struct sip){ 0x0123456789abcdef, 2 };
	return o;
}

static void an_exec_out_comes_back_as_it_was(void **unused)
{
	struct exec_out o = sample(), got;
	struct arena a = { 0 };
	struct buf b = { 0 };

	(void)unused;
	exec_out_encode(&o, &b);
	assert_int_equal(exec_out_decode(buf_view(&b), &got, &a), 0);
	assert_int_equal(got.status, STATUS_rows);
	assert_int_equal(got.error_at, -1);
	assert_int_equal(got.digests.mask, DIGEST_SET | DIGEST_EHR);
	assert_true(sip_eq(&got.digests.set, &o.digests.set));
	assert_true(sip_eq(&got.digests.ehr, &o.digests.ehr));
	assert_true(view_eq(got.warnings[0], warnings[0]));
	assert_true(view_eq(got.names[1], names[1]));
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(got.preview[i].type, preview[i].type);
		assert_int_equal(got.preview[i].whole, preview[i].whole);
		assert_true(cell_eq(&got.preview[i], &preview[i]));
	}
	arena_free(&a);
	buf_free(&b);
}

static void every_truncation_is_refused(void **unused)
{
	struct exec_out o = sample(), got;
	struct arena a = { 0 };
	struct buf b = { 0 };

	(void)unused;
	exec_out_encode(&o, &b);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(exec_out_decode((struct view){ b.p, n }, &got, &a),
				 ERR_PROTO);
	arena_free(&a);
	buf_free(&b);
}

static void an_equal_out_comes_back_as_it_was(void **unused)
{
	struct equal_out o = { 1, { "memory", 6 }, STATUS_rows, STATUS_limit }, got;
	struct buf b = { 0 };

	(void)unused;
	equal_out_encode(&o, &b);
	assert_int_equal(equal_out_decode(buf_view(&b), &got), 0);
	assert_int_equal(got.equal, 1);
	assert_int_equal(got.b, STATUS_limit);
	assert_true(view_eq(got.note, o.note));
	assert_int_equal(equal_out_decode((struct view){ b.p, b.n - 1 }, &got),
			 ERR_PROTO);
	buf_free(&b);
}

static void an_alike_out_comes_back_as_it_was(void **unused)
{
	struct alike_out o = { 3, 4, { "", 0 }, STATUS_rows, STATUS_rows }, got;
	struct buf b = { 0 };

	(void)unused;
	alike_out_encode(&o, &b);
	assert_int_equal(alike_out_decode(buf_view(&b), &got), 0);
	assert_int_equal(got.same, 3);
	assert_int_equal(got.all, 4);
	assert_int_equal(alike_out_decode((struct view){ b.p, b.n - 1 }, &got),
			 ERR_PROTO);
	buf_free(&b);
	o.same = 5; /* more than there is */
	alike_out_encode(&o, &b);
	assert_int_equal(alike_out_decode(buf_view(&b), &got), ERR_PROTO);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exec_out_comes_back_as_it_was),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(an_equal_out_comes_back_as_it_was),
		cmocka_unit_test(an_alike_out_comes_back_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
