/* fitplaces.c - see fitplaces.h */
#include "results/fitplaces.h"

#include "results/samples.h"

#include <math.h>

/* What tells one judge from another, in a run's parameters. */
static const char *const known_by[] = { "model",    "model_revision", "temperature",
					"accuracy", "bias",           "shared" };

static const char *judge_of(json_t *run, struct arena *a)
{
	json_t *all = json_object_get(run, "parameters");
	const char *name = NULL;
	struct buf b = { 0 };

	buf_add_str(&b, sample_text(run, "judge"));
	for (size_t i = 0; i < sizeof known_by / sizeof *known_by; i++) {
		json_t *v = json_object_get(all, known_by[i]);

		if (json_is_string(v))
			buf_addf(&b, " %s=%s", known_by[i], json_string_value(v));
		else if (json_is_number(v))
			buf_addf(&b, " %s=%g", known_by[i], json_number_value(v));
	}
	if (!b.bad)
		name = arena_str(a, b.p);
	buf_free(&b);
	return name;
}

static void add_place(struct fitplaces *p, json_t *of)
{
	double place = sample_number(of, "place", 0), se = sample_number(of, "se", 0);
	double cost = sample_number(of, "cost", 0);
	uint32_t i;

	if (!(place >= 2 && place <= PLACKETT_SLOTS && se > 0))
		return;
	i = (uint32_t)place - 1;
	p->weight[i] += 1 / (se * se);
	p->sum[i] += cost / (se * se);
	if (p->se[i] == 0 || se < p->se[i])
		p->se[i] = se;
}

int fitplaces_add(struct fitplaces *p, json_t *run, struct arena *a)
{
	json_t *places = json_object_get(run, "places"), *of;
	const char *judge;
	size_t i;

	if (!json_array_size(places))
		return 0;
	judge = judge_of(run, a);
	if (!judge)
		return ERR_NOMEM;
	p->judge = p->judge ? p->judge : judge;
	if (strcmp(p->judge, judge) != 0)
		p->other = judge;
	p->runs++;
	json_array_foreach (places, i, of)
		add_place(p, of);
	return 0;
}

uint32_t fitplaces_last(const struct fitplaces *p)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < PLACKETT_SLOTS && !p->other; i++)
		if (p->weight[i] > 0)
			last = i + 1;
	return last;
}

double fitplaces_cost(const struct fitplaces *p, uint32_t place)
{
	double cost, se;

	if (!p->weight[place - 1])
		return 0;
	cost = p->sum[place - 1] / p->weight[place - 1];
	se = p->se[place - 1];
	if (fabs(cost) <= se)
		return 0;
	return nearbyint(cost * (1 - se * se / (cost * cost)) * 1e4) / 1e4;
}

static int is_place(const struct weights_row *r)
{
	static const char prefix[] = "lean.place";

	return r->name.n >= sizeof prefix - 1 &&
	       memcmp(r->name.p, prefix, sizeof prefix - 1) == 0;
}

int fitplaces_put(const struct fitplaces *p, struct arena *a, struct weights *w,
		  struct err *e)
{
	uint32_t last = fitplaces_last(p), n = 0;
	struct weights_row *row;

	if (!last)
		return 0;
	row = arena_alloc(a, w->nnamed + last, sizeof *row);
	for (uint32_t i = 0; row && i < w->nnamed; i++)
		if (!is_place(&w->named[i]))
			row[n++] = w->named[i];
	for (uint32_t place = 2; row && place <= last; place++) {
		double cost = fitplaces_cost(p, place);
		char name[32];

		snprintf(name, sizeof name, "lean.place%u", place);
		row[n++] = (struct weights_row){ view_of(arena_str(a, name)),
						 { cost, cost } };
	}
	if (a->bad)
		return err_set(e, ERR_NOMEM, "rows of %u places", last);
	if (n > WEIGHTS_NAMED)
		return err_set(e, ERR_VALUE,
			       "%u rows lean.NAME, a file of weights has at most %d: "
			       "take some out of --evidence-weights",
			       n, WEIGHTS_NAMED);
	w->named = row;
	w->nnamed = n;
	return 0;
}
