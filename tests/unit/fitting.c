/* fitting.c - what is learnt chooses well where it was not learnt, and says how well */
#include "tests/support/cm.h"

#include "common/base/rng.h"
#include "results/fitting.h"

#include <math.h>
#include <string.h>

static struct arena a;

static int tear_down(void **unused)
{
	(void)unused;
	arena_free(&a);
	return 0;
}

enum { QUESTIONS = 300, DBS = 3 };

/* Two groups of 5 and 3 votes, and in every fifth question one group. The empty one of
 * two is wrong nine times of ten, be it the larger or not. */
static void make(struct fitdata *d)
{
	struct rng r;

	memset(d, 0, sizeof *d);
	rng_init(&r, "fitting test", 42, view_of("1"), 0);
	d->arena = &a;
	d->v = arena_alloc(&a, QUESTIONS, sizeof *d->v);
	d->n = d->questions = QUESTIONS;
	d->ndb = DBS;
	d->ndir = 1;
	for (uint32_t i = 0; i < QUESTIONS; i++) {
		struct fit_example *x = &d->v[i];
		uint32_t empty = (uint32_t)rng_below(&r, 2);

		*x = (struct fit_example){ .db = i % DBS, .question = i, .weight = 1 };
		x->n = i % 5 ? 2 : 1;
		x->asked = 8;
		x->votes = arena_alloc(&a, 2, sizeof *x->votes);
		x->right = arena_alloc(&a, 2, 1);
		x->feature = arena_alloc(&a, 2 * FEATURES, sizeof *x->feature);
		x->votes[0] = 5;
		x->votes[1] = 3;
		x->right[rng_below(&r, 10) ? 1 - empty : empty] = 1;
		x->feature[FEATURES + FEATURE_lsize] = log(3. / 5);
		x->feature[empty * FEATURES + FEATURE_empty] = 0.5;
		x->feature[(1 - empty) * FEATURES + FEATURE_empty] = -0.5;
	}
}

static struct weights begun(void)
{
	struct weights w = { 0 };

	w.feature[0][FEATURE_lsize] = w.feature[1][FEATURE_lsize] = 1;
	w.feature[1][FEATURE_mp_cmp] = 0.5;
	w.bonus[0] = w.bonus[1] = 0.25;
	return w;
}

static void what_is_left_out_is_chosen_better_than_by_vote(void **unused)
{
	struct weights from = begun(), w;
	struct fitting_how how = { &from, 1, 0, .1, LEAVE_DB };
	struct fitting_report r;
	struct fitdata d;

	(void)unused;
	make(&d);
	assert_int_equal(fitting_learn(&d, &how, &w, &r, NULL), 0);
	assert_true(w.feature[0][FEATURE_empty] < -1);
	assert_true(w.feature[1][FEATURE_mp_cmp] == 0.5); /* there was no bank */
	assert_true(w.feature[0][FEATURE_zero] == 0);
	assert_int_equal(r.parts, DBS);
	assert_true(r.held_out);
	assert_int_equal(r.contested, QUESTIONS * 4 / 5);
	assert_true(r.before == r.majority);
	assert_true(r.after > r.majority + 0.2);
	assert_true(fabs(r.after - r.majority - (r.won - r.lost) / QUESTIONS) < 1e-12);
	assert_true(fabs(r.gain.mean - (r.after - r.majority)) < 1e-12);
	assert_true(r.gain_by_db.known);
	assert_true(w.has_chance && r.ece < 0.1 && r.aurc < 0.3);
	assert_true(w.bonus[0] == 0.25);
}

static void nothing_left_out_is_said_to_be_in_sample(void **unused)
{
	struct weights from = begun(), w;
	struct fitting_how how = { &from, 0, 0, .1, LEAVE_NONE };
	struct fitting_report r;
	struct fitdata d;

	(void)unused;
	make(&d);
	assert_int_equal(fitting_learn(&d, &how, &w, &r, NULL), 0);
	assert_int_equal(r.held_out, 0);
	how.leave_out = LEAVE_DIR; /* there is but one */
	assert_int_equal(fitting_learn(&d, &how, &w, &r, NULL), 0);
	assert_int_equal(r.held_out, 0);
}

static void a_bank_gives_both_columns(void **unused)
{
	struct weights from = begun(), w;
	struct fitting_how how = { &from, 0, 0, .1, LEAVE_DB };
	struct fitting_report r;
	struct fitdata d;

	(void)unused;
	make(&d);
	d.with_bank = 1;
	for (uint32_t i = 0; i < d.n; i++) /* it says what is right, half aloud */
		for (uint32_t g = 0; g < d.v[i].n; g++)
			d.v[i].feature[g * FEATURES + FEATURE_mp_cmp] =
				d.v[i].right[g] && i % 2;
	assert_int_equal(fitting_learn(&d, &how, &w, &r, NULL), 0);
	assert_true(w.feature[1][FEATURE_mp_cmp] > 1);
	assert_true(w.feature[0][FEATURE_mp_cmp] == 0);
	assert_true(w.feature[0][FEATURE_empty] < -1);
}

static void a_sign_that_is_to_be_kept_is(void **unused)
{
	struct weights from = begun(), w;
	struct fitting_how how = { &from, 1, 1, .1, LEAVE_DB };
	struct fitting_report r;
	struct fitdata d;

	(void)unused;
	make(&d);
	from.feature[0][FEATURE_empty] = 0.5;
	assert_int_equal(fitting_learn(&d, &how, &w, &r, NULL), 0);
	assert_true(w.feature[0][FEATURE_empty] == 0);
}

static void questions_that_all_agree_teach_nothing(void **unused)
{
	struct weights from = begun(), w;
	struct fitting_how how = { &from, 1, 0, .1, LEAVE_DB };
	struct fitting_report r;
	struct fitdata d;
	struct err e = { 0 };

	(void)unused;
	make(&d);
	for (uint32_t i = 0; i < d.n; i++)
		d.v[i].n = 1;
	assert_int_equal(fitting_learn(&d, &how, &w, &r, &e), ERR_VALUE);
	assert_non_null(strstr(e.text, "nothing to learn from"));
	d.n = 0;
	assert_int_equal(fitting_learn(&d, &how, &w, &r, &e), ERR_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_out_is_chosen_better_than_by_vote),
		cmocka_unit_test(nothing_left_out_is_said_to_be_in_sample),
		cmocka_unit_test(a_bank_gives_both_columns),
		cmocka_unit_test(a_sign_that_is_to_be_kept_is),
		cmocka_unit_test(questions_that_all_agree_teach_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
