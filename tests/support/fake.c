/* fake.c - see fake.h */
#include "tests/support/cm.h"

#include "tests/support/fake.h"

#include "broker/method/method.h"
#include "common/base/pack.h"
#include "common/base/rng.h"
#include "proto/dossier.h"
#include "proto/equal_out.h"
#include "proto/exec_out.h"
#include "proto/score_out.h"

#include <stdio.h>

enum { POISON_Q = 2, POISON_C = 5, SLOW_Q = 4, SLOW_C = 1, FLAKY_Q = 6, FLAKY_C = 3 };

static struct view text(struct fake *f, const char *fmt, unsigned a, unsigned b)
{
	char s[80];

	snprintf(s, sizeof s, fmt, a, b);
	return view_of(arena_str(&f->texts, s));
}

static struct hash hash_text(struct view v)
{
	return hash_of(v.p, v.n);
}

static void make_question(struct fake *f, uint32_t i)
{
	struct question *q = &f->sweep.q[i];

	q->position = i;
	q->id = text(f, "%u", 100 + i, 0);
	q->text = text(f, "How many of kind %u?", i, 0);
	q->evidence = view_of("");
	q->hash = hash_text(q->text);
	q->n = FAKE_CANDIDATES;
	q->cand = arena_alloc(&f->texts, q->n, sizeof *q->cand);
	f->sweep.labels[i] = arena_alloc(&f->texts, q->n, 1);
	for (uint32_t c = 0; c < q->n; c++) {
		struct candidate *k = &q->cand[c];

		/* Two candidates with one text are one task. */
		k->sql = k->run = text(f, "SELECT %u, %u", i, c == 7 ? 6 : c);
		k->run_hash = hash_text(k->run);
		k->source = text(f, "model-%u", c % 3, 0);
		k->greedy = c == 1;
		f->sweep.labels[i][c] = (i + c) % 3 == 0;
	}
	q->cand[0].abstains = i == 7;
}

static void make_run(struct fake *f, uint32_t i, const char *name, const char *method,
		     enum judge_kind judge)
{
	f->sweep.run[i] = (struct run){ .name = name,
					.stem = name,
					.method = method,
					.judge = judge,
					.accuracy = .7,
					.bias = .1,
					.shared = .2,
					.seed = 42,
					.passes_min = 3,
					.passes_max = 3,
					.window = 4,
					.step = 2,
					.permute = PERMUTE_both,
					.unit = UNIT_group,
					.tie_break = TIE_judge,
					.confidence = .95 };
	for (size_t k = 0; k < method_keys(method_by_name(method)); k++)
		f->sweep.run[i].own[k] = method_by_name(method)->key[k].standard;
}

void fake_make(struct fake *f)
{
	struct sweep *s = &f->sweep;
	struct env env = { .engine = view_of("x"),
			   .steps = 1000,
			   .rows = 100,
			   .clock = view_of("2025"),
			   .digests = DIGEST_ALL };
	struct buf b = { 0 };

	memset(f, 0, sizeof *f);
	env_encode(&env, &b);
	s->env = arena_view(&f->texts, buf_view(&b));
	s->env_hash = hash_text(s->env);
	buf_free(&b);
	s->name = "fake";
	s->rule = RULE_spider;
	s->ndb = 1;
	s->db = arena_alloc(&f->texts, 1, sizeof *s->db);
	s->db[0].id = view_of("town");
	s->db[0].hash = hash_text(view_of("town"));
	s->nq = FAKE_QUESTIONS;
	s->q = arena_alloc(&f->texts, s->nq, sizeof *s->q);
	s->labels = arena_alloc(&f->texts, s->nq, sizeof *s->labels);
	for (uint32_t i = 0; i < s->nq; i++)
		make_question(f, i);
	s->nrun = FAKE_RUNS;
	s->run = arena_alloc(&f->texts, s->nrun, sizeof *s->run);
	make_run(f, 0, "greedy", "greedy", JUDGE_evidence);
	make_run(f, 1, "majority", "majority", JUDGE_evidence);
	make_run(f, 2, "map-evidence", "map", JUDGE_evidence);
	make_run(f, 3, "map-simulated", "map", JUDGE_simulated);
	make_run(f, 4, "lean-simulated", "lean", JUDGE_simulated);
	make_run(f, 5, "map-elastic", "map", JUDGE_simulated);
	s->run[5].window = FAKE_CANDIDATES; /* a pass is one ask */
	s->run[5].passes_min = 2;
	s->run[5].passes_max = 6;
	s->run[5].stop = STOP_beta;
	s->run[5].confidence = .85;
	s->passes_ahead = 2;
}

void fake_free(struct fake *f)
{
	arena_free(&f->texts);
}

void fake_add_units(const struct fake *f, struct core *c)
{
	for (uint32_t q = 0; q < f->sweep.nq; q++)
		for (uint32_t r = 0; r < f->sweep.nrun; r++) {
			const struct run *run = &f->sweep.run[r];
			struct unit u = { .question = q,
					  .plan = method_by_name(run->method)->plan,
					  .run = run,
					  .role = ROLE_SELECT,
					  .tag = q * f->sweep.nrun + r };

			assert_int_equal(core_add(c, &u), 0);
		}
}

void fake_see(struct fake *f, const struct blob *blob, size_t n)
{
	struct arena a = { 0 };
	struct dossier d;

	for (size_t i = 0; i < n; i++) {
		uint32_t k = 0;

		if (!blob[i].copy || dossier_decode(blob[i].bytes, &a, &d, NULL))
			continue;
		while (k < f->dossiers && !hash_eq(&f->dossier[k].hash, &blob[i].hash))
			k++;
		if (k < f->dossiers)
			continue;
		assert_true(k < sizeof f->dossier / sizeof *f->dossier);
		f->dossier[k].hash = blob[i].hash;
		f->dossier[k].groups = d.n;
		f->dossiers++;
	}
	arena_free(&a);
}

/* ---- answers --------------------------------------------------------------------- */

static int is_exec_of(const struct fake *f, struct view spec, uint32_t q, uint32_t c)
{
	struct cursor k;
	struct hash h;

	if (spec_open(spec, &k) != KIND_exec)
		return 0;
	cur_hash(&k);
	cur_hash(&k);
	h = cur_hash(&k);
	return hash_eq(&h, &f->sweep.q[q].cand[c].run_hash);
}

int fake_is_poison(const struct fake *f, struct view spec)
{
	return is_exec_of(f, spec, POISON_Q, POISON_C);
}

int fake_is_flaky(const struct fake *f, struct view spec)
{
	return is_exec_of(f, spec, FLAKY_Q, FLAKY_C);
}

static struct rng dice_of(struct view spec)
{
	struct rng r;

	rng_init(&r, "fake", 1, spec, 0);
	return r;
}

static void answer_exec(const struct fake *f, struct view spec, struct buf *ret)
{
	struct rng r = dice_of(spec);
	struct exec_out o = { .error_at = -1,
			      .note = view_of(""),
			      .error = view_of("") };
	uint64_t which = rng_below(&r, 8);
	static const struct view names[] = { { "a", 1 }, { "b", 1 } };

	(void)f;
	o.status = which == 0 ? STATUS_error : which == 1 ? STATUS_empty : STATUS_rows;
	if (o.status == STATUS_error)
		o.error = view_of("no such table");
	o.cols = status_ok(o.status) ? 2 : 0;
	o.names = names;
	o.rows = o.status == STATUS_rows ? 3 : 0;
	o.cells = o.rows * o.cols;
	o.digests.mask = DIGEST_ALL;
	/* Classes 2, 3 and 4, 5 have one signature: `equal` decides. */
	o.digests.set.lo = o.digests.bag.lo = o.digests.list.lo = which;
	o.digests.sig.lo = which / 2;
	exec_out_encode(&o, ret);
}

static void answer_equal(struct view spec, struct buf *ret)
{
	struct rng r = dice_of(spec);
	struct equal_out o = { .equal = (int)rng_below(&r, 2),
			       .note = view_of(""),
			       .a = STATUS_rows,
			       .b = STATUS_rows };

	equal_out_encode(&o, ret);
}

static void answer_score(const struct fake *f, struct view spec, struct cursor k,
			 struct buf *ret)
{
	struct rng r = dice_of(spec);
	struct hash dossier = cur_hash(&k);
	double score[FAKE_CANDIDATES], feature[FAKE_CANDIDATES] = { 0 },
				       mean[1] = { 0 };
	uint32_t times[1] = { 1 }, i = 0;
	struct score_out o = { .features = 1,
			       .score = score,
			       .feature = feature,
			       .mean = mean,
			       .times = times };

	while (i < f->dossiers && !hash_eq(&f->dossier[i].hash, &dossier))
		i++;
	assert_true(i < f->dossiers); /* its blob was handed over with the look-up */
	o.groups = f->dossier[i].groups;
	for (i = 0; i < o.groups; i++)
		score[i] = (double)rng_below(&r, 4); /* ties, too */
	score_out_encode(&o, ret);
}

static void answer_simulated(struct view spec, struct cursor k, struct buf *ret)
{
	struct rng r = dice_of(spec);
	uint32_t rank[FAKE_CANDIDATES];
	size_t n;

	for (int i = 0; i < 3; i++)
		cur_f64(&k);
	cur_u64(&k);
	cur_str(&k);
	cur_str(&k);
	cur_u64(&k);
	n = cur_array(&k);
	assert_true(n <= FAKE_CANDIDATES);
	for (uint32_t i = 0; i < n; i++)
		rank[i] = i + 1;
	rng_shuffle(&r, rank, n);
	pack_array(ret, n);
	for (uint32_t i = 0; i < n; i++)
		pack_f64(ret, rank[i]);
}

int fake_answer(const struct fake *f, struct view spec, struct buf *ret)
{
	struct cursor k;

	if (is_exec_of(f, spec, SLOW_Q, SLOW_C))
		return ERR_TIMEOUT;
	switch (spec_open(spec, &k)) {
	case KIND_exec: answer_exec(f, spec, ret); break;
	case KIND_equal: answer_equal(spec, ret); break;
	case KIND_profile: pack_nil(ret); break;
	case KIND_score: answer_score(f, spec, k, ret); break;
	case KIND_simrank:
	case KIND_simflat: answer_simulated(spec, k, ret); break;
	default:
		fail_msg("no planner here asks for %s", kind_name(spec_open(spec, &k)));
	}
	return 0;
}
