/* prompt.c - templates, holes and how candidates look */
#include "tests/support/cm.h"

#include "common/base/utf8.h"
#include "worker/prompt.h"

#include <stdio.h>

static const struct view names[] = { { "name", 4 }, { "n", 1 } };
static const struct view cells[] = { { "plum", 4 }, { "2", 1 },     { NULL, 0 },
				     { "", 0 },     { "a\n b", 4 }, { "3", 1 } };

static struct prompt_candidate candidates[] = {
	{ .sql = { " SELECT name, n\nFROM t; ", 24 },
	  .status = { "rows", 4 },
	  .rows = 7,
	  .cols = 2,
	  .columns = names,
	  .preview_rows = 3,
	  .cells = cells },
	{ .sql = { "SELECT x", 8 },
	  .status = { "error", 5 },
	  .note = { "no such column: x\nhint: y", 25 } },
};

static struct prompt_fill fill = {
	.schema = { "CREATE TABLE t(name, n);\n", 25 },
	.question = { "How many?", 9 },
	.candidates = candidates,
	.n_candidates = 2,
	.preview_rows = 10,
};

static void a_candidate_is_shown_with_status_columns_count_and_rows(void **unused)
{
	struct buf b = { 0 };

	(void)unused;
	prompt_candidate_text(candidates, 'A', &fill, &b);
	assert_string_equal(b.p, "Candidate [A]\n"
				 "```sql\nSELECT name, n\nFROM t;\n```\n"
				 "Status: rows\n"
				 "Columns (2): name, n\n"
				 "Rows: 7\n"
				 "plum | 2\n"
				 "NULL | ''\n"
				 "a b | 3\n"
				 "(4 more rows)\n");
	buf_clear(&b);
	prompt_candidate_text(candidates + 1, 'B', &fill, &b);
	assert_string_equal(b.p, "Candidate [B]\n"
				 "```sql\nSELECT x\n```\n"
				 "Status: error: no such column: x\n");
	buf_free(&b);
}

static void without_a_preview_no_value_is_shown(void **unused)
{
	struct prompt_fill shapes = fill;
	struct buf b = { 0 };

	(void)unused;
	shapes.preview_rows = 0;
	prompt_candidate_text(candidates, 'A', &shapes, &b);
	assert_non_null(strstr(b.p, "Columns (2): name, n\nRows: 7\n"));
	assert_null(strstr(b.p, "plum"));
	buf_free(&b);
}

static void a_result_keeps_to_its_characters_and_tells_what_is_left_out(void **unused)
{
	enum { ROWS = 20, CHARS = 400 };
	static char text[ROWS][200];
	struct view wide[ROWS], one = { "v", 1 };
	struct prompt_candidate c = { .sql = { "SELECT v", 8 },
				      .status = { "rows", 4 },
				      .rows = 1000000,
				      .cols = 1,
				      .columns = &one,
				      .preview_rows = ROWS,
				      .cells = wide };
	struct prompt_fill f = { .preview_rows = ROWS, .result_chars = CHARS };
	struct buf b = { 0 };
	const char *result, *more;
	unsigned shown = 0;

	(void)unused;
	for (int i = 0; i < ROWS; i++) { /* 90 characters of two bytes */
		for (int j = 0; j < 90; j++)
			memcpy(text[i] + 2 * j, "\xc3\xa9", 2);
		wide[i] = view_of(text[i]);
	}
	prompt_candidate_text(&c, 'A', &f, &b);
	result = strstr(b.p, "Status");
	more = strstr(b.p, "(9999");
	assert_non_null(more);
	assert_true(utf8_length((struct view){ result, (size_t)(more - result) }) <=
		    CHARS);
	for (const char *p = result; (p = strstr(p, "\n\xc3")); p++)
		shown++;
	assert_int_equal(shown, 3);
	assert_non_null(strstr(more, "(999997 more rows)"));
	buf_free(&b);
}

static void long_texts_are_cut_between_characters(void **unused)
{
	static char sql[PROMPT_SQL_CHARS * 3 + 1], note[700];
	struct prompt_candidate c = { .status = { "error", 5 } };
	struct buf b = { 0 };

	(void)unused;
	for (int i = 0; i < PROMPT_SQL_CHARS + 100; i++)
		memcpy(sql + 2 * i, "\xc3\xa9", 2);
	memset(note, 'e', sizeof note - 1);
	c.sql = view_of(sql);
	c.note = view_of(note);
	prompt_candidate_text(&c, 'A', &fill, &b);
	assert_non_null(strstr(b.p, "\xe2\x80\xa6\n-- 100 more characters\n```"));
	for (size_t at = 0; at < b.n; at += utf8_point(b.p + at, b.n - at, NULL))
		assert_true(utf8_point(b.p + at, b.n - at, NULL) > 0);
	assert_int_equal(strlen(strstr(b.p, "error: ")), 7 + 200 + 3 + 1);
	buf_free(&b);
}

static int render(const char *text, struct prompt *ret, struct err *e)
{
	return prompt_render(view_of(text), &fill, ret, e);
}

static void holes_and_sections_are_filled_once(void **unused)
{
	static const struct view tricky = { "{{schema}} & {{nothing}}", 24 };
	struct prompt_fill f = fill;
	struct prompt p;

	(void)unused;
	f.question = tricky;
	assert_int_equal(
		prompt_render(
			view_of("Judge {{count}}.\n{{user}}\n{{#evidence}}\nHint: "
				"{{evidence}}\n{{/evidence}}\nQ: {{question}} "
				"{{labels}}\n"),
			&f, &p, NULL),
		0);
	assert_string_equal(p.system.p, "Judge 2.");
	assert_string_equal(p.user.p, "Q: {{schema}} & {{nothing}} [A], [B]");
	prompt_fini(&p);
	f.evidence = view_of("x means y");
	assert_int_equal(
		prompt_render(
			view_of("{{#evidence}}\nHint: {{evidence}}\n{{/evidence}}\n"
				"{{#evidence}}({{evidence}}){{/evidence}}."),
			&f, &p, NULL),
		0);
	assert_int_equal(p.system.n, 0);
	assert_string_equal(p.user.p, "Hint: x means y\n(x means y).");
	prompt_fini(&p);
}

static void a_wrong_template_is_told_with_its_line_and_the_known_holes(void **unused)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "a\nb {{shcema}}",
		  "line 2: unknown hole {{shcema}}; known are {{schema}}, " },
		{ "a {{schema", "line 1: {{ without }}" },
		{ "{{#schema}} x", "{{#schema}} is not closed by {{/schema}}" },
		{ "{{#schema}}{{#question}}{{/question}}{{/schema}}",
		  "sections do not nest" },
		{ "\n\n{{/schema}}", "line 3: {{/schema}} closes nothing" },
		{ "{{user}}{{user}}", "a second time" },
		{ "{{#nope}}", "unknown hole {{nope}}" },
		{ "{{}}", "unknown hole {{}}" },
	};
	struct prompt p;
	struct err e;

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(render(cases[i].text, &p, &e), ERR_INPUT);
		if (!strstr(e.text, cases[i].says))
			fail_msg("%s", e.text);
	}
	assert_int_equal(prompt_check("rank", view_of("{{question}}"), &e), ERR_INPUT);
	assert_string_equal(
		e.text, "template rank: there is no {{candidates}}, which it needs");
}

static void the_default_templates_are_good_and_put_the_candidates_last(void **unused)
{
	static const char *const which[] = { "rank", "point" };
	static const struct view memory[] = { { "memory one\n", 11 },
					      { "memory two", 10 } };
	struct prompt_fill f = fill;
	struct prompt p;
	struct err e;

	(void)unused;
	f.memories = memory;
	f.n_memories = 2;
	f.evidence = view_of("the hint");
	for (size_t i = 0; i < 2; i++) {
		const char *text = prompt_default(which[i]), *at;

		assert_non_null(text);
		assert_int_equal(prompt_check(which[i], view_of(text), &e), 0);
		assert_int_equal(prompt_render(view_of(text), &f, &p, &e), 0);
		assert_true(p.system.n > 100);
		at = strstr(p.user.p, "CREATE TABLE");
		assert_non_null(at);
		assert_non_null(at = strstr(at, "memory one\n\nmemory two"));
		assert_non_null(at = strstr(at, "How many?"));
		assert_non_null(at = strstr(at, "the hint"));
		assert_non_null(at = strstr(at, "Candidate [A]"));
		assert_non_null(strstr(at, "\n\nCandidate [B]"));
		prompt_fini(&p);
	}
	assert_null(prompt_default("nothing"));
}

static void every_default_template_is_good_and_says_what_it_wants(void **unused)
{
	static const struct {
		const char *name, *says;
		size_t n;
	} rows[] = { { "yes", "Yes or No:", 1 },
		     { "pair", "A or B?", 2 },
		     { "pick", "Choose 3.", 2 },
		     { "cover", "\"missing\"", 2 } };
	struct err e;

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct view text = view_of(prompt_default(rows[i].name));
		struct prompt_fill f = fill;
		struct prompt p;

		f.n_candidates = rows[i].n;
		f.want = 3;
		assert_int_equal(prompt_check(rows[i].name, text, &e), 0);
		assert_int_equal(prompt_render(text, &f, &p, &e), 0);
		if (!strstr(p.user.p, rows[i].says) &&
		    !strstr(p.system.p, rows[i].says))
			fail_msg("%s", rows[i].name);
		assert_non_null(strstr(p.user.p, "Candidate [A]"));
		assert_int_equal(p.parts, PROMPT_USER);
		assert_int_equal(p.assistant.n, 0);
		prompt_fini(&p);
	}
}

static void a_reward_template_has_a_question_and_an_answer(void **unused)
{
	struct prompt_fill f = fill;
	struct prompt p;
	struct err e;

	(void)unused;
	f.n_candidates = 1;
	assert_int_equal(prompt_render(view_of(prompt_default("reward")), &f, &p, &e),
			 0);
	assert_int_equal(p.parts, PROMPT_USER | PROMPT_ASSISTANT);
	assert_non_null(strstr(p.user.p, "How many?"));
	assert_null(strstr(p.user.p, "SELECT"));
	assert_string_equal(p.assistant.p, "```sql\nSELECT name, n\nFROM t;\n```\n\n"
					   "Status: rows\nColumns (2): name, n\nRows: "
					   "7\nplum | 2\nNULL | ''\na b | 3\n(4 more "
					   "rows)");
	prompt_fini(&p);
	assert_int_equal(prompt_render(view_of("{{question}} {{sql}}"), &f, &p, &e), 0);
	assert_int_equal(p.parts, 0);
	assert_string_equal(p.user.p, "How many? SELECT name, n\nFROM t;");
	prompt_fini(&p);
}

static void an_answer_stands_last_once_and_only_where_one_is_scored(void **unused)
{
	static const struct {
		const char *name, *text, *says;
	} rows[] = {
		{ "reward", "{{question}}{{sql}}\n{{assistant}}\n{{assistant}}\n",
		  "line 3: {{assistant}} a second time" },
		{ "reward", "{{question}}{{sql}}\n{{assistant}}\n{{user}}\n",
		  "behind {{assistant}}" },
		{ "reward", "{{#evidence}}{{assistant}}{{/evidence}}",
		  "within a section" },
		{ "yes", "{{question}}{{sql}}\n{{assistant}}\n", "do not chat" },
		{ "pick", "{{question}}{{candidates}}", "there is no {{want}}" },
		{ "point", "{{question}}", "there is no {{candidates|sql}}" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };

		assert_int_equal(prompt_check(rows[i].name, view_of(rows[i].text), &e),
				 ERR_INPUT);
		if (!strstr(e.text, rows[i].says))
			fail_msg("%s", e.text);
	}
}

static void windows_of_a_question_share_all_bytes_before_the_candidates(void **unused)
{
	struct prompt_candidate turned[] = { candidates[1], candidates[0] };
	struct prompt_fill f = fill;
	struct prompt a, b;
	const char *text = prompt_default("rank");
	size_t shared;

	(void)unused;
	assert_int_equal(prompt_render(view_of(text), &fill, &a, NULL), 0);
	f.candidates = turned;
	assert_int_equal(prompt_render(view_of(text), &f, &b, NULL), 0);
	assert_true(view_eq(buf_view(&a.system), buf_view(&b.system)));
	shared = (size_t)(strstr(a.user.p, "Candidate [A]") - a.user.p);
	assert_memory_equal(a.user.p, b.user.p, shared);
	prompt_fini(&a);
	prompt_fini(&b);
}

static void more_candidates_than_letters_are_refused(void **unused)
{
	struct prompt_candidate many[27] = { { .sql = { "x", 1 } } };
	struct prompt_fill f = { .candidates = many, .n_candidates = 27 };
	struct prompt p;

	(void)unused;
	assert_int_equal(prompt_render(view_of("{{candidates}}"), &f, &p, NULL),
			 ERR_RANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_candidate_is_shown_with_status_columns_count_and_rows),
		cmocka_unit_test(without_a_preview_no_value_is_shown),
		cmocka_unit_test(
			a_result_keeps_to_its_characters_and_tells_what_is_left_out),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(holes_and_sections_are_filled_once),
		cmocka_unit_test(
			a_wrong_template_is_told_with_its_line_and_the_known_holes),
		cmocka_unit_test(
			the_default_templates_are_good_and_put_the_candidates_last),
		cmocka_unit_test(every_default_template_is_good_and_says_what_it_wants),
		cmocka_unit_test(a_reward_template_has_a_question_and_an_answer),
		cmocka_unit_test(
			an_answer_stands_last_once_and_only_where_one_is_scored),
		cmocka_unit_test(
			windows_of_a_question_share_all_bytes_before_the_candidates),
		cmocka_unit_test(more_candidates_than_letters_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
