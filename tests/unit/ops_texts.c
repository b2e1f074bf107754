/* ops_texts.c - small pure things of the CLI: CSV, progress, masks, tie queries */
#include "tests/support/cm.h"

#include "ops/csv.h"
#include "ops/finish.h"
#include "ops/goldcheck.h"
#include "ops/jsonfile.h"
#include "ops/progress.h"
#include "ops/setting.h"
#include "ops/textfile.h"

#include <string.h>

static void csv_cells_may_hold_commas_quotes_and_newlines(void **state)
{
	static const char text[] =
		"a,\"b,\nc\",\"say \"\"x\"\"\"\r\n,caf\xe9,caf\xc3\xa9\n";
	struct csv c = { { text, sizeof text - 1 }, 0 };
	struct view cell[CSV_CELLS];
	struct arena a = { 0 };

	(void)state;
	assert_int_equal(csv_row(&c, &a, cell), 3);
	assert_string_equal(cell[0].p, "a");
	assert_memory_equal(cell[1].p, "b,\nc", 4);
	assert_memory_equal(cell[2].p, "say \"x\"", 7);
	assert_int_equal(cell[2].n, 7);
	assert_int_equal(csv_row(&c, &a, cell), 3);
	assert_int_equal(cell[0].n, 0);
	assert_memory_equal(cell[1].p, "caf\xc3\xa9", 5); /* Latin-1 became UTF-8 */
	assert_memory_equal(cell[2].p, "caf\xc3\xa9", 5);
	assert_int_equal(csv_row(&c, &a, cell), -1);
	arena_free(&a);
}

static void a_torn_csv_ends(void **state)
{
	static const char text[] = "\"never closed, \"\"";
	struct csv c = { { text, sizeof text - 1 }, 0 };
	struct view cell[CSV_CELLS];
	struct arena a = { 0 };

	(void)state;
	assert_int_equal(csv_row(&c, &a, cell), 1);
	assert_int_equal(csv_row(&c, &a, cell), -1);
	arena_free(&a);
}

static void lines_end_in_lf_or_crlf_and_the_last_needs_none(void **state)
{
	struct textfile f = { .text = view_of("a\r\n\nb\rc\nd") };
	struct line l;
	size_t at = 0;

	(void)state;
	assert_int_equal(textfile_line(&f, &at, &l), 1);
	assert_true(view_eq(l.text, view_of("a")));
	assert_int_equal(textfile_line(&f, &at, &l), 1);
	assert_true(line_is_blank(&l));
	assert_int_equal(textfile_line(&f, &at, &l), 1);
	assert_true(view_eq(l.text, view_of("b\rc")));
	assert_int_equal(textfile_line(&f, &at, &l), 1);
	assert_int_equal(l.number, 4);
	assert_int_equal(textfile_line(&f, &at, &l), 0);
}

static void an_excerpt_is_short_and_one_line(void **state)
{
	char part[EXCERPT + 4], text[200];

	(void)state;
	memset(text, 'x', sizeof text);
	text[3] = '\n';
	assert_int_equal(strlen(excerpt((struct view){ text, sizeof text }, part)),
			 EXCERPT + 3);
	assert_null(strchr(part, '\n'));
	assert_string_equal(excerpt(view_of("short"), part), "short");
}

static void quoted_text_is_json_whatever_the_bytes(void **state)
{
	static const char bytes[] = "a\"\\\n\x01\xff\xed\xa0\x80\xc3\xa9";
	struct buf b = { 0 };
	json_t *back;

	(void)state;
	json_quote(&b, (struct view){ bytes, sizeof bytes - 1 });
	back = json_loadb(b.p, b.n, JSON_DECODE_ANY, NULL);
	assert_non_null(back);
	assert_memory_equal(json_string_value(back), "a\"\\\n\x01\xef\xbf\xbd", 8);
	json_decref(back);
	buf_free(&b);
}

static void E27_credentials_of_a_url_are_masked(void **state)
{
	struct arena a = { 0 };

	(void)state;
	assert_string_equal(
		setting_mask_urls(&a, "http://u:p@h:1/v1?key=x,http://h2/v1"),
		"http://***@h:1/v1?***,http://h2/v1");
	assert_string_equal(setting_mask_urls(&a, "http://h/v1/a@b"),
			    "http://h/v1/a@b");
	assert_string_equal(setting_mask_urls(&a, "u:p@h"), "***@h");
	assert_string_equal(setting_shown(&a, FLAG_header, "X-Key: s3cret\nB: c"),
			    "X-Key: ***\nB: ***");
	arena_free(&a);
}

static void progress_says_what_is_settled_and_what_is_left(void **state)
{
	struct broker_progress b = { .units = 574,
				     .units_done = 287,
				     .tasks = 12000,
				     .elapsed_ms = 60000,
				     .calls = 10,
				     .prompt_tokens = 9000,
				     .completion_tokens = 2000,
				     .failures = 1 };
	char line[PROGRESS_LINE];

	(void)state;
	assert_string_equal(
		progress_text(&b, "settled", line),
		"settled 287/574  12.0k tasks 200/s  10 calls  11.0k tokens  1 "
		"failures  left 1m00s");
	b.calls = b.failures = 0;
	b.paused = 1;
	assert_string_equal(progress_text(&b, "settled", line),
			    "settled 287/574  12.0k tasks 200/s  stopping");
	b = (struct broker_progress){ 0 };
	assert_string_equal(progress_text(&b, "scored", line),
			    "scored 0/0  0 tasks 0/s  left ?");
}

static void fail_on_error_is_a_number_or_a_share(void **state)
{
	(void)state;
	assert_int_equal(finish_code(0, 100, 0), 0);
	assert_int_equal(finish_code(1, 100, 0), 2);
	assert_int_equal(finish_code(5, 100, 5), 0);
	assert_int_equal(finish_code(6, 100, 5), 2);
	assert_int_equal(finish_code(10, 100, 0.1), 0);
	assert_int_equal(finish_code(11, 100, 0.1), 2);
}

static void a_tie_query_shows_the_terms_and_one_row_more(void **state)
{
	struct buf b = { 0 };
	uint64_t limit = 0;
	uint32_t terms = 0;

	(void)state;
	assert_int_equal(
		gold_tie_query(view_of("SELECT kind FROM tree GROUP BY kind ORDER BY "
				       "COUNT(*) DESC LIMIT 1;"),
			       &b, &limit, &terms),
		1);
	assert_int_equal(limit, 1);
	assert_int_equal(terms, 1);
	assert_string_equal(
		b.p, "SELECT kind , ( COUNT(*)  ) FROM tree GROUP BY kind ORDER BY "
		     "COUNT(*) DESC LIMIT 2");
	assert_int_equal(gold_tie_query(view_of("SELECT 1"), &b, &limit, &terms), 0);
	assert_int_equal(
		gold_tie_query(
			view_of("SELECT a FROM t UNION SELECT b FROM t ORDER BY 1 "
				"LIMIT 1"),
			&b, &limit, &terms),
		-1);
	assert_int_equal(
		gold_tie_query(view_of("SELECT a FROM t LIMIT 1"), &b, &limit, &terms),
		-1);
	assert_int_equal(
		gold_tie_query(view_of("SELECT 1; SELECT 2"), &b, &limit, &terms), 0);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_cells_may_hold_commas_quotes_and_newlines),
		cmocka_unit_test(a_torn_csv_ends),
		cmocka_unit_test(lines_end_in_lf_or_crlf_and_the_last_needs_none),
		cmocka_unit_test(an_excerpt_is_short_and_one_line),
		cmocka_unit_test(quoted_text_is_json_whatever_the_bytes),
		cmocka_unit_test(E27_credentials_of_a_url_are_masked),
		cmocka_unit_test(progress_says_what_is_settled_and_what_is_left),
		cmocka_unit_test(fail_on_error_is_a_number_or_a_share),
		cmocka_unit_test(a_tie_query_shows_the_terms_and_one_row_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
