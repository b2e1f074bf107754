/* group.c - see group.h */
#include "common/select/group.h"

#include <assert.h>
#include <stdlib.h>

static int same(const struct result_key *a, const struct result_key *b)
{
	if (a->kind != b->kind || a->kind == RESULT_FAILED)
		return 0;
	return a->kind != RESULT_ROWS ||
	       (a->digest.lo == b->digest.lo && a->digest.hi == b->digest.hi);
}

void class_ids(const struct result_key *key, uint32_t n, int *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = 0;

		while (first < i && !same(&key[first], &key[i]))
			first++;
		ret[i] = key[i].kind == RESULT_FAILED ? CLASS_FAILED : (int)first;
	}
}

/* The smaller id stays, so that the order of joins leaves no trace. */
void class_join(int *class_id, uint32_t n, int a, int b)
{
	int from = a > b ? a : b, to = a > b ? b : a;

	assert(to != CLASS_FAILED);
	for (uint32_t i = 0; i < n; i++)
		if (class_id[i] == from)
			class_id[i] = to;
}

static int by_size(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int failed = (a->class_id == CLASS_FAILED) - (b->class_id == CLASS_FAILED);

	if (failed)
		return failed;
	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->first < b->first ? -1
				   : 1; /* still the smallest candidate: smaller H */
}

/* Groups in order of first appearance; .first is the smallest candidate for now. */
static void collect(const int *class_id, struct grouping *g)
{
	for (uint32_t c = 0; c < g->n; c++) {
		uint32_t i = 0;

		while (i < g->groups && g->group[i].class_id != class_id[c])
			i++;
		if (i == g->groups)
			g->group[g->groups++] =
				(struct group){ .first = c, .class_id = class_id[c] };
		g->group[i].size++;
	}
}

static void place(const int *class_id, struct grouping *g)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < g->groups; i++) {
		struct group *group = &g->group[i];

		group->first = at;
		for (uint32_t c = 0; c < g->n; c++)
			if (class_id[c] == group->class_id) {
				g->member[at++] = c;
				g->of[c] = i;
			}
		if (group->class_id != CLASS_FAILED) {
			g->g++;
			g->ranked = at;
		}
	}
}

int grouping_make(struct arena *a, const int *class_id, uint32_t n,
		  struct grouping *ret, struct err *e)
{
	struct grouping g = { .n = n };

	g.member = arena_alloc(a, n, sizeof *g.member);
	g.of = arena_alloc(a, n, sizeof *g.of);
	g.group = arena_alloc(a, n, sizeof *g.group);
	if (!g.member || !g.of || !g.group)
		return err_set(e, ERR_NOMEM, "groups of %u candidates", n);
	collect(class_id, &g);
	qsort(g.group, g.groups, sizeof *g.group, by_size);
	place(class_id, &g);
	*ret = g;
	return 0;
}
