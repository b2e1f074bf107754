/* sql_memory.c - memories derived from gold SQL hold what memory.h's nine keys
 * ask for */
#include "tests/support/cm.h"

#include "common/sql/memory.h"
#include "tests/support/skip.h"
#include "tests/support/sqlite_schema.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const char fixture[] =
	"CREATE TABLE tree(id INTEGER PRIMARY KEY, kind TEXT, height REAL, planted "
	"TEXT);"
	"CREATE TABLE pick(tree_id INT REFERENCES tree(id), kg REAL, day TEXT);";

static json_t *derive(const char *question, const char *sql)
{
	struct schema s = { 0 };
	struct buf b = { 0 };
	sqlite3 *db;
	json_t *o;

	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(sqlite3_exec(db, fixture, NULL, NULL, NULL), 0);
	assert_int_equal(sqlite_schema(db, &s), 0);
	assert_int_equal(memory_derive(&s, view_of(question), view_of(""), view_of(sql),
				       &b, NULL),
			 0);
	o = json_loadb(b.p, b.n, 0, NULL);
	assert_non_null(o);
	buf_free(&b);
	schema_free(&s);
	sqlite3_close(db);
	return o;
}

/* The value at a path of keys and indexes, "a.0.b", as compact text. */
static void expect(const json_t *o, const char *path, const char *value)
{
	char key[256], *end, *text;
	const json_t *at = o;

	for (const char *p = path; *p; p += strlen(key), p += *p == '.') {
		snprintf(key, sizeof key, "%.*s", (int)strcspn(p, "."), p);
		if (json_is_array(at))
			at = json_array_get(at, strtoul(key, &end, 10));
		else
			at = json_object_get(at, key);
	}
	text = at ? json_dumps(at, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	if (!value)
		assert_null(text);
	else
		assert_string_equal(text ? text : "(absent)", value);
	free(text);
}

static void all_nine_keys_of_a_rich_query(void **unused)
{
	json_t *o = derive(
		"Which kinds of tree gave more than 2 kg, heaviest first?",
		"SELECT T1.kind ,  round(sum(T2.kg), 1) FROM tree AS T1 LEFT JOIN "
		"pick AS T2 ON T1.id = T2.tree_id WHERE T1.height  >=  3 AND "
		"T1.kind IN ('plum', 'fig') GROUP BY T1.kind HAVING count(DISTINCT "
		"T2.day) > 1 ORDER BY sum(T2.kg) DESC, T1.kind LIMIT 3 OFFSET 1");

	(void)unused;
	expect(o, "schema_grounding.mappings.2.phrase", "\"kinds of tree\"");
	expect(o, "schema_grounding.mappings.2.column", "\"tree.kind\"");
	expect(o, "join_path.paths", "[\"tree via tree.id = pick.tree_id to pick\"]");
	expect(o, "join_path.join_types", "[\"LEFT JOIN\"]");
	expect(o, "filter_semantics.conditions.0",
	       "{\"column\":\"tree.height\",\"operator\":\">=\",\"value\":\"3\"}");
	expect(o, "filter_semantics.conditions.1",
	       "{\"column\":\"tree.kind\",\"operator\":\"IN\",\"value\":\"plum, "
	       "fig\"}");
	expect(o, "filter_semantics.conditions.2", NULL);
	expect(o, "aggregation.group_by_columns", "[\"tree.kind\"]");
	expect(o, "aggregation.aggregate_functions",
	       "[\"sum(pick.kg)\",\"count(DISTINCT pick.day)\",\"sum(pick.kg)\"]");
	expect(o, "aggregation.having_condition", "\"count(DISTINCT pick.day) > 1\"");
	expect(o, "aggregation.distinct_within_aggregate",
	       "[\"count(DISTINCT pick.day)\"]");
	expect(o, "ordering_and_scope.order_by",
	       "[\"sum(pick.kg) DESC\",\"tree.kind ASC\"]");
	expect(o, "ordering_and_scope.limit", "\"3\"");
	expect(o, "ordering_and_scope.offset", "\"1\"");
	expect(o, "conditional_and_null", NULL);
	expect(o, "output_form.result_shape", "\"multiple_rows\"");
	expect(o, "output_form.return_columns",
	       "[\"tree.kind\",\"round(sum(pick.kg), 1)\"]");
	expect(o, "output_form.distinct", "\"false\"");
	expect(o, "query_constraints.avoid_unnecessary_distinct", "\"true\"");
	expect(o, "extra_keywords",
	       "[{\"keyword\":\"ROUND\",\"usage\":\"rounds a number\"}]");
	json_decref(o);
}

static void a_key_is_there_only_if_its_construct_is(void **unused)
{
	json_t *o = derive("How many trees are there?", "SELECT count(*) FROM tree");

	(void)unused;
	expect(o, "schema_grounding.mappings",
	       "[{\"phrase\":\"trees\",\"table\":\"tree\"}]");
	expect(o, "join_path", NULL);
	expect(o, "filter_semantics", NULL);
	expect(o, "aggregation.aggregate_functions", "[\"count(*)\"]");
	expect(o, "ordering_and_scope", NULL);
	expect(o, "conditional_and_null", NULL);
	expect(o, "output_form.result_shape", "\"single_value\"");
	expect(o, "output_form.format", "\"number\"");
	expect(o, "extra_keywords", "[]");
	json_decref(o);
}

static void each_conditional_construct_is_named(void **unused)
{
	json_t *o = derive(
		"",
		"SELECT CASE WHEN height > 3 THEN 'a' ELSE 'b' END, IIF(id, 1, 0), "
		"COALESCE(kind, ''), IFNULL(kind, 'x'), NULLIF(kind, 'y') FROM tree");

	(void)unused;
	expect(o, "conditional_and_null.construct",
	       "[\"CASE\",\"IIF\",\"COALESCE\",\"IFNULL\",\"NULLIF\"]");
	json_decref(o);
}

static void everything_else_is_an_extra_keyword(void **unused)
{
	static const char *const words[] = { "WITH",       "EXCEPT", "EXISTS",
					     "STRFTIME",   "CAST",   "||",
					     "DENSE_RANK", "OVER",   "PARTITION BY" };
	json_t *o = derive(
		"", "WITH q AS (SELECT 'UNION' AS u FROM tree WHERE EXISTS (SELECT 1 "
		    "FROM pick)) "
		    "SELECT strftime('%Y', planted), CAST(height AS INT), kind || 'x', "
		    "dense_rank() OVER (PARTITION BY kind ORDER BY height) FROM tree "
		    "EXCEPT "
		    "SELECT u, u, u, u FROM q");
	size_t found = 0;

	(void)unused;
	for (size_t i = 0; i < json_array_size(json_object_get(o, "extra_keywords"));
	     i++) {
		const json_t *x =
			json_array_get(json_object_get(o, "extra_keywords"), i);
		const char *word = json_string_value(json_object_get(x, "keyword"));

		assert_string_not_equal(word, "UNION");
		assert_true(strlen(json_string_value(json_object_get(x, "usage"))) > 8);
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			found += strcmp(word, words[k]) == 0;
	}
	assert_int_equal(found, sizeof words / sizeof *words);
	json_decref(o);
}

static void an_abstention_has_no_memory(void **unused)
{
	struct schema s = { 0 };
	struct buf b = { 0 };
	struct err e;

	(void)unused;
	assert_int_equal(
		memory_derive(&s, view_of("?"), view_of(""), view_of("null"), &b, &e),
		ERR_VALUE);
	assert_int_equal(b.n, 0);
	buf_free(&b);
}

static void bytes_that_are_no_text_give_valid_json(void **unused)
{
	json_t *o = derive("\xff\xfe kind \x01 \"quoted\" \\",
			   "SELECT kind FROM tree WHERE kind = '\xe9\"\\\n\xc3\xa9'");

	(void)unused;
	expect(o, "filter_semantics.conditions.0.value",
	       "\"\xef\xbf\xbd\\\"\\\\\\n\xc3\xa9\"");
	json_decref(o);
}

/* ---- all training SQL ---- */

static int is_column(const struct schema *s, const char *name)
{
	char full[512];

	for (size_t t = 0; t < s->n_tables; t++)
		for (size_t c = 0; c < s->tables[t].n; c++) {
			snprintf(full, sizeof full, "%s.%s", s->tables[t].name.p,
				 s->tables[t].columns[c].name.p);
			if (strcmp(full, name) == 0)
				return 1;
		}
	return 0;
}

static void check_memory(const struct schema *s, const json_t *memory)
{
	const json_t *list = json_object_get(
		json_object_get(memory, "schema_grounding"), "mappings");
	size_t i, k;
	const json_t *mapping, *other;

	assert_true(json_is_array(json_object_get(memory, "extra_keywords")));
	assert_true(json_is_object(json_object_get(memory, "output_form")));
	json_array_foreach (list, i, mapping) {
		const char *column =
			json_string_value(json_object_get(mapping, "column"));

		assert_true(json_is_string(json_object_get(mapping, "phrase")));
		if (column && !is_column(s, column))
			fail_msg("no column %s", column);
		json_array_foreach (json_object_get(mapping, "confusable"), k, other)
			assert_true(is_column(s, json_string_value(other)));
	}
}

/* 1 if there was SQL to derive a memory from. */
static int check_question(const struct schema *s, const json_t *o)
{
	const char *question = json_string_value(json_object_get(o, "question"));
	const char *sql = json_string_value(json_object_get(o, "sql"));
	struct buf b = { 0 };
	json_t *memory;
	int rc = memory_derive(s, view_of(question), view_of(""), view_of(sql), &b,
			       NULL);

	if (rc == ERR_VALUE) {
		assert_string_equal(sql, "null");
		return 0;
	}
	assert_int_equal(rc, 0);
	memory = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(memory);
	check_memory(s, memory);
	if (getenv("SEE_MEMORIES"))
		printf("%s\n%s\n%s\n\n", question, sql, b.p);
	json_decref(memory);
	buf_free(&b);
	return 1;
}

static int load_schema(const char *set, const char *id, struct schema *ret)
{
	char relative[1024];
	const char *path;
	sqlite3 *db;

	schema_free(ret);
	snprintf(relative, sizeof relative, "%s/database/%s/%s.sqlite", set, id, id);
	path = shared_data(relative);
	if (!path)
		return 0;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), 0);
	assert_int_equal(sqlite_schema(db, ret), 0);
	sqlite3_close(db);
	return 1;
}

static size_t check_training(const char *set)
{
	char relative[256], id[256] = "", *line = NULL;
	struct schema s = { 0 };
	size_t cap = 0, n = 0;
	int there = 0;
	const char *path;
	FILE *f;

	snprintf(relative, sizeof relative, "%s/train.jsonl", set);
	path = shared_data(relative);
	if (!path)
		return 0;
	f = fopen(path, "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		json_t *o = json_loads(line, 0, NULL);
		const char *db = json_string_value(json_object_get(o, "db_id"));

		if (strcmp(db, id) != 0) {
			snprintf(id, sizeof id, "%s", db);
			there = load_schema(set, id, &s);
		}
		n += there && check_question(&s, o);
		json_decref(o);
	}
	free(line);
	fclose(f);
	schema_free(&s);
	return n;
}

static void every_training_question_gives_a_valid_memory(void **unused)
{
	size_t spider, ehrsql;

	(void)unused;
	NEEDS_SHARED(shared_data("spider/train.jsonl"));
	spider = check_training("spider");
	ehrsql = check_training("ehrsql");
	print_message("%zu Spider and %zu EHRSQL memories\n", spider, ehrsql);
	assert_true(spider > 6000 && ehrsql > 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_nine_keys_of_a_rich_query),
		cmocka_unit_test(a_key_is_there_only_if_its_construct_is),
		cmocka_unit_test(each_conditional_construct_is_named),
		cmocka_unit_test(everything_else_is_an_extra_keyword),
		cmocka_unit_test(an_abstention_has_no_memory),
		cmocka_unit_test(bytes_that_are_no_text_give_valid_json),
		cmocka_unit_test(every_training_question_gives_a_valid_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
