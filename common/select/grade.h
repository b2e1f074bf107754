/* grade.h - what number a model gave
 *
 * The first whole number from 0 to 100 behind any thinking.
 */
#ifndef GRADE_H
#define GRADE_H

#include "common/base/view.h"

/* 1, or 0 when there is none. */
int grade_parse(struct view answer, double *ret);

#endif
