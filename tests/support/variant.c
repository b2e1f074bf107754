/* variant.c - see variant.h */
#include "tests/support/cm.h"

#include "broker/method/method.h"
#include "tests/support/variant.h"

#include <string.h>

/* ---- pools ----------------------------------------------------------------------- */

void pool_all_different(struct pool *p, uint32_t n)
{
	*p = (struct pool){ .g = n, .ranked = n };
	for (uint32_t i = 0; i < n; i++)
		p->size[i] = 1;
}

/* ---- methods --------------------------------------------------------------------- */

static uint64_t alike_0(const struct poolworld *w, int a, int b)
{
	(void)w;
	(void)a;
	(void)b;
	return 0;
}

void variant_make(struct poolworld *w, const struct variant *v, const struct pool *p)
{
	poolworld_groups(w, p->size, p->g, p->failed, v->method);
	memcpy(w->run.own, v->own, sizeof v->own);
	w->run.passes_min = w->run.passes_max =
		strcmp(v->method, "psc") == 0 ? VARIANT_PASSES : 0;
	w->run.window = VARIANT_WINDOW;
	w->run.step = VARIANT_STEP;
	w->same = alike_0;
	for (uint32_t c = 0; c < w->n; c++)
		w->good[c] = (c * 7 + 3) % 11;
}

int variant_chosen(struct poolworld *w, struct choice *c)
{
	assert_int_equal(poolworld_plan(w, c), PLAN_DONE);
	assert_true(c->chosen >= 0 && c->chosen < w->n);
	return w->class_of[c->chosen];
}

/* ---- how many asks --------------------------------------------------------------- */

static void check_one(const struct variants *all, const struct variant *v,
		      const struct pool *p)
{
	const struct method *m = method_by_name(v->method);
	struct poolworld w;
	struct choice c;
	uint64_t most;

	variant_make(&w, v, p);
	assert_int_equal(poolworld_plan(&w, &c), PLAN_DONE);
	assert_int_equal(c.asks, all->asks(&w.run, p));
	assert_int_equal(w.asked, c.asks);
	most = m->most ? m->most(&w.run, w.n) : 0;
	assert_true(c.asks <= most);
	if (p->g == w.n && c.asks)
		assert_int_equal(c.asks, most);
	if (p->g == 1) {
		assert_int_equal(c.why, WHY_ONE_GROUP);
		assert_true(c.confidence == 1);
	} else if (p->g > 1) {
		assert_true(c.npass > 0 || !c.asks);
		assert_int_equal(c.why, c.npass ? WHY_RANKED : WHY_MAJORITY);
		assert_int_equal(c.group[0].mean_rank >= 1, c.npass > 0);
		if (all->look)
			all->look(v, &c);
	}
	poolworld_free(&w);
}

static void check(const struct variants *all, const struct pool *p)
{
	for (size_t i = 0; i < all->n; i++)
		check_one(all, &all->v[i], p);
}

/* Every partition of `left` into parts of at most `most`. */
static void partitions(struct pool *p, uint32_t left, uint32_t most,
		       const struct variants *all, uint32_t *count)
{
	if (!left) {
		for (p->failed = 0; p->failed <= 2; p->failed++)
			check(all, p);
		++*count;
		return;
	}
	for (uint32_t part = left < most ? left : most; part; part--) {
		p->size[p->g++] = part;
		partitions(p, left - part, part, all, count);
		p->g--;
	}
}

void variants_cost_of_partitions(const struct variants *all)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n <= 8; n++) {
		struct pool p = { .ranked = n };

		partitions(&p, n, n, all, &count);
	}
	assert_int_equal(count, 1 + 2 + 3 + 5 + 7 + 11 + 15 + 22);
}

void variants_cost_of_different(const struct variants *all)
{
	for (uint32_t n = 1; n <= 40; n++) {
		struct pool p;

		pool_all_different(&p, n);
		check(all, &p);
	}
}

/* ---- what must be true of any ---------------------------------------------------- */

static int lose_all(const struct poolworld *w, struct view what, const uint32_t *cand,
		    uint32_t n)
{
	(void)w;
	(void)what;
	(void)cand;
	(void)n;
	return 1;
}

void variant_where_nothing_can_be_read_majority_stands_in(const struct variant *v)
{
	struct pool p = { .size = { 3, 2, 1 }, .g = 3, .ranked = 6, .failed = 1 };
	struct poolworld w;
	struct choice c;

	variant_make(&w, v, &p);
	w.lost = lose_all;
	assert_int_equal(variant_chosen(&w, &c), 0);
	assert_int_equal(c.why, WHY_DEGRADED);
	assert_int_equal(c.degraded, 1);
	assert_true(c.reason.n > 0);
	poolworld_free(&w);
}

void variant_of_equals_the_larger_group_wins(const struct variant *v)
{
	struct pool p = { .size = { 1, 3, 2 }, .g = 3, .ranked = 6 };
	struct poolworld w;
	struct choice c;

	variant_make(&w, v, &p);
	memset(w.good, 0, sizeof w.good);
	assert_int_equal(variant_chosen(&w, &c), 1);
	assert_int_equal(c.why, WHY_RANKED);
	poolworld_free(&w);
}
