/* sureness.c - P(right) from a choice's groups and scores, and how a run's numbers add
 * up
 */
#include "tests/support/cm.h"

#include "common/base/round.h"
#include "proto/chance.h"
#include "results/sureness.h"

#include <math.h>
#include <string.h>

static struct arena a;

static int tear_down(void **unused)
{
	(void)unused;
	arena_free(&a);
	return 0;
}

#define NEAR(x, y) assert_true(fabs((x) - (y)) < 1e-6)

static void inputs_are_the_logit_the_share_and_the_votes_margin(void **unused)
{
	static const double score[] = { 0, 1.0986122886681098, 0 }; /* ln 3 */
	static const uint32_t votes[] = { 4, 2, 1 };
	struct chance_of of = { score, votes, 3, 1, 10 };
	double in[CHANCES];

	(void)unused;
	chance_inputs(&of, in);
	assert_true(in[CHANCE_constant] == 1);
	NEAR(in[CHANCE_logit], log(0.6 / 0.4));
	NEAR(in[CHANCE_share], 0.2);
	NEAR(in[CHANCE_margin], 0.2);
	assert_true(in[CHANCE_single] == 0);
}

static void a_share_is_not_believed_beyond_its_bounds(void **unused)
{
	static const double score[] = { 800, -800 };
	static const uint32_t votes[] = { 1, 1 };
	struct chance_of of = { score, votes, 2, 0, 2 };
	double in[CHANCES];

	(void)unused;
	chance_inputs(&of, in);
	NEAR(in[CHANCE_logit], log(99));
	of.chosen = 1;
	chance_inputs(&of, in);
	NEAR(in[CHANCE_logit], -log(99));
}

static void one_group_needs_no_score(void **unused)
{
	static const uint32_t votes[] = { 6 };
	static const double c[CHANCES] = {
		[CHANCE_constant] = -1, [CHANCE_single] = 2
	};
	struct chance_of of = { NULL, votes, 1, 0, 8 };
	double in[CHANCES];

	(void)unused;
	chance_inputs(&of, in);
	assert_true(in[CHANCE_logit] == 0);
	assert_true(in[CHANCE_single] == 1);
	NEAR(in[CHANCE_margin], 0.75);
	assert_true(chance_right(c, in) == round20(1 / (1 + exp(-1))));
}

struct scene {
	struct sweep sweep;
	struct run run;
	struct candidate cand[4];
	struct question q;
	uint32_t member[3][2];
	struct choice_group group[3];
	double score[2];
	struct choice choice;
	struct sample x;
};

/* Two groups that vote, and one that failed. */
static void set(struct scene *s)
{
	memset(s, 0, sizeof *s);
	s->sweep.weights.has_chance = 1;
	s->sweep.weights.chance[0][CHANCE_share] = 4;
	s->run = (struct run){ .reads_judge = 1, .judge = JUDGE_evidence };
	s->q.cand = s->cand;
	s->q.n = 4;
	s->member[0][1] = 1;
	s->member[1][0] = 2;
	s->member[2][0] = 3;
	for (int i = 0; i < 3; i++)
		s->group[i] = (struct choice_group){ .member = s->member[i],
						     .size = i ? 1 : 2 };
	s->group[2].failed = 1;
	s->choice = (struct choice){ .chosen = 1, .confidence = .75, .g = 2 };
	s->choice.group = s->group;
	s->choice.ngroup = 3;
	s->choice.evidence.features = 1;
	s->choice.evidence.score = s->score;
	s->x = (struct sample){ .sweep = &s->sweep,
				.run = &s->run,
				.question = &s->q,
				.choice = &s->choice };
}

static void failed_candidates_count_among_those_asked(void **unused)
{
	struct scene s;

	(void)unused;
	set(&s);
	NEAR(sample_probability(&s.x, &a), 1 / (1 + exp(-2))); /* 2 of 4 */
	s.sweep.bank.path = "a bank";
	NEAR(sample_probability(&s.x, &a), 0.5); /* its coefficients are all 0 */
}

static void nothing_is_told_where_nothing_is_known(void **unused)
{
	struct scene s;

	(void)unused;
	set(&s);
	s.choice.evidence.features = 0;
	assert_true(sample_probability(&s.x, &a) < 0);
	set(&s);
	s.choice.chosen = 3; /* it failed */
	assert_true(sample_probability(&s.x, &a) < 0);
	set(&s);
	s.run.judge = JUDGE_llm;
	assert_true(sample_probability(&s.x, &a) < 0);
	set(&s);
	s.sweep.weights.has_chance = 0;
	assert_true(sample_probability(&s.x, &a) < 0);
	set(&s);
	s.choice.chosen = -1;
	assert_true(sample_probability(&s.x, &a) < 0);
}

static void confidence_stands_in_where_no_probability_is_told(void **unused)
{
	uint8_t right[4] = { 0, 1, 0, 0 };
	struct verdict v = { .n = 4, .right = right };
	struct sure room[2];
	struct sureness t = { .v = room };
	struct buf b = { 0 };
	struct jsonw w = jsonw_of(&b, 0);
	struct scene s;

	(void)unused;
	set(&s);
	s.sweep.weights.has_chance = 0;
	s.x.probability = -1;
	sureness_add(&t, &s.x);
	assert_int_equal(t.n, 0); /* no verdict */
	s.x.verdict = &v;
	sureness_add(&t, &s.x);
	s.choice.confidence = -1;
	sureness_add(&t, &s.x);
	assert_int_equal(t.n, 1);
	s.choice.confidence = .25;
	s.choice.chosen = 0;
	sureness_add(&t, &s.x);
	sureness_finish(&t);
	assert_int_equal(t.probability, 0);
	NEAR(t.ece, 0.25);
	NEAR(t.aurc, 0.25);
	assert_true(t.risk[0] == 0 && t.risk[9] == 0.5);
	jw_object(&w);
	sureness_json(&w, &t);
	jw_end(&w);
	buf_add_char(&b, 0);
	assert_non_null(strstr(b.p, "\"of\":\"confidence\",\"n\":2"));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_are_the_logit_the_share_and_the_votes_margin),
		cmocka_unit_test(a_share_is_not_believed_beyond_its_bounds),
		cmocka_unit_test(one_group_needs_no_score),
		cmocka_unit_test(failed_candidates_count_among_those_asked),
		cmocka_unit_test(nothing_is_told_where_nothing_is_known),
		cmocka_unit_test(confidence_stands_in_where_no_probability_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
