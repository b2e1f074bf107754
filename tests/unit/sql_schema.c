/* sql_schema.c - a schema keeps, packs and shows what it was given */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/sql/schema.h"
#include "tests/support/sqlite_schema.h"

static const char ddl[] =
	"CREATE TABLE tree (\n  id INTEGER PRIMARY KEY,\n  kind TEXT NOT NULL,\n"
	"  \"unit price\" DECIMAL(8,2),\n  \"order\"\n);\n"
	"CREATE TABLE pick (\n  tree_id INT,\n  day TEXT,\n  PRIMARY KEY (day, "
	"tree_id),\n"
	"  FOREIGN KEY (tree_id) REFERENCES tree (id)\n);\n";

static void open_schema(const char *sql, struct schema *s)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	assert_int_equal(sqlite_schema(db, s), 0);
	sqlite3_close(db);
}

static void what_it_renders_is_what_sqlite_was_told(void **unused)
{
	struct schema s = { 0 };
	struct buf b = { 0 };

	(void)unused;
	open_schema(ddl, &s);
	schema_render(&s, NULL, &b);
	assert_string_equal(b.p, ddl);
	buf_clear(&b);
	schema_render(&s, "\0\1", &b);
	assert_non_null(strstr(b.p, "pick"));
	assert_null(strstr(b.p, "kind"));
	buf_free(&b);
	schema_free(&s);
}

static void names_are_found_in_any_case(void **unused)
{
	struct schema s = { 0 };

	(void)unused;
	open_schema(ddl, &s);
	assert_int_equal(schema_find_table(&s, view_of("PICK")), 1);
	assert_int_equal(schema_find_table(&s, view_of("picks")), -1);
	assert_int_equal(schema_find_column(&s, 0, view_of("Unit Price")), 2);
	assert_int_equal(schema_find_column(&s, 1, view_of("kind")), -1);
	assert_int_equal(schema_rowid_column(&s, 0), 0);
	assert_int_equal(schema_rowid_column(&s, 1), -1);
	schema_free(&s);
}

static void a_key_without_a_target_means_the_primary_key(void **unused)
{
	struct schema s = { 0 };

	(void)unused;
	open_schema("CREATE TABLE a(x, id INTEGER PRIMARY KEY);"
		    "CREATE TABLE b(y REFERENCES a, z REFERENCES gone(q));",
		    &s);
	assert_int_equal(s.n_keys, 1);
	assert_int_equal(s.keys[0].to_column, 1);
	schema_free(&s);
}

static void what_is_packed_is_unpacked_the_same(void **unused)
{
	struct schema s = { 0 }, again = { 0 };
	struct buf b = { 0 }, text = { 0 };

	(void)unused;
	open_schema(ddl, &s);
	schema_pack(&s, &b);
	assert_int_equal(schema_unpack(buf_view(&b), &again, NULL), 0);
	schema_render(&again, NULL, &text);
	assert_string_equal(text.p, ddl);
	buf_free(&text);
	schema_free(&again);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(schema_unpack((struct view){ b.p, n }, &again, NULL),
				 ERR_VALUE);
	buf_free(&b);
	schema_free(&s);
}

static void bytes_that_lie_are_refused(void **unused)
{
	struct schema s = { 0 }, again;
	struct buf b = { 0 };

	(void)unused;
	open_schema(ddl, &s);
	s.keys[0].to_column = 9;
	schema_pack(&s, &b);
	assert_int_equal(schema_unpack(buf_view(&b), &again, NULL), ERR_VALUE);
	buf_free(&b);
	schema_free(&s);
}

static void running_out_of_memory_is_an_error_at_every_allocation(void **unused)
{
	int n = 0, rc = 1;

	(void)unused;
	for (; rc; n++) {
		struct schema s = { 0 };

		mem_fail_after(n);
		rc = schema_add_table(&s, view_of("t"), NULL, NULL);
		for (int i = 0; i < 100 && !rc; i++)
			rc = schema_add_column(&s, 0,
					       view_of("a column of some length"),
					       view_of("TEXT"), 0, 0, NULL);
		mem_fail_after(-1);
		assert_true(rc == 0 || rc == ERR_NOMEM);
		schema_free(&s);
	}
	assert_true(n > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_renders_is_what_sqlite_was_told),
		cmocka_unit_test(names_are_found_in_any_case),
		cmocka_unit_test(a_key_without_a_target_means_the_primary_key),
		cmocka_unit_test(what_is_packed_is_unpacked_the_same),
		cmocka_unit_test(bytes_that_lie_are_refused),
		cmocka_unit_test(running_out_of_memory_is_an_error_at_every_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
