/* sqlpool_lost.c - when the zygote is gone, every request is answered and it is said
 * why */
#include "tests/support/cm.h"

#include "tests/support/sqlrig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sqlrig rig;
static struct orchard orchard;

static pid_t only_child(void)
{
	char path[80];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%ld/children",
		 (long)syscall(SYS_gettid));
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%d", &pid) != 1)
		pid = 0;
	fclose(f);
	return pid;
}

static void a_lost_zygote_answers_everything_with_sandbox(void **unused)
{
	struct sql_request q = rig.ask;
	static struct sqlrig_answer a[50];
	pid_t zygote = only_child();
	int failed = 0;

	(void)unused;
	if (!zygote)
		skip();
	q.sql = view_of("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r "
			"WHERE n<100000) SELECT count(*) FROM r");
	for (int i = 0; i < 50; i++)
		sqlrig_send(&rig, &q, &a[i]);
	uv_run(&rig.loop, UV_RUN_ONCE);
	kill(zygote, SIGKILL);
	sqlrig_wait(&rig);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(a[i].called, 1);
		assert_true(a[i].code == 0 || a[i].code == ERR_SANDBOX);
		failed += a[i].code == ERR_SANDBOX;
		if (a[i].code)
			assert_non_null(strstr(a[i].text, "zygote is gone"));
	}
	assert_true(failed > 0);
	assert_int_equal(sqlpool_submit(rig.pool, &q, NULL, NULL, NULL), ERR_SANDBOX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_zygote_answers_everything_with_sandbox),
	};

	sqlrig_start(&rig, NULL, 0, 2);
	return sqlrig_run_tests(&rig, &orchard, tests);
}
