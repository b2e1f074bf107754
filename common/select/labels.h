/* labels.h - the words of a ranking: labels and what joins them
 *
 * Reads plain text (answer.h) from left to right. Decoration (quotes, stars, backticks,
 * parentheses, tags, dashes, full stops) and cue words ("candidate", "query", ...) are
 * passed over; "then" and "and" are commas.
 *
 * Shapes: label: 0 .. n-1, or LABEL_ELSEWHERE for what looks like a label and is none
 * of the window's. A letter or number of the other kind is a label only in brackets.
 */
#ifndef LABELS_H
#define LABELS_H

#include "common/base/view.h"
#include "common/select/ranking.h"

enum { LABEL_ELSEWHERE = -1 };

enum token_kind {
	TOKEN_END,
	TOKEN_LINE,  /* end of line */
	TOKEN_LABEL, /* a, A, [A], 3, [3] */
	TOKEN_ABOVE, /* > */
	TOKEN_BELOW, /* < */
	TOKEN_SAME,  /* = */
	TOKEN_NEXT,  /* , ; then and */
	TOKEN_OPEN,  /* [ that opens no single label */
	TOKEN_CLOSE, /* ] */
	TOKEN_COLON,
	TOKEN_MARK, /* "1." or "1)" before an item */
	TOKEN_WORD, /* anything else */
};

struct token {
	enum token_kind kind;
	int label;     /* of TOKEN_LABEL; of TOKEN_MARK its number */
	int bracketed; /* [A] */
	int clear; /* a label also in prose: not the words "A" and "I", no mere digit */
	int opens; /* first of its line */
};

struct labels {
	const char *p, *end; /* what is left to read */
	enum ranking_labels kind;
	int n;
	int opens; /* nothing read on this line yet */
	int cue;   /* a cue word stands before what comes next */
};

struct labels labels_of(struct view plain, enum ranking_labels kind, uint32_t n);

struct token labels_next(struct labels *l);

#endif
