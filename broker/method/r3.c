/* r3.c - R3-SQL: decisive wins between groups first, then size by pointwise rank
 *
 * The agent says whether a right candidate is likely to be there; if not, that is
 * noted, and the pool stays, for resampling needs a generator. Then, for every two
 * groups, members meet in both orders (all of them, or a group's `p` best by score);
 * P(i above j) is the mean over all judgements, and a win is decisive if |2P - 1| >
 * 0.05. A group's reward is its decisive wins, then w * u: its size by the reciprocal
 * of its best member's rank among all scores. At last the best members of the two
 * first groups meet; the winner's group's best member by score is chosen.
 *
 * 1 + ranked + 2 * (sum over i < j of min(p, |gi|) min(p, |gj|)) + 2 asks.
 *
 * Edges:  no answer of the agent: covered. Scores alike: smaller H ranks first. A score
 *         that could not be read: reciprocal rank 0. Two groups of whose members no
 *         judgement could be read: no win. The last comparison undecided: the first
 *         stays.
 * Source: Han et al., "R3-SQL", arXiv 2604.25325.
 */
#include "broker/method/duel.h"
#include "broker/method/method.h"
#include "broker/method/scores.h"
#include "common/base/round.h"

#include <math.h>

enum { KEY_P };

static const double decisive = 0.05;

struct r3 {
	struct contest *t;
	uint32_t p;       /* members of a group that meet others; 0: all */
	double *score;    /* by candidate */
	uint32_t *member; /* as in the grouping, but best score first within a group */
	double *wins, *point, *value; /* by group */
	uint64_t read;
};

static int rooms(struct r3 *m)
{
	const struct grouping *g = &m->t->g.group;
	struct arena *a = m->t->p->arena;

	m->score = arena_alloc(a, g->n + 1, sizeof *m->score);
	m->member = arena_alloc(a, g->n + 1, sizeof *m->member);
	m->wins = arena_alloc(a, g->g + 1, sizeof *m->wins);
	m->point = arena_alloc(a, g->g + 1, sizeof *m->point);
	m->value = arena_alloc(a, g->g + 1, sizeof *m->value);
	return m->score && m->member && m->wins && m->point && m->value;
}

static enum ask_state ask_agent(struct r3 *m)
{
	int covered = 1;
	enum ask_state s = judge_cover(&m->t->judge, &covered);

	if (s == ASK_DONE && !covered)
		choice_note(m->t->p, &m->t->c,
			    "no right candidate is likely to be among them; nothing "
			    "here generates others, so they stay");
	return s;
}

static int better(const struct r3 *m, uint32_t a, uint32_t b)
{
	double x = round20(m->score[a]), y = round20(m->score[b]);

	return x > y || (x == y && a < b);
}

static void sort_members(struct r3 *m)
{
	const struct grouping *g = &m->t->g.group;

	for (uint32_t i = 0; i < g->g; i++) {
		uint32_t *v = m->member + g->group[i].first;

		for (uint32_t k = 0; k < g->group[i].size; k++) {
			uint32_t c = g->member[g->group[i].first + k], at = k;

			for (; at && better(m, c, v[at - 1]); at--)
				v[at] = v[at - 1];
			v[at] = c;
		}
	}
}

static uint32_t meeting(const struct r3 *m, uint32_t group)
{
	uint32_t size = m->t->g.group.group[group].size;

	return m->p && m->p < size ? m->p : size;
}

static int prunes(const struct r3 *m)
{
	return m->p && m->t->g.group.group[0].size > m->p;
}

static int meet(struct r3 *m, uint32_t i, uint32_t k)
{
	const uint32_t *a = m->member + m->t->g.group.group[i].first;
	const uint32_t *b = m->member + m->t->g.group.group[k].first;
	double p = 0, margin;
	uint32_t read = 0;
	int there = 1;

	for (uint32_t x = 0; x < meeting(m, i); x++)
		for (uint32_t y = 0; y < meeting(m, k); y++) {
			struct duel d;

			there &= duel(&m->t->judge, a[x], b[y], DUEL_BOTH, &d) ==
				 ASK_DONE;
			p += d.p;
			read += d.read;
		}
	m->read += read;
	margin = read ? round20(2 * (p / read) - 1) : 0;
	/* rounded alike: .05 itself is above .05 otherwise */
	m->wins[i] += margin > round20(decisive);
	m->wins[k] += margin < -round20(decisive);
	return there;
}

static int meet_all(struct r3 *m)
{
	int there = 1;

	for (uint32_t i = 0; i < m->t->g.group.g; i++)
		for (uint32_t k = i + 1; k < m->t->g.group.g; k++)
			there &= meet(m, i, k);
	return there;
}

static double reciprocal_rank(const struct r3 *m, uint32_t cand)
{
	const struct grouping *g = &m->t->g.group;
	uint32_t rank = 1;

	for (uint32_t i = 0; i < g->ranked; i++)
		rank += better(m, g->member[i], cand);
	return m->score[cand] == -HUGE_VAL ? 0 : 1.0 / rank;
}

/* A group's best member is the first after sort_members(). */
static uint32_t star(const struct r3 *m, uint32_t group)
{
	return m->member[m->t->g.group.group[group].first];
}

/* Lexicographic: the value counts the groups whose reward is less. */
static void reward(struct r3 *m)
{
	const struct grouping *g = &m->t->g.group;

	for (uint32_t i = 0; i < g->g; i++)
		m->point[i] =
			round20(g->group[i].size * reciprocal_rank(m, star(m, i)));
	for (uint32_t i = 0; i < g->g; i++)
		for (uint32_t k = 0; k < g->g; k++)
			m->value[i] +=
				m->wins[k] < m->wins[i] ||
				(m->wins[k] == m->wins[i] && m->point[k] < m->point[i]);
}

static uint32_t second_to(const struct r3 *m, uint32_t first)
{
	uint32_t best = first ? 0 : 1;

	for (uint32_t i = 0; i < m->t->g.group.g; i++)
		if (i != first && m->value[i] > m->value[best])
			best = i;
	return best;
}

static enum plan_state choose(struct r3 *m)
{
	uint32_t a = contest_best_group(m->t, m->value), b = second_to(m, a);
	struct duel d;

	if (duel(&m->t->judge, star(m, a), star(m, b), DUEL_BOTH, &d) == ASK_WAITS)
		return PLAN_WAITS;
	if (d.read && round20(d.p / d.read) < 0.5) {
		m->value[b] = m->value[a] + 0.5;
		a = b;
	}
	contest_choose(m->t, star(m, a));
	return contest_rank_groups(m->t, m->value) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state work(struct contest *t)
{
	struct r3 m = { .t = t, .p = (uint32_t)t->p->run->own[KEY_P] };
	uint32_t scored;
	int there;

	if (!rooms(&m))
		return PLAN_WAITS; /* for memory */
	there = ask_agent(&m) != ASK_WAITS;
	there &= scores_of(t, m.score, &scored) != ASK_WAITS;
	if (!there && prunes(&m))
		return PLAN_WAITS; /* the scores say who meets */
	sort_members(&m);
	there &= meet_all(&m);
	if (!there)
		return PLAN_WAITS;
	if (!scored && !m.read) {
		contest_degrade(t,
				"no score and no comparison could be read: majority");
		return PLAN_DONE;
	}
	reward(&m);
	return choose(&m);
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	(void)r;
	return n < 2 ? 0 : 1 + n + (uint64_t)n * (n - 1) + 2;
}

static const struct method_key keys[] = {
	{ "p", NULL, 0, 1000, 0, "most members of a group that meet others; 0: all" },
	{ 0 },
};

const struct method method_r3 = {
	.name = "r3",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "decisive wins between groups, then size by pointwise rank (R3-SQL)",
	.key = keys,
	.most = most,
};
