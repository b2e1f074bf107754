/* embed_wire.c - vectors come in any order and either form, and only whole ones count
 */
#include "tests/support/cm.h"

#include "worker/embed_wire.h"

static const struct view texts[] = { { "a", 1 }, { "", 0 }, { "c\"", 2 } };
static const struct embed_ask three = { texts, 3, 0 };

static int read_into(const struct embed_ask *ask, const char *body, struct arena *a,
		     struct embed_out *out, struct err *e)
{
	*e = (struct err){ 0 };
	return embed_read("bge-m3", ask, view_of(body), a, out, e);
}

static void refused(const struct embed_ask *ask, const char *body, int code,
		    const char *text)
{
	struct arena a = { 0 };
	struct embed_out out;
	struct err e;

	assert_int_equal(read_into(ask, body, &a, &out, &e), code);
	assert_string_equal(e.text, text);
	arena_free(&a);
}

static void the_format_is_said_aloud_and_dimensions_only_if_asked(void **unused)
{
	struct buf b = { 0 };
	struct embed_ask ask = three;

	(void)unused;
	embed_body(&b, "bge-m3", &ask);
	assert_string_equal(b.p,
			    "{\"model\":\"bge-m3\",\"input\":[\"a\",\" \",\"c\\\"\"],"
			    "\"encoding_format\":\"float\"}");
	buf_clear(&b);
	ask.n = 1;
	ask.dim = 256;
	embed_body(&b, "x", &ask);
	assert_string_equal(b.p,
			    "{\"model\":\"x\",\"input\":[\"a\"],\"encoding_format\":"
			    "\"float\",\"dimensions\":256}");
	buf_free(&b);
}

static void items_go_by_index_and_become_unit_vectors(void **unused)
{
	struct arena a = { 0 };
	struct embed_out out;
	struct err e;

	(void)unused;
	assert_int_equal(
		read_into(&three,
			  "{\"data\":[{\"index\":2,\"embedding\":[0,2]},"
			  "{\"index\":0,\"embedding\":[3,4]},"
			  "{\"index\":1,\"embedding\":[-1,0]}],"
			  "\"usage\":{\"prompt_tokens\":9,\"total_tokens\":9}}",
			  &a, &out, &e),
		0);
	assert_int_equal(out.n, 3);
	assert_int_equal(out.dim, 2);
	assert_true(out.vector[0] == 0.6f && out.vector[1] == 0.8f);
	assert_true(out.vector[2] == -1 && out.vector[5] == 1);
	assert_int_equal(out.usage.prompt, 9);
	arena_free(&a);
}

/* 1, 2, 2, 4 as little-endian floats: 16 bytes, not 24 numbers and not 4 bytes. */
static void base64_and_numbers_are_the_same_vector(void **unused)
{
	static const char *const bodies[] = {
		"{\"data\":[{\"embedding\":\"AACAPwAAAEAAAABAAACAQA==\"}]}",
		"{\"data\":[{\"embedding\":\"AACAPwAAAEAAAABAAACAQA\"}]}",
		"{\"data\":[{\"embedding\":[1,2,2,4]}],\"usage\":{}}",
	};
	struct embed_ask one = { texts, 1, 4 };

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct arena a = { 0 };
		struct embed_out out;
		struct err e;

		assert_int_equal(read_into(&one, bodies[i], &a, &out, &e), 0);
		assert_int_equal(out.dim, 4);
		assert_true(out.vector[0] == 0.2f && out.vector[3] == 0.8f);
		assert_int_equal(out.usage.flags, USAGE_ESTIMATED);
		arena_free(&a);
	}
}

static void what_is_wrong_is_told_with_model_and_index(void **unused)
{
	struct embed_ask two = { texts, 2, 0 }, wide = { texts, 1, 3 };

	(void)unused;
	refused(&two,
		"{\"data\":[{\"index\":0,\"embedding\":[1,2]},{\"index\":1,"
		"\"embedding\":[1]}]}",
		ERR_REFUSED,
		"embeddings of bge-m3: text 1: 1 numbers, 2 were expected");
	refused(&wide, "{\"data\":[{\"embedding\":[1,2]}]}", ERR_REFUSED,
		"embeddings of bge-m3: text 0: 2 numbers, 3 were expected");
	refused(&two,
		"{\"data\":[{\"index\":1,\"embedding\":[0,0]},{\"index\":0,"
		"\"embedding\":[1,1]}]}",
		ERR_REFUSED, "embeddings of bge-m3: text 1: all zeros");
	refused(&wide, "{\"data\":[{\"embedding\":[[1,2],[3,4]]}]}", ERR_REFUSED,
		"embeddings of bge-m3: text 0: a vector for each token: serve the "
		"model with pooling (llama.cpp: --pooling mean)");
	refused(&wide, "{\"data\":[{\"embedding\":\"AACAPw=\"}]}", ERR_REFUSED,
		"embeddings of bge-m3: text 0: a text that is no base64 of floats");
	refused(&wide, "{\"data\":[{\"embedding\":[1,null,2]}]}", ERR_REFUSED,
		"embeddings of bge-m3: text 0: a number is not one");
	refused(&two, "{\"data\":[{\"index\":0,\"embedding\":[1]}]}", ERR_PROTO,
		"1 embeddings for 2 texts");
	refused(&two,
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,"
		"\"embedding\":[1]}]}",
		ERR_PROTO, "embeddings whose indexes are not 0 to 1");
	refused(&two, "[1]", ERR_PROTO, "no JSON object with embeddings");
	refused(&two, "<html>", ERR_PROTO, "no JSON object with embeddings");
}

static void an_output_comes_back_as_it_went(void **unused)
{
	const float v[] = { 0.6f, 0.8f, 0, 1 };
	struct embed_out out = { v, 2, 2, { .prompt = 3, .flags = USAGE_MEASURED } },
			 back;
	struct arena a = { 0 };
	struct buf b = { 0 };

	(void)unused;
	embed_out_encode(&out, &b);
	assert_int_equal(embed_out_decode(buf_view(&b), &a, &back, NULL), 0);
	assert_int_equal(back.dim, 2);
	assert_memory_equal(back.vector, v, sizeof v);
	assert_int_equal(back.usage.prompt, 3);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(
			embed_out_decode((struct view){ b.p, n }, &a, &back, NULL),
			ERR_PROTO);
	buf_free(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_format_is_said_aloud_and_dimensions_only_if_asked),
		cmocka_unit_test(items_go_by_index_and_become_unit_vectors),
		cmocka_unit_test(base64_and_numbers_are_the_same_vector),
		cmocka_unit_test(what_is_wrong_is_told_with_model_and_index),
		cmocka_unit_test(an_output_comes_back_as_it_went),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
