/* words.h - words of questions and of names, brought to their stems
 *
 * Stems: lower case; ies->y, sses->ss, then ing, edly, ed, es, s taken off where three
 * letters stay; final e's off. Stop words are left out. Names are split at case changes
 * and at what is no letter or digit.
 *
 * Memory: lists and stems live in the arena.
 * Errors: NULL list members never; ERR_NOMEM. At most WORDS_MAX words a list, the rest
 *         is left out.
 */
#ifndef WORDS_H
#define WORDS_H

#include "common/base/arena.h"
#include "common/base/view.h"

enum { WORDS_MAX = 4096, STEM_MAX = 64 };

struct word {
	struct view text; /* as written, in the source */
	struct view stem;
};

struct words {
	struct word *w;
	size_t n, cap;
};

int words_of_text(struct arena *a, struct view text, struct words *ret); /* appends */
int words_of_name(struct arena *a, struct view name, struct words *ret); /* appends */

size_t word_stem(struct view word, char ret[STEM_MAX]); /* bytes written */
int word_is_stop(struct view lower);

/* Equal, or both of at least four letters and one begins with the other's first five.
 */
int stems_match(struct view a, struct view b);
int words_have(const struct words *list, struct view stem); /* any that matches */

/* A name that says it is a key: has a word "id", or ends in id. */
int name_is_id(struct view name);

#endif
