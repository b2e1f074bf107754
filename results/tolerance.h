/* tolerance.h - are two results equal but for the last digits of their numbers?
 *
 * For `score --float-tol`: a number is near another if they differ by at most the
 * tolerance, whatever their kinds; everything else must be equal as it is. Numbers are
 * compared as numbers, never as text.
 *
 * The rows compared are those that an execution keeps (proto/exec_out.h's preview): of
 * a result with more rows, or larger values, nothing is said.
 */
#ifndef TOLERANCE_H
#define TOLERANCE_H

#include "proto/exec_out.h"

enum rows_as { ROWS_SET, ROWS_BAG, ROWS_LIST };

/* 1, 0, or -1: not all rows are here. */
int tolerance_equal(const struct exec_out *a, const struct exec_out *b, enum rows_as as,
		    double tolerance);

#endif
