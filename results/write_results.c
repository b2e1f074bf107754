/* write_results.c - results.json: the numbers, in the order people ask for them */
#include "results/write.h"

static const char *judge_of(const struct run *r)
{
	return r->reads_judge ? judge_words[r->judge] : NULL; /* else it asks no one */
}

static void candidates_json(struct jsonw *w, uint32_t n)
{
	jw_key(w, "candidates");
	if (n)
		jw_u64(w, n);
	else
		jw_str(w, view_of("all"));
}

void write_ratio(struct jsonw *w, const char *key, double n, double of)
{
	jw_key(w, key);
	if (of)
		jw_num(w, n / of);
	else
		jw_null(w);
}

static void bounds_json(struct jsonw *w, const char *key, int known, double low,
			double high)
{
	jw_key(w, key);
	if (!known) {
		jw_null(w);
		return;
	}
	jw_flat(w);
	jw_array(w);
	jw_num9(w, low);
	jw_num9(w, high);
	jw_end(w);
}

void write_interval(struct jsonw *w, const char *key, const struct estimate *x)
{
	bounds_json(w, key, x->known, x->low, x->high);
}

static void bootstrap_json(struct jsonw *w, const char *key, const struct interval *x)
{
	bounds_json(w, key, x->known, x->low, x->high);
}

static void share_json(struct jsonw *w, struct view key, const struct share *x)
{
	jw_key_view(w, key);
	jw_flat(w);
	jw_object(w);
	jw_ku64(w, "n", x->n);
	write_ratio(w, "ex", x->right, x->n);
	jw_end(w);
}

void write_shares(struct jsonw *w, const char *key, const struct tally *t,
		  const struct share *level)
{
	jw_kobject(w, key);
	for (uint32_t i = 0; i < t->nlevel; i++)
		share_json(w, t->level[i].name, &level[i]);
	jw_end(w);
}

void write_dbs(struct jsonw *w, const struct tally *t, const struct share *db)
{
	jw_kobject(w, "by_db");
	for (uint32_t i = 0; i < t->sweep->ndb; i++)
		if (db[i].n)
			share_json(w, t->sweep->db[i].id, &db[i]);
	jw_end(w);
}

void write_correction(struct jsonw *w, const struct correction *c)
{
	if (!c->n)
		return;
	write_ratio(w, "corrected", c->right, c->n);
	jw_ku64(w, "corrected_questions", c->n);
	write_ratio(w, "corrected_before", c->before, c->n);
}

/* [penalty, score] in percent: what each wrong answer costs, and what is left. */
void write_rs_curve(struct jsonw *w, const struct reliability *r, uint32_t nq)
{
	const double penalty[] = { 0, 1, 2, 3, 5, 7, 10, 15, 20, 50, 100, nq };

	jw_key(w, "rs_curve");
	jw_flat(w);
	jw_array(w);
	for (size_t i = 0; i < sizeof penalty / sizeof *penalty; i++) {
		jw_array(w);
		jw_num(w, penalty[i]);
		jw_num(w, reliability_score(r, penalty[i]));
		jw_end(w);
	}
	jw_end(w);
}

static void rates_json(struct jsonw *w, const char *part, const struct rates *x)
{
	const struct {
		const char *name;
		double value;
	} rate[] = { { "precision", x->precision },
		     { "recall", x->recall },
		     { "f1", x->f1 } };
	char key[32];

	for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
		snprintf(key, sizeof key, "%s_%s", rate[i].name, part);
		jw_knum(w, key, rate[i].value);
	}
}

void write_replies(struct jsonw *w, const struct replies *a)
{
	struct rates ans = replies_ans(a), exec = replies_exec(a);

	rates_json(w, "ans", &ans);
	rates_json(w, "exec", &exec);
}

void write_benchmark(struct jsonw *w, const struct tally *t)
{
	const struct sweep *s = t->sweep;

	jw_kobject(w, "benchmark");
	jw_kstr(w, "name", s->benchmark);
	jw_kstr(w, "rule", rule_name(s->rule));
	if (s->rule == RULE_spider)
		jw_kbool(w, "keep_distinct", s->keep_distinct);
	if (s->float_tol > 0)
		jw_knum(w, "float_tol", s->float_tol);
	jw_ku64(w, "questions", s->nq);
	jw_ku64(w, "databases", s->ndb);
	if (t->gold) {
		jw_ku64(w, "gold_failed", t->gold_failed);
		jw_ku64(w, "non_utf8", t->non_utf8);
	}
	jw_end(w);
}

static void pool_json(struct jsonw *w, const struct tally *t,
		      const struct tally_pool *p)
{
	jw_object(w);
	candidates_json(w, p->candidates);
	jw_ku64(w, "seed", p->seed);
	jw_ku64(w, "questions", p->questions);
	write_ratio(w, "mean_groups", (double)p->groups, p->questions);
	jw_ku64(w, "single_group", p->single_group);
	if (t->gold && p->questions) {
		write_ratio(w, "oracle", p->oracle, p->questions);
		write_ratio(w, "adversary", p->adversary, p->questions);
		jw_knum9(w, "mean_single", p->single / p->questions);
	} else {
		jw_knull(w, "oracle");
		jw_knull(w, "adversary");
		jw_knull(w, "mean_single");
	}
	jw_end(w);
}

static void status_json(struct jsonw *w, const struct tally_status *x)
{
	for (int i = 0; i < STATUSES; i++)
		if (x->n[i])
			jw_ku64(w, status_name((enum status)i), x->n[i]);
}

static uint64_t status_sum(const struct tally_status *x)
{
	uint64_t n = 0;

	for (int i = 0; i < STATUSES; i++)
		n += x->n[i];
	return n;
}

static void sources_json(struct jsonw *w, const struct tally *t)
{
	jw_karray(w, "sources");
	for (uint32_t i = 0; i < t->nsource; i++) {
		const struct tally_source *x = &t->source[i];
		uint64_t n = status_sum(&x->status);

		jw_flat(w);
		jw_object(w);
		jw_kview(w, "source", x->name);
		jw_ku64(w, "n", n);
		if (t->gold)
			write_ratio(w, "right", (double)x->status.right, (double)n);
		status_json(w, &x->status);
		jw_end(w);
	}
	jw_end(w);
}

void write_statuses(struct jsonw *w, const struct tally *t)
{
	jw_kobject(w, "statuses");
	jw_ku64(w, "n", status_sum(&t->all));
	status_json(w, &t->all);
	jw_end(w);
	jw_karray(w, "failures");
	for (uint32_t i = 0; i < t->nclass; i++) {
		const struct tally_class *c = &t->class_[i];

		jw_flat(w);
		jw_object(w);
		jw_kstr(w, "status", status_name(c->status));
		jw_kstr(w, "class", c->name);
		jw_ku64(w, "n", c->n);
		jw_key(w, "example");
		jw_raw(w, c->example_id);
		jw_end(w);
	}
	jw_end(w);
	sources_json(w, t);
}

static void ex_json(struct jsonw *w, const struct tally *t, const struct tally_run *r)
{
	uint32_t nq = t->sweep->nq;

	write_ratio(w, "ex", r->correct, nq);
	jw_ku64(w, "correct", r->correct);
	write_ratio(w, "ex_valid", r->correct, (double)nq - r->gold_failed);
	if (r->ex.known)
		jw_knum9(w, "ex_stderr", r->ex.stderr_);
	else
		jw_knull(w, "ex_stderr");
	write_interval(w, "ex_ci95", &r->ex);
	write_interval(w, "ex_ci95_by_db", &r->ex_by_db);
	jw_kobject(w, "scores");
	write_ratio(w, "strict", r->strict, nq);
	if (t->sweep->rule == RULE_bird)
		write_ratio(w, "soft_f1", r->soft_f1, r->soft_n == nq ? nq : 0);
	write_correction(w, &r->correction);
	if (rule_abstains(t->sweep->rule)) {
		jw_knum(w, "rs0", reliability_score(&r->rs, 0));
		jw_knum(w, "rs5", reliability_score(&r->rs, 5));
		jw_knum(w, "rs10", reliability_score(&r->rs, 10));
		jw_knum(w, "rsN", reliability_score(&r->rs, nq));
		write_rs_curve(w, &r->rs, nq);
	}
	if (t->sweep->rule == RULE_ehrsql_v1)
		write_replies(w, &r->replies);
	jw_end(w);
	write_shares(w, "by_difficulty", t, r->level);
	write_dbs(w, t, r->db);
}

static void no_ex_json(struct jsonw *w)
{
	static const char *const key[] = { "ex",       "correct",
					   "ex_valid", "ex_stderr",
					   "ex_ci95",  "ex_ci95_by_db",
					   "scores",   "by_difficulty",
					   "by_db" };

	for (size_t i = 0; i < sizeof key / sizeof *key; i++)
		jw_knull(w, key[i]);
}

static void use_lines(struct jsonw *w, const struct use *u, uint32_t nq)
{
	jw_kobject(w, "usage");
	use_json(w, u);
	jw_end(w);
	jw_key(w, "per_question");
	jw_flat(w);
	jw_object(w);
	write_ratio(w, "asks", (double)u->asks, nq);
	write_ratio(w, "calls", (double)u->calls, nq);
	write_ratio(w, "prompt_tokens", (double)u->prompt, nq);
	write_ratio(w, "completion_tokens", (double)u->completion, nq);
	jw_end(w);
}

static void parse_json(struct jsonw *w, const struct tally_run *r)
{
	jw_key(w, "parse");
	jw_flat(w);
	jw_object(w);
	jw_ku64(w, "rankings", r->rankings);
	jw_ku64(w, "void", r->void_rankings);
	jw_ku64(w, "failed", r->parse_failed);
	jw_ku64(w, "missing", r->parse_missing);
	jw_ku64(w, "duplicate", r->parse_duplicate);
	jw_ku64(w, "unknown", r->parse_unknown);
	jw_end(w);
}

static void run_json(struct jsonw *w, const struct tally *t, const struct tally_run *r)
{
	const struct run *run = r->run;

	jw_object(w);
	jw_kstr(w, "run", run->name);
	jw_kstr(w, "method", run->method);
	jw_key(w, "parameters");
	jw_raw(w, view_of(run->parameters ? run->parameters : "{}"));
	jw_kstr(w, "judge", judge_of(run));
	jw_ku64(w, "seed", run->seed);
	candidates_json(w, run->candidates);
	jw_kbool(w, "uses_gold", run->uses_gold);
	jw_ku64(w, "questions", t->sweep->nq);
	jw_ku64(w, "degraded", r->degraded);
	jw_ku64(w, "failed", r->failed);
	if (r->pending)
		jw_ku64(w, "unfinished", r->pending);
	jw_ku64(w, "gold_failed", r->gold_failed);
	if (t->gold)
		ex_json(w, t, r);
	else
		no_ex_json(w);
	use_lines(w, &r->use, t->sweep->nq);
	write_ratio(w, "passes", (double)r->passes, r->ranked);
	jw_ku64(w, "ranked", r->ranked);
	jw_ku64(w, "tied", r->tied);
	jw_ku64(w, "overturned", r->overturned);
	jw_key(w, "overturned_right");
	if (t->gold)
		jw_u64(w, r->overturned_right);
	else
		jw_null(w);
	jw_key(w, "overturned_wrong");
	if (t->gold)
		jw_u64(w, r->overturned_wrong);
	else
		jw_null(w);
	parse_json(w, r);
	sureness_json(w, &r->sure);
	slots_json(w, &r->slots);
	jw_end(w);
}

static void summary_json(struct jsonw *w, const struct tally *t,
			 const struct tally_stem *m)
{
	jw_object(w);
	jw_kstr(w, "run", m->name);
	jw_kstr(w, "method", m->run->method);
	candidates_json(w, m->run->candidates);
	jw_kstr(w, "judge", judge_of(m->run));
	jw_ku64(w, "seeds", m->seeds);
	write_ratio(w, "ex_mean", m->correct,
		    t->gold ? (double)m->seeds * t->sweep->nq : 0);
	jw_key(w, "ex_sd");
	if (t->gold && m->sd >= 0)
		jw_num9(w, m->sd);
	else
		jw_null(w);
	jw_end(w);
}

static void pair_json(struct jsonw *w, const struct tally *t,
		      const struct tally_pair *p)
{
	const struct tally_stem *a = &t->stem[p->a];

	jw_object(w);
	jw_kstr(w, "a", a->name);
	jw_kstr(w, "b", t->stem[p->b].name);
	jw_kstr(w, "judge", judge_of(a->run));
	candidates_json(w, a->run->candidates);
	jw_ku64(w, "questions", p->questions);
	write_ratio(w, "difference", (double)p->b10 - p->b01, p->questions);
	write_interval(w, "ci95", &p->t);
	write_interval(w, "ci95_by_db", &p->by_db);
	bootstrap_json(w, "bootstrap95", &p->boot);
	bootstrap_json(w, "bootstrap95_by_db", &p->boot_by_db);
	jw_ku64(w, "b01", p->b01);
	jw_ku64(w, "b10", p->b10);
	jw_knum9(w, "mcnemar_p", p->p);
	jw_knum9(w, "question_p", p->by_question);
	jw_knum9(w, "holm_p", p->holm);
	jw_knum9(w, "power", p->power);
	jw_knum9(w, "detectable", p->detectable);
	jw_end(w);
}

/* What only gold tells. */
static void scored_ratio(struct jsonw *w, const char *key, const struct tally *t,
			 double n, double of)
{
	write_ratio(w, key, n, t->gold ? of : 0);
}

static void consistency_json(struct jsonw *w, const struct tally *t,
			     const struct tally_consistency *c)
{
	jw_object(w);
	jw_kstr(w, "run", t->stem[c->stem].name);
	jw_ku64(w, "pairs", c->pairs);
	jw_ku64(w, "questions", c->questions);
	write_ratio(w, "candidate", c->candidate, c->questions);
	write_ratio(w, "group", c->group, c->questions);
	scored_ratio(w, "candidate_and_correct", t, c->candidate_right, c->questions);
	scored_ratio(w, "ex_disagreement", t, c->differ, c->questions);
	jw_key(w, "contested");
	jw_flat(w);
	jw_object(w);
	jw_ku64(w, "questions", c->contested);
	write_ratio(w, "candidate", c->contested_candidate, c->contested);
	write_ratio(w, "group", c->contested_group, c->contested);
	write_ratio(w, "chance_candidate", c->chance_candidate, c->contested);
	write_ratio(w, "chance_group", c->chance_group, c->contested);
	jw_end(w);
	jw_end(w);
}

void write_results(struct buf *b, const struct tally *t)
{
	struct jsonw w = jsonw_of(b, 1);

	jw_object(&w);
	jw_kstr(&w, "format", "mapfleet-results-1");
	jw_kstr(&w, "name", t->sweep->name);
	write_benchmark(&w, t);
	jw_karray(&w, "pools");
	for (uint32_t i = 0; i < t->npool; i++)
		pool_json(&w, t, &t->pool[i]);
	jw_end(&w);
	jw_karray(&w, "runs");
	for (uint32_t i = 0; i < t->sweep->nrun; i++)
		run_json(&w, t, &t->run[i]);
	jw_end(&w);
	jw_karray(&w, "summaries");
	for (uint32_t i = 0; i < t->nstem; i++)
		summary_json(&w, t, &t->stem[i]);
	jw_end(&w);
	jw_karray(&w, "comparisons");
	for (uint32_t i = 0; i < t->npair; i++)
		pair_json(&w, t, &t->pair[i]);
	jw_end(&w);
	jw_karray(&w, "consistency");
	for (uint32_t i = 0; i < t->nconsistency; i++)
		consistency_json(&w, t, &t->consistency[i]);
	jw_end(&w);
	write_statuses(&w, t);
	jw_end(&w);
}
