/* setwise.c - which of c+1 is best? asked until one of all is
 *
 * Groups compete, each by one candidate (smallest H), in the order of the majority.
 * `heap` builds a heap with c children a node, from its last parent to its root;
 * `bubble` carries the best from the back to the front. Both need ceil((g-1)/c) asks to
 * know the first: what the loser of a comparison is sifted down to changes no root, so
 * a heap that is read once leaves that out. An ask that cannot be read keeps the first
 * shown (a heap's parent).
 *
 * `read` likelihood goes by the labels' probabilities where the judge tells them,
 * `generation` by what it wrote; the ask is the same.
 *
 * Source: Zhuang et al., "A setwise approach for effective and highly efficient
 *         zero-shot ranking with large language models", arXiv 2310.09497.
 */
#include "broker/method/contest.h"
#include "broker/method/face.h"
#include "broker/method/method.h"
#include "broker/method/orders.h"

enum { OWN_SORT, OWN_CHILDREN, OWN_READ };
enum { SORT_HEAP, SORT_BUBBLE };
enum { READ_LIKELIHOOD, READ_GENERATION };

struct setwise {
	struct contest *t;
	uint32_t g, c;
	uint32_t *at;  /* [g] the candidate at each place */
	uint8_t *open; /* [g] a comparison below this place waits */
	uint32_t read; /* asks that could be read */
};

/* The best of the places from `first` and of the n-1 from `rest` comes to `first`. */
static enum ask_state contend(struct setwise *m, uint32_t first, uint32_t rest,
			      uint32_t n)
{
	uint32_t cand[ORDERS_PICK], best = 0;
	double value[ORDERS_PICK];
	enum ask_state s;

	cand[0] = m->at[first];
	for (uint32_t i = 1; i < n; i++)
		cand[i] = m->at[rest + i - 1];
	s = judge_pick(&m->t->judge, JUDGE_ONCE, cand, n, 1, value);
	if (s == ASK_WAITS)
		return s;
	m->read += s == ASK_DONE;
	if (s == ASK_DONE)
		contest_show_pick(m->t, cand, value, n);
	else
		contest_show_void(m->t);
	for (uint32_t i = 1; s == ASK_DONE && i < n; i++)
		if (value[i] > value[best])
			best = i;
	if (best) {
		m->at[first] = cand[best];
		m->at[rest + best - 1] = cand[0];
	}
	return ASK_DONE;
}

/* A parent's turn comes after its children's; those beside each other do not wait. */
static enum ask_state heap(struct setwise *m)
{
	for (uint32_t i = (m->g - 2) / m->c + 1; i-- > 0;) {
		uint32_t child = i * m->c + 1;
		uint32_t n = m->g - child < m->c ? m->g - child : m->c;

		for (uint32_t k = 0; k < n; k++)
			m->open[i] |= m->open[child + k];
		if (!m->open[i])
			m->open[i] = contend(m, i, child, n + 1) == ASK_WAITS;
	}
	return m->open[0] ? ASK_WAITS : ASK_DONE;
}

static enum ask_state bubble(struct setwise *m)
{
	uint32_t first;

	for (uint32_t last = m->g - 1; last; last = first) {
		first = last > m->c ? last - m->c : 0;
		if (contend(m, first, first + 1, last - first + 1) == ASK_WAITS)
			return ASK_WAITS;
	}
	return ASK_DONE;
}

static enum plan_state work(struct contest *t)
{
	const double *own = t->p->run->own;
	struct setwise m = { .t = t,
			     .g = t->g.group.g,
			     .c = (uint32_t)own[OWN_CHILDREN] };
	double *first;

	t->judge.by_text = own[OWN_READ] == READ_GENERATION;
	m.at = faces_of(t->p, &t->g, FACE_FIRST);
	m.open = arena_alloc(t->p->arena, m.g + 1, 1);
	first = arena_alloc(t->p->arena, m.g + 1, sizeof *first);
	if (!m.at || !m.open || !first)
		return PLAN_WAITS; /* for memory */
	if ((own[OWN_SORT] == SORT_HEAP ? heap(&m) : bubble(&m)) == ASK_WAITS)
		return PLAN_WAITS;
	if (!m.read) {
		contest_degrade(t, "no ask could be read: majority");
		return PLAN_DONE;
	}
	contest_choose(t, m.at[0]);
	first[0] = 1; /* of the others nothing is known but that they are not it */
	return contest_rank_shown(t, m.at, first, m.g) ? PLAN_DONE : PLAN_WAITS;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_JUDGED, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	uint64_t c = (uint64_t)r->own[OWN_CHILDREN];

	return n < 2 ? 0 : (n - 1 + c - 1) / c;
}

static const struct method_key keys[] = {
	[OWN_SORT] = { "sort", "heap|bubble", 0, 0, SORT_HEAP,
		       "how the best is carried to the top" },
	[OWN_CHILDREN] = { "children", NULL, 1, ORDERS_PICK - 1, 3,
			   "one fewer than are shown in an ask" },
	[OWN_READ] = { "read", "likelihood|generation", 0, 0, READ_LIKELIHOOD,
		       "an answer by its label probabilities, or by its text" },
	{ 0 },
};

const struct method method_setwise = {
	.name = "setwise",
	.plan = plan,
	.reads = READS_JUDGE,
	.what = "the best of c+1 groups at a time, by heap or bubble sort (Setwise)",
	.key = keys,
	.most = most,
};
