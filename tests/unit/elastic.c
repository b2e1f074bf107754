/* elastic.c - MAP with MIN..MAX passes: how many it asks, when it stops, what it counts
 *
 * Two candidates a question unless a test says otherwise, one right and one wrong. The
 * judge is the simulated one, its answers a script: a letter a pass, 'r' the right one
 * first, 'w' the wrong one, '=' both level, 'x' nothing that can be read.
 */
#include "tests/support/cm.h"

#include "broker/method/method.h"
#include "common/base/err.h"
#include "common/base/pack.h"
#include "common/base/rng.h"
#include "common/select/window.h"
#include "proto/choice.h"
#include "proto/exec_out.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 40, PASSES = 16 };

struct world {
	struct arena mem;
	struct sweep sweep;
	struct question q;
	struct database db;
	struct run run;
	struct candidate cand[MOST];
	uint8_t right[MOST], *labels;
	uint32_t group[MOST]; /* what each candidate returns */
	const char *script;
	/* facts: a bit a pass; -1u: all are there */
	uint32_t there, wanted;
	int clever; /* order as shown, instead of by script */
};

static void make(struct world *w, uint32_t n, uint32_t min, uint32_t max,
		 enum stop_how stop)
{
	static char sql[MOST][24];

	memset(w, 0, sizeof *w);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(sql[i], sizeof sql[i], "SELECT %u", i);
		w->cand[i].sql = w->cand[i].run = view_of(sql[i]);
		w->cand[i].run_hash = hash_of(sql[i], strlen(sql[i]));
		w->group[i] = i;
		w->right[i] = i == 0;
	}
	w->there = -1u;
	w->labels = w->right;
	w->q.id = view_of("7");
	w->q.text = w->q.evidence = view_of("");
	w->q.cand = w->cand;
	w->q.n = n;
	w->db.id = view_of("town");
	w->sweep.rule = RULE_plain;
	w->sweep.db = &w->db;
	w->sweep.ndb = 1;
	w->sweep.q = &w->q;
	w->sweep.nq = 1;
	w->sweep.labels = &w->labels;
	w->run = (struct run){ .name = "map",
			       .method = "map",
			       .judge = JUDGE_simulated,
			       .accuracy = .8,
			       .seed = 42,
			       .passes_min = min,
			       .passes_max = max,
			       .window = 8,
			       .step = 4,
			       .stop = stop,
			       .confidence = .95,
			       .tie_break = TIE_none };
}

static int answer_exec(const struct world *w, struct cursor k, struct buf *ret)
{
	struct exec_out o = { .status = STATUS_rows,
			      .rows = 1,
			      .error_at = -1,
			      .note = view_of(""),
			      .error = view_of("") };
	struct hash h;
	uint32_t i = 0;

	cur_hash(&k);
	cur_hash(&k);
	h = cur_hash(&k);
	while (!hash_eq(&h, &w->cand[i].run_hash))
		i++;
	o.digests.mask = DIGEST_ALL;
	o.digests.set.lo = o.digests.bag.lo = o.digests.list.lo = w->group[i] + 1;
	exec_out_encode(&o, ret);
	return FACT_OUTPUT;
}

/* Of a pass in the script, to two candidates. */
static void rank_pair(char c, const int right[2], struct buf *ret)
{
	for (int i = 0; i < 2; i++)
		pack_f64(ret, c == '=' ? 0 : right[i] == (c == 'r') ? 1 : -1);
}

static int answer_rank(struct world *w, struct cursor k, struct buf *ret)
{
	int right[MOST];
	uint64_t pass;
	size_t n;

	for (int i = 0; i < 3; i++)
		cur_f64(&k);
	cur_u64(&k);
	cur_str(&k);
	cur_str(&k);
	pass = cur_u64(&k);
	n = cur_array(&k);
	for (size_t i = 0; i < n; i++) {
		cur_array_of(&k, 2);
		cur_hash(&k);
		right[i] = cur_bool(&k);
	}
	if (pass < PASSES) {
		w->wanted |= 1u << pass;
		if (!(w->there & 1u << pass))
			return FACT_PENDING;
	}
	pack_array(ret, n);
	if (!w->clever && pass < PASSES) {
		assert_int_equal(n, 2);
		if (w->script[pass] == 'x')
			return FACT_FAILED;
		rank_pair(w->script[pass], right, ret);
		return FACT_OUTPUT;
	}
	for (size_t i = 0; i < n; i++)
		pack_f64(ret, -(double)i);
	return FACT_OUTPUT;
}

static struct fact need(struct plan *p, struct view spec, const struct blob *blob,
			size_t nblob)
{
	struct world *w = p->world;
	struct buf out = { 0 };
	struct fact f = { 0 };
	struct cursor k;

	(void)blob;
	(void)nblob;
	switch (spec_open(spec, &k)) {
	case KIND_exec: f.state = (enum fact_state)answer_exec(w, k, &out); break;
	case KIND_simrank:
	case KIND_simflat: f.state = (enum fact_state)answer_rank(w, k, &out); break;
	default: fail_msg("asked for %s", kind_name(spec_open(spec, &k)));
	}
	f.output = f.state == FACT_OUTPUT ? arena_view(&w->mem, buf_view(&out))
					  : view_of("");
	f.text = view_of("it failed");
	buf_free(&out);
	return f;
}

/* The record's bytes, in the world's memory; n 0: it waits. */
static struct view plan(struct world *w)
{
	struct buf record = { 0 };
	struct view kept = { 0 };
	struct arena scratch = { 0 };
	struct plan p = { .sweep = &w->sweep,
			  .run = &w->run,
			  .q = &w->q,
			  .arena = &scratch,
			  .need = need,
			  .world = w };

	w->wanted = 0;
	if (method_map.plan(&p, &record) == PLAN_DONE)
		kept = arena_view(&w->mem, buf_view(&record));
	buf_free(&record);
	arena_free(&scratch);
	return kept;
}

static struct choice choose(struct world *w, const char *script)
{
	struct choice c;
	struct view record;

	w->script = script;
	record = plan(w);
	assert_true(record.n > 0);
	assert_int_equal(choice_decode(record, &w->mem, &c), 0);
	return c;
}

static void unmake(struct world *w)
{
	arena_free(&w->mem);
}

/* ---- when it stops --------------------------------------------------------------- */

struct row {
	enum stop_how stop;
	uint32_t min, max;
	const char *script;
	uint32_t passes;
	int chosen, tied; /* chosen -1: either */
};

static void the_first_number_of_passes_that_stops_is_final(void **unused)
{
	static const struct row row[] = {
		{ STOP_two_stage, 4, 8, "rrrrwwww", 4, 0, 0 },
		{ STOP_two_stage, 4, 8, "wwwwrrrr", 4, 1, 0 },
		{ STOP_two_stage, 4, 8, "rrwrrrrr", 8, 0, 0 },
		{ STOP_two_stage, 4, 8, "rrwrwrrr", 5, 0, 1 },
		{ STOP_two_stage, 4, 8, "rwrwrrrr", 4, -1, 1 },
		{ STOP_two_stage, 4, 8, "rrr=rrrr", 8, 0, 0 },
		{ STOP_two_stage, 4, 8, "rr==rrrr", 4, 0, 1 },
		{ STOP_two_stage, 4, 8, "rrrxrrrr", 8, 0, 0 },
		{ STOP_two_stage, 4, 8, "rrxxrrrr", 4, 0, 1 },
		{ STOP_two_stage, 5, 9, "rrrrrwww", 5, 0, 0 },
		{ STOP_two_stage, 5, 9, "rrrwrrrrr", 9, 0, 0 },
		{ STOP_two_stage, 4, 4, "rrrr", 4, 0, 0 },
		{ STOP_two_stage, 4, 4, "rrwr", 4, 0, 1 },
		{ STOP_two_stage, 8, 8, "rrwrrrrr", 8, 0, 0 },
		{ STOP_beta, 1, 8, "rrrrwwww", 4, 0, 0 },
		{ STOP_beta, 4, 8, "rrwrrrrr", 7, 0, 0 },
		{ STOP_beta, 4, 8, "rwrwrwrw", 8, -1, 1 },
		{ STOP_beta, 4, 8, "=rrrrwww", 5, 0, 0 },
		{ STOP_e, 4, 12, "rrrrrrrrrrrr", 8, 0, 0 },
		{ STOP_e, 4, 12, "rrrwrrrrrrrr", 12, 0, 0 },
		{ STOP_e, 4, 7, "rrrrrrr", 7, 0, 1 },
		{ STOP_t, 2, 8, "rrwwwwww", 2, 0, 0 },
		{ STOP_t, 2, 8, "rwrrrrrr", 7, 0, 0 },
		{ STOP_t, 4, 4, "rrwr", 4, 0, 1 },
		{ STOP_t, 4, 8, "xxxxrrrr", 6, 0, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct row *r = &row[i];
		struct world w;
		struct choice c;

		make(&w, 2, r->min, r->max, r->stop);
		c = choose(&w, r->script);
		if (c.npass != r->passes || c.tied != r->tied)
			print_message("%s %s: %u passes, tied %d\n",
				      stop_words[r->stop], r->script, c.npass, c.tied);
		assert_int_equal(c.npass, r->passes);
		assert_int_equal(c.asks, r->passes);
		assert_int_equal(c.tied, r->tied);
		assert_true(r->chosen < 0 || c.chosen == r->chosen);
		unmake(&w);
	}
}

static void confidence_is_the_t_score_whatever_the_rule(void **unused)
{
	struct world w;
	struct choice c;

	(void)unused;
	make(&w, 2, 4, 8, STOP_two_stage);
	c = choose(&w, "rrwrrrrr"); /* d = 1 seven times, -1 once: t = 3 */
	assert_true(c.confidence > .9899 && c.confidence < .9903);
	c = choose(&w, "rrrr");
	assert_true(c.confidence == 1);
	unmake(&w);
	make(&w, 2, 1, 8, STOP_beta);
	w.run.passes_max = 1;
	c = choose(&w, "r");
	assert_true(c.confidence < 0 && !c.tied); /* one pass alone decides */
	w.run.passes_max = 2;
	c = choose(&w, "rx");
	assert_true(c.confidence < 0 && c.tied);
	unmake(&w);
}

static void void_passes_all_through_are_the_vote(void **unused)
{
	struct world w;
	struct choice c;

	(void)unused;
	make(&w, 2, 4, 8, STOP_e);
	c = choose(&w, "xxxxxxxx");
	assert_true(c.degraded);
	assert_int_equal(c.npass, 8);
	unmake(&w);
}

/* ---- what it asks ---------------------------------------------------------------- */

static void the_first_passes_are_asked_at_once_and_then_one_more(void **unused)
{
	struct world w;

	(void)unused;
	make(&w, 2, 4, 8, STOP_two_stage);
	w.script = "rrwrrrrr";
	w.there = 0;
	assert_int_equal(plan(&w).n, 0);
	assert_int_equal(w.wanted, 0x0f);
	w.there = 0x0e; /* the first is late */
	assert_int_equal(plan(&w).n, 0);
	assert_int_equal(w.wanted, 0x0f);
	w.there = 0x0f;
	assert_int_equal(plan(&w).n, 0);
	assert_int_equal(w.wanted, 0x1f);
	w.sweep.passes_ahead = 2;
	assert_int_equal(plan(&w).n, 0);
	assert_int_equal(w.wanted, 0x7f);
	w.there = 0x6f; /* two ahead are there, the next is not */
	assert_int_equal(plan(&w).n, 0);
	assert_int_equal(w.wanted, 0x7f);
	w.there = 0x7f;
	assert_int_equal(plan(&w).n, 0);
	assert_int_equal(w.wanted, 0xff);
	unmake(&w);
}

/* Facts come one by one in a drawn order, those asked ahead among them. */
static struct view play(struct world *w, struct rng *dice)
{
	struct view record;

	w->there = 0;
	while (!(record = plan(w)).n) {
		uint32_t open = w->wanted & ~w->there, bit;

		assert_true(open);
		do
			bit = 1u << rng_below(dice, PASSES);
		while (!(open & bit));
		w->there |= bit;
	}
	return record;
}

static void no_choice_depends_on_what_was_asked_ahead(void **unused)
{
	struct rng dice;

	(void)unused;
	rng_init(&dice, "elastic", 1, view_of(""), 0);
	for (uint32_t round = 0; round < 400; round++) {
		struct world w;
		char script[PASSES + 1] = "";
		struct view calm, wild;

		make(&w, 2, 1 + (uint32_t)rng_below(&dice, 5), 12,
		     (enum stop_how)(round % STOPS));
		for (int i = 0; i < PASSES; i++)
			script[i] = "rrrrrwww=x"[rng_below(&dice, 10)];
		w.script = script;
		w.run.unit = round % 3 ? UNIT_group : UNIT_candidate;
		w.run.tie_break = round % 2 ? TIE_none : TIE_judge;
		calm = plan(&w);
		assert_true(calm.n > 0);
		w.sweep.passes_ahead = (uint32_t)rng_below(&dice, 12);
		wild = play(&w, &dice);
		assert_true(view_eq(calm, wild));
		unmake(&w);
	}
}

/* ---- asks by formula ------------------------------------------------------------- */

static uint64_t windows_by_hand(uint32_t n, uint32_t w, uint32_t s)
{
	uint64_t count = 1;

	for (uint32_t start = n > w ? n - w : 0; start > 0;
	     start = start > s ? start - s : 0)
		count++;
	return count;
}

static void check_asks(struct world *w, uint32_t groups)
{
	struct choice c = choose(w, "");
	uint64_t want =
		windows_by_hand(w->q.n, w->run.window, w->run.step) * w->run.passes_max;

	if (w->run.tie_break == TIE_judge && c.tied)
		want += 2;
	assert_int_equal(c.asks, groups == 1 ? 0 : want);
}

/* Every way to part w->q.n candidates into groups: sizes descending. */
static void part(struct world *w, uint32_t from, uint32_t largest, uint32_t groups)
{
	uint32_t left = w->q.n - from;

	if (!left) {
		check_asks(w, groups);
		return;
	}
	for (uint32_t size = left < largest ? left : largest; size; size--) {
		for (uint32_t i = 0; i < size; i++)
			w->group[from + i] = groups;
		part(w, from + size, size, groups + 1);
	}
}

static void asks_are_passes_times_windows_and_two_for_a_tie(void **unused)
{
	static const uint32_t shape[][2] = { { 8, 4 }, { 4, 2 }, { 20, 10 } };

	(void)unused;
	for (uint32_t n = 1; n <= MOST; n++)
		for (uint32_t i = 0; i < 3; i++) {
			struct world w;

			make(&w, n, 4, 4, STOP_t);
			w.clever = 1;
			w.run.window = shape[i][0];
			w.run.step = shape[i][1];
			w.run.tie_break = TIE_judge;
			check_asks(&w, n);
			for (uint32_t k = 0; k < n; k++)
				w.group[k] = k % 2;
			check_asks(&w, n < 2 ? n : 2);
			assert_true(method_map.most(&w.run, n) ==
				    (n < 2 ? 0
					   : 4 * windows_by_hand(n, shape[i][0],
								 shape[i][1]) +
						     2));
			if (n <= 8)
				part(&w, 0, n, 0);
			unmake(&w);
		}
	assert_int_equal(windows_by_hand(32, 8, 4), 7);
	assert_int_equal(windows_by_hand(8, 8, 4), 1);
	assert_int_equal(windows_by_hand(32, 4, 2), 15);
	assert_int_equal(window_count(24, 8, 4), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_number_of_passes_that_stops_is_final),
		cmocka_unit_test(confidence_is_the_t_score_whatever_the_rule),
		cmocka_unit_test(void_passes_all_through_are_the_vote),
		cmocka_unit_test(the_first_passes_are_asked_at_once_and_then_one_more),
		cmocka_unit_test(no_choice_depends_on_what_was_asked_ahead),
		cmocka_unit_test(asks_are_passes_times_windows_and_two_for_a_tie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
