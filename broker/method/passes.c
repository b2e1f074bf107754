/* passes.c - see passes.h */
#include "broker/method/passes.h"

#include "common/select/window.h"

static int same_order(const struct passes *s, uint32_t a, uint32_t b)
{
	return memcmp(s->order + (size_t)a * s->n, s->order + (size_t)b * s->n,
		      s->n * sizeof *s->order) == 0;
}

static void keep_distinct(struct passes *s)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < s->count; k++) {
		uint32_t i = 0;

		while (i < kept && !same_order(s, i, k))
			i++;
		if (i < kept)
			continue;
		memmove(s->order + (size_t)kept * s->n, s->order + (size_t)k * s->n,
			s->n * sizeof *s->order);
		kept++;
	}
	s->count = kept;
}

int passes_make(struct judge *j, uint32_t *order, uint32_t count, uint32_t n,
		struct passes *ret)
{
	struct arena *a = j->plan->arena;
	struct passes s = { .judge = j, .n = n, .count = count, .order = order };

	s.line = arena_alloc(a, (size_t)count + 1, sizeof *s.line);
	s.is_void = arena_alloc(a, (size_t)count + 1, 1);
	s.begun = arena_alloc(a, (size_t)count * n + 1, sizeof *s.begun);
	if (!s.line || !s.is_void || !s.begun)
		return 0;
	if (judge_repeats(j))
		keep_distinct(&s);
	memcpy(s.begun, s.order, (size_t)s.count * n * sizeof *s.begun);
	*ret = s;
	return 1;
}

/* From the back to the front, until a window waits. */
static enum ask_state run_pass(struct passes *s, uint32_t pass)
{
	const struct run *run = s->judge->plan->run;
	struct arena *a = s->judge->plan->arena;
	uint32_t n = s->n, size = window_size(n, run->window);
	double *rank = arena_alloc(a, size + 1, sizeof *rank);
	uint8_t *tied = arena_alloc(a, n + 1, 1);
	struct lineup *l = &s->line[pass];

	if (!rank || !tied)
		return ASK_VOID;
	lineup_begin(l, s->order + (size_t)pass * n, tied, n);
	for (uint32_t w = 0; w < window_count(n, run->window, run->step); w++) {
		uint32_t start = window_start(n, run->window, run->step, w);
		enum ask_state x =
			judge_rank(s->judge, pass, w, l->order + start, size, rank);

		if (x != ASK_DONE)
			return x;
		lineup_write(l, start, size, rank);
	}
	return ASK_DONE;
}

enum ask_state passes_run(struct passes *s, uint32_t from, uint32_t to)
{
	enum ask_state all = ASK_DONE;

	for (uint32_t k = from; k < to && k < s->count; k++) {
		enum ask_state x = run_pass(s, k);

		s->is_void[k] = x == ASK_VOID;
		if (x == ASK_WAITS)
			all = ASK_WAITS; /* the others go on meanwhile */
	}
	return all;
}

int passes_ranks(const struct passes *s, uint32_t k, double *ret)
{
	if (s->is_void[k])
		return 0;
	lineup_ranks(&s->line[k], ret);
	return 1;
}

/* An ask that was asked again was shown in another order, and evidence looks at none.
 */
static void show_order(const struct passes *s, uint32_t k, struct choice_pass *ret)
{
	const struct judge *j = s->judge;
	const struct run *run = j->plan->run;

	if (run->judge == JUDGE_evidence || ret->is_void || j->choice->parse_failed ||
	    window_count(s->n, run->window, run->step) != 1)
		return;
	ret->shown = arena_alloc(j->plan->arena, s->n + 1, sizeof *ret->shown);
	if (!ret->shown)
		return;
	ret->nshown = s->n;
	for (uint32_t i = 0; i < s->n; i++)
		ret->shown[i] = j->g->index[s->begun[(size_t)k * s->n + i]];
}

static void show_pass(const struct passes *s, uint32_t k, struct choice_pass *ret)
{
	const struct judge *j = s->judge;
	const struct lineup *l = &s->line[k];

	ret->is_void = s->is_void[k];
	ret->cand = arena_alloc(j->plan->arena, l->n + 1, sizeof *ret->cand);
	ret->place = arena_alloc(j->plan->arena, l->n + 1, sizeof *ret->place);
	for (uint32_t i = 0; ret->cand && ret->place && !ret->is_void && i < l->n;
	     i++) {
		ret->cand[i] = j->g->index[l->order[i]];
		if (i && l->tied[i])
			ret->place[ret->places - 1]++;
		else
			ret->place[ret->places++] = 1;
	}
	show_order(s, k, ret);
}

void passes_show(const struct passes *s, uint32_t used, struct choice *c)
{
	c->pass = arena_alloc(s->judge->plan->arena, (size_t)used + 1, sizeof *c->pass);
	c->npass = c->pass ? used : 0;
	for (uint32_t k = 0; k < c->npass; k++)
		show_pass(s, k, &c->pass[k]);
}
