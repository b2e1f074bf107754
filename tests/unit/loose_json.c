/* loose_json.c - what models write instead of JSON is read as they meant it */
#include "tests/support/cm.h"

#include "common/sql/json_text.h"
#include "common/sql/loose_json.h"

#include <stdio.h>

static void show(struct json_text *j, const struct loose *v)
{
	if (v->kind == LOOSE_NULL || v->kind == LOOSE_TEXT) {
		json_str(j, v->kind == LOOSE_NULL ? view_of("null") : v->text);
		return;
	}
	json_open(j, v->kind == LOOSE_OBJECT ? '{' : '[');
	for (const struct loose *m = v->first; m; m = m->next) {
		char key[64];

		snprintf(key, sizeof key, "%.*s", (int)m->key.n, m->key.p);
		if (v->kind == LOOSE_OBJECT)
			json_key(j, key);
		show(j, m);
	}
	json_close(j, v->kind == LOOSE_OBJECT ? '}' : ']');
}

static void reads(const char *answer, const char *as, const char *repairs)
{
	struct arena a = { 0 };
	struct buf b = { 0 };
	struct json_text j = { .b = &b };
	struct loose v;
	unsigned bits;
	char said[80] = "";

	assert_int_equal(loose_json_read(&a, view_of(answer), &v, &bits), 0);
	show(&j, &v);
	assert_string_equal(b.p, as);
	for (enum loose_repair r = 0; r < LOOSE_REPAIRS; r++)
		if (bits & 1u << r)
			snprintf(said + strlen(said), sizeof said - strlen(said),
				 "%s%s", *said ? " " : "", loose_repair_name(r));
	assert_string_equal(said, repairs);
	buf_free(&b);
	arena_free(&a);
}

static void good_json_needs_no_mending(void **unused)
{
	(void)unused;
	reads("{\"a\": [1, true, null, \"x\\u00e9\\n\\ud83d\\ude00\"], \"b\": {}}",
	      "{\"a\":[\"1\",\"true\",\"null\",\"x\xc3\xa9\\u000a\xf0\x9f\x98\x80\"],"
	      "\"b\":{}}",
	      "");
}

static void text_around_it_is_left_out(void **unused)
{
	(void)unused;
	reads("<think>{\"a\": 1}</think>Here:\n```json\n{\"a\": 2}\n```\nDone.",
	      "{\"a\":\"2\"}", "fence");
	reads("\"a\": 2}", "{\"a\":\"2\"}", "bracket");
}

static void commas_and_comments_too_many_do_not_matter(void **unused)
{
	(void)unused;
	reads("{\"a\": [1, 2,], // two\n \"b\": 3,}",
	      "{\"a\":[\"1\",\"2\"],\"b\":\"3\"}", "comma");
}

static void an_array_that_is_not_closed_ends_where_a_name_follows(void **unused)
{
	(void)unused;
	reads("{\"a\": [{\"x\": 1}, {\"x\": 2}, \"b\": {\"y\": 3}}",
	      "{\"a\":[{\"x\":\"1\"},{\"x\":\"2\"}],\"b\":{\"y\":\"3\"}}", "bracket");
	reads("{\"a\": {\"l\": [\"p\", \"q\"}, \"b\": 1}",
	      "{\"a\":{\"l\":[\"p\",\"q\"]},\"b\":\"1\"}", "bracket");
	reads("{\"a\": [{\"x\": 1], \"b\": 1}", "{\"a\":[{\"x\":\"1\"}],\"b\":\"1\"}",
	      "bracket");
}

static void members_behind_a_bracket_too_many_still_belong(void **unused)
{
	(void)unused;
	reads("{\"a\": {\"x\": 1}}, \"b\": 2}", "{\"a\":{\"x\":\"1\"},\"b\":\"2\"}",
	      "bracket");
	reads("{\"a\": [1]]}, \"b\": 2", "{\"a\":[\"1\"],\"b\":\"2\"}", "bracket");
}

static void a_lost_name_leaves_a_member_without_one(void **unused)
{
	(void)unused;
	reads("{\"a\": 1, {\"conditions\": []}, \"b\": 2}",
	      "{\"a\":\"1\",\"\":{\"conditions\":[]},\"b\":\"2\"}", "header");
}

static void an_answer_cut_short_gives_what_was_there(void **unused)
{
	(void)unused;
	reads("{\"a\": [1, {\"b\": \"half", "{\"a\":[\"1\",{\"b\":\"half\"}]}",
	      "bracket quote");
	reads("{\"a\": 1, \"b", "{\"a\":\"1\"}", "bracket quote");
	reads("{'a': 'it'}", "{\"a\":\"it\"}", "quote");
	reads("{a: b}", "{\"a\":\"b\"}", "quote");
}

static void prose_is_no_object(void **unused)
{
	struct arena a = { 0 };
	struct loose v;
	unsigned bits;
	char deep[200];

	(void)unused;
	assert_int_equal(loose_json_read(&a, view_of("I cannot."), &v, &bits),
			 ERR_VALUE);
	assert_int_equal(loose_json_read(&a, view_of(""), &v, &bits), ERR_VALUE);
	memset(deep, '[', sizeof deep - 1);
	deep[sizeof deep - 1] = 0;
	memcpy(deep, "{\"a\":", 5);
	assert_int_equal(loose_json_read(&a, view_of(deep), &v, &bits), ERR_LIMIT);
	arena_free(&a);
}

/* Every cut of every text is read to an end. */
static void any_cut_is_read(void **unused)
{
	static const char *const text[] = {
		"{\"a\": [1, {\"b\": \"x\\u00e9\\ud83d\\ude00\"}, 'c'], /* n */ d: "
		"e}}, "
		"\"f\": [}, \"g\": ]]",
		"</think>\"a\": {\"b\": [[\"c\": {]}]}, , ,\"d\" \"e\": \\",
	};

	(void)unused;
	for (size_t t = 0; t < sizeof text / sizeof *text; t++)
		for (size_t from = 0; from < strlen(text[t]); from++)
			for (size_t n = 0; n <= strlen(text[t]) - from; n++) {
				struct arena a = { 0 };
				struct loose v;
				unsigned bits;
				char *copy = arena_dup(&a, text[t] + from, n);

				loose_json_read(&a, (struct view){ copy, n }, &v,
						&bits);
				arena_free(&a);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_json_needs_no_mending),
		cmocka_unit_test(text_around_it_is_left_out),
		cmocka_unit_test(commas_and_comments_too_many_do_not_matter),
		cmocka_unit_test(an_array_that_is_not_closed_ends_where_a_name_follows),
		cmocka_unit_test(members_behind_a_bracket_too_many_still_belong),
		cmocka_unit_test(a_lost_name_leaves_a_member_without_one),
		cmocka_unit_test(an_answer_cut_short_gives_what_was_there),
		cmocka_unit_test(prose_is_no_object),
		cmocka_unit_test(any_cut_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
