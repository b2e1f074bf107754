/* noop.c - what the fleet itself costs: tasks that do nothing, durably
 *
 *     noop TASKS [WORKERS [BYTES [DIR]]]
 *
 * Real broker, real workers, real journal (synchronous=FULL); tasks of BYTES payload.
 * Prints tasks a second, CPU of the broker's process a task, and the core's bytes of a
 * queued task with all of them queued and no worker (the second line).
 */
#include "broker/broker.h"
#include "common/base/clock.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "worker/worker.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { A_UNIT = 1000 }; /* tasks that one planner wants */

static uint64_t tasks, bytes;
static char payload[4096];

struct share {
	uint64_t first, n;
};

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	const struct share *s = p->arg;
	struct buf spec = { 0 };
	int waits = 0;

	for (uint64_t i = 0; i < s->n; i++) {
		spec_begin(&spec, KIND_noop, 2);
		pack_u64(&spec, s->first + i);
		pack_bin(&spec, (struct view){ payload, bytes });
		waits |= plan_need(p, &spec, NULL, 0).state == FACT_PENDING;
	}
	buf_free(&spec);
	pack_u64(ret, s->first);
	return waits ? PLAN_WAITS : PLAN_DONE;
}

static int add_units(struct core *core)
{
	uint64_t units = (tasks + A_UNIT - 1) / A_UNIT;
	struct share *s = mem_alloc(units, sizeof *s);
	int rc = s ? 0 : ERR_NOMEM;

	for (uint64_t i = 0; i < units && !rc; i++) {
		uint64_t left = tasks - i * A_UNIT;
		struct unit u = { .question = (uint32_t)i,
				  .plan = plan,
				  .arg = &s[i],
				  .role = ROLE_BENCH };

		s[i] = (struct share){ i * A_UNIT, left < A_UNIT ? left : A_UNIT };
		rc = core_add(core, &u);
	}
	return rc; /* the shares live as long as the process */
}

static int phase(void *arg, uint32_t n, struct core *core, struct err *e)
{
	(void)arg, (void)e;
	if (n)
		return 0;
	return add_units(core) ? -ERR_NOMEM : 1;
}

static double cpu_s(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void be_worker(const char *address, const char *dir)
{
	struct worker_config c = { .address = address, .cache = dir };
	struct err e = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (worker_main(&c, &e))
		fprintf(stderr, "worker: %s\n", e.text);
	_exit(0);
}

static int measure(const char *dir, unsigned workers)
{
	char address[400], journal[400];
	pid_t pid[64];
	struct sweep s = { .name = "noop", .journal = journal };
	struct broker_config c = { .sweep = &s, .address = address, .phase = phase };
	struct broker_result r;
	struct err e = { 0 };
	uint64_t t0;
	double cpu, wall;
	int rc;

	snprintf(address, sizeof address, "ipc://%s/fleet", dir);
	snprintf(journal, sizeof journal, "%s/journal.db", dir);
	s.key = hash_of("noop", 4);
	for (unsigned i = 0; i < workers; i++)
		if (!(pid[i] = fork()))
			be_worker(address, dir);
	t0 = clock_ns();
	cpu = cpu_s(RUSAGE_SELF);
	rc = broker_run(&c, &r, &e);
	wall = (double)(clock_ns() - t0) * 1e-9;
	cpu = cpu_s(RUSAGE_SELF) - cpu;
	for (unsigned i = 0; i < workers; i++) {
		kill(pid[i], SIGTERM);
		waitpid(pid[i], NULL, 0);
	}
	if (rc || r.last.tasks < tasks) {
		fprintf(stderr, "noop: %s (%llu tasks done)\n", e.text,
			(unsigned long long)r.last.tasks);
		return 1;
	}
	printf("noop tasks %llu workers %u bytes %llu: %.0f tasks/s, %.2f us wall and "
	       "%.2f "
	       "us of broker CPU a task\n",
	       (unsigned long long)tasks, workers, (unsigned long long)bytes,
	       (double)tasks / wall, wall * 1e6 / (double)tasks,
	       cpu * 1e6 / (double)tasks);
	return 0;
}

/* All tasks looked up and ready, nobody to take them. */
static int measure_memory(void)
{
	struct core_config cc = {
		.epoch = 1, .lease_ms = 1000, .active = UINT32_MAX, .ahead = 1u << 30
	};
	struct event start = { .kind = EVENT_START };
	const struct action *a;
	struct core *core;
	size_t n, before = mallinfo2().uordblks + mallinfo2().hblkhd, after;
	uint64_t done = 0;

	if (core_new(&cc, &core) || add_units(core) ||
	    core_step(core, &start, 1, &a, &n))
		return 1;
	/* Every question was started at once; its lookups are all in the one list. */
	while (n && done < tasks) {
		uint32_t *look = mem_alloc(n + 1, sizeof *look);
		size_t looks = 0;

		for (size_t i = 0; look && i < n; i++)
			if (a[i].kind == ACTION_LOOKUP)
				look[looks++] = a[i].lookup;
		for (size_t i = 0; i < looks; i++, done++) {
			struct event ev = { .kind = EVENT_FOUND, .lookup = look[i] };

			if (core_step(core, &ev, 1, &a, &n))
				return 1;
		}
		mem_free(look);
		if (!looks)
			break;
	}
	malloc_trim(0);
	after = mallinfo2().uordblks + mallinfo2().hblkhd;
	{
		struct core_stats st;

		core_stats(core, &st);
		printf("queued %u tasks of %llu bytes payload: %.1f bytes of memory "
		       "each\n",
		       st.ready[LANE_CPU], (unsigned long long)bytes,
		       (double)(after - before) / st.ready[LANE_CPU]);
	}
	core_free(&core);
	return 0;
}

int main(int argc, char **argv)
{
	char dir[300];
	unsigned workers = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
	int rc;

	if (argc < 2) {
		fprintf(stderr, "usage: noop TASKS [WORKERS [BYTES [DIR]]]\n");
		return 1;
	}
	tasks = strtoull(argv[1], NULL, 10);
	bytes = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	snprintf(dir, sizeof dir, "%s/mapfleet-noop-XXXXXX",
		 argc > 4 ? argv[4] : "/tmp");
	if (bytes > sizeof payload || workers > 64 || !mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	memset(payload, 'x', sizeof payload);
	rc = measure(dir, workers);
	if (!rc)
		rc = measure_memory();
	if (chdir(dir) == 0) {
		unlink("journal.db");
		unlink("journal.db-wal");
		unlink("journal.db-shm");
		unlink("fleet");
	}
	rmdir(dir);
	return rc;
}
