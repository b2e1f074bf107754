/* plan.c - see plan.h */
#include "ops/plan.h"

#include "broker/method/method.h"
#include "common/base/mem.h"
#include "ops/jsonfile.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TOKEN_BYTES = 4, ANSWER_TOKENS = 60, TIE_ASKS = 2 };

int plan_price(const char *file, struct view model, struct price_of *ret, struct err *e)
{
	struct arena a = { 0 };
	struct textfile f;
	json_t *doc = NULL;
	const json_t *one;
	char *name;
	int rc = textfile_read(&a, file, &f, e);

	if (!rc)
		rc = json_document(&f, &doc, e);
	name = rc ? NULL : arena_dup(&a, model.p ? model.p : "", model.n);
	one = name ? json_object_get(doc, name) : NULL;
	*ret = (struct price_of){ 0 };
	if (!rc && one &&
	    (!json_is_number(json_object_get(one, "prompt")) ||
	     !json_is_number(json_object_get(one, "completion"))))
		rc = err_set(e, ERR_INPUT,
			     "%s: %s: {\"prompt\": X, \"completion\": Y} per million "
			     "tokens is wanted",
			     file, name);
	if (!rc && one)
		*ret = (struct price_of){
			json_number_value(json_object_get(one, "prompt")),
			json_number_value(json_object_get(one, "completion")), 1
		};
	json_decref(doc);
	arena_free(&a);
	return rc;
}

struct estimate {
	uint64_t asks, calls, prompt_tokens, completion_tokens;
	uint64_t dearest; /* prompt tokens of one ask */
};

static void add_question(const struct sweep *s, const struct run *r,
			 const struct question *q, struct estimate *to)
{
	const struct method *m = method_by_name(r->method);
	uint64_t n = r->candidates && r->candidates < q->n ? r->candidates : q->n,
		 bytes = 0, tokens, asks;

	if (!m->most)
		return;
	asks = m->most(r, (uint32_t)n);
	for (uint32_t k = 0; k < q->n; k++)
		bytes += q->cand[k].run.n + 40 * (uint64_t)s->preview_rows;
	bytes = q->n ? bytes / q->n * (n < r->window ? n : r->window) : 0;
	bytes += s->db[q->db].schema.n + q->text.n + q->evidence.n;
	tokens = bytes / TOKEN_BYTES;
	to->asks += asks;
	if (m->reads & READS_TIE && r->tie_break == TIE_reward && asks >= TIE_ASKS) {
		asks -= TIE_ASKS; /* whoever the judge is */
		to->calls += TIE_ASKS;
		to->prompt_tokens += TIE_ASKS * tokens;
	}
	if (r->judge != JUDGE_llm)
		return;
	tokens += s->bank.path ? s->memory_tokens : 0;
	to->dearest = tokens > to->dearest ? tokens : to->dearest;
	to->calls += asks;
	to->prompt_tokens += asks * tokens;
	to->completion_tokens += asks * ANSWER_TOKENS;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of all questions together. */
static void hold_to(uint64_t budget, struct estimate *e)
{
	e->asks = least(e->asks, budget);
	e->calls = least(e->calls, budget);
	e->prompt_tokens = least(e->prompt_tokens, budget * e->dearest);
	e->completion_tokens = least(e->completion_tokens, budget * ANSWER_TOKENS);
}

struct distinct {
	struct hash db, sql;
};

static int distinct_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct distinct));
}

/* How many queries there are once equal ones on one database are one. */
static uint64_t queries(const struct sweep *s, uint64_t *ret_all)
{
	struct distinct *v;
	uint64_t n = 0, k = 0;

	for (uint32_t i = 0; i < s->nq; i++)
		n += s->q[i].n;
	*ret_all = n;
	v = mem_alloc(n + 1, sizeof *v);
	if (!v)
		return n;
	for (uint32_t i = 0; i < s->nq; i++)
		for (uint32_t c = 0; c < s->q[i].n; c++)
			v[k++] = (struct distinct){ s->db[s->q[i].db].hash,
						    s->q[i].cand[c].run_hash };
	qsort(v, n, sizeof *v, distinct_cmp);
	k = n > 0;
	for (uint64_t i = 1; i < n; i++)
		k += distinct_cmp(&v[i - 1], &v[i]) != 0;
	mem_free(v);
	return k;
}

static json_t *document(const struct sweep *s, const struct price_of *price)
{
	json_t *doc = json_object(), *list = json_array();
	uint64_t all, distinct = queries(s, &all);
	struct estimate total = { 0 };

	for (uint32_t r = 0; r < s->nrun; r++) {
		struct estimate one = { 0 };
		json_t *row = json_object();

		for (uint32_t i = 0; i < s->nq; i++)
			add_question(s, &s->run[r], &s->q[i], &one);
		if (s->run[r].has_budget)
			hold_to(s->run[r].budget, &one);
		json_object_set_new(row, "run", json_string(s->run[r].name));
		json_object_set_new(row, "asks_at_most",
				    json_integer((json_int_t)one.asks));
		json_object_set_new(row, "calls_at_most",
				    json_integer((json_int_t)one.calls));
		json_array_append_new(list, row);
		total.calls += one.calls;
		total.prompt_tokens += one.prompt_tokens;
		total.completion_tokens += one.completion_tokens;
	}
	json_object_set_new(doc, "name", json_string(s->name));
	json_object_set_new(doc, "benchmark", json_string(s->benchmark));
	json_object_set_new(doc, "rule", json_string(rule_name(s->rule)));
	json_object_set_new(doc, "questions", json_integer(s->nq));
	json_object_set_new(doc, "databases", json_integer(s->ndb));
	json_object_set_new(doc, "candidates", json_integer((json_int_t)all));
	json_object_set_new(doc, "queries", json_integer((json_int_t)distinct));
	json_object_set_new(doc, "runs", list);
	json_object_set_new(doc, "calls_at_most",
			    json_integer((json_int_t)total.calls));
	json_object_set_new(doc, "prompt_tokens_at_most",
			    json_integer((json_int_t)total.prompt_tokens));
	json_object_set_new(doc, "completion_tokens_about",
			    json_integer((json_int_t)total.completion_tokens));
	if (price->known)
		json_object_set_new(
			doc, "cost_at_most",
			json_real((total.prompt_tokens * price->prompt +
				   total.completion_tokens * price->completion) /
				  1e6));
	return doc;
}

static uint64_t number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void print_text(FILE *to, const struct sweep *s, const json_t *doc)
{
	const json_t *list = json_object_get(doc, "runs"), *row;
	const json_t *cost = json_object_get(doc, "cost_at_most");
	size_t k;

	fprintf(to, "plan      %s (nothing is done)\n", s->name);
	fprintf(to, "rule      %s%s\n", rule_name(s->rule),
		s->keep_distinct ? ", DISTINCT kept" : "");
	fprintf(to, "questions %u on %u databases\n", s->nq, s->ndb);
	fprintf(to, "queries   %" PRIu64 " distinct of %" PRIu64 " candidates\n",
		number(doc, "queries"), number(doc, "candidates"));
	fprintf(to, "runs      %u\n", s->nrun);
	json_array_foreach (list, k, row)
		fprintf(to, "  %-60s at most %" PRIu64 " asks, %" PRIu64 " calls\n",
			json_string_value(json_object_get(row, "run")),
			number(row, "asks_at_most"), number(row, "calls_at_most"));
	fprintf(to,
		"price     at most %" PRIu64 " calls, %" PRIu64
		" prompt tokens; about %" PRIu64 " completion tokens",
		number(doc, "calls_at_most"), number(doc, "prompt_tokens_at_most"),
		number(doc, "completion_tokens_about"));
	if (cost)
		fprintf(to, "; cost at most %.4f", json_real_value(cost));
	else if (s->model.name.n)
		fputs("; no price known (--price-file)", to);
	fputc('\n', to);
}

int plan_print(FILE *to, struct options *o, const struct job *j, int json,
	       struct err *e)
{
	const char *file = opt_text(o, FLAG_price_file);
	struct price_of price = { 0 };
	json_t *doc;
	int rc = file ? plan_price(file, j->sweep.model.name, &price, e) : 0;

	if (rc)
		return rc;
	doc = document(&j->sweep, &price);
	if (json) {
		json_dumpf(doc, to, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
		fputc('\n', to);
	} else {
		print_text(to, &j->sweep, doc);
	}
	json_decref(doc);
	return 0;
}
