/* chat_first.c - log-probabilities as servers send them */
#include "tests/support/cm.h"

#include "worker/chat_reply.h"

#include <math.h>
#include <stdio.h>

static struct arena a;
static struct chat_out out;

static const struct alternatives *read_as(const char *type, const char *body)
{
	struct view error;
	struct err e = { 0 };

	arena_free(&a);
	memset(&out, 0, sizeof out);
	if (chat_reply_read(view_of(type), view_of(body), 400, &a, &out, &error, &e))
		fail_msg("%s", e.text);
	return &out.first;
}

static const struct alternatives *logprobs(const char *json)
{
	static char body[4000];

	snprintf(body, sizeof body,
		 "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
		 "\"content\":\"A\"},\"logprobs\":%s,\"finish_reason\":\"length\"}]}",
		 json);
	return read_as("application/json", body);
}

static void assert_alternative(const struct alternatives *f, uint32_t i,
			       const char *token, double logprob)
{
	assert_true(i < f->n);
	assert_true(view_eq(f->at[i].token, view_of(token)));
	assert_true(fabs(f->at[i].logprob - logprob) < 1e-9);
}

static void openais_and_vllms_form_is_read(void **unused)
{
	const struct alternatives *f = logprobs(
		"{\"content\":[{\"token\":\"A\",\"logprob\":-0.25,\"bytes\":[65],"
		"\"top_logprobs\":["
		"{\"token\":\"A\",\"logprob\":-0.25,\"bytes\":[65]},"
		"{\"token\":\" B\",\"logprob\":-1.5,\"bytes\":[32,66]},"
		"{\"token\":\"C\",\"logprob\":-9999.0,\"bytes\":null}]}],"
		"\"refusal\":null}");

	(void)unused;
	assert_int_equal(f->n, 3);
	assert_alternative(f, 0, "A", -0.25);
	assert_alternative(f, 1, " B", -1.5);
	assert_alternative(f, 2, "C", -9999);
}

/* What llama.cpp's server said, build 11434. */
static void llamacpps_form_is_read(void **unused)
{
	const struct alternatives *f = read_as(
		"application/json",
		"{\"choices\":[{\"finish_reason\":\"length\",\"index\":0,\"message\":{"
		"\"role\":\"assistant\",\"content\":\"Is\"},\"logprobs\":{\"content\":["
		"{"
		"\"id\":4602,\"token\":\"Is\",\"bytes\":[73,115],\"logprob\":-"
		"1.0462137460708618,\"top_logprobs\":[{\"id\":4602,\"token\":\"Is\","
		"\"bytes\":[73,115],\"logprob\":-1.0462137460708618},{\"id\":236820,"
		"\"token\":\"<\",\"bytes\":[60],\"logprob\":-2.5781409740448}]}]}}],"
		"\"created\":1796022615,\"model\":\"tiny\",\"system_fingerprint\":\"b0-"
		"unknown\",\"object\":\"chat.completion\",\"usage\":{\"completion_"
		"tokens\":1,\"prompt_tokens\":36,\"total_tokens\":37,\"prompt_tokens_"
		"details\":{\"cached_tokens\":0}}}");

	(void)unused;
	assert_int_equal(f->n, 2);
	assert_alternative(f, 0, "Is", -1.0462137460708618);
	assert_alternative(f, 1, "<", -2.5781409740448);
}

static void llamacpps_older_form_is_read(void **unused)
{
	const struct alternatives *f = read_as(
		"application/json",
		"{\"choices\":[{\"index\":0,\"message\":{\"content\":\"B\"},"
		"\"finish_reason\":\"length\"}],\"completion_probabilities\":[{"
		"\"content\":\"B\",\"probs\":[{\"tok_str\":\"B\",\"prob\":0.5},"
		"{\"tok_str\":\"A\",\"prob\":0.25},{\"tok_str\":\"x\",\"prob\":0}]}]}");

	(void)unused;
	assert_int_equal(f->n, 2);
	assert_alternative(f, 0, "B", log(0.5));
	assert_alternative(f, 1, "A", log(0.25));
}

static void the_form_of_columns_is_read(void **unused)
{
	const struct alternatives *f =
		logprobs("{\"tokens\":[\" A\",\" >\"],\"token_logprobs\":[-0.1,-0.2],"
			 "\"top_logprobs\":[{\" A\":-0.1,\" B\":-2.5},{\" >\":-0.2}],"
			 "\"text_offset\":[0,2]}");

	(void)unused;
	assert_int_equal(f->n, 2);
	assert_alternative(f, 0, " A", -0.1);
	assert_alternative(f, 1, " B", -2.5);
	/* only what was said */
	f = logprobs(
		"{\"tokens\":[\"A\"],\"token_logprobs\":[-0.5],\"token_ids\":[1]}");
	assert_int_equal(f->n, 1);
	assert_alternative(f, 0, "A", -0.5);
}

static void absent_null_and_empty_are_no_alternatives(void **unused)
{
	static const char *const none[] = {
		"null",
		"{}",
		"[]",
		"{\"content\":null}",
		"{\"content\":[]}",
		"{\"content\":[{}]}",
		"{\"content\":[{\"token\":\"A\",\"logprob\":null}]}",
		"{\"tokens\":null,\"token_logprobs\":null}",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(logprobs(none[i])->n, 0);
	assert_int_equal(
		read_as("", "{\"choices\":[{\"message\":{\"content\":\"A\"}}]}")->n, 0);
	assert_int_equal(out.kind, CHAT_ANSWER);
}

static const char *place(const char *token, const char *other)
{
	static char text[8][200];
	static int k;
	char *to = text[k++ % 8];

	snprintf(to, sizeof *text,
		 "{\"token\":\"%s\",\"logprob\":-0.1,\"top_logprobs\":[{\"token\":"
		 "\"%s\",\"logprob\":-0.1},{\"token\":\"%s\",\"logprob\":-3}]}",
		 token, token, other);
	return to;
}

static const struct alternatives *places(const char *one, const char *two,
					 const char *three)
{
	char json[1200];

	snprintf(json, sizeof json, "{\"content\":[%s,%s,%s]}", one, two, three);
	return logprobs(json);
}

static void brackets_and_thoughts_before_the_answer_are_passed_over(void **unused)
{
	const struct alternatives *f =
		places(place("[", "A"), place("B", "C"), place("]", ">"));

	(void)unused;
	assert_alternative(f, 0, "B", -0.1);
	assert_alternative(f, 1, "C", -3);
	f = places(place("<think>", "A"), place("A", "x"), place("maybe", "x"));
	assert_int_equal(f->n, 0);
	f = places(place("A", "x"), place("</think>", "x"), place("B", "A"));
	assert_alternative(f, 0, "B", -0.1);
	f = places(place("A</thi", "x"), place("nk>", "x"), place("\\n\\n", "A"));
	assert_alternative(f, 1, "A", -3); /* all there is of an answer */
}

static void a_stream_gives_them_event_by_event(void **unused)
{
	const struct alternatives *f = read_as(
		"text/event-stream",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
		"\"content\":null}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"B\"},"
		"\"logprobs\":{\"content\":[{\"token\":\"B\",\"logprob\":-0.5,"
		"\"top_logprobs\":[{\"token\":\"B\",\"logprob\":-0.5},"
		"{\"token\":\"A\",\"logprob\":-1}]}]}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" >\"},"
		"\"logprobs\":{\"content\":[{\"token\":\" >\",\"logprob\":-0.5,"
		"\"top_logprobs\":[]}]}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"
		"\"length\"}]}\n\ndata: [DONE]\n\n");

	(void)unused;
	assert_int_equal(f->n, 2);
	assert_alternative(f, 0, "B", -0.5);
	assert_alternative(f, 1, "A", -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openais_and_vllms_form_is_read),
		cmocka_unit_test(llamacpps_form_is_read),
		cmocka_unit_test(llamacpps_older_form_is_read),
		cmocka_unit_test(the_form_of_columns_is_read),
		cmocka_unit_test(absent_null_and_empty_are_no_alternatives),
		cmocka_unit_test(
			brackets_and_thoughts_before_the_answer_are_passed_over),
		cmocka_unit_test(a_stream_gives_them_event_by_event),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&a);
	return rc;
}
