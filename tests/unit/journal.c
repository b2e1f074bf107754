/* journal.c - what is acknowledged is on disk; what cannot be, is never acknowledged */
#include "tests/support/cm.h"

#include "broker/journal.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "proto/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[100], path[160];
static uv_loop_t loop;
static struct sweep sweep;
static struct question question[2];
static struct journal *journal;
static uint64_t epoch, committed[2000];
static size_t ncommitted, failures, after_failure, found;
static struct event last;
static char bytes[70000];
static struct err why;

static void on_committed(void *arg, uint64_t seq, void *note)
{
	(void)arg;
	mem_free(note);
	after_failure += failures;
	if (ncommitted < 2000)
		committed[ncommitted++] = seq;
}

static void on_failed(void *arg, const struct err *e)
{
	(void)arg;
	failures++;
	why = *e;
}

static void on_found(void *arg, const struct event *f, void *note)
{
	(void)arg;
	mem_free(note);
	last = *f;
	assert_true(f->output.n < sizeof bytes);
	if (f->output.n)
		memcpy(bytes, f->output.p, f->output.n);
	if (f->text.n)
		memcpy(bytes, f->text.p, f->text.n);
	found++;
}

static int open_journal(struct err *e)
{
	struct journal_config cfg = { .path = path,
				      .sweep = &sweep,
				      .on_committed = on_committed,
				      .on_failed = on_failed,
				      .on_found = on_found };
	int64_t id;

	return journal_open(&loop, &cfg, &journal, &id, &epoch, e);
}

static void must_open(void)
{
	struct err e;

	if (open_journal(&e))
		fail_msg("%s", e.text);
}

static void turn_until(const size_t *count, size_t n)
{
	for (int i = 0; i < 100000 && *count < n; i++)
		uv_run(&loop, UV_RUN_ONCE);
	assert_int_equal(*count, n);
}

static void closed(void *arg)
{
	(void)arg;
	journal = NULL;
}

static void close_journal(void)
{
	journal_close(journal, closed);
	while (journal)
		uv_run(&loop, UV_RUN_ONCE);
}

static int begin(void **unused)
{
	(void)unused;
	snprintf(dir, sizeof dir, "/tmp/journal.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/journal.db", dir);
	uv_loop_init(&loop);
	memset(&sweep, 0, sizeof sweep);
	question[0] = (struct question){ .position = 0, .id = view_of("1") };
	question[1] = (struct question){ .position = 5, .id = view_of("\"x\"") };
	sweep.q = question;
	sweep.nq = 2;
	ncommitted = failures = after_failure = found = 0;
	return 0;
}

static int end(void **unused)
{
	char command[300];

	(void)unused;
	while (uv_run(&loop, UV_RUN_DEFAULT))
		;
	uv_loop_close(&loop);
	snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", dir, dir);
	assert_int_equal(system(command), 0);
	unsetenv("MAPFLEET_TEST_FSTYPE");
	return 0;
}

static void spec_of(uint64_t i, struct buf *b)
{
	spec_begin(b, KIND_noop, 2);
	pack_u64(b, i);
	pack_bin(b, view_of(""));
}

static void write_task(uint64_t i)
{
	struct buf b = { 0 };
	struct action a = { .kind = ACTION_TASK, .task = i, .task_kind = KIND_noop };

	spec_of(i, &b);
	a.spec = buf_view(&b);
	journal_write(journal, &a, view_of(""), NULL, 0);
	buf_free(&b);
}

static void write_output(enum action_kind kind, uint64_t i, struct view out,
			 const struct view *call, size_t ncall)
{
	struct action a = { .kind = kind,
			    .task = i,
			    .attempt = 1,
			    .output = out,
			    .call = call,
			    .ncall = ncall };

	journal_write(journal, &a, view_of("host:1"), NULL, 0);
}

static void look_up(uint64_t i)
{
	struct buf b = { 0 };
	struct hash key;
	size_t before = found;

	spec_of(i, &b);
	key = task_key(buf_view(&b));
	journal_look_up(journal, &key, (uint32_t)i, NULL);
	turn_until(&found, before + 1);
	assert_int_equal(last.lookup, i);
	buf_free(&b);
}

static int64_t ask(const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	int64_t v;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return v;
}

static void run_sql(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void must_refuse(int code, const char *says)
{
	struct err e = { 0 };

	assert_int_equal(open_journal(&e), code);
	if (!strstr(e.text, says))
		fail_msg("\"%s\" does not say \"%s\"", e.text, says);
	assert_non_null(strstr(e.text, path));
}

/* ---- opening --------------------------------------------------------------------- */

static void each_start_is_an_epoch_and_one_command_one_sweep(void **unused)
{
	(void)unused;
	must_open();
	assert_int_equal(epoch, 1);
	close_journal();
	must_open();
	assert_int_equal(epoch, 2);
	close_journal();
	assert_int_equal(ask("SELECT COUNT(*) FROM sweep"), 1);
	assert_int_equal(ask("SELECT position FROM question WHERE id = '\"x\"'"), 5);
	assert_int_equal(ask("PRAGMA user_version"), JOURNAL_VERSION);
	assert_int_equal(ask("PRAGMA application_id"), JOURNAL_APPLICATION);
}

static void a_network_file_system_is_refused(void **unused)
{
	(void)unused;
	setenv("MAPFLEET_TEST_FSTYPE", "6969", 1);
	must_refuse(ERR_INPUT, "NFS");
	assert_int_equal(access(path, F_OK), -1); /* nothing was made */
}

static void a_newer_version_is_refused_and_left_alone(void **unused)
{
	(void)unused;
	must_open();
	close_journal();
	run_sql("PRAGMA user_version = 2");
	must_refuse(ERR_INPUT, "newer");
	assert_int_equal(ask("SELECT COUNT(*) FROM epoch"), 1);
}

static void another_programs_database_is_refused_and_left_alone(void **unused)
{
	(void)unused;
	run_sql("CREATE TABLE theirs(x)");
	must_refuse(ERR_INPUT, "another program's");
	assert_int_equal(ask("SELECT COUNT(*) FROM sqlite_master"), 1);
	assert_int_equal(ask("SELECT (SELECT journal_mode FROM "
			     "pragma_journal_mode) = 'delete'"),
			 1);
}

static void a_file_that_is_no_database_is_refused(void **unused)
{
	FILE *f = fopen(path, "w");

	(void)unused;
	for (int i = 0; i < 2000; i++)
		fputs("not a database\n", f);
	fclose(f);
	must_refuse(ERR_STORE, "not a database");
}

static void a_directory_that_is_not_there_is_named(void **unused)
{
	(void)unused;
	snprintf(path, sizeof path, "%s/nowhere/journal.db", dir);
	must_refuse(ERR_STORE, "is the directory there and writable?");
}

/* Root may write anywhere, so a child becomes somebody else. */
static void an_unwritable_directory_is_named(void **unused)
{
	struct err e = { 0 };
	int status;
	pid_t pid;

	(void)unused;
	chmod(dir, 0555);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534))
			_exit(2);
		_exit(open_journal(&e) == ERR_STORE && strstr(e.text, "writable?") &&
				      strstr(e.text, path)
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- writing --------------------------------------------------------------------- */

static void batches_are_committed_in_order_and_few_transactions(void **unused)
{
	struct journal_stats s;

	(void)unused;
	must_open();
	for (uint64_t i = 1; i <= 1000; i++) {
		write_task(i);
		write_output(ACTION_OUTPUT, i, view_of("o"), NULL, 0);
		journal_flush(journal, i, mem_alloc(1, 1));
	}
	turn_until(&ncommitted, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(committed[i], i + 1);
	journal_stats(journal, &s);
	assert_true(s.commits < 500); /* group commit */
	assert_int_equal(s.waiting, 0);
	close_journal();
	assert_int_equal(ask("SELECT COUNT(*) FROM output"), 1000);
	assert_int_equal(failures, 0);
}

static void a_turn_not_handed_over_counts_as_waiting(void **unused)
{
	struct journal_stats s;

	(void)unused;
	must_open();
	write_task(1);
	journal_stats(journal, &s);
	assert_int_equal(s.waiting, 1);
	journal_flush(journal, 1, NULL);
	turn_until(&ncommitted, 1);
	journal_stats(journal, &s);
	assert_int_equal(s.waiting, 0);
	close_journal();
}

static void look_ups_find_what_is_there(void **unused)
{
	static char large[60000];
	struct action bad = { .kind = ACTION_FAILURE,
			      .task = 3,
			      .attempt = 1,
			      .code = ERR_TIMEOUT,
			      .text = view_of("too long"),
			      .final = 1 };

	(void)unused;
	memset(large, 'x', sizeof large);
	must_open();
	write_task(1);
	write_output(ACTION_OUTPUT, 1, (struct view){ large, sizeof large }, NULL, 0);
	write_task(2);
	write_task(3);
	journal_write(journal, &bad, view_of("host:1"), NULL, 0);
	journal_flush(journal, 1, NULL);
	turn_until(&ncommitted, 1);
	look_up(1);
	assert_int_equal(last.state, FACT_OUTPUT);
	assert_int_equal(last.output.n, sizeof large);
	assert_memory_equal(bytes, large, sizeof large);
	look_up(2);
	assert_int_equal(last.state, FACT_PENDING);
	assert_int_equal(last.task, 2);
	look_up(3);
	assert_int_equal(last.state, FACT_FAILED);
	assert_int_equal(last.code, ERR_TIMEOUT);
	assert_memory_equal(bytes, "too long", 8);
	look_up(4);
	assert_int_equal(last.task, 0);
	close_journal();
	assert_true(ask("SELECT length(body) FROM output") < 1000); /* zstd */
	sweep.retry_errors = 1;
	must_open();
	look_up(3);
	assert_int_equal(last.state, FACT_PENDING);
	close_journal();
}

static void the_first_output_stays_and_calls_are_counted_once(void **unused)
{
	const struct view call[] = { { "a", 1 }, { "b", 1 } };
	const struct view other[] = { { "c", 1 } };

	(void)unused;
	must_open();
	write_task(1);
	write_output(ACTION_OUTPUT, 1, view_of("first"), call, 2);
	write_output(ACTION_ORPHAN, 99, view_of("of nothing"), NULL, 0);
	journal_flush(journal, 1, NULL);
	turn_until(&ncommitted, 1);
	close_journal();
	must_open(); /* another epoch: the same result comes again, and another's */
	write_output(ACTION_ORPHAN, 1, view_of("first"), call, 2);
	write_output(ACTION_ORPHAN, 1, view_of("second"), other, 1);
	journal_flush(journal, 1, NULL);
	turn_until(&ncommitted, 2);
	look_up(1);
	assert_memory_equal(bytes, "first", 5);
	close_journal();
	assert_int_equal(ask("SELECT COUNT(*) FROM output"), 1);
	assert_int_equal(ask("SELECT COUNT(*) FROM call"), 3);
	assert_int_equal(ask("SELECT SUM(useful) FROM call"), 1);
	assert_int_equal(ask("SELECT useful FROM call WHERE body = x'62'"), 1);
}

static void blobs_come_back(void **unused)
{
	static char text[9000];
	struct blob blob = { hash_of("x", 1), { text, sizeof text }, 0 };
	struct action a = { .kind = ACTION_TASK, .task = 1, .task_kind = KIND_noop };
	struct hash unknown = hash_of("y", 1);
	struct buf spec = { 0 };
	char *got;
	size_t n;

	(void)unused;
	must_open();
	spec_of(1, &spec);
	a.spec = buf_view(&spec);
	journal_write(journal, &a, view_of(""), &blob, 1);
	journal_flush(journal, 1, NULL);
	turn_until(&ncommitted, 1);
	assert_true(journal_blob(journal, &blob.hash, &got, &n));
	assert_int_equal(n, sizeof text);
	assert_memory_equal(got, text, n);
	mem_free(got);
	assert_false(journal_blob(journal, &unknown, &got, &n));
	close_journal();
	buf_free(&spec);
}

/* A file may not grow beyond this: what a full disk looks like. */
static void limit_files(rlim_t most)
{
	struct rlimit r = { most, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void a_full_disk_is_told_once_and_nothing_is_acknowledged_after(void **unused)
{
	static char noise[50000];
	uint64_t i = 1;

	(void)unused;
	for (size_t k = 0; k < sizeof noise; k++)
		noise[k] = (char)(rand() >> 7);
	must_open();
	limit_files(400000);
	for (; i <= 100; i++) {
		write_task(i);
		write_output(ACTION_OUTPUT, i, (struct view){ noise, sizeof noise },
			     NULL, 0);
		journal_flush(journal, i, mem_alloc(1, 1));
		uv_run(&loop, UV_RUN_NOWAIT);
	}
	turn_until(&failures, 1);
	limit_files(RLIM_INFINITY); /* even if there is room again */
	write_task(i);
	journal_flush(journal, i, NULL);
	close_journal();
	assert_int_equal(failures, 1);
	assert_int_equal(after_failure, 0);
	assert_int_equal(why.code, ERR_STORE);
	assert_non_null(strstr(why.text, path));
	/* Exactly what was acknowledged is there, and the file is whole. */
	assert_int_equal(ask("SELECT COUNT(*) FROM output"), ncommitted);
	assert_int_equal(ask("SELECT COUNT(*) FROM task"), ncommitted);
	assert_int_equal(
		ask("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	must_open(); /* and the same command goes on */
	write_task(1000);
	journal_flush(journal, 1000, NULL);
	turn_until(&ncommitted, ncommitted + 1);
	close_journal();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_start_is_an_epoch_and_one_command_one_sweep),
		TEST(a_network_file_system_is_refused),
		TEST(a_newer_version_is_refused_and_left_alone),
		TEST(another_programs_database_is_refused_and_left_alone),
		TEST(a_file_that_is_no_database_is_refused),
		TEST(a_directory_that_is_not_there_is_named),
		TEST(an_unwritable_directory_is_named),
		TEST(batches_are_committed_in_order_and_few_transactions),
		TEST(a_turn_not_handed_over_counts_as_waiting),
		TEST(look_ups_find_what_is_there),
		TEST(the_first_output_stays_and_calls_are_counted_once),
		TEST(blobs_come_back),
		TEST(a_full_disk_is_told_once_and_nothing_is_acknowledged_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
