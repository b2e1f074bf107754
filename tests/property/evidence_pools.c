/* evidence_pools.c - on real pools the evidence judge is above the vote, whatever the
 * order in which candidates come */
#include "tests/support/cm.h"

#include "tests/support/realdata.h"
#include "tests/support/skip.h"
#include "worker/evidence.h"

static uint32_t best_of(const struct score_out *s)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < s->groups; i++)
		if (s->score[i] > s->score[best])
			best = i;
	return best;
}

/* The judge's lead over the vote in questions. */
static int lead_on(enum realdata_pool p, uint32_t questions, enum damage damage)
{
	struct realdata d;
	int lead = 0;

	assert_int_equal(realdata_load(p, questions, damage, &d), 0);
	for (uint32_t i = 0; i < d.nq; i++) {
		struct arena a = { 0 };
		struct dossier dossier;
		struct score_out s;
		uint32_t *right;

		realdata_dossier(&d.q[i], NULL, d.q[i].n, &a, &dossier, &right);
		assert_int_equal(evidence_score(&dossier, &d.db[d.q[i].db].profile,
						NULL, 42, EVIDENCE_FULL, &a, &s, NULL),
				 0);
		if (dossier.n)
			lead += (right[best_of(&s)] > 0) - (right[0] > 0);
		arena_free(&a);
	}
	realdata_free(&d);
	return lead;
}

static void it_is_above_the_vote_on_spider(void **unused)
{
	(void)unused;
	NEEDS_SHARED(shared_data("spider/pool.jsonl"));
	assert_true(lead_on(REAL_SPIDER, 0, DAMAGE_none) >= 10);
}

static void it_is_above_the_vote_on_bird(void **unused)
{
	(void)unused;
	NEEDS_SHARED(shared_data("bird/pool.jsonl"));
	assert_true(lead_on(REAL_BIRD, 0, DAMAGE_none) >= 6);
}

static void it_is_above_the_vote_on_ehrsql(void **unused)
{
	(void)unused;
	NEEDS_SHARED(shared_data("ehrsql/pool.jsonl"));
	assert_true(lead_on(REAL_EHRSQL, 80, DAMAGE_none) >= 4);
}

static void damaged_data_do_not_take_it_below_the_vote(void **unused)
{
	(void)unused;
	NEEDS_SHARED(shared_data("bird/pool.jsonl"));
	assert_true(lead_on(REAL_BIRD, 0, DAMAGE_padded) >= 0);
	assert_true(lead_on(REAL_BIRD, 0, DAMAGE_unmatched) >= 0);
}

static void turn_around(struct dossier *d)
{
	for (uint32_t g = 0; g < d->n; g++)
		for (uint32_t i = 0; i < d->group[g].n / 2; i++) {
			struct dossier_member *a = &d->group[g].member[i];
			struct dossier_member *b =
				&d->group[g].member[d->group[g].n - 1 - i];
			struct dossier_member swap = *a;

			*a = *b;
			*b = swap;
		}
}

static void the_order_of_members_moves_no_score_by_more_than_a_rounding(void **unused)
{
	struct realdata d;

	(void)unused;
	NEEDS_SHARED(shared_data("bird/pool.jsonl"));
	assert_int_equal(realdata_load(REAL_BIRD, 60, DAMAGE_none, &d), 0);
	for (uint32_t i = 0; i < d.nq; i++) {
		struct arena a = { 0 };
		struct dossier dossier;
		struct score_out s, t;
		uint32_t *right;
		const struct profile *p = &d.db[d.q[i].db].profile;

		realdata_dossier(&d.q[i], NULL, d.q[i].n, &a, &dossier, &right);
		evidence_score(&dossier, p, NULL, 42, 0, &a, &s, NULL);
		turn_around(&dossier);
		evidence_score(&dossier, p, NULL, 42, 0, &a, &t, NULL);
		for (uint32_t g = 0; g < s.groups; g++)
			assert_true(s.score[g] - t.score[g] < 2e-6 &&
				    t.score[g] - s.score[g] < 2e-6);
		arena_free(&a);
	}
	realdata_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_above_the_vote_on_spider),
		cmocka_unit_test(it_is_above_the_vote_on_bird),
		cmocka_unit_test(it_is_above_the_vote_on_ehrsql),
		cmocka_unit_test(damaged_data_do_not_take_it_below_the_vote),
		cmocka_unit_test(
			the_order_of_members_moves_no_score_by_more_than_a_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
