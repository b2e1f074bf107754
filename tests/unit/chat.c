/* chat.c - asking a model server, over loopback, with a server that misbehaves: the
 * rows E of the list of pains, each by its name */
#include "tests/support/cm.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/chatrig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct chatrig g;

static void assert_answer(const struct got *got)
{
	if (got->err.code)
		print_message("%s\n", got->err.text);
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->kind, CHAT_ANSWER);
	assert_true(strcmp(got->answer, "[A] > [B]") == 0 ||
		    strcmp(got->answer, "[B] > [A]") == 0);
	assert_int_equal(got->call[got->n_calls - 1].useful, 1);
	for (size_t i = 0; i + 1 < got->n_calls; i++)
		assert_int_equal(got->call[i].useful, 0);
}

static void a_good_answer_takes_one_call(void **unused)
{
	struct got *got = chatrig_one(&g, NULL);

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 1);
	assert_int_equal(got->call[0].status, 200);
	assert_int_equal(got->call[0].attempt, 1);
	assert_string_equal(got->finish, "stop");
	assert_non_null(strstr(got->call[0].endpoint, "/v1/chat/completions"));
	assert_int_equal(got->usage.flags, USAGE_MEASURED | USAGE_CACHED);
	chatrig_close(&g);
}

static void E01_absent_usage_is_estimated_and_says_so(void **unused)
{
	static const char *const scripts[] = { "usage_absent", "usage_null",
					       "usage_empty" };

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct got *got = chatrig_one(&g, scripts[i]);

		assert_answer(got);
		assert_int_equal(got->usage.flags, USAGE_ESTIMATED);
		assert_int_equal(got->usage.prompt, (strlen(g.prompt[0]) + 3) / 4);
		assert_int_equal(got->usage.completion, 3); /* 9 bytes */
		assert_int_equal(got->call[0].usage.prompt, got->usage.prompt);
		chatrig_close(&g);
	}
}

static void E02_null_details_leave_the_cached_part_unknown(void **unused)
{
	struct got *got = chatrig_one(&g, "usage_details_null");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->usage.prompt, 10);
	assert_int_equal(got->usage.completion, 5);
	assert_int_equal(got->usage.flags, USAGE_MEASURED);
	chatrig_close(&g);
}

static void E03_cached_tokens_are_part_of_the_prompt(void **unused)
{
	struct got *got = chatrig_one(&g, "usage_cached");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->usage.prompt, 100);
	assert_int_equal(got->usage.cached, 80);
	assert_int_equal(got->usage.completion, 7);
	assert_int_equal(got->usage.flags, USAGE_MEASURED | USAGE_CACHED);
	chatrig_close(&g);
}

static void E05_thinking_without_an_answer_has_a_type_of_its_own(void **unused)
{
	static const char *const scripts[] = { "null_length", "null_stop",
					       "think_open" };

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct got *got = chatrig_one(&g, scripts[i]);

		assert_int_equal(got->err.code, 0);
		assert_int_equal(got->kind, CHAT_EMPTY_AFTER_REASONING);
		assert_string_equal(chat_kind_name(got->kind), "empty_after_reasoning");
		assert_string_equal(got->finish, i ? "stop" : "length");
		assert_int_equal(got->n_calls, 1);
		chatrig_close(&g);
	}
}

static void E07_a_think_part_without_its_opening_is_kept_for_the_parser(void **unused)
{
	struct got *got = chatrig_one(&g, "think");

	(void)unused;
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->kind, CHAT_ANSWER);
	assert_non_null(strstr(got->answer, "</think>\n["));
	chatrig_close(&g);
}

static void E08_too_many_tokens_asked_for_are_clamped_once_for_all(void **unused)
{
	struct got *got;
	char *body;

	(void)unused;
	chatrig_open(&g, "max_model_len:40960*", NULL);
	g.ask.max_tokens = 131072;
	got = chatrig_ask(&g, "Candidate [A]\n\nCandidate [B]\nx");
	chatrig_run(&g);
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 2);
	assert_int_equal(got->call[0].status, 400);
	assert_int_equal(g.ep->facts.context_tokens, 40960);
	got = chatrig_ask(&g, "another");
	chatrig_run(&g);
	assert_int_equal(got->n_calls, 1);
	body = mock_llm_last(g.mock);
	assert_null(strstr(body, "131072"));
	free(body);
	chatrig_close(&g);
}

static void E09_a_prompt_over_the_context_is_an_output_with_its_sizes(void **unused)
{
	static const char *const scripts[] = { "llamacpp_overflow*", "vllm_overflow*",
					       "openai_overflow*" };

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct got *got = chatrig_one(&g, scripts[i]);

		assert_int_equal(got->err.code, 0);
		assert_int_equal(got->kind, CHAT_TOO_LONG);
		assert_int_equal(got->n_calls, 1); /* no blind retry */
		assert_int_equal(got->call[0].useful, 0);
		assert_int_equal(got->prompt_tokens, i < 2 ? 13392 : 0);
		assert_int_equal(got->context_tokens, i < 2 ? 8192 : 0);
		chatrig_close(&g);
	}
}

static void E11_retry_after_silences_all_asks_and_loses_none(void **unused)
{
	struct endpoint_settings s = { .max_connections = 16, .max_retries = 5 };
	uint64_t from = clock_ms();
	char prompt[32];

	(void)unused;
	chatrig_open(&g, "e429:2*20", &s);
	for (int i = 0; i < 32; i++) {
		snprintf(prompt, sizeof prompt, "ask %d", i);
		chatrig_ask(&g, prompt);
	}
	chatrig_run_ms(&g, 1900);
	assert_int_equal(mock_llm_stats(g.mock).total, 16); /* and not one more */
	assert_int_equal(g.ep->limit, 8);                   /* cut once, not 16 times */
	chatrig_run(&g);
	assert_true(clock_ms() - from >= 4000); /* the other 4 refusals: another 2 s */
	for (int i = 0; i < 32; i++)
		assert_int_equal(g.got[i].err.code, 0);
	assert_int_equal(mock_llm_stats(g.mock).total, 52);
	chatrig_close(&g);
}

static void E13_the_wait_is_found_wherever_it_is_told(void **unused)
{
	static const char *const scripts[] = { "e429ms:300",   "e429reset:300ms",
					       "e429body:0.3", "e429reset:-1",
					       "e429reset:0",  "e429:0" };

	(void)unused;
	for (size_t i = 0; i < 6; i++) {
		uint64_t from = clock_ms();
		struct got *got = chatrig_one(&g, scripts[i]);

		assert_answer(got);
		assert_int_equal(got->n_calls, 2);
		if (i < 3)
			assert_true(clock_ms() - from >= 300);
		else
			assert_true(clock_ms() - from < 300);
		chatrig_close(&g);
	}
}

static void E13_a_date_is_a_wait_too(void **unused)
{
	uint64_t from = clock_ms();
	struct got *got = chatrig_one(&g, "e429date:2");

	(void)unused;
	assert_answer(got);
	assert_true(clock_ms() - from >= 900);
	chatrig_close(&g);
}

static void E14_a_quota_used_up_ends_the_ask_at_once(void **unused)
{
	struct got *got = chatrig_one(&g, "quota*");

	(void)unused;
	assert_int_equal(got->err.code, ERR_LIMIT);
	assert_int_equal(err_exit(got->err.code), 3);
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
}

static void E14_no_retries_means_none(void **unused)
{
	static const char *const scripts[] = { "status:500*", "e429:1*", "reset*",
					       "cut*" };
	struct endpoint_settings s = { .max_retries = 0 };

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		struct got *got;

		chatrig_open(&g, scripts[i], &s);
		got = chatrig_ask(&g, "x");
		chatrig_run(&g);
		assert_int_not_equal(got->err.code, 0);
		assert_int_equal(got->n_calls, 1);
		assert_int_equal(mock_llm_stats(g.mock).total, 1);
		chatrig_close(&g);
	}
}

static void E15_a_page_of_html_is_tried_again_and_quoted_without_tags(void **unused)
{
	struct got *got = chatrig_one(&g, "html502,html200");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 3);
	assert_int_equal(got->call[0].status, 502);
	assert_string_equal(got->call[0].error, "http_502: 502 Bad gateway");
	assert_int_equal(got->call[1].status, 200);
	assert_non_null(strstr(got->call[1].error, "bad_body: "));
	assert_null(strchr(got->call[1].error, '<'));
	chatrig_close(&g);
}

static void bodies_that_are_cut_empty_or_errors_are_tried_again(void **unused)
{
	struct got *got = chatrig_one(&g, "cut,short_body,empty200,error200,sse_cut");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 6);
	assert_non_null(
		strstr(got->call[0].error, "bad_body: JSON that ends too early"));
	assert_non_null(strstr(got->call[1].error, "body: NET"));
	assert_non_null(strstr(got->call[2].error, "bad_body: an empty body"));
	assert_non_null(
		strstr(got->call[3].error, "error_under_200: upstream fell over"));
	assert_non_null(strstr(got->call[4].error, "bad_body: event stream"));
	chatrig_close(&g);
}

static void what_never_passes_is_not_tried_again(void **unused)
{
	static const char *const scripts[] = { "status:400*", "status:401*",
					       "status:403*", "status:404*",
					       "status:422*" };

	(void)unused;
	for (size_t i = 0; i < 5; i++) {
		struct got *got = chatrig_one(&g, scripts[i]);

		assert_int_equal(got->err.code, ERR_REFUSED);
		assert_int_equal(got->n_calls, 1);
		assert_non_null(strstr(got->err.text, "as scripted"));
		chatrig_close(&g);
	}
}

static void what_may_pass_is_tried_again(void **unused)
{
	struct got *got =
		chatrig_one(&g, "status:408,status:409,status:425,status:529");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 5);
	chatrig_close(&g);
	got = chatrig_one(&g, "reset,status:500,status:502,status:503,status:504");
	assert_answer(got);
	assert_int_equal(got->n_calls, 6);
	chatrig_close(&g);
	got = chatrig_one(&g, "status:500*");
	assert_int_equal(got->err.code, ERR_NET);
	assert_int_equal(got->n_calls, 6); /* one, and five retries */
	assert_non_null(strstr(got->err.text, "http_500: as scripted"));
	chatrig_close(&g);
}

static void E17_a_pooled_socket_that_died_is_no_failure(void **unused)
{
	struct got *got = chatrig_one(&g, "ok,reset_reused,reset_reused*");

	(void)unused;
	assert_answer(got);
	got = chatrig_ask(&g, "again");
	chatrig_run(&g);
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 1);
	assert_int_equal(got->call[0].resent, 1);
	assert_int_equal(mock_llm_stats(g.mock).total, 3);
	chatrig_close(&g);
}

static void E17_a_server_that_closes_idle_sockets_is_not_noticed(void **unused)
{
	struct mock_llm_options o = { .idle_s = 1 };
	struct got *got;

	(void)unused;
	chatrig_open(&g, NULL, NULL);
	endpoint_free(&g.ep);
	mock_llm_stop(&g.mock);
	g.mock = mock_llm_start(&o);
	chat_close(&g.chat, NULL, NULL);
	{
		struct endpoint_settings s = { .base_urls = mock_llm_url(g.mock) };

		assert_int_equal(endpoint_new(&s, &g.ep, NULL), 0);
		assert_int_equal(chat_open(&g.loop, g.http, g.ep, &g.chat, NULL), 0);
	}
	chatrig_ask(&g, "one");
	chatrig_run(&g);
	chatrig_run_ms(&g, 2200);
	got = chatrig_ask(&g, "two");
	chatrig_run(&g);
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
}

static void E18_timeouts_are_options_and_errors_tell_phase_and_time(void **unused)
{
	struct endpoint_settings s = { .timeout_ms = 300 };
	struct got *got;

	(void)unused;
	chatrig_open(&g, "never*", &s);
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	assert_int_equal(got->err.code, ERR_TIMEOUT);
	assert_int_equal(got->n_calls, 1);
	assert_non_null(strstr(got->call[0].error, "first_byte: TIMEOUT after 3"));
	assert_in_range(got->call[0].latency_ms, 290, 2000);
	chatrig_close(&g);

	s = (struct endpoint_settings){ .timeout_ms = 20000,
					.attempt_ms = 200,
					.max_retries = 1,
					.backoff_ms = 1 };
	chatrig_open(&g, "never,slow:100*", &s);
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 2);
	chatrig_close(&g);
}

static void E18_a_server_that_is_not_there_fails_in_phase_connect(void **unused)
{
	struct endpoint_settings s = { .base_urls = "http://127.0.0.1:1/v1" };
	struct got *got;

	(void)unused;
	chatrig_open(&g, NULL, &s);
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	assert_int_equal(got->err.code, ERR_NET);
	assert_non_null(strstr(got->err.text, "connect: NET after "));
	assert_int_equal(got->call[0].status, 0);
	chatrig_close(&g);
}

static void a_server_that_dies_and_comes_back_loses_no_ask(void **unused)
{
	struct mock_llm_options o = { 0 };

	(void)unused;
	chatrig_open(&g, "slow:300*", NULL);
	for (int i = 0; i < 8; i++)
		chatrig_ask(&g, "x");
	chatrig_run_ms(&g, 100);
	o.port = mock_llm_port(g.mock);
	mock_llm_stop(&g.mock);
	chatrig_run_ms(&g, 50);
	g.mock = mock_llm_start(&o);
	assert_non_null(g.mock);
	chatrig_run(&g);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(g.got[i].err.code, 0);
		assert_true(g.got[i].n_calls > 1);
	}
	chatrig_close(&g);
}

static void a_dead_replica_is_left_for_the_next(void **unused)
{
	struct endpoint_settings s = { .max_retries = 1, .backoff_ms = 1 };
	struct got *got;
	char urls[128];

	(void)unused;
	chatrig_open(&g, NULL, NULL);
	snprintf(urls, sizeof urls, "http://127.0.0.1:1/v1,%s", mock_llm_url(g.mock));
	s.base_urls = urls;
	chat_close(&g.chat, NULL, NULL);
	endpoint_free(&g.ep);
	assert_int_equal(endpoint_new(&s, &g.ep, NULL), 0);
	assert_int_equal(chat_open(&g.loop, g.http, g.ep, &g.chat, NULL), 0);
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	assert_int_equal(got->err.code, 0);
	assert_int_equal(got->n_calls, 2);
	g.ask.affinity = 3; /* of two: the second */
	got = chatrig_ask(&g, "y");
	chatrig_run(&g);
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
}

static void E19_a_server_that_must_stream_is_asked_to_once_and_for_all(void **unused)
{
	struct got *got = chatrig_one(&g, "stream_required*");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 2);
	assert_int_equal(got->usage.prompt, 50);
	assert_int_equal(got->usage.completion, 9);
	got = chatrig_ask(&g, "again");
	chatrig_run(&g);
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
}

static void E19_a_stream_that_nobody_asked_for_is_read(void **unused)
{
	struct got *got = chatrig_one(&g, "sse");

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 1);
	chatrig_close(&g);
}

static void a_parameter_that_is_refused_is_left_out_from_then_on(void **unused)
{
	struct got *got = chatrig_one(&g, "max_tokens*");
	char *body;

	(void)unused;
	assert_answer(got);
	assert_int_equal(got->n_calls, 2);
	got = chatrig_ask(&g, "again");
	chatrig_run(&g);
	assert_int_equal(got->n_calls, 1);
	body = mock_llm_last(g.mock);
	assert_non_null(strstr(body, "\"max_completion_tokens\":64"));
	free(body);
	chatrig_close(&g);
	got = chatrig_one(&g, "no_temperature*");
	assert_answer(got);
	assert_int_equal(got->n_calls, 2);
	chatrig_close(&g);
}

static void E25_two_answers_to_one_prompt_are_no_error(void **unused)
{
	struct got *a = chatrig_one(&g, "flip*"), *b;

	(void)unused;
	b = chatrig_ask(&g, g.prompt[0]);
	chatrig_run(&g);
	assert_answer(a);
	assert_answer(b);
	assert_string_not_equal(a->answer, b->answer);
	chatrig_close(&g);
}

/* stderr goes to a file while `f` runs; what was written comes back. */
static char *log_of(void (*f)(void *), void *arg)
{
	char path[] = "/tmp/mapfleet-chat-XXXXXX", *text = calloc(1, 65536);
	int fd = mkstemp(path), was = dup(2);

	dup2(fd, 2);
	log_setup(LOG_DEBUG, 0);
	f(arg);
	log_setup(LOG_WARN, 0);
	dup2(was, 2);
	close(was);
	assert_true(pread(fd, text, 65535, 0) >= 0);
	close(fd);
	unlink(path);
	return text;
}

static void ask_with_secrets(void *arg)
{
	struct endpoint_settings s = { .base_urls = arg };

	chat_close(&g.chat, NULL, NULL);
	endpoint_free(&g.ep);
	assert_int_equal(endpoint_new(&s, &g.ep, NULL), 0);
	assert_int_equal(chat_open(&g.loop, g.http, g.ep, &g.chat, NULL), 0);
	chatrig_ask(&g, "x");
	chatrig_run(&g);
}

static void E27_no_text_holds_the_key(void **unused)
{
	static const char key[] = "sk-test-123";
	char urls[200], *log, all[8192];
	struct got *got = g.got;

	(void)unused;
	setenv("OPENAI_API_KEY", key, 1);
	chatrig_open(&g, "stream_required,echo401*", NULL);
	snprintf(urls, sizeof urls,
		 "http://user:hunter22@127.0.0.1:%u/v1?key=sk-test-123-url",
		 mock_llm_port(g.mock));
	log = log_of(ask_with_secrets, urls);
	unsetenv("OPENAI_API_KEY");
	assert_int_equal(got->err.code, ERR_REFUSED);
	assert_int_equal(got->call[got->n_calls - 1].status, 401);
	snprintf(all, sizeof all, "%s\n%s\n%s\n%s", log, got->err.text,
		 got->call[got->n_calls - 1].error, got->call[0].endpoint);
	assert_non_null(strstr(all, "Incorrect API key: Bearer sk-***"));
	assert_non_null(strstr(got->err.text, "OPENAI_API_KEY"));
	assert_null(strstr(all, "sk-test"));
	assert_null(strstr(all, "hunter22"));
	assert_null(strstr(all, "user:"));
	free(log);
	chatrig_close(&g);
}

static void E27_a_reply_that_echoes_the_key_is_masked_before_it_is_kept(void **unused)
{
	struct got *got;

	(void)unused;
	setenv("OTHER_KEY", "sk-other-456\n", 1);
	{
		struct endpoint_settings s = { .key_env = "OTHER_KEY" };

		chatrig_open(&g, "text:your+key+is+sk-other-456+today", &s);
	}
	unsetenv("OTHER_KEY");
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	assert_int_equal(got->err.code, 0);
	assert_string_equal(got->answer, "your key is sk-*** today");
	assert_null(strstr(got->reply, "sk-other"));
	chatrig_close(&g);
}

static void a_wait_beyond_the_deadline_fails_at_once(void **unused)
{
	struct endpoint_settings s = { .max_retries = 5, .timeout_ms = 5000 };
	uint64_t from = clock_ms();
	struct got *got;

	(void)unused;
	chatrig_open(&g, "e429:3600*", &s);
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	assert_int_equal(got->err.code, ERR_NET);
	assert_non_null(
		strstr(got->err.text, "3600000 ms is more than --timeout leaves"));
	assert_true(clock_ms() - from < 3000);
	chatrig_close(&g);
}

static void asks_are_cancelled_in_any_state(void **unused)
{
	struct endpoint_settings s = { .max_connections = 1,
				       .max_retries = 5,
				       .backoff_ms = 60000 };

	(void)unused;
	chatrig_open(&g, "status:500,never*", &s);
	chatrig_ask(&g, "sleeps");
	chatrig_run_ms(&g, 100);
	chatrig_ask(&g, "flies");
	chatrig_ask(&g, "waits");
	chatrig_run_ms(&g, 100);
	assert_int_equal(g.ep->in_flight, 1);
	for (int i = 0; i < 3; i++)
		chat_cancel(g.run + i);
	chatrig_run_ms(&g, 20);
	assert_int_equal(g.ep->in_flight, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(g.got[i].done, 0);
	chatrig_close(&g);
	chatrig_open(&g, "never*", NULL);
	chatrig_ask(&g, "left behind");
	chatrig_run_ms(&g, 50);
	chatrig_close(&g);
	assert_int_equal(g.got[0].done, 0);
}

static void sixty_four_asks_fly_together_within_the_limit(void **unused)
{
	struct endpoint_settings s = { .max_connections = 24 };

	(void)unused;
	chatrig_open(&g, "slow:30*", &s);
	for (int i = 0; i < CHATRIG_ASKS; i++)
		chatrig_ask(&g, "x");
	chatrig_run(&g);
	for (int i = 0; i < CHATRIG_ASKS; i++)
		assert_int_equal(g.got[i].err.code, 0);
	assert_in_range(mock_llm_stats(g.mock).max_in_flight, 12, 24);
	assert_true(mock_llm_stats(g.mock).repeated > 0);
	chatrig_close(&g);
}

/* 0, and the test is skipped, where no real server is named. */
static int real_server(void)
{
	const char *url = getenv("MAPFLEET_TEST_BASE_URL");
	struct endpoint_settings s = { .base_urls = url };

	if (!url) {
		print_message("SKIP: MAPFLEET_TEST_BASE_URL names no model server\n");
		return 0;
	}
	chatrig_open(&g, NULL, &s);
	g.ask.max_tokens = 16;
	return 1;
}

static void a_real_server_answers_and_knows_a_prefix_again(void **unused)
{
	struct got *got;

	(void)unused;
	if (!real_server())
		skip();
	g.ask.system =
		view_of("You are polite. You greet people by saying hello to them, "
			"in one short sentence, and you never say anything else.");
	for (int i = 0; i < 2; i++) {
		got = chatrig_ask(&g, "Say hello.");
		chatrig_run(&g);
		if (got->err.code)
			fail_msg("%s", got->err.text);
		assert_true(got->usage.flags & USAGE_MEASURED);
		assert_true(got->usage.prompt > 0);
		print_message("%s (%u ms, %u of %u tokens cached)\n", got->answer,
			      got->call[0].latency_ms, (unsigned)got->usage.cached,
			      (unsigned)got->usage.prompt);
	}
	chatrig_close(&g);
}

static void a_real_server_gives_log_probabilities(void **unused)
{
	struct got *got;

	(void)unused;
	if (!real_server())
		skip();
	g.ask.max_tokens = 1;
	g.ask.top_logprobs = 20;
	g.ask.no_thinking = 1;
	got = chatrig_ask(&g, "Is two more than one? Answer with one word, Yes or No.");
	chatrig_run(&g);
	if (got->err.code)
		fail_msg("%s", got->err.text);
	print_message("%s, %u alternatives %s\n", got->answer, got->first.n, got->note);
	assert_true(got->first.n >= 5);
	chatrig_close(&g);
}

static void E09_a_real_server_tells_that_a_prompt_is_too_long(void **unused)
{
	enum { LONG = 400000 };
	static char text[LONG];
	struct got *got;

	(void)unused;
	if (!real_server())
		skip();
	for (size_t i = 0; i < LONG; i++)
		text[i] = "many words "[i % 11];
	g.ask.system = (struct view){ text, LONG };
	got = chatrig_ask(&g, "x");
	chatrig_run(&g);
	if (got->err.code)
		fail_msg("%s", got->err.text);
	assert_int_equal(got->kind, CHAT_TOO_LONG);
	assert_int_equal(got->n_calls, 1);
	print_message("%s: %u tokens, context %u\n", got->call[0].error,
		      (unsigned)got->prompt_tokens, (unsigned)got->context_tokens);
	chatrig_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_answer_takes_one_call),
		cmocka_unit_test(E01_absent_usage_is_estimated_and_says_so),
		cmocka_unit_test(E02_null_details_leave_the_cached_part_unknown),
		cmocka_unit_test(E03_cached_tokens_are_part_of_the_prompt),
		cmocka_unit_test(E05_thinking_without_an_answer_has_a_type_of_its_own),
		cmocka_unit_test(
			E07_a_think_part_without_its_opening_is_kept_for_the_parser),
		cmocka_unit_test(
			E08_too_many_tokens_asked_for_are_clamped_once_for_all),
		cmocka_unit_test(
			E09_a_prompt_over_the_context_is_an_output_with_its_sizes),
		cmocka_unit_test(E11_retry_after_silences_all_asks_and_loses_none),
		cmocka_unit_test(E13_the_wait_is_found_wherever_it_is_told),
		cmocka_unit_test(E13_a_date_is_a_wait_too),
		cmocka_unit_test(E14_a_quota_used_up_ends_the_ask_at_once),
		cmocka_unit_test(E14_no_retries_means_none),
		cmocka_unit_test(
			E15_a_page_of_html_is_tried_again_and_quoted_without_tags),
		cmocka_unit_test(bodies_that_are_cut_empty_or_errors_are_tried_again),
		cmocka_unit_test(what_never_passes_is_not_tried_again),
		cmocka_unit_test(what_may_pass_is_tried_again),
		cmocka_unit_test(E17_a_pooled_socket_that_died_is_no_failure),
		cmocka_unit_test(E17_a_server_that_closes_idle_sockets_is_not_noticed),
		cmocka_unit_test(
			E18_timeouts_are_options_and_errors_tell_phase_and_time),
		cmocka_unit_test(E18_a_server_that_is_not_there_fails_in_phase_connect),
		cmocka_unit_test(a_server_that_dies_and_comes_back_loses_no_ask),
		cmocka_unit_test(a_dead_replica_is_left_for_the_next),
		cmocka_unit_test(
			E19_a_server_that_must_stream_is_asked_to_once_and_for_all),
		cmocka_unit_test(E19_a_stream_that_nobody_asked_for_is_read),
		cmocka_unit_test(a_parameter_that_is_refused_is_left_out_from_then_on),
		cmocka_unit_test(E25_two_answers_to_one_prompt_are_no_error),
		cmocka_unit_test(E27_no_text_holds_the_key),
		cmocka_unit_test(
			E27_a_reply_that_echoes_the_key_is_masked_before_it_is_kept),
		cmocka_unit_test(a_wait_beyond_the_deadline_fails_at_once),
		cmocka_unit_test(asks_are_cancelled_in_any_state),
		cmocka_unit_test(sixty_four_asks_fly_together_within_the_limit),
		cmocka_unit_test(a_real_server_answers_and_knows_a_prefix_again),
		cmocka_unit_test(a_real_server_gives_log_probabilities),
		cmocka_unit_test(E09_a_real_server_tells_that_a_prompt_is_too_long),
	};

	unsetenv("OPENAI_API_KEY");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
