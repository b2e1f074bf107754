/* fit.h - coefficients learnt from labelled questions
 *
 * Two models, both solved by Newton's method with step halving:
 *
 *     choice    P(group i) = exp(w.x_i) / sum_k exp(w.x_k) within a question; the
 *               likelihood of a question is the summed probability of its right groups
 *     logistic  P(y = 1) = 1 / (1 + exp(-w.x)) of a row; add a constant input yourself
 *
 * The log-likelihoods, each times its question's or row's weight, are summed, less
 * ridge/2 * sum_j (w_j - mean_j)^2. A question with no right group, or with right ones
 * only, tells nothing and is passed over. With sign_j = 1 (-1) w_j stays >= 0 (<= 0):
 * one that would cross is held at 0. Several right groups make `choice` not quite
 * concave: the curvature taken is that of the denominator alone, which never is less.
 *
 * The same input gives the same bits: sums go in the order given.
 *
 * Units:  ridge is in log-likelihood of one question of weight 1.
 * Errors: ERR_VALUE: nothing to learn from; ERR_NOMEM; ERR_RANGE: it does not converge.
 */
#ifndef FIT_H
#define FIT_H

#include "common/base/err.h"

#include <stdint.h>

enum { FIT_INPUTS_MAX = 64, FIT_STEPS_MAX = 200 };

struct fit_groups {           /* one question */
	const double *x;      /* [n * inputs] */
	const uint8_t *right; /* [n] */
	uint32_t n;
	double weight; /* 1 each, or a share where a question stands in several draws */
};

struct fit_how {
	uint32_t inputs;
	double ridge;
	const double *mean; /* [inputs], NULL: 0 */
	const int *sign;    /* [inputs], NULL: free */
};

int fit_choice(const struct fit_how *how, const struct fit_groups *q, uint32_t n,
	       double *ret, struct err *e);

/* x [n * inputs], y and weight [n]; weight NULL: 1 each. */
int fit_logistic(const struct fit_how *how, const double *x, const uint8_t *y,
		 const double *weight, uint32_t n, double *ret, struct err *e);

/* What is maximised, and its gradient (NULL: not wanted): for tests. */
double fit_choice_value(const struct fit_how *how, const struct fit_groups *q,
			uint32_t n, const double *w, double *ret_gradient);
double fit_logistic_value(const struct fit_how *how, const double *x, const uint8_t *y,
			  const double *weight, uint32_t n, const double *w,
			  double *ret_gradient);

#endif
