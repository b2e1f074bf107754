/* alternatives.h - what a model might have said instead, as its first token of answer
 *
 * A server that gives log-probabilities tells the likeliest tokens at a place. One
 * token then holds a whole judgement: how likely each label is, or Yes against No. A
 * label has many tokens ("A", " A", "[A", "a"): they are summed.
 *
 * Shapes:  msgpack [[str token, f64 logprob], ...], the likeliest first as the server
 *          has them; a token that is told twice is kept once.
 * Units:   logprob: natural logarithm, at most 0. A floor (vLLM's -9999) is kept.
 * Memory:  tokens are lent; after alternatives_take() they point into the bytes.
 * Threads: pure.
 */
#ifndef ALTERNATIVES_H
#define ALTERNATIVES_H

#include "common/base/buf.h"
#include "common/base/cursor.h"

#include <stdint.h>

enum { ALTERNATIVES = 21 }; /* servers give up to 20, and the one said besides */

struct alternative {
	struct view token;
	double logprob;
};

struct alternatives {
	struct alternative at[ALTERNATIVES];
	uint32_t n;
};

/* Not kept: a number that is none, a token that is here, one too many. */
void alternatives_add(struct alternatives *a, struct view token, double logprob);

void alternatives_pack(struct buf *b, const struct alternatives *a);
struct alternatives alternatives_take(struct cursor *c); /* sticky */

/* The label, 0 to n-1 for A to Z, that a token means; -1: none. Blanks, brackets,
 * quotes and marks around it, and its case, are nothing. */
int token_label(struct view token, uint32_t n);

/* Is there a word in it, beside blanks, brackets, quotes and marks? */
int token_is_word(struct view token);

/* 1: yes, 0: no, -1: neither; y and n alone are short for them. */
int token_yes(struct view token);

/* What the n labels have of the probability, together 1. 0 if no label is among the
 * alternatives; else 1. */
int alternatives_labels(const struct alternatives *a, uint32_t n, double *ret);

/* p(yes) / (p(yes) + p(no)); 0 if neither is among them; else 1. */
int alternatives_yes(const struct alternatives *a, double *ret);

#endif
