/* pynum.h - numbers as Python reads and writes them
 *
 * Source: CPython 3.11: PyFloat_FromString (white space, underscores between digits,
 *         any script's decimal digits, nan, inf, infinity), float.__repr__ (shortest
 *         that reads back), float.__round__ (half to even on the exact binary value).
 */
#ifndef PYNUM_H
#define PYNUM_H

#include "common/base/view.h"

#include <stddef.h>

enum { PY_REPR = 40 };

/* 1 and float(text), or 0 where float() raises. `text` is valid UTF-8, or, with
 * `is_bytes`, a bytes object's. */
int py_float(struct view text, int is_bytes, double *ret);

/* Both give the length and end in NUL. */
size_t py_repr(double d, char ret[PY_REPR]);        /* repr(d) */
size_t py_repr_round3(double d, char ret[PY_REPR]); /* repr(round(d, 3)) */

#endif
