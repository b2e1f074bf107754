/* fit.c - see fit.h */
#include "common/select/fit.h"

#include "common/base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CONVERGED 1e-10 /* largest coefficient's step */
#define LEAST_STEP 1e-9 /* of a halved one */

/* Value, gradient and negative curvature at w. */
struct point {
	double value;
	double *gradient; /* [inputs] */
	double *curve;    /* [inputs * inputs], NULL: not wanted */
};

/* What is maximised, but for the ridge. */
struct model {
	const struct fit_how *how;
	void (*at)(const struct model *m, const double *w, struct point *p);
	/* choice */
	const struct fit_groups *q;
	double *share; /* scratch: of the largest question */
	/* logistic */
	const double *x, *weight;
	const uint8_t *y;
	uint32_t n;
};

static double dot(const double *a, const double *b, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* curve += weight * sum_i share_i (x_i - mean)(x_i - mean)' */
static void add_spread(const struct fit_groups *q, const double *share,
		       const double *mean, double weight, uint32_t k, double *curve)
{
	for (uint32_t i = 0; i < q->n; i++)
		for (uint32_t a = 0; a < k; a++)
			for (uint32_t b = 0; b <= a; b++)
				curve[a * k + b] += weight * share[i] *
						    (q->x[i * k + a] - mean[a]) *
						    (q->x[i * k + b] - mean[b]);
}

static void means(const struct fit_groups *q, const double *share, uint32_t k,
		  double *ret)
{
	for (uint32_t a = 0; a < k; a++) {
		ret[a] = 0;
		for (uint32_t i = 0; i < q->n; i++)
			ret[a] += share[i] * q->x[i * k + a];
	}
}

static int tells(const struct fit_groups *q)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < q->n; i++)
		right += q->right[i] != 0;
	return right > 0 && right < q->n;
}

static void choice_question(const struct model *m, const struct fit_groups *q,
			    const double *w, struct point *p)
{
	uint32_t k = m->how->inputs;
	double all[FIT_INPUTS_MAX], good[FIT_INPUTS_MAX];
	double most = -INFINITY, sum = 0, right = 0, *share = m->share;

	for (uint32_t i = 0; i < q->n; i++)
		most = fmax(most, share[i] = dot(w, q->x + (size_t)i * k, k));
	for (uint32_t i = 0; i < q->n; i++) {
		sum += share[i] = exp(share[i] - most);
		right += q->right[i] ? share[i] : 0;
	}
	right = fmax(right, 1e-300);
	p->value += q->weight * log(right / sum);
	for (uint32_t i = 0; i < q->n; i++)
		share[i] /= sum;
	means(q, share, k, all);
	if (p->curve)
		add_spread(q, share, all, q->weight, k, p->curve);
	for (uint32_t i = 0; i < q->n; i++)
		share[i] = q->right[i] ? share[i] * sum / right : 0;
	means(q, share, k, good);
	for (uint32_t a = 0; a < k; a++)
		p->gradient[a] += q->weight * (good[a] - all[a]);
}

static void choice_at(const struct model *m, const double *w, struct point *p)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (tells(&m->q[i]))
			choice_question(m, &m->q[i], w, p);
}

/* ln(1 + exp(z)) without overflow. */
static double softplus(double z)
{
	return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

static void logistic_at(const struct model *m, const double *w, struct point *p)
{
	uint32_t k = m->how->inputs;

	for (uint32_t i = 0; i < m->n; i++) {
		const double *x = m->x + (size_t)i * k;
		double z = dot(w, x, k), c = m->weight ? m->weight[i] : 1;
		double s = 1 / (1 + exp(-z));

		p->value += c * ((m->y[i] ? z : 0) - softplus(z));
		for (uint32_t a = 0; a < k; a++) {
			p->gradient[a] += c * ((m->y[i] != 0) - s) * x[a];
			for (uint32_t b = 0; p->curve && b <= a; b++)
				p->curve[a * k + b] += c * s * (1 - s) * x[a] * x[b];
		}
	}
}

static void evaluate(const struct model *m, const double *w, struct point *p)
{
	const struct fit_how *how = m->how;
	uint32_t k = how->inputs;

	p->value = 0;
	memset(p->gradient, 0, k * sizeof *p->gradient);
	if (p->curve)
		memset(p->curve, 0, (size_t)k * k * sizeof *p->curve);
	m->at(m, w, p);
	for (uint32_t a = 0; a < k; a++) {
		double d = w[a] - (how->mean ? how->mean[a] : 0);

		p->value -= how->ridge / 2 * d * d;
		p->gradient[a] -= how->ridge * d;
		if (p->curve)
			p->curve[a * k + a] += how->ridge;
	}
}

/* Solves curve * step = gradient for the inputs that are free, by Cholesky; a held
 * one's step is 0. The lower half of curve is lost. */
static void newton_step(struct point *p, const uint8_t *held, uint32_t k, double *step)
{
	double *l = p->curve;

	for (uint32_t a = 0; a < k; a++) {
		step[a] = held[a] ? 0 : p->gradient[a];
		for (uint32_t b = 0; b <= a; b++) {
			double sum = l[a * k + b];

			if (held[a] || held[b])
				sum = a == b;
			for (uint32_t c = 0; c < b && !held[a] && !held[b]; c++)
				sum -= l[a * k + c] * l[b * k + c];
			if (a == b)
				l[a * k + a] = sqrt(fmax(sum, 1e-12));
			else
				l[a * k + b] = sum / l[b * k + b];
		}
	}
	for (uint32_t a = 0; a < k; a++) {
		for (uint32_t b = 0; b < a; b++)
			step[a] -= l[a * k + b] * step[b];
		step[a] /= l[a * k + a];
	}
	for (uint32_t a = k; a-- > 0;) {
		for (uint32_t b = a + 1; b < k; b++)
			step[a] -= l[b * k + a] * step[b];
		step[a] /= l[a * k + a];
	}
}

static double within(const struct fit_how *how, uint32_t a, double v)
{
	if (how->sign && how->sign[a] * v < 0)
		return 0;
	return v;
}

/* Held are those at 0 that would go where they may not. */
static void hold(const struct fit_how *how, const double *w, const double *gradient,
		 uint8_t *held)
{
	for (uint32_t a = 0; a < how->inputs; a++)
		held[a] = how->sign && how->sign[a] && w[a] == 0 &&
			  how->sign[a] * gradient[a] <= 0;
}

/* Halves the step until it does good; how far the farthest went, 0 for nowhere. */
static double advance(const struct model *m, double *w, double value,
		      const double *step, double *next, struct point *p)
{
	uint32_t k = m->how->inputs;
	double *curve = p->curve, far = 0;

	p->curve = NULL;
	for (double part = 1; part > LEAST_STEP; part /= 2) {
		far = 0;
		for (uint32_t a = 0; a < k; a++) {
			next[a] = within(m->how, a, w[a] + part * step[a]);
			far = fmax(far, fabs(next[a] - w[a]));
		}
		evaluate(m, next, p);
		/* Near the end a good step gains less than a sum's last bits. */
		if (p->value >= value - 1e-13 * (1 + fabs(value)))
			break;
		far = 0;
	}
	p->curve = curve;
	if (far > 0)
		memcpy(w, next, k * sizeof *w);
	return far;
}

static int solve(const struct model *m, double *ret, struct err *e)
{
	uint32_t k = m->how->inputs, i;
	double *room = mem_alloc((size_t)k * k + 4 * k, sizeof *room);
	double *w = room, *step = room + k, *next = room + 2 * k;
	struct point p = { .gradient = room + 3 * k, .curve = room + 4 * k };
	uint8_t held[FIT_INPUTS_MAX];

	if (!room)
		return err_set(e, ERR_NOMEM, "fit of %u inputs", k);
	for (uint32_t a = 0; a < k; a++)
		w[a] = within(m->how, a, m->how->mean ? m->how->mean[a] : 0);
	for (i = 0; i < FIT_STEPS_MAX; i++) {
		double value;

		evaluate(m, w, &p);
		value = p.value;
		hold(m->how, w, p.gradient, held);
		newton_step(&p, held, k, step);
		if (advance(m, w, value, step, next, &p) < CONVERGED)
			break;
	}
	if (i < FIT_STEPS_MAX)
		memcpy(ret, w, k * sizeof *ret);
	mem_free(room);
	return i < FIT_STEPS_MAX
		       ? 0
		       : err_set(e, ERR_RANGE,
				 "no end after %d steps: a larger ridge helps",
				 FIT_STEPS_MAX);
}

static uint32_t most_groups(const struct fit_groups *q, uint32_t n, uint32_t *ret_tell)
{
	uint32_t most = 0;

	*ret_tell = 0;
	for (uint32_t i = 0; i < n; i++) {
		most = q[i].n > most ? q[i].n : most;
		*ret_tell += (uint32_t)tells(&q[i]);
	}
	return most;
}

int fit_choice(const struct fit_how *how, const struct fit_groups *q, uint32_t n,
	       double *ret, struct err *e)
{
	uint32_t tell, most = most_groups(q, n, &tell);
	struct model m = { .how = how, .at = choice_at, .q = q, .n = n };
	int rc;

	assert(how->inputs <= FIT_INPUTS_MAX);
	if (!tell)
		return err_set(e, ERR_VALUE,
			       "nothing to learn from: none of %u questions has right "
			       "and wrong groups",
			       n);
	m.share = mem_alloc(most + 1, sizeof *m.share);
	if (!m.share)
		return err_set(e, ERR_NOMEM, "fit of %u questions", n);
	rc = solve(&m, ret, e);
	mem_free(m.share);
	return rc;
}

int fit_logistic(const struct fit_how *how, const double *x, const uint8_t *y,
		 const double *weight, uint32_t n, double *ret, struct err *e)
{
	struct model m = {
		.how = how, .at = logistic_at, .x = x, .y = y, .weight = weight, .n = n
	};

	assert(how->inputs <= FIT_INPUTS_MAX);
	if (!n)
		return err_set(e, ERR_VALUE, "nothing to learn from");
	return solve(&m, ret, e);
}

double fit_choice_value(const struct fit_how *how, const struct fit_groups *q,
			uint32_t n, const double *w, double *ret_gradient)
{
	uint32_t tell, most = most_groups(q, n, &tell);
	double unwanted[FIT_INPUTS_MAX];
	struct point p = { .gradient = ret_gradient ? ret_gradient : unwanted };
	struct model m = { .how = how, .at = choice_at, .q = q, .n = n };

	m.share = mem_alloc(most + 1, sizeof *m.share);
	if (!m.share)
		return NAN;
	evaluate(&m, w, &p);
	mem_free(m.share);
	return p.value;
}

double fit_logistic_value(const struct fit_how *how, const double *x, const uint8_t *y,
			  const double *weight, uint32_t n, const double *w,
			  double *ret_gradient)
{
	double unwanted[FIT_INPUTS_MAX];
	struct point p = { .gradient = ret_gradient ? ret_gradient : unwanted };
	struct model m = {
		.how = how, .at = logistic_at, .x = x, .y = y, .weight = weight, .n = n
	};

	evaluate(&m, w, &p);
	return p.value;
}
