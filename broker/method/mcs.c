/* mcs.c - MCS-SQL: a multiple-choice question about the groups that hold enough votes
 *
 * Of the candidates that did not fail each group has its share; those of more than
 * `threshold` percent are options, the largest first, each shown by its fastest member
 * (fewest VM steps, which is the same on every machine). The question is asked
 * `samples` times where answers differ by design (simulated judge, temperature above
 * 0), else once, and the option named most often wins; of two as often, the larger
 * group. No group above the threshold: the largest. One: it. Neither costs an ask.
 *
 * Source: Lee et al., "MCS-SQL: leveraging multiple prompts and multiple-choice
 *         selection for text-to-SQL generation", arXiv 2405.07467.
 */
#include "broker/method/contest.h"
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "broker/method/orders.h"

enum { OWN_THRESHOLD, OWN_SAMPLES };

/* Groups stand by size, so the survivors are the first. */
static uint32_t survivors(const struct contest *t)
{
	const struct grouping *g = &t->g.group;
	double percent = t->p->run->own[OWN_THRESHOLD];
	uint32_t n = 0;

	while (n < g->g && 100.0 * g->group[n].size > percent * g->ranked)
		n++;
	return n;
}

/* Asked once is asked as everyone asks it; the others have a number of their own. */
static enum ask_state one_vote(struct contest *t, uint32_t sample, const uint32_t *face,
			       uint32_t n, double *votes)
{
	double value[ORDERS_PICK];
	uint32_t best = 0;
	enum ask_state s =
		judge_pick(&t->judge, sample ? sample : JUDGE_ONCE, face, n, 1, value);

	for (uint32_t i = 1; s == ASK_DONE && i < n; i++)
		if (value[i] > value[best])
			best = i;
	votes[best] += s == ASK_DONE;
	if (s == ASK_DONE)
		contest_show_pick(t, face, value, n);
	else if (s == ASK_VOID)
		contest_show_void(t);
	return s;
}

static enum plan_state elect(struct contest *t, const uint32_t *face, uint32_t n)
{
	uint32_t samples =
		judge_repeats(&t->judge) ? 1 : (uint32_t)t->p->run->own[OWN_SAMPLES];
	double votes[ORDERS_PICK] = { 0 };
	uint32_t best = 0;
	int waits = 0;

	for (uint32_t k = 0; k < samples; k++)
		waits |= one_vote(t, k, face, n, votes) == ASK_WAITS;
	if (waits)
		return PLAN_WAITS;
	for (uint32_t i = 1; i < n; i++)
		if (votes[i] > votes[best])
			best = i;
	if (!votes[best]) {
		contest_degrade(t, "no pick could be read: majority");
		return PLAN_DONE;
	}
	contest_choose(t, face[best]);
	return contest_rank_shown(t, face, votes, n) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state work(struct contest *t)
{
	uint32_t n = survivors(t);
	uint32_t *face = faces_of(t->p, &t->g, FACE_FASTEST);

	if (!face)
		return PLAN_WAITS; /* for memory */
	if (n > 1)
		return elect(t, face, orders_shown(t->p, &t->c, n));
	return PLAN_DONE; /* the largest stays */
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan_by(p, FACE_FASTEST, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	return n < 2 ? 0 : (uint64_t)r->own[OWN_SAMPLES];
}

static const struct method_key keys[] = {
	[OWN_THRESHOLD] = { "threshold", NULL, 0, 100, 20,
			    "percent of the votes that an option exceeds" },
	[OWN_SAMPLES] = { "samples", NULL, 1, 1000, 20,
			  "times that it is asked where answers differ" },
	{ 0 },
};

const struct method method_mcs = {
	.name = "mcs",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "a multiple-choice question about the groups of enough votes (MCS-SQL)",
	.key = keys,
	.most = most,
};
