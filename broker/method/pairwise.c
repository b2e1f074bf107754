/* pairwise.c - CHASE-SQL: each against each, most points win
 *
 * Over ordered pairs: of two with equal results the first wins without an ask; one that
 * failed loses without an ask; else the judge answers, and who wins gets a point; half
 * a point each where neither wins or no answer could be read. So a candidate's points
 * are those of the vote (its group's size less one) and those it wins against others.
 *
 * orders=one asks each unordered pair once and counts all points half as often.
 * unit=representative asks for one candidate a group, g(g-1) asks, and weighs a win by
 * |gi||gj|, the pairs that it stands for; a group's points shared by its members are
 * then what a member's points are, and the groups are compared by them.
 *
 * Source: Pourreza et al., "CHASE-SQL", arXiv 2410.01943, algorithm 3.
 */
#include "broker/method/contest.h"
#include "broker/method/duel.h"
#include "broker/method/face.h"
#include "broker/method/method.h"

enum { KEY_ORDERS, KEY_UNIT };
enum { BY_CANDIDATE, BY_REPRESENTATIVE };

struct pairwise {
	struct contest *t;
	enum duel_orders orders;
	double points_a_pair; /* to be had: 2 in both orders, 1 in one */
	double *points;
	uint64_t read;
};

/* Without an ask: from equal results, half of what is to be had; from failed ones all.
 */
static double given(const struct pairwise *m, uint32_t group)
{
	const struct grouping *g = &m->t->g.group;

	return m->points_a_pair *
	       ((g->group[group].size - 1) / 2.0 + (g->n - g->ranked));
}

static int meet(struct pairwise *m, uint32_t a, uint32_t b, struct duel *ret)
{
	enum ask_state s = duel(&m->t->judge, a, b, m->orders, ret);

	m->read += ret->read;
	return s == ASK_DONE;
}

static int all_candidates(struct pairwise *m)
{
	const struct grouping *g = &m->t->g.group;
	int there = 1;

	for (uint32_t i = 0; i < g->ranked; i++)
		m->points[g->member[i]] = given(m, g->of[g->member[i]]);
	for (uint32_t i = 0; i < g->ranked; i++)
		for (uint32_t k = i + 1; k < g->ranked; k++) {
			uint32_t a = g->member[i], b = g->member[k];
			struct duel d;

			if (g->of[a] == g->of[b])
				continue;
			there &= meet(m, a, b, &d);
			m->points[a] += d.points;
			m->points[b] += m->points_a_pair - d.points;
		}
	return there;
}

/* Points of a member: the group's, with weights |gi||gj|, over its size |gi|. */
static int all_faces(struct pairwise *m)
{
	const struct grouping *g = &m->t->g.group;
	const uint32_t *face = faces_of(m->t->p, &m->t->g, FACE_FIRST);
	int there = face != NULL;

	for (uint32_t i = 0; i < g->g; i++)
		m->points[i] = given(m, i);
	for (uint32_t i = 0; face && i < g->g; i++)
		for (uint32_t k = i + 1; k < g->g; k++) {
			struct duel d;

			there &= meet(m, face[i], face[k], &d);
			m->points[i] += g->group[k].size * d.points;
			m->points[k] +=
				g->group[i].size * (m->points_a_pair - d.points);
		}
	return there;
}

static enum plan_state work(struct contest *t)
{
	const double *own = t->p->run->own;
	struct pairwise m = { .t = t, .orders = (enum duel_orders)own[KEY_ORDERS] };
	int by_face = own[KEY_UNIT] == BY_REPRESENTATIVE, there;

	m.points_a_pair = m.orders == DUEL_BOTH ? 2 : 1;
	m.points = arena_alloc(t->p->arena, t->g.n + 1, sizeof *m.points);
	if (!m.points)
		return PLAN_WAITS; /* for memory */
	there = by_face ? all_faces(&m) : all_candidates(&m);
	if (!there)
		return PLAN_WAITS;
	if (!m.read) {
		contest_degrade(t, "no comparison could be read: majority");
		return PLAN_DONE;
	}
	contest_choose(
		t, by_face ? group_face(&t->g.group, contest_best_group(t, m.points))
			   : contest_best_candidate(t, m.points));
	there = by_face ? contest_rank_groups(t, m.points)
			: contest_rank_candidates(t, m.points);
	return there ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	uint64_t pairs = n < 2 ? 0 : (uint64_t)n * (n - 1) / 2;

	return r->own[KEY_ORDERS] == DUEL_BOTH ? 2 * pairs : pairs;
}

static const struct method_key keys[] = {
	{ "orders", "both|one", 0, 0, DUEL_BOTH, "in which orders two are shown" },
	{ "unit", "candidate|representative", 0, 0, BY_CANDIDATE,
	  "all candidates, or one a group" },
	{ 0 },
};

const struct method method_pairwise = {
	.name = "pairwise",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "each against each, most points win (CHASE-SQL)",
	.key = keys,
	.most = most,
};
