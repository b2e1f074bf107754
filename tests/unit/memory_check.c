/* memory_check.c - of what a model says of a query only what is so stays */
#include "tests/support/cm.h"

#include "common/sql/memory_check.h"
#include "tests/support/sqlite_schema.h"

static const char fixture[] =
	"CREATE TABLE tree(id INTEGER PRIMARY KEY, kind TEXT, height REAL, planted "
	"TEXT);"
	"CREATE TABLE pick(tree_id INT REFERENCES tree(id), kg REAL, day TEXT);";
static const char joined[] =
	"SELECT T1.kind, ROUND(SUM(T2.kg), 1) FROM tree AS T1 JOIN pick AS T2 ON "
	"T1.id = T2.tree_id WHERE T1.height > 3 GROUP BY T1.kind ORDER BY 2 DESC LIMIT "
	"5";

static int check(const char *sql, const char *answer, struct buf *b,
		 struct memory_counts *n)
{
	struct schema s = { 0 };
	struct arena a = { 0 };
	struct loose v;
	unsigned repairs;
	sqlite3 *db;
	int rc;

	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(sqlite3_exec(db, fixture, NULL, NULL, NULL), 0);
	assert_int_equal(sqlite_schema(db, &s), 0);
	assert_int_equal(loose_json_read(&a, view_of(answer), &v, &repairs), 0);
	rc = memory_check(&s, view_of(sql), &v, b, n, NULL);
	arena_free(&a);
	schema_free(&s);
	sqlite3_close(db);
	return rc;
}

static void gives(const char *sql, const char *answer, const char *memory,
		  struct memory_counts *n)
{
	struct buf b = { 0 };

	assert_int_equal(check(sql, answer, &b, n), 0);
	assert_string_equal(b.p, memory);
	buf_free(&b);
}

static uint32_t sum(const uint32_t *v)
{
	uint32_t n = 0;

	for (int i = 0; i < MEMORY_KEY_COUNT; i++)
		n += v[i];
	return n;
}

static void what_is_so_stays_and_aliases_become_tables(void **unused)
{
	struct memory_counts n;

	(void)unused;
	gives(joined,
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind of "
	      "tree\",\"column\":\"T1.kind\",\"confusable\":[\"tree.planted\"]},"
	      "\"weight -> PICK.KG\"]},"
	      "\"join_path\":{\"paths\":[\"tree via T1.id = T2.tree_id to pick\"],"
	      "\"join_types\":[\"INNER JOIN\"]},"
	      "\"filter_semantics\":{\"conditions\":[{\"column\":\"height\","
	      "\"operator\":\">\",\"value\":3}]},"
	      "\"aggregation\":{\"group_by_columns\":[\"T1.kind\"],"
	      "\"aggregate_functions\":[\"SUM(T2.kg)\"]},"
	      "\"ordering_and_scope\":{\"order_by\":[\"2 DESC\"],\"limit\":5},"
	      "\"output_form\":{\"result_shape\":\"multiple_rows\",\"distinct\":false},"
	      "\"query_constraints\":{\"avoid_extra_join\":\"false\"},"
	      "\"extra_keywords\":[{\"keyword\":\"ROUND()\",\"usage\":\"one "
	      "digit\"}]}",
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind of "
	      "tree\",\"column\":\"tree.kind\",\"confusable\":[\"tree.planted\"]},"
	      "{\"phrase\":\"weight\",\"column\":\"pick.kg\"}]},"
	      "\"join_path\":{\"paths\":[\"tree via tree.id = pick.tree_id to pick\"],"
	      "\"join_types\":[\"INNER\"]},"
	      "\"filter_semantics\":{\"conditions\":[{\"column\":\"tree.height\","
	      "\"operator\":\">\",\"value\":\"3\"}]},"
	      "\"aggregation\":{\"group_by_columns\":[\"tree.kind\"],"
	      "\"aggregate_functions\":[\"SUM(pick.kg)\"]},"
	      "\"ordering_and_scope\":{\"order_by\":[\"2 DESC\"],\"limit\":\"5\"},"
	      "\"output_form\":{\"result_shape\":\"multiple_rows\",\"distinct\":"
	      "\"false\"},"
	      "\"query_constraints\":{\"avoid_extra_join\":\"false\"},"
	      "\"extra_keywords\":[{\"keyword\":\"ROUND\",\"usage\":\"one digit\"}]}",
	      &n);
	assert_int_equal(sum(n.refused) + sum(n.dropped) + n.unknown + n.added, 0);
}

static void keys_whose_construct_is_not_there_are_refused(void **unused)
{
	struct memory_counts n;

	(void)unused;
	gives("SELECT kind FROM tree",
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind\",\"column\":"
	      "\"tree.kind\"}]},"
	      "\"join_path\":{\"paths\":[\"tree to pick\"]},"
	      "\"filter_semantics\":{\"conditions\":[{\"column\":\"tree.height\","
	      "\"operator\":\">\",\"value\":3}]},"
	      "\"aggregation\":{},\"ordering_and_scope\":null,"
	      "\"conditional_and_null\":{\"construct\":\"CASE\"},\"advice\":\"x\"}",
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind\",\"column\":"
	      "\"tree.kind\"}]},\"extra_keywords\":[]}",
	      &n);
	assert_int_equal(n.refused[MEMORY_join_path], 1);
	assert_int_equal(n.refused[MEMORY_filter_semantics], 1);
	assert_int_equal(n.refused[MEMORY_conditional_and_null], 1);
	assert_int_equal(sum(n.refused), 3); /* empty ones say nothing wrong */
	assert_int_equal(n.unknown, 1);
}

static void columns_that_the_schema_lacks_are_refused(void **unused)
{
	struct memory_counts n;

	(void)unused;
	gives(joined,
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"age\",\"column\":"
	      "\"tree.age\"},{\"phrase\":\"kind\",\"column\":\"kind\",\"confusable\":["
	      "\"kind\"]}]},"
	      "\"join_path\":{\"paths\":[\"tree via tree.id = pick.tree\"],"
	      "\"join_types\":[\"LEFT JOIN\"]},"
	      "\"filter_semantics\":{\"conditions\":[{\"column\":\"tree.height\","
	      "\"operator\":\"LIKE\",\"value\":3},{\"column\":\"tree.planted\","
	      "\"operator\":\">\",\"value\":3}]},"
	      "\"aggregation\":{\"aggregate_functions\":[\"AVG(pick.kg)\"],"
	      "\"having_condition\":\"SUM(kg) > 1\"},"
	      "\"ordering_and_scope\":{\"limit\":1,\"order_by\":[\"tree.kind ASC\"]},"
	      "\"output_form\":{\"result_shape\":\"single_value\"},"
	      "\"extra_keywords\":[{\"keyword\":\"UNION\",\"usage\":\"no\"}]}",
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind\",\"column\":"
	      "\"tree.kind\"}]},\"extra_keywords\":[{\"keyword\":\"ROUND\",\"usage\":"
	      "\"rounds a number\"}]}",
	      &n);
	assert_int_equal(n.dropped[MEMORY_schema_grounding], 2);
	assert_int_equal(n.dropped[MEMORY_join_path], 2);
	assert_int_equal(n.dropped[MEMORY_filter_semantics], 2);
	assert_int_equal(n.dropped[MEMORY_aggregation], 2);
	assert_int_equal(n.dropped[MEMORY_ordering_and_scope], 2);
	assert_int_equal(n.dropped[MEMORY_output_form], 1);
	assert_int_equal(n.dropped[MEMORY_extra_keywords], 1);
	assert_int_equal(sum(n.refused), 5);
	assert_int_equal(n.added, 1);
}

static void a_key_that_lost_its_name_is_known_by_its_fields(void **unused)
{
	struct memory_counts n;

	(void)unused;
	gives("SELECT kind FROM tree WHERE height > 3 ORDER BY kind",
	      "{\"schema_grounding\": {\"mappings\": [{\"phrase\": \"kind\", "
	      "\"column\": \"tree.kind\"}, \n"
	      " \"conditions\": [{\"column\": \"tree.height\", \"operator\": \">\", "
	      "\"value\": \"3\"}]},\n \"ordering_and_scope\": [\"kind ASC\"]}",
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind\",\"column\":"
	      "\"tree.kind\"}]},\"filter_semantics\":{\"conditions\":[{\"column\":"
	      "\"tree.height\",\"operator\":\">\",\"value\":\"3\"}]},"
	      "\"ordering_and_scope\":{\"order_by\":[\"kind ASC\"]},"
	      "\"extra_keywords\":[]}",
	      &n);
	gives("SELECT kind FROM tree WHERE height > 3 ORDER BY kind",
	      "{\"schema_grounding\": {\"mappings\": [{\"phrase\": \"kind\", "
	      "\"column\": \"tree.kind\"}]}, {\n"
	      " \"conditions\": [{\"column\": \"tree.height\", \"operator\": \">\", "
	      "\"value\": \"3\"}]},\n \"ordering_and_scope\": {\"order_by\": "
	      "\"kind\"}}",
	      "{\"schema_grounding\":{\"mappings\":[{\"phrase\":\"kind\",\"column\":"
	      "\"tree.kind\"}]},\"filter_semantics\":{\"conditions\":[{\"column\":"
	      "\"tree.height\",\"operator\":\">\",\"value\":\"3\"}]},"
	      "\"ordering_and_scope\":{\"order_by\":[\"kind\"]},\"extra_keywords\":[]}",
	      &n);
	assert_int_equal(sum(n.refused) + sum(n.dropped), 0);
}

static void an_answer_of_which_nothing_stands_is_none(void **unused)
{
	struct buf b = { 0 };
	struct memory_counts n;

	(void)unused;
	assert_int_equal(check("SELECT kind FROM tree",
			       "{\"join_path\":{\"paths\":[1]}}", &b, &n),
			 ERR_VALUE);
	assert_int_equal(n.refused[MEMORY_join_path], 1);
	assert_int_equal(check("DELETE FROM tree", "{\"a\":1}", &b, &n), ERR_VALUE);
	assert_int_equal(b.n, 0);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_so_stays_and_aliases_become_tables),
		cmocka_unit_test(keys_whose_construct_is_not_there_are_refused),
		cmocka_unit_test(columns_that_the_schema_lacks_are_refused),
		cmocka_unit_test(a_key_that_lost_its_name_is_known_by_its_fields),
		cmocka_unit_test(an_answer_of_which_nothing_stands_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
