/* verb.h - one file and one const struct verb for each thing one can ask for
 *
 * A verb gets its options read, checked and with defaults; it prints results to stdout
 * and returns 0 or an error's code with a text. o->exit is the exit code where no error
 * says another.
 */
#ifndef VERB_H
#define VERB_H

#include "common/base/err.h"
#include "ops/options.h"

struct verb {
	const char *name; /* "run"; two words for a verb of a group: "pool make" */
	const char *synopsis, *what; /* what may be several lines */
	unsigned bit;                /* verb_bit */
	int least, most;             /* arguments that are no flags; most -1: any */
	int sweep_file;              /* the first argument may be one */
	int (*run)(struct options *o, struct err *e);
};

#define VERB_LIST(X) \
	X(run) \
	X(score) \
	X(extend) \
	X(report) \
	X(show) \
	X(pool_make) \
	X(pool_info) \
	X(memory_build) \
	X(memory_check) \
	X(memory_search) \
	X(memory_list) \
	X(memory_stats) \
	X(memory_retire) \
	X(fit) X(export) X(validate) X(doctor) X(journal_check) X(worker)

#define X(name) extern const struct verb verb_##name;
VERB_LIST(X)
#undef X

/* What `run` does, for verbs that end in it; `verb` is what the user called it. */
int verb_run_sweep(struct options *o, const char *verb, struct err *e);

/* The whole program: what main() does, for tests too. */
int verb_main(int argc, char **argv, char **environ);

#endif
