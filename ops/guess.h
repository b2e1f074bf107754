/* guess.h - what did they mean?
 *
 * Damerau-Levenshtein distance (optimal string alignment), case folded, '_' like '-'.
 *
 * Threads: pure.
 */
#ifndef GUESS_H
#define GUESS_H

#include <stddef.h>

enum { GUESS_LENGTH = 64 }; /* names beyond are compared by their beginning */

unsigned guess_distance(const char *a, const char *b);

/* The closest of names, NULL where none is close (over half of its letters differ). The
 * first of equals. */
const char *guess_of(const char *what, const char *const *names, size_t n);

#endif
