/* fitting.h - weights of the evidence judge, learnt from finished runs
 *
 * Weights of features: conditional logit over each question's groups, with a ridge
 * towards the weights begun with (or 0). What they are worth is told by leaving out a
 * part (databases, or directories) and choosing there with weights of the rest;
 * P(right) is fitted on those choices, and its own calibration is told the same way.
 *
 * With one part only nothing can be left out: then all is told of the very questions it
 * was learnt from, and `held_out` is 0.
 *
 * Errors: as fit.h has them.
 */
#ifndef FITTING_H
#define FITTING_H

#include "common/select/stats.h"
#include "proto/weights.h"
#include "results/fitdata.h"

enum leave_out { LEAVE_NONE, LEAVE_DB, LEAVE_DIR };

struct fitting_how {
	const struct weights *from; /* bonus and lean.NAME are taken over, unless
				       fitplaces_put() replaces lean.placeN */
	int towards_from;           /* the ridge pulls towards them, not towards 0 */
	int keep_signs;             /* no weight gets another sign than it has there */
	double ridge;
	enum leave_out leave_out;
};

enum { FITTING_TAUS = 3 };

struct fitting_tau { /* choices with P(right) >= tau: error <= epsilon */
	double epsilon, tau, coverage;
	int found;
};

#define FITTING_DELTA 0.05 /* at confidence 1 - this */

struct fitting_report {
	uint32_t questions, contested;  /* of those with groups; more than one */
	uint32_t parts, held_out;       /* held_out 0: nothing was left out */
	double majority, before, after; /* shares right: the vote, `from`, the fitted */
	double won, lost; /* questions against majority, draws count their part */
	struct estimate gain, gain_by_db; /* after - majority, over questions */
	double ece, aurc;
	struct fitting_tau tau[FITTING_TAUS];
};

int fitting_learn(const struct fitdata *d, const struct fitting_how *how,
		  struct weights *ret, struct fitting_report *ret_report,
		  struct err *e);

#endif
