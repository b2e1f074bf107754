/* results_official.c - of the same verdicts, the official scripts' own lines
 *
 * The verdicts are those the official scripts gave (../shared/data), so only counting
 * and printing are under test here.
 */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "results/handle.h"
#include "tests/support/skip.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	const char *name;
	const char *level; /* gold's key */
	json_t *gold, *verdicts, *totals;
	struct sweep sweep;
	struct question *q;
	struct gold gold_of;
	struct tally *tally;
};

static json_t *lines(const char *path)
{
	json_t *list = json_array();
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	while (getline(&line, &cap, f) > 0)
		json_array_append_new(list, json_loads(line, 0, NULL));
	free(line);
	fclose(f);
	return list;
}

static const char *text(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void open_bench(struct bench *b, const char *name, const char *level,
		       enum rule rule)
{
	char path[128];
	json_t *g;
	size_t i;

	*b = (struct bench){ .name = name, .level = level };
	snprintf(path, sizeof path, "%s/gold.jsonl", name);
	b->gold = lines(shared_data(path));
	snprintf(path, sizeof path, "%s/official_verdicts.jsonl", name);
	b->verdicts = lines(shared_data(path));
	b->totals = json_load_file(shared_data("official_totals.json"), 0, NULL);
	b->sweep.rule = rule;
	b->sweep.benchmark = name;
	b->sweep.nq = (uint32_t)json_array_size(b->gold);
	b->q = mem_alloc(b->sweep.nq, sizeof *b->q);
	b->sweep.q = b->q;
	b->gold_of.item = mem_alloc(b->sweep.nq, sizeof *b->gold_of.item);
	b->gold_of.n = b->sweep.nq;
	json_array_foreach (b->gold, i, g)
		b->gold_of.item[i].level = view_of(level ? text(g, level) : "");
	assert_int_equal(tally_new(&b->sweep, &b->gold_of, &b->tally), 0);
}

static void close_bench(struct bench *b)
{
	tally_free(&b->tally);
	mem_free(b->q);
	mem_free(b->gold_of.item);
	json_decref(b->gold);
	json_decref(b->verdicts);
	json_decref(b->totals);
}

/* Counts a system's official verdicts. */
static void count(struct bench *b, const char *source, const char *key,
		  struct score_tally *f)
{
	json_t *v;
	size_t i;
	uint32_t q = 0;

	json_array_foreach (b->verdicts, i, v) {
		uint32_t level;
		int right = (int)json_integer_value(json_object_get(v, key));

		if (strcmp(text(v, "source"), source) != 0)
			continue;
		level = b->tally->level_of[q++];
		f->correct += right > 0;
		f->soft_f1 += json_number_value(json_object_get(v, "soft_f1"));
		if (level < b->tally->nlevel)
			f->level_f1[level] +=
				json_number_value(json_object_get(v, "soft_f1"));
		if (level < b->tally->nlevel) {
			f->level[level].n++;
			f->level[level].right += right > 0;
		}
		switch (json_integer_value(json_object_get(v, "rs0"))) {
		case 1: f->rs.good++; break;
		default:
			if (json_integer_value(json_object_get(v, "rs5")) < 0)
				f->rs.bad++;
			else
				f->rs.abstained++;
		}
	}
	assert_int_equal(q, b->sweep.nq);
}

static char *printed(struct bench *b, const char *source, const char *key)
{
	struct share level[8] = { 0 };
	double level_f1[8] = { 0 };
	struct score_tally f = {
		.source = source, .file = source, .level = level, .level_f1 = level_f1
	};
	struct results r = { .tally = b->tally, .score = &f, .nscore = 1 };
	char *out = NULL;
	size_t n;
	FILE *to = open_memstream(&out, &n);

	count(b, source, key, &f);
	score_table(to, &r);
	fclose(to);
	return out;
}

static unsigned same_lines(struct bench *b, const char *part, const char *key)
{
	json_t *totals = json_object_get(b->totals, b->name), *t, *line;
	const char *source;
	unsigned checked = 0;
	size_t i;

	json_object_foreach (totals, source, t) {
		char *out = printed(b, source, key);

		json_array_foreach (
			json_object_get(json_object_get(t, part), "printed"), i, line) {
			if (!strstr(out, json_string_value(line)))
				fail_msg("%s %s: no line '%s' in\n%s", b->name, source,
					 json_string_value(line), out);
			checked++;
		}
		free(out);
	}
	return checked;
}

static void birds_lines_are_the_official_ones(void **unused)
{
	struct bench b;

	(void)unused;
	NEEDS_SHARED(shared_data("official_totals.json"));
	open_bench(&b, "bird", "difficulty", RULE_bird);
	assert_true(same_lines(&b, "ex", "ex") >= 4 * 28);
	assert_true(same_lines(&b, "soft_f1", "ex") >= 4 * 28);
	close_bench(&b);
}

static void spiders_lines_are_the_official_ones_in_both_modes(void **unused)
{
	struct bench b;

	(void)unused;
	NEEDS_SHARED(shared_data("official_totals.json"));
	open_bench(&b, "spider", "hardness", RULE_spider);
	assert_true(same_lines(&b, "ex", "ex") >= 4 * 23);
	assert_true(same_lines(&b, "ex_keep_distinct", "ex_keep_distinct") >= 4 * 23);
	close_bench(&b);
}

static void ehrsqls_numbers_are_the_official_ones(void **unused)
{
	struct bench b;
	const char *source, *name;
	json_t *t, *v;
	char want[80];
	unsigned checked = 0;

	(void)unused;
	NEEDS_SHARED(shared_data("official_totals.json"));
	open_bench(&b, "ehrsql", NULL, RULE_ehrsql);
	json_object_foreach (json_object_get(b.totals, "ehrsql"), source, t) {
		char *out = printed(&b, source, "ex");

		json_object_foreach (json_object_get(t, "scores2024"), name, v) {
			char number[NUM_TEXT];

			num_text(json_number_value(v), number);
			snprintf(want, sizeof want, "'%s': %s", name, number);
			if (!strstr(out, want))
				fail_msg("%s: no %s in %s", source, want, out);
			checked++;
		}
		free(out);
	}
	assert_true(checked >= 4 * 24);
	close_bench(&b);
}

static void count_answers(struct bench *b, const char *source, struct replies *a)
{
	json_t *v;
	size_t i;

	json_array_foreach (b->verdicts, i, v)
		if (strcmp(text(v, "source"), source) == 0)
			replies_add(a,
				    !json_is_true(json_object_get(v, "v1_pred_null")),
				    !json_is_true(json_object_get(v, "v1_real_null")),
				    (int)json_integer_value(
					    json_object_get(v, "v1_equal")));
}

static void the_first_ehrsqls_lines_are_the_official_ones(void **unused)
{
	struct bench b;
	const char *source;
	json_t *t, *line;
	unsigned checked = 0;
	size_t i;

	(void)unused;
	NEEDS_SHARED(shared_data("official_totals.json"));
	open_bench(&b, "ehrsql", NULL, RULE_ehrsql_v1);
	json_object_foreach (json_object_get(b.totals, "ehrsql"), source, t) {
		json_t *v1 = json_object_get(t, "v1_recomputed");
		struct score_tally f = { .source = source, .file = source };
		struct results r = { .tally = b.tally, .score = &f, .nscore = 1 };
		char *out = NULL, want[80], number[NUM_TEXT];
		const char *name;
		size_t n;
		FILE *to = open_memstream(&out, &n);

		count_answers(&b, source, &f.replies);
		score_table(to, &r);
		fclose(to);
		json_object_foreach (v1, name, line) {
			num_text(json_number_value(line), number);
			snprintf(want, sizeof want, "  \"%s\": %s", name, number);
			if (!strstr(out, want))
				fail_msg("%s: no %s in %s", source, want, out);
			checked++;
		}
		json_array_foreach (
			json_object_get(
				json_object_get(json_object_get(t, "cli"), "ehr_v1"),
				"printed"),
			i, line)
			assert_non_null(strstr(out, json_string_value(line)));
		free(out);
	}
	assert_true(checked >= 6 * 24);
	close_bench(&b);
}

/* RS(0) is plain accuracy with abstention; RS(N) makes one error cost them all. */
static void reliability_takes_a_penalty_for_each_error(void **unused)
{
	static const struct reliability r = { 6, 1, 3 };

	(void)unused;
	assert_true(reliability_score(&r, 0) == 60);
	assert_true(reliability_score(&r, 5) == -90);
	assert_true(reliability_score(&r, 10) == -240);
	assert_true(reliability_score(&(struct reliability){ 9, 0, 1 }, 10) == -10);
	assert_true(reliability_score(&(struct reliability){ 0, 0, 0 }, 5) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(birds_lines_are_the_official_ones),
		cmocka_unit_test(spiders_lines_are_the_official_ones_in_both_modes),
		cmocka_unit_test(ehrsqls_numbers_are_the_official_ones),
		cmocka_unit_test(the_first_ehrsqls_lines_are_the_official_ones),
		cmocka_unit_test(reliability_takes_a_penalty_for_each_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
