/* fleet.c - see fleet.h */
#include "ops/fleet.h"

#include "broker/method/method.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "ops/budget.h"
#include "ops/progress.h"
#include "ops/setting.h"
#include "proto/verdict.h"
#include "results/verdict_plan.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the broker's process ---- */

/* What a phase of the broker is for, in their order. */
enum stage { LABELS, DRAFTS, CHOICES, VERDICTS, LESSONS, END };

struct play {
	const struct fleet *fleet;
	enum stage next, now;
	struct budget *budget; /* NULL: no run has one */
	struct progress progress;
};

/* What the broker's process tells its parent. */
struct told {
	int rc;
	struct err err;
	struct broker_result result;
};

static int wants_labels(const struct sweep *s)
{
	for (uint32_t i = 0; i < s->nrun; i++)
		if (s->run[i].uses_gold)
			return 1;
	return 0;
}

static int add_verdicts(struct play *p, struct core *core)
{
	const struct sweep *s = p->fleet->sweep;
	int rc = 0;

	for (uint32_t q = 0; q < s->nq && !rc; q++) {
		struct unit u = { .question = q,
				  .plan = verdict_plan,
				  .arg = p->fleet->gold,
				  .role = ROLE_RESULTS,
				  .tag = q };

		rc = core_add(core, &u);
	}
	return rc;
}

static plan_fn *plan_of(const char *name)
{
	const struct method *m = method_by_name(name);

	return m ? m->plan : NULL;
}

static int add_choices(struct play *p, struct core *core, struct err *e)
{
	const struct sweep *s = p->fleet->sweep;
	int rc = 0;

	for (uint32_t q = 0; q < s->nq; q++)
		for (uint32_t r = 0; r < s->nrun && !rc; r++) {
			struct unit u = { .question = q,
					  .plan = plan_of(s->run[r].method),
					  .run = &s->run[r],
					  .arg = budget_arg(p->budget, q, r),
					  .role = ROLE_SELECT,
					  .tag = r };

			if (!u.plan)
				return err_set(
					e, ERR_USAGE,
					"this build has no planner for method %s",
					s->run[r].method);
			rc = core_add(core, &u);
		}
	return rc;
}

static int add_lessons(struct play *p, struct core *core)
{
	const struct sweep *s = p->fleet->sweep;
	int rc = 0;

	for (uint32_t q = 0; q < s->nq && !rc; q++) {
		struct unit u = { .question = q,
				  .plan = learn_plan,
				  .run = &s->run[0],
				  .arg = p->fleet->learn,
				  .role = ROLE_LEARN,
				  .tag = q };

		rc = core_add(core, &u);
	}
	return rc;
}

static enum stage first_stage(const struct fleet *f)
{
	if (f->learn)
		return LESSONS;
	if (wants_labels(f->sweep))
		return LABELS;
	if (f->sweep->nrun)
		return DRAFTS;
	return f->gold ? VERDICTS : END;
}

/* A round of drafts, or choices when there is none any more. */
static int add_drafts_or_choices(struct play *p, struct core *core, struct err *e)
{
	int drafts = p->budget ? budget_round(p->budget, core) : 0;

	if (drafts)
		return drafts < 0 ? -drafts : 0;
	p->now = CHOICES;
	p->next = p->fleet->gold && !wants_labels(p->fleet->sweep) ? VERDICTS : END;
	return add_choices(p, core, e);
}

static int phase(void *arg, uint32_t n, struct core *core, struct err *e)
{
	struct play *p = arg;
	int rc = 0;

	(void)n;
	p->now = p->next;
	switch (p->now) {
	case LABELS:
		p->next = DRAFTS;
		rc = add_verdicts(p, core);
		break;
	case DRAFTS: rc = add_drafts_or_choices(p, core, e); break;
	case VERDICTS:
		p->next = END;
		rc = add_verdicts(p, core);
		break;
	case LESSONS:
		p->next = END;
		rc = add_lessons(p, core);
		break;
	default: return 0;
	}
	return rc ? -rc : 1;
}

/* The simulated judge answers from labels; verdicts made first are labels. */
static void keep_labels(struct sweep *s, uint32_t question, struct view verdict)
{
	struct arena a = { 0 };
	struct verdict v;

	if (!verdict_decode(verdict, &a, &v))
		for (uint32_t i = 0; i < v.n && i < s->q[question].n; i++)
			s->labels[question][i] = v.right[i];
	arena_free(&a);
}

static void record(void *arg, const struct unit *u, struct view bytes)
{
	struct play *p = arg;

	if (u->draft)
		budget_draft(p->budget, u, bytes);
	else if (p->now == LABELS)
		keep_labels(p->fleet->sweep, u->question, bytes);
}

static void show(void *arg, const struct broker_progress *b)
{
	static const char *const what[] = {
		[LABELS] = "scored",   [DRAFTS] = "weighed",  [CHOICES] = "settled",
		[VERDICTS] = "scored", [LESSONS] = "settled", [END] = "settled"
	};
	struct play *p = arg;

	progress_show(&p->progress, b, what[p->now]);
}

static int make_labels(struct sweep *s)
{
	s->labels = arena_alloc(&s->arena, s->nq + 1, sizeof *s->labels);
	for (uint32_t q = 0; s->labels && q < s->nq; q++)
		if (!(s->labels[q] = arena_alloc(&s->arena, s->q[q].n + 1, 1)))
			return ERR_NOMEM;
	return s->labels ? 0 : ERR_NOMEM;
}

/* One SQL child each: workers are as many as there are cores. They end with the broker.
 */
static void be_broker(const struct fleet *f, const char *address, char *program,
		      struct told *ret)
{
	char verb[] = "worker", connect[] = "--connect", slots[] = "--slots",
	     one[] = "1", parent[] = "--parent", to[96], pid[16];
	char *worker[] = { program, verb, connect, to, slots, one, parent, pid, NULL };
	struct play p = { .fleet = f, .next = first_stage(f) };
	struct broker_config c = { .sweep = f->sweep,
				   .address = address,
				   .worker_argv = worker,
				   .workers = f->sweep->workers,
				   .parent = (int)getppid(),
				   .phase = phase,
				   .on_record = record,
				   .on_progress = show,
				   .arg = &p };

	snprintf(to, sizeof to, "%s", address);
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	p.now = p.next;
	if ((p.now == LABELS && make_labels(f->sweep)) ||
	    budget_new(f->sweep, &p.budget)) {
		ret->rc = err_set(&ret->err, ERR_NOMEM, "labels and budgets");
		return;
	}
	progress_begin(&p.progress, stderr, f->quiet);
	ret->rc = broker_run(&c, &ret->result, &ret->err);
	progress_end(&p.progress);
	budget_free(&p.budget);
}

/* ---- in the command's process ---- */

static volatile sig_atomic_t broker_pid;

static void forward(int sig)
{
	if (broker_pid > 0)
		kill((pid_t)broker_pid, sig);
}

/* The broker is in a process group of its own: a terminal's ^C reaches us alone, and we
 * pass each one on once. */
static pid_t start(const struct fleet *f, const char *address, char *program,
		   int pipe_fd)
{
	pid_t parent = getpid(), pid = fork();
	struct told told = { 0 };
	ssize_t n;

	if (pid != 0)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	be_broker(f, address, program, &told);
	n = write(pipe_fd, &told, sizeof told);
	_exit(n == (ssize_t)sizeof told ? 0 : 1);
}

static int read_told(int fd, struct told *ret)
{
	size_t n = 0;

	while (n < sizeof *ret) {
		ssize_t got = read(fd, (char *)ret + n, sizeof *ret - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		n += (size_t)got;
	}
	return 1;
}

static int died(int status, struct err *e)
{
	if (WIFSIGNALED(status))
		return err_set(e, ERR_DEATH,
			       "the broker was ended by signal %d (%s); what was done "
			       "is kept, the "
			       "same command goes on",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(e, ERR_DEATH,
		       "the broker ended without a word (status %d); the same "
		       "command goes on",
		       WEXITSTATUS(status));
}

static int wait_for(pid_t pid, int fd, struct fleet_result *ret, struct err *e)
{
	struct sigaction act = { .sa_handler = forward }, old_int, old_term;
	struct told told = { 0 };
	int status = 0, spoke;

	broker_pid = (sig_atomic_t)pid;
	sigaction(SIGINT, &act, &old_int);
	sigaction(SIGTERM, &act, &old_term);
	spoke = read_told(fd, &told);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	broker_pid = 0;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	if (!spoke)
		return died(status, e);
	ret->broker = told.result;
	ret->interrupted = told.result.interrupted;
	if (told.rc && e)
		*e = told.err;
	return told.rc;
}

static int own_path(char ret[PATH_MAX], struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	if (n <= 0)
		return err_set(e, ERR_SANDBOX,
			       "/proc/self/exe: %s; /proc must be mounted",
			       strerror(errno));
	ret[n] = 0;
	return 0;
}

int fleet_run(const struct fleet *f, struct fleet_result *ret, struct err *e)
{
	char program[PATH_MAX], dir[64], address[96];
	int fds[2], rc = own_path(program, e);
	pid_t pid;

	if (rc)
		return rc;
	/* Short, for a socket's path has 108 bytes. */
	snprintf(dir, sizeof dir, "/tmp/mapfleet-XXXXXX");
	if (!mkdtemp(dir))
		return err_set(e, ERR_STORE, "%s: %s", dir, strerror(errno));
	snprintf(address, sizeof address, "ipc://%s/fleet", dir);
	memset(ret, 0, sizeof *ret);
	fflush(NULL);
	if (pipe(fds)) {
		rc = err_set(e, ERR_SANDBOX, "pipe: %s", strerror(errno));
	} else if ((pid = start(f, address, program, fds[1])) < 0) {
		rc = err_set(e, ERR_SANDBOX, "fork: %s", strerror(errno));
		close(fds[0]);
		close(fds[1]);
	} else {
		close(fds[1]);
		rc = wait_for(pid, fds[0], ret, e);
		close(fds[0]);
	}
	unlink(address + strlen("ipc://"));
	rmdir(dir);
	return rc;
}
