/* show.c - verb show: one question of a finished directory, from samples.jsonl alone */
#include "results/results.h"

#include "common/base/mem.h"
#include "results/samples.h"

#include <string.h>

struct asked {
	FILE *to;
	const char *id, *run;
	uint32_t shown, question_seen;
};

/* As typed (717, x) or as JSON text ("x"). */
static int is_id(json_t *id, const char *typed)
{
	char *text = json_dumps(id, JSON_ENCODE_ANY);
	int same = text &&
		   (strcmp(text, typed) == 0 ||
		    (json_is_string(id) && strcmp(json_string_value(id), typed) == 0));

	mem_free(text);
	return same;
}

static void print_list(FILE *to, json_t *list)
{
	char *s = json_dumps(list,
			     JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));

	fputs(s ? s : "?", to);
	mem_free(s);
}

/* The evidence judge's score, and what it was made of. */
static void print_points(FILE *to, json_t *g)
{
	const char *name;
	json_t *v;

	if (!json_is_number(json_object_get(g, "score")))
		return;
	fprintf(to, ", score %.3f (", sample_number(g, "score", 0));
	json_object_foreach (json_object_get(g, "points"), name, v)
		fprintf(to, "%s %+.3f ", name, json_number_value(v));
	fputs("and bonus)", to);
}

static void print_group(FILE *to, json_t *g, size_t i, json_t *mine, json_t *majority)
{
	fprintf(to, "  group %zu: %.0f candidates ", i + 1,
		sample_number(g, "size", 0));
	print_list(to, json_object_get(g, "members"));
	fprintf(to, ", %s", sample_text(g, "status"));
	if (*sample_text(g, "note"))
		fprintf(to, " (%s)", sample_text(g, "note"));
	fprintf(to, ", %.0f rows, %.0f columns", sample_number(g, "rows", 0),
		sample_number(g, "columns", 0));
	if (json_is_number(json_object_get(g, "mean_rank")))
		fprintf(to, ", mean rank %.3f", sample_number(g, "mean_rank", 0));
	if (json_is_number(json_object_get(g, "right")))
		fprintf(to, ", %.0f right", sample_number(g, "right", 0));
	print_points(to, g);
	fprintf(to, "%s%s\n    %s\n", g == mine ? "  <- chosen" : "",
		g == majority ? "  <- majority" : "", sample_text(g, "sql"));
}

static void print_passes(FILE *to, json_t *passes)
{
	json_t *p;
	size_t i;

	json_array_foreach (passes, i, p) {
		fprintf(to, "  pass %zu: ", i + 1);
		if (json_is_null(p))
			fputs("void", to);
		else
			print_list(to, p);
		fputc('\n', to);
	}
}

static void print_scoring(FILE *to, json_t *x)
{
	json_t *s = json_object_get(x, "scoring"),
	       *correct = json_object_get(x, "correct");

	if (!json_is_object(s)) {
		fputs("  scoring: none, no gold was given\n", to);
		return;
	}
	fprintf(to, "  scoring: %s; under rule plain %s; its query: %s%s%s\n",
		json_is_true(correct) ? "right" : "wrong",
		json_is_true(json_object_get(s, "strict")) ? "right" : "wrong",
		sample_text(s, "status"), *sample_text(s, "note") ? ", " : "",
		sample_text(s, "note"));
	fprintf(to, "  gold: %s, %.0f rows%s%s\n    %s\n",
		sample_text(s, "gold_status"), sample_number(s, "gold_rows", 0),
		*sample_text(s, "gold_note") ? ", " : "", sample_text(s, "gold_note"),
		sample_text(s, "gold"));
}

static void print_choice(FILE *to, json_t *x)
{
	json_t *tie = json_object_get(x, "tie_break"), *v;
	size_t i;

	fputs("  chosen: ", to);
	print_list(to, json_object_get(x, "chosen"));
	fprintf(to, ", %s", sample_text(x, "why"));
	if (json_is_number(json_object_get(x, "confidence")))
		fprintf(to, ", confidence %.4f", sample_number(x, "confidence", 0));
	if (json_is_number(json_object_get(x, "probability")))
		fprintf(to, ", P(right) %.4f", sample_number(x, "probability", 0));
	fputc('\n', to);
	if (json_is_object(tie)) {
		fprintf(to, "  tie-break: candidates %.0f and %.0f, scores ",
			sample_number(tie, "a", 0), sample_number(tie, "b", 0));
		print_list(to, json_object_get(tie, "scores"));
		fputc('\n', to);
	}
	json_array_foreach (json_object_get(x, "notes"), i, v)
		fprintf(to, "  note: %s\n", json_string_value(v));
}

static void print_sample(FILE *to, json_t *x)
{
	json_t *mine = sample_chosen_group(x), *m = sample_majority_group(x), *g, *u;
	size_t i;

	fprintf(to, "run %s\n", sample_text(x, "run"));
	json_array_foreach (json_object_get(x, "groups"), i, g)
		print_group(to, g, i, mine, m);
	print_passes(to, json_object_get(x, "passes"));
	if (json_array_size(json_object_get(x, "memories"))) {
		fputs("  memories: ", to);
		print_list(to, json_object_get(x, "memories"));
		fputc('\n', to);
	}
	print_choice(to, x);
	u = json_object_get(x, "usage");
	fprintf(to, "  cost: %.0f asks, %.0f calls, %.0f + %.0f tokens\n",
		sample_number(u, "asks", 0), sample_number(u, "calls", 0),
		sample_number(u, "prompt_tokens", 0),
		sample_number(u, "completion_tokens", 0));
	print_scoring(to, x);
}

static int visit(void *arg, json_t *x, struct err *e)
{
	struct asked *a = arg;

	(void)e;
	if (!is_id(json_object_get(x, "question_id"), a->id))
		return 0;
	a->question_seen = 1;
	if (a->run && strcmp(a->run, sample_text(x, "run")) != 0)
		return 0;
	if (!a->shown++)
		fprintf(a->to, "question %s (%s, line %.0f): %s\n\n", a->id,
			sample_text(x, "db_id"), sample_number(x, "position", -1) + 1,
			sample_text(x, "question"));
	else
		fputc('\n', a->to);
	print_sample(a->to, x);
	return 0;
}

int show_question(FILE *to, const char *dir, const char *question_id, const char *run,
		  FILE *log, struct err *e)
{
	struct asked a = { .to = to, .id = question_id, .run = run };
	int rc = samples_each(dir, log, visit, &a, NULL, e);

	if (rc)
		return rc;
	if (!a.question_seen)
		return err_set(e, ERR_INPUT, "%s/samples.jsonl has no question %s", dir,
			       question_id);
	if (!a.shown)
		return err_set(e, ERR_INPUT,
			       "question %s has no run %s; results.json names the runs",
			       question_id, run);
	return 0;
}
