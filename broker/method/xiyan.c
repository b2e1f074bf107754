/* xiyan.c - XiYan-SQL: one choice, over candidates in an order that helps
 *
 * Failed candidates are dropped. One group: its shortest SQL, without an ask. If the
 * largest group has at least half of all, rounded up, all are shown, group by group,
 * the largest first; else one of each group, its shortest. One pick decides. The paper
 * orders members by their generator's quality, which no pool tells: here by H.
 *
 * Source: XiYan-SQL, arXiv 2507.04701, algorithm 3.
 */
#include "broker/method/contest.h"
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "broker/method/orders.h"

static int majority_is_clear(const struct grouping *g)
{
	return g->group[0].size >= (g->ranked + 1) / 2;
}

static enum plan_state work(struct contest *t)
{
	const struct grouping *g = &t->g.group;
	int all = majority_is_clear(g);
	uint32_t *cand = all ? orders_majority(t->p, &t->g)
			     : faces_of(t->p, &t->g, FACE_SHORTEST);
	uint32_t n = orders_shown(t->p, &t->c, all ? g->ranked : g->g), best = 0;
	double value[ORDERS_PICK];

	if (!cand)
		return PLAN_WAITS; /* for memory */
	switch (judge_pick(&t->judge, JUDGE_ONCE, cand, n, 1, value)) {
	case ASK_WAITS: return PLAN_WAITS;
	case ASK_VOID:
		contest_show_void(t);
		contest_degrade(t, "the pick could not be read: majority");
		return PLAN_DONE;
	case ASK_DONE: break;
	}
	for (uint32_t i = 1; i < n; i++)
		if (value[i] > value[best])
			best = i;
	contest_choose(t, cand[best]);
	contest_show_pick(t, cand, value, n);
	return contest_rank_shown(t, cand, value, n) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan_by(p, FACE_SHORTEST, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	(void)r;
	return n >= 2;
}

const struct method method_xiyan = {
	.name = "xiyan",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "one pick: of all where half agree, else of one a group (XiYan-SQL)",
	.most = most,
};
