/* plackett.c - see plackett.h */
#include "common/select/plackett.h"

#include "common/base/mem.h"
#include "common/base/round.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CONVERGED 1e-10 /* the largest step */
#define LEAST_PART 1e-9 /* of a step */

enum { SLOTS = PLACKETT_SLOTS };

/* ---- symmetric matrices, by rows; only the lower half is looked at ---- */

/* m becomes L with L L' = m. Curvatures here have a prior's on their diagonal. */
static void cholesky(double *m, uint32_t n)
{
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b <= a; b++) {
			double sum = m[a * n + b];

			for (uint32_t c = 0; c < b; c++)
				sum -= m[a * n + c] * m[b * n + c];
			m[a * n + b] =
				a == b ? sqrt(fmax(sum, 1e-12)) : sum / m[b * n + b];
		}
}

/* x[0], x[stride], ... become the solution of L L' x = x. */
static void solve(const double *l, uint32_t n, double *x, uint32_t stride)
{
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = 0; b < a; b++)
			x[a * stride] -= l[a * n + b] * x[b * stride];
		x[a * stride] /= l[a * n + a];
	}
	for (uint32_t a = n; a-- > 0;) {
		for (uint32_t b = a + 1; b < n; b++)
			x[a * stride] -= l[b * n + a] * x[b * stride];
		x[a * stride] /= l[a * n + a];
	}
}

static void invert(const double *l, uint32_t n, double *ret)
{
	memset(ret, 0, (size_t)n * n * sizeof *ret);
	for (uint32_t a = 0; a < n; a++) {
		ret[a * n + a] = 1;
		solve(l, n, ret + a, n);
	}
}

/* ---- one ranking, by utilities of places ---- */

struct scratch { /* of the widest ask */
	double *u, *p, *gradient;
	double *curve; /* n x n */
	uint32_t *left;
};

static uint32_t widest(const struct plackett *q, uint32_t n)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < q[i].asks; k++)
			most = q[i].ask[k].n > most ? q[i].ask[k].n : most;
	return most;
}

static size_t scratch_size(uint32_t n)
{
	return (size_t)n * n + 4 * (size_t)n;
}

static struct scratch scratch_in(double *room, uint32_t n)
{
	return (struct scratch){ room, room + n, room + 2 * (size_t)n,
				 room + 4 * (size_t)n,
				 (uint32_t *)(room + 3 * (size_t)n) };
}

/* The chances of those left; the logarithm of what they sum to. */
static double shares(const struct scratch *s, uint32_t left)
{
	double most = -INFINITY, sum = 0;

	for (uint32_t i = 0; i < left; i++)
		most = fmax(most, s->u[s->left[i]]);
	for (uint32_t i = 0; i < left; i++)
		sum += s->p[i] = exp(s->u[s->left[i]] - most);
	for (uint32_t i = 0; i < left; i++)
		s->p[i] /= sum;
	return most + log(sum);
}

static void add_curve(struct scratch *s, uint32_t n, uint32_t left, double times)
{
	for (uint32_t a = 0; a < left; a++)
		for (uint32_t b = 0; b < left; b++)
			s->curve[s->left[a] * n + s->left[b]] +=
				times * s->p[a] * ((a == b) - s->p[b]);
}

/* The log-likelihood, its gradient and negative curvature. */
static double ranking(const struct plackett_ask *ask, struct scratch *s)
{
	uint32_t n = ask->n, at = 0;
	double value = 0;

	memset(s->gradient, 0, n * sizeof *s->gradient);
	memset(s->curve, 0, (size_t)n * n * sizeof *s->curve);
	for (uint32_t k = 0; k < ask->places; at += ask->place[k++]) {
		uint32_t tied = ask->place[k], left = n - at;
		double all;

		if (tied == left && tied > 1)
			break; /* the last ones were not told apart */
		memcpy(s->left, ask->order + at, left * sizeof *s->left);
		all = shares(s, left);
		add_curve(s, n, left, tied);
		for (uint32_t i = 0; i < tied; i++) {
			value += s->u[s->left[i]] - all;
			s->gradient[s->left[i]] += 1;
		}
		for (uint32_t i = 0; i < left; i++)
			s->gradient[s->left[i]] -= tied * s->p[i];
	}
	return value;
}

static uint32_t slot_of(uint32_t place)
{
	return place < SLOTS ? place : SLOTS - 1;
}

static void utilities(const struct plackett_ask *ask, const double *strength,
		      const double *cost, double *ret)
{
	for (uint32_t i = 0; i < ask->n; i++)
		ret[i] = strength[ask->item[i]] - (cost ? cost[slot_of(i)] : 0);
}

/* ---- one question ---- */

struct point {                    /* NULL where not wanted */
	double *gradient, *curve; /* of strengths: [items], items x items */
	double *by_cost;          /* [SLOTS] gradient of costs */
	double *cross;            /* items x SLOTS curvature between both */
	double *cost_curve;       /* SLOTS x SLOTS */
};

static void clear(double *v, size_t n)
{
	if (v)
		memset(v, 0, n * sizeof *v);
}

static void add_ranking(const struct plackett_ask *ask, const struct scratch *s,
			double eta, uint32_t items, struct point *p)
{
	for (uint32_t i = 0; i < ask->n; i++) {
		uint32_t x = ask->item[i], a = slot_of(i);

		p->gradient[x] += eta * s->gradient[i];
		if (p->by_cost)
			p->by_cost[a] -= eta * s->gradient[i];
		for (uint32_t j = 0; j < ask->n; j++) {
			double c = eta * s->curve[i * ask->n + j];

			p->curve[x * items + ask->item[j]] += c;
			if (p->cross)
				p->cross[x * SLOTS + slot_of(j)] -= c;
			if (p->cost_curve)
				p->cost_curve[a * SLOTS + slot_of(j)] += c;
		}
	}
}

static double question(const struct plackett_how *how, const struct plackett *q,
		       const double *strength, const double *cost, struct scratch *s,
		       struct point *p)
{
	double value = 0, tight = 1 / (how->sd * how->sd);

	clear(p->gradient, q->items);
	clear(p->curve, (size_t)q->items * q->items);
	clear(p->cross, (size_t)q->items * SLOTS);
	for (uint32_t k = 0; k < q->asks; k++) {
		utilities(&q->ask[k], strength, cost, s->u);
		value += how->eta * ranking(&q->ask[k], s);
		if (p->gradient)
			add_ranking(&q->ask[k], s, how->eta, q->items, p);
	}
	for (uint32_t i = 0; i < q->items; i++) {
		double d = strength[i] - q->mean[i];

		value -= tight / 2 * d * d;
		if (!p->gradient)
			continue;
		p->gradient[i] -= tight * d;
		p->curve[i * q->items + i] += tight;
	}
	return value;
}

void plackett_prior(const uint32_t *size, uint32_t items, double beta0, double *ret)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < items; i++)
		all += size[i];
	for (uint32_t i = 0; i < items; i++)
		ret[i] = round20(beta0 * log((double)size[i] / (double)all));
}

static void check(const struct plackett_how *how)
{
	assert(how->sd > 0 && how->eta > 0 && how->eta <= 1);
	(void)how;
}

/* Newton's step is halved until it does good. */
static double advance(const struct plackett_how *how, const struct plackett *q,
		      double *w, double value, const double *step, double *next,
		      struct scratch *s)
{
	struct point none = { 0 };

	for (double part = 1; part > LEAST_PART; part /= 2) {
		double far = 0;

		for (uint32_t i = 0; i < q->items; i++) {
			next[i] = w[i] + part * step[i];
			far = fmax(far, fabs(part * step[i]));
		}
		/* Near the end a good step gains less than a sum's last bits. */
		if (question(how, q, next, how->cost, s, &none) >=
		    value - 1e-13 * (1 + fabs(value))) {
			memcpy(w, next, q->items * sizeof *w);
			return far;
		}
	}
	return 0;
}

double plackett_value(const struct plackett_how *how, const struct plackett *q,
		      const double *strength, double *ret_gradient)
{
	uint32_t n = q->items, wide = widest(q, 1);
	double *room = mem_alloc(scratch_size(wide) + (size_t)n * n + n, sizeof *room);
	double value = NAN;

	check(how);
	if (room) {
		struct scratch s = scratch_in(room, wide);
		struct point p = { .gradient = room + scratch_size(wide) };

		p.curve = p.gradient + n;
		value = question(how, q, strength, how->cost, &s, &p);
		if (ret_gradient)
			memcpy(ret_gradient, p.gradient, n * sizeof *ret_gradient);
	}
	mem_free(room);
	return value;
}

/* Up to the top from where `w` is; the last step, and the curvature's Cholesky half. */
static double climb(const struct plackett_how *how, const struct plackett *q, double *w,
		    struct scratch *s, struct point *p, double *next,
		    uint32_t *ret_steps)
{
	double far = INFINITY;
	uint32_t i = 0;

	for (; i < PLACKETT_STEPS_MAX && far > CONVERGED; i++) {
		double value = question(how, q, w, how->cost, s, p);

		cholesky(p->curve, q->items);
		solve(p->curve, q->items, p->gradient, 1);
		far = advance(how, q, w, value, p->gradient, next, s);
	}
	question(how, q, w, how->cost, s, p);
	cholesky(p->curve, q->items);
	*ret_steps = i;
	return far;
}

static void round_all(const double *v, size_t n, double *ret)
{
	for (size_t i = 0; ret && i < n; i++)
		ret[i] = round20(v[i]);
}

int plackett_fit(const struct plackett_how *how, const struct plackett *q,
		 double *ret_strength, double *ret_cov, uint32_t *ret_steps,
		 struct err *e)
{
	uint32_t n = q->items, wide = widest(q, 1), steps;
	size_t square = (size_t)n * n, shared = scratch_size(wide);
	double *room = mem_alloc(shared + 2 * square + 3 * (size_t)n, sizeof *room);
	struct scratch s;
	struct point p = { 0 };
	double *w, *inverse, far;

	check(how);
	if (!room)
		return err_set(e, ERR_NOMEM, "strengths of %u groups", n);
	s = scratch_in(room, wide);
	w = room + shared;
	p.gradient = w + n;
	p.curve = p.gradient + 2 * (size_t)n;
	inverse = p.curve + square;
	memcpy(w, q->mean, n * sizeof *w);
	far = climb(how, q, w, &s, &p, p.gradient + n, &steps);
	if (far <= CONVERGED) {
		invert(p.curve, n, inverse);
		round_all(w, n, ret_strength);
		round_all(inverse, square, ret_cov);
		if (ret_steps)
			*ret_steps = steps;
	}
	mem_free(room);
	return far <= CONVERGED
		       ? 0
		       : err_set(e, ERR_RANGE,
				 "strengths of %u groups: no end after %d steps", n,
				 PLACKETT_STEPS_MAX);
}

/* ---- chances ---- */

/* The highest first, of equals the smaller number. */
static void sort_down(const double *v, uint32_t n, uint32_t *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;

		for (; at && v[ret[at - 1]] < v[i]; at--)
			ret[at] = ret[at - 1];
		ret[at] = i;
	}
}

static void count_order(const uint32_t *line, uint32_t n, double *top, double *above,
			double *rank)
{
	if (top)
		top[line[0]]++;
	for (uint32_t r = 0; r < n; r++) {
		if (rank)
			rank[line[r] * n + r]++;
		for (uint32_t s = r + 1; above && s < n; s++)
			above[line[r] * n + line[s]]++;
	}
}

static void divide(double *v, size_t n, double by)
{
	for (size_t i = 0; v && i < n; i++)
		v[i] = round20(v[i] / by);
}

int plackett_chances(const double *strength, const double *cov, uint32_t n,
		     uint32_t samples, struct rng *rng, double *ret_top,
		     double *ret_above, double *ret_rank, struct err *e)
{
	size_t square = (size_t)n * n;
	double *l = mem_alloc(square + 3 * (size_t)n, sizeof *l);
	double *z = l + square, *v = z + n;
	uint32_t *line = (uint32_t *)(v + n);

	assert(samples && n);
	if (!l)
		return err_set(e, ERR_NOMEM, "chances of %u groups", n);
	memcpy(l, cov, square * sizeof *l);
	cholesky(l, n);
	clear(ret_top, n);
	clear(ret_above, square);
	clear(ret_rank, square);
	for (uint32_t s = 0; s < samples; s++) {
		for (uint32_t i = 0; i < n; i++) {
			z[i] = rng_normal(rng);
			v[i] = strength[i];
			for (uint32_t j = 0; j <= i; j++)
				v[i] += l[i * n + j] * z[j];
		}
		sort_down(v, n, line);
		count_order(line, n, ret_top, ret_above, ret_rank);
	}
	divide(ret_top, n, samples);
	divide(ret_above, square, samples);
	divide(ret_rank, square, samples);
	mem_free(l);
	return 0;
}

/* Gamma of shape a >= 1, as Marsaglia and Tsang (2000) reject. */
static double gamma_draw(struct rng *rng, double a)
{
	double d = a - 1.0 / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = rng_normal(rng), u = rng_unit(rng), v = 1 + c * x;

		if (v <= 0)
			continue;
		v = v * v * v;
		if (log(u) < x * x / 2 + d - d * v + d * log(v))
			return d * v;
	}
}

int plackett_top_only(const uint32_t *won, const uint32_t *size, uint32_t n,
		      double weight, uint32_t samples, struct rng *rng, double *ret_top,
		      struct err *e)
{
	double *v = mem_alloc(2 * (size_t)n, sizeof *v), all = 0;
	uint32_t *line = (uint32_t *)(v + n);

	assert(samples && n && weight >= 0);
	if (!v)
		return err_set(e, ERR_NOMEM, "chances of %u groups", n);
	clear(ret_top, n);
	for (uint32_t i = 0; i < n; i++)
		all += size[i];
	for (uint32_t s = 0; s < samples; s++) {
		/* Whose gamma is the largest, his share is. */
		for (uint32_t i = 0; i < n; i++)
			v[i] = gamma_draw(rng, 1 + weight * size[i] / all + won[i]);
		sort_down(v, n, line);
		ret_top[line[0]]++;
	}
	divide(ret_top, n, samples);
	mem_free(v);
	return 0;
}

uint32_t plackett_open(const double *top, uint32_t n, uint32_t *ret)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < n; i++)
		if (top[i] > PLACKETT_OPEN && top[i] < 1 - PLACKETT_OPEN)
			ret[open++] = i;
	return open;
}

/* ---- costs of places ---- */

/* Strengths of all questions are solved for, given the costs' step, and drop out: what
 * is left is SLOTS x SLOTS. */
struct joint {
	const struct plackett_how *how;
	const struct plackett *q;
	uint32_t n;
	struct scratch s;
	double *strength, *next, *step; /* of all questions, one after the other */
	double *cross;                  /* [all * SLOTS], solved */
	double *curve;                  /* of the question with most items */
	double cost[SLOTS], next_cost[SLOTS], gradient[SLOTS], left[SLOTS * SLOTS];
};

static double joint_value(struct joint *j, const double *strength, const double *cost)
{
	struct point none = { 0 };
	double value = 0;

	for (uint32_t i = 0, at = 0; i < j->n; at += j->q[i++].items)
		value += question(j->how, &j->q[i], strength + at, cost, &j->s, &none);
	for (int a = 0; a < SLOTS; a++)
		value -= cost[a] * cost[a] / (2 * PLACKETT_COST_SD * PLACKETT_COST_SD);
	return value;
}

/* A question's strengths drop out of the equations of the costs. */
static void drop_out(struct joint *j, uint32_t items, double *step, double *cross)
{
	for (uint32_t i = 0; i < items; i++) /* before it is solved */
		for (int a = 0; a < SLOTS; a++)
			cross[(items + i) * SLOTS + (uint32_t)a] =
				cross[i * SLOTS + (uint32_t)a];
	cholesky(j->curve, items);
	solve(j->curve, items, step, 1);
	for (uint32_t a = 0; a < SLOTS; a++)
		solve(j->curve, items, cross + a, SLOTS);
	for (uint32_t a = 0; a < SLOTS; a++)
		for (uint32_t i = 0; i < items; i++) {
			double was = cross[(items + i) * SLOTS + a];

			j->gradient[a] -= was * step[i];
			for (uint32_t b = 0; b < SLOTS; b++)
				j->left[a * SLOTS + b] -= was * cross[i * SLOTS + b];
		}
}

/* The first place costs nothing: its row says 0 = 0. */
static void hold_first(struct joint *j)
{
	j->gradient[0] = 0;
	for (uint32_t a = 0; a < SLOTS; a++)
		j->left[a * SLOTS] = j->left[a] = a == 0;
}

/* The step of costs in `gradient`, of strengths in `step`; Cholesky's half in `left`.
 */
static double joint_equations(struct joint *j)
{
	const double tight = 1 / (PLACKETT_COST_SD * PLACKETT_COST_SD);
	double value = 0;

	clear(j->left, SLOTS * SLOTS);
	for (uint32_t a = 0; a < SLOTS; a++) {
		value -= tight / 2 * j->cost[a] * j->cost[a];
		j->gradient[a] = -tight * j->cost[a];
		j->left[a * SLOTS + a] = tight;
	}
	for (uint32_t i = 0, at = 0; i < j->n; at += j->q[i++].items) {
		double *cross = j->cross + (size_t)at * SLOTS;
		struct point p = { j->step + at, j->curve, j->gradient, cross,
				   j->left };

		value += question(j->how, &j->q[i], j->strength + at, j->cost, &j->s,
				  &p);
		drop_out(j, j->q[i].items, j->step + at, cross);
	}
	hold_first(j);
	cholesky(j->left, SLOTS);
	solve(j->left, SLOTS, j->gradient, 1);
	return value;
}

static double joint_advance(struct joint *j, uint32_t all, double value)
{
	for (uint32_t i = 0; i < all; i++)
		for (uint32_t a = 0; a < SLOTS; a++)
			j->step[i] -= j->cross[i * SLOTS + a] * j->gradient[a];
	for (double part = 1; part > LEAST_PART; part /= 2) {
		double far = 0;

		for (uint32_t i = 0; i < all; i++) {
			j->next[i] = j->strength[i] + part * j->step[i];
			far = fmax(far, fabs(part * j->step[i]));
		}
		for (int a = 0; a < SLOTS; a++) {
			j->next_cost[a] = j->cost[a] + part * j->gradient[a];
			far = fmax(far, fabs(part * j->gradient[a]));
		}
		if (joint_value(j, j->next, j->next_cost) >=
		    value - 1e-13 * (1 + fabs(value))) {
			memcpy(j->strength, j->next, all * sizeof *j->next);
			memcpy(j->cost, j->next_cost, sizeof j->cost);
			return far;
		}
	}
	return 0;
}

static void joint_answer(struct joint *j, struct plackett_slot *ret)
{
	double inverse[SLOTS * SLOTS];

	invert(j->left, SLOTS, inverse);
	memset(ret, 0, SLOTS * sizeof *ret);
	for (uint32_t a = 1; a < SLOTS; a++) {
		ret[a].cost = round20(j->cost[a]);
		ret[a].se = round20(sqrt(inverse[a * SLOTS + a]));
	}
	for (uint32_t i = 0; i < j->n; i++)
		for (uint32_t k = 0; k < j->q[i].asks; k++)
			for (uint32_t p = 0; p < j->q[i].ask[k].n && p < SLOTS; p++)
				ret[p].seen++;
}

static int tells(const struct plackett *q)
{
	for (uint32_t k = 0; k < q->asks; k++)
		if (q->ask[k].n > 1 && q->ask[k].places > 1)
			return 1;
	return 0;
}

static double *joint_room(struct joint *j, uint32_t all, uint32_t most, uint32_t wide)
{
	size_t shared = scratch_size(wide), square = (size_t)most * most;
	/* The last question needs its part of `cross` twice. */
	double *room = mem_alloc(shared + 3 * (size_t)all + square +
					 ((size_t)all + most) * SLOTS,
				 sizeof *room);

	if (!room)
		return NULL;
	j->s = scratch_in(room, wide);
	j->strength = room + shared;
	j->next = j->strength + all;
	j->step = j->next + all;
	j->curve = j->step + all;
	j->cross = j->curve + square;
	for (uint32_t i = 0, at = 0; i < j->n; at += j->q[i++].items)
		memcpy(j->strength + at, j->q[i].mean,
		       j->q[i].items * sizeof *j->strength);
	return room;
}

int plackett_slots(const struct plackett_how *how, const struct plackett *q, uint32_t n,
		   struct plackett_slot ret[PLACKETT_SLOTS], struct err *e)
{
	struct joint *j = mem_alloc(1, sizeof *j);
	uint32_t all = 0, most = 1, tell = 0;
	double *room = NULL, far = INFINITY;

	check(how);
	for (uint32_t i = 0; i < n; i++) {
		all += q[i].items;
		most = q[i].items > most ? q[i].items : most;
		tell += (uint32_t)tells(&q[i]);
	}
	if (j) {
		*j = (struct joint){ .how = how, .q = q, .n = n };
		room = joint_room(j, all, most, widest(q, n));
	}
	for (int i = 0; room && tell && i < PLACKETT_STEPS_MAX && far > CONVERGED; i++)
		far = joint_advance(j, all, joint_equations(j));
	if (far <= CONVERGED) {
		joint_equations(j);
		joint_answer(j, ret);
	}
	mem_free(j);
	if (!room)
		return err_set(e, ERR_NOMEM, "rankings of %u questions", n);
	mem_free(room);
	if (!tell)
		return err_set(
			e, ERR_VALUE,
			"no place can be told from another: none of %u questions "
			"has a ranking",
			n);
	return far <= CONVERGED
		       ? 0
		       : err_set(e, ERR_RANGE, "costs of places: no end after %d steps",
				 PLACKETT_STEPS_MAX);
}
