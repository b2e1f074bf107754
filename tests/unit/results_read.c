/* results_read.c - score, show and report: what people ask of finished directories */
#include "tests/support/cm.h"

#include "tests/support/golden.h"
#include "tests/support/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_all(struct ledger *l)
{
	struct err e = { 0 };

	if (results_write(&l->sweep, l->gold, l->path, l->id, &l->facts, NULL, &e) != 0)
		fail_msg("%s", e.text);
}

static void append(const struct ledger *l, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", l->out, name);
	f = fopen(path, "ab");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* ---- score ---- */

static struct results *score(struct ledger *l)
{
	struct results *r = NULL;
	struct err e = { 0 };

	ledger_scores(l);
	if (score_write(&l->sweep, l->gold, ledger_file, 3, l->path, l->id, &l->facts,
			&r, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static void table_is(const char *benchmark, const char *name)
{
	struct ledger l;
	struct results *r;
	char *text = NULL, *json;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	ledger_make(&l, benchmark);
	r = score(&l);
	score_table(f, r);
	score_warnings(f, r);
	fclose(f);
	golden_check(name, text);
	json = ledger_read(&l, "results.json");
	assert_true(view_eq(view_of(json), results_json(r)));
	free(json);
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

static void the_tables_are_the_official_scripts(void **unused)
{
	(void)unused;
	table_is("bird", "results/score_bird.txt");
	table_is("spider", "results/score_spider.txt");
	table_is("ehrsql", "results/score_ehrsql.txt");
	table_is("plain", "results/score_plain.txt");
}

static void scores_tell_each_item_of_each_file(void **unused)
{
	struct ledger l;
	struct results *r;
	char *text;

	(void)unused;
	ledger_make(&l, "bird");
	r = score(&l);
	text = ledger_read(&l, "scores.jsonl");
	golden_check("results/scores.jsonl", text);
	free(text);
	text = ledger_read(&l, "results.json");
	golden_check("results/score.json", text);
	free(text);
	assert_int_equal(
		report_dirs((const char *const[]){ l.out }, 1, NULL, NULL, NULL), 0);
	text = ledger_read(&l, "report.md");
	assert_non_null(strstr(text, "Prediction files"));
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

static void C19_a_score_tells_gold_timeouts_and_wrong_rows_apart(void **unused)
{
	struct ledger l;
	struct results *r;
	char *text;

	(void)unused;
	ledger_make(&l, "bird");
	r = score(&l);
	text = ledger_read(&l, "scores.jsonl");
	assert_non_null(strstr(text, "\"note\":\"gold_timeout: steps\""));
	assert_non_null(strstr(text, "\"note\":\"wrong_rows\""));
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

static void D18_predictions_that_are_gold_are_warned_of(void **unused)
{
	struct ledger l;
	struct results *r;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)unused;
	ledger_make(&l, "bird");
	for (uint32_t q = 0; q < l.sweep.nq; q++)
		l.sweep.q[q].cand[1].sql = view_of(" SELECT 'gold' FROM t;\n");
	r = score(&l);
	score_warnings(f, r);
	fclose(f);
	assert_string_equal(text,
			    "warning: beta: predictions look like gold (6 of 6 are "
			    "the same text)\n");
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

static void a_question_without_a_verdict_is_no_score(void **unused)
{
	struct ledger l;
	struct err e = { 0 };

	(void)unused;
	ledger_make(&l, "bird"); /* its verdicts are of five candidates, not three */
	l.sweep.nrun = 0;
	assert_int_equal(score_write(&l.sweep, l.gold, ledger_file, 3, l.path, l.id,
				     &l.facts, NULL, &e),
			 ERR_STORE);
	assert_non_null(strstr(e.text, "717"));
	ledger_remove(&l);
}

static void G15_a_score_explains_what_it_saw(void **unused)
{
	struct ledger l;
	struct results *r;
	struct err e = { 0 };
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)unused;
	ledger_make(&l, "bird");
	r = score(&l);
	assert_int_equal(score_explain(f, &l.sweep, l.gold, ledger_file, 3, l.path,
				       l.id, view_of("720"), &e),
			 0);
	fclose(f);
	golden_check("results/explain.txt", text);
	free(text);
	f = open_memstream(&text, &n);
	assert_int_equal(score_explain(f, &l.sweep, l.gold, ledger_file, 3, l.path,
				       l.id, view_of("1"), &e),
			 ERR_INPUT);
	fclose(f);
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

/* ---- show ---- */

static char *show(const struct ledger *l, const char *id, const char *run, int *ret)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	*ret = show_question(f, l->out, id, run, NULL, NULL);
	fclose(f);
	return text;
}

static void show_tells_groups_passes_memories_and_scoring(void **unused)
{
	struct ledger l;
	char *text;
	int rc;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l);
	text = show(&l, "719", "map-llm-model=qwen-s42", &rc);
	assert_int_equal(rc, 0);
	golden_check("results/show.txt", text);
	free(text);
	text = show(&l, "719", NULL, &rc);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "run majority-s43\n"));
	free(text);
	text = show(&l, "9", NULL, &rc);
	assert_int_equal(rc, ERR_INPUT);
	free(text);
	text = show(&l, "719", "nosuch-s1", &rc);
	assert_int_equal(rc, ERR_INPUT);
	free(text);
	ledger_remove(&l);
}

static void G08_a_torn_line_is_left_out_and_of_two_lines_the_last_counts(void **unused)
{
	struct ledger l;
	struct err e = { 0 };
	char *log = NULL, *text;
	size_t n;
	FILE *f = open_memstream(&log, &n);
	int rc;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l);
	append(&l, "samples.jsonl",
	       "{\"run\":\"majority-s42\",\"question_id\":717,\"position\":0,\"db_id\":"
	       "\"x\",\"chosen\":null,\"why\":\"said again\",\"groups\":[]}\n"
	       "{\"run\":\"majority-s42\",\"question_id\":7");
	assert_int_equal(report_dirs((const char *const[]){ l.out }, 1, NULL, f, &e),
			 0);
	fclose(f);
	assert_non_null(strstr(log, "last line is torn"));
	assert_non_null(strstr(log, "1 lines say again"));
	free(log);
	text = show(&l, "717", "majority-s42", &rc);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "said again"));
	assert_null(strstr(text, "group 1"));
	free(text);
	ledger_remove(&l);
}

/* ---- report ---- */

static void A21_directories_of_different_sqlite_are_flagged(void **unused)
{
	struct ledger a, b;
	struct err e = { 0 };
	char *text;

	(void)unused;
	ledger_make(&a, "bird");
	write_all(&a);
	ledger_make(&b, "bird");
	b.facts.sqlite_version = "3.43.0";
	b.facts.sqlite_source_id = "another";
	write_all(&b);
	assert_int_equal(
		report_dirs((const char *const[]){ a.out, b.out }, 2, b.out, NULL, &e),
		0);
	text = ledger_read(&b, "report.md");
	assert_non_null(strstr(text, "NOT COMPARABLE"));
	assert_non_null(strstr(text, "3.43.0"));
	free(text);
	assert_int_equal(
		report_dirs((const char *const[]){ a.out, a.out }, 2, NULL, NULL, &e),
		0);
	text = ledger_read(&a, "report.md");
	assert_null(strstr(text, "NOT COMPARABLE"));
	free(text);
	ledger_remove(&a);
	ledger_remove(&b);
}

static void a_directory_without_results_is_an_error_that_names_it(void **unused)
{
	struct err e = { 0 };

	(void)unused;
	assert_int_equal(
		report_dirs((const char *const[]){ "/nowhere" }, 1, NULL, NULL, &e),
		ERR_INPUT);
	assert_non_null(strstr(e.text, "/nowhere/results.json"));
}

static void the_html_holds_no_script_and_fetches_nothing(void **unused)
{
	struct ledger l;
	char *text;

	(void)unused;
	ledger_make(&l, "bird");
	l.sweep.q[0].text = view_of("<script src=//x>&\"|`");
	write_all(&l);
	text = ledger_read(&l, "report.html");
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "://"));
	assert_non_null(strstr(text, "&lt;script src=//x&gt;&amp;&quot;|`"));
	free(text);
	ledger_remove(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tables_are_the_official_scripts),
		cmocka_unit_test(scores_tell_each_item_of_each_file),
		cmocka_unit_test(C19_a_score_tells_gold_timeouts_and_wrong_rows_apart),
		cmocka_unit_test(D18_predictions_that_are_gold_are_warned_of),
		cmocka_unit_test(a_question_without_a_verdict_is_no_score),
		cmocka_unit_test(G15_a_score_explains_what_it_saw),
		cmocka_unit_test(show_tells_groups_passes_memories_and_scoring),
		cmocka_unit_test(
			G08_a_torn_line_is_left_out_and_of_two_lines_the_last_counts),
		cmocka_unit_test(A21_directories_of_different_sqlite_are_flagged),
		cmocka_unit_test(a_directory_without_results_is_an_error_that_names_it),
		cmocka_unit_test(the_html_holds_no_script_and_fetches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
