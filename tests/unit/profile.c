/* profile.c - a profile knows what a database holds, and what it does not know */
#include "tests/support/cm.h"

#include "tests/support/kennel.h"
#include "worker/cellhash.h"
#include "worker/profile.h"

#include <sqlite3.h>

static struct buf bytes;
static struct profile p;

static int set_up(void **unused)
{
	(void)unused;
	p = kennel_profile(&bytes);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	profile_free(&p);
	buf_free(&bytes);
	return 0;
}

static enum answer holds(const char *table, const char *column, const char *literal)
{
	int t, c = column_at(&p, table, column, &t);

	return profile_holds(&p, t, c, view_of(literal));
}

static enum answer holds_loosely(const char *table, const char *column,
				 const char *literal)
{
	int t, c = column_at(&p, table, column, &t);

	return profile_holds_loosely(&p, t, c, view_of(literal));
}

static void a_literal_is_held_as_sqlite_would_compare_it(void **unused)
{
	(void)unused;
	assert_int_equal(holds("owner", "name", "Ann"), ANSWER_YES);
	assert_int_equal(holds("owner", "name", "ann"), ANSWER_NO);
	assert_int_equal(holds("owner", "town", "OSLO"), ANSWER_YES);
	assert_int_equal(holds("owner", "age", "31"), ANSWER_YES);
	assert_int_equal(holds("owner", "age", "31.0"), ANSWER_YES);
	assert_int_equal(holds("owner", "age", "3.1e1"), ANSWER_YES);
	assert_int_equal(holds("owner", "age", "old"), ANSWER_NO);
	assert_int_equal(holds("pet", "weight", "4"), ANSWER_YES);
	assert_int_equal(holds("pet", "weight", " 21.5 "), ANSWER_YES);
	assert_int_equal(holds("pet", "chip", "x"), ANSWER_NO);
	assert_int_equal(holds("vet", "name", "x"), ANSWER_NO);
}

static void a_column_without_affinity_compares_text_with_text_only(void **unused)
{
	(void)unused;
	assert_int_equal(holds("untyped", "x", "1"), ANSWER_NO);
	assert_int_equal(holds("untyped", "y", "1"), ANSWER_YES);
}

static void blanks_and_case_are_seen_and_can_be_overlooked(void **unused)
{
	(void)unused;
	assert_int_equal(holds("pet", "species", "dog"), ANSWER_YES);
	assert_int_equal(holds("pet", "species", "dog "), ANSWER_YES);
	assert_int_equal(holds("pet", "species", " cat"), ANSWER_NO);
	assert_int_equal(holds_loosely("pet", "species", " cat"), ANSWER_YES);
	assert_int_equal(holds_loosely("pet", "species", "PARROT"), ANSWER_YES);
	assert_int_equal(holds_loosely("owner", "name", "ann "), ANSWER_YES);
	assert_int_equal(holds_loosely("pet", "species", "cow"), ANSWER_NO);
}

static void dates_and_types_can_be_overlooked(void **unused)
{
	(void)unused;
	assert_int_equal(holds("visit", "day", "2024/01/02"), ANSWER_NO);
	assert_int_equal(holds_loosely("visit", "day", "2024/01/02"), ANSWER_YES);
	assert_int_equal(holds_loosely("visit", "day", "2024-01-03"), ANSWER_NO);
	assert_int_equal(holds_loosely("untyped", "x", "1"), ANSWER_YES);
	assert_int_equal(holds_loosely("untyped", "x", "2"), ANSWER_NO);
	assert_int_equal(holds_loosely("untyped", "z", "tom"), ANSWER_YES);
	assert_int_equal(holds("untyped", "z", "Tom"), ANSWER_NO);
}

static int mistyped(const char *table, const char *column, const char *literal,
		    int is_number)
{
	int t, c = column_at(&p, table, column, &t);

	return profile_mistyped(&p, t, c, view_of(literal), is_number);
}

static void a_type_that_nothing_mends_is_noticed(void **unused)
{
	int t, x = column_at(&p, "untyped", "x", &t);
	int y = column_at(&p, "untyped", "y", &t), o;
	int z = column_at(&p, "untyped", "z", &t);
	int owner = column_at(&p, "owner", "owner_id", &o);

	(void)unused;
	assert_true(mistyped("untyped", "x", "1", 0));
	assert_false(mistyped("untyped", "x", "1", 1));
	assert_false(mistyped("untyped", "x", "one", 0));
	assert_true(mistyped("untyped", "y", "1", 1));
	assert_false(mistyped("untyped", "y", "1", 0));
	assert_false(mistyped("owner", "age", "31", 0)); /* affinity mends it */
	assert_false(mistyped("loose", "b", "7", 1));
	assert_true(profile_mistyped_join(&p, t, x, t, y));
	assert_false(profile_mistyped_join(&p, o, owner, t, y));
	assert_false(profile_mistyped(&p, -1, 0, view_of("1"), 1));
	/* blobs and nothing else */
	assert_true(mistyped("untyped", "z", "Tom", 0));
	assert_true(mistyped("untyped", "z", "1", 1));
	assert_true(profile_mistyped_join(&p, t, x, t, z));
	assert_true(profile_mistyped_join(&p, t, z, o, owner));
	assert_false(profile_mistyped_join(&p, t, z, t, z));
	assert_false(mistyped("vet", "name", "Tom", 0));      /* no value at all */
	assert_false(mistyped("heavy", "species", "dog", 0)); /* a view */
}

static int is_one_style(const char *sql)
{
	struct buf b = { 0 };
	struct profile q = { 0 };
	sqlite3 *db;
	int is;

	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	assert_int_equal(profile_db(db, &b, NULL), 0);
	assert_int_equal(profile_decode(buf_view(&b), &q, NULL), 0);
	is = q.one_style;
	profile_free(&q);
	buf_free(&b);
	sqlite3_close(db);
	return is;
}

static void a_database_all_in_one_style_is_noticed(void **unused)
{
	(void)unused;
	assert_false(p.one_style);
	assert_true(is_one_style("CREATE TABLE t(a, b, c, d);"
				 "INSERT INTO t VALUES ('x', 'long word', 'y1', 4)"));
	assert_true(is_one_style("CREATE TABLE t(a, b, c, d);"
				 "INSERT INTO t VALUES ('X', 'LONG WORD', 'Y1', '4')"));
	assert_false(is_one_style("CREATE TABLE t(a, b, c);"
				  "INSERT INTO t VALUES ('x', 'Long word', 'y')"));
	assert_false(is_one_style("CREATE TABLE t(a, b, c);"
				  "INSERT INTO t VALUES ('x', 'long word', 'Y')"));
	assert_true(is_one_style("CREATE TABLE t(a, b, c);"
				 "INSERT INTO t VALUES ('x ', ' Long word', 'Y ')"));
	assert_false(is_one_style("CREATE TABLE t(a, b);" /* too little to say */
				  "INSERT INTO t VALUES ('x', 'long word')"));
}

static void a_view_is_unknown_and_no_column_is_asked_in_vain(void **unused)
{
	(void)unused;
	assert_int_equal(holds("heavy", "species", "dog"), ANSWER_UNKNOWN);
	assert_int_equal(
		p.table[schema_find_table(&p.schema, view_of("heavy"))].has_row,
		ANSWER_UNKNOWN);
	assert_int_equal(profile_holds(&p, -1, 0, view_of("x")), ANSWER_UNKNOWN);
	assert_int_equal(profile_holds(&p, 0, 99, view_of("x")), ANSWER_UNKNOWN);
}

static void rows_uniqueness_and_emptiness_are_known(void **unused)
{
	int t, c = column_at(&p, "pet", "chip", &t);

	(void)unused;
	assert_int_equal(p.table[t].column[c].holds, ANSWER_NO);
	assert_int_equal(p.table[t].rows, 4);
	c = column_at(&p, "owner", "age", &t);
	assert_int_equal(p.table[t].column[c].unique, 0);
	c = column_at(&p, "owner", "name", &t);
	assert_int_equal(p.table[t].column[c].unique, 1);
	assert_int_equal(p.table[schema_find_table(&p.schema, view_of("vet"))].has_row,
			 ANSWER_NO);
	assert_int_equal(p.table[schema_find_table(&p.schema, view_of("loose"))].in_key,
			 0);
	assert_int_equal(p.table[schema_find_table(&p.schema, view_of("owner"))].in_key,
			 1);
}

static enum answer contains(const char *at, const char *ac, const char *bt,
			    const char *bc)
{
	int a, b, x = column_at(&p, at, ac, &a), y = column_at(&p, bt, bc, &b);

	return profile_contains(&p, a, x, b, y, 0.95);
}

static void one_column_contains_another_if_nearly_all_its_values_are_there(
	void **unused)
{
	(void)unused;
	assert_int_equal(contains("owner", "owner_id", "pet", "owner_id"), ANSWER_YES);
	assert_int_equal(contains("pet", "owner_id", "owner", "owner_id"), ANSWER_YES);
	assert_int_equal(contains("pet", "pet_id", "visit", "pet_id"), ANSWER_YES);
	assert_int_equal(contains("visit", "pet_id", "pet", "pet_id"), ANSWER_NO);
	assert_int_equal(contains("owner", "age", "pet", "chip"), ANSWER_NO);
	assert_int_equal(contains("owner", "town", "owner", "name"), ANSWER_UNKNOWN);
}

static void columns_without_a_common_value_are_disjoint(void **unused)
{
	int a, b, x = column_at(&p, "stray", "owner_id", &a);
	int y = column_at(&p, "owner", "owner_id", &b);

	(void)unused;
	assert_int_equal(profile_disjoint(&p, a, x, b, y), ANSWER_YES);
	assert_int_equal(profile_declared(&p, a, x, b, y), 1);
	assert_int_equal(profile_declared(&p, b, y, a, x), 1);
	x = column_at(&p, "pet", "owner_id", &a);
	assert_int_equal(profile_disjoint(&p, a, x, b, y), ANSWER_NO);
	x = column_at(&p, "pet", "chip", &a);
	assert_int_equal(profile_disjoint(&p, a, x, b, y), ANSWER_NO);
	x = column_at(&p, "pet", "weight", &a);
	assert_int_equal(profile_declared(&p, a, x, b, y), 0);
}

static void the_same_database_gives_the_same_bytes(void **unused)
{
	struct buf again = { 0 };
	struct profile q = kennel_profile(&again);

	(void)unused;
	assert_true(view_eq(buf_view(&bytes), buf_view(&again)));
	profile_free(&q);
	buf_free(&again);
}

static void a_column_of_too_many_values_is_unknown_and_says_nothing(void **unused)
{
	struct buf b = { 0 };
	struct profile q;
	sqlite3 *db = NULL;

	(void)unused;
	sqlite3_open(":memory:", &db);
	sqlite3_exec(db,
		     "CREATE TABLE t(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
		     "SELECT i + 1 FROM n WHERE i < 200001) "
		     "INSERT INTO t SELECT 'v' || i, 'v' || (i / 2) FROM n",
		     NULL, NULL, NULL);
	assert_int_equal(profile_db(db, &b, NULL), 0);
	assert_int_equal(profile_decode(buf_view(&b), &q, NULL), 0);
	assert_int_equal(profile_holds(&q, 0, 0, view_of("nothing")), ANSWER_UNKNOWN);
	assert_int_equal(q.table[0].column[0].holds, ANSWER_YES);
	assert_int_equal(profile_holds(&q, 0, 1, view_of("nothing")), ANSWER_NO);
	assert_int_equal(profile_holds(&q, 0, 1, view_of("v17")), ANSWER_YES);
	assert_int_equal(profile_contains(&q, 0, 0, 0, 1, 0.95), ANSWER_UNKNOWN);
	profile_free(&q);
	buf_free(&b);
	sqlite3_close(db);
}

static void odd_names_and_broken_views_are_no_obstacle(void **unused)
{
	struct buf b = { 0 };
	struct profile q;
	struct err e;
	sqlite3 *db = NULL;

	(void)unused;
	sqlite3_open(":memory:", &db);
	assert_int_equal(
		sqlite3_exec(db,
			     "CREATE TABLE \"order's \"\"x\"\"\"(\"a b\" TEXT, "
			     "\"select\" INT, g AS (1 + \"select\"));"
			     "INSERT INTO \"order's \"\"x\"\"\" VALUES ('u', 1);"
			     "CREATE TABLE gone(z); CREATE VIEW v AS SELECT z "
			     "FROM gone; DROP TABLE gone;",
			     NULL, NULL, NULL),
		0);
	assert_int_equal(profile_db(db, &b, &e), 0);
	assert_int_equal(profile_decode(buf_view(&b), &q, &e), 0);
	assert_int_equal(profile_holds(&q, 0, 0, view_of("u")), ANSWER_YES);
	assert_int_equal(q.schema.tables[0].n, 3);
	assert_int_equal(profile_holds(&q, 0, 2, view_of("2")), ANSWER_NO);
	profile_free(&q);
	buf_free(&b);
	sqlite3_close(db);
}

static void cut_bytes_are_no_profile(void **unused)
{
	struct profile q;

	(void)unused;
	for (size_t n = 0; n < bytes.n; n++)
		assert_int_not_equal(
			profile_decode((struct view){ bytes.p, n }, &q, NULL), 0);
}

static void numbers_have_one_text(void **unused)
{
	(void)unused;
	assert_true(cellhash_int(5) == cellhash_real(5.0));
	assert_true(cellhash_numeric(view_of("+5")) == cellhash_int(5));
	assert_true(cellhash_numeric(view_of(".5")) == cellhash_real(0.5));
	assert_true(cellhash_numeric(view_of("0.3")) ==
		    cellhash_text(view_of("0.3"), FOLD_BINARY));
	assert_true(cellhash_numeric(view_of("99999999999999999999")) ==
		    cellhash_real(1e20));
	assert_true(cellhash_numeric(view_of("5x")) == 0);
	assert_true(cellhash_numeric(view_of("0x10")) == 0);
	assert_true(cellhash_numeric(view_of("1e")) == 0);
	assert_true(cellhash_numeric(view_of("")) == 0);
	assert_true(cellhash_numeric(view_of("inf")) == 0);
	assert_true(cellhash_text(view_of("a  "), FOLD_RTRIM) ==
		    cellhash_text(view_of("a"), FOLD_BINARY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_literal_is_held_as_sqlite_would_compare_it),
		cmocka_unit_test(
			a_column_without_affinity_compares_text_with_text_only),
		cmocka_unit_test(blanks_and_case_are_seen_and_can_be_overlooked),
		cmocka_unit_test(dates_and_types_can_be_overlooked),
		cmocka_unit_test(a_type_that_nothing_mends_is_noticed),
		cmocka_unit_test(a_database_all_in_one_style_is_noticed),
		cmocka_unit_test(a_view_is_unknown_and_no_column_is_asked_in_vain),
		cmocka_unit_test(rows_uniqueness_and_emptiness_are_known),
		cmocka_unit_test(
			one_column_contains_another_if_nearly_all_its_values_are_there),
		cmocka_unit_test(columns_without_a_common_value_are_disjoint),
		cmocka_unit_test(the_same_database_gives_the_same_bytes),
		cmocka_unit_test(
			a_column_of_too_many_values_is_unknown_and_says_nothing),
		cmocka_unit_test(odd_names_and_broken_views_are_no_obstacle),
		cmocka_unit_test(cut_bytes_are_no_profile),
		cmocka_unit_test(numbers_have_one_text),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
