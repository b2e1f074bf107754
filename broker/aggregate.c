/* aggregate.c - see aggregate.h */
#include "broker/aggregate.h"

#include "common/select/draw.h"
#include "proto/equal_out.h"

#include <stdarg.h>
#include <stdio.h>

static uint32_t draw(struct plan *p, struct drawn *order)
{
	const struct question *q = p->q;
	struct draw_item *item = arena_alloc(p->arena, q->n + 1, sizeof *item);
	uint32_t want = p->run->candidates;

	for (uint32_t i = 0; item && i < q->n; i++) {
		const struct candidate *c = &q->cand[i];

		item[i] = (struct draw_item){ c->sql,    c->source,      c->logprob,
					      c->tokens, c->has_logprob, c->has_tokens,
					      c->greedy };
	}
	if (!item)
		return 0;
	draw_order(p->run->seed, q->id, item, q->n, order);
	return want && want < q->n ? want : q->n;
}

static struct fact execute(struct plan *p, const struct candidate *c)
{
	const struct sweep *s = p->sweep;
	const struct blob blob[] = { { s->env_hash, s->env, 0 },
				     { c->run_hash, c->run, c->lent } };
	struct buf spec = { 0 };
	struct fact f;

	spec_exec(&spec, &s->env_hash, &s->db[p->q->db].hash, &c->run_hash);
	f = plan_need(p, &spec, blob, 2);
	buf_free(&spec);
	return f;
}

/* A failure stands as a status, so that samples.jsonl can show it. */
static void note_failure(struct aggregate *g, uint32_t i, const struct fact *f)
{
	g->out[i].status = f->code == ERR_TIMEOUT ? STATUS_timeout : STATUS_error;
	g->out[i].note =
		view_of(f->code == ERR_TIMEOUT ? "wall clock" : "not executed");
	g->failed_tasks++;
	g->failed_text = f->text;
}

static int execute_all(struct plan *p, struct aggregate *g)
{
	int waits = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct candidate *c = aggregate_candidate(p, g, i);
		struct fact f;

		if (c->abstains) {
			g->out[i].status = STATUS_abstain;
			continue;
		}
		f = execute(p, c);
		waits |= f.state == FACT_PENDING;
		if (f.state == FACT_FAILED ||
		    (f.state == FACT_OUTPUT &&
		     exec_out_decode(f.output, &g->out[i], p->arena)))
			note_failure(g, i, &f);
	}
	return waits;
}

static struct sip digest_of(const struct plan *p, const struct exec_out *o)
{
	switch (rule_digest(p->sweep->rule)) {
	case DIGEST_SET: return o->digests.set;
	case DIGEST_EHR: return o->digests.ehr;
	default: return o->digests.bag;
	}
}

static void classify(const struct plan *p, const struct aggregate *g, int *class_id)
{
	struct result_key *key = arena_alloc(p->arena, g->n + 1, sizeof *key);

	for (uint32_t i = 0; key && i < g->n; i++) {
		const struct exec_out *o = &g->out[i];

		key[i].digest = digest_of(p, o);
		key[i].kind = !status_ok(o->status)         ? RESULT_FAILED
			      : o->status == STATUS_abstain ? RESULT_ABSTAIN
			      : o->status == STATUS_empty   ? RESULT_EMPTY
							    : RESULT_ROWS;
	}
	if (key)
		class_ids(key, g->n, class_id);
}

/* Are two results equal up to a column permutation? The pair has one order for all. */
static struct fact compare(struct plan *p, const struct candidate *a,
			   const struct candidate *b)
{
	const struct sweep *s = p->sweep;
	const struct candidate *x = hash_cmp(&a->run_hash, &b->run_hash) < 0 ? a : b;
	const struct candidate *y = x == a ? b : a;
	const struct blob blob[] = { { s->env_hash, s->env, 0 },
				     { x->run_hash, x->run, x->lent },
				     { y->run_hash, y->run, y->lent } };
	struct buf spec = { 0 };
	struct fact f;

	spec_equal(&spec, KIND_equal, &s->env_hash, &s->db[p->q->db].hash, &x->run_hash,
		   &y->run_hash, 0);
	f = plan_need(p, &spec, blob, 3);
	buf_free(&spec);
	return f;
}

/* Different bags with one signature may be equal up to the order of columns: a task
 * decides. Only classes' first members are compared. */
static int join_permuted(struct plan *p, const struct aggregate *g, int *class_id)
{
	int waits = 0;

	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t j = i + 1; j < g->n; j++) {
			struct equal_out out;
			struct fact f;

			if (class_id[i] == class_id[j] ||
			    g->out[i].status != STATUS_rows ||
			    g->out[j].status != STATUS_rows || g->out[i].cols < 2 ||
			    class_id[i] != (int)i || class_id[j] != (int)j ||
			    !sip_eq(&g->out[i].digests.sig, &g->out[j].digests.sig))
				continue;
			f = compare(p, aggregate_candidate(p, g, i),
				    aggregate_candidate(p, g, j));
			waits |= f.state == FACT_PENDING;
			if (f.state == FACT_OUTPUT &&
			    !equal_out_decode(f.output, &out) && out.equal)
				class_join(class_id, g->n, class_id[i], class_id[j]);
		}
	return waits;
}

enum plan_state aggregate(struct plan *p, struct aggregate *ret)
{
	struct drawn *order = arena_alloc(p->arena, p->q->n + 1, sizeof *order);
	struct aggregate g = { 0 };
	int *class_id;

	g.n = order ? draw(p, order) : 0;
	g.index = arena_alloc(p->arena, g.n + 1, sizeof *g.index);
	g.out = arena_alloc(p->arena, g.n + 1, sizeof *g.out);
	class_id = arena_alloc(p->arena, g.n + 1, sizeof *class_id);
	if (!order || !g.index || !g.out || !class_id)
		return PLAN_WAITS; /* the arena remembers */
	for (uint32_t i = 0; i < g.n; i++)
		g.index[i] = order[i].item;
	if (execute_all(p, &g))
		return PLAN_WAITS;
	classify(p, &g, class_id);
	if (rule_digests(p->sweep->rule) & DIGEST_SIG && join_permuted(p, &g, class_id))
		return PLAN_WAITS;
	if (grouping_make(p->arena, class_id, g.n, &g.group, NULL))
		return PLAN_WAITS;
	*ret = g;
	return PLAN_DONE;
}

/* ---- the record ------------------------------------------------------------------ */

static void fill_group(const struct plan *p, const struct aggregate *g, uint32_t i,
		       struct choice_group *ret)
{
	const struct group *from = &g->group.group[i];
	const struct exec_out *face = &g->out[group_face(&g->group, i)];
	struct sip digest = digest_of(p, face);

	ret->member = arena_alloc(p->arena, from->size + 1, sizeof *ret->member);
	ret->size = from->size;
	for (uint32_t k = 0; ret->member && k < from->size; k++)
		ret->member[k] = g->index[g->group.member[from->first + k]];
	ret->status = face->status;
	ret->note = face->note;
	ret->rows = face->rows;
	ret->columns = face->cols;
	memcpy(ret->digest, &digest, sizeof ret->digest);
	ret->failed = (uint8_t)group_failed(&g->group, i);
	ret->mean_rank = -1;
}

void aggregate_choice(const struct plan *p, const struct aggregate *g,
		      struct choice *ret)
{
	struct choice c = { .why = WHY_MAJORITY,
			    .chosen = -1,
			    .confidence = -1,
			    .g = g->group.g,
			    .reason = { "", 0 } };

	c.group = arena_alloc(p->arena, g->group.groups + 1, sizeof *c.group);
	c.ngroup = c.group ? g->group.groups : 0;
	for (uint32_t i = 0; i < c.ngroup; i++)
		fill_group(p, g, i, &c.group[i]);
	if (g->n)
		c.chosen = g->index[group_majority(&g->group)];
	if (g->n && !g->group.g)
		choice_note(p, &c, "every candidate failed: the order H decides");
	if (!g->n) {
		c.why = WHY_DEGRADED;
		c.degraded = 1;
		c.reason = view_of("there is no candidate");
	}
	if (g->failed_tasks) {
		char text[300];

		snprintf(text, sizeof text,
			 "%u of %u candidates could not be executed: %.*s",
			 g->failed_tasks, g->n, (int)g->failed_text.n,
			 g->failed_text.p);
		c.why = WHY_DEGRADED;
		c.degraded = 1;
		c.reason = view_of(arena_str(p->arena, text));
	}
	*ret = c;
}

void choice_note(const struct plan *p, struct choice *c, const char *fmt, ...)
{
	struct view *more = arena_alloc(p->arena, c->nnote + 1, sizeof *more);
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!more)
		return;
	if (c->nnote)
		memcpy(more, c->note, c->nnote * sizeof *more);
	more[c->nnote] = view_of(arena_str(p->arena, text));
	c->note = more;
	c->nnote++;
}
