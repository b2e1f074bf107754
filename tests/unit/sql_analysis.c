/* sql_analysis.c - the facts of a SELECT: joins, conditions, literals, constructs */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/sql/analysis.h"
#include "tests/support/sqlite_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char ddl[] =
	"CREATE TABLE tree(id INTEGER PRIMARY KEY, kind TEXT, height REAL, planted "
	"TEXT, "
	"row_no INT);"
	"CREATE TABLE pick(tree_id INT, kg REAL, day TEXT, score TEXT);"
	"CREATE TABLE \"odd names\"(\"unit price\" REAL, \"value\" INT, \"order\" "
	"TEXT);";

static int open_schema(void **state)
{
	static struct schema s;
	sqlite3 *db;

	*state = &s;
	return sqlite3_open(":memory:", &db) ||
	       sqlite3_exec(db, ddl, NULL, NULL, NULL) || sqlite_schema(db, &s) ||
	       sqlite3_close(db);
}

static int close_schema(void **state)
{
	schema_free(*state);
	return 0;
}

static struct arena arena; /* of the analysis at hand */

static struct sql_analysis analysed(void **state, const char *sql)
{
	struct sql_analysis r;

	arena_free(&arena);
	assert_int_equal(sql_analyse(&arena, *state, view_of(sql), &r), 0);
	return r;
}

static void add_column(struct buf *b, const struct schema *s, struct sql_column c)
{
	if (c.table < 0) {
		buf_add_str(b, "?");
		return;
	}
	buf_addf(b, "%s.%s", s->tables[c.table].name.p,
		 c.column < 0 ? "rowid" : s->tables[c.table].columns[c.column].name.p);
}

static void same(struct buf *b, const char *want)
{
	assert_string_equal(b->p ? b->p : "", want);
	buf_free(b);
}

static void literals(void **state, const char *sql, const char *want)
{
	struct sql_analysis r = analysed(state, sql);
	struct buf b = { 0 };

	for (size_t i = 0; i < r.n_literals; i++) {
		buf_add_str(&b, i ? "; " : "");
		add_column(&b, *state, r.literals[i].column);
		buf_addf(&b, " %s %.*s", sql_op_text(r.literals[i].op),
			 (int)r.literals[i].value.n, r.literals[i].value.p);
	}
	same(&b, want);
}

static void joins(void **state, const char *sql, const char *want)
{
	struct sql_analysis r = analysed(state, sql);
	struct buf b = { 0 };

	for (size_t i = 0; i < r.n_joins; i++) {
		buf_add_str(&b, i ? "; " : "");
		add_column(&b, *state, r.joins[i].a);
		buf_add_str(&b, r.joins[i].kind == SQL_JOIN_IN ? " in " : " = ");
		add_column(&b, *state, r.joins[i].b);
	}
	same(&b, want);
}

static void literal_pairs_of_evidence(void **state)
{
	literals(state, "SELECT 1 FROM tree WHERE kind = 'fig' AND planted <> 'x'",
		 "tree.kind = fig; tree.planted != x");
	literals(state, "SELECT 1 FROM tree t WHERE 'it''s' == t.kind",
		 "tree.kind = it's");
	literals(state, "SELECT 1 FROM tree WHERE kind IN ('a', 'b', 3)",
		 "tree.kind IN a; tree.kind IN b");
	literals(state, "SELECT 1 FROM tree WHERE kind NOT IN ('a')",
		 "tree.kind NOT IN a");
	literals(state, "SELECT 1 FROM tree WHERE (kind) = ('a') COLLATE NOCASE",
		 "tree.kind = a");
	literals(state, "SELECT 1 FROM tree WHERE NOT kind = 'a'", "tree.kind != a");
	literals(state, "SELECT 1 FROM (SELECT kind AS k FROM tree) q WHERE q.k = 'a'",
		 "tree.kind = a");
	literals(state,
		 "WITH c(u) AS (SELECT day FROM pick) SELECT 1 FROM c WHERE u = 'a'",
		 "pick.day = a");
	literals(state,
		 "SELECT 1 FROM tree WHERE kind LIKE 'a' AND height > 'b' AND "
		 "lower(kind) = 'c' AND kind || 'd' = 'e'",
		 "");
}

static void between_has_its_lower_bound_beside(void **state)
{
	struct sql_analysis r =
		analysed(state, "SELECT 1 FROM tree WHERE kind BETWEEN ('a') AND 'b' "
				"AND height NOT BETWEEN -1 AND 2 AND kind = 'c'");

	assert_int_equal(r.n_conditions, 3);
	assert_int_equal(r.conditions[0].kind, SQL_OTHER);
	assert_int_equal(r.conditions[0].low_kind, SQL_STRING);
	assert_true(view_eq(r.conditions[0].low, view_of("a")));
	assert_int_equal(r.conditions[1].low_kind, SQL_NUMBER);
	assert_true(view_eq(r.conditions[1].low, view_of("-1")));
	assert_int_equal(r.conditions[2].low_kind, SQL_NONE);
}

static void B08_a_quoted_token_that_is_no_column_is_a_literal(void **state)
{
	struct sql_analysis r;

	literals(state, "SELECT 1 FROM tree WHERE kind = \"fig\"", "tree.kind = fig");
	literals(state, "SELECT 1 FROM tree WHERE kind = \"planted\"", "");
	r = analysed(state, "SELECT COUNT(*) FROM tree WHERE \"Colour\" > 5");
	assert_int_equal(r.n_columns, 0);
	assert_int_equal(r.n_unknown, 0);
	assert_int_equal(r.n_conditions, 1);
	assert_int_equal(r.conditions[0].left_expr->literal, 1);
}

static void B07_identifiers_in_every_quote_name_their_column(void **state)
{
	static const char *const texts[] = { "SELECT \"unit price\" FROM \"odd names\"",
					     "SELECT `unit price` FROM `odd names`",
					     "SELECT [unit price] FROM [odd names]" };

	for (size_t i = 0; i < 3; i++) {
		struct sql_analysis r = analysed(state, texts[i]);

		assert_int_equal(r.n_columns, 1);
		assert_int_equal(r.columns[0].table, 2);
		assert_int_equal(r.columns[0].column, 0);
	}
	assert_int_equal(
		analysed(state, "SELECT 'unit price' FROM \"odd names\"").n_columns, 0);
}

static void B10_glued_or_unquoted_names_lead_nowhere(void **state)
{
	struct sql_analysis r = analysed(state, "SELECT100 FROM tree");

	assert_false(r.whole);
	r = analysed(state, "SELECT unit price FROM odd names");
	assert_int_equal(r.n_columns, 0);
	assert_true(r.n_unknown > 0);
}

static void join_pairs_of_evidence(void **state)
{
	joins(state, "SELECT 1 FROM tree t JOIN pick p ON t.id = p.tree_id",
	      "tree.id = pick.tree_id");
	joins(state, "SELECT 1 FROM tree, pick WHERE tree_id = id AND id = tree_id",
	      "pick.tree_id = tree.id");
	joins(state,
	      "SELECT 1 FROM tree WHERE id IN (SELECT DISTINCT tree_id FROM pick)",
	      "tree.id in pick.tree_id");
	joins(state, "SELECT 1 FROM tree a JOIN tree b ON a.id = b.row_no",
	      "tree.id = tree.row_no");
	joins(state, "SELECT 1 FROM tree WHERE id = row_no", "");
	joins(state,
	      "SELECT 1 FROM tree WHERE EXISTS (SELECT 1 FROM pick WHERE tree_id = id)",
	      "pick.tree_id = tree.id");
	joins(state, "SELECT 1 FROM tree a JOIN tree b USING (id)",
	      "tree.id = tree.id");
	joins(state,
	      "SELECT 1 FROM tree JOIN (SELECT tree_id AS i FROM pick) q ON q.i = id",
	      "pick.tree_id = tree.id");
}

static void comparison_constructs_are_flags(void **state)
{
	static const struct {
		const char *where;
		unsigned bits;
	} cases[] = {
		{ "1 > 2", 1u << SQL_GT },
		{ "1 >= 2", 1u << SQL_GE },
		{ "1 < 2", 1u << SQL_LT },
		{ "1 <= 2", 1u << SQL_LE },
		{ "1 != 2 AND 1 <> 2", 1u << SQL_NE },
		{ "id OR 1", 1u << SQL_OR },
		{ "id BETWEEN 1 AND 2", 1u << SQL_BETWEEN },
		{ "kind NOT LIKE 'a'", 1u << SQL_LIKE },
		{ "kind IS NULL", 1u << SQL_IS_NULL },
		{ "kind IS NOT NULL", 1u << SQL_IS_NOT_NULL },
		{ "kind NOTNULL AND id = 'a > b'", 1u << SQL_IS_NOT_NULL },
		{ "kind = 'x' AND id IN (1)", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char sql[256];

		snprintf(sql, sizeof sql, "SELECT id FROM tree WHERE %s",
			 cases[i].where);
		if (analysed(state, sql).compares != cases[i].bits)
			fail_msg("%s: %x", cases[i].where,
				 analysed(state, sql).compares);
	}
}

static void the_outermost_select_is_itemised(void **state)
{
	struct sql_analysis r =
		analysed(state, "SELECT DISTINCT kind AS k, count(*) AS n FROM tree "
				"GROUP BY kind HAVING "
				"count(*) > 1 ORDER BY n DESC, k LIMIT 5 OFFSET 2");

	assert_true(r.whole);
	assert_int_equal(r.n_outputs, 2);
	assert_true(view_eq(r.outputs[1].alias, view_of("n")));
	assert_true(r.outputs[1].aggregate);
	assert_int_equal(r.n_group_by, 1);
	assert_int_equal(r.n_order_by, 2);
	assert_true(r.order_by[0].desc && r.order_by[0].aggregate);
	assert_false(r.order_by[1].desc);
	assert_int_equal(r.order_by[1].column.column, 1);
	assert_true(r.distinct && r.has_having);
	assert_true(view_eq(r.limit->text, view_of("5")));
	assert_true(view_eq(r.offset->text, view_of("2")));
	r = analysed(state,
		     "SELECT id FROM tree UNION SELECT 1 EXCEPT SELECT 2 LIMIT 4, 9");
	assert_int_equal(r.set_operations, 2);
	assert_int_equal(r.selects, 3);
	assert_true(view_eq(r.limit->text, view_of("9")));
}

static void what_is_broken_is_analysed_as_far_as_it_goes(void **state)
{
	static const char *const broken[] = {
		"Sure: SELECT kind FROM tree WHERE id = 1",
		"SELECT kind FROM tree WHERE id = 1 GROUP",
		"SELECT kind FROM tree WHERE (id = 1",
		"SELECT kind, FROM tree WHERE id = 1",
		"SELECT kind FROM tree ORDER BY kind WHERE id = 1",
		"SELECT kind FROM tree WHERE id = 1; DROP TABLE tree",
		"SELECT kind FROM tree ^ WHERE id = 1",
		"INSERT INTO x SELECT kind FROM tree WHERE id = 1",
	};

	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct sql_analysis r = analysed(state, broken[i]);

		assert_false(r.whole);
		if (r.n_columns != 2 || r.n_tables != 1)
			fail_msg("%s: %zu columns", broken[i], r.n_columns);
	}
	assert_int_equal(analysed(state, "").n_tables, 0);
	assert_int_equal(analysed(state, "null").selects, 0);
}

/* head, n times middle, tail */
static char *repeated(const char *head, const char *middle, size_t n, const char *tail)
{
	struct buf b = { 0 };

	buf_add_str(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, middle, i, i + 1);
	buf_add_str(&b, tail);
	return buf_take(&b, NULL);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void hostile_text_is_bounded_in_time_and_depth(void **state)
{
	static const struct {
		const char *head, *middle, *tail;
		size_t n;
	} cases[] = {
		{ "SELECT ", "(", "1", 100000 },
		{ "SELECT ", "NOT ", "1", 60000 },
		{ "SELECT 1", "=1", "", 100000 },
		{ "SELECT 1", "+1", "", 100000 },
		{ "SELECT 1", " COLLATE x", "", 20000 },
		{ "SELECT 1 FROM ", "(SELECT * FROM ", "tree", 15000 },
		{ "SELECT 1 FROM ", "(", "tree", 100000 },
		{ "SELECT *,* FROM tree", "", "", 1 },
		{ "SELECT * FROM ", "(SELECT *,*,* FROM ", "tree", 150 },
		{ "SELECT nope FROM tree", ",tree", "", 40000 },
		{ "SELECT 1", ",nope", " FROM tree,tree,tree,tree,tree,tree", 40000 },
		{ "WITH c0 AS (SELECT 1)", ",c%1$zu AS (SELECT * FROM c%2$zu)",
		  "SELECT * FROM c1", 8000 },
		{ "SELECT CASE ", "WHEN 1 THEN CASE ", "1", 10000 },
		{ "SELECT 1 ", "UNION SELECT * FROM tree ", "ORDER BY nope", 8000 },
		{ "SELECT 1 FROM tree WHERE ", "id=1 OR ", "1", 20000 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *sql = repeated(cases[i].head, cases[i].middle, cases[i].n,
				     cases[i].tail);
		double start = seconds(), spent;
		struct sql_analysis r = analysed(state, sql);

		(void)r;
		spent = seconds() - start;
		if (spent > 2)
			fail_msg("%s%s..: %.1f s", cases[i].head, cases[i].middle,
				 spent);
		mem_free(sql);
	}
}

static void running_out_of_memory_is_an_error_at_every_allocation(void **state)
{
	static const char sql[] =
		"WITH c AS (SELECT kind AS k FROM tree) SELECT c.k, \"a\"\"b\", "
		"sum(kg) FROM c JOIN pick ON c.k IN ('a', 'b') WHERE EXISTS "
		"(SELECT * FROM tree WHERE id = tree_id) GROUP BY 1 ORDER BY 2";
	int rc = ERR_NOMEM, n = 0;

	for (; rc; n++) {
		struct arena a = { 0 };
		struct sql_analysis r;

		mem_fail_after(n);
		rc = sql_analyse(&a, *state, view_of(sql), &r);
		mem_fail_after(-1);
		assert_true(rc == 0 || rc == ERR_NOMEM);
		arena_free(&a);
	}
	assert_true(n > 1);
}

static int free_arena(void **state)
{
	arena_free(&arena);
	return close_schema(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literal_pairs_of_evidence),
		cmocka_unit_test(between_has_its_lower_bound_beside),
		cmocka_unit_test(B08_a_quoted_token_that_is_no_column_is_a_literal),
		cmocka_unit_test(B07_identifiers_in_every_quote_name_their_column),
		cmocka_unit_test(B10_glued_or_unquoted_names_lead_nowhere),
		cmocka_unit_test(join_pairs_of_evidence),
		cmocka_unit_test(comparison_constructs_are_flags),
		cmocka_unit_test(the_outermost_select_is_itemised),
		cmocka_unit_test(what_is_broken_is_analysed_as_far_as_it_goes),
		cmocka_unit_test(hostile_text_is_bounded_in_time_and_depth),
		cmocka_unit_test(running_out_of_memory_is_an_error_at_every_allocation),
	};

	return cmocka_run_group_tests(tests, open_schema, free_arena);
}
