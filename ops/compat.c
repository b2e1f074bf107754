/* compat.c - see compat.h */
#include "ops/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum how { AS, DIR, TIME, CORES, MUST, ON, ALONE, NEVER };

static const struct row {
	const char *benchmark, *flag;
	enum how how;
	const char *ours, *text;
} rows[] = {
#define COMPAT(benchmark, flag, how, ours, text) { #benchmark, flag, how, ours, text },
#include "ops/compat.def"
#undef COMPAT
};

enum { ROWS = sizeof rows / sizeof *rows };

struct line { /* the new command line */
	struct arena *arena;
	char **v;
	int n, cap;
	int is_first; /* EHRSQL's first edition */
	int folders;  /* of ehrsql-2024 */
};

static void add(struct line *l, const char *arg)
{
	if (l->n + 1 < l->cap)
		l->v[l->n++] = arena_str(l->arena, arg ? arg : "");
}

static void add_pair(struct line *l, const char *name, const char *value)
{
	char flag[64];

	snprintf(flag, sizeof flag, "--%s", name);
	add(l, flag);
	add(l, value);
}

static const struct row *row_of(const char *benchmark, const char *arg, size_t n)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].benchmark, benchmark) == 0 &&
		    strlen(rows[i].flag) == n && memcmp(rows[i].flag, arg, n) == 0)
			return &rows[i];
	return NULL;
}

const char *compat_flag(const char *benchmark, const char *ours)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].benchmark, benchmark) == 0 &&
		    strcmp(rows[i].ours, ours) == 0)
			return rows[i].flag;
	return NULL;
}

static void add_folder_of(struct line *l, const char *name, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = arena_str(l->arena, path);

	if (dir && slash)
		dir[slash == path ? 1 : slash - path] = 0;
	add_pair(l, name, slash ? dir : ".");
}

/* 2105-12-31 23:59:00 */
static int add_time(struct line *l, const struct row *r, const char *value,
		    struct err *e)
{
	char iso[32];

	if (strlen(value) != 19 || value[10] != ' ')
		return err_set(e, ERR_USAGE,
			       "--%s: \"%s\" is no time like 2105-12-31 23:59:00",
			       r->flag, value);
	snprintf(iso, sizeof iso, "%.10sT%.8sZ", value, value + 11);
	add_pair(l, r->ours, iso);
	return 0;
}

static int take(struct line *l, const struct row *r, const char *value, struct err *e)
{
	switch (r->how) {
	case AS: add_pair(l, r->ours, value); return 0;
	case DIR: add_folder_of(l, r->ours, value); return 0;
	case TIME: return add_time(l, r, value, e);
	case CORES:
		if (atoi(value) > 0)
			add_pair(l, r->ours, value);
		return 0;
	case MUST:
		return strcmp(value, r->text) == 0
			       ? 0
			       : err_set(e, ERR_USAGE,
					 "--%s %s: only %s can be scored here", r->flag,
					 value, r->text);
	case ON: {
		char flag[64];

		snprintf(flag, sizeof flag, "--%s", r->ours);
		add(l, flag);
		return 0;
	}
	case ALONE: return 0;
	case NEVER: return err_set(e, ERR_USAGE, "--%s: %s", r->flag, r->text);
	}
	return 0;
}

/* ehrsql-2024: INPUT/ref/label.json, INPUT/res/prediction.json, OUTPUT/scores.json */
static void add_folder(struct line *l, const char *dir)
{
	char path[4096];

	if (l->folders++ == 0) {
		snprintf(path, sizeof path, "%s/ref/label.json", dir);
		add_pair(l, "gold", path);
		snprintf(path, sizeof path, "%s/res/prediction.json", dir);
		add_pair(l, "predictions", path);
	} else {
		snprintf(path, sizeof path, "%s/scores.json", dir);
		add_pair(l, "official", path);
	}
}

static int translate(struct line *l, const char *benchmark, int argc, char **argv,
		     struct err *e)
{
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		const char *arg = argv[i], *name = arg + 2, *eq = strchr(arg, '=');
		const struct row *r = NULL;
		int flag = strncmp(arg, "--", 2) == 0;

		if (flag)
			r = row_of(benchmark, name,
				   eq ? (size_t)(eq - name) : strlen(name));
		if (!r) {
			/* A value of our own flag is no folder: its flag took it. */
			int folder = !flag && arg[0] != '-' && l->folders < 2 &&
				     strcmp(benchmark, "ehrsql") == 0 &&
				     (i == 1 || argv[i - 1][0] != '-');

			if (folder)
				add_folder(l, arg);
			else
				add(l, arg);
			continue;
		}
		l->is_first |= strcmp(benchmark, "ehrsql") == 0;
		if (r->how >= ON)
			rc = take(l, r, "", e);
		else if (eq)
			rc = take(l, r, eq + 1, e);
		else if (i + 1 < argc)
			rc = take(l, r, argv[++i], e);
		else
			rc = err_set(e, ERR_USAGE, "%s needs a value", arg);
	}
	return rc;
}

/* The value of --compat, or NULL. */
static const char *which(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "--compat=", 9) == 0)
			return argv[i] + 9;
		else if (strcmp(argv[i], "--compat") == 0)
			return i + 1 < argc ? argv[i + 1] : NULL;
	return NULL;
}

int compat_translate(struct arena *a, int *argc, char ***argv, struct err *e)
{
	const char *benchmark = which(*argc, *argv);
	struct line l = { .arena = a, .cap = 3 * *argc + 16 };
	int rc;

	if (!benchmark)
		return 0;
	if (strcmp(benchmark, "bird") && strcmp(benchmark, "spider") &&
	    strcmp(benchmark, "ehrsql"))
		return err_set(e, ERR_USAGE,
			       "--compat: unknown %s; bird, spider, ehrsql", benchmark);
	l.v = arena_alloc(a, (size_t)l.cap, sizeof *l.v);
	if (!l.v)
		return err_set(e, ERR_NOMEM, "--compat");
	add(&l, (*argv)[0]);
	rc = translate(&l, benchmark, *argc, *argv, e);
	add_pair(&l, "benchmark", benchmark);
	if (l.is_first)
		add_pair(&l, "rule", "ehrsql-v1");
	if (!rc && a->bad)
		rc = err_set(e, ERR_NOMEM, "--compat");
	if (!rc) {
		*argc = l.n;
		*argv = l.v;
	}
	return rc;
}
