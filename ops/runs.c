/* runs.c - see runs.h */
#include "ops/runs.h"

#include "broker/method/method.h"
#include "common/base/buf.h"
#include "common/select/stop.h"
#include "ops/guess.h"
#include "ops/runname.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MOST = 10000, METHODS_MOST = 64, BUDGET_MOST = 1000000000 };

static int no_method(const char *name, struct err *e)
{
	const char *names[METHODS_MOST], *near;
	struct buf known = { 0 };
	size_t n = 0;

	for (; method_at(n) && n < METHODS_MOST; n++) {
		names[n] = method_at(n)->name;
		buf_addf(&known, "%s%s", n ? ", " : "", names[n]);
	}
	near = guess_of(name, names, n);
	err_set(e, ERR_USAGE, "--method: unknown method %s%s%s; known: %s", name,
		near ? "; did you mean " : "", near ? near : "", known.p);
	buf_free(&known);
	return ERR_USAGE;
}

/* ---- values ---- */

static int word(const char *flag, const char *v, const char *const *words, size_t n,
		int *ret, struct err *e)
{
	const char *near;

	for (size_t i = 0; i < n; i++)
		if (strcmp(v, words[i]) == 0) {
			*ret = (int)i;
			return 0;
		}
	near = guess_of(v, words, n);
	return err_set(e, ERR_USAGE, "%s: unknown value %s; %s%s", flag, v,
		       near ? "did you mean " : "--help lists them", near ? near : "");
}

#define WORD(flag, v, words, ret, e) \
	word(flag, v, words, sizeof words / sizeof *words, ret, e)

static int whole(const char *flag, const char *v, uint64_t lo, uint64_t hi,
		 uint64_t *ret, struct err *e)
{
	char *end;
	unsigned long long x;

	errno = 0;
	x = strtoull(v, &end, 10);
	if (!isdigit((unsigned char)*v) || *end || errno || x < lo || x > hi)
		return err_set(e, ERR_USAGE,
			       "%s: \"%s\" is no whole number from %" PRIu64
			       " to %" PRIu64,
			       flag, v, lo, hi);
	*ret = x;
	return 0;
}

static int real(const char *flag, const char *v, double lo, double hi, double *ret,
		struct err *e)
{
	char *end;
	double x = strtod(v, &end);

	if (end == v || *end || !(x >= lo && x <= hi))
		return err_set(e, ERR_USAGE, "%s: \"%s\" is no number from %g to %g",
			       flag, v, lo, hi);
	*ret = x;
	return 0;
}

static int parse_passes(const char *v, struct run *r, struct err *e)
{
	const char *dots = strstr(v, "..");
	char low[24];
	uint64_t a, b;
	int rc;

	snprintf(low, sizeof low, "%.*s", dots ? (int)(dots - v) : 23, v);
	if ((rc = whole("--passes", low, 1, 1000, &a, e)))
		return rc;
	b = a;
	if (dots && (rc = whole("--passes", dots + 2, 1, 1000, &b, e)))
		return rc;
	if (b < a)
		return err_set(e, ERR_USAGE,
			       "--passes %s: the larger number stands behind", v);
	r->passes_min = (uint32_t)a;
	r->passes_max = (uint32_t)b;
	return 0;
}

static int parse_candidates(const char *v, struct run *r, struct err *e)
{
	uint64_t n = 0;
	int rc = 0;

	if (strcmp(v, "all") != 0)
		rc = whole("--candidates", v, 1, 100000, &n, e);
	r->candidates = (uint32_t)n;
	return rc;
}

/* ---- KEY=VALUE of a method or judge ---- */

typedef int key_fn(struct run *r, const char *v, struct err *e);

static int key_window(struct run *r, const char *v, struct err *e)
{
	uint64_t n;
	int rc = whole("window", v, 2, 26, &n, e);

	if (!rc)
		r->window = (uint32_t)n;
	return rc;
}

static int key_step(struct run *r, const char *v, struct err *e)
{
	uint64_t n;
	int rc = whole("step", v, 1, 26, &n, e);

	if (!rc)
		r->step = (uint32_t)n;
	return rc;
}

static int key_permute(struct run *r, const char *v, struct err *e)
{
	int x = 0, rc = WORD("permute", v, permute_words, &x, e);

	r->permute = (enum permute_how)x;
	return rc;
}

static int key_unit(struct run *r, const char *v, struct err *e)
{
	int x = 0, rc = WORD("unit", v, unit_words, &x, e);

	r->unit = (enum unit_of_rank)x;
	return rc;
}

static int key_confidence(struct run *r, const char *v, struct err *e)
{
	return real("confidence", v, 0.5, 1, &r->confidence, e);
}

static int key_tie_break(struct run *r, const char *v, struct err *e)
{
	int x = 0, rc = WORD("tie_break", v, tie_words, &x, e);

	r->tie_break = (enum tie_break)x;
	return rc;
}

static int key_stop(struct run *r, const char *v, struct err *e)
{
	int x = 0, rc = WORD("stop", v, stop_words, &x, e);

	r->stop = (enum stop_how)x;
	return rc;
}

static int key_budget(struct run *r, const char *v, struct err *e)
{
	int rc = whole("budget", v, 0, BUDGET_MOST, &r->budget, e);

	r->has_budget = !rc;
	return rc;
}

/* The keys that several methods read; each is a flag, too. */
static const struct common_key {
	const char *name;
	unsigned reads;
	enum flag flag;
	key_fn *put;
} common_keys[] = {
	{ "window", READS_WINDOW, FLAG_window, key_window },
	{ "step", READS_WINDOW, FLAG_step, key_step },
	{ "permute", READS_PERMUTE, FLAG_permute, key_permute },
	{ "unit", READS_TIE, FLAG_unit, key_unit },
	{ "confidence", READS_TIE, FLAG_confidence, key_confidence },
	{ "tie_break", READS_TIE, FLAG_tie_break, key_tie_break },
	{ "stop", READS_STOP, FLAG_stop, key_stop },
	{ "budget", READS_BUDGET, FLAG_budget, key_budget },
};

enum { COMMON_KEYS = sizeof common_keys / sizeof *common_keys };

static int no_key(const struct method *m, const char *key, struct err *e)
{
	const char *names[COMMON_KEYS + RUN_OWN + 1] = { "candidates" }, *near;
	size_t n = 1;

	for (size_t i = 0; i < COMMON_KEYS; i++)
		if (m->reads & common_keys[i].reads)
			names[n++] = common_keys[i].name;
	for (size_t i = 0; i < method_keys(m); i++)
		names[n++] = m->key[i].name;
	near = guess_of(key, names, n);
	return err_set(e, ERR_USAGE, "--method %s: it has no key %s; %s%s", m->name,
		       key, near ? "did you mean " : "--help lists them",
		       near ? near : "");
}

static int own_key(const struct method *m, size_t i, const char *v, struct run *r,
		   struct err *e)
{
	const struct method_key *k = &m->key[i];
	size_t name = strlen(k->name);

	if (m->absent && strncmp(m->absent, k->name, name) == 0 &&
	    m->absent[name] == '=' && strcmp(m->absent + name + 1, v) == 0)
		return err_set(e, ERR_USAGE,
			       "--method %s: %s is not in this version: %s; known: %s",
			       m->name, m->absent, m->why_absent, k->words);
	if (method_key_parse(k, v, &r->own[i]))
		return 0;
	if (k->words)
		return err_set(e, ERR_USAGE, "--method %s: %s=%s; it is one of %s",
			       m->name, k->name, v, k->words);
	return err_set(e, ERR_USAGE,
		       "--method %s: %s=%s; it is a whole number from %g to %g",
		       m->name, k->name, v, k->lo, k->hi);
}

struct product {
	struct options *s;
	struct sweep *sweep;
	uint32_t cap;
	struct err *e;
	/* of the --method that is read now */
	const struct method *method;
	const char *candidates; /* instead of the axis; NULL: the axis */
};

static int method_key_put(void *arg, struct run *r, const char *key, const char *v,
			  struct err *e)
{
	struct product *p = arg;
	const struct method *m = p->method;

	if (strcmp(key, "candidates") == 0) {
		p->candidates = v;
		return parse_candidates(v, r, e);
	}
	for (size_t i = 0; i < COMMON_KEYS; i++)
		if (m->reads & common_keys[i].reads &&
		    strcmp(key, common_keys[i].name) == 0)
			return common_keys[i].put(r, v, e);
	for (size_t i = 0; i < method_keys(m); i++)
		if (strcmp(key, m->key[i].name) == 0)
			return own_key(m, i, v, r, e);
	return no_key(m, key, e);
}

static int judge_key_put(void *unused, struct run *r, const char *key, const char *v,
			 struct err *e)
{
	static const char *const keys[] = { "accuracy", "bias", "shared" };
	int k = 0, rc;

	(void)unused;
	if (r->judge != JUDGE_simulated)
		return err_set(e, ERR_USAGE, "--judge %s has no key %s",
			       judge_words[r->judge], key);
	if ((rc = WORD("--judge simulated", key, keys, &k, e)))
		return rc;
	switch (k) {
	case 0: return real("accuracy", v, 0.5, 0.999999, &r->accuracy, e);
	case 1: return real("bias", v, -100, 100, &r->bias, e);
	default: return real("shared", v, 0, 1, &r->shared, e);
	}
}

typedef int put_fn(void *arg, struct run *r, const char *key, const char *v,
		   struct err *e);

/* The :key=value parts behind a name; the name ends at the first colon. */
static int parse_spec(struct arena *a, const char *spec, struct run *r, put_fn *put,
		      void *arg, const char **ret_name, struct err *e)
{
	char *text = arena_str(a, spec), *part, *save = NULL;
	int rc = 0;

	if (!text)
		return err_set(e, ERR_NOMEM, "%s", spec);
	*ret_name = strtok_r(text, ":", &save);
	if (!*ret_name)
		return err_set(e, ERR_USAGE, "\"%s\" names nothing", spec);
	while (put && !rc && (part = strtok_r(NULL, ":", &save))) {
		char *eq = strchr(part, '=');

		if (!eq)
			return err_set(e, ERR_USAGE,
				       "%s: \"%s\" is not of the form KEY=VALUE", spec,
				       part);
		*eq = 0;
		rc = put(arg, r, part, eq + 1, e);
	}
	return rc;
}

int runs_most_passes(const char **list, size_t n, uint32_t *ret, struct err *e)
{
	struct run one = { 0 };
	int rc = 0;

	*ret = 0;
	for (size_t i = 0; i < n && !rc; i++) {
		rc = parse_passes(list[i], &one, e);
		if (!rc && one.passes_max > *ret)
			*ret = one.passes_max;
	}
	return rc;
}

/* ---- the product ---- */

static int same_run(const struct run *a, const struct run *b)
{
	return strcmp(a->method, b->method) == 0 && a->seed == b->seed &&
	       a->candidates == b->candidates && a->judge == b->judge &&
	       strcmp(a->parameters, b->parameters) == 0;
}

static int add_run(struct product *p, const struct method *m, struct run *r)
{
	struct sweep *s = p->sweep;

	if (!(m->reads & READS_JUDGE))
		r->judge = JUDGE_evidence;
	if (!(m->reads & READS_PASSES))
		r->passes_min = r->passes_max = 0;
	if (!(m->reads & READS_STOP))
		r->passes_min = r->passes_max;
	if (!(m->reads & READS_BUDGET))
		r->has_budget = 0;
	r->method = m->name;
	r->reads_judge = (m->reads & READS_JUDGE) != 0;
	r->uses_gold = m->reads & READS_JUDGE && r->judge == JUDGE_simulated;
	r->parameters = run_parameters(s, r, m);
	r->stem = run_stem(s, r, m);
	if (!r->parameters || !r->stem)
		return err_set(p->e, ERR_NOMEM, "runs");
	for (uint32_t i = 0; i < s->nrun; i++)
		if (same_run(&s->run[i], r))
			return 0; /* an axis that the method does not read */
	if (s->nrun == p->cap) {
		uint32_t cap = p->cap ? p->cap * 2 : 16;
		struct run *v = arena_alloc(&s->arena, cap, sizeof *v);

		if (!v || cap > RUNS_MOST * 2)
			return err_set(p->e, ERR_USAGE, "over %d runs in one sweep",
				       RUNS_MOST);
		if (s->nrun)
			memcpy(v, s->run, s->nrun * sizeof *v);
		s->run = v;
		p->cap = cap;
	}
	s->run[s->nrun++] = *r;
	return 0;
}

static int with_seeds(struct product *p, const struct method *m, const struct run *r)
{
	size_t n;
	const char **seeds = opt_list(p->s, FLAG_seed, &n);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct run one = *r;

		rc = whole(opt_where(p->s, FLAG_seed), seeds[i], 0, UINT64_MAX,
			   &one.seed, p->e);
		if (!rc)
			rc = add_run(p, m, &one);
	}
	return rc;
}

static int with_candidates(struct product *p, const struct method *m,
			   const struct run *r)
{
	size_t n;
	const char **list = opt_list(p->s, FLAG_candidates, &n);
	int rc = 0;

	if (p->candidates) {
		list = &p->candidates;
		n = 1;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct run one = *r;

		rc = parse_candidates(list[i], &one, p->e);
		if (!rc)
			rc = with_seeds(p, m, &one);
	}
	return rc;
}

static int stop_fits(const struct run *r, struct err *e)
{
	if (r->stop != STOP_two_stage ||
	    stop_two_stage_wins(r->passes_max) <= r->passes_max)
		return 0;
	return err_set(e, ERR_USAGE,
		       "--stop two-stage first looks at pass 4, and --passes %u ends "
		       "before it: say --passes 4..8",
		       r->passes_max);
}

static int with_passes(struct product *p, const struct method *m, const struct run *r)
{
	size_t n;
	const char **list = opt_list(p->s, FLAG_passes, &n);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct run one = *r;

		rc = parse_passes(list[i], &one, p->e);
		if (!rc && m->reads & READS_STOP)
			rc = stop_fits(&one, p->e);
		if (!rc)
			rc = with_candidates(p, m, &one);
	}
	return rc;
}

static int judge_needs(struct product *p, const struct run *r)
{
	if (r->tie_break == TIE_reward && !p->sweep->reward.name.n)
		return err_set(p->e, ERR_USAGE,
			       "--tie-break reward needs --reward-model and "
			       "--reward-url");
	if (r->judge == JUDGE_llm && !p->sweep->model.name.n)
		return err_set(p->e, ERR_USAGE,
			       "--judge llm needs --model (and --base-url)");
	if (r->judge == JUDGE_simulated && !opt_text(p->s, FLAG_gold))
		return err_set(
			p->e, ERR_USAGE,
			"--judge simulated answers from labels: it needs --gold");
	return 0;
}

static int with_judges(struct product *p, const struct method *m, const struct run *r)
{
	size_t n;
	const char **list = opt_list(p->s, FLAG_judge, &n), *name;
	const char *one_default = opt_text(p->s, FLAG_model) ? "llm" : "evidence";
	int rc = 0;

	if (!n) {
		list = &one_default;
		n = 1;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct run one = *r;
		int k = 0;

		rc = parse_spec(&p->sweep->arena, list[i], &one, NULL, NULL, &name,
				p->e);
		if (!rc)
			rc = WORD("--judge", name, judge_words, &k, p->e);
		one.judge = (enum judge_kind)k;
		if (!rc)
			rc = parse_spec(&p->sweep->arena, list[i], &one, judge_key_put,
					NULL, &name, p->e);
		if (!rc && m->reads & READS_JUDGE)
			rc = judge_needs(p, &one);
		if (!rc)
			rc = with_passes(p, m, &one);
	}
	return rc;
}

/* What the flags say. */
static int defaults(struct options *s, const struct sweep *sweep, struct run *r,
		    struct err *e)
{
	int rc = 0;

	*r = (struct run){ .accuracy = 0.8, .shared = 0.5 };
	r->tie_break = sweep->reward.name.n ? TIE_reward : TIE_judge;
	for (size_t i = 0; i < COMMON_KEYS && !rc; i++)
		if (opt_text(s, common_keys[i].flag))
			rc = common_keys[i].put(r, opt_text(s, common_keys[i].flag), e);
	return rc;
}

static int with_method(struct product *p, const char *spec)
{
	const char *name;
	const struct method *m;
	struct run r;
	int rc = defaults(p->s, p->sweep, &r, p->e);

	if (!rc)
		rc = parse_spec(&p->sweep->arena, spec, &r, NULL, NULL, &name, p->e);
	if (rc)
		return rc;
	m = method_by_name(name);
	if (!m)
		return no_method(name, p->e);
	for (size_t i = 0; i < method_keys(m); i++)
		r.own[i] = m->key[i].standard;
	p->method = m;
	p->candidates = NULL;
	rc = parse_spec(&p->sweep->arena, spec, &r, method_key_put, p, &name, p->e);
	if (!rc && r.step > r.window)
		rc = err_set(p->e, ERR_USAGE,
			     "--step %u is larger than --window %u: candidates "
			     "would be seen by no window",
			     r.step, r.window);
	return rc ? rc : with_judges(p, m, &r);
}

static int budget_is_read(struct options *s, const struct sweep *sweep, struct err *e)
{
	struct buf who = { 0 };

	for (uint32_t i = 0; i < sweep->nrun; i++)
		if (sweep->run[i].has_budget)
			return 0;
	for (size_t i = 0; method_at(i); i++)
		if (method_at(i)->reads & READS_BUDGET)
			buf_addf(&who, "%s%s", who.n ? ", " : "", method_at(i)->name);
	err_set(e, ERR_USAGE,
		"%s: the asks of %s are a matter of the method and cannot be "
		"counted out; say --method with one that asks where it pays (%s), or "
		"--call-limit to stop at a number of calls",
		opt_where(s, FLAG_budget), opt_text(s, FLAG_method), who.p);
	buf_free(&who);
	return ERR_USAGE;
}

int runs_make(struct options *s, struct sweep *sweep, struct err *e)
{
	struct product p = { .s = s, .sweep = sweep, .e = e };
	size_t n;
	const char **list = opt_list(s, FLAG_method, &n);
	int rc = 0;

	sweep->nrun = 0; /* again, once the bank is known */
	sweep->run = NULL;
	for (size_t i = 0; i < n && !rc; i++)
		rc = with_method(&p, list[i]);
	if (!rc && opt_text(s, FLAG_budget))
		rc = budget_is_read(s, sweep, e);
	return rc ? rc : runs_name(sweep, e);
}
