/* figures.c - see figures.h */
#include "results/figures.h"

#include "common/base/mem.h"
#include "results/plot.h"
#include "results/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SERIES = 48, /* of a chart; more could not be told apart */
	POINTS = 64, /* of a series */
	CHARTS = 24, /* of a report */
};

static json_t *get(json_t *o, const char *key)
{
	return json_object_get(o, key);
}

struct chart {
	struct plot_point point[SERIES][POINTS];
	struct plot_series series[SERIES];
	unsigned n;
};

static void put(struct doc *d, const struct chart *c, struct plot p)
{
	p.series = c->series;
	p.n = c->n;
	if (!c->n)
		return;
	doc_html_begin(d);
	plot_svg(&d->html, &p);
	doc_html_end(d);
}

static struct plot_series *series_of(struct chart *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++)
		if (strcmp(c->series[i].name, name) == 0)
			return &c->series[i];
	if (c->n == SERIES)
		return NULL;
	c->series[c->n] = (struct plot_series){ .name = name,
						.point = c->point[c->n],
						.dots = 1 };
	return &c->series[c->n++];
}

static void add_point(struct chart *c, const char *name, double x, double y)
{
	struct plot_series *s = series_of(c, name);

	if (s && s->n < POINTS)
		c->point[s - c->series][s->n++] = (struct plot_point){ x, y };
}

static int point_cmp(const void *a_, const void *b_)
{
	const struct plot_point *a = a_, *b = b_;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return (a->y > b->y) - (a->y < b->y);
}

/* ---- EX against asks ---- */

/* A run without its seed: what summaries are called. */
static int is_of(json_t *run, const char *stem)
{
	const char *name = sample_text(run, "run");
	char end[32];
	size_t n = strlen(stem);

	snprintf(end, sizeof end, "-s%lld",
		 (long long)json_integer_value(get(run, "seed")));
	return strncmp(name, stem, n) == 0 && strcmp(name + n, end) == 0;
}

static double asks_of(json_t *runs, const char *stem)
{
	double sum = 0;
	json_t *r;
	size_t i, n = 0;

	json_array_foreach (runs, i, r)
		if (is_of(r, stem)) {
			sum += sample_number(get(r, "per_question"), "asks", 0);
			n++;
		}
	return n ? sum / (double)n : 0;
}

/* The words of a judge that change its answers; majority and greedy ask no one. */
static void judge_words(json_t *runs, json_t *summary, char ret[160])
{
	static const char *const key[] = { "accuracy", "bias", "shared", "model" };
	const char *stem = sample_text(summary, "run");
	json_t *r, *v;
	size_t i;

	snprintf(ret, 160, "%s", sample_text(summary, "judge"));
	json_array_foreach (runs, i, r) {
		if (!is_of(r, stem))
			continue;
		for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
			size_t n = strlen(ret);

			v = get(get(r, "parameters"), key[k]);
			if (json_is_number(v))
				snprintf(ret + n, 160 - n, " %s %g", key[k],
					 json_number_value(v));
			else if (json_is_string(v))
				snprintf(ret + n, 160 - n, " %s", json_string_value(v));
		}
		return;
	}
}

static void draw_words(json_t *summary, char ret[32])
{
	json_t *n = get(summary, "candidates");

	if (json_is_integer(n))
		snprintf(ret, 32, "%lld candidates", (long long)json_integer_value(n));
	else
		snprintf(ret, 32, "whole pools");
}

/* All summaries of this judge, and those that need none, over this draw. */
static void fill(struct chart *c, json_t *results, const char *judge, const char *draw)
{
	json_t *runs = get(results, "runs"), *m;
	char mine[160], of[32];
	size_t i;

	c->n = 0;
	json_array_foreach (get(results, "summaries"), i, m) {
		judge_words(runs, m, mine);
		draw_words(m, of);
		if (strcmp(of, draw) != 0 || (*mine && strcmp(mine, judge) != 0) ||
		    !json_is_number(get(m, "ex_mean")))
			continue;
		add_point(c, sample_text(m, "method"),
			  asks_of(runs, sample_text(m, "run")),
			  100 * sample_number(m, "ex_mean", 0));
	}
	for (unsigned s = 0; s < c->n; s++)
		qsort(c->point[s], c->series[s].n, sizeof c->point[s][0], point_cmp);
}

void figure_asks(struct doc *d, json_t *results)
{
	struct chart *c = mem_alloc(1, sizeof *c);
	json_t *runs = get(results, "runs"), *done = json_object(), *m;
	unsigned charts = 0;
	size_t i;

	json_array_foreach (get(results, "summaries"), i, m) {
		char judge[160], draw[32], title[256];

		judge_words(runs, m, judge);
		draw_words(m, draw);
		snprintf(title, sizeof title, "judge %s, %s", judge, draw);
		if (!*judge || get(done, title) || !c || charts == CHARTS ||
		    !json_is_number(get(m, "ex_mean")))
			continue;
		json_object_set_new(done, title, json_true());
		if (charts++ == 0) {
			doc_heading(d, 2, "EX against asks");
			doc_para(d, "One dot a run (mean over its seeds), one line a "
				    "method where its passes or other words differ; "
				    "charts are in report.html.");
		}
		fill(c, results, judge, draw);
		put(d, c,
		    (struct plot){ .title = title,
				   .x = "asks a question",
				   .y = "EX, percent",
				   .log_x = 1 });
	}
	json_decref(done);
	mem_free(c);
}

/* ---- risk ---- */

struct sure {
	double confidence;
	int right;
};

static int sure_cmp(const void *a_, const void *b_)
{
	const struct sure *a = a_, *b = b_;

	if (a->confidence != b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	return b->right - a->right;
}

/* Error among the first k, wherever confidence changes; POINTS of them at most. */
static void add_risk(struct chart *c, const char *name, struct sure *v, size_t n)
{
	double wrong = 0;
	size_t last = 0;

	qsort(v, n, sizeof *v, sure_cmp);
	for (size_t i = 0; i < n; i++) {
		wrong += !v[i].right;
		if (i + 1 < n && (v[i + 1].confidence == v[i].confidence ||
				  i - last < n / (POINTS - 4)))
			continue;
		last = i;
		add_point(c, name, 100 * (double)(i + 1) / (double)n,
			  100 * wrong / (double)(i + 1));
	}
}

static void risk_of(struct chart *c, const char *name, json_t *list)
{
	size_t n = json_array_size(list), known = 0, i;
	struct sure *v = mem_alloc(n + 1, sizeof *v);
	json_t *x;

	if (!v)
		return;
	json_array_foreach (list, i, x) {
		json_t *confidence = json_array_get(x, 0);

		v[i] = (struct sure){ json_is_number(confidence)
					      ? json_number_value(confidence)
					      : -1,
				      json_is_true(json_array_get(x, 1)) };
		known += json_is_number(confidence);
	}
	if (n && known * 10 >= n * 9) /* a method that tells how sure it is */
		add_risk(c, name, v, n);
	mem_free(v);
}

void figure_risk(struct doc *d, json_t *results, json_t *sure)
{
	struct chart *c = mem_alloc(1, sizeof *c);
	json_t *runs = get(results, "runs"), *r;
	json_t *seed = get(json_array_get(runs, 0), "seed");
	size_t i;

	json_array_foreach (runs, i, r)
		if (c && json_equal(get(r, "seed"), seed))
			risk_of(c, sample_text(r, "run"),
				get(sure, sample_text(r, "run")));
	if (c && c->n) {
		for (unsigned s = 0; s < c->n; s++)
			c->series[s].dots = 0;
		doc_heading(d, 2, "Risk against coverage");
		doc_para(d,
			 "Questions by falling confidence: how many of the surest part "
			 "are wrong. A confidence that orders well begins low; the "
			 "right end is 100 minus EX. Runs of seed %lld; the chart is "
			 "in report.html.",
			 (long long)json_integer_value(seed));
		put(d, c,
		    (struct plot){ .title = "error among the surest questions",
				   .x = "coverage, percent of the questions",
				   .y = "wrong, percent" });
	}
	mem_free(c);
}

/* ---- reliability ---- */

void figure_reliability(struct doc *d, json_t *runs)
{
	struct chart *c = mem_alloc(1, sizeof *c);
	json_t *r, *p;
	size_t i, k;

	json_array_foreach (runs, i, r)
		json_array_foreach (get(get(r, "scores"), "rs_curve"), k, p) {
			double penalty = json_number_value(json_array_get(p, 0));

			if (c && penalty <= 10)
				add_point(c,
					  *sample_text(r, "run")
						  ? sample_text(r, "run")
						  : sample_text(r, "source"),
					  penalty,
					  json_number_value(json_array_get(p, 1)));
		}
	if (c && c->n) {
		doc_heading(d, 2, "Reliability score");
		doc_para(d, "What is left of the score when each wrong answer costs so "
			    "much; the chart is in report.html.");
		put(d, c,
		    (struct plot){ .title = "reliability score",
				   .x = "penalty of a wrong answer",
				   .y = "score, percent" });
	}
	mem_free(c);
}
