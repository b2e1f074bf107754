/* bestof.c - the best one of eight, twice: 32 groups, 4, 1
 *
 * One candidate a group; the winners of the pools meet in a last one (beyond size
 * squared, in more rounds). 5 asks in two rounds for 32 groups, 1 for 8. Pools are
 * shown largest group first. An answer that could not be read lets the largest group
 * go on.
 */
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "broker/method/tournament.h"

enum { KEY_SIZE };

static enum plan_state work(struct contest *t)
{
	struct tournament r = { .t = t,
				.face = faces_of(t->p, &t->g, FACE_FIRST),
				.size = (uint32_t)t->p->run->own[KEY_SIZE],
				.keeps = KEEPS_ONE,
				.pass = JUDGE_ONCE };

	if (!r.face || tournament_run(&r) == ASK_WAITS)
		return PLAN_WAITS;
	if (!r.read) {
		contest_degrade(t, "no pick could be read: majority");
		return PLAN_DONE;
	}
	contest_choose(t, r.face[contest_best_group(t, r.points)]);
	return contest_rank_groups(t, r.points) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	return tournament_asks(n, (uint32_t)r->own[KEY_SIZE], KEEPS_ONE);
}

static const struct method_key keys[] = {
	{ "size", NULL, 2, 26, 8, "candidates shown at once" },
	{ 0 },
};

const struct method method_bestof = {
	.name = "bestof",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "the best one of eight, and then of the winners",
	.key = keys,
	.most = most,
};
