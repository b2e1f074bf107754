/* runs.h - axes given as lists become the runs of a sweep
 *
 * The product of methods, judges, passes, candidates and seeds, without the axes that a
 * method does not read. runname.h has how runs are called.
 *
 * Memory: the sweep's arena.
 * Errors: ERR_USAGE, naming what is known.
 */
#ifndef RUNS_H
#define RUNS_H

#include "common/base/err.h"
#include "ops/options.h"
#include "proto/sweep.h"

/* Reads sweep->bank and sweep->model; fills run[] and nrun. */
int runs_make(struct options *s, struct sweep *sweep, struct err *e);

#endif
