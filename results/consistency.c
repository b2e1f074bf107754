/* consistency.c - do two orders of one pool lead to one choice?
 *
 * A seed shuffles what a judge is shown. Runs that differ by seed alone, over the whole
 * pool, are therefore two random initial orders; over a draw they are two pools, and
 * nothing is said of them.
 *
 * Source: the measure is MAP-SQL's (same candidate; same and right, over all
 *         questions); groups, contested questions and chance beside it are ours.
 */
#include "results/tally.h"

enum { GROUPS = 1024 }; /* of a question; what is over counts as one by one */

int consistency_alloc(struct tally *t)
{
	const struct sweep *s = t->sweep;
	struct arena *a = &t->arena;

	t->consistency = arena_alloc(a, s->nrun + 1, sizeof *t->consistency);
	t->contested = arena_alloc(a, s->nq + 1, 1);
	t->chance_candidate = arena_alloc(a, s->nq + 1, sizeof *t->chance_candidate);
	t->chance_group = arena_alloc(a, s->nq + 1, sizeof *t->chance_group);
	return t->consistency && t->contested && t->chance_candidate && t->chance_group
		       ? 0
		       : ERR_NOMEM;
}

int consistency_alloc_run(struct tally *t, struct tally_run *r)
{
	uint32_t nq = t->sweep->nq;

	if (r->run->candidates)
		return 0;
	r->chosen = arena_alloc(&t->arena, nq + 1, sizeof *r->chosen);
	r->group = arena_alloc(&t->arena, nq + 1, sizeof *r->group);
	if (!r->chosen || !r->group)
		return ERR_NOMEM;
	for (uint32_t q = 0; q < nq; q++)
		r->chosen[q] = r->group[q] = -1;
	return 0;
}

/* Two choices at random among the candidates that ran. */
static void add_chance(struct tally *t, uint32_t q, const struct choice *c)
{
	uint32_t size[GROUPS], n = 0, all = 0;

	for (uint32_t i = 0; i < c->ngroup && n < GROUPS; i++)
		if (!c->group[i].failed) {
			size[n++] = c->group[i].size;
			all += c->group[i].size;
		}
	t->contested[q] = c->g > 1;
	t->chance_group[q] = consistency_by_chance_group(size, n);
	t->chance_candidate[q] = consistency_by_chance_candidate(all);
}

/* A group is known by its smallest member, whatever order a seed makes. */
void consistency_add(struct tally *t, struct tally_run *r, const struct sample *x)
{
	const struct choice_group *g = sample_group(x);
	uint32_t least = UINT32_MAX;

	if (!r->chosen)
		return;
	add_chance(t, x->q, x->choice);
	for (uint32_t i = 0; g && i < g->size; i++)
		least = g->member[i] < least ? g->member[i] : least;
	if (!g || x->choice->chosen < 0)
		return;
	r->chosen[x->q] = (int32_t)x->choice->chosen;
	r->group[x->q] = (int32_t)least;
}

static void add_pair(const struct tally *t, struct tally_consistency *c,
		     const struct tally_run *a, const struct tally_run *b)
{
	c->pairs++;
	for (uint32_t q = 0; q < t->sweep->nq; q++) {
		uint32_t candidate = a->chosen[q] == b->chosen[q];
		uint32_t group = a->group[q] == b->group[q];

		if (a->chosen[q] < 0 || b->chosen[q] < 0)
			continue;
		c->questions++;
		c->candidate += candidate;
		c->candidate_right += candidate && a->right[q];
		c->group += group;
		c->differ += a->right[q] != b->right[q];
		if (!t->contested[q])
			continue;
		c->contested++;
		c->contested_candidate += candidate;
		c->contested_group += group;
		c->chance_candidate += t->chance_candidate[q];
		c->chance_group += t->chance_group[q];
	}
}

void consistency_finish(struct tally *t)
{
	for (uint32_t m = 0; m < t->nstem; m++) {
		struct tally_consistency *c = &t->consistency[t->nconsistency];

		*c = (struct tally_consistency){ .stem = m };
		for (uint32_t a = 0; a < t->sweep->nrun; a++)
			for (uint32_t b = a + 1; b < t->sweep->nrun; b++)
				if (t->run[a].stem == m && t->run[b].stem == m &&
				    t->run[a].chosen && t->run[b].chosen)
					add_pair(t, c, &t->run[a], &t->run[b]);
		t->nconsistency += c->pairs > 0;
	}
}
