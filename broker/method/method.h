/* method.h - the selection methods, one row each
 *
 * A method is a planner (proto/plan.h) in a file of its own here, which ends with its
 * `struct method`, and a row of methods.def. The planner begins with aggregate() and
 * ends with a struct choice.
 *
 * What a method does not read is in no name and no parameter of its runs, and an axis
 * over it makes no further runs. Keys of its own are given as NAME:key=value; their
 * values stand in run->own, in the order of `key`.
 */
#ifndef METHOD_H
#define METHOD_H

#include "common/base/buf.h"
#include "proto/plan.h"

/* Bits of `reads`. */
enum {
	READS_JUDGE = 1,
	READS_PASSES = 2,
	READS_WINDOW = 4,  /* window, step */
	READS_PERMUTE = 8, /* permute */
	READS_TIE = 16,    /* unit, confidence, tie_break */
	READS_STOP = 32,   /* passes as MIN..MAX, stop; who does not, takes MAX */
	READS_BUDGET = 64, /* asks one after the other, no more than plan->arg allows,
			    * and says by `tied` and `confidence` whether it would
			    * ask on: asks of all questions may be counted */
};

struct method_key {
	const char *name;  /* NULL ends the list */
	const char *words; /* "kemeny|borda|rrf": the value is the word's place */
	double lo, hi;     /* of a number; whole ones only */
	double standard;   /* where nothing is said: a place, or a number */
	const char *what;
};

struct method {
	const char *name;
	plan_fn *plan;
	unsigned reads;
	const char *what;
	const struct method_key *key; /* NULL: none; at most RUN_OWN */
	/* The most asks over n candidates, none equal to another; NULL: 0. */
	uint64_t (*most)(const struct run *r, uint32_t n);
	/* A value that its paper has and this version has not: key=word, and why. */
	const char *absent, *why_absent;
};

const struct method *method_by_name(const char *name); /* NULL: no such method */
const struct method *method_at(size_t i);              /* NULL past the last */
size_t method_keys(const struct method *m);            /* how many of its own */

/* The value as a user says it: a word, or a number. */
void method_key_text(const struct method_key *k, double value, struct buf *ret);

/* 1 and *ret, or 0: no such word, no whole number within bounds. */
int method_key_parse(const struct method_key *k, const char *text, double *ret);

#define METHOD(name) extern const struct method method_##name;
#include "broker/method/methods.def"
#undef METHOD

#endif
