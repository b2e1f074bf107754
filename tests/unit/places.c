/* places.c - what places cost, from choices to results.json and from there to weights
 */
#include "tests/support/cm.h"

#include "results/fitplaces.h"
#include "results/slots.h"

#include <math.h>
#include <string.h>

#define NEAR(a, b, by) assert_true(fabs((a) - (b)) <= (by))

/* ---- from choices ---- */

enum { ASKS = 40 };

/* Two groups of one candidate each, shown in both orders in turn; who stood first was
 * picked three times of four. Passes that tell no order, are void, or rank another
 * number than they show say nothing. */
struct made {
	struct choice_group group[2];
	struct choice_pass pass[ASKS + 3];
	struct choice c;
	struct question question;
	struct sample x;
};

static void make(struct made *m)
{
	static uint32_t zero[] = { 0 }, one[] = { 1 }, ab[] = { 0, 1 }, ba[] = { 1, 0 },
			places[] = { 1, 1 }, other[] = { 1 };

	*m = (struct made){ .group = { { .member = zero, .size = 1 },
				       { .member = one, .size = 1 } } };
	for (int i = 0; i < ASKS; i++) {
		uint32_t *shown = i % 2 ? ba : ab, *back = i % 2 ? ab : ba;

		m->pass[i] = (struct choice_pass){ .cand = i / 2 % 4 ? shown : back,
						   .place = places,
						   .places = 2,
						   .shown = shown,
						   .nshown = 2 };
	}
	m->pass[ASKS] = (struct choice_pass){ ab, places, 2, 0, NULL, 0 };
	m->pass[ASKS + 1] = (struct choice_pass){ ab, places, 2, 1, ab, 2 };
	m->pass[ASKS + 2] = (struct choice_pass){ zero, other, 1, 0, ab, 2 };
	m->c = (struct choice){ .g = 2,
				.group = m->group,
				.ngroup = 2,
				.pass = m->pass,
				.npass = ASKS + 3 };
	m->x = (struct sample){ .choice = &m->c, .question = &m->question };
}

static void places_are_told_of_asks_that_keep_their_order(void **unused)
{
	struct arena a = { 0 };
	struct slots s = { 0 };
	struct buf b = { 0 };
	struct jsonw w = jsonw_of(&b, 0);
	struct made m;

	(void)unused;
	make(&m);
	for (int i = 0; i < 100; i++) /* more than the first room has */
		assert_int_equal(slots_add(&s, &m.x, &a), 0);
	assert_int_equal(s.asks, 100 * ASKS);
	assert_int_equal(slots_finish(&s), 0);
	assert_true(s.known);
	NEAR(s.slot[1].cost, log(3), 0.02);
	jw_object(&w);
	slots_json(&w, &s);
	jw_end(&w);
	assert_non_null(
		strstr(b.p, "\"places\":[{\"place\":1,\"seen\":4000,\"cost\":0"));
	assert_non_null(strstr(b.p, "{\"place\":2,\"seen\":4000,\"cost\":1.0"));
	assert_null(strstr(b.p, "\"place\":3"));
	buf_free(&b);
	arena_free(&a);
}

static void without_such_asks_nothing_is_told(void **unused)
{
	struct arena a = { 0 };
	struct slots s = { 0 };
	struct buf b = { 0 };
	struct jsonw w = jsonw_of(&b, 0);
	struct made m;

	(void)unused;
	make(&m);
	m.c.pass += ASKS;
	m.c.npass = 3;
	assert_int_equal(slots_add(&s, &m.x, &a), 0);
	m.x.choice = NULL;
	assert_int_equal(slots_add(&s, &m.x, &a), 0);
	assert_int_equal(s.n, 0);
	assert_int_equal(slots_finish(&s), 0);
	assert_false(s.known);
	jw_object(&w);
	slots_json(&w, &s);
	jw_end(&w);
	assert_string_equal(b.p, "{}");
	buf_free(&b);
	arena_free(&a);
}

/* ---- to weights ---- */

static void add(struct fitplaces *p, struct arena *a, const char *model, double cost,
		double se)
{
	json_t *run =
		json_pack("{s:s,s:{s:s},s:[{s:i,s:f,s:f},{s:i,s:f,s:f}]}", "judge",
			  "llm", "parameters", "model", model, "places", "place", 1,
			  "cost", 0.0, "se", 0.0, "place", 2, "cost", cost, "se", se);

	assert_int_equal(fitplaces_add(p, run, a), 0);
	json_decref(run);
}

/* 1 (se 0.1) and 2 (se 0.2): weights 100 and 25, mean 1.2; less 0.1^2 / 1.2. */
static void runs_count_by_their_certainty(void **unused)
{
	struct arena a = { 0 };
	struct fitplaces p = { 0 };

	(void)unused;
	add(&p, &a, "m", 1, 0.1);
	add(&p, &a, "m", 2, 0.2);
	assert_int_equal(p.runs, 2);
	assert_int_equal(fitplaces_last(&p), 2);
	NEAR(fitplaces_cost(&p, 1), 0, 0);
	NEAR(fitplaces_cost(&p, 2), 1.1917, 1e-9);
	assert_string_equal(p.judge, "llm model=m");
	arena_free(&a);
}

static void noise_is_no_preference(void **unused)
{
	struct arena a = { 0 };
	struct fitplaces p = { 0 };

	(void)unused;
	add(&p, &a, "m", -0.19, 0.2);
	NEAR(fitplaces_cost(&p, 2), 0, 0);
	arena_free(&a);
}

static void several_judges_have_no_costs_in_common(void **unused)
{
	struct arena a = { 0 };
	struct fitplaces p = { 0 };
	struct weights w = { 0 };

	(void)unused;
	add(&p, &a, "m", 1, 0.1);
	add(&p, &a, "n", 1, 0.1);
	assert_string_equal(p.other, "llm model=n");
	assert_int_equal(fitplaces_last(&p), 0);
	assert_int_equal(fitplaces_put(&p, &a, &w, NULL), 0);
	assert_int_equal(w.nnamed, 0);
	arena_free(&a);
}

static void new_rows_take_the_place_of_old_ones(void **unused)
{
	struct weights_row row[] = { { view_of("lean.place3"), { 9, 9 } },
				     { view_of("lean.weight"), { 0.5, 0.5 } } };
	struct weights w = { .named = row, .nnamed = 2 };
	struct arena a = { 0 };
	struct fitplaces p = { 0 };

	(void)unused;
	add(&p, &a, "m", 1, 0.1);
	assert_int_equal(fitplaces_put(&p, &a, &w, NULL), 0);
	assert_int_equal(w.nnamed, 2);
	NEAR(weights_named(&w, "lean.weight", 1, 0), 0.5, 0);
	NEAR(weights_named(&w, "lean.place2", 0, 0), 0.99, 1e-9);
	NEAR(weights_named(&w, "lean.place3", 0, -1), -1, 0);
	arena_free(&a);
}

static void more_rows_than_a_file_may_have_are_refused(void **unused)
{
	struct weights_row row[WEIGHTS_NAMED];
	struct weights w = { .named = row, .nnamed = WEIGHTS_NAMED };
	struct arena a = { 0 };
	struct fitplaces p = { 0 };
	struct err e = { 0 };

	(void)unused;
	for (int i = 0; i < WEIGHTS_NAMED; i++)
		row[i] = (struct weights_row){ view_of("lean.x"), { 0, 0 } };
	add(&p, &a, "m", 1, 0.1);
	assert_int_equal(fitplaces_put(&p, &a, &w, &e), ERR_VALUE);
	assert_non_null(strstr(e.text, "65 rows lean.NAME"));
	assert_int_equal(w.nnamed, WEIGHTS_NAMED);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_told_of_asks_that_keep_their_order),
		cmocka_unit_test(without_such_asks_nothing_is_told),
		cmocka_unit_test(runs_count_by_their_certainty),
		cmocka_unit_test(noise_is_no_preference),
		cmocka_unit_test(several_judges_have_no_costs_in_common),
		cmocka_unit_test(new_rows_take_the_place_of_old_ones),
		cmocka_unit_test(more_rows_than_a_file_may_have_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
