/* cellhash.h - one number for a value of a column, so that sets of values are small
 *
 * The 64-bit hash of a value's text. Numbers have one text each, so 1 and 1.0 are the
 * same and, for that matter, '1'. Texts are folded as their column collates them.
 * A blob has a hash of another kind. Never 0.
 *
 * Threads: pure.
 */
#ifndef CELLHASH_H
#define CELLHASH_H

#include "common/base/view.h"

#include <stdint.h>

enum fold { FOLD_BINARY, FOLD_NOCASE, FOLD_RTRIM, FOLD_OTHER };

uint64_t cellhash_int(int64_t i);
uint64_t cellhash_real(double d);
uint64_t cellhash_text(struct view text, enum fold fold);
uint64_t cellhash_blob(struct view blob);

/* A text that SQLite's numeric affinity makes a number: hashed as that number. 0: it is
 * no number. */
uint64_t cellhash_numeric(struct view text);

/* Of the text in lower case and without the white space around it; of a date, only its
 * digits: 2031-01-02, 2031/01/02 and the number 20310102 are one. */
uint64_t cellhash_loose(struct view text);

#endif
