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

enum { FIXED = 10 }; /* arguments that are no flag of handed_on[] */

/* Flags that are handed on as they were said. */
static const enum flag handed_on[] = { FLAG_databases, FLAG_db_alias,     FLAG_gold,
				       FLAG_questions, FLAG_benchmark,    FLAG_tables,
				       FLAG_rule,      FLAG_sql_steps,    FLAG_lenient,
				       FLAG_skip_bad,  FLAG_keep_distinct };

enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };

/* --name=value; NULL: no memory. */
static const char *argument(struct options *o, enum flag f)
{
	struct buf b = { 0 };
	const char *text;

	buf_addf(&b, "--%s=%s", flag_name(f), opt_text(o, f));
	text = b.bad ? NULL : arena_dup(&o->arena, b.p, b.n);
	buf_free(&b);
	return text;
}

static int arguments(struct options *o, const char *pool, const char *dir,
		     const char *arg[FIXED + HANDED_ON + 1])
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
	for (int i = 0; i < HANDED_ON; i++)
		if (opt_said(o, handed_on[i]) &&
		    !(arg[n++] = argument(o, handed_on[i])))
			return ERR_NOMEM;
	arg[n] = NULL;
	return 0;
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
	const char *arg[FIXED + HANDED_ON + 1];
	struct buf out = { 0 };
	char dir[TEMPDIR_PATH];
	int rc = tempdir_make(dir, e);

	if (rc)
		return rc;
	rc = arguments(o, pool, dir, arg) ? err_set(e, ERR_NOMEM, "%s", pool)
					  : poolrun_program(arg, &out, e);
	if (!rc)
		rc = read_results(&out, ret, e);
	tempdir_remove(dir);
	buf_free(&out);
	return rc;
}
