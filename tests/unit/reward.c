/* reward.c - servers of reward models: what they are asked, what they answer, and the
 * traps in it */
#include "tests/support/cm.h"

#include "proto/chat_read.h"
#include "proto/reward.h"
#include "tests/support/chatrig.h"
#include "tests/support/mock_reward.h"
#include "worker/reward_wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct view texts[] = { { "SELECT 1", 8 },
				     { "SELECT \"x\"\n", 11 },
				     { "SELECT 3", 8 } };
static struct err e;
static double score[REWARD_TEXTS];
static uint32_t classes;

static struct reward_ask ask_of(enum reward_kind k, uint32_t n)
{
	return (struct reward_ask){ .kind = k,
				    .label = REWARD_LAST_LABEL,
				    .query = view_of("how many?"),
				    .text = texts,
				    .n = n };
}

static int read_as(enum reward_kind k, uint32_t n, const char *body)
{
	struct reward_ask ask = ask_of(k, n);

	e.text[0] = 0;
	return reward_scores(&ask, view_of(body), score, &classes, &e);
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) < 2e-6))
		fail_msg("%.9f is not %.9f", a, b);
}

static void assert_refused(int rc, const char *says)
{
	assert_int_equal(rc, ERR_REFUSED);
	if (!strstr(e.text, says))
		fail_msg("\"%s\" does not say \"%s\"", e.text, says);
}

static void kinds_have_words_and_models_and_outputs_come_back(void **unused)
{
	struct reward_model m = { view_of("rm"), view_of("v1"), REWARD_yes_no, 1 }, n;
	struct reward_out o = { .state = REWARD_SCORED,
				.score = -2.5,
				.note = view_of("x"),
				.usage = { 10, 0, 0, USAGE_MEASURED },
				.reply = view_of("{}") },
			  p;
	struct buf b = { 0 };

	(void)unused;
	for (enum reward_kind k = 1; k < REWARD_KINDS; k++)
		assert_int_equal(reward_kind_by_word(reward_kind_word(k)), k);
	assert_int_equal(reward_kind_by_word("yes_no"), REWARD_NONE);
	reward_model_encode(&m, &b);
	assert_true(reward_model_decode(buf_view(&b), &n));
	assert_int_equal(n.kind, REWARD_yes_no);
	assert_int_equal(n.label, 1);
	for (size_t i = 0; i < b.n; i++)
		assert_false(reward_model_decode((struct view){ b.p, i }, &n));
	buf_clear(&b);
	reward_out_encode(&o, &b);
	assert_int_equal(reward_out_decode(buf_view(&b), &p, &e), 0);
	assert_true(p.score == -2.5 && view_eq(p.note, o.note));
	for (size_t i = 0; i < b.n; i++)
		assert_int_equal(reward_out_decode((struct view){ b.p, i }, &p, &e),
				 ERR_PROTO);
	buf_free(&b);
}

/* ---- what is asked ---- */

static void assert_body(const struct reward_ask *ask, int old, const char *want)
{
	struct endpoint_facts facts = { .old_pair_names = old };
	struct buf b = { 0 };

	reward_body(&b, "rm", ask, &facts);
	assert_string_equal(b.p, want);
	buf_free(&b);
}

static void each_kind_is_asked_in_its_words(void **unused)
{
	struct reward_ask one = ask_of(REWARD_classify, 1),
			  two = ask_of(REWARD_pooling, 2),
			  pairs = ask_of(REWARD_score, 2),
			  list = ask_of(REWARD_rerank, 1), talk = one;

	(void)unused;
	assert_body(&one, 0,
		    "{\"model\":\"rm\",\"input\":\"SELECT 1\",\"use_activation\":"
		    "false}");
	assert_body(
		&two, 0,
		"{\"model\":\"rm\",\"input\":[\"SELECT 1\",\"SELECT \\\"x\\\"\\n\"],"
		"\"use_activation\":false}");
	assert_body(&pairs, 0,
		    "{\"model\":\"rm\",\"queries\":\"how many?\",\"documents\":["
		    "\"SELECT 1\",\"SELECT \\\"x\\\"\\n\"]}");
	assert_body(&pairs, 1,
		    "{\"model\":\"rm\",\"text_1\":\"how many?\",\"text_2\":["
		    "\"SELECT 1\",\"SELECT \\\"x\\\"\\n\"]}");
	assert_body(&list, 0,
		    "{\"model\":\"rm\",\"query\":\"how many?\",\"documents\":["
		    "\"SELECT 1\"]}");
	talk.talks = 1;
	talk.system = view_of("s");
	assert_body(
		&talk, 0,
		"{\"model\":\"rm\",\"messages\":[{\"role\":\"system\",\"content\":"
		"\"s\"},{\"role\":\"user\",\"content\":\"how many?\"},{\"role\":"
		"\"assistant\",\"content\":\"SELECT 1\"}],\"use_activation\":false}");
	talk.n = 0;
	talk.system.n = 0;
	assert_body(&talk, 0,
		    "{\"model\":\"rm\",\"messages\":[{\"role\":\"user\",\"content\":"
		    "\"how many?\"}],\"use_activation\":false}");
}

static void the_path_lies_where_the_server_has_it(void **unused)
{
	static const struct {
		enum reward_kind kind;
		const char *base, *url;
	} rows[] = {
		{ REWARD_classify, "http://h:1", "http://h:1/classify" },
		{ REWARD_classify, "http://h:1/v1/", "http://h:1/classify" },
		{ REWARD_classify, "http://h:1/v1/classify", "http://h:1/v1/classify" },
		{ REWARD_pooling, "http://h:1/x/v1", "http://h:1/x/pooling" },
		{ REWARD_score, "http://h:1/v1", "http://h:1/v1/score" },
		{ REWARD_rerank, "http://h:1", "http://h:1/rerank" },
		{ REWARD_rerank, "http://h:1/v2/rerank", "http://h:1/v2/rerank" },
		{ REWARD_yes_no, "http://h:1/v1", "http://h:1/v1/chat/completions" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct endpoint_settings s = {
			.base_urls = rows[i].base,
			.path = reward_path(rows[i].kind),
			.path_at_root = reward_path_at_root(rows[i].kind),
		};
		struct endpoint *ep;

		assert_int_equal(endpoint_new(&s, &ep, &e), 0);
		assert_string_equal(ep->url[0], rows[i].url);
		endpoint_free(&ep);
	}
}

/* ---- what is answered ---- */

static void classes_are_read_as_logits_or_probabilities(void **unused)
{
	struct reward_ask ask = ask_of(REWARD_classify, 1);

	(void)unused;
	assert_int_equal(
		read_as(REWARD_classify, 1,
			"{\"data\":[{\"index\":0,\"label\":\"LABEL_0\",\"probs\":"
			"[-7.25],\"num_classes\":1}]}"),
		0);
	assert_int_equal(classes, 1);
	assert_true(score[0] == -7.25);
	assert_int_equal(
		read_as(REWARD_classify, 1, "{\"data\":[{\"probs\":[0.25,0.75]}]}"), 0);
	assert_near(score[0], 0.75);
	assert_int_equal(read_as(REWARD_classify, 1, "{\"data\":[{\"probs\":[-1,2]}]}"),
			 0);
	assert_near(score[0], 1 / (1 + exp(-3)));
	ask.label = 0;
	assert_int_equal(reward_scores(&ask,
				       view_of("{\"data\":[{\"probs\":[3,2,1]}]}"),
				       score, &classes, &e),
			 0);
	assert_near(score[0], 1 / (1 + exp(-1) + exp(-2)));
	ask.label = 2;
	assert_refused(reward_scores(&ask, view_of("{\"data\":[{\"probs\":[3,2]}]}"),
				     score, &classes, &e),
		       "--reward-label 0 to 1");
}

static void of_pooled_rows_the_last_counts_however_deep_they_lie(void **unused)
{
	static const struct {
		const char *data;
		double score;
	} rows[] = {
		{ "1.5", 1.5 },
		{ "[1.5]", 1.5 },
		{ "[[0.1],[0.2],[-4.5]]", -4.5 },
		{ "[[[9],[8]],[[7],[6.5]]]", 6.5 },
		{ "[[0.9,0.1],[0.2,0.8]]",
		  0.8 }, /* a process reward model's last step */
	};
	char body[200];

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(body, sizeof body, "{\"data\":[{\"index\":0,\"data\":%s}]}",
			 rows[i].data);
		assert_int_equal(read_as(REWARD_pooling, 1, body), 0);
		assert_near(score[0], rows[i].score);
	}
	assert_refused(read_as(REWARD_pooling, 1,
			       "{\"data\":[{\"data\":[1,2,3,4,5,6,7,8,9]}]}"),
		       "an embedding, not a score");
	assert_int_equal(
		read_as(REWARD_pooling, 1, "{\"data\":[{\"data\":\"AAAAPw==\"}]}"),
		ERR_PROTO);
}

static void E23_scores_are_matched_by_index_whatever_their_order(void **unused)
{
	(void)unused;
	assert_int_equal(
		read_as(REWARD_rerank, 3,
			"[{\"score\":0.9,\"index\":2},{\"score\":0.1,\"index\":0},"
			"{\"score\":0.5,\"index\":1}]"),
		0);
	assert_near(score[0], 0.1);
	assert_near(score[1], 0.5);
	assert_near(score[2], 0.9);
	assert_int_equal(
		read_as(REWARD_rerank, 2,
			"{\"results\":[{\"index\":1,\"document\":{\"text\":\"x\"},"
			"\"relevance_score\":3},{\"index\":0,\"relevance_score\":-3}],"
			"\"usage\":{\"total_tokens\":9}}"),
		0);
	assert_near(score[0], -3);
	assert_int_equal(
		read_as(REWARD_score, 2,
			"{\"data\":[{\"index\":1,\"object\":\"score\",\"score\":0.5},"
			"{\"index\":0,\"score\":1}],\"usage\":{}}"),
		0);
	assert_near(score[1], 0.5);
}

static void E23_a_missing_or_doubled_index_is_an_error(void **unused)
{
	static const char *const bad[] = {
		"[{\"score\":0.9,\"index\":1}]",
		"[{\"score\":0.9,\"index\":1},{\"score\":0.1,\"index\":1}]",
		"[{\"score\":0.9,\"index\":2},{\"score\":0.1,\"index\":0}]",
		"[{\"score\":0.9,\"index\":-1},{\"score\":0.1,\"index\":0}]",
		"[{\"score\":0.9,\"index\":\"1\"},{\"score\":0.1,\"index\":0}]",
		"[{\"score\":null,\"index\":1},{\"score\":0.1,\"index\":0}]",
		"{\"results\":[]}",
		"{\"results\":{}}",
		"{}",
		"[]",
		"7",
		"not JSON",
		"",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (read_as(REWARD_rerank, 2, bad[i]) != ERR_PROTO || !e.text[0])
			fail_msg("%s", bad[i]);
}

/* SGLang's own form. */
static void a_list_of_embeddings_of_one_number_is_read(void **unused)
{
	(void)unused;
	assert_int_equal(read_as(REWARD_classify, 2,
				 "[{\"embedding\":[1.5],\"meta_info\":{}},"
				 "{\"embedding\":[-2]}]"),
			 0);
	assert_near(score[0], 1.5);
	assert_near(score[1], -2);
}

/* ---- over the wire ---- */

static struct chatrig g;

static struct got *send_ask(const char *serves, const struct reward_ask *ask,
			    const char *script)
{
	struct endpoint_settings s = { .max_retries = 2,
				       .backoff_ms = 10,
				       .path = reward_path(ask->kind),
				       .path_at_root = reward_path_at_root(ask->kind) };
	struct got *got;

	chatrig_open_reward(&g, script, serves, &s);
	g.ask.form = &reward_form;
	g.ask.of_form = ask;
	got = chatrig_ask(&g, "");
	chatrig_run(&g);
	return got;
}

static void answers_come_with_their_usage(void **unused)
{
	static const struct {
		const char *serves;
		enum reward_kind kind;
		uint64_t prompt;
		uint32_t flags;
	} rows[] = {
		{ "classify:2", REWARD_classify, 12, USAGE_MEASURED },
		{ "pooling", REWARD_pooling, 12, USAGE_MEASURED },
		{ "score", REWARD_score, (9 + 27 + 3) / 4, USAGE_ESTIMATED },
		{ "rerank", REWARD_rerank, 30, USAGE_MEASURED },
		{ "rerank:bare", REWARD_rerank, (9 + 27 + 3) / 4, USAGE_ESTIMATED },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct reward_ask ask = ask_of(rows[i].kind, 3);
		struct got *got = send_ask(rows[i].serves, &ask, NULL);

		if (got->err.code)
			fail_msg("%s: %s", rows[i].serves, got->err.text);
		assert_int_equal(got->usage.prompt, rows[i].prompt);
		assert_int_equal(got->usage.flags, rows[i].flags);
		assert_int_equal(got->usage.completion, 0);
		assert_int_equal(got->call[0].useful, 1);
		assert_int_equal(
			reward_scores(&ask, view_of(got->reply), score, &classes, &e),
			0);
		if (rows[i].kind != REWARD_classify)
			for (int k = 0; k < 3; k++)
				assert_near(score[k], mock_reward_of(texts[k]));
		chatrig_close(&g);
	}
}

static void the_older_names_of_a_pair_are_learnt_once(void **unused)
{
	struct reward_ask ask = ask_of(REWARD_score, 1);
	struct got *got = send_ask("score:old", &ask, NULL);

	(void)unused;
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 2);
	assert_int_equal(got->call[0].status, 422);
	got = chatrig_ask(&g, "");
	chatrig_run(&g);
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
}

static void what_may_pass_is_tried_again_and_what_will_not_is_not(void **unused)
{
	struct reward_ask one = ask_of(REWARD_pooling, 1),
			  list = ask_of(REWARD_rerank, 2);
	struct got *got = send_ask("pooling", &one, "html502,e429");

	(void)unused;
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 3);
	chatrig_close(&g);
	got = send_ask("rerank:short", &list, NULL);
	assert_int_equal(got->err.code, ERR_PROTO);
	assert_non_null(strstr(got->err.text, "1 scores for 2 texts"));
	assert_int_equal(got->n_calls, 3);
	chatrig_close(&g);
	got = send_ask("embedding", &one, NULL);
	assert_int_equal(got->err.code, ERR_REFUSED);
	assert_non_null(strstr(got->err.text, "an embedding, not a score"));
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
	got = send_ask("rerank", &one, NULL); /* another server's path */
	assert_int_equal(got->err.code, ERR_REFUSED);
	assert_int_equal(got->call[0].status, 404);
	chatrig_close(&g);
}

/* ---- log-probabilities over the wire ---- */

static void log_probabilities_are_asked_for_and_kept(void **unused)
{
	struct got *got;
	char *body;

	(void)unused;
	chatrig_open(&g, "ok,no_logprobs", NULL);
	g.ask.max_tokens = 1;
	g.ask.top_logprobs = 20;
	got = chatrig_ask(&g, "Candidate [A]\n```sql\nx\n```\nyes or no?");
	chatrig_run(&g);
	body = mock_llm_last(g.mock);
	assert_non_null(strstr(body, "\"logprobs\":true,\"top_logprobs\":20"));
	free(body);
	assert_int_equal(got->first.n, 2);
	assert_string_equal(got->note, "");
	got = chatrig_ask(&g, "again");
	chatrig_run(&g);
	assert_int_equal(got->first.n, 0);
	assert_string_equal(got->note, "the server gave no log-probabilities");
	chatrig_close(&g);
}

static void a_server_that_gives_fewer_or_none_is_learnt_from_once(void **unused)
{
	static const struct {
		const char *script, *sent;
		int kept;
	} rows[] = {
		{ "logprobs_most:5*", "\"top_logprobs\":5", 1 },
		{ "logprobs_refused*", NULL, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		struct got *got;
		char *body;

		chatrig_open(&g, rows[i].script, NULL);
		g.ask.top_logprobs = 20;
		got = chatrig_ask(&g, "yes or no?");
		chatrig_run(&g);
		assert_int_equal(got->err.code, 0);
		assert_int_equal(got->n_calls, 2);
		assert_int_equal(got->first.n > 0, rows[i].kept);
		body = mock_llm_last(g.mock);
		if (rows[i].sent)
			assert_non_null(strstr(body, rows[i].sent));
		else
			assert_null(strstr(body, "logprobs"));
		free(body);
		got = chatrig_ask(&g, "again?");
		chatrig_run(&g);
		assert_int_equal(got->n_calls, 1);
		chatrig_close(&g);
	}
}

static void yes_is_read_from_probabilities_or_from_the_text(void **unused)
{
	static const struct {
		const char *text;
		int talked;
		double yes; /* -1: unreadable */
	} rows[] = {
		{ "Yes", 0, 1 },
		{ "no.", 0, 0 },
		{ "**Yes**, it is", 1, 1 },
		{ "I think the answer is No.", 1, 0 },
		{ "<think>no no</think>\nyes", 1, 1 },
		{ "Yes and no", 1, 1 },
		{ "It may be yes, it may be no", 1, -1 },
		{ "n candidates", 1, 0 },
		{ "Maybe", 0, -1 },
		{ "", 0, -1 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct chat_out o = { .kind = rows[i].text[0] ? CHAT_ANSWER
							      : CHAT_EMPTY,
				      .answer = view_of(rows[i].text) };
		double yes = -1;

		if (chat_read_yes(&o, rows[i].talked, &yes) != (rows[i].yes >= 0) ||
		    yes != rows[i].yes)
			fail_msg("\"%s\": %g", rows[i].text, yes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_have_words_and_models_and_outputs_come_back),
		cmocka_unit_test(each_kind_is_asked_in_its_words),
		cmocka_unit_test(the_path_lies_where_the_server_has_it),
		cmocka_unit_test(classes_are_read_as_logits_or_probabilities),
		cmocka_unit_test(of_pooled_rows_the_last_counts_however_deep_they_lie),
		cmocka_unit_test(E23_scores_are_matched_by_index_whatever_their_order),
		cmocka_unit_test(E23_a_missing_or_doubled_index_is_an_error),
		cmocka_unit_test(a_list_of_embeddings_of_one_number_is_read),
		cmocka_unit_test(answers_come_with_their_usage),
		cmocka_unit_test(the_older_names_of_a_pair_are_learnt_once),
		cmocka_unit_test(what_may_pass_is_tried_again_and_what_will_not_is_not),
		cmocka_unit_test(log_probabilities_are_asked_for_and_kept),
		cmocka_unit_test(a_server_that_gives_fewer_or_none_is_learnt_from_once),
		cmocka_unit_test(yes_is_read_from_probabilities_or_from_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
