/* sql_rewrite.c - the official scripts' rewrites, and what Python's execute() wants */
#include "tests/support/cm.h"

#include "common/sql/rewrite.h"

#include <sqlite3.h>

static void same(struct buf *b, const char *want)
{
	assert_int_equal(b->bad, 0);
	assert_string_equal(b->p ? b->p : "", want);
	buf_free(b);
}

/* ---- Spider ---- */

static void prediction(const char *sql, int keep_distinct, const char *want)
{
	struct buf b = { 0 };

	rewrite_spider_prediction(&b, view_of(sql), keep_distinct);
	same(&b, want);
}

static void gold(const char *sql, int keep_distinct, const char *want)
{
	struct buf b = { 0 };

	rewrite_spider_gold(&b, view_of(sql), keep_distinct);
	same(&b, want);
}

static void B13_value_becomes_1_in_predictions_only(void **unused)
{
	(void)unused;
	prediction("SELECT AVG(\"value\") FROM \"odd names\"", 1,
		   "SELECT AVG(\"1\") FROM \"odd names\"");
	prediction("SELECT values_ FROM t WHERE a = 'value' AND Value = 2", 1,
		   "SELECT 1s_ FROM t WHERE a = '1' AND Value = 2");
	gold("SELECT AVG(\"value\") FROM \"odd names\"", 1,
	     "SELECT AVG(\"value\") FROM \"odd names\"");
}

static void split_operators_are_joined(void **unused)
{
	(void)unused;
	gold("a > = 1 AND b < = 2 AND c ! = '> ='", 1,
	     "a >= 1 AND b <= 2 AND c != '>='");
	gold("a >  = 1", 1, "a >  = 1");
}

static void the_current_year_is_2020(void **unused)
{
	(void)unused;
	gold("SELECT YEAR(CURDATE()) - 5", 1, "SELECT 2020- 5");
	gold("SELECT year ( curdate(\n) )  -5", 1, "SELECT 2020-5");
	gold("SELECT YEAR(CURDATE() )", 1, "SELECT 2020");
	gold("SELECT YEAR(CURDATE)", 1, "SELECT YEAR(CURDATE)");
}

static void distinct_goes_outside_quotes_and_so_does_what_follows(void **unused)
{
	(void)unused;
	gold("SELECT DISTINCT a, count(distinct b) FROM t", 0,
	     "SELECT  a, count( b) FROM t");
	gold("SELECT DISTINCT(a), 'DISTINCT', \"distinct\", distinct_ FROM t -- "
	     "distinct",
	     0, "SELECT (a), 'DISTINCT', \"distinct\", distinct_ FROM t -- distinct");
	gold("SELECT 1; SELECT 2", 0, "SELECT 1;");
	gold("SELECT ';' /* ; */; x", 0, "SELECT ';' /* ; */;");
	gold("SELECT DISTINCT 1; SELECT 2", 1, "SELECT DISTINCT 1; SELECT 2");
	gold("", 0, "");
}

static void order_matters_is_a_substring_with_one_blank(void **unused)
{
	(void)unused;
	assert_true(rewrite_order_matters(view_of("SELECT a FROM t Order By a")));
	assert_true(rewrite_order_matters(view_of("SELECT 'order by'")));
	assert_false(rewrite_order_matters(view_of("SELECT a FROM t ORDER  BY a")));
	assert_false(rewrite_order_matters(view_of("order b")));
}

/* ---- EHRSQL ---- */

static void ehrsql(const char *sql, const char *want)
{
	struct buf b = { 0 };

	rewrite_ehrsql(&b, view_of(sql));
	same(&b, want);
}

static void D09_now_is_fixed_by_edition(void **unused)
{
	struct buf b = { 0 };

	(void)unused;
	ehrsql("SELECT strftime('%Y',current_time)",
	       "SELECT strftime('%Y','2100-12-31 23:59:00')");
	ehrsql("SELECT CURRENT_TIME, current_date, 'now', NOW(), CURDATE(), CURTIME(), "
	       "'NOW'",
	       "SELECT CURRENT_TIME, '2100-12-31', '2100-12-31 23:59:00', "
	       "'2100-12-31 23:59:00', '2100-12-31', '23:59:00', 'NOW'");
	ehrsql("my_current_time_x", "my_'2100-12-31 23:59:00'_x");
	rewrite_ehrsql_v1(&b, view_of("SELECT strftime('%Y',current_time)"),
			  view_of(""));
	same(&b, "select strftime('%Y','2105-12-31 23:59:00')");
	rewrite_ehrsql_v1(&b, view_of("SELECT CURRENT_TIME"),
			  view_of("2100-12-31 23:59:00"));
	same(&b, "select '2100-12-31 23:59:00'");
	rewrite_ehrsql_v1(&b, view_of("SELECT date('NOW')"), view_of("2100-12-31"));
	same(&b, "select date('2100-12-31')");
}

static void blanks_are_folded_inside_literals_too(void **unused)
{
	(void)unused;
	ehrsql(" \n SELECT 'a  b\n\nc'\t \n", "SELECT 'a b c'");
	ehrsql("a\t\tb", "a\t\tb");
	ehrsql("a > \n= b", "a >= b");
}

static void mysql_dates_become_sqlite_dates(void **unused)
{
	(void)unused;
	ehrsql("DATE_SUB(NOW(), INTERVAL 1 MONTH)",
	       "datetime('2100-12-31 23:59:00', '-1 month')");
	ehrsql("DATE_ADD('2020-01-01' ,  INTERVAL 12 DAY)",
	       "datetime('2020-01-01', '+12 days')");
	ehrsql("DATE_SUB(CURDATE(), INTERVAL 3 YEAR)",
	       "datetime('2100-12-31', '-3 years')");
	ehrsql("DATE_SUB(x, INTERVAL 3 YEAR)", "DATE_SUB(x, INTERVAL 3 YEAR)");
	ehrsql("DATE_SUB(f(),INTERVAL 3 YEAR)", "DATE_SUB(f(),INTERVAL 3 YEAR)");
	ehrsql("date_sub(f(), INTERVAL 3 YEAR)", "date_sub(f(), INTERVAL 3 YEAR)");
	ehrsql("DATE_SUB(f(), INTERVAL 3 HOUR)", "DATE_SUB(f(), INTERVAL 3 HOUR)");
}

static void vital_ranges_are_filled_in_for_one_known_name(void **unused)
{
	(void)unused;
	ehrsql("v BETWEEN heart_rate_lower AND heart_rate_upper",
	       "v BETWEEN 60.0 AND 100.0");
	ehrsql("v > sao2_lower", "v > sao2_lower");
	ehrsql("v > sao2_lower AND v < mean_bp_upper",
	       "v > sao2_lower AND v < mean_bp_upper");
	ehrsql("v > abc_lower AND v < abc_upper", "v > abc_lower AND v < abc_upper");
	ehrsql("v>sao2_lower AND v<sao2_upper", "v>sao2_lower AND v<sao2_upper");
}

static void year_and_day_formats_are_capitals(void **unused)
{
	(void)unused;
	ehrsql("strftime('%y-%j', t)", "strftime('%Y-%J', t)");
}

static void exactly_null_abstains(void **unused)
{
	struct buf b = { 0 };

	(void)unused;
	rewrite_ehrsql(&b, view_of("  null\n"));
	assert_true(rewrite_is_abstention(buf_view(&b)));
	buf_free(&b);
	assert_false(rewrite_is_abstention(view_of("NULL")));
	assert_false(rewrite_is_abstention(view_of("")));
	assert_false(rewrite_is_abstention(view_of("null;")));
}

static void B16_ehrsql_v1_lowers_literals_and_breaks_doubled_quotes(void **unused)
{
	struct buf b = { 0 };

	(void)unused;
	rewrite_ehrsql_v1(&b, view_of("SELECT 1 WHERE 'It''s'='It''s'"), view_of(""));
	same(&b, "select 1 where 'it's'='it's'");
	ehrsql("SELECT 1 WHERE 'It''s'='It''s'", "SELECT 1 WHERE 'It''s'='It''s'");
	rewrite_ehrsql_v1(&b, view_of("A < = 1 AND b > = 2 \n"), view_of(""));
	same(&b, "a <= 1 and b > = 2 \n");
}

/* ---- Python ---- */

static enum python_shape shape(const char *sql)
{
	return python_execute_shape(view_of(sql));
}

static void B01_two_statements_are_never_run_in_part(void **unused)
{
	(void)unused;
	assert_int_equal(shape("SELECT 1; SELECT 2"), PYTHON_MULTI);
	assert_string_equal(python_shape_text(PYTHON_MULTI), "multi-statement");
	assert_int_equal(shape("Here is it: SELECT 1"),
			 PYTHON_ONE); /* a syntax error */
}

/* What Python 3.11.7 with SQLite 3.40.1 did with each. */
static void B02_trailing_text_is_judged_as_python_does(void **unused)
{
	static const struct {
		const char *sql;
		enum python_shape shape;
	} table[] = {
		{ "SELECT 1", PYTHON_ONE },
		{ "SELECT 1;", PYTHON_ONE },
		{ "SELECT 1; -- c", PYTHON_ONE },
		{ "SELECT 1; /* c", PYTHON_ONE },
		{ "SELECT 1; \n", PYTHON_ONE },
		{ "SELECT 1;;", PYTHON_MULTI },
		{ "SELECT 1; ;", PYTHON_MULTI },
		{ "SELECT 1;\v", PYTHON_MULTI },
		{ "SELECT 1;\xef\xbb\xbf", PYTHON_MULTI },
		{ "SELECT 1; x", PYTHON_MULTI },
		{ ";SELECT 1", PYTHON_ONE },
		{ ";;", PYTHON_EMPTY },
		{ "", PYTHON_EMPTY },
		{ "  \n", PYTHON_EMPTY },
		{ "-- c", PYTHON_EMPTY },
		{ "/* c", PYTHON_EMPTY },
		{ "SELECT 1 /* ; */ ;", PYTHON_ONE },
		{ "SELECT ';'", PYTHON_ONE },
		{ "SELECT ?", PYTHON_PARAMETERS },
		{ "SELECT :a", PYTHON_PARAMETERS },
		{ "SELECT '?'", PYTHON_ONE },
		{ "EXPLAIN SELECT 1", PYTHON_ONE },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (shape(table[i].sql) != table[i].shape)
			fail_msg("'%s' is %s", table[i].sql,
				 python_shape_text(shape(table[i].sql)));
	assert_int_equal(python_execute_shape((struct view){ "SELECT 1\0", 9 }),
			 PYTHON_NUL);
	assert_true(view_eq(statement_of(view_of("; /* a */ SELECT 1 -- b\n ; --c")),
			    view_of("SELECT 1")));
}

/* ---- one line ---- */

static int rows_of(const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db;
	int n = 0;

	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(
		sqlite3_exec(db,
			     "CREATE TABLE tree(id, kind); INSERT INTO tree VALUES "
			     "(1,'plum'),(2,'pear'),(3,'plum'),(4,'fig'),(5,'pear'),"
			     "(6, 'a' || char(10) || 'b''' || char(9) || 'c')",
			     NULL, NULL, NULL),
		0);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), 0);
	while (sqlite3_step(q) == SQLITE_ROW)
		n++;
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static void B06_folding_to_one_line_keeps_the_meaning(void **unused)
{
	static const char *const cases[][2] = {
		{ "SELECT id FROM tree -- all\nWHERE kind='fig'",
		  "SELECT id FROM tree /* all */ WHERE kind='fig'" },
		{ "SELECT id\r\n\tFROM tree", "SELECT id   FROM tree" },
		{ "SELECT id -- a */ b\nFROM tree",
		  "SELECT id /* a * / b */ FROM tree" },
		{ "SELECT id FROM tree /* x\ny */ --",
		  "SELECT id FROM tree /* x y */ /* */" },
		{ "SELECT id FROM tree /* open", "SELECT id FROM tree /* open */" },
		{ "SELECT id FROM tree WHERE kind = 'a\nb''\tc'",
		  "SELECT id FROM tree WHERE kind = "
		  "('a'||char(10)||'b'''||char(9)||'c')" },
	};
	struct buf b = { 0 };
	struct err e;

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(one_line(&b, view_of(cases[i][0]), &e), 0);
		assert_string_equal(b.p, cases[i][1]);
		assert_int_equal(rows_of(cases[i][0]), rows_of(b.p));
		buf_clear(&b);
	}
	assert_int_equal(one_line(&b, view_of("SELECT \"a\nb\""), &e), ERR_VALUE);
	buf_free(&b);
}

static void B07_quotes_of_any_kind_pass_untouched(void **unused)
{
	static const char sql[] =
		"SELECT \"unit price\", `unit price`, [unit price], 'x' "
		"FROM \"odd names\"";
	struct buf b = { 0 };

	(void)unused;
	gold(sql, 0, sql);
	prediction(sql, 0, sql);
	ehrsql(sql, sql);
	assert_int_equal(one_line(&b, view_of(sql), NULL), 0);
	same(&b, sql);
}

static void a_full_buffer_stays_bad(void **unused)
{
	struct buf b = { .max = 8 };

	(void)unused;
	rewrite_ehrsql(&b, view_of("SELECT current_time"));
	assert_int_equal(b.bad, ERR_LIMIT);
	buf_clear(&b);
	rewrite_spider_gold(&b, view_of("SELECT DISTINCT a FROM t"), 0);
	assert_int_equal(b.bad, ERR_LIMIT);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(B13_value_becomes_1_in_predictions_only),
		cmocka_unit_test(split_operators_are_joined),
		cmocka_unit_test(the_current_year_is_2020),
		cmocka_unit_test(distinct_goes_outside_quotes_and_so_does_what_follows),
		cmocka_unit_test(order_matters_is_a_substring_with_one_blank),
		cmocka_unit_test(D09_now_is_fixed_by_edition),
		cmocka_unit_test(blanks_are_folded_inside_literals_too),
		cmocka_unit_test(mysql_dates_become_sqlite_dates),
		cmocka_unit_test(vital_ranges_are_filled_in_for_one_known_name),
		cmocka_unit_test(year_and_day_formats_are_capitals),
		cmocka_unit_test(exactly_null_abstains),
		cmocka_unit_test(
			B16_ehrsql_v1_lowers_literals_and_breaks_doubled_quotes),
		cmocka_unit_test(B01_two_statements_are_never_run_in_part),
		cmocka_unit_test(B02_trailing_text_is_judged_as_python_does),
		cmocka_unit_test(B06_folding_to_one_line_keeps_the_meaning),
		cmocka_unit_test(B07_quotes_of_any_kind_pass_untouched),
		cmocka_unit_test(a_full_buffer_stays_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
