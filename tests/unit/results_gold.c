/* results_gold.c - gold is aligned with questions, or refused with the reason */
#include "tests/support/cm.h"

#include "results/gold.h"

#include <string.h>

enum { N = 4 };

static struct question question[N];
static struct database db[2];
static struct sweep sweep;

static void questions(const char *const *id, uint32_t n, enum rule rule)
{
	db[0].id = view_of("a");
	db[1].id = view_of("b");
	memset(question, 0, sizeof question);
	for (uint32_t i = 0; i < n; i++)
		question[i] = (struct question){ .position = i, .id = view_of(id[i]) };
	sweep = (struct sweep){
		.q = question, .nq = n, .db = db, .ndb = 2, .rule = rule
	};
}

static struct gold_row row(const char *id, const char *sql)
{
	return (struct gold_row){ .id = view_of(id),
				  .sql = view_of(sql),
				  .answerable = -1 };
}

static void rows_are_found_by_id_in_any_order(void **unused)
{
	const struct gold_row rows[] = { row("\"x\"", "SELECT 3"), row("2", "SELECT 2"),
					 row("9", "unused"), row("1", "SELECT 1") };
	struct gold *g = NULL;

	(void)unused;
	questions((const char *const[]){ "1", "2", "\"x\"" }, 3, RULE_bird);
	assert_int_equal(gold_new(&sweep, rows, 4, 4, &g, NULL), 0);
	assert_true(view_eq(g->item[0].sql, view_of("SELECT 1")));
	assert_true(view_eq(g->item[2].sql, view_of("SELECT 3")));
	gold_free(&g);
	assert_null(g);
	gold_free(&g);
}

static void D11_questions_without_gold_are_listed(void **unused)
{
	const struct gold_row rows[] = { row("2", "SELECT 2") };
	struct gold *g = NULL;
	struct err e = { 0 };

	(void)unused;
	questions((const char *const[]){ "1", "2", "\"x\"" }, 3, RULE_bird);
	assert_int_equal(gold_new(&sweep, rows, 1, 3, &g, &e), ERR_INPUT);
	assert_null(g);
	assert_string_equal(e.text, "2 of 3 questions have no gold: 1 \"x\"");
}

static void D05_a_file_without_ids_must_be_as_long_as_the_benchmark(void **unused)
{
	const struct gold_row rows[] = { row("", "SELECT 1"), row("", "SELECT 2"),
					 row("", "SELECT 3") };
	struct gold *g = NULL;
	struct err e = { 0 };

	(void)unused;
	questions((const char *const[]){ "1", "2", "3" }, 3, RULE_spider);
	assert_int_equal(gold_new(&sweep, rows, 3, 4, &g, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "3 items"));
	assert_int_equal(gold_new(&sweep, rows, 2, 0, &g, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "line 3"));
	assert_int_equal(gold_new(&sweep, rows, 3, 3, &g, &e), 0);
	assert_true(view_eq(g->item[2].sql, view_of("SELECT 3")));
	gold_free(&g);
}

static void D06_ids_that_occur_twice_go_by_place_or_are_refused(void **unused)
{
	const struct gold_row rows[] = { row("5", "SELECT 1"), row("5", "SELECT 2"),
					 row("7", "SELECT 3") };
	const struct gold_row moved[] = { rows[0], rows[2], rows[1] };
	struct gold *g = NULL;
	struct err e = { 0 };

	(void)unused;
	questions((const char *const[]){ "5", "5", "7" }, 3, RULE_bird);
	assert_int_equal(gold_new(&sweep, rows, 3, 3, &g, &e), 0);
	assert_true(view_eq(g->item[0].sql, view_of("SELECT 1")));
	assert_true(view_eq(g->item[1].sql, view_of("SELECT 2")));
	gold_free(&g);
	assert_int_equal(gold_new(&sweep, moved, 3, 3, &g, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "item 2"));
}

static void a_filtered_sweep_finds_its_rows_by_line(void **unused)
{
	const struct gold_row rows[] = { row("", "SELECT 1"), row("", "SELECT 2"),
					 row("", "SELECT 3") };
	struct gold *g = NULL;

	(void)unused;
	questions((const char *const[]){ "3" }, 1, RULE_bird);
	question[0].position = 2;
	assert_int_equal(gold_new(&sweep, rows, 3, 3, &g, NULL), 0);
	assert_true(view_eq(g->item[0].sql, view_of("SELECT 3")));
	gold_free(&g);
}

static void gold_of_another_database_is_refused(void **unused)
{
	struct gold_row rows[] = { row("1", "SELECT 1") };
	struct gold *g = NULL;
	struct err e = { 0 };

	(void)unused;
	questions((const char *const[]){ "1" }, 1, RULE_bird);
	rows[0].db = view_of("b");
	assert_int_equal(gold_new(&sweep, rows, 1, 1, &g, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "'b'"));
}

static void order_matters_where_the_rule_says_so(void **unused)
{
	const struct gold_row rows[] = {
		row("1", "SELECT a FROM t Order  BY a"), /* two blanks: plain only */
		row("2", "SELECT 'order by' FROM t"),    /* a literal: Spider only */
		row("3", "SELECT DISTINCT a FROM t ORDER BY a"),
		row("4", "SELECT a FROM t -- order by a"),
	};
	struct gold *g = NULL;

	(void)unused;
	questions((const char *const[]){ "1", "2", "3", "4" }, 4, RULE_spider);
	assert_int_equal(gold_new(&sweep, rows, 4, 4, &g, NULL), 0);
	assert_int_equal(g->item[0].ordered, 0);
	assert_int_equal(g->item[0].strict_ordered, 1);
	assert_int_equal(g->item[1].ordered, 1);
	assert_int_equal(g->item[1].strict_ordered, 0);
	assert_int_equal(g->item[2].ordered, 1);
	assert_null(memmem(g->item[2].run.p, g->item[2].run.n, "DISTINCT", 8));
	assert_int_equal(g->item[3].strict_ordered, 0);
	gold_free(&g);
	sweep.rule = RULE_bird;
	assert_int_equal(gold_new(&sweep, rows, 4, 4, &g, NULL), 0);
	assert_int_equal(g->item[2].ordered, 0);
	gold_free(&g);
}

static void null_abstains_under_rule_ehrsql_only(void **unused)
{
	struct gold_row rows[] = { row("1", " null ") };
	struct gold *g = NULL;

	(void)unused;
	questions((const char *const[]){ "1" }, 1, RULE_ehrsql);
	rows[0].answerable = 0;
	assert_int_equal(gold_new(&sweep, rows, 1, 1, &g, NULL), 0);
	assert_int_equal(g->item[0].abstains, 1);
	assert_true(view_eq(g->item[0].level, view_of("unanswerable")));
	gold_free(&g);
	sweep.rule = RULE_bird;
	assert_int_equal(gold_new(&sweep, rows, 1, 1, &g, NULL), 0);
	assert_int_equal(g->item[0].abstains, 0);
	gold_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_id_in_any_order),
		cmocka_unit_test(D11_questions_without_gold_are_listed),
		cmocka_unit_test(
			D05_a_file_without_ids_must_be_as_long_as_the_benchmark),
		cmocka_unit_test(D06_ids_that_occur_twice_go_by_place_or_are_refused),
		cmocka_unit_test(a_filtered_sweep_finds_its_rows_by_line),
		cmocka_unit_test(gold_of_another_database_is_refused),
		cmocka_unit_test(order_matters_where_the_rule_says_so),
		cmocka_unit_test(null_abstains_under_rule_ehrsql_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
