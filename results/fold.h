/* fold.h - reading a journal: what one sweep found, newest records only
 *
 * Nothing is ever written; a broker may be writing meanwhile, then one moment is read.
 * Nothing is held here but prepared statements: callers walk questions and runs and ask
 * for what they need, so a journal larger than memory is no trouble.
 *
 * Memory: records are decoded into the caller's arena and live there.
 * Errors: ERR_STORE: the journal cannot be read, is newer than this program, or holds a
 *         record that is none; the text says which.
 */
#ifndef FOLD_H
#define FOLD_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/hash.h"
#include "proto/choice.h"
#include "proto/usage.h"
#include "proto/verdict.h"

#include <stdint.h>

enum { FOLD_BODY_MAX = 256 << 20 }; /* bytes of an unpacked output */

struct fold;

int fold_open(const char *journal, int64_t sweep, struct fold **ret, struct err *e);
void fold_close(struct fold **f); /* NULL-safe */

/* *ret_found 0: there is none (yet). */
int fold_choice(struct fold *f, const char *run, uint32_t position, struct arena *a,
		struct choice *ret, int *ret_found, struct err *e);
int fold_verdict(struct fold *f, uint32_t position, struct arena *a,
		 struct verdict *ret, int *ret_found, struct err *e);
int fold_output(struct fold *f, const struct hash *key, struct arena *a,
		struct view *ret, int *ret_found, struct err *e);

/* One HTTP attempt. `own`: made by a command of this sweep, not found from another. */
struct fold_call {
	struct hash task;
	uint8_t kind; /* of the task */
	uint64_t task_attempt;
	struct view worker;
	int useful, own;
	const struct call *call;
};
typedef int fold_call_fn(void *arg, const struct fold_call *c, struct err *e);
int fold_calls(struct fold *f, fold_call_fn *fn, void *arg, struct err *e);

/* Commands over the same inputs that were killed: how many, what they had finished, and
 * their calls. Nobody else counts them. */
int fold_killed(struct fold *f, uint64_t *ret_commands, uint64_t *ret_tasks,
		struct err *e);
int fold_killed_calls(struct fold *f, fold_call_fn *fn, void *arg, struct err *e);

/* The ends of commands, oldest first. `own`: of this sweep, else of another one over
 * the same inputs. */
struct fold_finish {
	int own, code;
	struct view spent; /* JSON */
	uint64_t started_ms, ended_ms;
	struct view host;
};
typedef int fold_finish_fn(void *arg, const struct fold_finish *x, struct err *e);
int fold_finishes(struct fold *f, fold_finish_fn *fn, void *arg, struct err *e);

/* Attempts of this sweep that the wall clock ended. */
int fold_timeouts(struct fold *f, uint64_t *ret, struct err *e);

#endif
