/* ranking.h - what a model meant when it ranked
 *
 * A model is shown n candidates labelled [A], [B], ... (or [1], [2], ...) and asked for
 * "[B] > [A] > [C]". It answers that, or something like it. What is read is the first
 * of these that names at least one label of the window:
 *
 *   1. the last chain of bracketed labels joined by > < = (> >> -> are alike); one that
 *      names two of the window's labels is preferred to one that names one
 *   2. the last bracketed or JSON list: ["B","A"], [B, A]; inner lists are ties
 *   3. the last line of nothing but bracketed labels (behind a colon, if it has one)
 *   4. the last line of nothing but a chain of bare labels: a>b
 *   5. the last list with one label a line, numbered or not
 *   6. the chain of bare labels in prose that names most, the last of equals
 *   7. the last line of nothing but bare labels: B, A
 *   8. the last line that holds at least two bracketed labels, unless it only tells all
 *      of them over in the order in which they were shown
 *   9. the one label that prose names: in brackets, as a capital that is not the word
 *      "A" or "I", or behind "candidate", "query" and the like
 *
 * Before that, everything up to the last closing think tag is dropped, and what follows
 * an opening one that never closes. Full-width, circled, parenthesised, super- and
 * subscript, mathematical digits and letters, and their brackets and operators, count
 * as the plain ones. A chain with both < and > says nothing. Only the last RANKING_TEXT
 * bytes are read: an answer's end is where its ranking is.
 *
 * Shapes:     rank[i] is that of label i (0 is A or 1), from 1; equals share the mean
 *             of their places. Labels not named tie behind the last one named.
 * Invariants: (1) the ranks sum to n(n+1)/2; (2) named + missing = n; (3) no answer
 *             yields the order of the input unless it says so: without a valid label
 *             all ranks are equal and the parse has failed.
 * Memory:     none is allocated.
 * Source:     public reports of rankings misread; E07 and F01 to F07 in names of tests.
 */
#ifndef RANKING_H
#define RANKING_H

#include "common/base/view.h"

#include <stdint.h>

enum { RANKING_MAX = 128, RANKING_LETTERS_MAX = 26, RANKING_TEXT = 16384 };
enum { RANKING_LABEL = 4 }; /* bytes of a label's text, NUL included */

enum ranking_labels { RANKING_LETTERS, RANKING_NUMBERS };

struct ranking {
	uint32_t n;
	uint32_t named;          /* different labels of the window that were named */
	uint32_t n_missing;      /* labels of the window that were not */
	uint32_t n_duplicate;    /* labels named again */
	uint32_t n_out_of_range; /* labels that are none of the window's */
	double rank[RANKING_MAX];
};

/* 1, or 0 for a parse failure (named is 0, all tie). 1 <= n <= RANKING_MAX, and at most
 * RANKING_LETTERS_MAX for letters. */
int ranking_parse(struct view answer, enum ranking_labels labels, uint32_t n,
		  struct ranking *ret);

/* More than half of the labels are missing: worth one more ask. */
static inline int ranking_is_thin(const struct ranking *r)
{
	return 2 * r->n_missing > r->n;
}

/* "B" or "2" for 1. */
void ranking_label(enum ranking_labels labels, uint32_t i, char ret[RANKING_LABEL]);

#endif
