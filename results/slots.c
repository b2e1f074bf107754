/* slots.c - see slots.h */
#include "results/slots.h"

#define VOTE 1.0 /* of the vote, in the prior */

static const struct plackett_how how = { PLACKETT_SD, 1, NULL };

static struct plackett *room(struct slots *s, struct arena *a)
{
	uint32_t cap = s->cap ? 2 * s->cap : 64;
	struct plackett *more;

	if (s->n < s->cap)
		return &s->q[s->n];
	more = arena_alloc(a, cap, sizeof *more);
	if (!more)
		return NULL;
	if (s->n)
		memcpy(more, s->q, s->n * sizeof *more);
	s->q = more;
	s->cap = cap;
	return &more[s->n];
}

static uint32_t group_of(const struct choice *c, uint32_t cand)
{
	for (uint32_t g = 0; g < c->ngroup; g++)
		for (uint32_t i = 0; i < c->group[g].size; i++)
			if (c->group[g].member[i] == cand)
				return g;
	return 0;
}

static uint32_t place_of(const struct choice_pass *p, uint32_t cand)
{
	uint32_t i = 0;

	while (i + 1 < p->nshown && p->shown[i] != cand)
		i++;
	return i;
}

static uint32_t ranked(const struct choice_pass *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->places; i++)
		n += p->place[i];
	return n;
}

static int tells(const struct choice_pass *p)
{
	return !p->is_void && p->nshown > 1 && ranked(p) == p->nshown;
}

static int add_ask(const struct choice *c, const struct choice_pass *p,
		   struct plackett_ask *ret, struct arena *a)
{
	uint32_t n = p->nshown;
	uint32_t *item = arena_alloc(a, n, sizeof *item);
	uint32_t *order = arena_alloc(a, n, sizeof *order);
	uint32_t *place = arena_alloc(a, p->places + 1, sizeof *place);

	if (!item || !order || !place)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		item[i] = group_of(c, p->shown[i]);
		order[i] = place_of(p, p->cand[i]);
	}
	memcpy(place, p->place, p->places * sizeof *place);
	*ret = (struct plackett_ask){ item, order, place, n, p->places };
	return 0;
}

static int add_prior(const struct choice *c, struct plackett *q, struct arena *a)
{
	uint32_t *size = arena_alloc(a, c->ngroup + 1, sizeof *size);
	double *mean = arena_alloc(a, c->ngroup + 1, sizeof *mean);

	if (!size || !mean)
		return ERR_NOMEM;
	for (uint32_t g = 0; g < c->ngroup; g++)
		size[g] = c->group[g].size;
	plackett_prior(size, c->ngroup, VOTE, mean);
	q->items = c->ngroup;
	q->mean = mean;
	return 0;
}

int slots_add(struct slots *s, const struct sample *x, struct arena *a)
{
	const struct choice *c = x->choice;
	struct plackett_ask *ask;
	struct plackett *q;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; c && c->ngroup && i < c->npass; i++)
		n += (uint32_t)tells(&c->pass[i]);
	if (!n)
		return 0;
	q = room(s, a);
	ask = arena_alloc(a, n, sizeof *ask);
	if (!q || !ask)
		return ERR_NOMEM;
	*q = (struct plackett){ .ask = ask };
	for (uint32_t i = 0; rc == 0 && i < c->npass; i++)
		if (tells(&c->pass[i]))
			rc = add_ask(c, &c->pass[i], &ask[q->asks++], a);
	if (rc == 0)
		rc = add_prior(c, q, a);
	s->n += rc == 0;
	s->asks += rc == 0 ? n : 0;
	return rc;
}

int slots_finish(struct slots *s)
{
	int rc = s->n ? plackett_slots(&how, s->q, s->n, s->slot, NULL) : ERR_VALUE;

	s->known = rc == 0;
	return rc == ERR_NOMEM ? rc : 0;
}

void slots_json(struct jsonw *w, const struct slots *s)
{
	if (!s->known)
		return;
	jw_karray(w, "places");
	for (uint32_t i = 0; i < PLACKETT_SLOTS && s->slot[i].seen; i++) {
		jw_flat(w);
		jw_object(w);
		jw_ku64(w, "place", i + 1);
		jw_ku64(w, "seen", s->slot[i].seen);
		jw_knum9(w, "cost", s->slot[i].cost);
		jw_knum9(w, "se", s->slot[i].se);
		jw_end(w);
	}
	jw_end(w);
}
