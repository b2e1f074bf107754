/* runs.c - see runs.h */
#include "ops/runs.h"

#include "common/base/buf.h"
#include "ops/guess.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 120, RUNS_MOST = 10000 };

static const struct method {
	const char *name;
	uint8_t now;   /* 0: a later version's */
	uint8_t ranks; /* reads passes, judge, windows and memory */
} methods[] = {
	{ "greedy", 1, 0 },  { "majority", 1, 0 },  { "map", 1, 1 },
	{ "mbr", 0, 0 },     { "pointwise", 0, 1 }, { "pairwise", 0, 1 },
	{ "r3", 0, 1 },      { "mcs", 0, 1 },       { "xiyan", 0, 1 },
	{ "csc", 0, 1 },     { "agentar", 0, 1 },   { "psc", 0, 1 },
	{ "rankgpt", 0, 1 }, { "tourrank", 0, 1 },  { "setwise", 0, 1 },
	{ "bestof", 0, 1 },  { "lean", 0, 1 },
};

enum { METHODS = sizeof methods / sizeof *methods };

static const char *const judges[] = { "evidence", "llm", "simulated" };
static const char *const permutes[] = { "within", "between", "both" };
static const char *const units[] = { "group", "candidate" };
static const char *const ties[] = { "judge", "none", "reward" };

static const struct method *find_method(const char *name)
{
	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

int method_reads_judge(const char *method)
{
	const struct method *m = find_method(method);

	return m && m->ranks;
}

static void known_methods(struct buf *b)
{
	for (size_t i = 0; i < METHODS; i++)
		if (methods[i].now)
			buf_addf(b, "%s%s", b->n ? ", " : "", methods[i].name);
}

static int no_method(const char *name, struct err *e)
{
	const char *names[METHODS], *near;
	const struct method *m = find_method(name);
	struct buf known = { 0 };

	for (size_t i = 0; i < METHODS; i++)
		names[i] = methods[i].name;
	near = guess_of(name, names, METHODS);
	known_methods(&known);
	if (m)
		err_set(e, ERR_USAGE,
			"--method %s is not in this version; known now: %s", name,
			known.p);
	else
		err_set(e, ERR_USAGE, "--method: unknown method %s%s%s; known now: %s",
			name, near ? "; did you mean " : "", near ? near : "", known.p);
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

static int method_key(struct run *r, const char *key, const char *v, struct err *e)
{
	static const char *const keys[] = { "window", "step",       "permute",
					    "unit",   "confidence", "tie_break",
					    "stop" };
	uint64_t n;
	int k = 0, x = 0, rc = WORD("--method map", key, keys, &k, e);

	if (rc)
		return rc;
	switch (k) {
	case 0:
		if (!(rc = whole("window", v, 2, 26, &n, e)))
			r->window = (uint32_t)n;
		return rc;
	case 1:
		if (!(rc = whole("step", v, 1, 26, &n, e)))
			r->step = (uint32_t)n;
		return rc;
	case 2:
		if (!(rc = WORD("permute", v, permutes, &x, e)))
			r->permute = (enum permute_how)x;
		return rc;
	case 3:
		if (!(rc = WORD("unit", v, units, &x, e)))
			r->unit = (enum unit_of_rank)x;
		return rc;
	case 4: return real("confidence", v, 0.5, 1, &r->confidence, e);
	case 5:
		if (!(rc = WORD("tie_break", v, ties, &x, e)))
			r->tie_break = (enum tie_break)x;
		if (!rc && r->tie_break == TIE_reward)
			rc = err_set(e, ERR_USAGE,
				     "--tie-break reward is not in this version");
		return rc;
	default:
		return strcmp(v, "t") == 0 ? 0
					   : err_set(e, ERR_USAGE,
						     "--stop %s is not in this "
						     "version; known now: t",
						     v);
	}
}

static int judge_key(struct run *r, const char *key, const char *v, struct err *e)
{
	static const char *const keys[] = { "accuracy", "bias", "shared" };
	int k = 0, rc;

	if (r->judge != JUDGE_simulated)
		return err_set(e, ERR_USAGE, "--judge %s has no key %s",
			       judges[r->judge], key);
	if ((rc = WORD("--judge simulated", key, keys, &k, e)))
		return rc;
	switch (k) {
	case 0: return real("accuracy", v, 0.5, 0.999999, &r->accuracy, e);
	case 1: return real("bias", v, -100, 100, &r->bias, e);
	default: return real("shared", v, 0, 1, &r->shared, e);
	}
}

typedef int key_fn(struct run *r, const char *key, const char *v, struct err *e);

/* The :key=value parts behind a name; the name ends at the first colon. */
static int parse_spec(struct arena *a, const char *spec, struct run *r, key_fn *put,
		      const char **ret_name, struct err *e)
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
		rc = put(r, part, eq + 1, e);
	}
	return rc;
}

/* ---- names and parameters ---- */

static void number(struct buf *b, double v)
{
	buf_addf(b, "%.15g", v);
}

struct parts {
	struct buf b[16];
	size_t n;
};

static struct buf *part(struct parts *p, const char *key)
{
	struct buf *b = &p->b[p->n++];

	buf_addf(b, "%s=", key);
	return b;
}

static int part_cmp(const void *a, const void *b)
{
	return view_cmp(buf_view(a), buf_view(b));
}

static void hex8(const struct hash *h, char ret[9])
{
	char hex[HASH_HEX + 1];

	hash_hex(h, hex);
	memcpy(ret, hex, 8);
	ret[8] = 0;
}

/* The keys that differ from their defaults. */
static void key_parts(const struct sweep *s, const struct run *r, struct parts *p)
{
	char bank[9];

	if (r->window != 8)
		buf_addf(part(p, "window"), "%u", r->window);
	if (r->step != 4)
		buf_addf(part(p, "step"), "%u", r->step);
	if (r->permute != PERMUTE_within)
		buf_add_str(part(p, "permute"), permutes[r->permute]);
	if (r->unit != UNIT_group)
		buf_add_str(part(p, "unit"), units[r->unit]);
	if (r->confidence != 0.95)
		number(part(p, "confidence"), r->confidence);
	if (r->tie_break != TIE_judge)
		buf_add_str(part(p, "tie_break"), ties[r->tie_break]);
	if (r->judge == JUDGE_simulated && r->accuracy != 0.8)
		number(part(p, "accuracy"), r->accuracy);
	if (r->judge == JUDGE_simulated && r->bias != 0)
		number(part(p, "bias"), r->bias);
	if (r->judge == JUDGE_simulated && r->shared != 0.5)
		number(part(p, "shared"), r->shared);
	if (r->judge == JUDGE_llm)
		buf_add(part(p, "model"), s->model.name.p, s->model.name.n);
	if (s->bank.path && r->judge != JUDGE_simulated) {
		hex8(&s->bank.hash, bank);
		buf_add_str(part(p, "memory"), bank);
	}
	qsort(p->b, p->n, sizeof *p->b, part_cmp);
}

static void clean(struct buf *b, size_t from)
{
	for (size_t i = from; i < b->n; i++)
		if (!isalnum((unsigned char)b->p[i]) && !strchr("._", b->p[i]))
			b->p[i] = '_';
}

static void add_key(struct buf *b, const struct buf *p)
{
	size_t key = (size_t)(strchr(p->p, '=') - p->p), at;

	buf_add_char(b, '-');
	at = b->n;
	buf_add(b, p->p, key);
	clean(b, at);
	buf_add_char(b, '=');
	at = b->n;
	buf_add(b, p->p + key + 1, p->n - key - 1);
	clean(b, at);
}

static void stem(const struct sweep *s, const struct method *m, const struct run *r,
		 struct buf *b)
{
	struct parts p = { 0 };

	buf_add_str(b, m->name);
	if (m->ranks && r->passes_min != r->passes_max)
		buf_addf(b, "-k%u..%u", r->passes_min, r->passes_max);
	else if (m->ranks && r->passes_min != 4)
		buf_addf(b, "-k%u", r->passes_min);
	if (r->candidates)
		buf_addf(b, "-n%u", r->candidates);
	if (m->ranks && r->judge != JUDGE_evidence)
		buf_addf(b, "-%s", judges[r->judge]);
	if (m->ranks)
		key_parts(s, r, &p);
	for (size_t i = 0; i < p.n; i++) {
		add_key(b, &p.b[i]);
		buf_free(&p.b[i]);
	}
}

/* With the sampling that is asked for: PAINS B17. */
static void model_parameters(const struct model *m, json_t *o)
{
	json_object_set_new(o, "model", json_stringn(m->name.p, m->name.n));
	if (m->revision.n)
		json_object_set_new(o, "model_revision",
				    json_stringn(m->revision.p, m->revision.n));
	json_object_set_new(o, "temperature", json_real(m->temperature));
	json_object_set_new(o, "top_p", json_real(m->top_p));
	json_object_set_new(o, "max_tokens", json_integer(m->max_tokens));
}

static void rank_parameters(const struct sweep *s, const struct run *r, json_t *o)
{
	char text[32];

	snprintf(text, sizeof text, "%u..%u", r->passes_min, r->passes_max);
	json_object_set_new(o, "passes",
			    r->passes_min == r->passes_max ? json_integer(r->passes_min)
							   : json_string(text));
	json_object_set_new(o, "window", json_integer(r->window));
	json_object_set_new(o, "step", json_integer(r->step));
	json_object_set_new(o, "permute", json_string(permutes[r->permute]));
	json_object_set_new(o, "unit", json_string(units[r->unit]));
	json_object_set_new(o, "confidence", json_real(r->confidence));
	json_object_set_new(o, "stop", json_string("t"));
	json_object_set_new(o, "tie_break", json_string(ties[r->tie_break]));
	if (r->judge == JUDGE_simulated) {
		json_object_set_new(o, "accuracy", json_real(r->accuracy));
		json_object_set_new(o, "bias", json_real(r->bias));
		json_object_set_new(o, "shared", json_real(r->shared));
	}
	if (r->judge == JUDGE_llm)
		model_parameters(&s->model, o);
	if (s->bank.path && r->judge != JUDGE_simulated) {
		hex8(&s->bank.hash, text);
		json_object_set_new(o, "memory", json_string(text));
	}
}

static const char *parameters(struct arena *a, const struct sweep *s,
			      const struct method *m, const struct run *r)
{
	json_t *o = json_object();
	char *text;
	const char *kept = NULL;

	if (m->ranks)
		rank_parameters(s, r, o);
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
	if (text)
		kept = arena_str(a, text);
	free(text);
	json_decref(o);
	return kept;
}

/* ---- the product ---- */

struct product {
	struct options *s;
	struct sweep *sweep;
	uint32_t cap;
	struct err *e;
};

static int same_run(const struct run *a, const struct run *b)
{
	return strcmp(a->method, b->method) == 0 && a->seed == b->seed &&
	       a->candidates == b->candidates && a->judge == b->judge &&
	       strcmp(a->parameters, b->parameters) == 0;
}

static int add_run(struct product *p, const struct method *m, struct run *r)
{
	struct sweep *s = p->sweep;
	struct buf b = { 0 };

	if (!m->ranks) {
		r->judge = JUDGE_evidence;
		r->passes_min = r->passes_max = 0;
	}
	r->method = m->name;
	r->uses_gold = m->ranks && r->judge == JUDGE_simulated;
	r->parameters = parameters(&s->arena, s, m, r);
	stem(s, m, r, &b);
	r->stem = b.bad ? NULL : arena_str(&s->arena, b.p);
	buf_free(&b);
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

	for (size_t i = 0; i < n && !rc; i++) {
		struct run one = *r;

		rc = parse_candidates(list[i], &one, p->e);
		if (!rc)
			rc = with_seeds(p, m, &one);
	}
	return rc;
}

static int with_passes(struct product *p, const struct method *m, const struct run *r)
{
	size_t n;
	const char **list = opt_list(p->s, FLAG_passes, &n);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct run one = *r;

		rc = parse_passes(list[i], &one, p->e);
		if (!rc)
			rc = with_candidates(p, m, &one);
	}
	return rc;
}

static int judge_needs(struct product *p, const struct run *r)
{
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

		rc = parse_spec(&p->sweep->arena, list[i], &one, NULL, &name, p->e);
		if (!rc)
			rc = WORD("--judge", name, judges, &k, p->e);
		one.judge = (enum judge_kind)k;
		if (!rc)
			rc = parse_spec(&p->sweep->arena, list[i], &one, judge_key,
					&name, p->e);
		if (!rc && m->ranks)
			rc = judge_needs(p, &one);
		if (!rc)
			rc = with_passes(p, m, &one);
	}
	return rc;
}

static int defaults(struct options *s, struct run *r, struct err *e)
{
	static const enum flag flags[] = { FLAG_permute, FLAG_unit, FLAG_tie_break,
					   FLAG_stop };
	int rc = 0;

	*r = (struct run){ .accuracy = 0.8, .shared = 0.5 };
	r->window = (uint32_t)opt_count(s, FLAG_window);
	r->step = (uint32_t)opt_count(s, FLAG_step);
	r->confidence = opt_number(s, FLAG_confidence);
	for (size_t i = 0; i < sizeof flags / sizeof *flags && !rc; i++)
		rc = method_key(r, flag_key(flags[i]), opt_text(s, flags[i]), e);
	return rc;
}

static int with_method(struct product *p, const char *spec)
{
	const char *name;
	const struct method *m;
	struct run r;
	int rc = defaults(p->s, &r, p->e);

	if (!rc)
		rc = parse_spec(&p->sweep->arena, spec, &r, NULL, &name, p->e);
	if (rc)
		return rc;
	m = find_method(name);
	if (!m || !m->now)
		return no_method(name, p->e);
	if (!m->ranks && strchr(spec, ':'))
		return err_set(p->e, ERR_USAGE, "--method %s: %s reads no keys", spec,
			       name);
	rc = parse_spec(&p->sweep->arena, spec, &r, method_key, &name, p->e);
	if (!rc && r.step > r.window)
		rc = err_set(p->e, ERR_USAGE,
			     "--step %u is larger than --window %u: candidates "
			     "would be seen by no window",
			     r.step, r.window);
	return rc ? rc : with_judges(p, m, &r);
}

/* Two runs may not share a name: both get a piece of their parameters' hash. */
static int name_runs(struct sweep *s, struct err *e)
{
	uint8_t *clash = arena_alloc(&s->arena, s->nrun + 1, 1);

	if (!clash)
		return err_set(e, ERR_NOMEM, "runs");
	for (uint32_t i = 0; i < s->nrun; i++)
		for (uint32_t k = 0; k < s->nrun; k++)
			clash[i] |= i != k && s->run[i].seed == s->run[k].seed &&
				    strcmp(s->run[i].stem, s->run[k].stem) == 0;
	for (uint32_t i = 0; i < s->nrun; i++) {
		struct run *r = &s->run[i];
		struct hash h = hash_of(r->parameters, strlen(r->parameters));
		char hex[9];
		struct buf b = { 0 };

		hex8(&h, hex);
		if (clash[i] || strlen(r->stem) + 24 > NAME_BYTES)
			buf_addf(&b, "%.*s~%s", NAME_BYTES - 40, r->stem, hex);
		else
			buf_add_str(&b, r->stem);
		r->stem = b.bad ? NULL : arena_str(&s->arena, b.p);
		buf_addf(&b, "-s%" PRIu64, r->seed);
		r->name = b.bad ? NULL : arena_str(&s->arena, b.p);
		buf_free(&b);
		if (!r->stem || !r->name)
			return err_set(e, ERR_NOMEM, "runs");
	}
	return 0;
}

int runs_make(struct options *s, struct sweep *sweep, struct err *e)
{
	struct product p = { s, sweep, 0, e };
	size_t n;
	const char **list = opt_list(s, FLAG_method, &n);
	int rc = 0;

	sweep->nrun = 0; /* again, once the bank is known */
	sweep->run = NULL;
	for (size_t i = 0; i < n && !rc; i++)
		rc = with_method(&p, list[i]);
	return rc ? rc : name_runs(sweep, e);
}
