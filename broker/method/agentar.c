/* agentar.c - Agentar-Scale-SQL's choice: a round robin of one candidate a group
 *
 * g(g-1)/2 asks, each pair once; most wins; a half each where neither wins.
 *
 * Source: Wang et al., "Agentar-Scale-SQL", arXiv 2509.24403.
 */
#include "broker/method/contest.h"
#include "broker/method/duel.h"
#include "broker/method/face.h"
#include "broker/method/method.h"

static enum plan_state work(struct contest *t)
{
	const uint32_t *face = faces_of(t->p, &t->g, FACE_FIRST);
	double *wins = arena_alloc(t->p->arena, t->g.group.g + 1, sizeof *wins);
	uint32_t read = 0, waits = 0;

	if (!face || !wins)
		return PLAN_WAITS; /* for memory */
	for (uint32_t i = 0; i < t->g.group.g; i++)
		for (uint32_t k = i + 1; k < t->g.group.g; k++) {
			struct duel d;

			waits += duel(&t->judge, face[i], face[k], DUEL_ONE, &d) ==
				 ASK_WAITS;
			wins[i] += d.points;
			wins[k] += 1 - d.points;
			read += d.read;
		}
	if (waits)
		return PLAN_WAITS;
	if (!read) {
		contest_degrade(t, "no comparison could be read: majority");
		return PLAN_DONE;
	}
	contest_choose(t, face[contest_best_group(t, wins)]);
	return contest_rank_groups(t, wins) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	(void)r;
	return n < 2 ? 0 : (uint64_t)n * (n - 1) / 2;
}

const struct method method_agentar = {
	.name = "agentar",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "a round robin of one candidate a group (Agentar-Scale-SQL)",
	.most = most,
};
