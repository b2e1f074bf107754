/* options.h - what the user said, wherever they said it
 *
 * A value comes from a flag, a variable, the sweep file, .env or the default, in this
 * order of strength (flags.def is the list). Values are kept as text, checked for type
 * and range when they are set, so that reading them cannot fail.
 *
 * Memory:  texts live in the arena until options_free().
 * Errors:  ERR_USAGE, with the nearest known name where a name is unknown.
 * Threads: one at a time.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdint.h>

enum flag {
#define FLAG(name, type, lo, hi, metavar, dflt, verbs, help) FLAG_##name,
#include "ops/flags.def"
#undef FLAG
	FLAGS
};

enum verb_bit {
	V_RUN = 1,
	V_SCORE = 2,
	V_POOL = 4, /* pool make has V_MAKE besides */
	V_VALIDATE = 8,
	V_SHOW = 16,
	V_REPORT = 32,
	V_MEMORY = 64,
	V_JOURNAL = 128,
	V_DOCTOR = 256,
	V_WORKER = 512,
	V_EXTEND = 1024,
	V_FIT = 2048,
	V_EXPORT = 4096,
	V_SEARCH = 8192,
	V_LEARN = 16384,
	V_RETIRE = 32768,
	V_MAKE = 65536,
	V_ALL = 131071
};

enum flag_from {
	FROM_NOWHERE,
	FROM_DEFAULT,
	FROM_DOTENV,
	FROM_FILE,
	FROM_VARIABLE,
	FROM_FLAG
};

struct options {
	struct arena arena;
	unsigned verb; /* verb_bit of who asks */
	const char *value[FLAGS];
	enum flag_from from[FLAGS];
	const char *where[FLAGS]; /* "--seed", "sweep.yaml:3", "MAPFLEET_SEED" */
	const char **arg;         /* what is no flag */
	int nargs;
	const char *sweep_file; /* NULL: none was read */
	int help;               /* --help was given */
	int exit;               /* a verb's own exit code, where it is no error's */
};

/* argv[0] is skipped. Reads flags and variables; then options_yaml(), then
 * options_defaults(). */
int options_flags(struct options *s, unsigned verb, int argc, char **argv,
		  struct err *e);
int options_variables(struct options *s, char **variables, struct err *e);
int options_yaml(struct options *s, const char *path, struct err *e);
/* .env of this folder or the nearest above it, or --env-file. Variables of others
 * (OPENAI_API_KEY) go into the environment unless they are there. */
int options_dotenv(struct options *s, struct err *e);
void options_defaults(struct options *s);
void options_free(struct options *s);

int options_set(struct options *s, enum flag f, enum flag_from from, const char *where,
		const char *value, struct err *e);

const char *opt_text(const struct options *s, enum flag f); /* NULL: not said */
uint64_t opt_count(const struct options *s, enum flag f);   /* 0: not said */
double opt_number(const struct options *s, enum flag f);
int opt_on(const struct options *s, enum flag f);
int opt_said(const struct options *s, enum flag f); /* by the user, anywhere */

/* The parts between commas, trimmed; n 0: not said. In the arena. */
const char **opt_list(struct options *s, enum flag f, size_t *ret_n);

const char *flag_name(enum flag f); /* "max-connections" */
const char *flag_key(enum flag f);  /* "max_connections" */
int flag_by_key(const char *key);   /* -1: there is none */
int flag_known(unsigned verb, enum flag f);

/* Lines of --help for the flags of `verb`, into `b`. */
void options_help(unsigned verb, struct buf *b);

/* What an error says of where a value came from: "--seed" or "sweep.yaml:3, seed". */
const char *opt_where(const struct options *s, enum flag f);

#endif
