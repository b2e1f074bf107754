/* judge_llm.c - what the llm judge asks, and what it makes of the answers */
#include "tests/support/cm.h"

#include "broker/judge.h"
#include "broker/reward.h"
#include "common/base/pack.h"
#include "common/base/round.h"
#include "proto/chat_out.h"
#include "proto/reward.h"
#include "tests/support/fake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKS = 16 };

static struct fake fake;

/* A world in which executions are known and the model says what the test tells it to,
 * one answer after the other. */
struct stage {
	struct arena arena;
	struct plan plan;
	struct run run;
	struct aggregate g;
	struct choice choice;
	struct judge judge;
	struct view answer[ASKS]; /* outputs */
	uint32_t answers, asks;
	enum kind kind[ASKS];
	uint64_t attempt[ASKS], want[ASKS];
	struct hash shown[ASKS][8], template[ASKS];
	size_t nshown[ASKS];
};

static void note_spec(struct stage *s, enum kind kind, struct cursor c)
{
	uint32_t i = s->asks++;

	assert_true(i < ASKS);
	s->kind[i] = kind;
	cur_hash(&c);
	s->template[i] = cur_hash(&c);
	cur_hash(&c);
	cur_hash(&c);
	assert_true(cur_nil(&c)); /* no memories here */
	assert_int_equal(cur_array(&c), 0);
	s->nshown[i] = cur_array(&c);
	for (size_t k = 0; k < s->nshown[i]; k++)
		s->shown[i][k % 8] = cur_hash(&c);
	cur_u64(&c);
	s->attempt[i] = cur_u64(&c);
	cur_u64(&c);
	s->want[i] = kind == KIND_pick ? cur_u64(&c) : 0;
	assert_true(cur_done(&c));
}

static struct fact need(struct plan *p, struct view spec, const struct blob *blob,
			size_t nblob)
{
	struct stage *s = p->world;
	struct fact f = { .state = FACT_OUTPUT };
	struct buf out = { 0 };
	struct cursor c;
	enum kind kind = spec_open(spec, &c);

	fake_see(&fake, blob, nblob);
	if (kind_lane(kind) == LANE_MODEL) {
		note_spec(s, kind, c);
		f.output = s->asks <= s->answers ? s->answer[s->asks - 1]
						 : (struct view){ 0 };
		f.state = f.output.p ? FACT_OUTPUT : FACT_PENDING;
		return f;
	}
	assert_int_equal(fake_answer(&fake, spec, &out), 0);
	f.output = arena_view(&s->arena, buf_view(&out));
	buf_free(&out);
	return f;
}

static void stage_open(struct stage *s)
{
	static const struct view template[TEMPLATES] = {
#define X(word) { #word, sizeof #word - 1 },
		TEMPLATE_LIST(X)
#undef X
	};
	struct model *m = &fake.sweep.model;

	memset(s, 0, sizeof *s);
	for (int i = 0; i < TEMPLATES; i++) {
		m->template[i] = template[i];
		m->template_hash[i] = hash_of(template[i].p, template[i].n);
	}
	m->llm_blob = view_of("llm");
	m->llm_hash = hash_of("llm", 3);
	m->scores_yes = 0;
	s->run = fake.sweep.run[2];
	s->run.judge = JUDGE_llm;
	s->plan = (struct plan){ .sweep = &fake.sweep,
				 .run = &s->run,
				 .q = &fake.sweep.q[0],
				 .arena = &s->arena,
				 .need = need,
				 .world = s };
	assert_int_equal(aggregate(&s->plan, &s->g), PLAN_DONE);
	aggregate_choice(&s->plan, &s->g, &s->choice);
	assert_int_equal(judge_begin(&s->plan, &s->g, &s->choice, &s->judge), ASK_DONE);
}

static void stage_close(struct stage *s)
{
	judge_end(&s->judge);
	arena_free(&s->arena);
}

static struct chat_out *say(struct stage *s, const char *text)
{
	static struct chat_out o;

	o = (struct chat_out){ .kind = *text ? CHAT_ANSWER : CHAT_EMPTY,
			       .answer = view_of(text),
			       .finish = view_of("stop"),
			       .model = view_of("m"),
			       .note = view_of(""),
			       .reply = view_of("{}") };
	(void)s;
	return &o;
}

static void put(struct stage *s, const struct chat_out *o)
{
	struct buf b = { 0 };

	chat_out_encode(&b, o);
	s->answer[s->answers++] = arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
}

static void says(struct stage *s, const char *text)
{
	put(s, say(s, text));
}

/* "A 0.5 B 0.25" as the alternatives of one token. */
static void thinks(struct stage *s, const char *list)
{
	struct chat_out *o;
	char token[8], said[8] = "";
	double p;
	int n;

	sscanf(list, "%7s", said);
	o = say(s, said);
	for (; sscanf(list, "%7s %lf%n", token, &p, &n) == 2; list += n)
		alternatives_add(&o->first, arena_view(&s->arena, view_of(token)),
				 log(p));
	put(s, o);
}

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 2e-6)
		fail_msg("%.9f is not %.9f", a, b);
}

static const uint32_t three[] = { 0, 1, 2 };

static void a_pick_of_one_is_read_from_the_labels_probabilities(void **unused)
{
	struct stage s;
	double v[3];

	(void)unused;
	stage_open(&s);
	assert_int_equal(judge_pick(&s.judge, 0, three, 3, 1, v), ASK_WAITS);
	s.asks = s.choice.asks = 0;
	thinks(&s, "B 0.5 A 0.25 [A 0.05 The 0.2");
	assert_int_equal(judge_pick(&s.judge, 0, three, 3, 1, v), ASK_DONE);
	assert_near(v[0], 0.3 / 0.8);
	assert_near(v[1], 0.5 / 0.8);
	assert_near(v[2], 0);
	assert_int_equal(s.kind[0], KIND_pick);
	assert_int_equal(s.want[0], 1);
	assert_int_equal(s.nshown[0], 3);
	assert_true(hash_eq(&s.template[0],
			    &fake.sweep.model.template_hash[TEMPLATE_pick]));
	assert_int_equal(s.choice.asks, 1);
	assert_int_equal(s.choice.asked[0].pass, 1);
	stage_close(&s);
}

static void without_log_probabilities_the_label_said_is_the_pick(void **unused)
{
	struct chat_out *o;
	struct stage s;
	double v[3];

	(void)unused;
	stage_open(&s);
	o = say(&s, "C");
	o->note = view_of("the server gave no log-probabilities");
	put(&s, o);
	put(&s, o);
	assert_int_equal(judge_pick(&s.judge, JUDGE_ONCE, three, 3, 1, v), ASK_DONE);
	assert_int_equal(judge_pick(&s.judge, JUDGE_ONCE, three, 3, 1, v), ASK_DONE);
	assert_true(v[0] == 0 && v[1] == 0 && v[2] == 1);
	assert_int_equal(s.choice.nnote, 1); /* told once */
	assert_true(view_eq(s.choice.note[0], o->note));
	assert_int_equal(s.choice.asked[0].pass, 0);
	stage_close(&s);
}

static void an_unreadable_pick_is_asked_again_in_another_order(void **unused)
{
	struct stage s;
	double v[3];

	(void)unused;
	stage_open(&s);
	says(&s, "Hm");
	says(&s, "<think>[A] or [B]</think>The right one is [B].");
	assert_int_equal(judge_pick(&s.judge, 0, three, 3, 1, v), ASK_DONE);
	assert_true(v[0] == 0 && v[1] == 0 && v[2] == 1); /* B is the third now */
	assert_true(hash_eq(&s.shown[0][1], &s.shown[1][0]));
	assert_int_equal(s.attempt[1], 1);
	assert_int_equal(s.choice.parse_failed, 1);
	assert_int_equal(s.choice.asks, 1);
	stage_close(&s);
	stage_open(&s);
	for (int i = 0; i < 3; i++)
		says(&s, "no idea");
	assert_int_equal(judge_pick(&s.judge, 0, three, 3, 1, v), ASK_VOID);
	assert_int_equal(s.asks, 3);
	assert_int_equal(s.choice.parse_failed, 3);
	stage_close(&s);
}

static void several_picks_are_filled_up_and_cut(void **unused)
{
	static const uint32_t five[] = { 0, 1, 2, 3, 4 };
	static const struct {
		const char *text, *picked;
		uint32_t missing;
	} rows[] = {
		{ "B, D", "01010", 0 },     { "[E]", "10001", 1 },
		{ "D, B, A", "01010", 0 },  { "E > C", "00101", 0 },
		{ "[B]\n[E]", "01001", 0 }, { "B, Z", "11000", 1 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stage s;
		double v[5];

		stage_open(&s);
		says(&s, rows[i].text);
		assert_int_equal(judge_pick(&s.judge, 0, five, 5, 2, v), ASK_DONE);
		for (int k = 0; k < 5; k++)
			if (v[k] != rows[i].picked[k] - '0')
				fail_msg("%s: %d", rows[i].text, k);
		assert_int_equal(s.want[0], 2);
		assert_int_equal(s.choice.parse_missing, rows[i].missing);
		stage_close(&s);
	}
}

static void a_pair_is_the_probability_of_its_first(void **unused)
{
	struct stage s;
	double p;

	(void)unused;
	stage_open(&s);
	thinks(&s, "B 0.6 A 0.2");
	assert_int_equal(judge_pair(&s.judge, 0, 2, 1, &p), ASK_DONE);
	assert_near(p, 0.25);
	assert_int_equal(s.kind[0], KIND_pair);
	assert_int_equal(s.nshown[0], 2);
	stage_close(&s);
	stage_open(&s);
	says(&s, "?");
	says(&s, "The right one is [A].");
	assert_int_equal(judge_pair(&s.judge, 0, 2, 1, &p), ASK_DONE);
	assert_true(p == 1);
	assert_true(hash_eq(&s.shown[0][0], &s.shown[1][0])); /* the same order */
	stage_close(&s);
	stage_open(&s);
	for (int i = 0; i < 3; i++)
		says(&s, "neither");
	assert_int_equal(judge_pair(&s.judge, 0, 2, 1, &p), ASK_DONE);
	assert_true(p == 0.5);
	assert_int_equal(s.choice.parse_failed, 3);
	assert_int_equal(s.choice.nnote, 1);
	stage_close(&s);
}

static void a_score_is_a_grade_or_the_probability_of_yes(void **unused)
{
	struct stage s;
	double v;

	(void)unused;
	stage_open(&s);
	says(&s, "<think>95?</think>My number: 70");
	assert_int_equal(judge_score(&s.judge, 1, &v), ASK_DONE);
	assert_true(v == 70);
	assert_int_equal(s.kind[0], KIND_point);
	stage_close(&s);
	stage_open(&s);
	fake.sweep.model.scores_yes = 1;
	thinks(&s, "No 0.5 Yes 0.25 yes 0.25");
	assert_int_equal(judge_score(&s.judge, 1, &v), ASK_DONE);
	assert_near(v, 0.5);
	assert_int_equal(s.kind[0], KIND_yes);
	stage_close(&s);
	stage_open(&s);
	fake.sweep.model.scores_yes = 1;
	thinks(&s, "Well 0.9 Hm 0.1");
	says(&s, "Well, I would say: yes.");
	assert_int_equal(judge_score(&s.judge, 1, &v), ASK_DONE);
	assert_true(v == 1);
	assert_int_equal(s.choice.parse_failed, 1);
	stage_close(&s);
	stage_open(&s);
	fake.sweep.model.scores_yes = 1;
	for (int i = 0; i < 3; i++)
		says(&s, "Maybe");
	assert_int_equal(judge_score(&s.judge, 1, &v), ASK_DONE);
	assert_true(v == 0.5);
	stage_close(&s);
}

static void a_verdict_is_read_leniently_and_none_is_covered(void **unused)
{
	static const struct {
		const char *text;
		int covered, asks;
	} rows[] = {
		{ "{\"verdict\": \"covered\"}", 1, 1 },
		{ "{\"verdict\":\"missing\",\"missing\":\"a join\"}", 0, 1 },
		{ "```json\n{ \"verdict\" : \"Missing\" }\n```", 0, 1 },
		{ "<think>covered?</think>{\"verdict\": \"missing\"}", 0, 1 },
		{ "It is covered.", 1, 1 },
		{ "missing", 0, 1 },
		{ "covered or missing, who knows", 1, 3 },
		{ "[A] > [B]", 1, 3 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stage s;
		int covered = -1;

		stage_open(&s);
		for (int k = 0; k < rows[i].asks; k++)
			says(&s, rows[i].text);
		assert_int_equal(judge_cover(&s.judge, &covered), ASK_DONE);
		if (covered != rows[i].covered)
			fail_msg("%s", rows[i].text);
		assert_int_equal(s.asks, rows[i].asks);
		assert_int_equal(s.kind[0], KIND_cover);
		assert_int_equal(s.nshown[0], s.g.group.g);
		stage_close(&s);
	}
}

/* ---- the reward role ---- */

static void rewards(struct stage *s, enum reward_state state, double score,
		    const char *note)
{
	struct reward_out o = { .state = state,
				.score = score,
				.note = view_of(note),
				.reply = view_of("{}") };
	struct buf b = { 0 };

	reward_out_encode(&o, &b);
	s->answer[s->answers++] = arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
}

static void a_tie_goes_to_the_reward_model_where_the_run_says_so(void **unused)
{
	struct stage s;
	double v[2];

	(void)unused;
	stage_open(&s);
	s.run.tie_break = TIE_reward;
	rewards(&s, REWARD_SCORED, -3.5, "");
	rewards(&s, REWARD_SCORED, 12, "");
	assert_int_equal(judge_tie(&s.judge, 0, 2, v), ASK_DONE);
	assert_true(v[0] == -3.5 && v[1] == 12);
	assert_int_equal(s.kind[0], KIND_reward);
	assert_int_equal(s.choice.asks, 2);
	assert_int_equal(s.choice.nasked, 2);
	assert_int_equal(s.choice.asked[0].kind, KIND_reward);
	stage_close(&s);
	stage_open(&s);
	s.run.tie_break = TIE_judge;
	says(&s, "10");
	says(&s, "20");
	assert_int_equal(judge_tie(&s.judge, 0, 2, v), ASK_DONE);
	assert_int_equal(s.kind[0], KIND_point);
	stage_close(&s);
}

static void a_reward_that_cannot_be_read_is_asked_again_and_then_void(void **unused)
{
	struct stage s;
	double v;

	(void)unused;
	stage_open(&s);
	rewards(&s, REWARD_UNREAD, 0, "");
	rewards(&s, REWARD_SCORED, 0.5, "neither Yes nor No: 0.5");
	assert_int_equal(reward_score(&s.judge, 0, &v), ASK_DONE);
	assert_true(v == 0.5);
	assert_int_equal(s.attempt[1], 1);
	assert_int_equal(s.choice.parse_failed, 1);
	assert_int_equal(s.choice.nnote, 1);
	stage_close(&s);
	stage_open(&s);
	for (int i = 0; i < 3; i++)
		rewards(&s, REWARD_UNREAD, 0, "");
	assert_int_equal(reward_score(&s.judge, 0, &v), ASK_VOID);
	stage_close(&s);
	stage_open(&s);
	rewards(&s, REWARD_TOO_LONG, 0, "");
	assert_int_equal(reward_score(&s.judge, 0, &v), ASK_VOID);
	stage_close(&s);
}

static int set_up(void **unused)
{
	(void)unused;
	fake_make(&fake);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	fake_free(&fake);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pick_of_one_is_read_from_the_labels_probabilities),
		cmocka_unit_test(without_log_probabilities_the_label_said_is_the_pick),
		cmocka_unit_test(an_unreadable_pick_is_asked_again_in_another_order),
		cmocka_unit_test(several_picks_are_filled_up_and_cut),
		cmocka_unit_test(a_pair_is_the_probability_of_its_first),
		cmocka_unit_test(a_score_is_a_grade_or_the_probability_of_yes),
		cmocka_unit_test(a_verdict_is_read_leniently_and_none_is_covered),
		cmocka_unit_test(a_tie_goes_to_the_reward_model_where_the_run_says_so),
		cmocka_unit_test(
			a_reward_that_cannot_be_read_is_asked_again_and_then_void),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
