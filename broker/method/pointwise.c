/* pointwise.c - each candidate is scored alone; the group of the best score wins
 *
 * One ask a candidate that did not fail. A group's score is its members' best, mean, or
 * log-sum-exp (which counts members, too); equal ones are decided by the group's size.
 * Its best member is chosen. A score that could not be read is left out; a group
 * without any stands behind all.
 *
 * Source: Contextual AI, "Open-Sourcing the Best Local Text-to-SQL System" (2025) for
 *         the maximum over a group's members.
 */
#include "broker/method/method.h"
#include "broker/method/scores.h"

#include <math.h>

enum { KEY_AGGREGATE };
enum { BY_MAX, BY_MEAN, BY_LSE };

static double aggregated(const struct contest *t, uint32_t group, const double *score,
			 int how)
{
	const struct group *g = &t->g.group.group[group];
	const uint32_t *member = t->g.group.member + g->first;
	double top = score[contest_best_member(t, group, score)], sum = 0;
	uint32_t n = 0;

	if (how == BY_MAX || top == -HUGE_VAL)
		return top;
	for (uint32_t i = 0; i < g->size; i++) {
		double s = score[member[i]];

		if (s == -HUGE_VAL)
			continue;
		sum += how == BY_MEAN ? s : exp(s - top);
		n++;
	}
	return how == BY_MEAN ? sum / n : top + log(sum);
}

static enum plan_state work(struct contest *t)
{
	double *score = arena_alloc(t->p->arena, t->g.n + 1, sizeof *score);
	double *value = arena_alloc(t->p->arena, t->g.group.g + 1, sizeof *value);
	uint32_t read;

	if (!score || !value || scores_of(t, score, &read) == ASK_WAITS)
		return PLAN_WAITS;
	if (!read) {
		contest_degrade(t, "no score could be read: majority");
		return PLAN_DONE;
	}
	for (uint32_t i = 0; i < t->g.group.g; i++)
		value[i] = aggregated(t, i, score, (int)t->p->run->own[KEY_AGGREGATE]);
	contest_choose(t, contest_best_member(t, contest_best_group(t, value), score));
	return contest_rank_groups(t, value) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	(void)r;
	return n < 2 ? 0 : n;
}

static const struct method_key keys[] = {
	{ "aggregate", "max|mean|lse", 0, 0, BY_MAX,
	  "a group's score from its members'" },
	{ 0 },
};

const struct method method_pointwise = {
	.name = "pointwise",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "each candidate is scored alone",
	.key = keys,
	.most = most,
};
