/* options.c - see options.h */
#include "ops/options.h"

#include "ops/guess.h"
#include "ops/textfile.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum flag_type { TEXT, FILE_, COUNT, NUMBER, SWITCH, LIST, LINES };

static const struct row {
	const char *key, *name, *metavar, *dflt, *help;
	enum flag_type type;
	double lo, hi;
	unsigned verbs;
} rows[FLAGS] = {
#define FILE FILE_
#define FLAG(name, type, lo, hi, metavar, dflt, verbs, help) \
	{ #name, NULL, metavar, dflt, help, type, lo, hi, verbs },
#include "ops/flags.def"
#undef FLAG
#undef FILE
};

static char dashed[FLAGS][32];

const char *flag_name(enum flag f)
{
	char *to = dashed[f];

	if (!to[0])
		for (size_t i = 0; rows[f].key[i] && i + 1 < sizeof dashed[f]; i++)
			to[i] = rows[f].key[i] == '_' ? '-' : rows[f].key[i];
	return to;
}

const char *flag_key(enum flag f)
{
	return rows[f].key;
}

int flag_known(unsigned verb, enum flag f)
{
	return (rows[f].verbs & verb) != 0;
}

static int unknown(unsigned verb, const char *where, const char *what, const char *name,
		   struct err *e)
{
	const char *names[FLAGS];
	size_t n = 0;
	const char *near;

	for (enum flag f = 0; f < FLAGS; f++)
		if (flag_known(verb, f))
			names[n++] = flag_name(f);
	near = guess_of(name + strspn(name, "-"), names, n);
	return err_set(e, ERR_USAGE, "%s%sunknown %s %s%s%s%s; --help lists all", where,
		       *where ? ": " : "", what, name, near ? "; did you mean " : "",
		       near && !*where ? "--" : "", near ? near : "");
}

static int find(const char *name, size_t n, unsigned verb)
{
	for (enum flag f = 0; f < FLAGS; f++) {
		const char *key = rows[f].key;
		size_t i = 0;

		while (i < n && key[i] &&
		       (key[i] == name[i] || (key[i] == '_' && name[i] == '-')))
			i++;
		if (i == n && !key[i] && flag_known(verb, f))
			return (int)f;
	}
	return -1;
}

static int truth(const char *v)
{
	static const char *const words[] = { "false", "true", "no", "yes",
					     "off",   "on",   "0",  "1" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcasecmp(v, words[i]) == 0)
			return (int)(i % 2);
	return -1;
}

/* The number in `v`, or an error that names the range. */
static int number(const struct row *r, const char *where, const char *v, struct err *e)
{
	char *end;
	double x;

	errno = 0;
	x = strtod(v, &end);
	if (end == v || *end || !isfinite(x) ||
	    isxdigit((unsigned char)v[0]) + (v[0] == '-') + (v[0] == '.') +
			    (v[0] == '+') ==
		    0)
		return err_set(e, ERR_USAGE, "%s: \"%s\" is no number", where, v);
	if (r->type == COUNT && x != floor(x))
		return err_set(e, ERR_USAGE, "%s: \"%s\" is no whole number", where, v);
	if (x < r->lo || x > r->hi)
		return err_set(e, ERR_USAGE, "%s: %s is outside %.15g .. %.15g", where,
			       v, r->lo, r->hi);
	return 0;
}

static int check(const struct row *r, const char *where, const char *v, struct err *e)
{
	if (r->type == COUNT || r->type == NUMBER)
		return number(r, where, v, e);
	if (r->type == SWITCH && truth(v) < 0)
		return err_set(e, ERR_USAGE, "%s: \"%s\" is neither true nor false",
			       where, v);
	if (r->type != SWITCH && !*v)
		return err_set(e, ERR_USAGE, "%s: an empty value", where);
	return 0;
}

static const char *joined(struct arena *a, const char *old, char sep, const char *more)
{
	size_t n = strlen(old), m = strlen(more);
	char *both = arena_alloc(a, n + m + 2, 1);

	if (!both)
		return NULL;
	memcpy(both, old, n);
	both[n] = sep;
	memcpy(both + n + 1, more, m + 1);
	return both;
}

int options_set(struct options *s, enum flag f, enum flag_from from, const char *where,
		const char *value, struct err *e)
{
	const struct row *r = &rows[f];
	int rc = check(r, where, value, e);

	if (rc)
		return rc;
	if (s->from[f] > from)
		return 0;
	if (s->from[f] == from && (r->type == LIST || r->type == LINES))
		s->value[f] = joined(&s->arena, s->value[f],
				     r->type == LIST ? ',' : '\n', value);
	else
		s->value[f] = arena_str(&s->arena, value);
	s->where[f] = arena_str(&s->arena, where);
	s->from[f] = from;
	return s->value[f] && s->where[f] ? 0 : err_set(e, ERR_NOMEM, "settings");
}

enum { OPT_HELP = 256, OPT_FLAG }; /* beyond any character */

static void getopt_rows(unsigned verb, struct option ret[FLAGS + 2])
{
	size_t n = 0;

	for (enum flag f = 0; f < FLAGS; f++)
		if (flag_known(verb, f))
			ret[n++] = (struct option){ flag_name(f),
						    rows[f].type == SWITCH
							    ? optional_argument
							    : required_argument,
						    NULL, OPT_FLAG + (int)f };
	ret[n++] = (struct option){ "help", no_argument, NULL, OPT_HELP };
	ret[n] = (struct option){ 0 };
}

/* getopt takes any prefix of a name; a typing error must not mean another flag. */
static int spelt_out(const char *arg, const char *name)
{
	size_t n = strcspn(arg, "=");

	return n == strlen(name) && memcmp(arg, name, n) == 0;
}

static int short_flag(int c)
{
	switch (c) {
	case 'o': return FLAG_output;
	case 'q': return FLAG_quiet;
	case 'v': return FLAG_verbose;
	default: return -1;
	}
}

static int take_option(struct options *s, int c, int longer, char **argv, struct err *e)
{
	const char *arg = argv[optind - 1];
	int f = longer ? c - OPT_FLAG : short_flag(c);
	char where[64];

	/* optind - 1 is the value where it stands apart from the name. */
	if (longer && optarg && arg == optarg)
		arg = argv[optind - 2];
	if (longer && !spelt_out(arg + 2, flag_name((enum flag)f)))
		return unknown(s->verb, "", "flag", arg, e);
	snprintf(where, sizeof where, "--%s", flag_name((enum flag)f));
	if (!flag_known(s->verb, (enum flag)f))
		return unknown(s->verb, "", "flag", where, e);
	return options_set(s, (enum flag)f, FROM_FLAG, where, optarg ? optarg : "true",
			   e);
}

static int bad_option(const struct options *s, int c, char **argv, struct err *e)
{
	const char *arg = argv[optind - 1];
	char name[64];

	if (c == ':')
		return err_set(e, ERR_USAGE, "%s needs a value", arg);
	if (optopt && arg[0] == '-' && arg[1] != '-')
		snprintf(name, sizeof name, "-%c", optopt);
	else
		snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
	return unknown(s->verb, "", "flag", name, e);
}

int options_flags(struct options *s, unsigned verb, int argc, char **argv,
		  struct err *e)
{
	struct option opts[FLAGS + 2];
	int c, longer, rc = 0;

	s->verb = verb;
	getopt_rows(verb, opts);
	optind = 0;
	opterr = 0;
	while (!rc && (longer = -1,
		       c = getopt_long(argc, argv, ":ho:qv", opts, &longer)) != -1)
		if (c == 'h' || c == OPT_HELP)
			s->help = 1;
		else if (c == '?' || c == ':')
			rc = bad_option(s, c, argv, e);
		else
			rc = take_option(s, c, longer >= 0, argv, e);
	s->nargs = argc - optind;
	s->arg = (const char **)argv + optind;
	return rc;
}

static void variable_key(const char *name, size_t n, char ret[64])
{
	size_t i;

	for (i = 0; i < n && i < 63; i++)
		ret[i] = (char)tolower((unsigned char)name[i]);
	ret[i] = 0;
}

/* A variable of another verb is no error: one environment serves all. Returns the
 * flag, -1 for one that this verb does not read, -2 for an unknown one. */
static int variable(unsigned verb, const char *name, size_t n)
{
	char key[64];
	int f;

	variable_key(name, n, key);
	f = find(key, strlen(key), verb);
	return f >= 0 ? f : find(key, strlen(key), V_ALL) >= 0 ? -1 : -2;
}

int options_variables(struct options *s, char **variables, struct err *e)
{
	enum { PREFIX = 9 };

	for (char **v = variables; v && *v; v++) {
		const char *eq = strchr(*v, '=');
		char where[96];
		int f, rc;

		if (!eq || strncmp(*v, "MAPFLEET_", PREFIX) != 0)
			continue;
		f = variable(s->verb, *v + PREFIX, (size_t)(eq - *v) - PREFIX);
		if (f < 0)
			continue;
		snprintf(where, sizeof where, "%.*s", (int)(eq - *v), *v);
		rc = options_set(s, (enum flag)f, FROM_VARIABLE, where, eq + 1, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int dotenv_line(struct options *s, const struct textfile *file,
		       const struct line *l, struct err *e)
{
	const char *p = l->text.p, *end = p + l->text.n,
		   *eq = memchr(p, '=', l->text.n);
	char where[PATH_MAX + 16], *name, *value;
	const char *v = eq ? eq + 1 : NULL;
	int f;

	snprintf(where, sizeof where, "%s:%u", file->path, l->number);
	if (!eq || eq == p)
		return err_set(e, ERR_INPUT, "%s: NAME=VALUE expected", where);
	if (end - v >= 2 && (*v == '"' || *v == '\'') && end[-1] == *v) {
		v++;
		end--;
	}
	name = arena_dup(&s->arena, p, (size_t)(eq - p));
	value = arena_dup(&s->arena, v, (size_t)(end - v));
	if (!name || !value)
		return err_set(e, ERR_NOMEM, "%s", where);
	if (strncmp(name, "MAPFLEET_", 9) != 0)
		return setenv(name, value, 0)
			       ? err_set(e, ERR_INPUT, "%s: bad name", where)
			       : 0;
	f = variable(s->verb, name + 9, strlen(name + 9));
	if (f == -2)
		return unknown(V_ALL, where, "key", name + 9, e);
	return f < 0 ? 0 : options_set(s, (enum flag)f, FROM_DOTENV, where, value, e);
}

static int dotenv_read(struct options *s, const char *path, struct err *e)
{
	struct textfile file;
	struct line l;
	size_t at = 0;
	int rc = textfile_read(&s->arena, path, &file, e);

	while (!rc && textfile_line(&file, &at, &l)) {
		struct view *t = &l.text;

		*t = view_trim(*t, VIEW_SPACE);
		if (t->n > 7 && strncmp(t->p, "export ", 7) == 0)
			t->p += 7, t->n -= 7;
		if (t->n && t->p[0] != '#')
			rc = dotenv_line(s, &file, &l, e);
	}
	return rc;
}

static int dotenv_above(char ret[PATH_MAX])
{
	char dir[PATH_MAX - 8], *slash;

	if (!getcwd(dir, sizeof dir))
		return 0;
	for (;;) {
		snprintf(ret, PATH_MAX, "%s/.env", dir);
		if (access(ret, F_OK) == 0)
			return 1;
		slash = strrchr(dir, '/');
		if (!slash)
			return 0;
		*slash = 0;
	}
}

int options_dotenv(struct options *s, struct err *e)
{
	char path[PATH_MAX];
	size_t n;
	const char **files = opt_list(s, FLAG_env_file, &n);
	int rc = 0;

	if (!n)
		return dotenv_above(path) ? dotenv_read(s, path, e) : 0;
	for (size_t i = 0; i < n && !rc; i++) /* the later one wins */
		rc = dotenv_read(s, files[i], e);
	return rc;
}

void options_defaults(struct options *s)
{
	for (enum flag f = 0; f < FLAGS; f++)
		if (!s->value[f] && rows[f].dflt && flag_known(s->verb, f)) {
			s->value[f] = rows[f].dflt;
			s->from[f] = FROM_DEFAULT;
			s->where[f] = flag_name(f);
		}
}

void options_free(struct options *s)
{
	arena_free(&s->arena);
}

const char *opt_text(const struct options *s, enum flag f)
{
	return s->value[f];
}

double opt_number(const struct options *s, enum flag f)
{
	return s->value[f] ? strtod(s->value[f], NULL) : 0;
}

uint64_t opt_count(const struct options *s, enum flag f)
{
	return (uint64_t)opt_number(s, f);
}

int opt_on(const struct options *s, enum flag f)
{
	return s->value[f] && truth(s->value[f]) == 1;
}

int opt_said(const struct options *s, enum flag f)
{
	return s->from[f] > FROM_DEFAULT;
}

const char *opt_where(const struct options *s, enum flag f)
{
	return s->where[f] ? s->where[f] : flag_name(f);
}

const char **opt_list(struct options *s, enum flag f, size_t *ret_n)
{
	const char *v = s->value[f];
	size_t n = 0, commas = 1;
	const char **list;

	*ret_n = 0;
	for (const char *p = v; p && *p; p++)
		commas += *p == ',';
	list = arena_alloc(&s->arena, commas + 1, sizeof *list);
	while (v && list) {
		size_t len = strcspn(v, ","), skip = 0, end = len;

		while (skip < end && isspace((unsigned char)v[skip]))
			skip++;
		while (end > skip && isspace((unsigned char)v[end - 1]))
			end--;
		if (end > skip)
			list[n++] = arena_dup(&s->arena, v + skip, end - skip);
		v = v[len] ? v + len + 1 : NULL;
	}
	*ret_n = list ? n : 0;
	return list;
}

void options_help(unsigned verb, struct buf *b)
{
	for (enum flag f = 0; f < FLAGS; f++) {
		struct buf left = { 0 };

		if (!flag_known(verb, f))
			continue;
		buf_addf(&left, "--%s%s%s", flag_name(f), rows[f].metavar ? " " : "",
			 rows[f].metavar ? rows[f].metavar : "");
		buf_addf(b, "  %-30s %s%s", left.p ? left.p : "",
			 left.n > 30 ? "\n                                 " : "",
			 rows[f].help);
		buf_free(&left);
		if (rows[f].dflt)
			buf_addf(b, " [%s]", rows[f].dflt);
		buf_add_char(b, '\n');
	}
	buf_addf(b, "  %-30s %s\n", "-h, --help", "this text");
}
