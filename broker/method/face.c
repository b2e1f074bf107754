/* face.c - see face.h */
#include "broker/method/face.h"

static uint64_t cost(const struct plan *p, const struct aggregate *g, uint32_t cand,
		     enum face by)
{
	switch (by) {
	case FACE_SHORTEST: return aggregate_candidate(p, g, cand)->run.n;
	case FACE_FASTEST: return g->out[cand].steps;
	default: return 0;
	}
}

uint32_t face_of(const struct plan *p, const struct aggregate *g, uint32_t group,
		 enum face by)
{
	const struct group *from = &g->group.group[group];
	const uint32_t *member = g->group.member + from->first;
	uint32_t best = member[0]; /* members stand in H order */

	for (uint32_t i = 1; i < from->size; i++)
		if (cost(p, g, member[i], by) < cost(p, g, best, by))
			best = member[i];
	return best;
}

uint32_t *faces_of(const struct plan *p, const struct aggregate *g, enum face by)
{
	uint32_t *face = arena_alloc(p->arena, g->group.g + 1, sizeof *face);

	for (uint32_t i = 0; face && i < g->group.g; i++)
		face[i] = face_of(p, g, i, by);
	return face;
}
