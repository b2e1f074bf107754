/* poolrun.c - see poolrun.h */
#include "ops/poolrun.h"

#include "common/base/buf.h"
#include "ops/tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGS = 40 };

/* Flags that are handed on as they were said. */
static const struct {
	enum flag flag;
	const char *name;
} handed_on[] = {
	{ FLAG_databases, "--databases" }, { FLAG_gold, "--gold" },
	{ FLAG_questions, "--questions" }, { FLAG_benchmark, "--benchmark" },
	{ FLAG_tables, "--tables" },       { FLAG_rule, "--rule" },
	{ FLAG_sql_steps, "--sql-steps" },
};

static void arguments(struct options *o, const char *pool, const char *dir,
		      const char *arg[ARGS])
{
	static const char *const fixed[] = { "mapfleet", "run",      "--json",
					     "--quiet",  "--method", "majority",
					     "--pool" };
	size_t n = 0;

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		arg[n++] = fixed[i];
	arg[n++] = pool;
	arg[n++] = "--output-dir";
	arg[n++] = dir;
	for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
		if (opt_said(o, handed_on[i].flag)) {
			arg[n++] = handed_on[i].name;
			arg[n++] = opt_text(o, handed_on[i].flag);
		}
	if (opt_on(o, FLAG_keep_distinct))
		arg[n++] = "--keep-distinct";
	arg[n] = NULL;
}

int poolrun_program(const char *const *arg, struct buf *out, struct err *e)
{
	posix_spawn_file_actions_t files;
	char chunk[1 << 14];
	int fds[2], status = 0, rc;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_set(e, ERR_SANDBOX, "pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fds[1], STDOUT_FILENO);
	rc = posix_spawn(&pid, "/proc/self/exe", &files, NULL, (char *const *)arg,
			 environ);
	posix_spawn_file_actions_destroy(&files);
	close(fds[1]);
	while (!rc && ((n = read(fds[0], chunk, sizeof chunk)) > 0 ||
		       (n < 0 && errno == EINTR)))
		buf_add(out, chunk, n > 0 ? (size_t)n : 0);
	close(fds[0]);
	if (rc)
		return err_set(e, ERR_SANDBOX, "cannot start: %s", strerror(rc));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2))
		return 0;
	return err_set(e,
		       WIFEXITED(status) && WEXITSTATUS(status) == 1 ? ERR_INPUT
								     : ERR_STORE,
		       "the pool could not be executed (exit %d, see above)",
		       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static double number(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static int read_results(const struct buf *out, struct pool_run *ret, struct err *e)
{
	json_t *doc = json_loadb(out->p ? out->p : "", out->n, 0, NULL);
	json_t *pool = json_array_get(json_object_get(doc, "pools"), 0);
	json_t *majority = json_array_get(json_object_get(doc, "runs"), 0);

	if (!pool || !majority) {
		json_decref(doc);
		return err_set(e, ERR_STORE, "the pool's results cannot be read");
	}
	ret->groups = number(pool, "mean_groups");
	ret->single = (long)json_integer_value(json_object_get(pool, "single_group"));
	ret->has_gold = json_is_number(json_object_get(pool, "oracle"));
	ret->oracle = number(pool, "oracle");
	ret->adversary = number(pool, "adversary");
	ret->majority = number(majority, "ex");
	json_decref(doc);
	return 0;
}

int pool_run(struct options *o, const char *pool, struct pool_run *ret, struct err *e)
{
	const char *arg[ARGS];
	struct buf out = { 0 };
	char dir[TEMPDIR_PATH];
	int rc = tempdir_make(dir, e);

	if (rc)
		return rc;
	arguments(o, pool, dir, arg);
	rc = poolrun_program(arg, &out, e);
	if (!rc)
		rc = read_results(&out, ret, e);
	tempdir_remove(dir);
	buf_free(&out);
	return rc;
}
