/* lean.c - evidence first, and the judge only where evidence is not sure
 *
 * Evidence gives each group a log-odds. While the best group's share is below `until`,
 * the judge is asked to pick among the groups that still matter, one answer at a time,
 * and what it says is added to the belief (common/select/posterior.h): it is one more
 * vote, and never replaces what is known. Most questions cost nothing.
 *
 * An ask shows one candidate a group: in ask k the k-th text of the group, so that what
 * a judge always gets wrong about one text is not asked twice. Orders come in pairs,
 * turned round and then reversed, so that love of a place cancels.
 *
 * What an answer weighs stands in the file of weights: lean.weight times its log-
 * probability, not below lean.floor, and each further answer lean.less of the one
 * before, for a judge's errors repeat themselves.
 *
 * What places cost, as `fit` learnt it from how this judge answered before, is taken
 * off (rows lean.place2, lean.place3, ...; a place without a row costs what the one
 * before it does, and without any none costs anything).
 *
 * Of a run with a budget a question asks no more than it is given; unsure and not given
 * more, it is `tied` and says by its confidence how unsure.
 *
 * Where evidence is silent (no profile of the database) the vote begins the belief.
 */
#include "broker/method/contest.h"
#include "broker/method/method.h"
#include "common/base/round.h"
#include "common/select/plackett.h"
#include "common/select/posterior.h"

#include <math.h>
#include <stdio.h>

enum { UNTIL, MOST, SHOWN }; /* own keys */

static const struct method_key keys[] = {
	[UNTIL] = { "until", NULL, 0, 100, 75,
		    "percent of belief at which nobody is asked any more" },
	[MOST] = { "most", NULL, 0, 64, 8, "asks a question" },
	[SHOWN] = { "shown", NULL, 2, 26, 8, "groups in an ask" },
	{ 0 },
};

static const double matters = 0.02; /* of the best one's share */

struct lean {
	struct contest *t;
	double *belief, *share; /* [g] */
	uint32_t *order;        /* [g], most believed first */
	uint32_t contenders;
	double weight, less, floor;  /* of an answer: rows lean.* of the weights */
	double cost[PLACKETT_SLOTS]; /* of places */
	int placed;                  /* any costs something */
	int begun;                   /* the judge */
};

static double own(const struct lean *m, int key)
{
	return m->t->p->run->own[key];
}

/* ---- belief ---------------------------------------------------------------------- */

static void begin_with_votes(struct lean *m)
{
	for (uint32_t i = 0; i < m->t->g.group.g; i++)
		m->belief[i] = round20(log(m->t->g.group.group[i].size));
}

static void read_costs(struct lean *m, const struct weights *w, int bank)
{
	char name[32];

	for (uint32_t i = 1; i < PLACKETT_SLOTS; i++) {
		snprintf(name, sizeof name, "lean.place%u", i + 1);
		m->cost[i] = weights_named(w, name, bank, m->cost[i - 1]);
		m->placed |= m->cost[i] != 0;
	}
}

static void read_weights(struct lean *m)
{
	const struct sweep *s = m->t->p->sweep;
	int bank = s->bank.path != NULL;

	m->weight = weights_named(&s->weights, "lean.weight", bank, 0.5);
	m->less = weights_named(&s->weights, "lean.less", bank, 0.9);
	m->floor = weights_named(&s->weights, "lean.floor", bank, -2.4);
	read_costs(m, &s->weights, bank);
}

static enum ask_state begin(struct lean *m)
{
	uint32_t g = m->t->g.group.g;
	enum ask_state s;

	read_weights(m);
	m->belief = arena_alloc(m->t->p->arena, g, sizeof *m->belief);
	m->share = arena_alloc(m->t->p->arena, g, sizeof *m->share);
	m->order = arena_alloc(m->t->p->arena, g, sizeof *m->order);
	if (!m->belief || !m->share || !m->order)
		return ASK_WAITS; /* for memory */
	s = evidence_scores(m->t->p, &m->t->g, &m->t->c, m->belief);
	if (s == ASK_VOID) {
		choice_note(m->t->p, &m->t->c, "no evidence: the vote begins");
		begin_with_votes(m);
		s = ASK_DONE;
	}
	return s;
}

static void look(struct lean *m)
{
	uint32_t g = m->t->g.group.g;

	posterior_shares(m->belief, g, m->share);
	posterior_order(m->belief, g, m->order);
	m->contenders = 1;
	while (m->contenders < g && m->contenders < own(m, SHOWN) &&
	       m->share[m->order[m->contenders]] >= matters * m->share[m->order[0]])
		m->contenders++;
}

static int sure(const struct lean *m)
{
	return m->contenders < 2 || m->share[m->order[0]] * 100 >= own(m, UNTIL);
}

/* ---- one ask --------------------------------------------------------------------- */

/* The k-th text of a group, counted round. */
static uint32_t member_of(const struct lean *m, uint32_t group, uint32_t k)
{
	const struct group *from = &m->t->g.group.group[group];
	const uint32_t *member = m->t->g.group.member + from->first;
	uint32_t texts = 0, *first;

	first = arena_alloc(m->t->p->arena, from->size, sizeof *first);
	for (uint32_t i = 0; first && i < from->size; i++) {
		const struct hash *text =
			&aggregate_candidate(m->t->p, &m->t->g, member[i])->run_hash;
		uint32_t t = 0;

		while (t < texts &&
		       !hash_eq(text, &aggregate_candidate(m->t->p, &m->t->g, first[t])
					       ->run_hash))
			t++;
		if (t == texts)
			first[texts++] = member[i];
	}
	return texts ? first[k % texts] : member[0];
}

/* Orders 2i and 2i+1 are the line turned round by i, and the same reversed. */
static uint32_t place_of(uint32_t i, uint32_t n, uint32_t ask)
{
	uint32_t turned = (i + ask / 2) % n;

	return ask % 2 ? n - 1 - turned : turned;
}

static enum ask_state ask(struct lean *m, uint32_t k)
{
	uint32_t n = m->contenders;
	uint32_t *group = arena_alloc(m->t->p->arena, n, sizeof *group);
	uint32_t *cand = arena_alloc(m->t->p->arena, n, sizeof *cand);
	double *p = arena_alloc(m->t->p->arena, n, sizeof *p);
	uint32_t unread = m->t->c.parse_failed;
	double weight = m->weight * pow(m->less, k);
	enum ask_state s;
	int as_shown, ok;

	if (!group || !cand || !p)
		return ASK_WAITS; /* for memory */
	for (uint32_t i = 0; i < n; i++) {
		group[i] = m->order[place_of(i, n, k)];
		cand[i] = member_of(m, group[i], k);
	}
	s = judge_pick(&m->t->judge, k, cand, n, 1, p);
	if (s != ASK_DONE)
		return s;
	/* What could not be read was asked again in another order. */
	as_shown = unread == m->t->c.parse_failed;
	if (m->placed && as_shown)
		posterior_add_placed(m->belief, group, p, m->cost, n, weight, m->floor);
	else
		posterior_add(m->belief, group, p, n, weight, m->floor);
	ok = as_shown ? contest_show_ask(m->t, cand, p, n)
		      : contest_show_pick(m->t, cand, p, n);
	return ok ? ASK_DONE : ASK_WAITS;
}

/* ---- the choice ------------------------------------------------------------------ */

static void choose(struct lean *m)
{
	look(m);
	for (uint32_t i = 0; i < m->t->g.group.g; i++)
		m->t->c.group[m->order[i]].mean_rank = i + 1;
	contest_choose(m->t, group_face(&m->t->g.group, m->order[0]));
	m->t->c.confidence = m->share[m->order[0]];
	m->t->c.tied = !sure(m);
}

/* Evidence has spoken, and would only say the same again. */
static uint32_t may_ask(const struct lean *m)
{
	uint32_t most = (uint32_t)own(m, MOST);
	const uint32_t *given = m->t->p->arg; /* of a budget */

	if (m->t->p->run->judge == JUDGE_evidence)
		return 0;
	return given && *given < most ? *given : most;
}

/* One ask after the other, until it is sure, or nobody answers. */
static enum plan_state ask_while_unsure(struct lean *m)
{
	for (uint32_t k = 0; k < may_ask(m); k++) {
		enum ask_state s = ASK_DONE;

		look(m);
		if (sure(m))
			break;
		if (!m->begun)
			s = judge_begin(m->t->p, &m->t->g, &m->t->c, &m->t->judge);
		m->begun = 1;
		if (s == ASK_DONE)
			s = ask(m, k);
		if (s == ASK_WAITS)
			return PLAN_WAITS;
		if (s == ASK_VOID)
			break;
	}
	choose(m);
	return PLAN_DONE;
}

static enum plan_state work(struct contest *t)
{
	struct lean m = { .t = t };
	enum plan_state s = begin(&m) == ASK_WAITS ? PLAN_WAITS : ask_while_unsure(&m);

	if (m.begun)
		judge_end(&t->judge);
	return s;
}

static enum plan_state plan(struct plan *p, struct buf *ret)
{
	return contest_plan(p, CONTEST_ALONE, work, ret);
}

static uint64_t most(const struct run *r, uint32_t n)
{
	return n < 2 || r->judge == JUDGE_evidence ? 0 : (uint64_t)r->own[MOST];
}

const struct method method_lean = {
	.name = "lean",
	.plan = plan,
	.reads = READS_JUDGE | READS_BUDGET,
	.what = "evidence first; the judge picks among groups only where it is not "
		"sure",
	.key = keys,
	.most = most,
};
