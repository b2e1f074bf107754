/* csc.c - CSC-SQL: which of the two largest groups is right?
 *
 * The vote first; then one ask about the best two, each shown by its smallest H: the
 * larger as A, or, by `order`, who is A drawn by lot. Neither: the larger. The vote
 * stays, without an ask, where there is one group, or where a text of the two holds no
 * query.
 *
 * Source: CSC-SQL, arXiv 2505.13271, its vote mode.
 */
#include "broker/method/contest.h"
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "common/base/rng.h"

#include <strings.h>

enum { OWN_MODE, OWN_ORDER };
enum { ORDER_FIXED, ORDER_SHUFFLE };

static int holds_query(const struct contest *t, uint32_t cand)
{
	static const char word[] = "select";
	struct view sql = aggregate_candidate(t->p, &t->g, cand)->run;

	if (t->g.out[cand].status == STATUS_abstain)
		return 0;
	for (size_t i = 0; i + sizeof word - 1 <= sql.n; i++)
		if (strncasecmp(sql.p + i, word, sizeof word - 1) == 0)
			return 1;
	return 0;
}

/* 1: the second largest is shown as A. */
static int swapped(const struct plan *p)
{
	struct rng r;

	if (p->run->own[OWN_ORDER] == ORDER_FIXED)
		return 0;
	rng_init(&r, "csc", p->run->seed, p->q->id, 0);
	return (int)rng_below(&r, 2);
}

static enum plan_state work(struct contest *t)
{
	uint32_t large = group_face(&t->g.group, 0), small = group_face(&t->g.group, 1);
	int swap = swapped(t->p);
	const uint32_t shown[] = { swap ? small : large, swap ? large : small };
	double value[2];

	if (!holds_query(t, large) || !holds_query(t, small))
		return PLAN_DONE; /* the vote stays */
	switch (judge_pair(&t->judge, JUDGE_ONCE, shown[0], shown[1], &value[0])) {
	case ASK_WAITS: return PLAN_WAITS;
	case ASK_VOID:
		contest_show_void(t);
		contest_degrade(t, "the ask could not be read: majority");
		return PLAN_DONE;
	case ASK_DONE: break;
	}
	value[1] = 1 - value[0];
	contest_choose(t, value[!swap] > value[swap] ? small : large);
	contest_show_pick(t, shown, value, 2);
	return contest_rank_shown(t, shown, value, 2) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	(void)r;
	return n >= 2;
}

static const struct method_key keys[] = {
	[OWN_MODE] = { "mode", "vote", 0, 0, 0, "which of the two, A or B?" },
	[OWN_ORDER] = { "order", "fixed|shuffle", 0, 0, ORDER_FIXED,
			"who is A: the larger group, or by lot" },
	{ 0 },
};

const struct method method_csc = {
	.name = "csc",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "one ask about the two largest groups (CSC-SQL, vote mode)",
	.key = keys,
	.most = most,
	.absent = "mode=merge",
	.why_absent = "it needs a model that generates",
};
