/* core.c - what other fleets learned the hard way, asked of the broker's core */
#include "tests/support/cm.h"

#include "broker/core.h"
#include "common/base/pack.h"

#include <string.h>

enum { LEASE_MS = 3000, MOST = 512 };

/* ---- a core with a planner that wants noop tasks -------------------------------- */

static struct core *core;
static uint64_t now;
static struct action last[MOST];
static size_t nlast;
static uint32_t wanted = 1; /* tasks that each unit needs */
static uint32_t most;       /* noops leased to all workers together */

static enum plan_state plan_noops(struct plan *p, struct buf *ret)
{
	int waits = 0;
	const uint64_t *base = p->arg;

	for (uint32_t i = 0; i < wanted; i++) {
		struct buf spec = { 0 };
		struct fact f;

		spec_begin(&spec, KIND_noop, 2);
		pack_u64(&spec, *base + i);
		pack_bin(&spec, view_of(""));
		f = plan_need(p, &spec, NULL, 0);
		waits |= f.state == FACT_PENDING;
		buf_add(ret, f.state == FACT_OUTPUT ? f.output.p : f.text.p,
			f.state == FACT_OUTPUT ? f.output.n : f.text.n);
		buf_free(&spec);
	}
	if (waits)
		return PLAN_WAITS;
	return PLAN_DONE;
}

static int has(struct plan *p, uint64_t number) /* of a task that wakes at once */
{
	const uint64_t *base = p->arg;
	struct buf spec = { 0 };
	struct fact f;

	spec_begin(&spec, KIND_simrank, 1);
	pack_u64(&spec, *base + number);
	f = plan_need(p, &spec, NULL, 0);
	buf_free(&spec);
	return f.state != FACT_PENDING;
}

/* Asks for two, and is done with the former. */
static enum plan_state plan_ahead(struct plan *p, struct buf *ret)
{
	int first = has(p, 0);

	has(p, 1);
	buf_add_str(ret, "decided");
	return first ? PLAN_DONE : PLAN_WAITS;
}

/* Asks for two, and with the former for a third instead of the latter. */
static enum plan_state plan_otherwise(struct plan *p, struct buf *ret)
{
	int first = has(p, 0);

	buf_add_str(ret, "decided");
	return has(p, first ? 5 : 1) && first ? PLAN_DONE : PLAN_WAITS;
}

/* One after the other: the latter of plan_ahead()'s comes last. */
static enum plan_state plan_singly(struct plan *p, struct buf *ret)
{
	buf_add_str(ret, "decided");
	return has(p, 7) && has(p, 8) && has(p, 1) ? PLAN_DONE : PLAN_WAITS;
}

static size_t step(const struct event *ev)
{
	const struct action *a;

	assert_int_equal(core_step(core, ev, now, &a, &nlast), 0);
	assert_true(core_check(core));
	assert_true(nlast <= MOST);
	memcpy(last, a, nlast * sizeof *a);
	return nlast;
}

static const struct action *find(enum action_kind kind)
{
	for (size_t i = 0; i < nlast; i++)
		if (last[i].kind == kind)
			return &last[i];
	return NULL;
}

static uint32_t count(enum action_kind kind, uint32_t peer)
{
	uint32_t n = 0;

	for (size_t i = 0; i < nlast; i++)
		n += last[i].kind == kind && last[i].peer == peer;
	return n;
}

static void begin(uint32_t units, uint32_t tasks)
{
	static uint64_t base[64];
	struct core_config cfg = { .epoch = 1, .lease_ms = LEASE_MS };

	cfg.most[kind_lane(KIND_noop)] = most;
	now = 1000;
	wanted = tasks;
	assert_int_equal(core_new(&cfg, &core), 0);
	for (uint32_t i = 0; i < units; i++) {
		struct unit u = { .question = i,
				  .plan = plan_noops,
				  .arg = &base[i],
				  .role = ROLE_BENCH };

		base[i] = i * 1000;
		assert_int_equal(core_add(core, &u), 0);
	}
}

/* Units of one question, which differ in how they plan. */
static void begin_one_question(plan_fn *first, plan_fn *second)
{
	static uint64_t base = 100;
	struct core_config cfg = { .epoch = 1, .lease_ms = LEASE_MS };
	struct unit u = { .arg = &base, .role = ROLE_BENCH };

	now = 1000;
	assert_int_equal(core_new(&cfg, &core), 0);
	u.plan = first;
	assert_int_equal(core_add(core, &u), 0);
	u.plan = second;
	if (second)
		assert_int_equal(core_add(core, &u), 0);
}

/* Starts, and answers every look-up with "not known". */
static void start(void)
{
	struct action look[MOST];
	size_t n;

	step(&(struct event){ .kind = EVENT_START });
	n = nlast;
	memcpy(look, last, n * sizeof *look);
	for (size_t i = 0; i < n; i++)
		if (look[i].kind == ACTION_LOOKUP)
			step(&(struct event){ .kind = EVENT_FOUND,
					      .lookup = look[i].lookup });
}

static void hello(uint32_t peer, uint32_t slots, const struct held *held, size_t n)
{
	struct event ev = {
		.kind = EVENT_HELLO, .peer = peer, .held = held, .nheld = n
	};

	for (int l = 0; l < LANES; l++)
		ev.slots[l] = slots;
	step(&ev);
}

static void renew(uint32_t peer, const struct held *held, size_t n)
{
	step(&(struct event){
		.kind = EVENT_RENEW, .peer = peer, .held = held, .nheld = n });
}

static void result(uint32_t peer, uint64_t task, uint32_t attempt, int code)
{
	step(&(struct event){ .kind = EVENT_RESULT,
			      .peer = peer,
			      .task = task,
			      .attempt = attempt,
			      .code = code,
			      .text = view_of("x"),
			      .output = view_of("out") });
}

static void tick(uint64_t ms) /* of silence, in ticks of a tenth of a second */
{
	for (uint64_t t = 0; t < ms; t += 100) {
		now += 100;
		step(&(struct event){ .kind = EVENT_TICK });
		if (find(ACTION_FAILURE) || find(ACTION_LEASE) || find(ACTION_CANCEL))
			return;
	}
}

static struct core_stats stats(void)
{
	struct core_stats s;

	core_stats(core, &s);
	return s;
}

static int end(void **unused)
{
	(void)unused;
	core_free(&core);
	most = 0;
	return 0;
}

/* ---- lessons --------------------------------------------------------------------- */

static void a_late_result_is_kept_if_nothing_else_is_stored(void **unused)
{
	struct held h;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	h = (struct held){ find(ACTION_LEASE)->task, 1 };
	tick(2 * LEASE_MS); /* silence: its lease runs out */
	assert_non_null(find(ACTION_CANCEL));
	hello(1, 1, NULL, 0);
	assert_int_equal(find(ACTION_LEASE)->attempt, 2);
	result(0, h.task, 1, 0); /* it lives, after all */
	assert_non_null(find(ACTION_REJOIN));
	hello(0, 1, &h, 1);
	result(0, h.task, 1, 0);
	assert_non_null(find(ACTION_OUTPUT));
	assert_int_equal(find(ACTION_OUTPUT)->attempt, 1);
	assert_int_equal(find(ACTION_CANCEL)->peer, 1); /* the other may stop */
	assert_non_null(find(ACTION_RECORD));
	result(1, h.task, 2, 0);
	assert_non_null(find(ACTION_STALE));
	assert_null(find(ACTION_OUTPUT));
}

static void a_draft_is_told_and_not_written_and_its_question_comes_again(void **unused)
{
	static uint64_t base = 100;
	struct core_config cfg = { .epoch = 1, .lease_ms = LEASE_MS };
	struct unit u = {
		.plan = plan_noops, .arg = &base, .role = ROLE_BENCH, .draft = 1
	};

	(void)unused;
	now = 1000;
	wanted = 1;
	assert_int_equal(core_new(&cfg, &core), 0);
	assert_int_equal(core_add(core, &u), 0);
	start();
	hello(0, 1, NULL, 0);
	result(0, find(ACTION_LEASE)->task, 1, 0);
	assert_null(find(ACTION_RECORD));
	assert_non_null(find(ACTION_DRAFT));
	assert_int_equal(find(ACTION_DRAFT)->seq, 0);
	assert_non_null(find(ACTION_DONE));
	u.draft = 0; /* the next phase; its fact is known already */
	assert_int_equal(core_add(core, &u), 0);
	step(&(struct event){ .kind = EVENT_START });
	assert_null(find(ACTION_LOOKUP));
	assert_null(find(ACTION_DRAFT));
	assert_non_null(find(ACTION_RECORD));
	assert_non_null(find(ACTION_DONE));
}

static void an_unknown_peer_is_told_to_rejoin_whatever_it_says(void **unused)
{
	struct held h = { 7, 1 };

	(void)unused;
	begin(1, 1);
	start();
	renew(5, &h, 1);
	assert_non_null(find(ACTION_REJOIN));
	result(9, 7, 1, 0);
	assert_non_null(find(ACTION_REJOIN));
	step(&(struct event){
		.kind = EVENT_RETURN, .peer = 3, .held = &h, .nheld = 1 });
	step(&(struct event){ .kind = EVENT_BYE, .peer = 4 });
	step(&(struct event){ .kind = EVENT_LOST, .peer = 4000000000u });
}

static void a_result_of_an_unknown_task_is_an_orphan_and_acknowledged(void **unused)
{
	(void)unused;
	begin(1, 1);
	start();
	hello(0, 0, NULL, 0);
	result(0, 99, 4, 0);
	assert_non_null(find(ACTION_ORPHAN));
	assert_non_null(find(ACTION_ACK));
	result(0, 98, 1, ERR_NET);
	assert_null(find(ACTION_ORPHAN));
	assert_non_null(find(ACTION_ACK));
}

static void a_result_for_task_0_is_nobodys(void **unused)
{
	struct held h = { 0, 1 };

	(void)unused;
	begin(1, 1);
	step(&(struct event){ .kind = EVENT_START }); /* the task is being looked up */
	hello(0, 1, &h, 1);
	result(0, 0, 1, 0);
	assert_null(find(ACTION_OUTPUT));
	step(&(struct event){ .kind = EVENT_FOUND, .lookup = 1 });
	assert_non_null(find(ACTION_TASK));
}

static void an_orphans_output_is_used_though_the_look_up_did_not_see_it(void **unused)
{
	struct held h = { 77, 3 };

	(void)unused;
	begin(1, 1);
	step(&(struct event){ .kind = EVENT_START });
	hello(0, 1, &h, 1);
	result(0, 77, 3, 0);
	assert_non_null(find(ACTION_ORPHAN));
	/* Read before that was on disk: the task is known, without output. */
	step(&(struct event){ .kind = EVENT_FOUND, .lookup = 1, .task = 77 });
	assert_null(find(ACTION_LEASE));
	assert_non_null(find(ACTION_RECORD));
	assert_memory_equal(find(ACTION_RECORD)->record.p, "out", 3);
}

static void what_a_worker_held_over_a_restart_goes_on(void **unused)
{
	struct held h = { 77, 3 };

	(void)unused;
	begin(1, 1);
	step(&(struct event){ .kind = EVENT_START });
	hello(0, 1, &h, 1);
	hello(1, 1, NULL, 0);
	step(&(struct event){ .kind = EVENT_FOUND, .lookup = 1, .task = 77 });
	assert_null(find(ACTION_LEASE)); /* it is in a hand already */
	assert_int_equal(stats().leased[LANE_CPU], 1);
	result(0, 77, 3, ERR_NOMEM);
	assert_non_null(find(ACTION_FAILURE)); /* that very attempt */
}

static void a_worker_that_goes_quiet_gets_nothing_new(void **unused)
{
	(void)unused;
	begin(3, 1);
	start();
	hello(0, 1, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 0), 1);
	tick(2 * LEASE_MS);
	assert_int_equal(stats().deaths, 1);
	assert_null(find(ACTION_LEASE));
	assert_int_equal(stats().peers, 0);
	for (int i = 0; i < 100; i++)
		tick(LEASE_MS);
	assert_int_equal(stats().deaths, 1); /* one silence, one death; no more */
	assert_int_equal(stats().quarantined, 0);
}

static void a_lease_that_was_lost_on_the_way_is_no_death(void **unused)
{
	uint32_t again = 0;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	assert_non_null(find(ACTION_LEASE));
	for (uint64_t t = 0; t < 10 * LEASE_MS; t += 1000) { /* it never arrives */
		tick(1000);
		again += count(ACTION_LEASE, 0);
		renew(0, NULL, 0);
	}
	assert_true(again >= 5);
	assert_int_equal(stats().deaths, 0);
	assert_true(stats().expired >= 5);
}

static void a_broker_that_was_away_blames_nobody(void **unused)
{
	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	tick(500);
	now += 100 * LEASE_MS; /* stopped, and continued */
	step(&(struct event){ .kind = EVENT_TICK });
	assert_int_equal(nlast, 0);
	assert_int_equal(stats().deaths, 0);
	assert_int_equal(stats().leased[LANE_CPU], 1);
}

static void an_announced_leave_is_no_death(void **unused)
{
	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	step(&(struct event){ .kind = EVENT_BYE, .peer = 0 });
	assert_null(find(ACTION_FAILURE));
	assert_int_equal(stats().deaths, 0);
	hello(1, 1, NULL, 0);
	assert_int_equal(find(ACTION_LEASE)->attempt, 2);
}

static void what_is_returned_is_neither_failure_nor_death(void **unused)
{
	struct held h;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	h = (struct held){ find(ACTION_LEASE)->task, 1 };
	step(&(struct event){
		.kind = EVENT_RETURN, .peer = 0, .held = &h, .nheld = 1 });
	assert_null(find(ACTION_FAILURE));
	assert_int_equal(stats().returned, 1);
	assert_int_equal(stats().failures, 0);
	assert_int_equal(find(ACTION_LEASE)->attempt, 2);
}

static void three_deaths_are_a_quarantine_and_the_sweep_ends(void **unused)
{
	uint64_t task = 0;

	(void)unused;
	begin(1, 1);
	start();
	for (uint32_t peer = 0; peer < CORE_DEATHS; peer++) {
		hello(peer, 8, NULL, 0);
		task = find(ACTION_LEASE)->task;
		step(&(struct event){ .kind = EVENT_LOST, .peer = peer });
		assert_int_equal(find(ACTION_FAILURE)->code, ERR_DEATH);
		assert_int_equal(find(ACTION_FAILURE)->final, peer + 1 == CORE_DEATHS);
	}
	assert_non_null(find(ACTION_RECORD));
	assert_non_null(find(ACTION_DONE));
	assert_int_equal(find(ACTION_FAILURE)->task, task);
	/* The journal's text is the record's: after a restart it reads the same. */
	assert_int_equal(find(ACTION_FAILURE)->text.n, find(ACTION_RECORD)->record.n);
	assert_memory_equal(find(ACTION_FAILURE)->text.p, find(ACTION_RECORD)->record.p,
			    find(ACTION_RECORD)->record.n);
	assert_int_equal(stats().quarantined, 1);
	assert_int_equal(stats().deaths, CORE_DEATHS);
}

static void a_suspect_runs_alone(void **unused)
{
	(void)unused;
	begin(1, 3);
	start();
	hello(0, 8, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 0), 3);
	step(&(struct event){ .kind = EVENT_LOST, .peer = 0 });
	hello(1, 8, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 1), 1);
	hello(2, 8, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 2), 1);
}

static void failures_that_may_pass_wait_and_deaths_do_not_count_among_them(
	void **unused)
{
	uint64_t task;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	task = find(ACTION_LEASE)->task;
	result(0, task, 1, ERR_NOMEM);
	assert_int_equal(find(ACTION_FAILURE)->final, 0);
	assert_null(find(ACTION_LEASE)); /* not at once */
	assert_int_equal(stats().waiting, 1);
	result(0, task, 1, ERR_NOMEM); /* said again: not counted again */
	assert_non_null(find(ACTION_STALE));
	for (int i = 0; i < 20 && !find(ACTION_LEASE); i++) {
		tick(100);
		if (!find(ACTION_LEASE))
			renew(0, NULL, 0);
	}
	assert_int_equal(find(ACTION_LEASE)->attempt, 2);
	assert_int_equal(stats().failures, 1);
	assert_int_equal(stats().deaths, 0);
}

static void a_failure_known_already_is_not_adopted_with_hello(void **unused)
{
	struct held h;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	h = (struct held){ find(ACTION_LEASE)->task, 1 };
	result(0, h.task, 1, ERR_NOMEM);
	hello(0, 1, &h, 1); /* its ACK was still under way */
	assert_non_null(find(ACTION_CANCEL));
	result(0, h.task, 1, ERR_NOMEM);
	assert_null(find(ACTION_FAILURE));
	assert_int_equal(stats().failures, 1);
}

static void a_failure_of_an_older_attempt_does_not_count(void **unused)
{
	uint64_t task;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	task = find(ACTION_LEASE)->task;
	hello(0, 1, NULL, 0); /* it knows nothing of it: leased again */
	assert_int_equal(find(ACTION_LEASE)->attempt, 2);
	result(0, task, 1, ERR_NOMEM);
	assert_non_null(find(ACTION_STALE));
	assert_int_equal(stats().failures, 0);
}

static void the_kept_result_said_again_is_acknowledged(void **unused)
{
	uint64_t task;

	(void)unused;
	begin(2, 1);
	start();
	hello(0, 1, NULL, 0);
	task = find(ACTION_LEASE)->task;
	result(0, task, 1, 0);
	assert_non_null(find(ACTION_OUTPUT));
	result(0, task, 1, 0);
	assert_null(find(ACTION_OUTPUT));
	assert_null(find(ACTION_CALLS));
	assert_non_null(find(ACTION_ACK));
}

/* Twenty tasks come free at once, and two workers could each take them all. */
static void near_the_end_nobody_hoards(void **unused)
{
	(void)unused;
	begin(1, 20);
	start();
	hello(0, 64, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 0), 20);
	hello(1, 64, NULL, 0);
	hello(0, 64, NULL, 0); /* it has lost them all */
	assert_int_equal(count(ACTION_LEASE, 0) + count(ACTION_LEASE, 1), 20);
	assert_in_range(count(ACTION_LEASE, 0), 8, 12);
}

/* An endpoint that takes five at once has five, however many workers there are. */
static void all_workers_together_hold_no_more_than_the_most(void **unused)
{
	uint64_t task[5];

	(void)unused;
	most = 5;
	begin(1, 20);
	start();
	hello(0, 64, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 0), 5);
	for (int i = 0; i < 5; i++)
		task[i] = last[i].task;
	hello(1, 64, NULL, 0);
	assert_null(find(ACTION_LEASE));
	for (int i = 0; i < 5; i++) {
		result(0, task[i], 1, 0);
		assert_int_equal(count(ACTION_LEASE, 0) + count(ACTION_LEASE, 1), 1);
		assert_int_equal(stats().leased[kind_lane(KIND_noop)], 5);
	}
	hello(0, 64, NULL, 0); /* says what it has: of what was free, a part */
	hello(1, 64, NULL, 0);
	assert_in_range(count(ACTION_LEASE, 0) + count(ACTION_LEASE, 1), 1, 4);
	assert_int_equal(stats().leased[kind_lane(KIND_noop)], 5);
}

/* Where one is free at a time, it is not always the same worker's. */
static void what_is_free_goes_to_one_worker_after_the_other(void **unused)
{
	uint32_t of[2] = { 0 };
	struct action a;

	(void)unused;
	most = 1;
	begin(1, 40);
	start();
	hello(0, 64, NULL, 0);
	a = *find(ACTION_LEASE);
	hello(1, 64, NULL, 0);
	for (int i = 0; i < 30; i++) {
		result(a.peer, a.task, a.attempt, 0);
		a = *find(ACTION_LEASE);
		of[a.peer]++;
	}
	assert_int_equal(of[0], 15);
	assert_int_equal(of[1], 15);
}

static void a_limit_stops_leasing_and_blames_no_task(void **unused)
{
	uint64_t task;

	(void)unused;
	begin(2, 1);
	start();
	hello(0, 1, NULL, 0);
	task = find(ACTION_LEASE)->task;
	result(0, task, 1, ERR_LIMIT);
	assert_null(find(ACTION_FAILURE));
	assert_null(find(ACTION_LEASE));
	assert_non_null(find(ACTION_ACK));
	assert_int_equal(stats().failures, 0);
}

static void a_task_at_rest_twice_stays_until_its_last_write_is_on_disk(void **unused)
{
	uint64_t task, seq;

	(void)unused;
	begin(1, 1);
	start();
	hello(0, 1, NULL, 0);
	task = find(ACTION_LEASE)->task;
	result(0, task, 1, 0);
	seq = find(ACTION_RECORD)->seq;
	step(&(struct event){ .kind = EVENT_COMMITTED, .seq = seq - 1 });
	result(0, task, 1, 0);
	assert_null(find(ACTION_ORPHAN)); /* it is known still */
	step(&(struct event){ .kind = EVENT_COMMITTED, .seq = seq });
	result(0, task, 1, 0);
	assert_non_null(find(ACTION_ORPHAN));
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

static uint64_t number_of(const struct action *lease)
{
	struct cursor c;

	spec_open(lease->spec, &c);
	return cur_u64(&c);
}

/* Answers the one lease there is; the number of what is leased next, 0: nothing. */
static uint64_t answer_lease(void)
{
	const struct action *a = find(ACTION_LEASE);

	result(0, a->task, a->attempt, 0);
	while ((a = find(ACTION_LOOKUP)))
		step(&(struct event){ .kind = EVENT_FOUND, .lookup = a->lookup });
	a = find(ACTION_LEASE);
	return a ? number_of(a) : 0;
}

static void what_a_decided_question_had_queued_is_never_leased(void **unused)
{
	(void)unused;
	begin_one_question(plan_ahead, NULL);
	start();
	assert_int_equal(stats().ready[kind_lane(KIND_simrank)], 2);
	hello(0, 1, NULL, 0);
	assert_int_equal(number_of(find(ACTION_LEASE)), 100);
	assert_int_equal(answer_lease(), 0);
	assert_non_null(find(ACTION_RECORD));
	assert_int_equal(stats().dropped, 1);
	assert_int_equal(stats().ready[kind_lane(KIND_simrank)], 0);
}

static void what_a_decided_unit_had_queued_waits_until_another_wants_it(void **unused)
{
	(void)unused;
	begin_one_question(plan_ahead, plan_singly);
	start(); /* queued: 100, 101, 107 */
	hello(0, 1, NULL, 0);
	assert_int_equal(number_of(find(ACTION_LEASE)), 100);
	assert_int_equal(answer_lease(), 107); /* and not 101 */
	assert_int_equal(stats().dropped, 1);
	assert_int_equal(answer_lease(), 108);
	assert_int_equal(answer_lease(), 101); /* the other unit has come to it */
	assert_int_equal(answer_lease(), 0);
	assert_int_equal(stats().units_done, 2);
}

static void what_runs_for_a_decided_unit_may_finish_and_is_kept(void **unused)
{
	struct action ahead = { 0 };

	(void)unused;
	begin_one_question(plan_ahead, plan_singly);
	start();
	hello(0, 3, NULL, 0);
	assert_int_equal(count(ACTION_LEASE, 0), 3);
	for (size_t i = 0; i < nlast; i++)
		if (last[i].kind == ACTION_LEASE && number_of(&last[i]) == 101)
			ahead = last[i];
	result(0, find(ACTION_LEASE)->task, 1, 0);
	assert_non_null(find(ACTION_RECORD));
	assert_null(find(ACTION_CANCEL));
	result(0, ahead.task, ahead.attempt, 0);
	assert_non_null(find(ACTION_OUTPUT));
	assert_int_equal(stats().dropped, 0);
}

static void what_a_unit_wants_no_longer_is_dropped_while_it_waits_on(void **unused)
{
	(void)unused;
	begin_one_question(plan_otherwise, NULL);
	start();
	hello(0, 1, NULL, 0);
	assert_int_equal(number_of(find(ACTION_LEASE)), 100);
	assert_int_equal(answer_lease(), 105);
	assert_int_equal(stats().dropped, 1);
	assert_int_equal(answer_lease(), 0);
	assert_int_equal(stats().units_done, 1);
}

static void what_nobody_waits_for_is_not_tried_again(void **unused)
{
	struct action ahead = { 0 };

	(void)unused;
	begin_one_question(plan_ahead, plan_singly);
	start();
	hello(0, 3, NULL, 0);
	for (size_t i = 0; i < nlast; i++)
		if (last[i].kind == ACTION_LEASE && number_of(&last[i]) == 101)
			ahead = last[i];
	result(0, find(ACTION_LEASE)->task, 1, 0);
	result(0, ahead.task, ahead.attempt, ERR_NET); /* any that is retried */
	assert_int_equal(stats().waiting, 0);
	assert_int_equal(stats().dropped, 1);
	tick(LEASE_MS / 2);
	assert_null(find(ACTION_LEASE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_late_result_is_kept_if_nothing_else_is_stored),
		TEST(a_draft_is_told_and_not_written_and_its_question_comes_again),
		TEST(an_unknown_peer_is_told_to_rejoin_whatever_it_says),
		TEST(a_result_of_an_unknown_task_is_an_orphan_and_acknowledged),
		TEST(a_result_for_task_0_is_nobodys),
		TEST(an_orphans_output_is_used_though_the_look_up_did_not_see_it),
		TEST(what_a_worker_held_over_a_restart_goes_on),
		TEST(a_worker_that_goes_quiet_gets_nothing_new),
		TEST(a_lease_that_was_lost_on_the_way_is_no_death),
		TEST(a_broker_that_was_away_blames_nobody),
		TEST(an_announced_leave_is_no_death),
		TEST(what_is_returned_is_neither_failure_nor_death),
		TEST(three_deaths_are_a_quarantine_and_the_sweep_ends),
		TEST(a_suspect_runs_alone),
		TEST(failures_that_may_pass_wait_and_deaths_do_not_count_among_them),
		TEST(a_failure_known_already_is_not_adopted_with_hello),
		TEST(a_failure_of_an_older_attempt_does_not_count),
		TEST(the_kept_result_said_again_is_acknowledged),
		TEST(near_the_end_nobody_hoards),
		TEST(all_workers_together_hold_no_more_than_the_most),
		TEST(what_is_free_goes_to_one_worker_after_the_other),
		TEST(a_limit_stops_leasing_and_blames_no_task),
		TEST(a_task_at_rest_twice_stays_until_its_last_write_is_on_disk),
		TEST(what_a_decided_question_had_queued_is_never_leased),
		TEST(what_a_decided_unit_had_queued_waits_until_another_wants_it),
		TEST(what_runs_for_a_decided_unit_may_finish_and_is_kept),
		TEST(what_a_unit_wants_no_longer_is_dropped_while_it_waits_on),
		TEST(what_nobody_waits_for_is_not_tried_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
