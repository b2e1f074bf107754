/* psc.c - permutation self-consistency: the central order of many listwise passes
 *
 * Each pass ranks one candidate of each group (smallest H), from an order drawn at
 * random, majority or not; a rule makes one order out of them: Kemeny's (exact up to 16
 * groups), mean ranks (Borda) or reciprocal ranks (RRF). Ties go to the smaller mean
 * rank, then to the larger group.
 *
 * Kemeny's order of more than PLAIN groups takes longer than the broker's loop may
 * stand still: it is a task.
 *
 * Source: Tang et al., "Found in the middle: permutation self-consistency improves
 *         listwise ranking in large language models", arXiv 2310.07712.
 */
#include "broker/method/contest.h"
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "broker/method/orders.h"
#include "broker/method/passes.h"
#include "common/base/pack.h"
#include "common/select/kemeny.h"
#include "common/select/meanrank.h"
#include "common/select/rrf.h"
#include "common/select/window.h"
#include "proto/rankings.h"

enum { OWN_AGGREGATE };
enum { AGGREGATE_KEMENY, AGGREGATE_BORDA, AGGREGATE_RRF };
enum { PLAIN = 11 };

struct psc {
	struct contest *t;
	struct rankings by_group; /* passes that could be read */
	double *mean;             /* [g] */
};

static int gather(struct psc *m, const struct passes *s, const uint32_t *face)
{
	struct arena *a = m->t->p->arena;
	uint32_t g = m->t->g.group.g;
	double *rank = arena_alloc(a, m->t->g.n + 1, sizeof *rank);
	struct rankings *by = &m->by_group;

	*by = (struct rankings){ .n = g };
	by->rank = arena_alloc(a, (size_t)s->count * g + 1, sizeof *by->rank);
	m->mean = arena_alloc(a, g + 1, sizeof *m->mean);
	if (!rank || !by->rank || !m->mean)
		return 0;
	for (uint32_t k = 0; k < s->count; k++) {
		if (!passes_ranks(s, k, rank))
			continue;
		for (uint32_t i = 0; i < g; i++)
			by->rank[(size_t)by->count * g + i] = rank[face[i]];
		by->count++;
	}
	meanrank_over(by->rank, by->count, g, m->mean);
	if (by->count)
		contest_set_ranks(m->t, m->mean);
	return 1;
}

/* ---- Kemeny ---------------------------------------------------------------------- */

static enum ask_state kemeny_here(struct psc *m, uint32_t *ret)
{
	const struct rankings *by = &m->by_group;
	uint32_t votes[PLAIN * PLAIN], order[PLAIN];

	kemeny_votes(by->rank, by->count, by->n, votes);
	if (kemeny_order(votes, by->n, m->mean, order, NULL))
		return ASK_WAITS; /* for memory */
	*ret = order[0];
	return ASK_DONE;
}

static enum ask_state kemeny_task(struct psc *m, uint32_t *ret)
{
	struct plan *p = m->t->p;
	struct buf bytes = { 0 }, spec = { 0 };
	struct blob blob = { .copy = 1 };
	uint32_t *order;
	struct fact f;

	rankings_encode(&m->by_group, &bytes);
	blob.bytes = buf_view(&bytes);
	blob.hash = hash_of(bytes.p, bytes.n);
	spec_begin(&spec, KIND_kemeny, 1);
	pack_hash(&spec, &blob.hash);
	f = plan_need(p, &spec, &blob, 1);
	buf_free(&spec);
	buf_free(&bytes);
	if (f.state == FACT_PENDING)
		return ASK_WAITS;
	if (f.state == FACT_OUTPUT &&
	    !order_out_decode(f.output, p->arena, m->by_group.n, &order)) {
		*ret = order[0];
		return ASK_DONE;
	}
	choice_note(p, &m->t->c, "no Kemeny order: %.*s; mean ranks decide",
		    (int)f.text.n, f.text.p);
	return ASK_VOID;
}

/* ---- the choice ------------------------------------------------------------------ */

static uint32_t by_rrf(struct psc *m)
{
	uint32_t g = m->by_group.n, best = 0;
	double *score = arena_alloc(m->t->p->arena, g + 1, sizeof *score);

	if (!score)
		return 0; /* the caller sees the arena */
	rrf_scores(m->by_group.rank, m->by_group.count, g, score);
	for (uint32_t i = 1; i < g; i++)
		if (score[i] > score[best] ||
		    (score[i] == score[best] && m->mean[i] < m->mean[best]))
			best = i;
	return best;
}

static enum ask_state first_of_all(struct psc *m, uint32_t *ret)
{
	uint32_t g = m->by_group.n;

	*ret = meanrank_lead_groups(m->mean, g).a;
	switch ((int)m->t->p->run->own[OWN_AGGREGATE]) {
	case AGGREGATE_KEMENY:
		return g <= PLAIN ? kemeny_here(m, ret) : kemeny_task(m, ret);
	case AGGREGATE_RRF: *ret = by_rrf(m); break;
	default: break;
	}
	return ASK_DONE;
}

static enum plan_state work(struct contest *t)
{
	uint32_t g = t->g.group.g, k = t->p->run->passes_max, first = 0;
	uint32_t *face = faces_of(t->p, &t->g, FACE_FIRST);
	uint32_t *order = face ? orders_random(t->p, "psc", face, g, k) : NULL;
	struct psc m = { .t = t };
	struct passes s;

	if (!order || !passes_make(&t->judge, order, k, g, &s))
		return PLAN_WAITS; /* for memory */
	if (passes_run(&s, 0, s.count) == ASK_WAITS)
		return PLAN_WAITS;
	passes_show(&s, s.count, &t->c);
	if (!gather(&m, &s, face))
		return PLAN_WAITS; /* for memory */
	if (!m.by_group.count) {
		contest_degrade(t, "no pass could be read: majority");
		return PLAN_DONE;
	}
	if (first_of_all(&m, &first) == ASK_WAITS)
		return PLAN_WAITS;
	contest_choose(t, face[first]);
	return PLAN_DONE;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	return n < 2 ? 0
		     : (uint64_t)r->passes_max * window_count(n, r->window, r->step);
}

static const struct method_key keys[] = {
	[OWN_AGGREGATE] = { "aggregate", "kemeny|borda|rrf", 0, 0, AGGREGATE_KEMENY,
			    "how the passes become one order" },
	{ 0 },
};

const struct method method_psc = {
	.name = "psc",
	.plan = plan,
	.reads = READS_JUDGE | READS_PASSES | READS_WINDOW,
	.what = "K listwise passes over the groups in random orders, and their "
		"central order (permutation self-consistency)",
	.key = keys,
	.most = most,
};
