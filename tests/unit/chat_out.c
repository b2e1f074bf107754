/* chat_out.c - outputs of model tasks and their calls, written and read back */
#include "tests/support/cm.h"

#include "proto/chat_out.h"

static const struct call calls[] = {
	{ .attempt = 1,
	  .started_ms = 1764462123456,
	  .latency_ms = 12,
	  .status = 502,
	  .code = ERR_NET,
	  .resent = 1,
	  .error = "http_502: Bad gateway",
	  .endpoint = "http://127.0.0.1:8000/v1/chat/completions" },
	{ .attempt = 2,
	  .status = 200,
	  .useful = 1,
	  .usage = { 100, 7, 80, USAGE_MEASURED | USAGE_CACHED } },
};

static void calls_are_read_as_they_were_written(void **unused)
{
	struct buf b = { 0 }, one = { 0 }, again = { 0 };
	struct arena a = { 0 };
	struct call *got, single;
	size_t n;

	(void)unused;
	calls_pack(&b, calls, 2);
	assert_int_equal(calls_decode(buf_view(&b), &a, &got, &n, NULL), 0);
	assert_int_equal(n, 2);
	calls_pack(&again, got, n);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	assert_string_equal(got[0].error, "http_502: Bad gateway");
	assert_int_equal(got[1].usage.cached, 80);
	call_pack(&one, calls + 1);
	assert_int_equal(call_decode(buf_view(&one), &single, NULL), 0);
	buf_clear(&again);
	call_pack(&again, &single);
	assert_true(view_eq(buf_view(&one), buf_view(&again)));
	for (size_t i = 0; i < b.n; i++) /* cut anywhere: an error, no more */
		assert_int_equal(
			calls_decode((struct view){ b.p, i }, &a, &got, &n, NULL),
			ERR_PROTO);
	arena_free(&a);
	buf_free(&one);
	buf_free(&again);
	buf_free(&b);
}

static void an_output_is_read_as_it_was_written(void **unused)
{
	struct chat_out out = { .kind = CHAT_ANSWER,
				.answer = view_of("[B] > [A]"),
				.finish = view_of("stop"),
				.usage = { 100, 7, 80, USAGE_MEASURED | USAGE_CACHED },
				.prompt_tokens = 5,
				.context_tokens = 6,
				.truncated = 1,
				.model = view_of("m"),
				.reply = view_of("{\"choices\":[]}") },
			got;
	struct buf b = { 0 };
	struct err e;

	(void)unused;
	chat_out_encode(&b, &out);
	assert_int_equal(chat_out_decode(buf_view(&b), &got, NULL), 0);
	assert_int_equal(got.kind, CHAT_ANSWER);
	assert_true(view_eq(got.answer, out.answer) && view_eq(got.finish, out.finish));
	assert_true(view_eq(got.model, out.model) && view_eq(got.reply, out.reply));
	assert_int_equal(got.usage.prompt, 100);
	assert_int_equal(got.usage.completion, 7);
	assert_int_equal(got.usage.cached, 80);
	assert_int_equal(got.usage.flags, USAGE_MEASURED | USAGE_CACHED);
	assert_int_equal(got.prompt_tokens, 5);
	assert_int_equal(got.context_tokens, 6);
	assert_int_equal(got.truncated, 1);
	for (size_t i = 0; i < b.n; i++)
		assert_int_equal(chat_out_decode((struct view){ b.p, i }, &got, NULL),
				 ERR_PROTO);
	buf_clear(&b);
	out.kind = (enum chat_kind)9;
	chat_out_encode(&b, &out);
	assert_int_equal(chat_out_decode(buf_view(&b), &got, &e), ERR_PROTO);
	buf_free(&b);
}

static void a_sum_of_usage_keeps_what_is_not_sure(void **unused)
{
	struct usage sum = { 10, 1, 0, USAGE_ESTIMATED };

	(void)unused;
	usage_add(&sum, &calls[1].usage);
	assert_int_equal(sum.prompt, 110);
	assert_int_equal(sum.completion, 8);
	assert_int_equal(sum.cached, 80);
	assert_int_equal(sum.flags, USAGE_MEASURED | USAGE_ESTIMATED | USAGE_CACHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_read_as_they_were_written),
		cmocka_unit_test(an_output_is_read_as_it_was_written),
		cmocka_unit_test(a_sum_of_usage_keeps_what_is_not_sure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
