/* runname.h - what a run is called, and its parameters
 *
 * RUN, the name, is
 *     METHOD[-kPASSES][-nCANDIDATES][-JUDGE][-KEY=VALUE...]-sSEED
 * with a part only where it differs from k4, all, evidence and the keys' defaults. The
 * stem is the same without the seed. What a method does not read stands in neither
 * name nor parameters.
 *
 * Memory: the sweep's arena; NULL when it is out.
 */
#ifndef RUNNAME_H
#define RUNNAME_H

#include "broker/method/method.h"
#include "common/base/err.h"
#include "proto/sweep.h"

const char *run_stem(struct sweep *s, const struct run *r, const struct method *m);

/* JSON object, compact, keys sorted. */
const char *run_parameters(struct sweep *s, const struct run *r,
			   const struct method *m);

/* Names all runs from their stems. Two may not share a name: both get a piece of their
 * parameters' hash. ERR_NOMEM. */
int runs_name(struct sweep *s, struct err *e);

#endif
