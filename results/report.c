/* report.c - see report.h: one function a section, each from results.json's own keys */
#include "results/report.h"

#include "common/base/mem.h"
#include "results/doc.h"
#include "results/figures.h"
#include "results/outfile.h"
#include "results/samples.h"

#include <errno.h>
#include <string.h>

enum { SHOWN = 25 }; /* overturned questions a run shows */

/* One directory, as read. */
struct source {
	const char *dir;
	json_t *results, *run;
	json_t *overturned; /* run -> [sample, ...], SHOWN at most */
	json_t *passes;     /* run -> [[read, void], ...] by pass */
	json_t *sure;       /* run -> [[confidence, right], ...] */
	struct samples_seen seen;
};

static json_t *get(json_t *o, const char *key)
{
	return json_object_get(o, key);
}

static double number(json_t *o, const char *key)
{
	return sample_number(o, key, 0);
}

static unsigned long long count(json_t *o, const char *key)
{
	return (unsigned long long)number(o, key);
}

/* A percentage, or a dash. */
static void percent_cell(struct doc *d, json_t *v)
{
	if (json_is_number(v))
		doc_cell(d, "%.2f", 100 * json_number_value(v));
	else
		doc_cell(d, "-");
}

static void interval_cell(struct doc *d, json_t *v)
{
	if (json_array_size(v) == 2)
		doc_cell(d, "%.2f .. %.2f",
			 100 * json_number_value(json_array_get(v, 0)),
			 100 * json_number_value(json_array_get(v, 1)));
	else
		doc_cell(d, "-");
}

static void count_cell(struct doc *d, json_t *o, const char *key)
{
	if (json_is_number(get(o, key)))
		doc_cell(d, "%llu", count(o, key));
	else
		doc_cell(d, "-");
}

/* A number, or the word that stands for it (candidates: "all"). */
static void word_cell(struct doc *d, json_t *v)
{
	if (json_is_integer(v))
		doc_cell(d, "%lld", (long long)json_integer_value(v));
	else
		doc_cell(d, "%s", json_is_string(v) ? json_string_value(v) : "-");
}

#define TABLE(d, ...) \
	doc_table(d, (const char *const[]){ __VA_ARGS__ }, \
		  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

static const char *exit_text(long long code)
{
	switch (code) {
	case 0: return "done";
	case 2: return "done, but more questions failed or were degraded than allowed";
	case 3: return "stopped by a limit: run the command again to go on";
	case 4: return "the other side was unreachable or refused";
	case 5: return "this machine failed; saved to the last commit";
	case 130: return "interrupted; run the command again to go on";
	default: return "unknown";
	}
}

static void head_section(struct doc *d, const struct source *s)
{
	json_t *b = get(s->results, "benchmark");
	long long code = (long long)number(s->run, "exit");

	doc_para(d,
		 "Benchmark %s, scored by rule %s: %llu questions on %llu databases. "
		 "The score of rule plain over the same texts stands beside it as "
		 "strict.",
		 sample_text(b, "name"), sample_text(b, "rule"), count(b, "questions"),
		 count(b, "databases"));
	if (count(b, "gold_failed"))
		doc_para(d,
			 "Gold of %llu questions fails: they count as wrong in EX and "
			 "are "
			 "left out of EX valid.",
			 count(b, "gold_failed"));
	if (count(b, "non_utf8"))
		doc_para(d, "Results of %llu questions hold text that is not UTF-8.",
			 count(b, "non_utf8"));
	if (!s->run)
		return;
	doc_para(d, "SQLite %s (%s).", sample_text(s->run, "sqlite_version"),
		 sample_text(s->run, "sqlite_source_id"));
	doc_para(d, "The command ended with exit code %lld: %s.", code,
		 exit_text(code));
	if (count(s->run, "wall_clock_timeouts"))
		doc_para(d,
			 "%llu attempts were ended by the wall clock, so another run "
			 "need not give the same bytes.",
			 count(s->run, "wall_clock_timeouts"));
}

static void runs_section(struct doc *d, json_t *runs)
{
	json_t *r;
	size_t i;

	doc_heading(d, 2, "Methods");
	TABLE(d, "run", "EX", "95 % interval", "by database", "EX valid", "strict",
	      "asks", "overturned", "right", "wrong", "tied", "degraded", "failed");
	json_array_foreach (runs, i, r) {
		doc_row(d);
		doc_cell(d, "%s%s", sample_text(r, "run"),
			 json_is_true(get(r, "uses_gold")) ? " (uses gold)" : "");
		percent_cell(d, get(r, "ex"));
		interval_cell(d, get(r, "ex_ci95"));
		interval_cell(d, get(r, "ex_ci95_by_db"));
		percent_cell(d, get(r, "ex_valid"));
		percent_cell(d, get(get(r, "scores"), "strict"));
		doc_cell(d, "%.2f", number(get(r, "per_question"), "asks"));
		count_cell(d, r, "overturned");
		count_cell(d, r, "overturned_right");
		count_cell(d, r, "overturned_wrong");
		count_cell(d, r, "tied");
		count_cell(d, r, "degraded");
		doc_cell(d, "%llu", count(r, "failed") + count(r, "unfinished"));
	}
	doc_table_end(d);
	doc_para(d, "Overturned: another group than majority's was chosen; right and "
		    "wrong count those where only the choice, or only majority, was "
		    "right.");
}

static void files_section(struct doc *d, json_t *files)
{
	json_t *f;
	size_t i;

	if (!json_array_size(files))
		return;
	doc_heading(d, 2, "Prediction files");
	TABLE(d, "file", "EX", "95 % interval", "by database", "EX valid", "strict",
	      "right", "questions");
	json_array_foreach (files, i, f) {
		doc_row(d);
		doc_cell(d, "%s",
			 sample_text(f, "source")[0] ? sample_text(f, "source")
						     : sample_text(f, "file"));
		percent_cell(d, get(f, "ex"));
		interval_cell(d, get(f, "ex_ci95"));
		interval_cell(d, get(f, "ex_ci95_by_db"));
		percent_cell(d, get(f, "ex_valid"));
		percent_cell(d, get(get(f, "scores"), "strict"));
		count_cell(d, f, "correct");
		count_cell(d, f, "questions");
	}
	doc_table_end(d);
}

static void pools_section(struct doc *d, json_t *pools)
{
	json_t *p;
	size_t i;

	if (!json_array_size(pools))
		return;
	doc_heading(d, 2, "What the pool allows");
	TABLE(d, "candidates", "seed", "oracle", "one at random", "adversary",
	      "groups a question", "questions with one group");
	json_array_foreach (pools, i, p) {
		doc_row(d);
		word_cell(d, get(p, "candidates"));
		count_cell(d, p, "seed");
		percent_cell(d, get(p, "oracle"));
		percent_cell(d, get(p, "mean_single"));
		percent_cell(d, get(p, "adversary"));
		doc_cell(d, "%.2f", number(p, "mean_groups"));
		count_cell(d, p, "single_group");
	}
	doc_table_end(d);
}

static void pairs_section(struct doc *d, json_t *pairs)
{
	json_t *p;
	size_t i;

	if (!json_array_size(pairs))
		return;
	doc_heading(d, 2, "Against majority");
	TABLE(d, "run", "against", "difference", "95 % interval", "by database",
	      "bootstrap", "bootstrap by database", "only it right",
	      "only majority right", "McNemar p", "p by question", "Holm p", "power",
	      "detectable");
	json_array_foreach (pairs, i, p) {
		doc_row(d);
		doc_cell(d, "%s", sample_text(p, "a"));
		doc_cell(d, "%s", sample_text(p, "b"));
		percent_cell(d, get(p, "difference"));
		interval_cell(d, get(p, "ci95"));
		interval_cell(d, get(p, "ci95_by_db"));
		interval_cell(d, get(p, "bootstrap95"));
		interval_cell(d, get(p, "bootstrap95_by_db"));
		count_cell(d, p, "b10");
		count_cell(d, p, "b01");
		doc_cell(d, "%.4g", number(p, "mcnemar_p"));
		doc_cell(d, "%.4g", number(p, "question_p"));
		doc_cell(d, "%.4g", number(p, "holm_p"));
		doc_cell(d, "%.2f", number(p, "power"));
		percent_cell(d, get(p, "detectable"));
	}
	doc_table_end(d);
	doc_para(d,
		 "McNemar's p counts a question once a seed; p by question counts it "
		 "once (an exact toss of signs; with one seed they are the same), "
		 "and Holm's p is that over all rows. Power: how likely one seed's "
		 "share of discordant pairs would show this difference again at .05. "
		 "Detectable: the smallest difference, in points, that they would "
		 "show with power .8 (100: none). Bootstrap: 10,000 draws of "
		 "questions, and of databases.");
}

/* Runs of two seeds over the whole pool are two random orders of it. */
static void consistency_section(struct doc *d, json_t *list)
{
	json_t *c;
	size_t i;

	if (!json_array_size(list))
		return;
	doc_heading(d, 2, "Consistency of two orders");
	TABLE(d, "run", "pairs of seeds", "same candidate", "same and right",
	      "same group", "EX differs", "contested", "same candidate there",
	      "by chance", "same group there", "by chance");
	json_array_foreach (list, i, c) {
		json_t *k = get(c, "contested");

		doc_row(d);
		doc_cell(d, "%s", sample_text(c, "run"));
		count_cell(d, c, "pairs");
		percent_cell(d, get(c, "candidate"));
		percent_cell(d, get(c, "candidate_and_correct"));
		percent_cell(d, get(c, "group"));
		percent_cell(d, get(c, "ex_disagreement"));
		count_cell(d, k, "questions");
		percent_cell(d, get(k, "candidate"));
		percent_cell(d, get(k, "chance_candidate"));
		percent_cell(d, get(k, "group"));
		percent_cell(d, get(k, "chance_group"));
	}
	doc_table_end(d);
	doc_para(d, "Percent. Contested questions have more than one group. The "
		    "representative of a group is drawn anew by each seed, so even "
		    "majority changes its candidate; the group is what counts.");
}

static void summaries_section(struct doc *d, json_t *summaries)
{
	json_t *m;
	size_t i;
	int seeds = 0;

	json_array_foreach (summaries, i, m)
		seeds |= number(m, "seeds") > 1;
	if (!seeds)
		return;
	doc_heading(d, 2, "Over seeds");
	TABLE(d, "run", "seeds", "mean EX", "standard deviation");
	json_array_foreach (summaries, i, m) {
		doc_row(d);
		doc_cell(d, "%s", sample_text(m, "run"));
		count_cell(d, m, "seeds");
		percent_cell(d, get(m, "ex_mean"));
		percent_cell(d, get(m, "ex_sd"));
	}
	doc_table_end(d);
}

/* One row a run, one column a level or database: those of the first run. */
static void shares_section(struct doc *d, json_t *runs, const char *key,
			   const char *title)
{
	json_t *first = get(json_array_get(runs, 0), key), *r, *x;
	const char *column[64] = { "run" }, *name;
	unsigned n = 1;
	size_t i;

	json_object_foreach (first, name, x)
		if (n < sizeof column / sizeof *column)
			column[n++] = name;
	if (n == 1)
		return;
	doc_heading(d, 2, "%s", title);
	doc_table(d, column, n);
	doc_row(d);
	doc_cell(d, "questions");
	for (unsigned c = 1; c < n; c++)
		doc_cell(d, "%llu", count(get(first, column[c]), "n"));
	json_array_foreach (runs, i, r) {
		doc_row(d);
		doc_cell(d, "%s",
			 sample_text(r, "run")[0] ? sample_text(r, "run")
						  : sample_text(r, "source"));
		for (unsigned c = 1; c < n; c++)
			percent_cell(d, get(get(get(r, key), column[c]), "ex"));
	}
	doc_table_end(d);
}

static void usage_section(struct doc *d, json_t *runs)
{
	json_t *r;
	size_t i;

	doc_heading(d, 2, "Cost");
	TABLE(d, "run", "asks", "calls", "shared calls", "prompt tokens", "cached",
	      "completion tokens", "cost", "calls a question", "tokens a question");
	json_array_foreach (runs, i, r) {
		json_t *u = get(r, "usage"), *q = get(r, "per_question");

		doc_row(d);
		doc_cell(d, "%s", sample_text(r, "run"));
		count_cell(d, u, "asks");
		count_cell(d, u, "calls");
		count_cell(d, u, "shared_calls");
		count_cell(d, u, "prompt_tokens");
		count_cell(d, u, "cached_tokens");
		count_cell(d, u, "completion_tokens");
		doc_cell(d, "%.4f", number(u, "cost"));
		doc_cell(d, "%.2f", number(q, "calls"));
		doc_cell(d, "%.0f",
			 number(q, "prompt_tokens") + number(q, "completion_tokens"));
	}
	doc_table_end(d);
	doc_para(d, "Asks are what a method wants to know, whoever answers; calls are "
		    "the answered requests of its distinct tasks: what the run would "
		    "have paid alone.");
}

/* ---- risk and coverage ---- */

enum { PLOT_WIDE = 420, PLOT_HIGH = 260, PLOT_EDGE = 40 };

static const char *const plot_color[] = { "#1f77b4", "#d62728", "#2ca02c", "#9467bd",
					  "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f" };

enum { PLOT_LINES = sizeof plot_color / sizeof *plot_color };

static double plot_x(double coverage)
{
	return PLOT_EDGE + coverage * (PLOT_WIDE - 2 * PLOT_EDGE);
}

static double plot_y(double risk, double most)
{
	return PLOT_HIGH - PLOT_EDGE - risk / most * (PLOT_HIGH - 2 * PLOT_EDGE);
}

static void plot_line(struct doc *d, json_t *r, unsigned n, double most)
{
	json_t *p, *curve = get(get(r, "calibration"), "risk_coverage");
	size_t i;

	buf_addf(&d->html, "<polyline fill=\"none\" stroke=\"%s\" points=\"",
		 plot_color[n]);
	json_array_foreach (curve, i, p)
		buf_addf(&d->html, "%.1f,%.1f ", plot_x(number(p, "coverage")),
			 plot_y(number(p, "risk"), most));
	buf_addf(&d->html, "\"/><text x=\"%d\" y=\"%u\" font-size=\"11\" fill=\"%s\">",
		 PLOT_WIDE, PLOT_EDGE + 14 * n, plot_color[n]);
	doc_html(d, sample_text(r, "run"));
	buf_add_str(&d->html, "</text>\n");
}

static double highest_risk(json_t *runs)
{
	double most = 0;
	json_t *r, *p;
	size_t i, k;

	json_array_foreach (runs, i, r)
		json_array_foreach (get(get(r, "calibration"), "risk_coverage"), k, p)
			if (number(p, "risk") > most)
				most = number(p, "risk");
	return most > 0 ? most : 1;
}

static void plot_axes(struct doc *d, double most)
{
	buf_addf(&d->html,
		 "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
		 "aria-label=\"risk by coverage\">\n"
		 "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>\n",
		 2 * PLOT_WIDE, PLOT_HIGH, 2 * PLOT_WIDE, PLOT_EDGE, PLOT_EDGE,
		 PLOT_HIGH - PLOT_EDGE, PLOT_WIDE - PLOT_EDGE);
	buf_addf(&d->html,
		 "<g font-size=\"11\" fill=\"#888\"><text x=\"4\" y=\"%d\">%.1f %%"
		 "</text><text x=\"4\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\">"
		 "coverage 100 %%</text></g>\n",
		 PLOT_EDGE, 100 * most, PLOT_HIGH - PLOT_EDGE,
		 PLOT_WIDE - 2 * PLOT_EDGE, PLOT_HIGH - PLOT_EDGE + 16);
}

static void risk_plot(struct doc *d, json_t *runs)
{
	double most = highest_risk(runs);
	unsigned n = 0;
	json_t *r;
	size_t i;

	plot_axes(d, most);
	json_array_foreach (runs, i, r)
		if (n < PLOT_LINES && json_is_object(get(r, "calibration")))
			plot_line(d, r, n++, most);
	buf_add_str(&d->html, "</svg>\n");
}

static void risk_row(struct doc *d, json_t *r)
{
	static const size_t at[] = { 1, 4, 6, 8, 9 }; /* 20 %, 50 %, ... */
	json_t *c = get(r, "calibration"), *curve = get(c, "risk_coverage");

	doc_row(d);
	doc_cell(d, "%s", sample_text(r, "run"));
	doc_cell(d, "%s", sample_text(c, "of"));
	count_cell(d, c, "n");
	doc_cell(d, "%.4f", number(c, "ece"));
	doc_cell(d, "%.4f", number(c, "aurc"));
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		percent_cell(d, get(json_array_get(curve, at[i]), "risk"));
}

/* What is wrong among the surest questions. */
static void risk_section(struct doc *d, json_t *runs)
{
	json_t *r;
	size_t i, some = 0;

	json_array_foreach (runs, i, r)
		some += json_is_object(get(r, "calibration"));
	if (!some)
		return;
	doc_heading(d, 2, "How sure, and how right");
	TABLE(d, "run", "sure by", "questions", "ECE", "AURC", "wrong of 20 %", "50 %",
	      "70 %", "90 %", "100 %");
	json_array_foreach (runs, i, r)
		if (json_is_object(get(r, "calibration")))
			risk_row(d, r);
	doc_table_end(d);
	doc_para(d, "Wrong among the surest so many of the questions, in percent. "
		    "Probability is P(right) as it was learnt; confidence is the "
		    "method's own and no probability of being right.");
	risk_plot(d, runs);
}

/* What standing further back costs, as the run's own asks tell. */
static void places_section(struct doc *d, json_t *runs)
{
	json_t *r, *p;
	size_t i, k, some = 0;

	json_array_foreach (runs, i, r)
		some += json_array_size(get(r, "places"));
	if (!some)
		return;
	doc_heading(d, 2, "What a place costs");
	TABLE(d, "run", "place", "asks", "cost", "standard error");
	json_array_foreach (runs, i, r)
		json_array_foreach (get(r, "places"), k, p) {
			doc_row(d);
			doc_cell(d, "%s", sample_text(r, "run"));
			count_cell(d, p, "place");
			count_cell(d, p, "seen");
			doc_cell(d, "%.3f", number(p, "cost"));
			doc_cell(d, "%.3f", number(p, "se"));
		}
	doc_table_end(d);
	doc_para(d, "Logits that a candidate loses by standing there and not first, "
		    "whatever it is: learnt without labels from how the judge answered "
		    "in other orders. No cost: the judge does not look at places.");
}

static void passes_table(struct doc *d, const struct source *s)
{
	const char *run;
	json_t *passes, *p;
	size_t i;

	TABLE(d, "run", "pass", "read", "void");
	json_object_foreach (s->passes, run, passes)
		json_array_foreach (passes, i, p) {
			doc_row(d);
			doc_cell(d, "%s", run);
			doc_cell(d, "%zu", i + 1);
			doc_cell(d, "%lld",
				 (long long)json_integer_value(json_array_get(p, 0)));
			doc_cell(d, "%lld",
				 (long long)json_integer_value(json_array_get(p, 1)));
		}
	doc_table_end(d);
}

/* How many rankings were malformed, by run and by pass. */
static void parse_section(struct doc *d, const struct source *s, json_t *runs)
{
	json_t *r;
	size_t i;

	if (!json_object_size(s->passes))
		return;
	doc_heading(d, 2, "Rankings as read");
	TABLE(d, "run", "judge", "model", "passes read", "void passes",
	      "unreadable answers", "labels missing", "twice", "unknown");
	json_array_foreach (runs, i, r) {
		json_t *p = get(r, "parse");
		const char *model = sample_text(get(r, "parameters"), "model");

		if (!count(p, "rankings") && !count(p, "void"))
			continue;
		doc_row(d);
		doc_cell(d, "%s", sample_text(r, "run"));
		doc_cell(d, "%s", sample_text(r, "judge"));
		doc_cell(d, "%s", *model ? model : "-");
		count_cell(d, p, "rankings");
		count_cell(d, p, "void");
		count_cell(d, p, "failed");
		count_cell(d, p, "missing");
		count_cell(d, p, "duplicate");
		count_cell(d, p, "unknown");
	}
	doc_table_end(d);
	passes_table(d, s);
}

/* Failures by class, so that a fault of the prompt is seen. */
static void queries_section(struct doc *d, json_t *results)
{
	static const char *const status[] = { "rows",  "empty",   "error",  "timeout",
					      "limit", "refused", "abstain" };
	json_t *all = get(results, "statuses"), *x;
	double n = number(all, "n");
	size_t i;

	doc_heading(d, 2, "How the candidates' queries ended");
	TABLE(d, "status", "candidates", "share");
	for (i = 0; i < sizeof status / sizeof *status; i++)
		if (count(all, status[i])) {
			doc_row(d);
			doc_cell(d, "%s", status[i]);
			count_cell(d, all, status[i]);
			doc_cell(d, "%.2f %%", 100 * number(all, status[i]) / n);
		}
	doc_table_end(d);
	if (!json_array_size(get(results, "failures")))
		return;
	TABLE(d, "failure", "status", "candidates", "share", "for example question");
	json_array_foreach (get(results, "failures"), i, x) {
		char *id = json_dumps(get(x, "example"), JSON_ENCODE_ANY);

		doc_row(d);
		doc_cell(d, "%s", sample_text(x, "class"));
		doc_cell(d, "%s", sample_text(x, "status"));
		count_cell(d, x, "n");
		doc_cell(d, "%.2f %%", 100 * number(x, "n") / n);
		doc_cell(d, "%s", id ? id : "");
		mem_free(id);
	}
	doc_table_end(d);
}

static void sources_section(struct doc *d, json_t *sources)
{
	json_t *x;
	size_t i;

	if (!json_array_size(sources))
		return;
	doc_heading(d, 2, "Where the candidates come from");
	TABLE(d, "source", "candidates", "right", "rows", "empty", "error", "timeout",
	      "limit", "refused", "abstain");
	json_array_foreach (sources, i, x) {
		doc_row(d);
		doc_cell(d, "%s", sample_text(x, "source"));
		count_cell(d, x, "n");
		percent_cell(d, get(x, "right"));
		doc_cell(d, "%llu", count(x, "rows"));
		doc_cell(d, "%llu", count(x, "empty"));
		doc_cell(d, "%llu", count(x, "error"));
		doc_cell(d, "%llu", count(x, "timeout"));
		doc_cell(d, "%llu", count(x, "limit"));
		doc_cell(d, "%llu", count(x, "refused"));
		doc_cell(d, "%llu", count(x, "abstain"));
	}
	doc_table_end(d);
}

static const char *outcome(json_t *sample, json_t *majority)
{
	json_t *correct = get(sample, "correct");
	int before = number(majority, "right") > 0;

	if (!json_is_boolean(correct))
		return "not scored";
	if (json_is_true(correct))
		return before ? "right, as majority" : "right, where majority is wrong";
	return before ? "wrong, where majority is right" : "wrong, as majority";
}

static void overturned_sample(struct doc *d, json_t *x)
{
	json_t *mine = sample_chosen_group(x), *m = sample_majority_group(x);
	char *id = json_dumps(get(x, "question_id"), JSON_ENCODE_ANY);

	doc_heading(d, 4, "Question %s (%s): %s", id ? id : "", sample_text(x, "db_id"),
		    outcome(x, m));
	doc_para(d, "%s", sample_text(x, "question"));
	doc_para(d,
		 "Chosen of a group of %llu (mean rank %.2f) over one of %llu (mean "
		 "rank "
		 "%.2f): %s, confidence %.3f.",
		 count(mine, "size"), number(mine, "mean_rank"), count(m, "size"),
		 number(m, "mean_rank"), sample_text(x, "why"),
		 number(x, "confidence"));
	doc_code(d, sample_text(x, "sql"));
	doc_para(d, "Majority:");
	doc_code(d, sample_text(m, "sql"));
	mem_free(id);
}

static void run_section(struct doc *d, const struct source *s, json_t *r)
{
	const char *name = sample_text(r, "run");
	json_t *list = get(s->overturned, name), *x;
	unsigned long long n = count(r, "overturned");
	size_t i;

	if (!json_array_size(list))
		return;
	doc_heading(d, 3, "%s", name);
	if (n > json_array_size(list))
		doc_para(d,
			 "%zu of %llu overturned questions; `mapfleet show` has all.",
			 json_array_size(list), n);
	json_array_foreach (list, i, x)
		overturned_sample(d, x);
}

static void directory(struct doc *d, const struct source *s)
{
	json_t *runs = get(s->results, "runs"), *files = get(s->results, "files"), *r;
	size_t i;

	head_section(d, s);
	if (json_array_size(runs)) {
		runs_section(d, runs);
		pools_section(d, get(s->results, "pools"));
		pairs_section(d, get(s->results, "comparisons"));
		figure_asks(d, s->results);
		figure_risk(d, s->results, s->sure);
		figure_reliability(d, runs);
		consistency_section(d, get(s->results, "consistency"));
		summaries_section(d, get(s->results, "summaries"));
		shares_section(d, runs, "by_difficulty", "EX by difficulty");
		shares_section(d, runs, "by_db", "EX by database");
		risk_section(d, runs);
		places_section(d, runs);
		usage_section(d, runs);
		parse_section(d, s, runs);
	}
	files_section(d, files);
	figure_reliability(d, files);
	shares_section(d, files, "by_difficulty", "Files' EX by difficulty");
	shares_section(d, files, "by_db", "Files' EX by database");
	queries_section(d, s->results);
	sources_section(d, get(s->results, "sources"));
	if (json_object_size(s->overturned))
		doc_heading(d, 2, "Where a run overturned majority");
	json_array_foreach (runs, i, r)
		run_section(d, s, r);
}

/* The keys that must agree before numbers may stand beside each other. */
static int comparable(struct doc *d, const struct source *a, const struct source *b)
{
	static const char *const key[] = { "name", "rule", "questions" };
	const char *v = sample_text(a->run, "sqlite_source_id"),
		   *w = sample_text(b->run, "sqlite_source_id");
	int good = 1;

	for (size_t i = 0; i < sizeof key / sizeof *key; i++)
		if (!json_equal(get(get(a->results, "benchmark"), key[i]),
				get(get(b->results, "benchmark"), key[i]))) {
			doc_para(d,
				 "NOT COMPARABLE: %s and %s differ in the benchmark's "
				 "%s.",
				 a->dir, b->dir, key[i]);
			good = 0;
		}
	if (strcmp(v, w) != 0) {
		doc_para(d,
			 "NOT COMPARABLE: %s was run with SQLite %s, %s with %s; "
			 "results of queries differ between versions.",
			 a->dir, sample_text(a->run, "sqlite_version"), b->dir,
			 sample_text(b->run, "sqlite_version"));
		good = 0;
	}
	return good;
}

static void comparison(struct doc *d, const struct source *s, uint32_t n)
{
	json_t *r;
	size_t i;

	doc_heading(d, 2, "Directories side by side");
	for (uint32_t k = 1; k < n; k++)
		comparable(d, &s[0], &s[k]);
	TABLE(d, "directory", "run", "EX", "95 % interval", "strict", "asks a question",
	      "calls a question");
	for (uint32_t k = 0; k < n; k++)
		json_array_foreach (get(s[k].results, "runs"), i, r) {
			doc_row(d);
			doc_cell(d, "%s", s[k].dir);
			doc_cell(d, "%s", sample_text(r, "run"));
			percent_cell(d, get(r, "ex"));
			interval_cell(d, get(r, "ex_ci95"));
			percent_cell(d, get(get(r, "scores"), "strict"));
			doc_cell(d, "%.2f", number(get(r, "per_question"), "asks"));
			doc_cell(d, "%.2f", number(get(r, "per_question"), "calls"));
		}
	doc_table_end(d);
}

/* ---- reading ---- */

static json_t *load(const char *dir, const char *name, int must, struct err *e, int *rc)
{
	struct buf path = { 0 };
	json_error_t why;
	json_t *j = NULL;

	buf_addf(&path, "%s/%s", dir, name);
	if (path.bad)
		*rc = err_set(e, ERR_NOMEM, "%s", name);
	else if (!(j = json_load_file(path.p, 0, &why)) &&
		 (must || json_error_code(&why) != json_error_cannot_open_file))
		*rc = err_set(e, ERR_INPUT, "%s: %s; is %s a directory of results?",
			      path.p, why.text, dir);
	buf_free(&path);
	return j;
}

static json_t *member(json_t *o, const char *key, json_t *fresh)
{
	json_t *v = get(o, key);

	if (v) {
		json_decref(fresh);
		return v;
	}
	json_object_set_new(o, key, fresh);
	return fresh;
}

static void count_passes(struct source *s, json_t *x)
{
	json_t *passes = get(x, "passes"), *list, *p;
	size_t i;

	if (!json_array_size(passes))
		return;
	list = member(s->passes, sample_text(x, "run"), json_array());
	json_array_foreach (passes, i, p) {
		int at = json_is_null(p);
		json_t *pair;

		if (i == json_array_size(list))
			json_array_append_new(list, json_pack("[i,i]", 0, 0));
		pair = json_array_get(list, i);
		json_array_set_new(pair, (size_t)at,
				   json_integer(json_integer_value(json_array_get(
							pair, (size_t)at)) +
						1));
	}
}

static void note_sure(struct source *s, json_t *x)
{
	json_t *list, *pair;

	if (!json_is_boolean(get(x, "correct")))
		return;
	list = member(s->sure, sample_text(x, "run"), json_array());
	pair = json_array();
	json_array_append(pair, get(x, "confidence"));
	json_array_append(pair, get(x, "correct"));
	json_array_append_new(list, pair);
}

static int take_sample(void *arg, json_t *x, struct err *e)
{
	struct source *s = arg;
	json_t *mine = sample_chosen_group(x), *m = sample_majority_group(x), *list;

	(void)e;
	count_passes(s, x);
	note_sure(s, x);
	if (!mine || !m || mine == m)
		return 0;
	list = member(s->overturned, sample_text(x, "run"), json_array());
	if (json_array_size(list) < SHOWN)
		json_array_append(list, x);
	return 0;
}

static int source_read(struct source *s, const char *dir, FILE *log, struct err *e)
{
	int rc = 0;

	*s = (struct source){ .dir = dir,
			      .overturned = json_object(),
			      .passes = json_object(),
			      .sure = json_object() };
	s->results = load(dir, "results.json", 1, e, &rc);
	if (rc == 0)
		s->run = load(dir, "run.json", 0, e, &rc);
	if (rc == 0 && json_array_size(get(s->results, "runs")))
		rc = samples_each(dir, log, take_sample, s, &s->seen, e);
	return rc;
}

static void source_free(struct source *s)
{
	json_decref(s->results);
	json_decref(s->run);
	json_decref(s->overturned);
	json_decref(s->passes);
	json_decref(s->sure);
}

static int put(struct doc *d, const char *dir, struct err *e)
{
	int rc;

	if (d->md.bad || d->html.bad)
		return err_set(e, ERR_NOMEM, "report");
	rc = outfile_put(dir, "report.md", buf_view(&d->md), e);
	return rc ? rc : outfile_put(dir, "report.html", buf_view(&d->html), e);
}

static void all(struct doc *d, const struct source *s, uint32_t n)
{
	const char *name = sample_text(s[0].results, "name");

	doc_begin(d, *name ? name : "results");
	doc_heading(d, 1, "%s", *name ? name : "results");
	if (n > 1)
		comparison(d, s, n);
	for (uint32_t i = 0; i < n; i++) {
		if (n > 1)
			doc_heading(d, 1, "%s", s[i].dir);
		directory(d, &s[i]);
	}
	doc_end(d);
}

int report_dirs(const char *const *dir, uint32_t n, const char *output_dir, FILE *log,
		struct err *e)
{
	struct source *s = mem_alloc(n + 1, sizeof *s);
	struct doc d = { 0 };
	uint32_t got = 0;
	int rc = s ? 0 : err_set(e, ERR_NOMEM, "report of %u directories", n);

	if (n == 0)
		rc = err_set(e, ERR_USAGE, "report: which directory?");
	while (rc == 0 && got < n) {
		rc = source_read(&s[got], dir[got], log, e);
		got++;
	}
	if (rc == 0) {
		all(&d, s, n);
		rc = put(&d, output_dir ? output_dir : dir[0], e);
	}
	for (uint32_t i = 0; i < got; i++)
		source_free(&s[i]);
	doc_free(&d);
	mem_free(s);
	return rc;
}
