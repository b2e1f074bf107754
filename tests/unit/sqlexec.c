/* sqlexec.c - one program runs once, and no query gets the answer of another */
#include "tests/support/cm.h"

#include "common/base/arena.h"
#include "proto/exec_out.h"
#include "tests/support/orchard.h"
#include "worker/sqlchild.h"
#include "worker/sqlexec.h"
#include "worker/sqlmemo.h"
#include "worker/sqlvfs.h"

#include <unistd.h>

/* About a million steps: nothing is short, and all is counted by ticks. */
#define MANY(name) \
	"WITH RECURSIVE " name "(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM " name \
	" WHERE n<50000) SELECT "

static struct orchard orchard;
static struct sqlconn conn;
static struct sqlexec *exec;
static struct sql_request ask;
static struct arena arena;
static int ticks;

static void on_tick(void *unused)
{
	(void)unused;
	ticks++;
}

static int set_up(void **unused)
{
	(void)unused;
	assert_int_equal(sqlconn_open(&conn, dup(orchard.fd), NULL), 0);
	assert_int_equal(sqlexec_new(&exec), 0);
	sqlexec_on_tick(exec, on_tick, NULL);
	ask = (struct sql_request){ .limits = SQL_LIMITS_DEFAULT,
				    .digests = DIGEST_ALL,
				    .clock_ms = 1735689600000 };
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	sqlexec_free(&exec);
	sqlconn_close(&conn);
	arena_free(&arena);
	return 0;
}

/* What `sql` gives; `ticks` tells whether it ran. */
static struct exec_out run(const char *sql)
{
	struct buf b = { 0 };
	struct exec_out o;
	struct view kept;

	ask.sql = view_of(sql);
	ticks = 0;
	sqlvfs_clock(ask.clock_ms);
	sqlvfs_reseed();
	sqlexec_exec(exec, &conn, &ask, &b);
	kept = arena_view(&arena, buf_view(&b));
	assert_int_equal(exec_out_decode(kept, &o, &arena), 0);
	buf_free(&b);
	return o;
}

static void assert_same_rows(const struct exec_out *a, const struct exec_out *b)
{
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->steps, b->steps);
	assert_int_equal(a->preview_rows, b->preview_rows);
	assert_memory_equal(&a->digests, &b->digests, sizeof a->digests);
}

static void one_program_runs_once_and_each_query_keeps_its_names(void **unused)
{
	struct exec_out a = run(MANY("r") "count(*) AS \"all\", \"Colour\" FROM r");
	int first = ticks;
	struct exec_out b = run(MANY("quince") "COUNT( * ),'Colour' FROM quince;");

	(void)unused;
	assert_true(first > 0);
	assert_int_equal(ticks, 0);
	assert_same_rows(&a, &b);
	assert_int_equal(b.preview[0].i, 50000);
	assert_true(view_eq(a.names[0], view_of("all")));
	assert_true(view_eq(b.names[0], view_of("COUNT( * )")));
	assert_int_equal(a.n_warnings, 1);
	assert_int_equal(b.n_warnings, 0);
}

static void an_endless_program_ends_once(void **unused)
{
	static const char endless[] = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
				      "SELECT n+1 FROM r) SELECT COUNT(*) FROM r";
	struct exec_out a, b;

	(void)unused;
	ask.limits.steps = 1000000;
	a = run(endless);
	assert_true(ticks > 0);
	b = run(endless);
	assert_int_equal(ticks, 0);
	assert_int_equal(a.status, STATUS_timeout);
	assert_same_rows(&a, &b);
}

static void chance_does_not_tell_who_ran(void **unused)
{
	struct exec_out a = run(MANY("r") "random() FROM r");
	struct exec_out b = run(MANY("s") "random() AS chance FROM s");
	struct exec_out brief = run("SELECT random()");

	(void)unused;
	assert_same_rows(&a, &b);
	assert_true(a.preview[0].i == brief.preview[0].i);
}

/* Nearly one program: what differs is not all in the listing of every SQLite. */
static void programs_that_differ_run_each(void **unused)
{
	static const char *const pair[][2] = {
		{ MANY("r") "count(*), 0.3 FROM r",
		  MANY("r") "count(*), 0.30000000000000004 FROM r" },
		{ MANY("r") "count(*), x'0041' FROM r",
		  MANY("r") "count(*), x'0042' FROM r" },
		{ MANY("r") "count(*), 'a' FROM r", MANY("r") "count(*), 'A' FROM r" },
		{ MANY("r") "count(*), 9007199254740993 FROM r",
		  MANY("r") "count(*), 9007199254740992 FROM r" },
		{ MANY("r") "n % 7 AS m FROM r ORDER BY m, n DESC",
		  MANY("r") "n % 7 AS m FROM r ORDER BY m DESC, n" },
		{ MANY("r") "n IN (SELECT kind FROM tree) FROM r",
		  MANY("r") "n IN (SELECT kind COLLATE NOCASE FROM tree) FROM r" },
		{ MANY("r") "max(n), kind FROM r, tree WHERE kind < 'q'",
		  MANY("r") "max(n), kind FROM r, tree WHERE kind COLLATE NOCASE < "
			    "'q'" },
		{ MANY("r") "sum(n) FILTER (WHERE n > 5) FROM r",
		  MANY("r") "sum(n) FILTER (WHERE n > 6) FROM r" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
		struct exec_out a = run(pair[i][0]), b, c;

		assert_true(ticks > 0);
		b = run(pair[i][1]);
		assert_true(ticks > 0);
		sqlexec_forget(exec);
		c = run(pair[i][1]);
		assert_same_rows(&b, &c);
		assert_int_equal(a.status, STATUS_rows);
	}
}

static void change_clock(void)
{
	ask.clock_ms++;
}

static void change_digests(void)
{
	ask.digests = DIGEST_SET;
}

static void change_text(void)
{
	ask.text = TEXT_STRICT;
}

static void change_rows(void)
{
	ask.limits.rows = 40000;
}

static void forget(void)
{
	sqlexec_forget(exec);
}

static void nothing(void)
{
}

static void an_answer_holds_for_what_it_was_asked_under(void **unused)
{
	static const struct {
		void (*change)(void);
		int runs;
	} row[] = {
		{ nothing, 0 },     { change_clock, 1 }, { change_digests, 1 },
		{ change_text, 1 }, { change_rows, 1 },  { forget, 1 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		run(MANY("r") "n FROM r");
		row[i].change();
		run(MANY("r") "n FROM r");
		assert_int_equal(ticks > 0, row[i].runs);
	}
}

static void a_slot_holds_the_last_answer_that_fits(void **unused)
{
	static char big[SQLMEMO_BYTES + 1];
	static struct sqlmemo m;
	struct hash a = { .b = { 7, 1 } }, b = { .b = { 7, 2 } };

	(void)unused;
	assert_int_equal(sqlmemo_get(&m, &a).n, 0);
	sqlmemo_put(&m, &a, view_of("one"));
	assert_true(view_eq(sqlmemo_get(&m, &a), view_of("one")));
	assert_int_equal(sqlmemo_get(&m, &b).n, 0);
	sqlmemo_put(&m, &b, view_of("two"));
	assert_int_equal(sqlmemo_get(&m, &a).n, 0);
	assert_true(view_eq(sqlmemo_get(&m, &b), view_of("two")));
	sqlmemo_put(&m, &b, (struct view){ big, sizeof big });
	assert_int_equal(sqlmemo_get(&m, &b).n, 0);
	sqlmemo_put(&m, &b, view_of("two"));
	sqlmemo_forget(&m);
	assert_int_equal(sqlmemo_get(&m, &b).n, 0);
	sqlmemo_free(&m);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_program_runs_once_and_each_query_keeps_its_names),
		TEST(an_endless_program_ends_once),
		TEST(chance_does_not_tell_who_ran),
		TEST(programs_that_differ_run_each),
		TEST(an_answer_holds_for_what_it_was_asked_under),
		cmocka_unit_test(a_slot_holds_the_last_answer_that_fits),
	};
	int failed;

	/* The orchard first: from then on SQLite has no way to the disk. */
	orchard_make(&orchard);
	if (sqlchild_setup(NULL))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	orchard_remove(&orchard);
	return failed;
}
