/* fleet.c - the real core with real planners, in a world that is out to get it
 *
 * One process, a virtual clock, seeded dice. Messages are lost, doubled, delayed and
 * overtake each other; workers are killed, go silent, are cut off, drain and leave; the
 * broker is thrown away at any moment and made anew from what was committed. Whatever
 * happens, each question's record must be what an undisturbed fleet says.
 *
 * SEED=n repeats one history (and prints what happened in it); ROUNDS=n makes n. */
#include "tests/support/cm.h"

#include "broker/core.h"
#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "proto/choice.h"
#include "proto/msg.h"
#include "tests/support/fake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	HISTORIES = 1000,
	WORKERS = 4,
	SLOTS = 6,
	HANDS = 64,
	PEERS = 512,
	LEASE_MS = 3000,
	HOSTILE_MS = 15000,
	CALM_MS = 60000, /* of peace in which it must end */
	RESTARTS = 4,
};

/* ---- the world ------------------------------------------------------------------- */

struct letter {
	enum msg_tag tag;
	uint32_t worker;
	uint64_t boot, epoch, task;
	uint32_t attempt, slots[LANES];
	struct held *held;
	size_t nheld;
	int code;
	struct view spec, output;
};

enum what {
	TO_BROKER,
	TO_WORKER,
	SPARE,  /* see spare() */
	DEATH,  /* the broker hears that its child died */
	READ,   /* the journal's reader looks */
	FOUND,  /* and has answered */
	COMMIT, /* the journal's writer */
	TICK,
	RENEW,
	WORKED,
	BORN,
	CHAOS,
};

struct happening {
	uint64_t at, tie;
	enum what what;
	uint32_t life;         /* of the broker; 0: does not matter */
	struct letter *letter; /* TO_*, DEATH */
	uint32_t worker;
	uint64_t boot, task; /* WORKED */
	uint32_t attempt;
	struct hash key; /* READ */
	struct event found;
};

enum fact_kind {
	FACT_TASK,
	FACT_OUT,
	FACT_LATE,
	FACT_FAIL,
	FACT_RECORD,
	FACT_ACK,
	FACT_ANY
};

struct written { /* handed to the journal, not on disk yet */
	enum fact_kind kind;
	uint64_t seq, task, turn;
	struct hash key;
	int code;
	struct view bytes;
	uint32_t unit;
	struct letter *ack;
};

struct row { /* on disk */
	uint64_t task;
	struct hash key;
	struct view output, text;
	int code; /* of a final failure */
};

struct shadow { /* what the fences must keep, in this life of the broker */
	uint64_t task;
	uint32_t attempt, deaths, lane;
	int64_t holder; /* a peer; -1 */
	int64_t heir;   /* a peer whose HELLO told it, since; -1 */
	uint64_t seen;  /* leased, or last known to be held */
	int poison;
};

struct attempt {
	uint64_t task, sent_ms;
	uint32_t number;
	struct view spec, output;
	int code, finished;
};

struct fake_worker {
	uint64_t boot, epoch, silent_until;
	uint32_t slots[LANES], n;
	int alive, welcome, draining;
	struct attempt hand[HANDS];
};

struct world {
	struct fake fake;
	struct arena mem;
	struct rng dice;
	uint64_t now, boots, turn;
	int hostile;
	struct happening *event;
	size_t n, cap;
	/* the broker */
	struct core *core;
	uint32_t life, restarts, npeer;
	uint32_t peer_worker[PEERS];
	uint64_t peer_boot[PEERS], last_seq;
	uint8_t over[PEERS]; /* that boot has died or left: no word of it counts */
	int64_t route[WORKERS];
	uint64_t slots_of[PEERS][LANES];
	uint32_t most[LANES]; /* of all together; 0: any number */
	int done, committing;
	struct written queue[8192];
	size_t queued;
	struct row row[2048];
	size_t rows;
	struct view record[FAKE_UNITS];
	struct shadow shadow[2048];
	size_t shadows;
	/* the rest */
	struct fake_worker worker[WORKERS];
	uint32_t workers, flaky;
	/* counts */
	uint64_t steps, lost, doubled, kills, silences, cuts, quarantined, stale,
		orphans;
};

static struct world w; /* of this history */
static struct buf expected[FAKE_UNITS];
static uint64_t all_steps, all_lost, all_doubled, all_kills, all_silences, all_cuts,
	all_restarts, all_stale, all_orphans;

static uint64_t roll(uint64_t n)
{
	return rng_below(&w.dice, n);
}

static int chance(unsigned percent)
{
	return w.hostile && roll(100) < percent;
}

static struct view keep(struct view v)
{
	return arena_view(&w.mem, v);
}

static struct happening *happen(enum what what, uint64_t after)
{
	struct happening *h;

	if (w.n == w.cap) {
		w.cap = w.cap ? w.cap * 2 : 256;
		w.event = realloc(w.event, w.cap * sizeof *w.event);
		assert_non_null(w.event);
	}
	h = &w.event[w.n++];
	*h = (struct happening){ .at = w.now + after,
				 .tie = roll(1 << 20),
				 .what = what };
	return h;
}

static int next_happening(struct happening *ret)
{
	size_t first = 0;

	if (!w.n)
		return 0;
	for (size_t i = 1; i < w.n; i++)
		if (w.event[i].at < w.event[first].at ||
		    (w.event[i].at == w.event[first].at &&
		     w.event[i].tie < w.event[first].tie))
			first = i;
	*ret = w.event[first];
	w.event[first] = w.event[--w.n];
	return 1;
}

/* ---- the post -------------------------------------------------------------------- */

static void post_once(enum what where, const struct letter *l)
{
	struct happening *h;
	struct letter *copy = arena_alloc(&w.mem, 1, sizeof *copy);

	*copy = *l;
	h = happen(where, w.hostile ? 1 + roll(40) * (1 + 10 * (roll(20) == 0)) : 1);
	h->letter = copy;
	h->worker = l->worker;
}

static void post(enum what where, const struct letter *l)
{
	if (chance(2)) {
		w.lost++;
		return;
	}
	post_once(where, l);
	if (chance(3)) {
		w.doubled++;
		post_once(where, l);
	}
}

/* A connection that breaks takes with it what was under way. */
static void cut(uint32_t worker)
{
	for (size_t i = 0; i < w.n;)
		if ((w.event[i].what == TO_BROKER || w.event[i].what == TO_WORKER) &&
		    w.event[i].worker == worker && roll(2)) {
			w.event[i] = w.event[--w.n];
			w.lost++;
		} else {
			i++;
		}
	w.route[worker] = -1;
	w.cuts++;
}

static void to_peer(enum msg_tag tag, uint32_t peer, uint64_t task, uint32_t attempt,
		    struct view spec)
{
	struct letter l = { .tag = tag,
			    .worker = w.peer_worker[peer],
			    .boot = w.peer_boot[peer],
			    .epoch = w.life,
			    .task = task,
			    .attempt = attempt,
			    .spec = spec };

	post(TO_WORKER, &l);
}

/* ---- the journal ----------------------------------------------------------------- */

static struct row *row_of(uint64_t task)
{
	for (size_t i = 0; i < w.rows; i++)
		if (w.row[i].task == task)
			return &w.row[i];
	return NULL;
}

static struct row *row_by_key(const struct hash *key)
{
	for (size_t i = 0; i < w.rows; i++)
		if (hash_eq(&w.row[i].key, key))
			return &w.row[i];
	return NULL;
}

static struct written *write(enum fact_kind kind, const struct action *a)
{
	struct written *k = &w.queue[w.queued++];

	assert_true(w.queued < sizeof w.queue / sizeof *w.queue);
	*k = (struct written){
		.kind = kind, .seq = a->seq, .task = a->task, .turn = w.turn
	};
	if (kind != FACT_ACK) {
		assert_true(a->seq > w.last_seq); /* what COMMITTED counts */
		w.last_seq = a->seq;
	}
	if (!w.committing) {
		w.committing = 1;
		happen(COMMIT, 1 + roll(w.hostile ? 60 : 2))->life = w.life;
	}
	return k;
}

static void settle(const struct written *k)
{
	struct row *r = row_of(k->task);

	switch (k->kind) {
	case FACT_TASK:
		assert_null(row_by_key(&k->key)); /* task.key is UNIQUE */
		assert_null(r);
		w.row[w.rows++] = (struct row){ .task = k->task, .key = k->key };
		assert_true(w.rows < sizeof w.row / sizeof *w.row);
		break;
	case FACT_OUT:
		assert_non_null(r);
		if (!r->output.p)
			r->output = k->bytes;
		break;
	case FACT_LATE:
		if (r && !r->output.p)
			r->output = k->bytes;
		break;
	case FACT_FAIL:
		assert_non_null(r);
		r->code = k->code;
		r->text = k->bytes;
		break;
	case FACT_RECORD: w.record[k->unit] = k->bytes; break;
	case FACT_ACK: post(TO_WORKER, k->ack); break;
	case FACT_ANY: break;
	}
}

static void step(const struct event *ev);

static void commit(void)
{
	struct event ev = { .kind = EVENT_COMMITTED };
	size_t k = w.hostile ? 1 + roll(w.queued) : w.queued;

	while (k < w.queued && w.queue[k].turn == w.queue[k - 1].turn)
		k++; /* a turn is one batch */
	for (size_t i = 0; i < k; i++) {
		settle(&w.queue[i]);
		if (w.queue[i].seq > ev.seq)
			ev.seq = w.queue[i].seq;
	}
	memmove(w.queue, w.queue + k, (w.queued - k) * sizeof *w.queue);
	w.queued -= k;
	w.committing = w.queued > 0;
	if (w.committing)
		happen(COMMIT, 1 + roll(w.hostile ? 60 : 2))->life = w.life;
	if (ev.seq)
		step(&ev);
}

static void read_journal(const struct happening *h)
{
	const struct row *r = row_by_key(&h->key);
	struct happening *f = happen(FOUND, w.hostile ? roll(30) : 0);

	f->life = w.life;
	f->found = h->found;
	if (!r)
		return;
	f->found.task = r->task;
	if (r->output.p) {
		f->found.state = FACT_OUTPUT;
		f->found.output = r->output;
	} else if (r->code) {
		f->found.state = FACT_FAILED;
		f->found.code = r->code;
		f->found.text = r->text;
	}
}

/* ---- the fences ------------------------------------------------------------------ */

static struct shadow *shadow_of(uint64_t task)
{
	for (size_t i = 0; i < w.shadows; i++)
		if (w.shadow[i].task == task)
			return &w.shadow[i];
	assert_true(w.shadows < sizeof w.shadow / sizeof *w.shadow);
	w.shadow[w.shadows] = (struct shadow){ .task = task, .holder = -1, .heir = -1 };
	return &w.shadow[w.shadows++];
}

static void free_hand(uint32_t peer)
{
	for (size_t i = 0; i < w.shadows; i++)
		if (w.shadow[i].holder == peer)
			w.shadow[i].holder = -1;
}

static void check_lease(const struct action *a)
{
	struct shadow *s = shadow_of(a->task);
	uint32_t lane = kind_lane(a->task_kind), used = 0, all = 0;

	assert_true(a->attempt > s->attempt); /* the fence */
	assert_true(s->holder < 0);           /* never in two hands */
	s->attempt = a->attempt;
	s->holder = a->peer;
	s->heir = -1;
	s->seen = w.now;
	s->lane = lane;
	s->poison = fake_is_poison(&w.fake, a->spec);
	for (size_t i = 0; i < w.shadows; i++) {
		used += w.shadow[i].holder == a->peer && w.shadow[i].lane == lane;
		all += w.shadow[i].holder >= 0 && w.shadow[i].lane == lane;
	}
	assert_true(used <= w.slots_of[a->peer][lane]);
	assert_true(!w.most[lane] || all <= w.most[lane]);
}

static int is_suspect(const struct shadow *s)
{
	return s->deaths && !s->poison;
}

/* Would it be bad luck only, if this worker died? Innocent tasks die at most once by
 * this world's hand: three times by chance would be a different sweep. */
static int may_suffer(uint32_t worker)
{
	const struct fake_worker *k = &w.worker[worker];

	for (uint32_t i = 0; i < k->n; i++)
		if (is_suspect(shadow_of(k->hand[i].task)))
			return 0;
	for (size_t i = 0; i < w.shadows; i++) {
		const struct shadow *s = &w.shadow[i];

		if (is_suspect(s) && s->holder >= 0 &&
		    w.peer_worker[s->holder] == worker)
			return 0;
	}
	return 1;
}

/* ---- the broker ------------------------------------------------------------------ */

static void tell_difference(uint32_t unit, struct view record)
{
	struct arena mem = { 0 };
	struct choice was, is;

	assert_int_equal(choice_decode(buf_view(&expected[unit]), &mem, &was), 0);
	assert_int_equal(choice_decode(record, &mem, &is), 0);
	fail_msg("unit %u: %s '%.*s', now %s '%.*s'", unit, why_text(was.why),
		 (int)was.reason.n, was.reason.p, why_text(is.why), (int)is.reason.n,
		 is.reason.p);
}

static void on_record(const struct action *a)
{
	uint32_t unit = a->unit->tag;
	struct written *k = write(FACT_RECORD, a);

	k->unit = unit;
	k->bytes = keep(a->record);
	if (!expected[unit].n)
		buf_add(&expected[unit], a->record.p, a->record.n);
	if (a->record.n != expected[unit].n)
		tell_difference(unit, a->record);
	assert_memory_equal(a->record.p, expected[unit].p, a->record.n);
}

static void on_failure(const struct action *a)
{
	struct shadow *s = shadow_of(a->task);
	struct written *k = write(a->final ? FACT_FAIL : FACT_ANY, a);

	k->code = a->code;
	k->bytes = keep(a->text);
	s->holder = -1;
	s->deaths += a->code == ERR_DEATH;
	if (a->final && a->code == ERR_DEATH) {
		w.quarantined++;
		assert_true(s->poison);
	}
}

/* A task that has suffered once goes to a worker that lives, or comes back at once:
 * this is the other half of may_suffer(). */
static void spare(const struct action *a)
{
	uint32_t worker = w.peer_worker[a->peer];
	struct happening *h;

	w.worker[worker].silent_until = 0;
	if (w.worker[worker].boot == w.peer_boot[a->peer])
		return;
	h = happen(SPARE, 10);
	h->life = w.life;
	h->found = (struct event){ .kind = EVENT_RETURN, .peer = a->peer, .nheld = 1 };
	h->task = a->task;
	h->attempt = a->attempt;
}

static void on_lease(const struct action *a)
{
	check_lease(a);
	if (is_suspect(shadow_of(a->task)))
		spare(a);
	to_peer(MSG_TAG_LEASE, a->peer, a->task, a->attempt, keep(a->spec));
}

static void on_lookup(const struct action *a)
{
	struct happening *h;

	fake_see(&w.fake, a->blob, a->nblob);
	h = happen(READ, w.hostile ? roll(20) : 0);
	h->life = w.life;
	h->key = a->key;
	h->found = (struct event){ .kind = EVENT_FOUND, .lookup = a->lookup };
}

static void on_ack(const struct action *a)
{
	struct letter l = { .tag = MSG_TAG_ACK,
			    .worker = w.peer_worker[a->peer],
			    .boot = w.peer_boot[a->peer],
			    .epoch = w.life,
			    .task = a->task,
			    .attempt = a->attempt };
	struct written *k = write(FACT_ACK, a);

	k->ack = arena_alloc(&w.mem, 1, sizeof l);
	*k->ack = l;
}

static void act(const struct action *a)
{
	struct written *k;

	switch (a->kind) {
	case ACTION_LOOKUP: on_lookup(a); break;
	case ACTION_TASK:
		k = write(FACT_TASK, a);
		k->key = task_key(a->spec);
		break;
	case ACTION_OUTPUT:
	case ACTION_ORPHAN:
		k = write(a->kind == ACTION_OUTPUT ? FACT_OUT : FACT_LATE, a);
		k->bytes = keep(a->output);
		shadow_of(a->task)->holder = -1;
		break;
	case ACTION_ROLE:
	case ACTION_CALLS: write(FACT_ANY, a); break;
	case ACTION_FAILURE: on_failure(a); break;
	case ACTION_RECORD: on_record(a); break;
	case ACTION_LEASE: on_lease(a); break;
	case ACTION_ACK: on_ack(a); break;
	case ACTION_CANCEL:
		if (shadow_of(a->task)->holder == a->peer)
			shadow_of(a->task)->holder = -1;
		to_peer(MSG_TAG_CANCEL, a->peer, a->task, a->attempt, view_of(""));
		break;
	case ACTION_STALE:
		to_peer(MSG_TAG_STALE, a->peer, a->task, a->attempt, view_of(""));
		break;
	case ACTION_REJOIN: to_peer(MSG_TAG_REJOIN, a->peer, 0, 0, view_of("")); break;
	case ACTION_DRAFT: break; /* no unit here is one */
	case ACTION_DONE: w.done = 1; break;
	}
}

static void step(const struct event *ev)
{
	const struct action *a;
	size_t n;

	w.turn++;
	w.steps++;
	assert_int_equal(core_step(w.core, ev, w.now, &a, &n), 0);
	assert_true(core_check(w.core));
	for (size_t i = 0; i < n; i++)
		act(&a[i]);
}

static void begin_life(void)
{
	struct core_config cfg = { .sweep = &w.fake.sweep,
				   .epoch = ++w.life,
				   .lease_ms = LEASE_MS,
				   .active = 3 };

	for (int l = 0; l < LANES; l++)
		cfg.most[l] = w.most[l] = (uint32_t)(roll(2) * (1 + roll(2 * SLOTS)));
	assert_int_equal(core_new(&cfg, &w.core), 0);
	fake_add_units(&w.fake, w.core);
	w.npeer = 0;
	memset(w.over, 0, sizeof w.over);
	w.done = w.committing = 0;
	w.queued = w.shadows = 0;
	w.last_seq = 0;
	for (uint32_t i = 0; i < WORKERS; i++)
		w.route[i] = -1;
	happen(TICK, 100)->life = w.life;
	step(&(struct event){ .kind = EVENT_START });
}

static void count(void)
{
	struct core_stats s;

	core_stats(w.core, &s);
	w.stale += s.stale;
	w.orphans += s.orphans;
}

/* kill -9 of the broker: what was not committed never was. */
static void restart(void)
{
	count();
	core_free(&w.core);
	w.restarts++;
	begin_life();
}

static uint32_t peer_of(const struct letter *l)
{
	for (uint32_t i = 0; i < w.npeer; i++)
		if (w.peer_boot[i] == l->boot)
			return i;
	assert_true(w.npeer < PEERS);
	w.peer_worker[w.npeer] = l->worker;
	w.peer_boot[w.npeer] = l->boot;
	return w.npeer++;
}

static void on_hello(const struct letter *l)
{
	struct event ev = { .kind = EVENT_HELLO,
			    .peer = peer_of(l),
			    .held = l->held,
			    .nheld = l->nheld };

	if (w.over[ev.peer])
		return;
	memcpy(ev.slots, l->slots, sizeof ev.slots);
	for (int i = 0; i < LANES; i++)
		w.slots_of[ev.peer][i] = l->slots[i];
	w.route[l->worker] = ev.peer;
	free_hand(ev.peer);
	to_peer(MSG_TAG_WELCOME, ev.peer, 0, 0, view_of(""));
	for (size_t i = 0; i < ev.nheld; i++) {
		shadow_of(ev.held[i].task)->heir = ev.peer;
		shadow_of(ev.held[i].task)->seen = w.now;
	}
	step(&ev);
}

static int holds(uint32_t peer, const struct held *held)
{
	const struct fake_worker *k = &w.worker[w.peer_worker[peer]];

	for (uint32_t n = 0; n < k->n && k->boot == w.peer_boot[peer]; n++)
		if (k->hand[n].task == held->task && k->hand[n].number == held->attempt)
			return 1;
	return 0;
}

static void forget_returned(const struct event *ev)
{
	for (size_t i = 0; i < ev->nheld; i++) {
		struct shadow *s = shadow_of(ev->held[i].task);

		if (s->holder == ev->peer && s->attempt == ev->held[i].attempt)
			s->holder = -1;
	}
}

/* Letters that went astray must not end a second lease of an innocent task, either: one
 * that its worker holds is renewed in time, another comes back. */
static void keep_suspects(void)
{
	for (size_t i = 0; i < w.shadows; i++) {
		struct shadow *s = &w.shadow[i];
		struct held held = { s->task, s->attempt };
		struct event ev = { .kind = EVENT_RETURN, .held = &held, .nheld = 1 };

		if ((s->holder < 0 && s->heir < 0) || !is_suspect(s) ||
		    w.now - s->seen < LEASE_MS / 2)
			continue;
		ev.peer = (uint32_t)(s->holder < 0 ? s->heir : s->holder);
		if (holds(ev.peer, &held))
			ev.kind = EVENT_RENEW;
		else
			forget_returned(&ev);
		s->seen = w.now;
		step(&ev);
	}
}

static void on_letter(const struct letter *l)
{
	struct event ev = { .held = l->held,
			    .nheld = l->nheld,
			    .task = l->task,
			    .attempt = l->attempt,
			    .code = l->code,
			    .text = view_of(l->code ? err_text(l->code) : ""),
			    .output = l->output };
	int64_t peer = w.route[l->worker];

	if (l->tag == MSG_TAG_HELLO) {
		on_hello(l);
		return;
	}
	if (peer < 0 || w.peer_boot[peer] != l->boot) {
		struct letter again = { .tag = MSG_TAG_REJOIN,
					.worker = l->worker,
					.boot = l->boot,
					.epoch = w.life };

		post(TO_WORKER, &again);
		return;
	}
	ev.peer = (uint32_t)peer;
	ev.kind = l->tag == MSG_TAG_RENEW    ? EVENT_RENEW
		  : l->tag == MSG_TAG_RETURN ? EVENT_RETURN
		  : l->tag == MSG_TAG_BYE    ? EVENT_BYE
					     : EVENT_RESULT;
	if (ev.kind == EVENT_RETURN)
		forget_returned(&ev);
	if (ev.kind == EVENT_BYE) {
		free_hand(ev.peer);
		w.over[ev.peer] = 1;
	}
	step(&ev);
}

static void on_death(const struct letter *l)
{
	uint32_t peer = peer_of(l);

	enum event_kind kind = EVENT_LOST;

	w.over[peer] = 1;
	for (size_t i = 0; i < w.shadows; i++) /* as in spare() */
		if (w.shadow[i].holder == peer && is_suspect(&w.shadow[i]))
			kind = EVENT_BYE;
	if (kind == EVENT_BYE)
		free_hand(peer);
	step(&(struct event){ .kind = kind, .peer = peer });
}

/* ---- the workers ----------------------------------------------------------------- */

static void say(uint32_t i, enum msg_tag tag, const struct attempt *a)
{
	struct fake_worker *k = &w.worker[i];
	struct letter l = {
		.tag = tag, .worker = i, .boot = k->boot, .epoch = k->epoch
	};

	l.held = arena_alloc(&w.mem, HANDS, sizeof *l.held);
	for (uint32_t n = 0; n < k->n; n++)
		l.held[l.nheld++] = (struct held){ k->hand[n].task, k->hand[n].number };
	if (!k->draining)
		memcpy(l.slots, k->slots, sizeof l.slots);
	if (a) {
		l.task = a->task;
		l.attempt = a->number;
		l.code = a->code;
		l.output = a->output;
	}
	if (tag == MSG_TAG_HELLO)
		k->welcome = 0;
	post(TO_BROKER, &l);
}

static void be_born(uint32_t i)
{
	struct fake_worker *k = &w.worker[i];

	k->boot = ++w.boots;
	k->alive = 1;
	k->n = 0;
	k->welcome = k->draining = 0;
	k->epoch = k->silent_until = 0;
	for (int l = 0; l < LANES; l++)
		k->slots[l] = 1 + (uint32_t)roll(SLOTS);
	say(i, MSG_TAG_HELLO, NULL);
	happen(RENEW, LEASE_MS / 3)->worker = i;
	w.event[w.n - 1].boot = k->boot;
}

static void leave(uint32_t i)
{
	w.worker[i].alive = 0;
	w.worker[i].boot = 0;
	happen(BORN, 20 + roll(100))->worker = i;
}

static void die(uint32_t i)
{
	struct letter *l = arena_alloc(&w.mem, 1, sizeof *l);
	struct happening *h = happen(DEATH, 20 + roll(30));

	l->boot = w.worker[i].boot;
	l->worker = i;
	h->letter = l;
	h->life = w.life;
	w.kills++;
	leave(i);
}

static struct attempt *attempt_of(struct fake_worker *k, uint64_t task)
{
	for (uint32_t n = 0; n < k->n; n++)
		if (k->hand[n].task == task)
			return &k->hand[n];
	return NULL;
}

static void drop(struct fake_worker *k, struct attempt *a)
{
	*a = k->hand[--k->n];
}

static void take_lease(uint32_t i, const struct letter *l)
{
	struct fake_worker *k = &w.worker[i];
	struct attempt *twin = attempt_of(k, l->task);
	struct happening *h;

	if ((twin && twin->number >= l->attempt) || k->n == HANDS)
		return;
	k->hand[k->n++] = (struct attempt){ .task = l->task,
					    .number = l->attempt,
					    .spec = l->spec };
	h = happen(WORKED, 1 + roll(w.hostile ? 300 : 3));
	h->worker = i;
	h->boot = k->boot;
	h->task = l->task;
	h->attempt = l->attempt;
}

static void send_result(uint32_t i, struct attempt *a)
{
	if (!w.worker[i].welcome)
		return;
	a->sent_ms = w.now;
	say(i, MSG_TAG_RESULT, a);
}

static void worked(const struct happening *h)
{
	struct fake_worker *k = &w.worker[h->worker];
	struct buf out = { 0 };

	for (uint32_t n = 0; n < k->n; n++) {
		struct attempt *a = &k->hand[n];

		if (a->task != h->task || a->number != h->attempt)
			continue;
		if (fake_is_poison(&w.fake, a->spec)) {
			die(h->worker);
			return;
		}
		a->finished = 1;
		a->code = fake_is_flaky(&w.fake, a->spec) && w.flaky++ < 2
				  ? ERR_NOMEM
				  : fake_answer(&w.fake, a->spec, &out);
		a->output = keep(buf_view(&out));
		buf_free(&out);
		send_result(h->worker, a);
		return;
	}
}

static void at_worker(uint32_t i, const struct letter *l)
{
	struct fake_worker *k = &w.worker[i];
	struct attempt *a = attempt_of(k, l->task);

	switch (l->tag) {
	case MSG_TAG_WELCOME:
		k->welcome = 1;
		k->epoch = l->epoch;
		for (uint32_t n = 0; n < k->n; n++)
			if (k->hand[n].finished)
				send_result(i, &k->hand[n]);
		break;
	case MSG_TAG_LEASE: take_lease(i, l); break;
	case MSG_TAG_ACK:
	case MSG_TAG_STALE:
	case MSG_TAG_CANCEL:
		if (a && a->number <= l->attempt)
			drop(k, a);
		break;
	case MSG_TAG_REJOIN:
		if (k->welcome || l->epoch != k->epoch)
			say(i, MSG_TAG_HELLO, NULL);
		break;
	default: fail();
	}
}

static void renew(uint32_t i)
{
	struct fake_worker *k = &w.worker[i];

	happen(RENEW, LEASE_MS / 3)->worker = i;
	w.event[w.n - 1].boot = k->boot;
	if (!k->welcome) {
		say(i, MSG_TAG_HELLO, NULL);
		return;
	}
	say(i, MSG_TAG_RENEW, NULL);
	for (uint32_t n = 0; n < k->n; n++) /* lost on the way, it seems */
		if (k->hand[n].finished && w.now - k->hand[n].sent_ms >= LEASE_MS)
			send_result(i, &k->hand[n]);
}

/* Gives back what has not been started, and perhaps leaves. */
static void drain(uint32_t i)
{
	struct fake_worker *k = &w.worker[i];
	struct fake_worker whole;

	k->draining = roll(2);
	if (k->draining) {
		say(i, MSG_TAG_HELLO, NULL);
		k->welcome = 1;
	}
	whole = *k;
	k->n = 0;
	for (uint32_t n = 0; n < whole.n; n++)
		if (roll(2) && !whole.hand[n].finished) {
			k->hand[k->n++] = whole.hand[n];
			whole.hand[n--] = whole.hand[--whole.n];
		}
	say(i, MSG_TAG_RETURN, NULL);
	memcpy(k->hand, whole.hand, sizeof k->hand);
	k->n = whole.n;
	if (k->draining) {
		say(i, MSG_TAG_BYE, NULL);
		leave(i);
	}
}

/* ---- what goes wrong ------------------------------------------------------------- */

static void chaos(void)
{
	uint32_t i = (uint32_t)roll(w.workers);
	struct fake_worker *k = &w.worker[i];

	switch (roll(8)) {
	case 0:
	case 1:
		if (k->alive && may_suffer(i))
			die(i);
		break;
	case 2:
		if (k->alive && may_suffer(i)) {
			k->silent_until = w.now + roll(3 * LEASE_MS);
			w.silences++;
		}
		break;
	case 3: cut(i); break;
	case 4:
	case 5:
		if (k->alive)
			drain(i);
		break;
	case 6:
		if (w.restarts < RESTARTS)
			restart();
		break;
	default: break; /* nothing, for once */
	}
}

static void at_happening(struct happening *h)
{
	struct fake_worker *k = &w.worker[h->worker];

	if (h->life && h->life != w.life)
		return;
	if ((h->what == RENEW || h->what == WORKED || h->what == TO_WORKER) &&
	    k->silent_until > w.now && k->boot) {
		h->at = k->silent_until + roll(5);
		*happen(h->what, 0) = *h;
		return;
	}
	switch (h->what) {
	case TO_BROKER: on_letter(h->letter); break;
	case TO_WORKER:
		if (k->boot == h->letter->boot)
			at_worker(h->worker, h->letter);
		break;
	case SPARE: {
		struct held held = { h->task, h->attempt };

		h->found.held = &held;
		forget_returned(&h->found);
		step(&h->found);
		break;
	}
	case DEATH: on_death(h->letter); break;
	case READ: read_journal(h); break;
	case FOUND: step(&h->found); break;
	case COMMIT: commit(); break;
	case TICK:
		happen(TICK, 100)->life = w.life;
		keep_suspects();
		step(&(struct event){ .kind = EVENT_TICK });
		break;
	case RENEW:
		if (k->boot == h->boot)
			renew(h->worker);
		break;
	case WORKED:
		if (k->boot == h->boot)
			worked(h);
		break;
	case BORN: be_born(h->worker); break;
	case CHAOS:
		if (w.hostile) {
			happen(CHAOS, 20 + roll(600));
			chaos();
		}
		break;
	}
}

/* ---- histories ------------------------------------------------------------------- */

static void begin_world(uint64_t seed, int hostile)
{
	struct happening *event = w.event;
	size_t cap = w.cap;

	memset(&w, 0, sizeof w);
	w.event = event;
	w.cap = cap;
	rng_init(&w.dice, "fleet", seed, view_of("sim"), 0);
	fake_make(&w.fake);
	w.hostile = hostile;
	w.workers = hostile ? 1 + (uint32_t)roll(WORKERS) : 1;
	for (uint32_t i = 0; i < w.workers; i++)
		happen(BORN, roll(100))->worker = i;
	if (hostile)
		happen(CHAOS, roll(400));
	begin_life();
}

static void end_world(void)
{
	count();
	core_free(&w.core);
	fake_free(&w.fake);
	arena_free(&w.mem);
	all_steps += w.steps;
	all_lost += w.lost;
	all_doubled += w.doubled;
	all_kills += w.kills;
	all_silences += w.silences;
	all_cuts += w.cuts;
	all_restarts += w.restarts;
	all_stale += w.stale;
	all_orphans += w.orphans;
}

static void live(uint64_t seed, int hostile)
{
	struct happening h;

	begin_world(seed, hostile);
	while (!w.done || w.queued) {
		assert_true(next_happening(&h));
		w.now = h.at > w.now ? h.at : w.now;
		if (w.now > HOSTILE_MS)
			w.hostile = 0;
		assert_true(w.now < HOSTILE_MS + CALM_MS); /* it ends */
		at_happening(&h);
	}
	for (uint32_t u = 0; u < FAKE_UNITS; u++) {
		assert_int_equal(w.record[u].n, expected[u].n);
		assert_memory_equal(w.record[u].p, expected[u].p, expected[u].n);
	}
	end_world();
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 10) : otherwise;
}

static void an_undisturbed_fleet_degrades_the_poisoned_question_alone(void **unused)
{
	struct arena a = { 0 };
	uint32_t degraded = 0, ranked = 0;

	(void)unused;
	live(0, 0);
	for (uint32_t u = 0; u < FAKE_UNITS; u++) {
		struct choice c;

		assert_int_equal(choice_decode(buf_view(&expected[u]), &a, &c), 0);
		ranked += c.npass > 0;
		degraded += c.degraded;
		if (u / FAKE_RUNS == 2) {
			assert_true(c.degraded);
			assert_non_null(
				memmem(c.reason.p, c.reason.n, "quarantined", 11));
		}
	}
	assert_int_equal(degraded, 2 * FAKE_RUNS); /* poison; and the wall clock */
	assert_true(ranked >= FAKE_QUESTIONS);
	arena_free(&a);
}

static void a_thousand_shuffled_duplicated_restarted_histories_give_one_choice(
	void **unused)
{
	uint64_t first = number("SEED", 1);
	uint64_t rounds = number("ROUNDS", getenv("SEED") ? 1 : HISTORIES);

	(void)unused;
	for (uint64_t i = 0; i < rounds; i++) {
		if (getenv("VERBOSE"))
			printf("SEED=%" PRIu64 "\n", first + i), fflush(stdout);
		live(first + i, 1);
	}
	printf("SEED=%" PRIu64 ", %" PRIu64 " histories, %" PRIu64 " steps: %" PRIu64
	       " messages lost, %" PRIu64 " doubled, %" PRIu64
	       " workers killed, %" PRIu64 " silent, %" PRIu64
	       " connections cut, %" PRIu64 " broker restarts, %" PRIu64
	       " stale results, %" PRIu64 " orphans\n",
	       first, rounds, all_steps, all_lost, all_doubled, all_kills, all_silences,
	       all_cuts, all_restarts, all_stale, all_orphans);
}

static int free_all(void **unused)
{
	(void)unused;
	for (uint32_t u = 0; u < FAKE_UNITS; u++)
		buf_free(&expected[u]);
	free(w.event);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_undisturbed_fleet_degrades_the_poisoned_question_alone),
		cmocka_unit_test(
			a_thousand_shuffled_duplicated_restarted_histories_give_one_choice),
	};

	return cmocka_run_group_tests(tests, NULL, free_all);
}
