/* mbr.c - execution MBR: the candidate whose result is most like all the others'
 *
 * The similarity of two results (common/select/alike.h) is in [0, 1]; one without rows
 * is like no other, and each executed one is like itself. The largest sum over all
 * candidates wins. columns=position tells columns by their place instead of their name,
 * so that an alias does not count.
 *
 * Similarity needs whole results, which nobody holds: a task runs both queries again.
 * Candidates of one result (rows in some order, and names) are one there, and disjoint
 * names need none. No judge is asked.
 *
 * Edges:  abstentions are like each other. A similarity that nobody could compute is 0,
 *         and noted.
 * Source: arXiv 2503.24364; Yao et al., "Arctic-Text2SQL-R1", arXiv 2505.20315.
 */
#include "broker/method/contest.h"
#include "broker/method/method.h"
#include "proto/alike_out.h"

enum { KEY_COLUMNS };
enum { BY_NAME, BY_POSITION };

struct mbr {
	struct contest *t;
	int by_place;
	uint32_t *first; /* of each candidate: the one of smallest SQL hash with the
			    same frame */
};

static const struct candidate *sql_of(const struct mbr *m, uint32_t cand)
{
	return aggregate_candidate(m->t->p, &m->t->g, cand);
}

static int same_names(const struct exec_out *a, const struct exec_out *b)
{
	if (a->cols != b->cols)
		return 0;
	for (uint32_t i = 0; i < a->cols; i++)
		if (!view_eq(a->names[i], b->names[i]))
			return 0;
	return 1;
}

static int same_frame(const struct mbr *m, uint32_t i, uint32_t k)
{
	const struct exec_out *a = &m->t->g.out[i], *b = &m->t->g.out[k];

	return a->status == STATUS_rows && b->status == STATUS_rows &&
	       sip_eq(&a->digests.bag, &b->digests.bag) &&
	       (m->by_place || same_names(a, b));
}

/* Of one frame, one stands for all, the same in every draw that holds it. */
static void find_frames(struct mbr *m)
{
	const struct grouping *g = &m->t->g.group;

	for (uint32_t i = 0; i < g->ranked; i++) {
		uint32_t c = g->member[i], best = c;

		for (uint32_t k = 0; k < g->ranked; k++) {
			uint32_t d = g->member[k];

			if (same_frame(m, c, d) &&
			    hash_cmp(&sql_of(m, d)->run_hash,
				     &sql_of(m, best)->run_hash) < 0)
				best = d;
		}
		m->first[c] = best;
	}
}

static int share_a_name(const struct exec_out *a, const struct exec_out *b)
{
	for (uint32_t i = 0; i < a->cols; i++)
		for (uint32_t k = 0; k < b->cols; k++)
			if (view_eq(a->names[i], b->names[k]))
				return 1;
	return 0;
}

static struct fact ask(const struct mbr *m, uint32_t a, uint32_t b)
{
	struct plan *p = m->t->p;
	const struct sweep *s = p->sweep;
	const struct candidate *x = sql_of(m, a), *y = sql_of(m, b);
	const struct blob blob[] = { { s->env_hash, s->env, 0 },
				     { x->run_hash, x->run, 0 },
				     { y->run_hash, y->run, 0 } };
	struct buf spec = { 0 };
	struct fact f;

	spec_mbr(&spec, &s->env_hash, &s->db[p->q->db].hash, &x->run_hash, &y->run_hash,
		 m->by_place);
	f = plan_need(p, &spec, blob, 3);
	buf_free(&spec);
	return f;
}

/* 1 and the similarity of two frames, or 0: it is not there yet. */
static int by_task(const struct mbr *m, uint32_t a, uint32_t b, double *ret)
{
	struct fact f = ask(m, a, b);
	struct alike_out out = { 0 };

	*ret = 0;
	if (f.state == FACT_PENDING)
		return 0;
	if (f.state == FACT_FAILED || alike_out_decode(f.output, &out))
		choice_note(m->t->p, &m->t->c, "a similarity is not known: %.*s",
			    (int)f.text.n, f.text.p);
	else if (view_eq(out.note, view_of("memory")))
		choice_note(m->t->p, &m->t->c,
			    "a similarity is not known: results too large to compare");
	if (out.all)
		*ret = (double)out.same / (double)out.all;
	return 1;
}

static int similarity(const struct mbr *m, uint32_t a, uint32_t b, double *ret)
{
	const struct exec_out *x = &m->t->g.out[a], *y = &m->t->g.out[b];

	*ret = a == b || (x->status == STATUS_abstain && y->status == STATUS_abstain);
	if (*ret > 0 || x->status != STATUS_rows || y->status != STATUS_rows)
		return 1;
	a = m->first[a];
	b = m->first[b];
	*ret = a == b;
	if (a == b || (!m->by_place && !share_a_name(x, y)))
		return 1;
	return by_task(m, a, b, ret);
}

/* The sums, in the order of the groups. */
static int sums(const struct mbr *m, double *ret)
{
	const struct grouping *g = &m->t->g.group;
	int there = 1;

	for (uint32_t i = 0; i < g->ranked; i++) {
		ret[g->member[i]] += 1; /* like itself */
		for (uint32_t k = i + 1; k < g->ranked; k++) {
			double s;

			there &= similarity(m, g->member[i], g->member[k], &s);
			ret[g->member[i]] += s;
			ret[g->member[k]] += s;
		}
	}
	return there;
}

static enum plan_state work(struct contest *t)
{
	struct mbr m = { .t = t,
			 .by_place = t->p->run->own[KEY_COLUMNS] == BY_POSITION };
	double *sum = arena_alloc(t->p->arena, t->g.n + 1, sizeof *sum);

	m.first = arena_alloc(t->p->arena, t->g.n + 1, sizeof *m.first);
	if (!sum || !m.first)
		return PLAN_WAITS; /* for memory */
	find_frames(&m);
	if (!sums(&m, sum))
		return PLAN_WAITS;
	contest_choose(t, contest_best_candidate(t, sum));
	return contest_rank_candidates(t, sum) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_ALONE, work, ret);
}

static const struct method_key keys[] = {
	{ "columns", "name|position", 0, 0, BY_NAME, "what tells columns apart" },
	{ 0 },
};

const struct method method_mbr = {
	.name = "mbr",
	.plan = plan,
	.reads = 0,
	.what = "the result most like all the others (execution MBR)",
	.key = keys,
};
