/* chat_reply.c - what servers put into a 200 */
#include "tests/support/cm.h"

#include "worker/chat_reply.h"

#include <stdio.h>

static struct arena a;
static struct chat_out out;
static struct view error;
static struct err e;

static int read_as(const char *type, const char *body)
{
	arena_free(&a);
	memset(&out, 0, sizeof out);
	return chat_reply_read(view_of(type), view_of(body), 400, &a, &out, &error, &e);
}

static int read_json(const char *body)
{
	return read_as("application/json", body);
}

static void assert_said(const char *answer)
{
	assert_int_equal(out.kind, CHAT_ANSWER);
	assert_true(view_eq(out.answer, view_of(answer)));
}

static void E01_the_three_ways_not_to_tell_usage_are_estimates(void **unused)
{
	static const char *const tails[] = { "}", ",\"usage\":null}",
					     ",\"usage\":{}}" };
	char body[300];

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		snprintf(body, sizeof body,
			 "{\"choices\":[{\"message\":{\"content\":\"12345\"}}]%s",
			 tails[i]);
		assert_int_equal(read_json(body), 0);
		assert_said("12345");
		assert_int_equal(out.usage.prompt, 100);
		assert_int_equal(out.usage.completion, 2);
		assert_int_equal(out.usage.flags, USAGE_ESTIMATED);
	}
}

static void E02_and_E03_usage_is_read_as_it_is_told(void **unused)
{
	(void)unused;
	assert_int_equal(
		read_json("{\"choices\":[{\"message\":{\"content\":\"x\"}}],\"usage\":{"
			  "\"prompt_tokens\":10,\"completion_tokens\":5,\"total_"
			  "tokens\":15,"
			  "\"prompt_tokens_details\":null,\"completion_tokens_"
			  "details\":null}}"),
		0);
	assert_int_equal(out.usage.prompt, 10);
	assert_int_equal(out.usage.flags, USAGE_MEASURED);
	assert_int_equal(
		read_json("{\"choices\":[{\"message\":{\"content\":\"x\"}}],\"usage\":{"
			  "\"prompt_tokens\":100,\"completion_tokens\":7,"
			  "\"prompt_tokens_details\":{\"cached_tokens\":80}}}"),
		0);
	assert_int_equal(out.usage.prompt, 100);
	assert_int_equal(out.usage.cached, 80);
	assert_int_equal(out.usage.flags, USAGE_MEASURED | USAGE_CACHED);
	/* half of it: a number that the server did not tell is flagged */
	assert_int_equal(
		read_json("{\"choices\":[{\"message\":{\"content\":\"x\"}}],\"usage\":{"
			  "\"prompt_tokens\":100,\"completion_tokens\":null}}"),
		0);
	assert_int_equal(out.usage.prompt, 100);
	assert_int_equal(out.usage.completion, 1);
	assert_int_equal(out.usage.flags, USAGE_MEASURED | USAGE_ESTIMATED);
	/* Ollama: 0 is "cached" */
	assert_int_equal(
		read_json("{\"choices\":[{\"message\":{\"content\":\"x\"}}],\"usage\":{"
			  "\"prompt_tokens\":0,\"completion_tokens\":1}}"),
		0);
	assert_int_equal(out.usage.prompt, 100);
}

static void content_is_text_null_or_parts(void **unused)
{
	(void)unused;
	assert_int_equal(read_json("{\"choices\":[{\"message\":{\"content\":["
				   "{\"type\":\"text\",\"text\":\"[A]\"},"
				   "{\"type\":\"text\",\"text\":\" > [B]\"}]}}]}"),
			 0);
	assert_said("[A] > [B]");
	assert_int_equal(read_json("{\"choices\":[{\"message\":{\"content\":null},"
				   "\"finish_reason\":\"content_filter\"}]}"),
			 0);
	assert_int_equal(out.kind, CHAT_EMPTY);
	assert_true(view_eq(out.finish, view_of("content_filter")));
	assert_int_equal(
		read_json("\r\n \n{\"choices\":[{\"message\":{\"content\":\"x\"}}]}"),
		0);
	assert_said("x");
}

static void F14_choices_are_matched_by_their_index_not_their_place(void **unused)
{
	(void)unused;
	assert_int_equal(
		read_json("{\"choices\":[{\"index\":1,\"message\":{\"content\":"
			  "\"second\"}},"
			  "{\"index\":0,\"message\":{\"content\":\"first\"}}]}"),
		0);
	assert_said("first");
}

static void E05_reasoning_is_never_taken_for_an_answer(void **unused)
{
	static const char *const messages[] = {
		"{\"content\":null,\"reasoning\":\"first I ...\"}",
		"{\"content\":\"\",\"reasoning_content\":\"[A] > [B]\"}",
		"{\"content\":\"<think>[A] > [B]\"}",
		"{\"content\":\" <think>[A] > [B]</think>\\n\"}",
		"{\"content\":\"[A] > [B]</think>\"}",
	};
	char body[300];

	(void)unused;
	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
		snprintf(
			body, sizeof body,
			"{\"choices\":[{\"message\":%s,\"finish_reason\":\"length\"}]}",
			messages[i]);
		assert_int_equal(read_json(body), 0);
		assert_int_equal(out.kind, CHAT_EMPTY_AFTER_REASONING);
	}
}

static void E15_what_is_no_chat_completion_says_why(void **unused)
{
	(void)unused;
	assert_int_equal(read_as("text/html", "<html>502</html>"), ERR_PROTO);
	assert_string_equal(e.text, "not JSON");
	assert_int_equal(read_json("{\"choices\":[{\"mess"), ERR_PROTO);
	assert_string_equal(e.text, "JSON that ends too early");
	assert_int_equal(read_json(""), ERR_PROTO);
	assert_int_equal(read_json("{\"models\":[]}"), ERR_PROTO);
	assert_int_equal(read_json("[]"), ERR_PROTO);
	assert_int_equal(read_json("{\"choices\":[]}"), ERR_PROTO);
	assert_int_equal(error.n, 0);
	assert_int_equal(read_json("{\"error\":{\"message\":\"down\",\"code\":503}}"),
			 ERR_PROTO);
	assert_non_null(strstr(error.p, "\"down\""));
}

static void E19_a_stream_is_read_whatever_its_line_ends_and_cuts(void **unused)
{
	static const char crlf[] = ": comment\r\n"
				   "data: "
				   "{\"choices\":[{\"delta\":{\"role\":\"assistant\","
				   "\"content\":\"\"}}]}\r\n\r\n"
				   "data:{\"choices\":[{\"delta\":{\"content\":\"[B] "
				   "\xe2\x82\"}}]}\r\n\r\n";
	static const char good[] =
		"event: message\nid: 1\n"
		"data: {\"choices\":[{\"delta\":{\"content\":\"[B] > \"}}]}\n\n"
		"data: {\"choices\":[{\"delta\":\n"
		"data: {\"content\":\"[A] \xe2\x82\xac\"}}]}\n\n"
		"data: "
		"{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":"
		"null}\n\n"
		"data: "
		"{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":"
		"4}}\n\n"
		"data: [DONE]\n\n";

	(void)unused;
	if (read_as("text/event-stream; charset=utf-8", good))
		fail_msg("%s", e.text);
	assert_said("[B] > [A] \xe2\x82\xac");
	assert_int_equal(out.usage.prompt, 9);
	assert_int_equal(out.usage.completion, 4);
	assert_true(view_eq(out.finish, view_of("stop")));
	assert_int_equal(read_as("application/json", good),
			 0); /* a lie: it is a stream */
	assert_said("[B] > [A] \xe2\x82\xac");
	assert_int_equal(read_as("text/event-stream", crlf),
			 ERR_PROTO); /* half a euro */
	assert_int_equal(
		read_as("text/event-stream",
			"data: {\"choices\":[{\"delta\":{\"content\":\"[B]\"}}]}\n\n"),
		ERR_PROTO);
	assert_string_equal(e.text, "event stream that ends too early");
	assert_int_equal(read_as("text/event-stream",
				 "data: {\"choices\":[{\"delta\":{\"content\":\"[B]\"},"
				 "\"finish_reason\":\"stop\"}]}"),
			 0); /* no [DONE], but a reason to stop */
	assert_said("[B]");
	assert_int_equal(
		read_as("text/event-stream",
			"data: {\"error\":{\"message\":\"gone\",\"code\":500}}\n\n"),
		ERR_PROTO);
	assert_non_null(strstr(error.p, "gone"));
}

static void a_prompt_that_was_cut_silently_is_suspected(void **unused)
{
	static const char cut[] =
		"{\"choices\":[{\"message\":{\"content\":\"x\"}}],\"usage\":{"
		"\"prompt_tokens\":2040,\"completion_tokens\":8}}";

	(void)unused;
	assert_int_equal(
		chat_reply_read(view_of(""), view_of(cut), 40000, &a, &out, &error, &e),
		0);
	assert_int_equal(out.truncated, 1);
	assert_int_equal(
		chat_reply_read(view_of(""), view_of(cut), 8000, &a, &out, &error, &e),
		0);
	assert_int_equal(out.truncated, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(E01_the_three_ways_not_to_tell_usage_are_estimates),
		cmocka_unit_test(E02_and_E03_usage_is_read_as_it_is_told),
		cmocka_unit_test(content_is_text_null_or_parts),
		cmocka_unit_test(
			F14_choices_are_matched_by_their_index_not_their_place),
		cmocka_unit_test(E05_reasoning_is_never_taken_for_an_answer),
		cmocka_unit_test(E15_what_is_no_chat_completion_says_why),
		cmocka_unit_test(E19_a_stream_is_read_whatever_its_line_ends_and_cuts),
		cmocka_unit_test(a_prompt_that_was_cut_silently_is_suspected),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&a);
	return rc;
}
