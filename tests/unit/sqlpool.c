/* sqlpool.c - who is answered with what when children hang, die or are many */
#include "tests/support/cm.h"

#include "common/base/clock.h"
#include "tests/support/sqlrig.h"
#include "worker/dbfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sqlrig rig;
static struct orchard orchard;

#define ENDLESS \
	"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) " \
	"SELECT count(*) FROM r"

static int hangs(sqlite3 *db, struct buf *ret, struct err *e)
{
	(void)db, (void)ret, (void)e;
	for (volatile int i = 0; i >= 0; i = i ? 0 : 1)
		;
	return 0;
}

static const struct sqlchild_call calls[] = { { "hangs", hangs } };

static struct sql_request exec_of(const char *sql)
{
	struct sql_request q = rig.ask;

	q.op = SQL_EXEC;
	q.sql = view_of(sql);
	return q;
}

static void C02_the_wall_clock_kills_and_only_the_one_that_ran(void **unused)
{
	struct sql_request slow = exec_of(ENDLESS), quick = exec_of("SELECT 1");
	struct sqlrig_answer a, b[40];
	struct sqlpool_stats s;
	uint64_t from = clock_ms(), took;

	(void)unused;
	slow.limits.steps = UINT64_MAX / 2;
	slow.wall_ms = 400;
	sqlrig_send(&rig, &slow, &a);
	for (int i = 0; i < 40; i++)
		sqlrig_send(&rig, &quick, &b[i]);
	sqlrig_wait(&rig);
	took = clock_ms() - from;
	assert_int_equal(a.called, 1);
	assert_int_equal(a.code, ERR_TIMEOUT);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(b[i].called, 1);
		assert_int_equal(b[i].code, 0);
		assert_int_equal(b[i].exec.status, STATUS_rows);
	}
	/* 0.2 s beyond the limit; the rest is for a machine that does other things. */
	assert_in_range(took, 400, 400 + 200 + 600);
	sqlpool_stats(rig.pool, &s);
	assert_int_equal(s.timeouts, 1);
	assert_int_equal(s.running + s.queued, 0);
	/* Nothing of it is left: the zygote is this process's only child. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
}

static uint64_t quick_done;

static void note_time(void *arg, const struct sql_reply *r)
{
	assert_int_equal(r->code, 0);
	if (++*(int *)arg == 12)
		quick_done = clock_ms();
}

static void quick_requests_do_not_wait_behind_a_long_one(void **unused)
{
	struct sql_request slow = exec_of(ENDLESS), quick = exec_of("SELECT 1");
	struct sqlrig_answer a;
	uint64_t from = clock_ms();
	int done = 0;

	(void)unused;
	slow.limits.steps = UINT64_MAX / 2;
	slow.wall_ms = 1500;
	for (int i = 0; i < 12; i++) {
		if (i == 2)
			sqlrig_send(&rig, &slow, &a);
		assert_int_equal(
			sqlpool_submit(rig.pool, &quick, note_time, &done, NULL), 0);
	}
	sqlrig_wait(&rig);
	assert_int_equal(done, 12);
	assert_int_equal(a.code, ERR_TIMEOUT);
	assert_in_range(quick_done - from, 0, 1000);
}

static void a_call_that_hangs_is_killed_too(void **unused)
{
	struct sql_request q = exec_of("");
	struct sqlrig_answer a;

	(void)unused;
	q.op = SQL_CALL;
	q.wall_ms = 100;
	sqlrig_send(&rig, &q, &a);
	sqlrig_wait(&rig);
	assert_int_equal(a.code, ERR_TIMEOUT);
	a = sqlrig_exec(&rig, "SELECT 1");
	assert_int_equal(a.exec.status, STATUS_rows);
}

static void many_requests_are_each_answered_once_and_rightly(void **unused)
{
	enum { MANY = 2000 };
	struct sqlrig_answer *a = calloc(MANY, sizeof *a);
	char sql[64];

	(void)unused;
	for (int i = 0; i < MANY; i++) {
		struct sql_request q;

		snprintf(sql, sizeof sql, "SELECT %d, count(*) FROM tree", i);
		q = exec_of(sql);
		sqlrig_send(&rig, &q, &a[i]);
	}
	sqlrig_wait(&rig);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(a[i].called, 1);
		assert_int_equal(a[i].exec.preview[0].i, i);
		assert_int_equal(a[i].exec.preview[1].i, 5);
	}
	free(a);
}

static void more_databases_than_a_child_holds_all_answer(void **unused)
{
	enum { MANY = 70 };
	static struct orchard o[MANY];
	static struct sqlrig_answer a[2 * MANY];
	char sql[64];

	(void)unused;
	for (int i = 0; i < MANY; i++) {
		snprintf(sql, sizeof sql, "CREATE TABLE me AS SELECT %d AS i", i);
		orchard_make_with(&o[i], sql);
	}
	for (int i = 0; i < 2 * MANY; i++) {
		struct sql_request q = exec_of("SELECT i FROM me");

		q.db = o[i % MANY].hash;
		q.db_fd = o[i % MANY].fd;
		sqlrig_send(&rig, &q, &a[i]);
	}
	sqlrig_wait(&rig);
	for (int i = 0; i < 2 * MANY; i++)
		assert_int_equal(a[i].exec.preview[0].i, i % MANY);
	for (int i = 0; i < MANY; i++)
		orchard_remove(&o[i]);
}

static void must_not_be_called(void *arg, const struct sql_reply *r)
{
	(void)r;
	++*(int *)arg;
}

static void what_is_cancelled_is_never_called_back(void **unused)
{
	struct sql_request q = exec_of("SELECT 1");
	uint64_t id[30];
	int called = 0;
	struct sqlrig_answer a;

	(void)unused;
	for (int i = 0; i < 30; i++)
		assert_int_equal(sqlpool_submit(rig.pool, &q, must_not_be_called,
						&called, &id[i]),
				 0);
	sqlrig_send(&rig, &q, &a);
	uv_run(&rig.loop, UV_RUN_NOWAIT); /* some are on their way */
	called = 0;
	for (int i = 0; i < 30; i++)
		sqlpool_cancel(rig.pool, id[i]);
	sqlrig_wait(&rig);
	assert_int_equal(called, 0);
	assert_int_equal(a.called, 1);
	assert_int_equal(sqlpool_cancel(rig.pool, id[0]), 0);
}

/* C14: 32 readers while another process holds the write lock. */
static void C14_readers_do_not_mind_a_lock(void **unused)
{
	struct sql_request q = exec_of("SELECT count(*) FROM tree");
	static struct sqlrig_answer a[32];
	sqlite3 *db;

	(void)unused;
	sqlite3_open(orchard.path, &db);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), 0);
	for (int i = 0; i < 32; i++)
		sqlrig_send(&rig, &q, &a[i]);
	sqlrig_wait(&rig);
	for (int i = 0; i < 32; i++)
		assert_int_equal(a[i].exec.preview[0].i, 5);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
}

/* ---- files ---- */

static void copy(const char *from, const char *to)
{
	char command[800];

	snprintf(command, sizeof command, "cp %s %s", from, to);
	assert_int_equal(system(command), 0);
}

/* A database whose last row is in its -wal only, as a writer that was killed leaves it.
 */
static void make_hot(const struct orchard *o, const char *mode, char *ret, size_t n)
{
	char a[300], b[300], sql[100];
	sqlite3 *db;

	sqlite3_open(o->path, &db);
	snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s", mode);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	sqlite3_exec(db, "PRAGMA cache_spill=1; PRAGMA cache_size=1; BEGIN;", NULL,
		     NULL, NULL);
	sqlite3_exec(db,
		     "INSERT INTO tree(kind) WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL"
		     " SELECT n+1 FROM r WHERE n<2000) SELECT hex(zeroblob(50)) FROM r",
		     NULL, NULL, NULL);
	if (!strcmp(mode, "wal"))
		sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	snprintf(ret, n, "%s/hot.sqlite", o->dir);
	copy(o->path, ret);
	snprintf(a, sizeof a, "%s-%s", o->path,
		 strcmp(mode, "wal") ? "journal" : "wal");
	snprintf(b, sizeof b, "%s-%s", ret, strcmp(mode, "wal") ? "journal" : "wal");
	copy(a, b);
	sqlite3_close(db);
}

static void hot_gives(const char *mode, int64_t trees)
{
	char path[200], cache[200], command[400];
	const struct dbfile *f, *again;
	struct dbfiles *files;
	struct sql_request q = exec_of("SELECT count(*) FROM tree");
	struct sqlrig_answer a;
	struct orchard o;
	struct err e = { 0 };
	int before;

	orchard_make(&o);
	make_hot(&o, mode, path, sizeof path);
	before = orchard_files(&o);
	snprintf(cache, sizeof cache, "%s-cache", o.dir);
	assert_int_equal(dbfiles_new(cache, &files), 0);
	assert_int_equal(dbfile_open(files, path, &f, &e), 0);
	assert_int_equal(f->recovered, 1);
	assert_int_equal(orchard_files(&o), before);
	assert_int_equal(dbfile_open(files, path, &again, &e), 0);
	assert_ptr_equal(f, again);
	assert_ptr_equal(dbfile_by_hash(files, &f->hash), f);
	q.db = f->hash;
	q.db_fd = f->fd;
	sqlrig_send(&rig, &q, &a);
	sqlrig_wait(&rig);
	assert_int_equal(a.exec.preview[0].i, trees);
	dbfiles_free(&files);
	snprintf(command, sizeof command, "rm -r %s", cache);
	assert_int_equal(system(command), 0);
	orchard_remove(&o);
}

static void a_hot_wal_is_recovered_into_a_private_copy(void **unused)
{
	(void)unused;
	hot_gives("wal", 2005);
}

static void a_hot_journal_is_rolled_back_in_a_private_copy(void **unused)
{
	(void)unused;
	hot_gives("delete", 5);
}

static void a_database_is_known_by_its_bytes(void **unused)
{
	const struct dbfile *f;
	struct dbfiles *files;
	struct err e;
	char path[200];

	(void)unused;
	assert_int_equal(dbfiles_new("/tmp/none", &files), 0);
	assert_int_equal(dbfile_open(files, orchard.path, &f, &e), 0);
	assert_true(hash_eq(&f->hash, &orchard.hash));
	assert_int_equal(f->recovered, 0);
	snprintf(path, sizeof path, "%s/absent.sqlite", orchard.dir); /* C16 */
	assert_int_equal(dbfile_open(files, path, &f, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "absent.sqlite"));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(dbfile_open(files, "/etc/passwd", &f, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "not an SQLite database"));
	assert_int_equal(dbfile_open(files, "/tmp", &f, &e), ERR_INPUT);
	dbfiles_free(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(C02_the_wall_clock_kills_and_only_the_one_that_ran),
		cmocka_unit_test(quick_requests_do_not_wait_behind_a_long_one),
		cmocka_unit_test(a_call_that_hangs_is_killed_too),
		cmocka_unit_test(many_requests_are_each_answered_once_and_rightly),
		cmocka_unit_test(more_databases_than_a_child_holds_all_answer),
		cmocka_unit_test(what_is_cancelled_is_never_called_back),
		cmocka_unit_test(C14_readers_do_not_mind_a_lock),
		cmocka_unit_test(a_hot_wal_is_recovered_into_a_private_copy),
		cmocka_unit_test(a_hot_journal_is_rolled_back_in_a_private_copy),
		cmocka_unit_test(a_database_is_known_by_its_bytes),
	};

	sqlrig_start(&rig, calls, 1, 2);
	return sqlrig_run_tests(&rig, &orchard, tests);
}
