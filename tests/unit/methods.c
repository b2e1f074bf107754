/* methods.c - each method's row, and what each does with the same facts */
#include "tests/support/cm.h"

#include "broker/method/method.h"
#include "common/base/err.h"
#include "proto/choice.h"
#include "tests/support/fake.h"

#include <string.h>

struct facts { /* of one question, all there; asks counted */
	const struct fake *fake;
	struct arena bytes;
	uint32_t asked;
	int hide; /* pretend that nothing is there */
};

static struct fact need(struct plan *p, struct view spec, const struct blob *blob,
			size_t nblob)
{
	struct facts *f = p->world;
	struct buf out = { 0 };
	struct fact r = { .state = FACT_OUTPUT };

	fake_see((struct fake *)f->fake, blob, nblob);
	f->asked++;
	if (f->hide)
		return (struct fact){ .state = FACT_PENDING };
	r.code = fake_answer(f->fake, spec, &out);
	if (r.code) {
		r.state = FACT_FAILED;
		r.text = view_of("deadline passed");
	}
	r.output = arena_view(&f->bytes, buf_view(&out));
	buf_free(&out);
	return r;
}

static struct fake fake;
static const void *arg; /* of the plans */

static enum plan_state plan(const char *method, uint32_t run, uint32_t question,
			    int hide, struct arena *a, struct choice *ret)
{
	struct facts f = { .fake = &fake, .hide = hide };
	struct buf record = { 0 };
	struct plan p = { .sweep = &fake.sweep,
			  .run = &fake.sweep.run[run],
			  .q = &fake.sweep.q[question],
			  .arg = arg,
			  .arena = a,
			  .need = need,
			  .world = &f };
	enum plan_state s = method_by_name(method)->plan(&p, &record);

	if (s == PLAN_DONE) {
		struct view kept = arena_view(a, buf_view(&record));

		assert_int_equal(choice_decode(kept, a, ret), 0);
	}
	buf_free(&record);
	arena_free(&f.bytes);
	return s;
}

static void every_method_is_found_by_its_name(void **unused)
{
	size_t i = 0;

	(void)unused;
	for (; method_at(i); i++) {
		assert_ptr_equal(method_by_name(method_at(i)->name), method_at(i));
		for (size_t k = 0; k < i; k++) /* each once: --help lists them */
			assert_string_not_equal(method_at(k)->name, method_at(i)->name);
	}
	assert_true(i >= 3);
	assert_null(method_by_name("Majority"));
	assert_null(method_by_name(""));
}

/* Asks of a question with 32 candidates, all different; of a pass, and of four. */
static void thirty_two_candidates_cost_what_was_published(void **unused)
{
	static const struct {
		const char *method;
		struct run r;
		uint64_t asks;
	} row[] = {
		{ "xiyan", { .own = { 0 } }, 1 },
		{ "bestof", { .own = { 8 } }, 5 },
		{ "tourrank", { .own = { 1, 8 } }, 9 },
		{ "map",
		  { .passes_max = 1, .window = 8, .step = 4, .tie_break = TIE_none },
		  7 },
		{ "map",
		  { .passes_max = 4, .window = 8, .step = 4, .tie_break = TIE_none },
		  28 },
		{ "pointwise", { .own = { 0 } }, 32 },
		{ "pairwise", { .own = { 0 } }, 992 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_int_equal(method_by_name(row[i].method)->most(&row[i].r, 32),
				 row[i].asks);
	assert_int_equal(method_by_name("map")->most(&row[4].r, 8), 4);
}

static void no_method_decides_while_executions_are_missing(void **unused)
{
	struct arena a = { 0 };
	struct choice c;

	(void)unused;
	for (size_t i = 0; method_at(i); i++)
		assert_int_equal(plan(method_at(i)->name, 2, 0, 1, &a, &c), PLAN_WAITS);
	arena_free(&a);
}

static void greedy_takes_the_one_that_is_marked(void **unused)
{
	struct arena a = { 0 };
	struct choice c;

	(void)unused;
	assert_int_equal(plan("greedy", 0, 0, 0, &a, &c), PLAN_DONE);
	assert_int_equal(c.chosen, 1);
	assert_int_equal(c.why, WHY_GENERATED);
	assert_string_equal(why_text(c.why), "generated");
	assert_int_equal(c.asks, 0);
	arena_free(&a);
}

static void majority_takes_the_largest_group_for_every_question(void **unused)
{
	(void)unused;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		struct arena a = { 0 };
		struct choice c;
		int chosen_in_first = 0;

		assert_int_equal(plan("majority", 1, q, 0, &a, &c), PLAN_DONE);
		for (uint32_t i = 0; i < c.group[0].size; i++)
			chosen_in_first |= c.group[0].member[i] == c.chosen;
		assert_true(chosen_in_first);
		for (uint32_t i = 1; i < c.g; i++)
			assert_true(c.group[i].size <= c.group[i - 1].size);
		arena_free(&a);
	}
}

static void an_execution_nobody_could_make_degrades_every_method(void **unused)
{
	struct arena a = { 0 };
	struct choice c;

	(void)unused;
	for (size_t i = 0; method_at(i); i++) {
		assert_int_equal(plan(method_at(i)->name, 2, 4, 0, &a, &c), PLAN_DONE);
		assert_int_equal(c.degraded, 1);
		assert_int_equal(c.why, WHY_DEGRADED);
		assert_non_null(memmem(c.reason.p, c.reason.n, "1 of 8", 6));
		assert_true(c.chosen >= 0); /* it answers all the same */
	}
	arena_free(&a);
}

static void no_candidate_degrades_every_method(void **unused)
{
	struct arena a = { 0 };
	struct choice c;
	uint32_t n = fake.sweep.q[0].n;

	(void)unused;
	fake.sweep.q[0].n = 0;
	for (size_t i = 0; method_at(i); i++) {
		assert_int_equal(plan(method_at(i)->name, 2, 0, 0, &a, &c), PLAN_DONE);
		assert_int_equal(c.why, WHY_DEGRADED);
		assert_true(view_eq(c.reason, view_of("there is no candidate")));
		assert_int_equal(c.chosen, -1);
		assert_int_equal(c.asks, 0);
	}
	fake.sweep.q[0].n = n;
	arena_free(&a);
}

static void map_ranks_where_there_is_more_than_one_group(void **unused)
{
	struct arena a = { 0 };
	struct choice c;
	uint32_t ranked = 0;

	(void)unused;
	for (uint32_t run = 2; run < 4; run++)
		for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
			assert_int_equal(plan("map", run, q, 0, &a, &c), PLAN_DONE);
			if (c.degraded)
				continue;
			assert_int_equal(c.npass > 0, c.g > 1);
			assert_int_equal(c.asks > 0, c.g > 1);
			ranked += c.why == WHY_RANKED || c.why == WHY_TIE_BREAK;
		}
	assert_true(ranked >= FAKE_QUESTIONS);
	arena_free(&a);
}

static void lean_asks_only_where_evidence_is_not_sure(void **unused)
{
	double *until = &fake.sweep.run[4].own[0], standard = *until;
	struct arena a = { 0 };
	struct choice c;
	uint64_t usual = 0, eager = 0;

	(void)unused;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
		assert_true(c.asks <= 8);
		assert_true(c.asks == c.npass); /* each one can be seen */
		assert_true(c.degraded || c.tied || c.confidence >= .75);
		usual += c.asks;
		*until = 0;
		assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
		assert_int_equal(c.asks, 0);
		*until = 100;
		assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
		eager += c.asks;
		*until = standard;
	}
	assert_true(usual > 0);
	assert_true(eager > usual);
	arena_free(&a);
}

static void lean_asks_no_more_than_it_is_given_and_says_whether_it_would(void **unused)
{
	struct arena a = { 0 };
	struct choice all, some;

	(void)unused;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("lean", 4, q, 0, &a, &all), PLAN_DONE);
		for (uint32_t given = 0; given < 10; given++) {
			arg = &given;
			assert_int_equal(plan("lean", 4, q, 0, &a, &some), PLAN_DONE);
			assert_true(some.asks == (given < all.asks ? given : all.asks));
			assert_true(some.asks == all.asks || some.tied);
			assert_true(some.asks < all.asks || some.tied == all.tied);
		}
		arg = NULL;
	}
	arena_free(&a);
}

static void what_an_answer_weighs_in_lean_comes_from_the_weights(void **unused)
{
	struct weights_row row = { .name = view_of("lean.weight"), .value = { 0, 0 } };
	struct weights *w = &fake.sweep.weights, before = *w;
	struct arena a = { 0 };
	struct choice c;

	(void)unused;
	w->named = &row; /* answers weigh nothing: whoever is unsure stays so */
	w->nnamed = 1;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
		assert_true(c.asks == 0 || c.asks == 8);
	}
	*w = before;
	arena_free(&a);
}

static void lean_keeps_the_order_it_showed(void **unused)
{
	struct arena a = { 0 };
	struct choice c;
	uint32_t turned = 0;

	(void)unused;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
		for (uint32_t i = 0; i < c.npass; i++) {
			const struct choice_pass *p = &c.pass[i];

			assert_true(p->nshown >= 2);
			turned += p->shown[0] != p->cand[0];
		}
	}
	assert_true(turned > 0);
	arena_free(&a);
}

/* Evidence looks at no places, and of several windows no order is the pass's. */
static void a_pass_of_one_ask_keeps_the_order_it_showed(void **unused)
{
	static const uint32_t one_ask[] = { 5 }, others[] = { 2, 3 };
	struct arena a = { 0 };
	struct choice c;
	uint32_t kept = 0, window = fake.sweep.run[3].window;

	(void)unused;
	fake.sweep.run[3].window = 2;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("map", one_ask[0], q, 0, &a, &c), PLAN_DONE);
		for (uint32_t i = 0; i < c.npass; i++)
			kept += c.pass[i].nshown > 1;
		for (int k = 0; k < 2; k++) {
			assert_int_equal(plan("map", others[k], q, 0, &a, &c),
					 PLAN_DONE);
			for (uint32_t i = 0; c.group && i < c.npass; i++)
				assert_true(!c.pass[i].nshown || c.pass[i].nshown == 2);
		}
	}
	fake.sweep.run[3].window = window;
	assert_true(kept > 0);
	arena_free(&a);
}

/* What places of 0 cost is nothing; what the first ask's second place costs is taken
 * off, and places behind it cost the same. */
static void what_places_cost_in_lean_comes_from_the_weights(void **unused)
{
	struct weights_row row = { .name = view_of("lean.place2"), .value = { 0, 0 } };
	struct weights *w = &fake.sweep.weights, before = *w;
	struct arena a = { 0 };
	struct choice plain, c;
	uint32_t differ = 0;

	(void)unused;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("lean", 4, q, 0, &a, &plain), PLAN_DONE);
		for (int cost = 0; cost < 2; cost++) {
			row.value[0] = row.value[1] = cost;
			w->named = &row;
			w->nnamed = 1;
			assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
			*w = before;
			if (cost == 0) {
				assert_true(c.confidence == plain.confidence);
				assert_int_equal(c.chosen, plain.chosen);
				assert_int_equal(c.asks, plain.asks);
			}
			differ += cost && c.confidence != plain.confidence;
		}
	}
	assert_true(differ > 0);
	arena_free(&a);
}

static void lean_with_evidence_alone_asks_nobody(void **unused)
{
	struct arena a = { 0 };
	struct choice c;

	(void)unused;
	fake.sweep.run[4].judge = JUDGE_evidence;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("lean", 4, q, 0, &a, &c), PLAN_DONE);
		assert_int_equal(c.asks, 0);
		assert_true(c.degraded || c.group[0].mean_rank > 0 || c.g < 2);
	}
	fake.sweep.run[4].judge = JUDGE_simulated;
	arena_free(&a);
}

static void a_simulated_judge_without_labels_degrades(void **unused)
{
	uint8_t **labels = fake.sweep.labels;
	struct arena a = { 0 };
	struct choice c;

	(void)unused;
	fake.sweep.labels = NULL;
	for (uint32_t q = 0; q < FAKE_QUESTIONS; q++) {
		assert_int_equal(plan("map", 3, q, 0, &a, &c), PLAN_DONE);
		assert_true(c.degraded || c.why == WHY_ONE_GROUP);
	}
	fake.sweep.labels = labels;
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_method_is_found_by_its_name),
		cmocka_unit_test(thirty_two_candidates_cost_what_was_published),
		cmocka_unit_test(no_method_decides_while_executions_are_missing),
		cmocka_unit_test(greedy_takes_the_one_that_is_marked),
		cmocka_unit_test(majority_takes_the_largest_group_for_every_question),
		cmocka_unit_test(an_execution_nobody_could_make_degrades_every_method),
		cmocka_unit_test(no_candidate_degrades_every_method),
		cmocka_unit_test(map_ranks_where_there_is_more_than_one_group),
		cmocka_unit_test(lean_asks_only_where_evidence_is_not_sure),
		cmocka_unit_test(
			lean_asks_no_more_than_it_is_given_and_says_whether_it_would),
		cmocka_unit_test(what_an_answer_weighs_in_lean_comes_from_the_weights),
		cmocka_unit_test(lean_keeps_the_order_it_showed),
		cmocka_unit_test(a_pass_of_one_ask_keeps_the_order_it_showed),
		cmocka_unit_test(what_places_cost_in_lean_comes_from_the_weights),
		cmocka_unit_test(lean_with_evidence_alone_asks_nobody),
		cmocka_unit_test(a_simulated_judge_without_labels_degrades),
	};
	int rc;

	fake_make(&fake);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	fake_free(&fake);
	return rc;
}
