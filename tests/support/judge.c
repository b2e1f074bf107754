/* judge.c - see judge.h */
#include "tests/support/judge.h"

#include "common/sql/rewrite.h"
#include "proto/plan.h"
#include "proto/task.h"

#include <stdio.h>
#include <stdlib.h>

enum { WISHES = 128 };

struct wish {
	struct hash key;
	struct view spec, sql, other;
	struct fact fact;
};

struct world {
	struct sqlrig *rig;
	struct arena *arena;
	struct wish wish[WISHES];
	uint32_t n;
};

static void die(const char *what)
{
	fprintf(stderr, "judge: %s\n", what);
	abort();
}

static struct fact need(struct plan *p, struct view spec, const struct blob *blob,
			size_t nblob)
{
	struct world *w = p->world;
	struct hash key = task_key(spec);

	for (uint32_t i = 0; i < w->n; i++)
		if (hash_eq(&w->wish[i].key, &key))
			return w->wish[i].fact;
	if (w->n == WISHES)
		die("too many wishes");
	w->wish[w->n++] =
		(struct wish){ .key = key,
			       .spec = arena_view(w->arena, spec),
			       .sql = arena_view(w->arena, blob[0].bytes),
			       .other = nblob > 1 ? arena_view(w->arena, blob[1].bytes)
						  : (struct view){ 0 } };
	return (struct fact){ .state = FACT_PENDING };
}

/* Runs the wish in the child. */
static void grant(struct world *w, struct wish *x)
{
	struct sql_request save = w->rig->ask;
	struct sqlrig_answer a;
	struct cursor c;
	enum kind kind = spec_open(x->spec, &c);

	if (kind == KIND_softf1) {
		a = sqlrig_softf1(w->rig, x->sql.p, x->other.p);
	} else if (kind == KIND_match) {
		for (int i = 0; i < 4; i++)
			cur_hash(&c);
		w->rig->ask.ordered = cur_bool(&c);
		if (!cur_done(&c))
			die("spec of match");
		a = sqlrig_equal(w->rig, x->sql.p, x->other.p);
	} else {
		a = sqlrig_exec(w->rig, x->sql.p);
	}
	w->rig->ask = save;
	x->fact = (struct fact){ .state = a.code ? FACT_FAILED : FACT_OUTPUT,
				 .output = a.output,
				 .code = a.code,
				 .text = arena_view(w->arena, view_of(a.text)) };
}

static enum kind kind_of(const struct wish *x)
{
	struct cursor c;

	return spec_open(x->spec, &c);
}

static int grant_some(struct world *w, int late)
{
	int granted = 0;

	for (uint32_t i = w->n; i-- > 0;) {
		if (w->wish[i].fact.state != FACT_PENDING)
			continue;
		grant(w, &w->wish[i]);
		granted++;
		if (late)
			break;
	}
	return granted;
}

static struct view rewritten(const struct sweep *s, struct arena *a,
			     const struct judge_case *c, const char *sql)
{
	char now[SWEEP_NOW];
	struct buf b = { 0 };
	struct view v;

	sweep_now(s, now);
	if (c->rule == RULE_spider)
		rewrite_spider_prediction(&b, view_of(sql), c->keep_distinct);
	else if (c->rule == RULE_ehrsql)
		rewrite_ehrsql(&b, view_of(sql));
	else if (c->rule == RULE_ehrsql_v1)
		rewrite_ehrsql_v1(&b, view_of(sql), view_of(now));
	else
		buf_add_str(&b, sql);
	v = arena_view(a, buf_view(&b));
	buf_free(&b);
	return v;
}

static void fill(struct sweep *s, struct question *q, const struct judge_case *c,
		 struct arena *a)
{
	q->cand = arena_alloc(a, JUDGE_MOST, sizeof *q->cand);
	for (; c->candidate[q->n]; q->n++) {
		struct candidate *x = &q->cand[q->n];

		x->sql = view_of(c->candidate[q->n]);
		x->run = rewritten(s, a, c, c->candidate[q->n]);
		x->run_hash = hash_of(x->run.p, x->run.n);
		x->abstains = rule_abstains(c->rule) && rewrite_is_abstention(x->run);
	}
	s->rule = c->rule;
	s->keep_distinct = c->keep_distinct;
	s->q = q;
	s->nq = 1;
}

static struct view env_of(const struct judge_case *c, struct arena *a)
{
	struct env env = { .engine = view_of(""),
			   .clock = view_of(c->clock ? c->clock : "") };
	struct buf b = { 0 };
	struct view v;

	env_encode(&env, &b);
	v = arena_view(a, buf_view(&b));
	buf_free(&b);
	return v;
}

struct judgement judge(struct sqlrig *rig, const struct judge_case *c, int late)
{
	struct judgement j = { 0 };
	struct database db = { .id = view_of("orchard") };
	struct question q = { .id = view_of("1") };
	struct sweep s = { .db = &db, .ndb = 1 };
	struct gold_row row = { .id = q.id, .sql = view_of(c->gold), .answerable = -1 };
	struct world w = { .rig = rig, .arena = &j.arena };
	struct gold *gold = NULL;
	struct arena scratch = { 0 };
	struct buf record = { 0 };
	struct plan p = {
		.sweep = &s, .q = &q, .need = need, .world = &w, .arena = &scratch
	};

	s.env = env_of(c, &j.arena);
	fill(&s, &q, c, &j.arena);
	rig->ask.text = (enum text_mode)rule_text(c->rule);
	rig->ask.digests = rule_digests(c->rule) & DIGEST_EHR1 ? rule_digests(c->rule)
							       : DIGEST_ALL;
	if (gold_new(&s, &row, 1, 1, &gold, NULL) != 0)
		die("gold");
	p.arg = gold;
	while (j.rounds++, verdict_plan(&p, &record) == PLAN_WAITS)
		if (!grant_some(&w, late))
			die("waits for nothing");
	if (verdict_decode(arena_view(&j.arena, buf_view(&record)), &j.arena, &j.v) !=
	    0)
		die("record");
	for (uint32_t i = 0; i < w.n; i++)
		if (kind_of(&w.wish[i]) == KIND_softf1)
			j.softs++;
		else if (w.wish[i].other.p)
			j.matches++;
		else
			j.execs++;
	gold_free(&gold);
	arena_free(&scratch);
	buf_free(&record);
	return j;
}

void judgement_free(struct judgement *j)
{
	arena_free(&j->arena);
}
