/* poolworld.c - see poolworld.h */
#include "tests/support/cm.h"

#include "tests/support/poolworld.h"

#include "broker/method/method.h"
#include "common/base/pack.h"
#include "common/select/kemeny.h"
#include "common/select/meanrank.h"
#include "proto/alike_out.h"
#include "proto/dossier.h"
#include "proto/exec_out.h"
#include "proto/rankings.h"
#include "proto/score_out.h"

#include <stdio.h>
#include <string.h>

static struct hash hash_text(struct view v)
{
	return hash_of(v.p, v.n);
}

static void make_sweep(struct poolworld *w)
{
	struct env env = { .engine = view_of("x"),
			   .steps = 1000,
			   .rows = 100,
			   .clock = view_of("2025"),
			   .digests = DIGEST_ALL };
	struct sweep *s = &w->sweep;
	struct buf b = { 0 };

	env_encode(&env, &b);
	s->env = arena_view(&w->arena, buf_view(&b));
	s->env_hash = hash_text(s->env);
	buf_free(&b);
	s->name = "poolworld";
	s->rule = RULE_plain;
	s->ndb = 1;
	s->db = arena_alloc(&w->arena, 1, sizeof *s->db);
	s->db[0].hash = hash_text(view_of("town"));
	s->q = &w->q;
	s->nq = 1;
	s->labels = arena_alloc(&w->arena, 1, sizeof *s->labels);
	s->labels[0] = arena_alloc(&w->arena, w->n + 1, 1);
	s->run = &w->run;
	s->nrun = 1;
}

void poolworld_make(struct poolworld *w, const int *class_of, uint32_t n,
		    const char *method)
{
	const struct method *m = method_by_name(method);

	memset(w, 0, sizeof *w);
	assert_non_null(m);
	assert_true(n <= POOLWORLD_MOST);
	w->n = n;
	make_sweep(w);
	w->q.id = view_of("7");
	w->q.text = w->q.evidence = view_of("");
	w->q.n = n;
	w->q.cand = arena_alloc(&w->arena, n + 1, sizeof *w->q.cand);
	for (uint32_t c = 0; c < n; c++) {
		char text[40];

		w->class_of[c] = class_of[c];
		snprintf(text, sizeof text, "SELECT %u", c);
		w->q.cand[c].sql = view_of(arena_str(&w->arena, text));
		w->q.cand[c].run = w->q.cand[c].sql;
		w->q.cand[c].run_hash = hash_text(w->q.cand[c].run);
	}
	w->run = (struct run){ .name = method,
			       .stem = method,
			       .method = method,
			       .judge = JUDGE_simulated,
			       .accuracy = .8,
			       .seed = 42 };
	for (size_t i = 0; i < method_keys(m); i++)
		w->run.own[i] = m->key[i].standard;
}

void poolworld_groups(struct poolworld *w, const uint32_t *size, uint32_t groups,
		      uint32_t failed, const char *method)
{
	int class_of[POOLWORLD_MOST];
	uint32_t n = 0;

	for (uint32_t i = 0; i < groups; i++)
		for (uint32_t k = 0; k < size[i]; k++)
			class_of[n++] = (int)i;
	while (failed--)
		class_of[n++] = POOLWORLD_FAILED;
	poolworld_make(w, class_of, n, method);
}

void poolworld_free(struct poolworld *w)
{
	arena_free(&w->arena);
}

/* ---- answers --------------------------------------------------------------------- */

static uint32_t candidate_of(const struct poolworld *w, const struct hash *h)
{
	uint32_t c = 0;

	while (c < w->n && !hash_eq(&w->q.cand[c].run_hash, h))
		c++;
	return c;
}

static void answer_exec(const struct poolworld *w, struct cursor k, struct buf *ret)
{
	static const struct view name = { "a", 1 };
	struct exec_out o = { .error_at = -1,
			      .note = view_of(""),
			      .error = view_of(""),
			      .names = &name };
	struct hash h;
	uint32_t c;

	cur_hash(&k);
	cur_hash(&k);
	h = cur_hash(&k);
	c = candidate_of(w, &h);
	assert_true(c < w->n);
	o.status = w->class_of[c] == POOLWORLD_FAILED ? STATUS_error : STATUS_rows;
	o.cols = o.rows = o.cells = o.status == STATUS_rows;
	o.steps = 100 - c;
	o.digests.mask = DIGEST_ALL;
	o.digests.bag.lo = o.digests.set.lo = (uint64_t)w->class_of[c] + 1;
	exec_out_encode(&o, ret);
}

static void answer_alike(struct poolworld *w, struct cursor k, struct buf *ret)
{
	struct alike_out o = {
		.all = 1000, .note = view_of(""), .a = STATUS_rows, .b = STATUS_rows
	};
	struct hash a, b;

	cur_hash(&k);
	cur_hash(&k);
	a = cur_hash(&k);
	b = cur_hash(&k);
	assert_true(hash_cmp(&a, &b) < 0); /* one order for a pair */
	o.same = w->same(w, w->class_of[candidate_of(w, &a)],
			 w->class_of[candidate_of(w, &b)]);
	w->alike++;
	alike_out_encode(&o, ret);
}

static void answer_cover(const struct poolworld *w, struct buf *ret)
{
	pack_array(ret, 2);
	pack_f64(ret, w->missing ? 0 : 1);
	pack_f64(ret, w->missing ? 1 : 0);
}

/* 0: the ask fails. */
static int answer_judge(struct poolworld *w, struct cursor k, struct buf *ret)
{
	uint32_t cand[POOLWORLD_MOST], n;
	struct view what;
	uint64_t pass;

	for (int i = 0; i < 3; i++)
		cur_f64(&k);
	cur_u64(&k);
	cur_str(&k);
	what = cur_str(&k);
	pass = cur_u64(&k);
	n = (uint32_t)cur_array(&k);
	assert_true(n <= POOLWORLD_MOST);
	for (uint32_t i = 0; i < n; i++) {
		struct hash h;

		cur_array_of(&k, 2);
		h = cur_hash(&k);
		cur_bool(&k);
		cand[i] = candidate_of(w, &h);
	}
	assert_true(cur_done(&k));
	w->asked++;
	if (w->lost && w->lost(w, what, cand, n))
		return 0;
	if (view_eq(what, view_of("cover"))) {
		answer_cover(w, ret);
		return 1;
	}
	pack_array(ret, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(cand[i] < w->n);
		assert_int_not_equal(w->class_of[cand[i]], POOLWORLD_FAILED);
		pack_f64(ret, w->good[cand[i]] + (i ? 0 : w->first) +
				      (w->sway ? w->sway(w, pass, cand[i]) : 0));
	}
	return 1;
}

static void answer_score(struct poolworld *w, const struct blob *blob, struct buf *ret)
{
	double score[POOLWORLD_MOST], feature[POOLWORLD_MOST] = { 0 };
	uint32_t times[1] = { 1 };
	double mean[1] = { 0 };
	struct score_out o = { .features = 1,
			       .score = score,
			       .feature = feature,
			       .mean = mean,
			       .times = times };
	struct dossier d;

	assert_int_equal(dossier_decode(blob->bytes, &w->arena, &d, NULL), 0);
	o.groups = d.n;
	for (uint32_t i = 0; i < d.n; i++) {
		struct hash h = hash_text(d.group[i].member[0].sql);

		score[i] = w->good[candidate_of(w, &h)];
	}
	score_out_encode(&o, ret);
}

/* 0: the task fails. */
static int answer_kemeny(struct poolworld *w, const struct blob *blob, struct buf *ret)
{
	uint32_t votes[POOLWORLD_MOST * POOLWORLD_MOST], order[POOLWORLD_MOST];
	double mean[POOLWORLD_MOST];
	struct rankings r;

	if (w->lost && w->lost(w, view_of("kemeny"), NULL, 0))
		return 0;
	assert_int_equal(rankings_decode(blob->bytes, &w->arena, &r, NULL), 0);
	assert_true(r.n <= POOLWORLD_MOST);
	kemeny_votes(r.rank, r.count, r.n, votes);
	meanrank_over(r.rank, r.count, r.n, mean);
	assert_int_equal(kemeny_order(votes, r.n, mean, order, NULL), 0);
	order_out_encode(order, r.n, ret);
	w->ordered++;
	return 1;
}

static struct fact need(struct plan *p, struct view spec, const struct blob *blob,
			size_t nblob)
{
	struct poolworld *w = p->world;
	struct fact r = { .state = FACT_OUTPUT };
	struct buf out = { 0 };
	struct cursor k;
	enum kind kind = spec_open(spec, &k);

	(void)nblob;
	switch (kind) {
	case KIND_exec: answer_exec(w, k, &out); break;
	case KIND_mbr: answer_alike(w, k, &out); break;
	case KIND_profile: pack_nil(&out); break;
	case KIND_score: answer_score(w, blob, &out); break;
	case KIND_kemeny:
		if (!answer_kemeny(w, blob, &out))
			r = (struct fact){ .state = FACT_FAILED,
					   .text = view_of("lost") };
		break;
	case KIND_simflat:
	case KIND_simrank:
		if (!answer_judge(w, k, &out))
			r = (struct fact){ .state = FACT_FAILED,
					   .text = view_of("lost") };
		break;
	default: fail_msg("nobody should ask for %s here", kind_name(kind));
	}
	if (w->hide && kind != KIND_exec)
		r.state = FACT_PENDING;
	else if (r.state == FACT_OUTPUT)
		r.output = arena_view(&w->arena, buf_view(&out));
	buf_free(&out);
	return r;
}

enum plan_state poolworld_plan(struct poolworld *w, struct choice *ret)
{
	struct buf record = { 0 };
	struct plan p = { .sweep = &w->sweep,
			  .run = &w->run,
			  .q = &w->q,
			  .arena = &w->arena,
			  .need = need,
			  .world = w };
	enum plan_state s;

	w->asked = w->alike = w->ordered = 0;
	s = method_by_name(w->run.method)->plan(&p, &record);
	assert_int_equal(w->arena.bad, 0);
	if (s == PLAN_DONE) {
		struct view kept = arena_view(&w->arena, buf_view(&record));

		assert_int_equal(choice_decode(kept, &w->arena, ret), 0);
	}
	buf_free(&record);
	return s;
}
