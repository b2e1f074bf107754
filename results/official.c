/* official.c - the tables that the official scripts print, character for character
 *
 * BIRD mini_dev's print_data, the test-suite's print_scores,
 * ehrsql-2024's dict and EHRSQL v1's JSON.
 * Where they would divide by zero (a level without an item) a dash stands.
 */
#include "results/handle.h"
#include "results/jsonw.h"
#include "results/write.h"

#include <stdlib.h>
#include <string.h>

void official_head(FILE *to, const char *const *level, int n)
{
	fprintf(to, "%-20s", "");
	for (int i = 0; i < n; i++)
		fprintf(to, " %-20s", level[i]);
	fputc('\n', to);
}

/* The share at that level; all of them for the last column. */
static struct share at(const struct tally *t, const struct score_tally *f,
		       const char *level, int last)
{
	struct share all = { t->sweep->nq, f->correct };

	if (last)
		return all;
	for (uint32_t i = 0; i < t->nlevel; i++)
		if (view_eq(t->level[i].name, view_of(level)))
			return f->level[i];
	return (struct share){ 0 };
}

static void counts(FILE *to, const struct tally *t, const struct score_tally *f,
		   const char *const *level, int n)
{
	fprintf(to, "%-20s", "count");
	for (int i = 0; i < n; i++)
		fprintf(to, " %-20u", at(t, f, level[i], i == n - 1).n);
	fputc('\n', to);
}

static void rates(FILE *to, const struct tally *t, const struct score_tally *f,
		  const char *const *level, int n, const char *name, int digits,
		  double scale)
{
	fprintf(to, "%-20s", name);
	for (int i = 0; i < n; i++) {
		struct share x = at(t, f, level[i], i == n - 1);

		if (x.n)
			fprintf(to, " %-20.*f", digits, (double)x.right / x.n * scale);
		else
			fprintf(to, " %-20s", "-");
	}
	fputc('\n', to);
}

static double f1_at(const struct tally *t, const struct score_tally *f,
		    const char *level, int last)
{
	if (last)
		return f->soft_f1;
	for (uint32_t i = 0; i < t->nlevel; i++)
		if (view_eq(t->level[i].name, view_of(level)))
			return f->level_f1[i];
	return 0;
}

static void soft_f1(FILE *to, const struct tally *t, const struct score_tally *f,
		    const char *const *level, int n)
{
	fprintf(to, "%-20s", "Soft-F1");
	for (int i = 0; i < n; i++) {
		uint32_t of = at(t, f, level[i], i == n - 1).n;

		if (of)
			fprintf(to, " %-20.2f",
				f1_at(t, f, level[i], i == n - 1) / of * 100);
		else
			fprintf(to, " %-20s", "-");
	}
	fputc('\n', to);
}

static void bird(FILE *to, const struct tally *t, const struct score_tally *f)
{
	static const char *const level[] = { "simple", "moderate", "challenging",
					     "total" };

	official_head(to, level, 4);
	counts(to, t, f, level, 4);
	fputs("======================================    EX    "
	      "=====================================\n",
	      to);
	rates(to, t, f, level, 4, "EX", 2, 100);
	fputs("======================================    Soft-F1    "
	      "=====================================\n",
	      to);
	soft_f1(to, t, f, level, 4);
}

static void spider(FILE *to, const struct tally *t, const struct score_tally *f)
{
	static const char *const level[] = { "easy", "medium", "hard", "extra", "all" };

	official_head(to, level, 5);
	counts(to, t, f, level, 5);
	fputs("=====================   EXECUTION ACCURACY     "
	      "=====================\n",
	      to);
	rates(to, t, f, level, 5, "execution", 3, 1);
}

/* Python's dict; in a file JSON. */
static void ehrsql(FILE *to, const struct tally *t, const struct score_tally *f,
		   char quote)
{
	static const char *const name[] = { "accuracy0", "accuracy5", "accuracy10",
					    "accuracyN" };
	const double penalty[] = { 0, 5, 10, t->sweep->nq };
	char text[NUM_TEXT];

	for (int i = 0; i < 4; i++) {
		num_text(reliability_score(&f->rs, penalty[i]), text);
		fprintf(to, "%s%c%s%c: %s", i ? ", " : "{", quote, name[i], quote,
			text);
	}
	fputs("}\n", to);
}

/* round(100.0 * x, 2) as Python prints it. */
static void percent(double x, char ret[NUM_TEXT])
{
	char two[64];

	snprintf(two, sizeof two, "%.2f", 100.0 * x);
	num_text(strtod(two, NULL), ret);
}

static void ehrsql_v1(FILE *to, const struct score_tally *f)
{
	struct rates ans = replies_ans(&f->replies), exec = replies_exec(&f->replies);
	const struct {
		const char *name;
		double value;
	} line[] = { { "precision_ans", ans.precision },
		     { "recall_ans", ans.recall },
		     { "f1_ans", ans.f1 },
		     { "precision_exec", exec.precision },
		     { "recall_exec", exec.recall },
		     { "f1_exec", exec.f1 } };
	const size_t n = sizeof line / sizeof *line;
	char text[NUM_TEXT];

	fputs("{\n", to);
	for (size_t i = 0; i < n; i++) {
		percent(line[i].value, text);
		fprintf(to, "  \"%s\": %s%s\n", line[i].name, text,
			i + 1 < n ? "," : "");
	}
	fputs("}\n", to);
}

static void plain(FILE *to, const struct tally *t, const struct score_tally *f)
{
	fprintf(to, "%-20s %-20s %-20s\n", "", "count", "ex");
	for (uint32_t i = 0; i < t->nlevel; i++)
		fprintf(to, "%-20.*s %-20u %-20.4f\n", (int)t->level[i].name.n,
			t->level[i].name.p, f->level[i].n,
			f->level[i].n ? (double)f->level[i].right / f->level[i].n : 0);
	fprintf(to, "%-20s %-20u %-20.4f\n", "all", t->sweep->nq,
		t->sweep->nq ? (double)f->correct / t->sweep->nq : 0);
}

static const char *file_name(const struct score_tally *f)
{
	return f->source && f->source[0] ? f->source : f->file;
}

static void official(FILE *to, const struct tally *t, const struct score_tally *f,
		     char quote)
{
	switch (t->sweep->rule) {
	case RULE_bird: bird(to, t, f); break;
	case RULE_spider: spider(to, t, f); break;
	case RULE_ehrsql: ehrsql(to, t, f, quote); break;
	case RULE_ehrsql_v1: ehrsql_v1(to, f); break;
	default: plain(to, t, f);
	}
}

void score_official(FILE *to, const struct results *r, int as_file)
{
	for (uint32_t i = 0; i < r->nscore; i++)
		official(to, r->tally, &r->score[i], as_file ? '"' : '\'');
}

void score_table(FILE *to, const struct results *r)
{
	const struct tally *t = r->tally;

	for (uint32_t i = 0; i < r->nscore; i++) {
		const struct score_tally *f = &r->score[i];

		fprintf(to, "%s%s: %u of %u right (rule %s), strict %u\n",
			i ? "\n" : "", file_name(f), f->correct, t->sweep->nq,
			rule_name(t->sweep->rule), f->strict);
		if (t->sweep->float_tol > 0)
			fprintf(to,
				"numbers within %g are equal: not the official rule\n",
				t->sweep->float_tol);
		official(to, t, f, '\'');
	}
	if (t->gold_failed)
		fprintf(to, "\ngold of %u questions fails: scores.jsonl names them\n",
			t->gold_failed);
}

/* Somebody gave gold for a prediction. */
void score_warnings(FILE *log, const struct results *r)
{
	for (uint32_t i = 0; i < r->nscore; i++)
		if (r->score[i].same * 100 > (uint64_t)r->tally->sweep->nq * 99)
			fprintf(log,
				"warning: %s: predictions look like gold (%u of %u are "
				"the same text)\n",
				file_name(&r->score[i]), r->score[i].same,
				r->tally->sweep->nq);
}
