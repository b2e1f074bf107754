/* results_write.c - a journal becomes files, and their numbers are what they say */
#include "tests/support/cm.h"

#include "results/write.h"
#include "tests/support/golden.h"
#include "tests/support/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_all(struct ledger *l, struct results **ret)
{
	struct err e = { 0 };

	if (results_write(&l->sweep, l->gold, l->path, l->id, &l->facts, ret, &e) != 0)
		fail_msg("%s", e.text);
}

static json_t *load(const struct ledger *l, const char *name)
{
	char *text = ledger_read(l, name);
	json_t *j = json_loads(text, 0, NULL);

	assert_non_null(j);
	free(text);
	return j;
}

static void golden(const struct ledger *l, const char *file, const char *as)
{
	char *text = ledger_read(l, file);

	golden_check(as, text);
	free(text);
}

static void every_file_is_as_it_was(void **unused)
{
	struct ledger l;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	golden(&l, "results.json", "results/results.json");
	golden(&l, "samples.jsonl", "results/samples.jsonl");
	golden(&l, "calls.jsonl", "results/calls.jsonl");
	golden(&l, "run.json", "results/run.json");
	golden(&l, "report.md", "results/report.md");
	golden(&l, "report.html", "results/report.html");
	golden(&l, "predictions/map-llm-model=qwen-s42/predict_dev.json",
	       "results/predict_dev.json");
	ledger_remove(&l);
}

static void the_same_journal_gives_the_same_bytes(void **unused)
{
	static const char *const file[] = { "results.json", "samples.jsonl",
					    "report.md", "report.html", "calls.jsonl" };
	struct ledger l;
	char *before[5];

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	for (int i = 0; i < 5; i++)
		before[i] = ledger_read(&l, file[i]);
	l.facts.started_ms = 77777;
	l.facts.ended_ms = 99999;
	write_all(&l, NULL);
	for (int i = 0; i < 5; i++) {
		char *after = ledger_read(&l, file[i]);

		assert_string_equal(before[i], after);
		free(before[i]);
		free(after);
	}
	ledger_remove(&l);
}

static json_t *run_named(json_t *results, const char *name)
{
	json_t *r;
	size_t i;

	json_array_foreach (json_object_get(results, "runs"), i, r)
		if (strcmp(json_string_value(json_object_get(r, "run")), name) == 0)
			return r;
	fail_msg("no run %s", name);
	return NULL;
}

static json_int_t whole(json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

static void the_numbers_are_those_counted_on_paper(void **unused)
{
	struct ledger l;
	json_t *j, *map, *majority, *pool, *pair;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	j = load(&l, "results.json");
	majority = run_named(j, "majority-s42");
	map = run_named(j, "map-llm-model=qwen-s42");
	assert_int_equal(whole(majority, "correct"), 2);
	assert_int_equal(whole(map, "correct"), 2);
	assert_int_equal(whole(run_named(j, "map-llm-model=qwen-s43"), "correct"), 1);
	assert_int_equal(whole(run_named(j, "map-llm-model=qwen-s43"), "unfinished"),
			 1);
	assert_true(json_number_value(json_object_get(map, "ex")) == 2.0 / 6);
	assert_true(json_number_value(json_object_get(map, "ex_valid")) == 2.0 / 5);
	assert_int_equal(whole(map, "gold_failed"), 1);
	assert_int_equal(whole(map, "degraded"), 1);
	assert_int_equal(whole(map, "tied"), 1);
	assert_int_equal(whole(map, "overturned"), 4);
	assert_int_equal(whole(map, "overturned_right"), 1);
	assert_int_equal(whole(map, "overturned_wrong"), 1);
	assert_int_equal(whole(majority, "overturned"), 0);
	assert_true(json_number_value(json_object_get(map, "passes")) == 4.0);
	assert_int_equal(whole(json_object_get(map, "usage"), "asks"), 20);
	assert_int_equal(whole(json_object_get(map, "usage"), "calls"), 19);
	assert_int_equal(whole(json_object_get(map, "usage"), "shared_calls"), 14);
	pool = json_array_get(json_object_get(j, "pools"), 0);
	assert_true(json_number_value(json_object_get(pool, "oracle")) == 4.0 / 6);
	assert_true(json_number_value(json_object_get(pool, "adversary")) == 1.0 / 6);
	assert_int_equal(whole(pool, "single_group"), 1);
	pair = json_array_get(json_object_get(j, "comparisons"), 0);
	assert_int_equal(whole(pair, "questions"), 12);
	assert_int_equal(whole(pair, "b10"), 2); /* question 719, both seeds */
	assert_int_equal(whole(pair, "b01"), 3); /* 717 twice, 722 unfinished */
	assert_true(json_number_value(json_object_get(pair, "mcnemar_p")) == 1.0);
	json_decref(j);
	ledger_remove(&l);
}

struct sums {
	json_int_t calls, prompt, completion, cached, asks;
	double cost;
};

/* Lines of a JSONL file whose run (or runs) hold `run`. */
static struct sums sum_lines(const struct ledger *l, const char *file, const char *run)
{
	struct sums s = { 0 };
	char *text = ledger_read(l, file), *at = text, *line;

	while ((line = strsep(&at, "\n")) && *line) {
		json_t *j = json_loads(line, 0, NULL), *u = json_object_get(j, "usage"),
		       *x;
		int mine = 0, samples = json_object_get(j, "run") != NULL;
		size_t i;

		assert_non_null(j);
		if (samples)
			mine = strcmp(json_string_value(json_object_get(j, "run")),
				      run) == 0;
		json_array_foreach (json_object_get(j, "runs"), i, x)
			mine |= strcmp(json_string_value(x), run) == 0;
		if (!samples)
			mine &= json_is_true(json_object_get(j, "useful"));
		if (mine) {
			s.calls += samples ? whole(u, "calls") : 1;
			s.asks += json_integer_value(json_object_get(u, "asks"));
			s.prompt += whole(u, "prompt_tokens");
			s.completion += whole(u, "completion_tokens");
			s.cached +=
				json_integer_value(json_object_get(u, "cached_tokens"));
			s.cost += json_number_value(json_object_get(u, "cost"));
		}
		json_decref(j);
	}
	free(text);
	return s;
}

static void a_runs_usage_is_the_sum_of_its_samples_and_of_its_useful_calls(
	void **unused)
{
	struct ledger l;
	json_t *j;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	j = load(&l, "results.json");
	for (uint32_t r = 0; r < l.sweep.nrun; r++) {
		const char *run = l.sweep.run[r].name;
		json_t *u = json_object_get(run_named(j, run), "usage");
		struct sums s = sum_lines(&l, "samples.jsonl", run),
			    c = sum_lines(&l, "calls.jsonl", run);

		assert_int_equal(s.asks, whole(u, "asks"));
		assert_int_equal(s.calls, whole(u, "calls"));
		assert_int_equal(s.prompt, whole(u, "prompt_tokens"));
		assert_int_equal(s.completion, whole(u, "completion_tokens"));
		assert_int_equal(s.cached, whole(u, "cached_tokens"));
		assert_int_equal(c.calls, whole(u, "calls"));
		assert_int_equal(c.prompt, whole(u, "prompt_tokens"));
		assert_int_equal(c.completion, whole(u, "completion_tokens"));
		assert_int_equal(c.cached, whole(u, "cached_tokens"));
		assert_true(fabs(s.cost - json_number_value(
						  json_object_get(u, "cost"))) < 1e-12);
		assert_true(fabs(c.cost - s.cost) < 1e-12);
	}
	json_decref(j);
	ledger_remove(&l);
}

static void G14_all_attempts_are_listed_and_only_answered_ones_counted(void **unused)
{
	struct ledger l;
	char *text;
	int lines = 0, useful = 0;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	text = ledger_read(&l, "calls.jsonl");
	for (char *at = text, *line; (line = strsep(&at, "\n")) && *line;) {
		json_t *j = json_loads(line, 0, NULL);
		char first[HASH_HEX + 1];
		uint32_t number = 0;
		struct hash h = hash_of(&number, sizeof number);

		hash_hex(&h, first);
		if (strcmp(json_string_value(json_object_get(j, "task")), first) == 0) {
			lines++; /* 500, 429, 200 */
			useful += json_is_true(json_object_get(j, "useful"));
		}
		json_decref(j);
	}
	assert_int_equal(lines, 3);
	assert_int_equal(useful, 1);
	free(text);
	ledger_remove(&l);
}

static void spent_is_the_last_commands_and_the_total_the_directorys(void **unused)
{
	struct ledger l;
	json_t *j;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	j = load(&l, "run.json");
	assert_int_equal(whole(json_object_get(j, "spent"), "tasks"), 7);
	assert_int_equal(whole(json_object_get(j, "spent_total"), "tasks"), 17);
	assert_true(json_number_value(json_object_get(json_object_get(j, "spent_total"),
						      "cost")) == 0.75);
	json_decref(j);
	ledger_remove(&l);
}

static void without_gold_there_are_choices_and_no_verdicts(void **unused)
{
	struct ledger l;
	json_t *j;

	(void)unused;
	ledger_make(&l, "plain");
	gold_free(&l.gold);
	write_all(&l, NULL);
	j = load(&l, "results.json");
	assert_true(json_is_null(json_object_get(run_named(j, "majority-s42"), "ex")));
	assert_int_equal(json_array_size(json_object_get(j, "comparisons")), 0);
	assert_int_equal(whole(json_object_get(j, "statuses"), "error"), 3);
	json_decref(j);
	golden(&l, "predictions/majority-s42/predictions.jsonl",
	       "results/predictions.jsonl");
	ledger_remove(&l);
}

static void a_spider_prediction_is_one_line_and_never_blank(void **unused)
{
	struct ledger l;
	char *text;
	int lines = 0;

	(void)unused;
	ledger_make(&l, "spider");
	write_all(&l, NULL);
	text = ledger_read(&l, "predictions/map-llm-model=qwen-s43/pred.sql");
	golden_check("results/pred.sql", text);
	for (char *at = text, *line; (line = strsep(&at, "\n")) && at; lines++)
		assert_true(*line && !strchr(line, '\t'));
	assert_int_equal(lines, LEDGER_QUESTIONS);
	free(text);
	ledger_remove(&l);
}

static void an_ehrsql_prediction_maps_ids_to_sql(void **unused)
{
	struct ledger l;

	(void)unused;
	ledger_make(&l, "ehrsql");
	write_all(&l, NULL);
	golden(&l, "predictions/map-llm-model=qwen-s43/prediction.json",
	       "results/prediction.json");
	ledger_remove(&l);
}

static void the_table_fits_100_columns(void **unused)
{
	struct ledger l;
	struct results *r = NULL;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)unused;
	ledger_make(&l, "bird");
	l.sweep.run[3].name = "map-k8-n16-llm-model=a_very_long_name_of_a_model-s43";
	write_all(&l, &r);
	results_table(f, r);
	fclose(f);
	golden_check("results/table.txt", text);
	for (char *at = text, *line; (line = strsep(&at, "\n"));)
		assert_true(strlen(line) <= 100);
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

static void names_that_look_alike_in_34_columns_are_told_whole(void **unused)
{
	struct ledger l;
	struct results *r = NULL;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)unused;
	ledger_make(&l, "bird");
	l.sweep.run[2].name = "pointwise-n12-llm-aggregate=mean-model=m-s42";
	l.sweep.run[3].name = "pointwise-n12-llm-aggregate=lse-model=m-s42";
	write_all(&l, &r);
	results_table(f, r);
	fclose(f);
	assert_non_null(
		strstr(text, "\npointwise-n12-llm-aggregate=mean-model=m-s42\n "));
	assert_non_null(
		strstr(text, "\npointwise-n12-llm-aggregate=lse-model=m-s42\n "));
	free(text);
	results_free(&r);
	ledger_remove(&l);
}

static void unsound_questions_are_those_that_failed_were_degraded_or_unfinished(
	void **unused)
{
	struct ledger l;
	struct results *r = NULL;
	uint64_t all;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, &r);
	assert_int_equal(results_unsound(r, &all), 3);
	assert_int_equal(all, 24);
	results_free(&r);
	ledger_remove(&l);
}

static void a_place_that_cannot_be_written_is_an_error_that_names_it(void **unused)
{
	struct ledger l;
	struct err e = { 0 };
	char file[128];
	int fd;

	(void)unused;
	ledger_make(&l, "bird");
	snprintf(file, sizeof file, "%s/file", l.dir);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	close(fd);
	l.sweep.output_dir = file; /* a file where a folder must be */
	assert_int_equal(
		results_write(&l.sweep, l.gold, l.path, l.id, &l.facts, NULL, &e),
		ERR_STORE);
	assert_non_null(strstr(e.text, file));
	assert_int_equal(err_exit(e.code), 5);
	ledger_remove(&l);
}

static void a_full_disk_leaves_what_was_there(void **unused)
{
	struct ledger l;
	struct err e = { 0 };
	char *before, *after, part[160];

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	before = ledger_read(&l, "results.json");
	snprintf(part, sizeof part, "%s/samples.jsonl.part", l.out);
	assert_int_equal(symlink("/dev/full", part), 0);
	assert_int_equal(
		results_write(&l.sweep, l.gold, l.path, l.id, &l.facts, NULL, &e),
		ERR_STORE);
	assert_non_null(strstr(e.text, "samples.jsonl"));
	after = ledger_read(&l, "results.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
	ledger_remove(&l);
}

static void a_newer_or_missing_journal_is_refused(void **unused)
{
	struct ledger l;
	struct err e = { 0 };

	(void)unused;
	ledger_make(&l, "bird");
	assert_int_equal(results_write(&l.sweep, l.gold, "/nowhere/j.db", l.id,
				       &l.facts, NULL, &e),
			 ERR_STORE);
	assert_int_equal(
		results_write(&l.sweep, l.gold, l.path, 99, &l.facts, NULL, &e),
		ERR_STORE);
	assert_non_null(strstr(e.text, "no sweep 99"));
	sqlite3_exec(l.db, "PRAGMA user_version=2", NULL, NULL, NULL);
	assert_int_equal(
		results_write(&l.sweep, l.gold, l.path, l.id, &l.facts, NULL, &e),
		ERR_STORE);
	assert_non_null(strstr(e.text, "version 2"));
	ledger_remove(&l);
}

static void a_broken_record_is_named(void **unused)
{
	struct ledger l;
	struct err e = { 0 };

	(void)unused;
	ledger_make(&l, "bird");
	sqlite3_exec(l.db,
		     "INSERT INTO choice(sweep,run,position,body) "
		     "VALUES(2,'majority-s42',3,x'ff')",
		     NULL, NULL, NULL);
	assert_int_equal(
		results_write(&l.sweep, l.gold, l.path, l.id, &l.facts, NULL, &e),
		ERR_STORE);
	assert_non_null(strstr(e.text, "majority-s42"));
	assert_non_null(strstr(e.text, "position 3"));
	ledger_remove(&l);
}

static void failures_do_not_depend_on_the_order_of_candidates(void **unused)
{
	struct candidate c[3] = { { .sql = view_of("a") },
				  { .sql = view_of("b") },
				  { .sql = view_of("c") } };
	const struct view note[3] = { view_of("no such table: x"), view_of("steps"),
				      view_of("near \"x\": syntax error") };
	const enum status status[3] = { STATUS_error, STATUS_timeout, STATUS_error };
	struct question q = { .id = view_of("1"), .cand = c, .n = 3 };
	struct sweep s = { .name = "x", .benchmark = "bird", .q = &q, .nq = 1 };
	struct buf b[2] = { { 0 }, { 0 } };

	(void)unused;
	for (uint32_t k = 0; k < 2; k++) {
		struct tally *t = NULL;

		assert_int_equal(tally_new(&s, NULL, &t), 0);
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t j = k ? 2 - i : i;

			tally_candidate(t, &q, i, status[j], note[j], -1);
		}
		assert_int_equal(tally_finish(t), 0);
		write_results(&b[k], t);
		tally_free(&t);
	}
	assert_string_equal(b[0].p, b[1].p);
	assert_non_null(strstr(b[0].p, "\"class\": \"no such table\""));
	buf_free(&b[0]);
	buf_free(&b[1]);
}

static void F15_the_report_tells_malformed_rankings(void **unused)
{
	struct ledger l;
	char *text;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	text = ledger_read(&l, "report.md");
	assert_non_null(strstr(text, "## Rankings as read"));
	assert_non_null(strstr(text, "| map-llm-model=qwen-s42 | 3 | 0 | 5 |"));
	free(text);
	ledger_remove(&l);
}

static void B10_the_report_tells_errors_by_class(void **unused)
{
	struct ledger l;
	char *text;

	(void)unused;
	ledger_make(&l, "bird");
	write_all(&l, NULL);
	text = ledger_read(&l, "report.md");
	assert_non_null(strstr(text, "| no such column | error | 3 | 10.00 %"));
	free(text);
	ledger_remove(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_is_as_it_was),
		cmocka_unit_test(the_same_journal_gives_the_same_bytes),
		cmocka_unit_test(the_numbers_are_those_counted_on_paper),
		cmocka_unit_test(
			a_runs_usage_is_the_sum_of_its_samples_and_of_its_useful_calls),
		cmocka_unit_test(
			G14_all_attempts_are_listed_and_only_answered_ones_counted),
		cmocka_unit_test(
			spent_is_the_last_commands_and_the_total_the_directorys),
		cmocka_unit_test(without_gold_there_are_choices_and_no_verdicts),
		cmocka_unit_test(a_spider_prediction_is_one_line_and_never_blank),
		cmocka_unit_test(an_ehrsql_prediction_maps_ids_to_sql),
		cmocka_unit_test(the_table_fits_100_columns),
		cmocka_unit_test(names_that_look_alike_in_34_columns_are_told_whole),
		cmocka_unit_test(
			unsound_questions_are_those_that_failed_were_degraded_or_unfinished),
		cmocka_unit_test(
			a_place_that_cannot_be_written_is_an_error_that_names_it),
		cmocka_unit_test(a_full_disk_leaves_what_was_there),
		cmocka_unit_test(a_newer_or_missing_journal_is_refused),
		cmocka_unit_test(a_broken_record_is_named),
		cmocka_unit_test(failures_do_not_depend_on_the_order_of_candidates),
		cmocka_unit_test(F15_the_report_tells_malformed_rankings),
		cmocka_unit_test(B10_the_report_tells_errors_by_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
