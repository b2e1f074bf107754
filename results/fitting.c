/* fitting.c - see fitting.h */
#include "results/fitting.h"

#include "common/select/calibration.h"
#include "common/select/fit.h"
#include "proto/chance.h"

#include <math.h>

#define CHANCE_RIDGE 0.1

enum { NOBODY = UINT32_MAX, BINS = 10 };

struct work {
	const struct fitdata *d;
	const struct fitting_how *how;
	int bank;
	struct fit_groups *groups;   /* [n] scratch: those that one fit learns from */
	double *score;               /* scratch: of the example with most groups */
	double *input, *kept_input;  /* [n * CHANCES]: of each choice; scratch */
	uint8_t *right, *kept_right; /* [n] was the choice right? */
	double *kept_weight;
	double *chance;     /* [n] P(right) */
	double *gain, *sum; /* [questions], [ndb] */
	uint32_t *cluster;  /* [questions] */
	struct sure *sure;  /* [n] */
};

static uint32_t part_of(const struct work *w, const struct fit_example *x)
{
	return w->how->leave_out == LEAVE_DB    ? x->db
	       : w->how->leave_out == LEAVE_DIR ? x->dir
						: 0;
}

static uint32_t parts_of(const struct work *w)
{
	return w->how->leave_out == LEAVE_DB    ? w->d->ndb
	       : w->how->leave_out == LEAVE_DIR ? w->d->ndir
						: 1;
}

/* ---- weights of features ---- */

static double round4(double x)
{
	return nearbyint(x * 1e4) / 1e4 + 0.0;
}

static void start_from(const struct work *w, double *mean, int *sign)
{
	for (int f = 0; f < FEATURES; f++) {
		double v = w->how->from->feature[w->bank][f];

		mean[f] = w->how->towards_from ? v : 0;
		sign[f] = w->how->keep_signs ? (v > 0) - (v < 0) : 0;
	}
}

/* From all examples but those of part `out`. */
static int learn(struct work *w, uint32_t out, double *ret, struct err *e)
{
	double mean[FEATURES];
	int sign[FEATURES];
	struct fit_how how = { FEATURES, w->how->ridge, mean, sign };
	uint32_t n = 0;
	int rc;

	start_from(w, mean, sign);
	for (uint32_t i = 0; i < w->d->n; i++) {
		const struct fit_example *x = &w->d->v[i];

		if (x->n > 1 && part_of(w, x) != out)
			w->groups[n++] = (struct fit_groups){ x->feature, x->right,
							      x->n, x->weight };
	}
	rc = fit_choice(&how, w->groups, n, ret, e);
	for (int f = 0; rc == 0 && f < FEATURES; f++)
		ret[f] = round4(ret[f]);
	return rc;
}

/* ---- choosing with them ---- */

static uint32_t largest(const struct fit_example *x)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < x->n; i++)
		if (x->votes[i] > x->votes[best])
			best = i;
	return best;
}

static uint32_t choose(const struct work *w, const struct fit_example *x,
		       const double *weight)
{
	uint32_t top = largest(x), best = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		double sum = i == top ? w->how->from->bonus[w->bank] : 0;

		for (int f = 0; f < FEATURES; f++)
			sum += weight[f] * x->feature[(size_t)i * FEATURES + (size_t)f];
		w->score[i] = sum;
		if (sum > w->score[best])
			best = i;
	}
	return best;
}

static void try_one(struct work *w, uint32_t i, const double *weight)
{
	const struct fit_example *x = &w->d->v[i];
	struct chance_of of = { x->n > 1 ? w->score : NULL, x->votes, x->n,
				choose(w, x, weight), x->asked };

	chance_inputs(&of, w->input + (size_t)i * CHANCES);
	w->right[i] = x->right[of.chosen];
}

/* Each example is chosen by weights that its part had no share in. */
static int try_all(struct work *w, int held_out, const double *whole, struct err *e)
{
	double weight[FEATURES];
	int rc = 0;

	memcpy(weight, whole, sizeof weight);
	for (uint32_t p = 0; rc == 0 && p < parts_of(w); p++) {
		if (held_out)
			rc = learn(w, p, weight, e);
		for (uint32_t i = 0; rc == 0 && i < w->d->n; i++)
			if (part_of(w, &w->d->v[i]) == p)
				try_one(w, i, weight);
	}
	return rc;
}

/* ---- what it is worth ---- */

static void count(struct work *w, struct fitting_report *r)
{
	const struct fitdata *d = w->d;
	double all = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		const struct fit_example *x = &d->v[i];
		int vote = x->right[largest(x)];
		int before = x->right[choose(w, x, w->how->from->feature[w->bank])];

		all += x->weight;
		r->contested += x->n > 1 && x->draw == 0;
		r->majority += vote ? x->weight : 0;
		r->before += before ? x->weight : 0;
		r->after += w->right[i] ? x->weight : 0;
		r->won += w->right[i] && !vote ? x->weight : 0;
		r->lost += !w->right[i] && vote ? x->weight : 0;
		w->gain[x->question] += x->weight * (w->right[i] - vote);
		w->cluster[x->question] = x->db;
	}
	r->questions = d->questions;
	r->majority /= all;
	r->before /= all;
	r->after /= all;
	r->gain = stats_mean(w->gain, d->questions);
	r->gain_by_db =
		stats_clustered(w->gain, w->cluster, d->questions, d->ndb, w->sum);
}

/* ---- P(right) ---- */

static int learn_chance(struct work *w, uint32_t out, double *ret, struct err *e)
{
	struct fit_how how = { CHANCES, CHANCE_RIDGE, NULL, NULL };
	uint32_t n = 0;
	int rc;

	for (uint32_t i = 0; i < w->d->n; i++) {
		if (part_of(w, &w->d->v[i]) == out)
			continue;
		memcpy(w->kept_input + (size_t)n * CHANCES,
		       w->input + (size_t)i * CHANCES, CHANCES * sizeof *w->input);
		w->kept_weight[n] = w->d->v[i].weight;
		w->kept_right[n++] = w->right[i];
	}
	rc = fit_logistic(&how, w->kept_input, w->kept_right, w->kept_weight, n, ret,
			  e);
	for (int c = 0; rc == 0 && c < CHANCES; c++)
		ret[c] = round4(ret[c]);
	return rc;
}

static int try_chance(struct work *w, int held_out, const double *whole, struct err *e)
{
	double c[CHANCES];
	int rc = 0;

	memcpy(c, whole, sizeof c);
	for (uint32_t p = 0; rc == 0 && p < parts_of(w); p++) {
		if (held_out)
			rc = learn_chance(w, p, c, e);
		for (uint32_t i = 0; rc == 0 && i < w->d->n; i++)
			if (part_of(w, &w->d->v[i]) == p)
				w->chance[i] =
					chance_right(c, w->input + (size_t)i * CHANCES);
	}
	return rc;
}

/* Of one draw a question: several are not independent. */
static uint32_t sort_chances(struct work *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->d->n; i++)
		if (w->d->v[i].draw == 0)
			w->sure[n++] = (struct sure){ w->chance[i], w->right[i], 0 };
	calibration_sort(w->sure, n);
	return n;
}

static void trust(struct work *w, struct fitting_report *r)
{
	static const double epsilon[FITTING_TAUS] = { .02, .05, .1 };
	uint32_t n = sort_chances(w), k;

	r->ece = calibration_ece(w->sure, n, BINS);
	r->aurc = calibration_aurc(w->sure, n);
	for (int i = 0; i < FITTING_TAUS; i++) {
		struct fitting_tau *t = &r->tau[i];

		t->epsilon = epsilon[i];
		t->found =
			calibration_tau(w->sure, n, epsilon[i], FITTING_DELTA, &t->tau);
		for (k = 0; t->found && k < n && w->sure[k].p >= t->tau; k++)
			;
		t->coverage = t->found ? (double)k / n : 0;
	}
}

/* ---- all of it ---- */

static int room(struct work *w, struct arena *a)
{
	const struct fitdata *d = w->d;
	uint32_t most = 1;

	for (uint32_t i = 0; i < d->n; i++)
		most = d->v[i].n > most ? d->v[i].n : most;
	w->groups = arena_alloc(a, d->n + 1, sizeof *w->groups);
	w->score = arena_alloc(a, most, sizeof *w->score);
	w->input = arena_alloc(a, (size_t)(d->n + 1) * CHANCES, sizeof *w->input);
	w->kept_input =
		arena_alloc(a, (size_t)(d->n + 1) * CHANCES, sizeof *w->kept_input);
	w->right = arena_alloc(a, d->n + 1, 1);
	w->kept_right = arena_alloc(a, d->n + 1, 1);
	w->kept_weight = arena_alloc(a, d->n + 1, sizeof *w->kept_weight);
	w->chance = arena_alloc(a, d->n + 1, sizeof *w->chance);
	w->sure = arena_alloc(a, d->n + 1, sizeof *w->sure);
	w->gain = arena_alloc(a, d->questions + 1, sizeof *w->gain);
	w->cluster = arena_alloc(a, d->questions + 1, sizeof *w->cluster);
	w->sum = arena_alloc(a, d->ndb + 1, sizeof *w->sum);
	return a->bad ? ERR_NOMEM : 0;
}

/* Without a bank nothing was learnt about the feature that needs one. */
static void fill(const struct work *w, const double *with, const double *without,
		 struct weights *ret)
{
	*ret = *w->how->from;
	memcpy(ret->feature[1], with, sizeof ret->feature[1]);
	memcpy(ret->feature[0], without, sizeof ret->feature[0]);
	if (!w->bank)
		ret->feature[1][FEATURE_mp_cmp] =
			w->how->from->feature[1][FEATURE_mp_cmp];
	ret->feature[0][FEATURE_mp_cmp] = 0;
}

/* The same examples, as they would be without a bank. */
static int learn_without(struct work *w, double *ret, struct err *e)
{
	const struct fitdata *d = w->d;

	for (uint32_t i = 0; i < d->n; i++)
		for (uint32_t g = 0; g < d->v[i].n; g++)
			d->v[i].feature[(size_t)g * FEATURES + FEATURE_mp_cmp] = 0;
	w->bank = 0;
	return learn(w, NOBODY, ret, e);
}

int fitting_learn(const struct fitdata *d, const struct fitting_how *how,
		  struct weights *ret, struct fitting_report *ret_report, struct err *e)
{
	struct work w = { .d = d, .how = how, .bank = d->with_bank };
	struct fitting_report r = { 0 };
	double with[FEATURES], without[FEATURES], chance[CHANCES];
	struct arena a = { 0 };
	struct weights fitted;
	int rc = d->n ? 0 : err_set(e, ERR_VALUE, "no question has a group");

	if (!rc && room(&w, &a))
		rc = err_set(e, ERR_NOMEM, "fit of %u questions", d->n);
	if (!rc)
		rc = learn(&w, NOBODY, with, e);
	if (!rc) {
		r.parts = parts_of(&w);
		r.held_out = r.parts > 1;
		rc = try_all(&w, r.held_out, with, e);
	}
	if (!rc) {
		count(&w, &r);
		rc = learn_chance(&w, NOBODY, chance, e);
	}
	if (!rc)
		rc = try_chance(&w, r.held_out, chance, e);
	if (!rc) {
		trust(&w, &r);
		memcpy(without, with, sizeof without);
		if (w.bank)
			rc = learn_without(&w, without, e);
		w.bank = d->with_bank;
	}
	if (!rc) {
		fill(&w, with, without, &fitted);
		memcpy(fitted.chance[0], chance, sizeof chance);
		memcpy(fitted.chance[1], chance, sizeof chance);
		fitted.has_chance = 1;
		*ret = fitted;
		*ret_report = r;
	}
	arena_free(&a);
	return rc;
}
