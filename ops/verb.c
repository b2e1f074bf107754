/* verb.c - from the command line to a verb, and from its result to an exit code */
#include "ops/verb.h"

#include "broker/method/method.h"
#include "common/base/log.h"
#include "ops/compat.h"
#include "ops/guess.h"
#include "ops/notice.h"
#include "ops/plaintext.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct verb *const verbs[] = {
#define X(name) &verb_##name,
	VERB_LIST(X)
#undef X
};

enum { VERBS = sizeof verbs / sizeof *verbs };

/* ---- help ---- */

static void overview(FILE *to)
{
	fputs("mapfleet " MAPFLEET_VERSION
	      " picks the right SQL out of many candidates\n\n"
	      "usage: mapfleet VERB [flags]\n\n",
	      to);
	for (size_t i = 0; i < VERBS; i++)
		fprintf(to, "  %-14s %.*s\n", verbs[i]->name,
			(int)strcspn(verbs[i]->what, "\n"), verbs[i]->what);
	fputs("\n  mapfleet VERB --help tells more; --version names SQLite's build\n"
	      "  a flag --max-connections is also the key max_connections of a sweep "
	      "file and\n"
	      "  the variable MAPFLEET_MAX_CONNECTIONS; flag, variable, file, .env, "
	      "default\n\n"
	      "exit: 0 done; 1 usage or unreadable input; 2 questions failed; 3 a "
	      "limit; 4 the\n"
	      "  other side; 5 this machine; 130 interrupted\n",
	      to);
}

static int group_help(FILE *to, const char *group)
{
	size_t n = strlen(group);
	int found = 0;

	for (size_t i = 0; i < VERBS; i++) {
		if (strncmp(verbs[i]->name, group, n) != 0 || verbs[i]->name[n] != ' ')
			continue;
		if (!found++)
			fprintf(to, "usage: mapfleet %s VERB [flags]\n\n", group);
		fprintf(to, "  %-14s %.*s\n", verbs[i]->name,
			(int)strcspn(verbs[i]->what, "\n"), verbs[i]->what);
	}
	return found;
}

static void methods_help(FILE *to)
{
	fputs("\nmethods, and keys of their own (NAME:key=value; every one has "
	      "candidates=N):\n",
	      to);
	for (size_t i = 0; method_at(i); i++) {
		const struct method *m = method_at(i);

		fprintf(to, "  %-12s %s\n", m->name, m->what);
		for (size_t k = 0; k < method_keys(m); k++) {
			const struct method_key *key = &m->key[k];
			struct buf standard = { 0 };

			method_key_text(key, key->standard, &standard);
			fprintf(to, "    %s=%s  %s [%s]\n", key->name,
				key->words ? key->words : "N", key->what,
				standard.p ? standard.p : "");
			buf_free(&standard);
		}
	}
}

static void verb_help(FILE *to, const struct verb *v)
{
	struct buf b = { 0 };

	fprintf(to, "usage: mapfleet %s %s\n\n%s\n\n", v->name, v->synopsis, v->what);
	options_help(v->bit, &b);
	fputs(b.p ? b.p : "", to);
	buf_free(&b);
	if (v->bit & (V_RUN | V_VALIDATE))
		methods_help(to);
}

static void version(FILE *to)
{
	fprintf(to, "mapfleet %s\nSQLite %s %s\n", MAPFLEET_VERSION,
		sqlite3_libversion(), sqlite3_sourceid());
}

/* ---- finding the verb ---- */

/* How many words of argv name it: 0 for none. */
static int find(int argc, char **argv, const struct verb **ret)
{
	char two[128];

	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(argv[1], verbs[i]->name) == 0) {
			*ret = verbs[i];
			return 1;
		}
	snprintf(two, sizeof two, "%s %s", argv[1], argc > 2 ? argv[2] : "");
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(two, verbs[i]->name) == 0) {
			*ret = verbs[i];
			return 2;
		}
	return 0;
}

static int unknown(char **argv, struct err *e)
{
	static const char *const later[] = { "broker", "submit",  "watch",  "status",
					     "cancel", "pause",   "resume", "keygen",
					     "view",   "generate" };
	const char *names[VERBS], *near;

	for (size_t i = 0; i < sizeof later / sizeof *later; i++)
		if (strcmp(argv[1], later[i]) == 0)
			return err_set(
				e, ERR_USAGE,
				"verb %s is not in this version; mapfleet --help "
				"lists those that are",
				argv[1]);
	for (size_t i = 0; i < VERBS; i++)
		names[i] = verbs[i]->name;
	near = guess_of(argv[1], names, VERBS);
	return err_set(e, ERR_USAGE, "unknown verb %s%s%s; mapfleet --help lists all",
		       argv[1], near ? "; did you mean " : "", near ? near : "");
}

/* ---- running it ---- */

static int is_switch(const char *arg, const char *name)
{
	return strcmp(arg, name) == 0;
}

/* Before anything is read, so that errors of reading already look right. */
static void first_setup(int argc, char **argv)
{
	int json = 0, quiet = 0;

	for (int i = 1; i < argc; i++) {
		quiet |= is_switch(argv[i], "--quiet") || is_switch(argv[i], "-q");
		json |= is_switch(argv[i], "--log-format=json") ||
			(is_switch(argv[i], "--log-format") && i + 1 < argc &&
			 is_switch(argv[i + 1], "json"));
	}
	notice_setup(quiet, json);
}

static int log_settings(struct options *o, struct err *e)
{
	const char *form = opt_text(o, FLAG_log_format);
	int json = strcmp(form, "json") == 0;

	if (!json && strcmp(form, "text") != 0)
		return err_set(e, ERR_USAGE, "%s: \"%s\" is neither text nor json",
			       opt_where(o, FLAG_log_format), form);
	log_setup(opt_on(o, FLAG_verbose) ? LOG_INFO
		  : opt_on(o, FLAG_quiet) ? LOG_ERROR
					  : LOG_WARN,
		  json);
	notice_setup(opt_on(o, FLAG_quiet), json);
	return 0;
}

static int check_arguments(const struct verb *v, const struct options *o, struct err *e)
{
	if (o->nargs < v->least)
		return err_set(e, ERR_USAGE, "usage: mapfleet %s %s", v->name,
			       v->synopsis);
	if (v->most >= 0 && o->nargs > v->most)
		return err_set(e, ERR_USAGE, "what is \"%s\"? usage: mapfleet %s %s",
			       o->arg[v->most], v->name, v->synopsis);
	return 0;
}

/* Said before the work, not after hours of it. */
static int check_file(const struct options *o, enum flag f, struct err *e)
{
	const char *path = opt_text(o, f), *slash = path ? strrchr(path, '/') : NULL;
	int n = slash ? (int)(slash - path) : 0;
	char folder[PATH_MAX];
	struct stat s;

	if (!path)
		return 0;
	if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
		return err_set(e, ERR_USAGE, "%s: %s is a folder; name a file in it",
			       opt_where(o, f), path);
	snprintf(folder, sizeof folder, "%.*s", n, path);
	if (n && stat(folder, &s))
		return err_set(e, ERR_USAGE,
			       "%s: %s: %s: %s; make that folder (mkdir -p), or name "
			       "a file elsewhere",
			       opt_where(o, f), path, folder, strerror(errno));
	return 0;
}

static int run(const struct verb *v, int argc, char **argv, char **env,
	       struct options *o, struct err *e)
{
	int rc = v->bit == V_SCORE ? compat_translate(&o->arena, &argc, &argv, e) : 0;

	if (!rc)
		rc = options_flags(o, v->bit, argc, argv, e);
	if (rc)
		return rc;
	if (o->help) {
		verb_help(stdout, v);
		return 0;
	}
	if ((rc = check_arguments(v, o, e)) || (rc = options_variables(o, env, e)))
		return rc;
	if (v->sweep_file && o->nargs > 0 && (rc = options_yaml(o, o->arg[0], e)))
		return rc;
	if ((rc = options_dotenv(o, e)))
		return rc;
	options_defaults(o);
	if ((rc = log_settings(o, e)) || (rc = check_file(o, FLAG_output, e)) ||
	    (rc = check_file(o, FLAG_official, e)))
		return rc;
	return v->run(o, e);
}

static int fail(const struct err *e, int rc)
{
	const char *text = e->text[0] ? e->text : err_text(rc);

	fputs("mapfleet: ", stderr);
	plaintext_put(stderr, text, strlen(text));
	putc('\n', stderr);
	return err_exit(rc);
}

/* A full disk or a closed pipe behind stdout is a failure like any other. */
static int flush(struct err *e)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return err_set(e, ERR_STORE, "stdout: could not be written");
}

int verb_main(int argc, char **argv, char **env)
{
	struct options o = { 0 };
	const struct verb *v = NULL;
	struct err e = { 0 };
	int words, rc, code;

	if (argc < 2) {
		overview(stderr);
		return err_exit(ERR_USAGE);
	}
	if (is_switch(argv[1], "--help") || is_switch(argv[1], "-h") ||
	    is_switch(argv[1], "help")) {
		overview(stdout);
		return flush(&e) ? fail(&e, e.code) : 0;
	}
	if (is_switch(argv[1], "--version") || is_switch(argv[1], "-V")) {
		version(stdout);
		return flush(&e) ? fail(&e, e.code) : 0;
	}
	words = find(argc, argv, &v);
	if (!words &&
	    group_help(argc > 2 && strstr(argv[2], "-h") ? stdout : stderr, argv[1]))
		return argc > 2 && strstr(argv[2], "-h") ? 0 : err_exit(ERR_USAGE);
	if (!words)
		return fail(&e, unknown(argv, &e));
	first_setup(argc, argv);
	rc = run(v, argc - words, argv + words, env, &o, &e);
	if (!rc)
		rc = flush(&e);
	code = rc ? fail(&e, rc) : o.exit;
	options_free(&o);
	return code;
}
