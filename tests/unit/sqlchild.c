/* sqlchild.c - one SQL after the other, in a real child */
#include "tests/support/cm.h"

#include "common/base/clock.h"
#include "tests/support/sqlrig.h"

#include <stdio.h>

static struct sqlrig rig;
static struct orchard orchard;

static void expect(const char *sql, enum status status, const char *note)
{
	struct sqlrig_answer a = sqlrig_exec(&rig, sql);

	if (a.code || a.exec.status != status || !view_eq(a.exec.note, view_of(note)))
		print_message("%s: code %d %s, status %s, note %.*s, error %.*s\n", sql,
			      a.code, a.text, status_name(a.exec.status),
			      (int)a.exec.note.n, a.exec.note.p, (int)a.exec.error.n,
			      a.exec.error.p);
	assert_int_equal(a.code, 0);
	assert_int_equal(a.exec.status, status);
	assert_true(view_eq(a.exec.note, view_of(note)));
}

static void a_query_gives_its_rows_names_and_preview(void **unused)
{
	struct sqlrig_answer a =
		sqlrig_exec(&rig, "SELECT id, kind AS k, height FROM tree ORDER BY id");
	const struct exec_out *o = &a.exec;

	(void)unused;
	assert_int_equal(a.called, 1);
	assert_int_equal(a.code, 0);
	assert_int_equal(o->status, STATUS_rows);
	assert_int_equal(o->rows, 5);
	assert_int_equal(o->cols, 3);
	assert_int_equal(o->cells, 15);
	assert_int_equal(o->nulls, 1);
	assert_true(view_eq(o->names[1], view_of("k")));
	assert_int_equal(o->preview_rows, 5);
	assert_int_equal(o->preview[0].i, 1);
	assert_true(view_eq(o->preview[4].v, view_of("pear")));
	assert_int_equal(o->preview[11].type, CELL_NULL);
	assert_int_equal(o->cut, 0);
	assert_int_equal(o->digests.mask, DIGEST_ALL);
	assert_true(o->steps > 0);
}

static struct digests digests_of(const char *sql)
{
	struct sqlrig_answer a = sqlrig_exec(&rig, sql);

	assert_int_equal(a.code, 0);
	assert_false(!status_ok(a.exec.status));
	return a.exec.digests;
}

/* Which digests of two queries are the same. */
static unsigned same(const char *a, const char *b)
{
	struct digests x = digests_of(a), y = digests_of(b);

	return (sip_eq(&x.set, &y.set) ? DIGEST_SET : 0) |
	       (sip_eq(&x.bag, &y.bag) ? DIGEST_BAG : 0) |
	       (sip_eq(&x.list, &y.list) ? DIGEST_LIST : 0) |
	       (sip_eq(&x.sig, &y.sig) ? DIGEST_SIG : 0) |
	       (sip_eq(&x.ehr, &y.ehr) ? DIGEST_EHR : 0);
}

static void A01_distinct_or_not_is_one_set_and_two_bags(void **unused)
{
	(void)unused;
	assert_int_equal(
		same("SELECT DISTINCT kind FROM tree", "SELECT kind FROM tree"),
		DIGEST_SET);
}

static void A02_a_sorted_list_is_not_the_unsorted_one(void **unused)
{
	(void)unused;
	assert_int_equal(same("SELECT id FROM tree ORDER BY height DESC, id",
			      "SELECT id FROM tree"),
			 DIGEST_ALL & ~DIGEST_LIST);
}

static void A03_columns_in_another_order_are_equal_up_to_one_permutation(void **unused)
{
	static const char a[] = "SELECT kind,COUNT(*) FROM tree GROUP BY kind";
	static const char b[] = "SELECT COUNT(*),kind FROM tree GROUP BY kind";
	struct sqlrig_answer r;

	(void)unused;
	assert_int_equal(same(a, b), DIGEST_SIG);
	r = sqlrig_equal(&rig, a, b);
	assert_int_equal(r.equal.equal, 1);
	r = sqlrig_equal(&rig, "SELECT id,row_no FROM tree",
			 "SELECT row_no,id FROM tree");
	assert_int_equal(r.equal.equal, 1);
	r = sqlrig_equal(&rig, "SELECT id,row_no FROM tree",
			 "SELECT id,row_no FROM tree WHERE id<5 UNION ALL SELECT 3,5");
	assert_int_equal(r.equal.equal, 0);
	assert_int_equal(r.equal.a, STATUS_rows);
}

static void what_two_results_have_in_common_is_counted_by_columns(void **unused)
{
	static const char ids[] = "SELECT id FROM tree";
	static const char some[] = "SELECT id FROM tree WHERE id<3";
	static const char alias[] = "SELECT id AS number FROM tree";
	struct sqlrig_answer r;

	(void)unused;
	r = sqlrig_alike(&rig, ids, some, 0);
	assert_int_equal(r.alike.same, 2);
	assert_int_equal(r.alike.all, 5);
	assert_int_equal(r.alike.b, STATUS_rows);
	r = sqlrig_alike(&rig, ids, alias, 0);
	assert_int_equal(r.alike.same, 0);
	assert_int_equal(r.alike.all, 10);
	r = sqlrig_alike(&rig, ids, alias, 1);
	assert_int_equal(r.alike.same, 5);
	assert_int_equal(r.alike.all, 5);
	r = sqlrig_alike(&rig, "SELECT id,row_no FROM tree",
			 "SELECT row_no,id FROM tree", 0);
	assert_int_equal(r.alike.same, 10);
	r = sqlrig_alike(&rig, ids, "SELECT nothing FROM tree", 0);
	assert_int_equal(r.alike.b, STATUS_error);
	assert_int_equal(r.alike.all, 0);
	r = sqlrig_alike(&rig, ids, "SELECT id FROM tree WHERE 0", 0);
	assert_int_equal(r.alike.same, 0);
	assert_int_equal(r.alike.b, STATUS_empty);
}

static void A04_floats_are_compared_to_the_last_bit(void **unused)
{
	(void)unused;
	assert_int_equal(same("SELECT 0.3", "SELECT SUM(kg) FROM pick WHERE tree_id=3"),
			 DIGEST_EHR);
}

static void A06_text_that_looks_like_a_number_is_text(void **unused)
{
	(void)unused;
	assert_int_equal(same("SELECT '3.0'", "SELECT 3"), DIGEST_EHR);
}

static void A09_more_rows_than_a_preview_shows_still_count(void **unused)
{
	static const char a[] = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 "
				"FROM r WHERE n<40) SELECT n FROM r";
	static const char b[] = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 "
				"FROM r WHERE n<30) SELECT n FROM r";
	struct sqlrig_answer r = sqlrig_exec(&rig, a);

	(void)unused;
	assert_int_equal(same(a, b), 0);
	assert_int_equal(r.exec.rows, 40);
	assert_int_equal(r.exec.preview_rows, 20);
	assert_int_equal(r.exec.cut, 1);
}

static void A10_five_and_five_point_zero_are_one_group(void **unused)
{
	(void)unused;
	assert_int_equal(
		same("SELECT COUNT(*) FROM tree", "SELECT COUNT(*)*1.0 FROM tree"),
		DIGEST_ALL);
}

static void A12_a_blob_that_spells_a_word_is_not_the_word(void **unused)
{
	struct sqlrig_answer a = sqlrig_exec(&rig, "SELECT x'414243'");

	(void)unused;
	assert_int_equal(same("SELECT x'414243'", "SELECT 'ABC'"), 0);
	assert_int_equal(a.exec.preview[0].type, CELL_BLOB);
	assert_true(view_eq(a.exec.preview[0].v, view_of("ABC")));
}

static void A13_26_columns_reversed_are_equal_and_quick(void **unused)
{
	char a[400] = "SELECT 1 c1", b[400] = "SELECT 26 c26",
	     same26[400] = "SELECT 7 c0";
	struct sqlrig_answer r;
	uint64_t from = clock_ms();

	(void)unused;
	for (int i = 2; i <= 26; i++) {
		sprintf(a + strlen(a), ",%d c%d", i, i);
		sprintf(b + strlen(b), ",%d c%d", 27 - i, 27 - i);
		sprintf(same26 + strlen(same26), ",7 c%d", i);
	}
	r = sqlrig_equal(&rig, a, b);
	assert_int_equal(r.equal.equal, 1);
	r = sqlrig_equal(&rig, same26, same26);
	assert_int_equal(r.equal.equal, 1);
	assert_true(clock_ms() - from < 1000);
}

static void A18_any_cell_that_differs_makes_it_another_result(void **unused)
{
	static const char max[] =
		"SELECT kind,MAX(height),COUNT(id) FROM tree GROUP BY kind";
	static const char avg[] =
		"SELECT kind,AVG(height),COUNT(id) FROM tree GROUP BY kind";
	struct orchard more;

	(void)unused;
	assert_int_equal(same(max, avg), DIGEST_ALL);
	orchard_make_with(&more, "INSERT INTO tree VALUES (6,'plum',5,NULL,1)");
	sqlrig_use(&rig, &more);
	assert_int_equal(same(max, avg), 0);
	sqlrig_use(&rig, &orchard);
	orchard_remove(&more);
}

static void A20_null_empty_and_zero_are_three_groups(void **unused)
{
	static const char null[] = "SELECT SUM(kg) FROM pick WHERE tree_id=99";
	static const char none[] = "SELECT kg FROM pick WHERE tree_id=99";
	struct sqlrig_answer a = sqlrig_exec(&rig, null), b = sqlrig_exec(&rig, none),
			     c = sqlrig_exec(&rig, "SELECT 0");

	(void)unused;
	assert_int_equal(same(null, none), 0);
	assert_int_equal(same(null, "SELECT 0"), 0);
	assert_int_equal(same(none, "SELECT 0"), 0);
	assert_int_equal(same(null, "SELECT NULL"), DIGEST_ALL);
	assert_int_equal(a.exec.nulls, 1);
	assert_int_equal(b.exec.status, STATUS_empty);
	assert_int_equal(c.exec.one_zero, 1);
}

static void A21_sums_are_those_of_this_sqlite(void **unused)
{
	struct sqlrig_answer a =
		sqlrig_exec(&rig, "SELECT SUM(kg) FROM pick WHERE tree_id=2");

	(void)unused;
	/* The build's version is in --version and in the task's key. */
	if (sqlite3_libversion_number() < 3043000)
		assert_true(a.exec.preview[0].d == 3.3000000000000003);
	a = sqlrig_exec(&rig, "SELECT AVG(x) FROM (SELECT 1e308*10 AS x)");
	assert_int_equal(a.exec.status, STATUS_rows);
}

static void B02_what_may_stand_behind_a_statement_is_as_in_python(void **unused)
{
	(void)unused;
	expect("SELECT 1;", STATUS_rows, "");
	expect("SELECT 1; -- c", STATUS_rows, "");
	expect("SELECT 1; /* c */ \n", STATUS_rows, "");
	expect("SELECT 1; /* open", STATUS_rows, "");
	expect(";SELECT 1", STATUS_rows, "");
	expect("SELECT 1;;", STATUS_error, "multi-statement");
	expect("SELECT 1; ;", STATUS_error, "multi-statement");
	expect("SELECT 1; x", STATUS_error, "multi-statement");
	expect("SELECT 1; SELECT 2", STATUS_error, "multi-statement"); /* B01 */
	expect("", STATUS_empty, "");
	expect(" \n\t", STATUS_empty, "");
	expect("-- nothing", STATUS_empty, "");
	expect("/* nothing */;", STATUS_empty, "");
	expect(";", STATUS_empty, "");
	expect("SELECT ?", STATUS_error, "parameter");
	expect("SELECT :a", STATUS_error, "parameter");
	expect("SELECT @a, $b", STATUS_error, "parameter");
}

static void a_nul_byte_is_an_error(void **unused)
{
	struct sql_request q = rig.ask;
	struct sqlrig_answer a;

	(void)unused;
	q.sql = (struct view){ "SELECT 1\0;", 10 };
	sqlrig_send(&rig, &q, &a);
	sqlrig_wait(&rig);
	assert_int_equal(a.exec.status, STATUS_error);
	assert_true(view_eq(a.exec.note, view_of("nul")));
}

static void explain_and_reading_pragmas_are_results(void **unused)
{
	(void)unused;
	expect("EXPLAIN SELECT 1", STATUS_rows, "");
	expect("EXPLAIN QUERY PLAN SELECT * FROM tree", STATUS_rows, "");
	expect("PRAGMA table_info(tree)", STATUS_rows, "");
	expect("SELECT name FROM pragma_table_info('tree')", STATUS_rows, "");
	expect("VALUES (1),(2)", STATUS_rows, "");
}

static void B08_a_quoted_column_that_is_none_is_warned_of(void **unused)
{
	struct sqlrig_answer a =
		sqlrig_exec(&rig, "SELECT COUNT(*) FROM tree WHERE \"Colour\" > 5");

	(void)unused;
	assert_int_equal(a.exec.preview[0].i, 5);
	assert_int_equal(a.exec.n_warnings, 1);
	assert_true(view_eq(a.exec.warnings[0], view_of("dqs_literal:\"Colour\"")));
	a = sqlrig_exec(&rig, "SELECT \"unit price\" FROM \"odd names\"");
	assert_int_equal(a.exec.n_warnings, 0);
	assert_true(a.exec.preview[0].d == 9.5);
}

static void B10_an_error_has_sqlites_text_and_the_place(void **unused)
{
	struct sqlrig_answer a = sqlrig_exec(&rig, "SELECT100 FROM tree");

	(void)unused;
	assert_int_equal(a.exec.status, STATUS_error);
	assert_true(view_eq(a.exec.error, view_of("near \"SELECT100\": syntax error")));
	assert_int_equal(a.exec.error_at, 0);
	a = sqlrig_exec(&rig, "SELECT unit price FROM odd names");
	assert_int_equal(a.exec.status, STATUS_error);
	expect("SELECT YEAR('2020-01-01')", STATUS_error, ""); /* B12 */
	expect("SELECT * FROM \"Order Details\"", STATUS_error, "");
}

static void C02_an_endless_query_times_out_by_its_steps(void **unused)
{
	static const char endless[] = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
				      "SELECT n+1 FROM r) SELECT COUNT(*) FROM r";
	struct sqlrig_answer a = sqlrig_exec(&rig, endless),
			     b = sqlrig_exec(&rig, endless);

	(void)unused;
	assert_int_equal(a.exec.status, STATUS_timeout);
	assert_true(view_eq(a.exec.note, view_of("steps")));
	/* The budget is in steps, so the output is a fact. */
	assert_true(view_eq(a.output, b.output));
	assert_true(a.exec.steps >= rig.ask.limits.steps);
	assert_true(a.exec.steps < rig.ask.limits.steps + 2000);
}

static void C05_memory_bombs_are_limits(void **unused)
{
	(void)unused;
	expect("SELECT zeroblob(900000000)", STATUS_limit, "length");
	expect("SELECT hex(randomblob(200000000))", STATUS_limit, "length");
	expect("SELECT length(printf('%900000000d',1)) < 20000000", STATUS_rows, "");
	expect("SELECT group_concat(hex(zeroblob(1000000))) FROM tree a, tree b",
	       STATUS_limit, "length");
}

static void the_heap_limit_decides_and_is_an_output(void **unused)
{
	static const char big[] =
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE "
		"n<30000) SELECT count(*) FROM (SELECT hex(zeroblob(2000))||n AS v "
		"FROM r "
		"ORDER BY v DESC)";
	struct sql_limits was = rig.ask.limits;
	struct sqlrig_answer a, b;

	(void)unused;
	rig.ask.limits.memory = 32 << 20;
	a = sqlrig_exec(&rig, big);
	assert_int_equal(a.exec.status, STATUS_limit);
	assert_true(view_eq(a.exec.note, view_of("memory")));
	b = sqlrig_exec(&rig, "SELECT count(*) FROM tree");
	assert_int_equal(b.exec.status, STATUS_rows);
	b = sqlrig_exec(&rig, big);
	assert_true(view_eq(a.output, b.output));
	rig.ask.limits = was;
	b = sqlrig_exec(&rig, big);
	assert_int_equal(b.exec.status, STATUS_rows);
}

static void C07_a_cross_join_hits_the_row_limit_and_limit_2_works(void **unused)
{
	struct sqlrig_answer a;

	(void)unused;
	rig.ask.limits.rows = 10000;
	a = sqlrig_exec(&rig, "SELECT * FROM tree a,tree b,tree c,tree d,tree e,tree f,"
			      "tree g,tree h,tree i");
	assert_int_equal(a.exec.status, STATUS_limit);
	assert_true(view_eq(a.exec.note, view_of("rows")));
	assert_int_equal(a.exec.rows, 10000);
	assert_int_equal(a.exec.digests.mask, 0);
	a = sqlrig_exec(&rig, "SELECT * FROM tree a,tree b,tree c LIMIT 2");
	assert_int_equal(a.exec.rows, 2);
	rig.ask.limits = SQL_LIMITS_DEFAULT;
	rig.ask.limits.steps = 20000000;
}

static void C08_a_write_behind_a_cte_is_refused(void **unused)
{
	(void)unused;
	expect("WITH z AS (SELECT 1) DELETE FROM pick", STATUS_refused, "write");
	assert_true(orchard_unchanged(&orchard));
	assert_int_equal(orchard_files(&orchard), 1);
}

static void C09_attach_is_refused(void **unused)
{
	(void)unused;
	expect("ATTACH '/tmp/evil.db' AS e", STATUS_refused, "attach");
	expect("DETACH main", STATUS_refused, "attach");
}

static void C11_pragmas_that_set_are_refused(void **unused)
{
	(void)unused;
	expect("PRAGMA journal_mode=DELETE", STATUS_refused, "pragma");
	expect("PRAGMA query_only=off", STATUS_refused, "pragma");
	expect("PRAGMA user_version=7", STATUS_refused, "pragma");
	expect("PRAGMA user_version", STATUS_rows, "");
}

static void C12_functions_that_reach_out_are_refused_or_absent(void **unused)
{
	(void)unused;
	expect("SELECT load_extension('x')", STATUS_refused, "function");
	expect("SELECT readfile('/etc/passwd')", STATUS_error, "");
	expect("SELECT fts3_tokenizer('x')", STATUS_refused, "function");
}

static void C19_each_cause_has_its_status(void **unused)
{
	(void)unused;
	expect("SELECT 2", STATUS_rows, "");
	expect("SELEC 1", STATUS_error, "");
	expect("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) "
	       "SELECT COUNT(*) FROM r",
	       STATUS_timeout, "steps");
}

static void C20_invalid_utf8_is_delivered_flagged_or_an_error(void **unused)
{
	static const char sql[] = "SELECT name FROM person WHERE id=1";
	struct sqlrig_answer a = sqlrig_exec(&rig, sql);

	(void)unused;
	assert_int_equal(a.exec.status, STATUS_rows);
	assert_int_equal(a.exec.invalid_utf8, 1);
	assert_true(view_eq(a.exec.preview[0].v, view_of("Jos\xe9")));
	rig.ask.text = TEXT_STRICT;
	expect(sql, STATUS_error, "decode");
	rig.ask.text = TEXT_IGNORE;
	assert_int_equal(same(sql, "SELECT 'Jos'"), DIGEST_ALL);
	a = sqlrig_equal(&rig, sql, "SELECT 'Jos'");
	assert_int_equal(a.equal.equal, 1);
	rig.ask.text = TEXT_RAW;
	assert_int_equal(same(sql, "SELECT 'Jos'"), DIGEST_EHR);
	a = sqlrig_equal(&rig, sql, "SELECT 'Jos'");
	assert_int_equal(a.equal.equal, 0);
}

static void the_time_is_the_one_that_was_asked_for(void **unused)
{
	struct sqlrig_answer a;

	(void)unused;
	assert_int_equal(
		same("SELECT datetime('now'), current_timestamp, current_date, "
		     "current_time, strftime('%s','now'), datetime('now',"
		     "'localtime')",
		     "SELECT '2025-01-01 00:00:00', '2025-01-01 00:00:00', "
		     "'2025-01-01', '00:00:00', '1735689600', "
		     "'2025-01-01 00:00:00'"),
		DIGEST_ALL);
	a = sqlrig_exec(&rig, "SELECT julianday('now')");
	assert_true(a.exec.preview[0].d == 2460676.5);
}

static void chance_is_the_same_in_every_query(void **unused)
{
	static const char sql[] = "SELECT random(), hex(randomblob(9)), abs(random())";

	(void)unused;
	assert_int_equal(same(sql, sql), DIGEST_ALL);
	assert_int_equal(same("SELECT random()", "SELECT abs(random())") & ~DIGEST_ALL,
			 0);
	assert_int_equal(same("SELECT id FROM tree ORDER BY random()",
			      "SELECT id FROM tree ORDER BY random()"),
			 DIGEST_ALL);
	assert_false(same("SELECT random() UNION ALL SELECT 0",
			  "SELECT 0 UNION ALL SELECT 0") &
		     DIGEST_BAG);
}

static void a_preview_is_cut_and_says_so(void **unused)
{
	struct sqlrig_answer a = sqlrig_exec(
		&rig,
		"SELECT replace(hex(zeroblob(3000)),'00','é'), 7 UNION ALL SELECT 1,2");
	const struct exec_out *o = &a.exec;

	(void)unused;
	assert_int_equal(o->rows, 2);
	assert_int_equal(o->preview_rows, 1);
	assert_int_equal(o->cut, 1);
	assert_int_equal(o->preview[0].v.n, 4000);
	assert_int_equal(o->preview[0].whole, 6000);
	assert_int_equal(o->preview[1].type, CELL_TEXT); /* no room for the 7 */
	assert_int_equal(o->preview[1].whole, 1);
}

static void an_equal_that_cannot_be_held_is_unequal_and_noted(void **unused)
{
	static const char many[] =
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 "
		"FROM r WHERE n<300000) SELECT n, -n FROM r";
	struct sqlrig_answer a = sqlrig_equal(&rig, many, many);

	(void)unused;
	assert_int_equal(a.equal.equal, 1);
	rig.ask.limits.memory = 4 << 20;
	a = sqlrig_equal(&rig, many, many);
	rig.ask.limits.memory = (uint64_t)512 << 20;
	assert_int_equal(a.code, 0);
	assert_int_equal(a.equal.equal, 0);
	assert_true(view_eq(a.equal.note, view_of("memory")));
	a = sqlrig_equal(&rig, "SELECT 1", "SELEC");
	assert_int_equal(a.equal.equal, 0);
	assert_int_equal(a.equal.b, STATUS_error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_gives_its_rows_names_and_preview),
		cmocka_unit_test(A01_distinct_or_not_is_one_set_and_two_bags),
		cmocka_unit_test(A02_a_sorted_list_is_not_the_unsorted_one),
		cmocka_unit_test(
			A03_columns_in_another_order_are_equal_up_to_one_permutation),
		cmocka_unit_test(what_two_results_have_in_common_is_counted_by_columns),
		cmocka_unit_test(A04_floats_are_compared_to_the_last_bit),
		cmocka_unit_test(A06_text_that_looks_like_a_number_is_text),
		cmocka_unit_test(A09_more_rows_than_a_preview_shows_still_count),
		cmocka_unit_test(A10_five_and_five_point_zero_are_one_group),
		cmocka_unit_test(A12_a_blob_that_spells_a_word_is_not_the_word),
		cmocka_unit_test(A13_26_columns_reversed_are_equal_and_quick),
		cmocka_unit_test(A18_any_cell_that_differs_makes_it_another_result),
		cmocka_unit_test(A20_null_empty_and_zero_are_three_groups),
		cmocka_unit_test(A21_sums_are_those_of_this_sqlite),
		cmocka_unit_test(B02_what_may_stand_behind_a_statement_is_as_in_python),
		cmocka_unit_test(a_nul_byte_is_an_error),
		cmocka_unit_test(explain_and_reading_pragmas_are_results),
		cmocka_unit_test(B08_a_quoted_column_that_is_none_is_warned_of),
		cmocka_unit_test(B10_an_error_has_sqlites_text_and_the_place),
		cmocka_unit_test(C02_an_endless_query_times_out_by_its_steps),
		cmocka_unit_test(C05_memory_bombs_are_limits),
		cmocka_unit_test(the_heap_limit_decides_and_is_an_output),
		cmocka_unit_test(C07_a_cross_join_hits_the_row_limit_and_limit_2_works),
		cmocka_unit_test(C08_a_write_behind_a_cte_is_refused),
		cmocka_unit_test(C09_attach_is_refused),
		cmocka_unit_test(C11_pragmas_that_set_are_refused),
		cmocka_unit_test(C12_functions_that_reach_out_are_refused_or_absent),
		cmocka_unit_test(C19_each_cause_has_its_status),
		cmocka_unit_test(C20_invalid_utf8_is_delivered_flagged_or_an_error),
		cmocka_unit_test(the_time_is_the_one_that_was_asked_for),
		cmocka_unit_test(chance_is_the_same_in_every_query),
		cmocka_unit_test(a_preview_is_cut_and_says_so),
		cmocka_unit_test(an_equal_that_cannot_be_held_is_unequal_and_noted),
	};

	sqlrig_start(&rig, NULL, 0, 2);
	sqlrig_open(&rig, &orchard);
	expect("SELECT 1", STATUS_rows, "");
	return sqlrig_done(&rig, &orchard, cmocka_run_group_tests(tests, NULL, NULL));
}
