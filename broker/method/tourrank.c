/* tourrank.c - TourRank: points over several tournaments in which halves go on
 *
 * One candidate a group. In a round the pools are shuffled and half of each goes on,
 * with a point: 32 groups, 16, 8, 4, 2, 1 in 9 asks; 8 in 3. Tournaments differ in
 * their shuffles and run side by side; most points over all of them win.
 *
 * Source: Chen et al., "TourRank", arXiv 2406.11678.
 */
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "broker/method/tournament.h"

enum { KEY_TOURNAMENTS, KEY_SIZE };

static enum ask_state one(struct contest *t, const uint32_t *face, uint32_t pass,
			  struct tournament *ret)
{
	const struct run *run = t->p->run;
	struct rng rng;
	enum ask_state s;

	rng_init(&rng, "tourrank", run->seed, t->p->q->id, pass);
	*ret = (struct tournament){ .t = t,
				    .face = face,
				    .size = (uint32_t)run->own[KEY_SIZE],
				    .keeps = KEEPS_HALF,
				    .pass = pass,
				    .rng = &rng };
	s = tournament_run(ret);
	ret->rng = NULL;
	return s;
}

static enum plan_state total(struct contest *t, const uint32_t *face,
			     const struct tournament *r, uint32_t n)
{
	double *points = arena_alloc(t->p->arena, t->g.group.g + 1, sizeof *points);
	uint32_t read = 0;

	for (uint32_t k = 0; points && k < n; k++) {
		for (uint32_t i = 0; i < t->g.group.g; i++)
			points[i] += r[k].points[i];
		read += r[k].read;
		contest_show_groups(t, r[k].points, !r[k].read);
	}
	if (!points)
		return PLAN_WAITS; /* for memory */
	if (!read) {
		contest_degrade(t, "no pick could be read: majority");
		return PLAN_DONE;
	}
	contest_choose(t, face[contest_best_group(t, points)]);
	contest_mean_ranks(t, points);
	return PLAN_DONE;
}

static enum plan_state work(struct contest *t)
{
	uint32_t n = (uint32_t)t->p->run->own[KEY_TOURNAMENTS], waits = 0;
	const uint32_t *face = faces_of(t->p, &t->g, FACE_FIRST);
	struct tournament *r = arena_alloc(t->p->arena, n + 1, sizeof *r);

	if (!face || !r)
		return PLAN_WAITS; /* for memory */
	for (uint32_t k = 0; k < n; k++)
		waits += one(t, face, k, &r[k]) == ASK_WAITS;
	return waits ? PLAN_WAITS : total(t, face, r, n);
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	return (uint64_t)r->own[KEY_TOURNAMENTS] *
	       tournament_asks(n, (uint32_t)r->own[KEY_SIZE], KEEPS_HALF);
}

static const struct method_key keys[] = {
	{ "tournaments", NULL, 1, 1000, 1, "how many" },
	{ "size", NULL, 2, 26, 8, "candidates shown at once" },
	{ 0 },
};

const struct method method_tourrank = {
	.name = "tourrank",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "points over tournaments in which halves go on (TourRank)",
	.key = keys,
	.most = most,
};
