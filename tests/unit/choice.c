/* choice.c - records come back from the journal as they went in, whole or not at all */
#include "tests/support/cm.h"

#include "common/base/err.h"
#include "proto/choice.h"
#include "proto/exec_out.h"
#include "proto/verdict.h"

#include <string.h>

static void make_choice(struct choice *c)
{
	static uint32_t member[] = { 3, 0, 2 }, cand[] = { 3, 0, 2 },
			place[] = { 1, 2 }, shown[] = { 2, 3, 0 };
	static struct choice_group group[1];
	static struct choice_pass pass[2];
	static struct view memory[1], note[2];
	static struct choice_ask asked[1];

	group[0] = (struct choice_group){ .member = member,
					  .size = 3,
					  .status = STATUS_rows,
					  .note = view_of("n"),
					  .rows = 1ull << 40,
					  .columns = 2,
					  .digest = { 1, 2, 3 },
					  .mean_rank = 1.25 };
	pass[0] = (struct choice_pass){ cand, place, 2, 0, shown, 3 };
	pass[1] = (struct choice_pass){ cand, place, 0, 1, NULL, 0 };
	memory[0] = view_of("\"t1\"");
	note[0] = view_of("one");
	note[1] = view_of("");
	asked[0] = (struct choice_ask){ { { 9 } }, 7, 2, 3 };
	static struct view name[2];
	static double weight[] = { 1.5, -2 }, score[] = { 3 }, feature[] = { 0, -.5 };

	name[0] = view_of("empty");
	name[1] = view_of("zero");
	*c = (struct choice){ .evidence = { 1, 2, name, weight, score, feature },
			      .chosen = 3,
			      .why = WHY_TIE_BREAK,
			      .reason = view_of("because"),
			      .confidence = .5,
			      .tied = 1,
			      .g = 1,
			      .group = group,
			      .ngroup = 1,
			      .pass = pass,
			      .npass = 2,
			      .memory = memory,
			      .nmemory = 1,
			      .has_tie = 1,
			      .tie_a = 3,
			      .tie_b = 1,
			      .tie_score = { .25, -1 },
			      .asks = 12,
			      .asked = asked,
			      .nasked = 1,
			      .note = note,
			      .nnote = 2,
			      .parse_missing = 1,
			      .parse_duplicate = 2,
			      .parse_unknown = 3,
			      .parse_failed = 4 };
}

static void a_choice_comes_back_as_it_was(void **unused)
{
	struct buf b = { 0 }, again = { 0 };
	struct arena a = { 0 };
	struct choice c, d;

	(void)unused;
	make_choice(&c);
	choice_encode(&c, &b);
	assert_int_equal(choice_decode(buf_view(&b), &a, &d), 0);
	assert_int_equal(d.chosen, 3);
	assert_int_equal(d.group[0].member[0], 3);
	assert_true(d.group[0].rows == 1ull << 40);
	assert_int_equal(d.pass[0].place[1], 2);
	assert_int_equal(d.pass[0].nshown, 3);
	assert_int_equal(d.pass[0].shown[0], 2);
	assert_int_equal(d.pass[1].nshown, 0);
	assert_int_equal(d.pass[1].is_void, 1);
	assert_true(d.tie_score[1] == -1);
	assert_int_equal(d.asked[0].window, 3);
	assert_int_equal(d.parse_failed, 4);
	assert_int_equal(d.evidence.features, 2);
	assert_true(d.evidence.weight[1] == -2 && d.evidence.feature[1] == -.5);
	choice_encode(&d, &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	buf_free(&b);
	buf_free(&again);
	arena_free(&a);
}

/* The array's head says 21 where there was no evidence yet. */
static void a_choice_of_an_older_program_is_read(void **unused)
{
	struct buf b = { 0 };
	struct arena a = { 0 };
	struct choice c, d;

	(void)unused;
	make_choice(&c);
	c.evidence.features = 0;
	choice_encode(&c, &b);
	assert_int_equal((unsigned char)b.p[2], 22);
	b.p[2] = 21;
	assert_int_equal(choice_decode((struct view){ b.p, b.n - 1 }, &a, &d), 0);
	assert_int_equal(d.parse_failed, 4);
	assert_int_equal(d.evidence.features, 0);
	buf_free(&b);
	arena_free(&a);
}

static void a_choice_cut_anywhere_is_none(void **unused)
{
	struct buf b = { 0 };
	struct choice c;

	(void)unused;
	make_choice(&c);
	choice_encode(&c, &b);
	for (size_t n = 0; n < b.n; n++) {
		struct arena a = { 0 };
		struct choice d = { .chosen = 77 };

		assert_int_equal(choice_decode((struct view){ b.p, n }, &a, &d),
				 ERR_PROTO);
		assert_int_equal(d.chosen, 77);
		arena_free(&a);
	}
	buf_free(&b);
}

static void a_choice_with_a_wrong_byte_is_read_or_refused(void **unused)
{
	struct buf b = { 0 };
	struct choice c;

	(void)unused;
	make_choice(&c);
	choice_encode(&c, &b);
	for (size_t n = 0; n < b.n; n++)
		for (int v = 0; v < 256; v += 5) {
			struct arena a = { 0 };
			struct choice d;
			char was = b.p[n];

			b.p[n] = (char)v;
			choice_decode(buf_view(&b), &a, &d);
			b.p[n] = was;
			arena_free(&a);
		}
	buf_free(&b);
}

static void numbers_of_no_word_are_refused(void **unused)
{
	struct buf b = { 0 };
	struct arena a = { 0 };
	struct choice c, d;

	(void)unused;
	make_choice(&c);
	c.why = WHYS;
	choice_encode(&c, &b);
	assert_int_equal(choice_decode(buf_view(&b), &a, &d), ERR_PROTO);
	buf_clear(&b);
	make_choice(&c);
	c.group[0].status = STATUSES;
	choice_encode(&c, &b);
	assert_int_equal(choice_decode(buf_view(&b), &a, &d), ERR_PROTO);
	buf_free(&b);
	arena_free(&a);
}

static void every_reason_has_a_text(void **unused)
{
	(void)unused;
	for (int w = 0; w < WHYS; w++)
		assert_string_not_equal(why_text((enum why)w), "?");
	assert_string_equal(why_text(WHYS), "?");
}

static void a_verdict_comes_back_and_cut_is_none(void **unused)
{
	uint8_t right[] = { 1, 0 }, strict[] = { 0, 0 },
		status[] = { STATUS_rows, STATUS_error };
	struct view note[] = { { "", 0 }, { "no such table", 13 } };
	struct verdict v = { .n = 2,
			     .right = right,
			     .strict = strict,
			     .status = status,
			     .note = note,
			     .gold = STATUS_rows,
			     .gold_note = view_of("g"),
			     .gold_rows = 4 };
	struct verdict d = { 0 };
	struct arena a = { 0 };
	struct buf b = { 0 };

	(void)unused;
	verdict_encode(&v, &b);
	assert_int_equal(verdict_decode(buf_view(&b), &a, &d), 0);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.right[0], 1);
	assert_true(view_eq(d.note[1], note[1]));
	assert_true(d.gold_rows == 4);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(verdict_decode((struct view){ b.p, n }, &a, &d),
				 ERR_PROTO);
	buf_free(&b);
	arena_free(&a);
}

static void an_execution_comes_back_and_cut_is_none(void **unused)
{
	static const struct view names[] = { { "a", 1 }, { "b", 1 } };
	static const struct view warnings[] = { { "w", 1 } };
	struct cell preview[2] = { { 0 }, { 0 } };
	struct exec_out o = { .status = STATUS_rows,
			      .note = view_of(""),
			      .error = view_of(""),
			      .error_at = -1,
			      .rows = 1,
			      .cells = 2,
			      .steps = 99,
			      .cols = 2,
			      .names = names,
			      .digests = { .mask = DIGEST_SET | DIGEST_SIG,
					   .set = { 1, 2 },
					   .sig = { 3, 4 } },
			      .warnings = warnings,
			      .n_warnings = 1,
			      .preview = preview,
			      .preview_rows = 1 };
	struct exec_out d = { 0 };
	struct arena a = { 0 };
	struct buf b = { 0 }, again = { 0 };

	(void)unused;
	exec_out_encode(&o, &b);
	assert_int_equal(exec_out_decode(buf_view(&b), &d, &a), 0);
	assert_int_equal(d.digests.mask, o.digests.mask);
	assert_true(sip_eq(&d.digests.sig, &o.digests.sig));
	exec_out_encode(&d, &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(exec_out_decode((struct view){ b.p, n }, &d, &a),
				 ERR_PROTO);
	buf_free(&b);
	buf_free(&again);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_choice_comes_back_as_it_was),
		cmocka_unit_test(a_choice_of_an_older_program_is_read),
		cmocka_unit_test(a_choice_cut_anywhere_is_none),
		cmocka_unit_test(a_choice_with_a_wrong_byte_is_read_or_refused),
		cmocka_unit_test(numbers_of_no_word_are_refused),
		cmocka_unit_test(every_reason_has_a_text),
		cmocka_unit_test(a_verdict_comes_back_and_cut_is_none),
		cmocka_unit_test(an_execution_comes_back_and_cut_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
