/* chat_refusal.c - the wordings of errors, and what each is sorted into */
#include "tests/support/cm.h"

#include "worker/chat_refusal.h"

static struct refusal read_one(int status, const char *body, uint32_t max_tokens)
{
	struct refusal r;

	refusal_read(status, view_of(body), max_tokens, &r);
	return r;
}

static void every_shape_of_an_error_body_gives_its_message(void **unused)
{
	static const char *const bodies[] = {
		"{\"error\":{\"message\":\"no such "
		"thing\",\"type\":\"x\",\"code\":null}}",
		"{\"error\":{\"message\":\"no such thing\",\"code\":404}}",
		"{\"error\":\"no such thing\"}",
		"{\"object\":\"error\",\"message\":\"no such thing\",\"code\":404}",
		"{\"detail\":\"no such thing\"}",
		"{\"detail\":[{\"loc\":[\"body\",\"model\"],\"msg\":\"no such "
		"thing\"}]}",
		"{\"detail\":\"{\\\"error\\\":{\\\"message\\\":\\\"no such "
		"thing\\\"}}\"}",
		"<html><body><p>no such</p>\n<b>thing</b></body></html>",
		"no   such\r\nthing\n",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct refusal r = read_one(404, bodies[i], 0);

		assert_string_equal(r.text, "no such thing");
		assert_int_equal(r.kind, REFUSAL_FINAL);
		assert_string_equal(r.name, "http_404");
	}
	assert_string_equal(read_one(500, "", 0).text, "no text");
}

static void a_text_for_people_is_one_line_of_utf8(void **unused)
{
	char body[1000];
	struct refusal r;

	(void)unused;
	memset(body, 'a', sizeof body);
	memcpy(body + 198, "\xc3\xa9", 2);
	body[999] = '\0';
	r = read_one(500, body, 0);
	assert_int_equal(strlen(r.text), 198); /* not half of an e with an accent */
	r = read_one(500, "Latin \xe9 one", 0);
	assert_string_equal(r.text, "Latin \xef\xbf\xbd one");
}

static void statuses_are_sorted_into_those_that_pass_and_those_that_do_not(
	void **unused)
{
	static const int pass[] = { 408, 409, 425, 429, 500, 502, 503, 504, 520, 529 };
	static const int stay[] = { 301, 307, 400, 401, 403, 404, 405, 422, 501 };

	(void)unused;
	for (size_t i = 0; i < sizeof pass / sizeof *pass; i++)
		assert_int_equal(read_one(pass[i], "{}", 0).kind, REFUSAL_PASSES);
	for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
		assert_int_equal(read_one(stay[i], "{}", 0).kind, REFUSAL_FINAL);
	assert_int_equal(read_one(413, "too big", 0).kind, REFUSAL_TOO_LONG);
	assert_int_equal(read_one(402, "{}", 0).kind, REFUSAL_QUOTA);
}

static void E14_a_quota_is_known_by_code_type_or_words(void **unused)
{
	static const char *const bodies[] = {
		"{\"error\":{\"message\":\"x\",\"code\":\"insufficient_quota\"}}",
		"{\"error\":{\"message\":\"x\",\"type\":\"insufficient_quota\"}}",
		"{\"error\":{\"message\":\"You exceeded your current quota\"}}",
	};

	(void)unused;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(read_one(429, bodies[i], 0).kind, REFUSAL_QUOTA);
	assert_int_equal(
		read_one(429, "{\"error\":{\"message\":\"slow down\"}}", 0).kind,
		REFUSAL_PASSES);
}

static void E09_each_servers_overflow_is_known_with_its_sizes(void **unused)
{
	static const struct {
		const char *body;
		unsigned prompt, context;
	} cases[] = {
		{ "{\"error\":{\"code\":400,\"type\":\"exceed_context_size_error\","
		  "\"message\":\"...\",\"n_prompt_tokens\":13392,\"n_ctx\":8192}}",
		  13392, 8192 },
		{ "{\"error\":{\"code\":400,\"message\":\"the request exceeds the "
		  "available "
		  "context size. try increasing it\",\"type\":\"server_error\"}}",
		  0, 0 },
		{ "{\"object\":\"error\",\"message\":\"This model's maximum context "
		  "length is "
		  "8192 tokens. However, you requested 13456 tokens (13392 in the "
		  "messages, 64 "
		  "in the completion).\",\"code\":400}",
		  13392, 8192 },
		{ "{\"error\":{\"message\":\"This model's maximum context length is "
		  "8192 "
		  "tokens. However, your messages resulted in 9000 tokens.\",\"code\":"
		  "\"context_length_exceeded\"}}",
		  9000, 8192 },
		{ "{\"error\":{\"message\":\"This model's maximum context length is "
		  "8192 "
		  "tokens. However, you requested 64 output tokens and your prompt "
		  "contains at "
		  "least 8129 input tokens\"}}",
		  8129, 8192 },
		{ "{\"error\":{\"message\":\"prompt is too long\"}}", 0, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct refusal r = read_one(400, cases[i].body, 64);

		assert_int_equal(r.kind, REFUSAL_TOO_LONG);
		assert_int_equal(r.prompt_tokens, cases[i].prompt);
		assert_int_equal(r.context_tokens, cases[i].context);
	}
}

static void E08_what_was_asked_for_on_top_is_told_apart_from_the_prompt(void **unused)
{
	struct refusal r;

	(void)unused;
	r = read_one(
		400,
		"{\"error\":{\"message\":\"max_tokens=131072 cannot be greater than "
		"max_model_len=40960\"}}",
		131072);
	assert_int_equal(r.kind, REFUSAL_PARAMETER);
	assert_int_equal(r.parameter, PARAMETER_TOO_MANY_TOKENS);
	assert_int_equal(r.context_tokens, 40960);
	r = read_one(400,
		     "{\"error\":{\"message\":\"This model's maximum context length is "
		     "40960 "
		     "tokens. However, you requested 131100 tokens (28 in the "
		     "messages, 131072 "
		     "in the completion)\"}}",
		     131072);
	assert_int_equal(r.parameter, PARAMETER_TOO_MANY_TOKENS);
	assert_int_equal(r.completion_tokens, 40960 - 28);
	r = read_one(
		400,
		"{\"error\":{\"message\":\"max_tokens is too large: 131072. This model "
		"supports at most 16384 completion tokens\",\"param\":\"max_tokens\"}}",
		131072);
	assert_int_equal(r.parameter, PARAMETER_TOO_MANY_TOKENS);
	assert_int_equal(r.completion_tokens, 16384);
}

static void refused_parameters_are_known_by_name(void **unused)
{
	static const struct {
		const char *body;
		enum refusal_parameter parameter;
	} cases[] = {
		{ "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is "
		  "not "
		  "supported with this model. Use 'max_completion_tokens' "
		  "instead.\",\"param\":"
		  "\"max_tokens\",\"code\":\"unsupported_parameter\"}}",
		  PARAMETER_MAX_TOKENS },
		{ "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is "
		  "not "
		  "supported with this model. Use 'max_completion_tokens' instead.\"}}",
		  PARAMETER_MAX_TOKENS },
		{ "{\"detail\":[{\"loc\":[\"body\",\"max_completion_tokens\"],\"msg\":"
		  "\"Extra "
		  "inputs are not permitted\"}]}",
		  PARAMETER_MAX_COMPLETION_TOKENS },
		{ "{\"detail\":\"Stream must be set to true\"}", PARAMETER_STREAM },
		{ "{\"error\":{\"message\":\"unknown field stream_options\"}}",
		  PARAMETER_STREAM_OPTIONS },
		{ "{\"error\":{\"message\":\"Only the default (1) value is supported\","
		  "\"param\":\"temperature\",\"code\":\"unsupported_value\"}}",
		  PARAMETER_TEMPERATURE },
		{ "{\"error\":{\"message\":\"logprobs are not supported\"}}",
		  PARAMETER_LOGPROBS },
		{ "{\"error\":{\"message\":\"Unrecognized request argument supplied: "
		  "chat_template_kwargs\"}}",
		  PARAMETER_TEMPLATE_KWARGS },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct refusal r = read_one(i == 2 ? 422 : 400, cases[i].body, 64);

		assert_int_equal(r.kind, REFUSAL_PARAMETER);
		assert_int_equal(r.parameter, cases[i].parameter);
	}
	assert_int_equal(
		read_one(400, "{\"error\":{\"message\":\"bad seed of evil\"}}", 64)
			.kind,
		REFUSAL_FINAL);
}

static uint64_t wait_of(enum http_header h, const char *value, const char *body)
{
	struct view header[HTTP_HEADERS] = { { 0 } };

	if (value)
		header[h] = view_of(value);
	header[HTTP_DATE] = view_of("Sun, 06 Nov 1994 08:49:37 GMT");
	return refusal_wait_ms(header, view_of(body), 0);
}

static void E13_waits_are_read_in_every_notation(void **unused)
{
	static const struct {
		enum http_header header;
		const char *value;
		uint64_t ms;
	} cases[] = {
		{ HTTP_RETRY_AFTER, "2", 2000 },
		{ HTTP_RETRY_AFTER, "0.5", 500 },
		{ HTTP_RETRY_AFTER, "0", 0 },
		{ HTTP_RETRY_AFTER, "-1", 0 },
		{ HTTP_RETRY_AFTER, "soon", 0 },
		{ HTTP_RETRY_AFTER, "", 0 },
		{ HTTP_RETRY_AFTER, "nan", 0 },
		{ HTTP_RETRY_AFTER, "1e300", 86400000 },
		{ HTTP_RETRY_AFTER, "Sun, 06 Nov 1994 08:50:37 GMT", 60000 },
		{ HTTP_RETRY_AFTER, "Sun, 06 Nov 1994 08:40:00 GMT", 0 },
		{ HTTP_RETRY_AFTER_MS, "1500", 1500 },
		{ HTTP_RETRY_AFTER_MS, "-1", 0 },
		{ HTTP_RESET_TOKENS, "6m0s", 360000 },
		{ HTTP_RESET_TOKENS, "12ms", 12 },
		{ HTTP_RESET_TOKENS, "1s", 1000 },
		{ HTTP_RESET_TOKENS, "1h2m3.5s", 3723500 },
		{ HTTP_RESET_TOKENS, "30", 30000 },
		{ HTTP_RESET_TOKENS, "-1", 0 },
		{ HTTP_RESET_TOKENS, "0", 0 },
		{ HTTP_RESET_TOKENS, "6 parsecs", 0 },
		{ HTTP_RESET_REQUESTS, "2s", 2000 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(wait_of(cases[i].header, cases[i].value, ""),
				 cases[i].ms);
}

static void E13_a_bucket_that_is_not_empty_is_not_waited_for(void **unused)
{
	struct view header[HTTP_HEADERS] = { { 0 } };

	(void)unused;
	header[HTTP_RESET_TOKENS] = view_of("6m0s");
	header[HTTP_REMAINING_TOKENS] = view_of("1000");
	header[HTTP_RESET_REQUESTS] = view_of("3s");
	header[HTTP_REMAINING_REQUESTS] = view_of("0");
	assert_int_equal(refusal_wait_ms(header, view_of(""), 0), 3000);
	header[HTTP_REMAINING_TOKENS] = view_of("-1"); /* Azure: unknown */
	assert_int_equal(refusal_wait_ms(header, view_of(""), 0), 360000);
}

static void E13_the_body_may_tell_the_wait(void **unused)
{
	(void)unused;
	assert_int_equal(
		wait_of(HTTP_DATE, NULL,
			"{\"error\":{\"message\":\"No deployments available. Try "
			"again in 60 seconds.\"}}"),
		60000);
	assert_int_equal(
		wait_of(HTTP_DATE, NULL,
			"{\"error\":{\"message\":\"Rate limit. Please try again in "
			"1.5s.\"}}"),
		1500);
	assert_int_equal(wait_of(HTTP_DATE, NULL, "Please try again in 20ms"), 20);
	assert_int_equal(wait_of(HTTP_DATE, NULL, "Please retry after 2 minutes"),
			 120000);
	assert_int_equal(wait_of(HTTP_DATE, NULL, "try again in a while"), 0);
	assert_int_equal(wait_of(HTTP_DATE, NULL, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_of_an_error_body_gives_its_message),
		cmocka_unit_test(a_text_for_people_is_one_line_of_utf8),
		cmocka_unit_test(
			statuses_are_sorted_into_those_that_pass_and_those_that_do_not),
		cmocka_unit_test(E14_a_quota_is_known_by_code_type_or_words),
		cmocka_unit_test(E09_each_servers_overflow_is_known_with_its_sizes),
		cmocka_unit_test(
			E08_what_was_asked_for_on_top_is_told_apart_from_the_prompt),
		cmocka_unit_test(refused_parameters_are_known_by_name),
		cmocka_unit_test(E13_waits_are_read_in_every_notation),
		cmocka_unit_test(E13_a_bucket_that_is_not_empty_is_not_waited_for),
		cmocka_unit_test(E13_the_body_may_tell_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
