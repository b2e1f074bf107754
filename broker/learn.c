/* learn.c - see learn.h */
#include "broker/learn.h"

#include "broker/aggregate.h"
#include "broker/embed.h"
#include "common/base/pack.h"
#include "common/sql/extract.h"
#include "common/sql/memory_check.h"
#include "proto/candidate.h"
#include "proto/chat_out.h"
#include "proto/learnt.h"

#include <stdio.h>

_Static_assert((int)LEARNT_KEYS == (int)MEMORY_KEY_COUNT, "a record counts by key");

enum { ASKS = 2, TEXT = 300 };

enum step { STEP_WAITS, STEP_GOES_ON, STEP_ENDS };

struct learning {
	struct plan *plan;
	const struct learn *how;
	struct learnt r;
	struct buf memory, constructs;
};

static void say(struct learning *l, const char *what, struct view text)
{
	char line[TEXT];

	snprintf(line, sizeof line, "%s%s%.*s", what, text.n ? ": " : "",
		 (int)(text.n < 200 ? text.n : 200), text.p ? text.p : "");
	l->r.note = view_of(arena_str(l->plan->arena, line));
}

static enum step end(struct learning *l, enum learnt_state state, const char *what,
		     struct view text)
{
	l->r.state = state;
	say(l, what, text);
	return STEP_ENDS;
}

/* ---- one ask --------------------------------------------------------------------- */

struct ask {
	enum kind kind;
	struct view text; /* the SQL, or the memory */
	const char *again;
	uint64_t attempt;
};

static struct blob question_blob(const struct learning *l)
{
	struct asked_question q = { l->plan->q->text, l->plan->q->evidence };
	struct buf b = { 0 };
	struct blob r = { .copy = 1 };

	asked_question_encode(&q, &b);
	r.bytes = arena_view(l->plan->arena, buf_view(&b));
	r.hash = hash_of(r.bytes.p, r.bytes.n);
	buf_free(&b);
	return r;
}

static struct fact ask(struct learning *l, const struct ask *k)
{
	const struct sweep *s = l->plan->sweep;
	const struct database *db = &s->db[l->plan->q->db];
	int memory = k->kind == KIND_memory;
	const struct blob blob[] = {
		{ s->model.llm_hash, s->model.llm_blob, 0 },
		{ memory ? l->how->memory_template_hash
			 : l->how->regenerate_template_hash,
		  memory ? l->how->memory_template : l->how->regenerate_template, 0 },
		{ db->schema_hash, db->schema, 0 },
		question_blob(l),
		{ hash_of(k->text.p, k->text.n), k->text, 1 },
	};
	enum { BLOBS = sizeof blob / sizeof *blob };
	struct buf spec = { 0 };
	struct fact f;

	spec_begin(&spec, k->kind, BLOBS + 4);
	for (int i = 0; i < BLOBS; i++)
		pack_hash(&spec, &blob[i].hash);
	pack_str(&spec, memory ? buf_view(&l->constructs) : view_of(""));
	pack_str(&spec, view_of(k->again));
	pack_u64(&spec, k->attempt);
	pack_u64(&spec, s->model.temperature > 0 ? l->plan->run->seed << 16 | 1 : 0);
	f = plan_need(l->plan, &spec, blob, BLOBS);
	buf_free(&spec);
	return f;
}

/* STEP_ENDS: there is no answer, and the record says why. */
static enum step answer(struct learning *l, const struct ask *k, struct chat_out *ret)
{
	struct fact f = ask(l, k);
	struct err e = { .text = "" };

	if (f.state == FACT_PENDING)
		return STEP_WAITS;
	if (f.state == FACT_FAILED)
		return end(l, LEARNT_failed, "the ask failed", f.text);
	if (chat_out_decode(f.output, ret, &e))
		return end(l, LEARNT_failed, "the ask failed", view_of(e.text));
	if (ret->kind == CHAT_TOO_LONG)
		return end(l, LEARNT_failed,
			   "the prompt is longer than the model's context",
			   view_of(""));
	return STEP_GOES_ON;
}

/* ---- the memory ------------------------------------------------------------------ */

/* NULL, or why there is no memory in the answer. */
static const char *read_memory(struct learning *l, const struct chat_out *out)
{
	struct memory_counts n = { 0 };
	struct loose v;
	unsigned repairs;
	int rc;

	if (out->kind != CHAT_ANSWER)
		return "it was empty";
	rc = loose_json_read(l->plan->arena, out->answer, &v, &repairs);
	if (rc)
		return rc == ERR_LIMIT ? "it is nested too deep"
				       : "there is no JSON object in it";
	buf_clear(&l->memory);
	rc = memory_check(&l->how->schema[l->plan->q->db], l->plan->q->cand[0].sql, &v,
			  &l->memory, &n, NULL);
	memcpy(l->r.refused, n.refused, sizeof l->r.refused);
	memcpy(l->r.dropped, n.dropped, sizeof l->r.dropped);
	l->r.unknown = n.unknown;
	l->r.added = n.added;
	l->r.repairs = repairs;
	return rc ? "no key of it holds for this SQL" : NULL;
}

/* Without a model the SQL says all. */
static enum step derive(struct learning *l)
{
	const struct question *q = l->plan->q;
	struct err e = { .text = "" };

	if (memory_derive(&l->how->schema[q->db], q->text, q->evidence, q->cand[0].sql,
			  &l->memory, &e))
		return end(l, LEARNT_bad_sql, e.text, view_of(""));
	l->r.state = LEARNT_kept;
	l->r.memory = buf_view(&l->memory);
	return STEP_GOES_ON;
}

static enum step learn(struct learning *l)
{
	struct ask k = { .kind = KIND_memory,
			 .text = l->plan->q->cand[0].sql,
			 .again = "" };

	for (; k.attempt < ASKS; k.attempt++) {
		struct chat_out out;
		enum step s = answer(l, &k, &out);

		if (s != STEP_GOES_ON)
			return s;
		l->r.asks++;
		k.again = read_memory(l, &out);
		if (!k.again) {
			l->r.state = LEARNT_kept;
			l->r.memory = buf_view(&l->memory);
			return STEP_GOES_ON;
		}
	}
	return end(l, LEARNT_dropped, k.again, view_of(""));
}

/* ---- what its SQL gives ---------------------------------------------------------- */

static struct candidate candidate_of(struct view sql)
{
	return (struct candidate){ .sql = sql,
				   .run = sql,
				   .run_hash = hash_of(sql.p, sql.n),
				   .source = { "", 0 } };
}

/* The known SQL, and behind it those given, executed and grouped by the rule. */
static enum step group(struct learning *l, const struct view *sql, uint32_t n,
		       struct aggregate *ret)
{
	struct question q = *l->plan->q;
	struct plan p = *l->plan;
	enum plan_state s;

	q.cand = arena_alloc(p.arena, n + 1, sizeof *q.cand);
	if (!q.cand)
		return STEP_WAITS; /* the arena remembers */
	q.cand[0] = candidate_of(l->plan->q->cand[0].sql);
	for (uint32_t i = 0; i < n; i++) {
		q.cand[i + 1] = candidate_of(sql[i]);
		q.cand[i + 1].lent = 1;
	}
	q.n = n + 1;
	p.q = &q;
	s = aggregate(&p, ret);
	return s == PLAN_DONE ? STEP_GOES_ON : STEP_WAITS;
}

static enum step execute(struct learning *l)
{
	struct aggregate g;

	if (group(l, NULL, 0, &g) == STEP_WAITS)
		return STEP_WAITS;
	if (g.group.g == 0)
		return end(l, LEARNT_bad_sql, status_name(g.out[0].status),
			   g.out[0].note.n ? g.out[0].note : g.out[0].error);
	return STEP_GOES_ON;
}

/* ---- the self-check -------------------------------------------------------------- */

static enum step checked(struct learning *l, enum learnt_check check, const char *what,
			 struct view text)
{
	l->r.check = check;
	say(l, what, text);
	return STEP_GOES_ON;
}

static enum step compare(struct learning *l)
{
	struct aggregate g;

	if (group(l, &l->r.sql, 1, &g) == STEP_WAITS)
		return STEP_WAITS;
	for (uint32_t i = 0; i < g.n; i++) /* in H order, not in ours */
		if (g.index[i] == 1 && group_failed(&g.group, g.group.of[i]))
			return checked(l, LEARNT_no_sql, status_name(g.out[i].status),
				       g.out[i].note.n ? g.out[i].note
						       : g.out[i].error);
	if (g.n != 2 || g.group.of[0] != g.group.of[1])
		return checked(l, LEARNT_other, "another result", view_of(""));
	l->r.check = LEARNT_same;
	return STEP_GOES_ON;
}

static enum step check(struct learning *l)
{
	struct ask k = { .kind = KIND_regenerate, .text = l->r.memory, .again = "" };
	struct extract x = { .reason = EXTRACT_NONE };

	for (; k.attempt < ASKS; k.attempt++) {
		struct learnt before = l->r;
		struct chat_out out;
		enum step s = answer(l, &k, &out);

		if (s == STEP_ENDS) { /* the memory is there all the same */
			struct view why = l->r.note;

			l->r = before;
			return checked(l, LEARNT_no_sql, why.p, view_of(""));
		}
		if (s == STEP_WAITS)
			return s;
		x = extract_sql(out.answer);
		if (x.reason == EXTRACT_OK) {
			l->r.sql = arena_view(l->plan->arena, x.sql);
			return compare(l);
		}
		k.again = extract_text(x.reason);
	}
	return checked(l, LEARNT_no_sql, k.again, view_of(""));
}

/* ---- the whole ------------------------------------------------------------------- */

/* Side by side: a request for a few dozen texts costs little more than one for one. */
static enum step embed(struct learning *l)
{
	const struct sweep *s = l->plan->sweep;
	uint32_t me = (uint32_t)(l->plan->q - s->q), first = me - me % EMBED_TEXTS;
	struct view text[EMBED_TEXTS];
	struct embed_out out;
	struct hash key;
	struct err e = { .text = "" };
	struct fact f;
	uint32_t n = 0;

	for (; n < EMBED_TEXTS && first + n < s->nq; n++)
		text[n] = s->q[first + n].text;
	f = embed_need(l->plan, text, n, &key);
	if (f.state == FACT_PENDING)
		return STEP_WAITS;
	if (f.state == FACT_FAILED)
		return end(l, LEARNT_failed, "no vector", f.text);
	if (embed_out_decode(f.output, l->plan->arena, &out, &e))
		return end(l, LEARNT_failed, "no vector", view_of(e.text));
	l->r.vector.p = (const char *)(out.vector + (size_t)(me - first) * out.dim);
	l->r.vector.n = out.dim * sizeof *out.vector;
	return STEP_GOES_ON;
}

static enum step steps(struct learning *l)
{
	enum step s = execute(l);

	if (s == STEP_GOES_ON &&
	    memory_constructs(&l->how->schema[l->plan->q->db], l->plan->q->cand[0].sql,
			      &l->constructs))
		l->plan->arena->bad = 1;
	if (s == STEP_GOES_ON)
		s = l->plan->sweep->model.name.n ? learn(l) : derive(l);
	if (s == STEP_GOES_ON && l->how->self_check)
		s = check(l);
	if (l->plan->sweep->embed.name.n && s != STEP_ENDS) {
		enum step other =
			embed(l); /* wished for whatever the first waits for */

		s = other == STEP_GOES_ON ? s : other;
	}
	return s;
}

enum plan_state learn_plan(struct plan *p, struct buf *ret)
{
	struct learning l = { .plan = p,
			      .how = p->arg,
			      .r = { .state = LEARNT_kept,
				     .note = { "", 0 },
				     .memory = { "", 0 },
				     .sql = { "", 0 },
				     .vector = { "", 0 } } };
	enum step s = steps(&l);

	if (s != STEP_WAITS)
		learnt_encode(&l.r, ret);
	if (l.memory.bad || l.constructs.bad)
		ret->bad = ERR_NOMEM;
	buf_free(&l.memory);
	buf_free(&l.constructs);
	return s == STEP_WAITS ? PLAN_WAITS : PLAN_DONE;
}
