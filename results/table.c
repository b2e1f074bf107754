/* table.c - the final table on a terminal: at most 100 columns, whatever a run's name
 */
#include "results/handle.h"

#include <string.h>

enum { NAME = 34 };

/* The name in NAME columns; of a longer one its beginning, and its end with the seed.
 */
static void shorten(const char *name, char ret[static NAME + 1])
{
	size_t n = strlen(name);

	if (n <= NAME)
		snprintf(ret, NAME + 1, "%s", name);
	else
		snprintf(ret, NAME + 1, "%.*s~%s", NAME - 13, name, name + n - 12);
}

static int look_alike(const char *a, const char *b)
{
	char x[NAME + 1], y[NAME + 1];

	shorten(a, x);
	shorten(b, y);
	return strcmp(x, y) == 0 && strcmp(a, b) != 0;
}

/* Where another one would look like it, the whole name stands on a line of its own. */
static void name_cell(FILE *to, const char *name, int is_alone)
{
	char text[NAME + 1] = "";

	if (is_alone)
		shorten(name, text);
	else
		fprintf(to, "%s\n", name);
	fprintf(to, "%-*s", NAME, text);
}

static void ex_cells(FILE *to, const struct tally *t, const struct tally_run *r)
{
	char ci[32] = "-";

	if (!t->gold || !t->sweep->nq) {
		fprintf(to, " %6s %14s", "-", "-");
		return;
	}
	if (r->ex.known)
		snprintf(ci, sizeof ci, "[%.1f, %.1f]", 100 * r->ex.low,
			 100 * r->ex.high);
	fprintf(to, " %6.2f %14s", 100.0 * r->correct / t->sweep->nq, ci);
}

/* The run of majority over the same draw, or NULL. */
static const struct tally_run *majority_of(const struct tally *t,
					   const struct tally_run *r)
{
	for (uint32_t i = 0; i < t->sweep->nrun; i++)
		if (t->run[i].pool == r->pool &&
		    strcmp(t->run[i].run->method, "majority") == 0)
			return &t->run[i];
	return NULL;
}

static void versus_cell(FILE *to, const struct tally *t, const struct tally_run *r)
{
	const struct tally_run *m = t->gold ? majority_of(t, r) : NULL;

	if (!m || m == r)
		fprintf(to, " %8s", "-");
	else
		fprintf(to, " %+8.2f",
			100.0 * ((double)r->correct - m->correct) / t->sweep->nq);
}

static void run_line(FILE *to, const struct tally *t, const struct tally_run *r)
{
	double nq = t->sweep->nq ? t->sweep->nq : 1;
	int is_alone = 1;

	for (uint32_t i = 0; i < t->sweep->nrun; i++)
		is_alone &= !look_alike(r->run->name, t->run[i].run->name);
	name_cell(to, r->run->name, is_alone);
	ex_cells(to, t, r);
	versus_cell(to, t, r);
	fprintf(to, " %8.2f %7.2f %8.0f %6u\n", (double)r->use.asks / nq,
		(double)r->use.calls / nq,
		(double)(r->use.prompt + r->use.completion) / nq,
		r->degraded + r->failed + r->pending);
}

static void bound_line(FILE *to, const char *what, const struct tally_pool *p,
		       double value)
{
	char draw[40] = "", name[80];

	if (p->candidates)
		snprintf(draw, sizeof draw, " (n=%u, seed %llu)", p->candidates,
			 (unsigned long long)p->seed);
	snprintf(name, sizeof name, "%s%s", what, draw);
	fprintf(to, "%-*s %6.2f\n", NAME, name, 100 * value);
}

static void bounds(FILE *to, const struct tally *t)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < t->npool; i++) {
		const struct tally_pool *p = &t->pool[i];
		double n = p->questions;

		if (!p->questions || (!p->candidates && all++))
			continue; /* all candidates are the same draw for every seed */
		bound_line(to, "oracle: any candidate right", p, p->oracle / n);
		bound_line(to, "a candidate at random", p, p->single / n);
		bound_line(to, "adversary: every one right", p, p->adversary / n);
	}
}

static void pair_line(FILE *to, const struct tally *t, const struct tally_pair *p)
{
	char ci[32] = "-";
	int is_alone = 1;

	if (p->t.known)
		snprintf(ci, sizeof ci, "[%+.2f, %+.2f]", 100 * p->t.low,
			 100 * p->t.high);
	for (uint32_t i = 0; i < t->npair; i++)
		is_alone &= !look_alike(t->stem[p->a].name, t->stem[t->pair[i].a].name);
	name_cell(to, t->stem[p->a].name, is_alone);
	fprintf(to, " %+6.2f %16s %4u:%-4u %7.3g %7.3g %6.2f\n",
		100 * ((double)p->b10 - p->b01) / p->questions, ci, p->b10, p->b01,
		p->by_question, p->holm, p->power);
}

static void pairs(FILE *to, const struct tally *t)
{
	if (t->npair)
		fprintf(to, "\n%-*s %6s %16s %9s %7s %7s %6s\n", NAME,
			"AGAINST MAJORITY, in points", "", "95% CI", "won:lost", "p",
			"Holm p", "power");
	for (uint32_t i = 0; i < t->npair; i++)
		pair_line(to, t, &t->pair[i]);
}

void results_table(FILE *to, const struct results *r)
{
	const struct tally *t = r->tally;

	fprintf(to, "%s, rule %s: %u questions, %u databases", t->sweep->benchmark,
		rule_name(t->sweep->rule), t->sweep->nq, t->sweep->ndb);
	if (t->gold_failed)
		fprintf(to, ", gold of %u fails", t->gold_failed);
	fprintf(to, "\n%-*s %6s %14s %8s %8s %7s %8s %6s\n", NAME, "RUN", "EX",
		"95% CI", "vs major", "asks/q", "calls/q", "tokens/q", "failed");
	for (uint32_t i = 0; i < t->sweep->nrun; i++)
		run_line(to, t, &t->run[i]);
	if (t->gold)
		bounds(to, t);
	pairs(to, t);
}
