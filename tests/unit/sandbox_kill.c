/* sandbox_kill.c - a child that tries to do more than read is killed by the filter
 *
 * The calls below run inside a real child, behind its guard, and go straight to the
 * system: as if SQLite had been taken over.
 */
#include "tests/support/cm.h"

#include "tests/support/sqlrig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sqlrig rig;
static struct orchard orchard;

#define TRY(name, what) \
	static int name(sqlite3 *db, struct buf *ret, struct err *e) \
	{ \
		long r = (long)(what); \
\
		(void)db; \
		(void)e; \
		buf_addf(ret, "survived %ld", r); \
		return 0; \
	}

TRY(opens_a_file,
    syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY | O_CREAT, 0600))
TRY(opens_a_file_the_old_way, syscall(SYS_open, "/etc/passwd", O_RDONLY))
TRY(makes_a_socket, socket(AF_INET, SOCK_STREAM, 0))
TRY(forks, syscall(SYS_fork))
TRY(clones, syscall(SYS_clone, 0, 0, 0, 0, 0))
TRY(executes, syscall(SYS_execve, "/bin/sh", NULL, NULL))
TRY(kills_its_parent, syscall(SYS_kill, getppid(), 0))
TRY(looks_at_a_name, syscall(SYS_newfstatat, AT_FDCWD, "/etc", NULL, 0))
TRY(removes_a_file, syscall(SYS_unlink, "/tmp/none"))
TRY(traces, syscall(SYS_ptrace, 0, 0, 0, 0))
TRY(writes_elsewhere, syscall(SYS_write, 5, "x", 1))
TRY(writes_at_an_offset, syscall(SYS_pwrite64, 4, "x", 1, 0))
#ifndef FLEET_SANITIZED
TRY(makes_code,
    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
TRY(maps_a_file, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 4, 0))
#endif

static int reads_the_environment(sqlite3 *db, struct buf *ret, struct err *e)
{
	(void)db, (void)e;
	buf_add_str(ret, getenv("SANDBOX_TEST_KEY") ? "it is there" : "it is gone");
	return 0;
}

static int counts_trees(sqlite3 *db, struct buf *ret, struct err *e)
{
	sqlite3_stmt *s;

	(void)e;
	sqlite3_prepare_v2(db, "SELECT count(*) FROM tree", -1, &s, NULL);
	sqlite3_step(s);
	buf_addf(ret, "%d", sqlite3_column_int(s, 0));
	sqlite3_finalize(s);
	return 0;
}

static int fails(sqlite3 *db, struct buf *ret, struct err *e)
{
	(void)db;
	buf_add_str(ret, "half of an output");
	return err_set(e, ERR_INPUT, "it did not work");
}

static int crashes(sqlite3 *db, struct buf *ret, struct err *e)
{
	(void)db, (void)ret, (void)e;
	_exit(9);
}

#define ROW(f) \
	{ \
#f, f \
	}

static const struct sqlchild_call calls[] = {
	ROW(counts_trees),     ROW(fails),
	ROW(crashes),          ROW(reads_the_environment),
	ROW(opens_a_file),     ROW(opens_a_file_the_old_way),
	ROW(makes_a_socket),   ROW(forks),
	ROW(clones),           ROW(executes),
	ROW(kills_its_parent), ROW(looks_at_a_name),
	ROW(removes_a_file),   ROW(traces),
	ROW(writes_elsewhere), ROW(writes_at_an_offset),
#ifndef FLEET_SANITIZED
	ROW(makes_code),       ROW(maps_a_file),
#endif
};

enum { FIRST_FORBIDDEN = 4, CALLS = sizeof calls / sizeof *calls };

static struct sqlrig_answer call(uint32_t which)
{
	struct sql_request q = rig.ask;
	struct sqlrig_answer a;

	q.op = SQL_CALL;
	q.call = which;
	sqlrig_send(&rig, &q, &a);
	sqlrig_wait(&rig);
	return a;
}

static void a_call_reads_the_database_and_gives_its_bytes(void **unused)
{
	struct sqlrig_answer a = call(0);

	(void)unused;
	assert_int_equal(a.code, 0);
	assert_true(view_eq(a.output, view_of("5")));
}

static void a_call_that_fails_gives_its_error_and_no_output(void **unused)
{
	struct sqlrig_answer a = call(1);

	(void)unused;
	assert_int_equal(a.code, ERR_INPUT);
	assert_string_equal(a.text, "it did not work");
	assert_int_equal(a.output.n, 0);
	a = call(1000);
	assert_int_equal(a.code, ERR_RANGE);
}

static void a_child_that_ends_is_a_death_with_its_reason(void **unused)
{
	struct sqlrig_answer a = call(2);

	(void)unused;
	assert_int_equal(a.code, ERR_DEATH);
	assert_non_null(strstr(a.text, "exit code 9"));
}

static void keys_of_the_environment_are_not_in_a_child(void **unused)
{
	struct sqlrig_answer a = call(3);

	(void)unused;
	assert_true(view_eq(a.output, view_of("it is gone")));
}

static void whatever_is_forbidden_kills_the_child(void **unused)
{
	(void)unused;
	for (uint32_t i = FIRST_FORBIDDEN; i < CALLS; i++) {
		struct sqlrig_answer a = call(i);

		if (a.code != ERR_DEATH || !strstr(a.text, "signal 31"))
			print_message("%s: code %d, %s, %.*s\n", calls[i].name, a.code,
				      a.text, (int)a.output.n, a.output.p);
		assert_int_equal(a.code, ERR_DEATH);
		assert_non_null(strstr(a.text, "signal 31"));
		assert_non_null(strstr(a.text, "the sandbox forbids"));
	}
	a_call_reads_the_database_and_gives_its_bytes(NULL);
}

static void no_zombie_is_left(void **unused)
{
	(void)unused;
	/* The zygote is the only child of this process. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_reads_the_database_and_gives_its_bytes),
		cmocka_unit_test(a_call_that_fails_gives_its_error_and_no_output),
		cmocka_unit_test(a_child_that_ends_is_a_death_with_its_reason),
		cmocka_unit_test(keys_of_the_environment_are_not_in_a_child),
		cmocka_unit_test(whatever_is_forbidden_kills_the_child),
		cmocka_unit_test(no_zombie_is_left),
	};

	setenv("SANDBOX_TEST_KEY", "sk-test-123", 1);
	sqlrig_start(&rig, calls, CALLS, 2);
	return sqlrig_run_tests(&rig, &orchard, tests);
}
