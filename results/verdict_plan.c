/* verdict_plan.c - see verdict_plan.h
 *
 * All exec tasks are wished for at once; only when they are there is it known which
 * candidates need a match. A second look at the same facts wishes the same.
 */
#include "results/verdict_plan.h"

#include "proto/equal_out.h"
#include "proto/exec_out.h"
#include "proto/softf1_out.h"
#include "proto/verdict.h"
#include "results/gold.h"
#include "results/tolerance.h"

enum { NOTE_BYTES = 160 };

/* What is known of one text: a candidate's or gold's. */
struct side {
	enum status status;
	struct view note;
	struct exec_out out; /* zero where nothing ran */
};

enum answer { WRONG, RIGHT, ASK };

static struct view cut(struct view v)
{
	return (struct view){ v.p, v.n < NOTE_BYTES ? v.n : NOTE_BYTES };
}

static void failed(struct side *s, const struct fact *f)
{
	s->status = f->code == ERR_TIMEOUT ? STATUS_timeout : STATUS_error;
	s->note = f->code == ERR_TIMEOUT ? view_of("clock")
		  : f->code == ERR_DEATH ? view_of("quarantined")
					 : cut(f->text);
}

/* Takes the spec. No memory for it: *bad, and a failure. */
static struct fact need(struct plan *p, struct buf *spec, const struct blob *blob,
			size_t n, int *bad)
{
	struct fact f = { .state = FACT_FAILED, .text = { "", 0 } };

	if (spec->bad)
		*bad = spec->bad;
	else
		f = plan_need(p, spec, blob, n);
	buf_free(spec);
	return f;
}

/* 1 when *ret is known, 0 when it is still to come. No memory: *bad. */
static int look(struct plan *p, struct view run, const struct hash *hash, int abstains,
		struct side *ret, int *bad)
{
	const struct blob blob = { .hash = *hash, .bytes = run };
	struct buf spec = { 0 };
	struct fact f;
	int rc;

	*ret = (struct side){ 0 };
	if (abstains) {
		ret->status = STATUS_abstain;
		return 1;
	}
	spec_exec(&spec, &p->sweep->env_hash, &p->sweep->db[p->q->db].hash, hash);
	f = need(p, &spec, &blob, 1, bad);
	if (f.state == FACT_PENDING)
		return 0;
	if (f.state == FACT_FAILED) {
		failed(ret, &f);
		return 1;
	}
	rc = exec_out_decode(f.output, &ret->out, p->arena);
	if (rc) {
		if (rc == ERR_NOMEM)
			*bad = rc;
		ret->out = (struct exec_out){ 0 };
		ret->status = STATUS_error;
		ret->note = view_of("unreadable output");
		return 1;
	}
	ret->status = ret->out.status;
	ret->note = ret->out.note.n ? ret->out.note : cut(ret->out.error);
	return 1;
}

static enum answer says(int right)
{
	return right ? RIGHT : WRONG;
}

/* Spider: equal up to one permutation of the columns. Where the columns' multisets
 * differ none fits; where the rows are the same as they stand, and the same numbers in
 * them are reals, the identity does; and one column has no other. */
static enum answer spider(const struct side *c, const struct side *g, int ordered)
{
	if (c->out.rows != g->out.rows || c->out.cols != g->out.cols ||
	    !sip_eq(&c->out.digests.sig, &g->out.digests.sig))
		return WRONG;
	if (c->out.reals == g->out.reals &&
	    (sip_eq(&c->out.digests.list, &g->out.digests.list) ||
	     (!ordered && sip_eq(&c->out.digests.bag, &g->out.digests.bag))))
		return RIGHT;
	return c->out.cols == 1 ? WRONG : ASK;
}

static enum answer plain(const struct side *c, const struct side *g, int ordered)
{
	return says(ordered ? sip_eq(&c->out.digests.list, &g->out.digests.list)
			    : sip_eq(&c->out.digests.bag, &g->out.digests.bag));
}

static enum answer compare(enum rule rule, const struct side *c, const struct side *g,
			   int ordered)
{
	if (!status_ok(c->status) || !status_ok(g->status))
		return WRONG;
	if (c->status != STATUS_rows || g->status != STATUS_rows)
		return says(c->status == g->status); /* both empty, or both abstain */
	switch (rule) {
	case RULE_spider: return spider(c, g, ordered);
	case RULE_ehrsql:
	case RULE_ehrsql_v1:
		return says(sip_eq(&c->out.digests.ehr, &g->out.digests.ehr));
	case RULE_bird: /* Python's sqlite3 raises on such text */
		return says(!c->out.invalid_utf8 && !g->out.invalid_utf8 &&
			    sip_eq(&c->out.digests.set, &g->out.digests.set));
	default: return plain(c, g, ordered);
	}
}

/* 1 when the match is known, its word in *ret_right and a doubt in *ret_note. */
static int match(struct plan *p, const struct candidate *c, const struct gold_item *g,
		 uint8_t *ret_right, struct view *ret_note, int *bad)
{
	const struct blob blob[] = { { .hash = c->run_hash, .bytes = c->run },
				     { .hash = g->run_hash, .bytes = g->run } };
	struct equal_out out;
	struct buf spec = { 0 };
	struct fact f;

	spec_equal(&spec, KIND_match, &p->sweep->env_hash, &p->sweep->db[p->q->db].hash,
		   &c->run_hash, &g->run_hash, g->ordered);
	f = need(p, &spec, blob, 2, bad);
	if (f.state == FACT_PENDING)
		return 0;
	if (f.state == FACT_FAILED) {
		*ret_note =
			f.code == ERR_TIMEOUT ? view_of("match: clock") : cut(f.text);
	} else if (equal_out_decode(f.output, &out) != 0) {
		*ret_note = view_of("match: unreadable output");
	} else {
		*ret_right = out.equal != 0;
		if (!out.equal && out.note.n)
			*ret_note = out.note;
	}
	return 1;
}

static int alloc(struct plan *p, struct verdict *v, struct side **ret)
{
	uint32_t n = p->q->n;

	*v = (struct verdict){ .n = n };
	v->right = arena_alloc(p->arena, n + 1, 1);
	v->strict = arena_alloc(p->arena, n + 1, 1);
	v->status = arena_alloc(p->arena, n + 1, 1);
	v->note = arena_alloc(p->arena, n + 1, sizeof *v->note);
	if (p->sweep->rule == RULE_bird)
		v->soft_f1 = arena_alloc(p->arena, n + 1, sizeof *v->soft_f1);
	*ret = arena_alloc(p->arena, n + 1, sizeof **ret);
	return v->right && v->strict && v->status && v->note && *ret &&
	       (v->soft_f1 || p->sweep->rule != RULE_bird);
}

/* --float-tol: a wrong one whose numbers are near enough is right, and says so. */
static void forgive(const struct sweep *s, const struct gold_item *item,
		    const struct side *c, const struct side *g, uint8_t *right,
		    struct view *note)
{
	enum rows_as as = s->rule == RULE_bird ? ROWS_SET
			  : item->ordered      ? ROWS_LIST
					       : ROWS_BAG;
	int equal;

	if (!(s->float_tol > 0) || *right || c->status != STATUS_rows ||
	    g->status != STATUS_rows)
		return;
	equal = tolerance_equal(&c->out, &g->out, as, s->float_tol);
	*right = equal == 1;
	if (equal)
		*note = view_of(equal > 0 ? "float-tol" : "float-tol: too many rows");
}

static int judge(struct plan *p, const struct gold_item *item, const struct side *g,
		 const struct side *c, struct verdict *v, int *bad)
{
	int known = 1;

	for (uint32_t i = 0; i < v->n; i++) {
		enum answer a = compare(p->sweep->rule, &c[i], g, item->ordered);

		v->status[i] = (uint8_t)c[i].status;
		v->note[i] = c[i].note;
		v->strict[i] =
			compare(RULE_plain, &c[i], g, item->strict_ordered) == RIGHT;
		v->right[i] = a == RIGHT;
		if (p->sweep->rule == RULE_bird && c[i].out.invalid_utf8)
			v->note[i] = view_of("decode");
		if (a == ASK)
			known &= match(p, &p->q->cand[i], item, &v->right[i],
				       &v->note[i], bad);
		forgive(p->sweep, item, &c[i], g, &v->right[i], &v->note[i]);
	}
	return known;
}

/* ---- corrected gold ---- */

/* The same question once more, by the second gold: 1 when all is known. */
static int judge_corrected(struct plan *p, const struct gold_item *item,
			   const struct side *g, const struct side *c,
			   struct verdict *v, int *bad)
{
	int known = 1;

	v->corrected_gold = g->status;
	v->corrected_note = g->note;
	for (uint32_t i = 0; i < v->n; i++) {
		enum answer a = compare(p->sweep->rule, &c[i], g, item->ordered);
		struct view note = { "", 0 };

		v->corrected[i] = a == RIGHT;
		if (a == ASK)
			known &= match(p, &p->q->cand[i], item, &v->corrected[i], &note,
				       bad);
		forgive(p->sweep, item, &c[i], g, &v->corrected[i], &note);
	}
	return known;
}

static int correct(struct plan *p, uint32_t q, const struct side *c, struct verdict *v,
		   int *bad)
{
	const struct gold *gold = p->arg;
	struct side g;

	if (!gold->is_corrected || !gold->is_corrected[q])
		return 1;
	v->corrected = arena_alloc(p->arena, v->n + 1, 1);
	if (!v->corrected) {
		*bad = ERR_NOMEM;
		return 1;
	}
	return look(p, gold->corrected[q].run, &gold->corrected[q].run_hash,
		    gold->corrected[q].abstains, &g, bad) &&
	       judge_corrected(p, &gold->corrected[q], &g, c, v, bad);
}

/* ---- soft F1 ---- */

/* Of candidates with the same rows in the same order one is asked about: the one whose
 * text has the smallest hash, wherever it stands in the pool. */
static uint32_t stands_for(const struct question *q, const struct side *c, uint32_t i)
{
	uint32_t best = i;

	for (uint32_t k = 0; k < q->n; k++)
		if (c[k].status == STATUS_rows && c[k].out.cols == c[i].out.cols &&
		    sip_eq(&c[k].out.digests.list, &c[i].out.digests.list) &&
		    hash_cmp(&q->cand[k].run_hash, &q->cand[best].run_hash) < 0)
			best = k;
	return best;
}

/* 1 when the F1 is known. */
static int ask_soft_f1(struct plan *p, const struct candidate *c,
		       const struct gold_item *g, double *ret, struct view *ret_note,
		       int *bad)
{
	const struct blob blob[] = { { .hash = c->run_hash, .bytes = c->run },
				     { .hash = g->run_hash, .bytes = g->run } };
	struct softf1_out out;
	struct buf spec = { 0 };
	struct fact f;

	spec_softf1(&spec, &p->sweep->env_hash, &p->sweep->db[p->q->db].hash,
		    &c->run_hash, &g->run_hash);
	f = need(p, &spec, blob, 2, bad);
	if (f.state == FACT_PENDING)
		return 0;
	if (f.state == FACT_FAILED)
		*ret_note =
			f.code == ERR_TIMEOUT ? view_of("soft F1: clock") : cut(f.text);
	else if (softf1_out_decode(f.output, &out) != 0)
		*ret_note = view_of("soft F1: unreadable output");
	else
		*ret = out.f1;
	return 1;
}

/* 1, and *ret is what digests tell without holding the rows; else 0. */
static int plain_soft_f1(const struct side *c, const struct side *g, double *ret)
{
	*ret = 0;
	if (!status_ok(c->status) || !status_ok(g->status) || c->out.invalid_utf8 ||
	    g->out.invalid_utf8)
		return 1;
	*ret = c->status == g->status;
	return c->status != STATUS_rows || g->status != STATUS_rows ||
	       (c->out.cols == g->out.cols &&
		sip_eq(&c->out.digests.list, &g->out.digests.list));
}

static int soften(struct plan *p, const struct gold_item *item, const struct side *g,
		  const struct side *c, struct verdict *v, int *bad)
{
	int known = 1;

	for (uint32_t i = 0; v->soft_f1 && i < v->n; i++) {
		if (plain_soft_f1(&c[i], g, &v->soft_f1[i]))
			continue;
		v->soft_f1[i] = 0;
		known &= ask_soft_f1(p, &p->q->cand[stands_for(p->q, c, i)], item,
				     &v->soft_f1[i], &v->note[i], bad);
	}
	return known;
}

enum plan_state verdict_plan(struct plan *p, struct buf *ret)
{
	const struct gold *gold = p->arg;
	const struct gold_item *item = &gold->item[p->q - p->sweep->q];
	struct side g, *c;
	struct verdict v;
	int known, bad = 0;

	if (!alloc(p, &v, &c)) {
		ret->bad = ERR_NOMEM;
		return PLAN_DONE;
	}
	known = look(p, item->run, &item->run_hash, item->abstains, &g, &bad);
	for (uint32_t i = 0; i < v.n; i++)
		known &= look(p, p->q->cand[i].run, &p->q->cand[i].run_hash,
			      p->q->cand[i].abstains, &c[i], &bad);
	if (known)
		known = judge(p, item, &g, c, &v, &bad) &
			soften(p, item, &g, c, &v, &bad) &
			correct(p, (uint32_t)(p->q - p->sweep->q), c, &v, &bad);
	if (bad) { /* the record says so by being bad */
		ret->bad = bad;
		return PLAN_DONE;
	}
	if (!known)
		return PLAN_WAITS;
	v.gold = g.status;
	v.gold_note = g.note;
	if (p->sweep->rule == RULE_bird && g.out.invalid_utf8) {
		v.gold = STATUS_error;
		v.gold_note = view_of("decode");
	}
	v.gold_rows = g.out.rows;
	verdict_encode(&v, ret);
	return PLAN_DONE;
}
