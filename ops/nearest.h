/* nearest.h - what did they mean?
 *
 * Damerau-Levenshtein distance (optimal string alignment), case folded, '_' like '-'.
 *
 * Threads: pure.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

enum { NEAREST_LENGTH = 64 }; /* names beyond are compared by their beginning */

unsigned nearest_distance(const char *a, const char *b);

/* The closest of names, NULL where none is close (over half of its letters differ). The
 * first of equals. */
const char *nearest_of(const char *what, const char *const *names, size_t n);

#endif
