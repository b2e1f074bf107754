/* broker.c - see broker.h
 *
 * One turn of the loop: frames come in (on_frame) and become events; each event's
 * actions are done (perform); at the end of the turn (on_turn) what was gathered goes
 * out: writes to the journal thread, one LEASE a worker. Acknowledgements wait for
 * their batch.
 */
#include "broker/broker.h"

#include "broker/crew.h"
#include "broker/journal.h"
#include "broker/registry.h"
#include "common/base/clock.h"
#include "common/base/crash.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "common/io/zsock.h"
#include "proto/msg.h"
#include "proto/settings.h"
#include "proto/usage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	LEASE_MS = 30000,
	GRACE_MS = 10000,
	TICK_MS = 100,
	PROGRESS_MS = 250,
	BACKLOG = 4096,     /* frames queued for one worker, as a backstop */
	COPIES = 256 << 20, /* bytes of planners' texts kept in memory */
	OUTBOX = 256 << 20, /* bytes waiting for a worker that does not read */
	HELD = 1 << 16,     /* longest list of attempts in one message */
	SLOTS = 1 << 16,    /* most that a worker may offer in one lane */
};

/* Frames that a worker's queue had no room for. */
struct parcel {
	struct parcel *next;
	size_t n;
	char bytes[];
};

struct peer {
	struct zpeer id;
	uint64_t boot;
	char name[96]; /* host:pid */
	int pid;       /* of ours; 0: another machine's */
	int gone;
	int over;          /* it has died or said BYE: that boot does not come back */
	struct buf leases; /* items of this turn's LEASE */
	uint32_t nlease;
	struct parcel *outbox, **outbox_end;
	size_t outbox_bytes;
};

struct ack { /* waits for its batch */
	uint32_t peer;
	uint64_t task;
	uint32_t attempt;
};

struct acks {
	size_t n, cap;
	struct ack at[];
};

struct lookup { /* what a planner wanted, until the journal has answered */
	uint32_t number;
	size_t nblob;
	struct hash blob[];
};

struct broker {
	struct broker_config cfg;
	uv_loop_t loop;
	uv_timer_t tick;
	uv_signal_t on_int, on_term;
	struct zsock *sock;
	struct core *core;
	struct journal *journal;
	struct registry *registry;
	struct crew *crew;
	struct peer *peer;
	uint32_t npeer;
	struct acks *acks;
	struct buf frame; /* being encoded */
	struct buf settings;
	uint64_t epoch, boot, seq, started_ms, progress_ms, stop_ms;
	uint32_t phase;
	struct broker_progress progress;
	struct err failure; /* code 0: none */
	int pause; /* ERR_LIMIT, ERR_REFUSED, ...: why nothing is leased any more */
	int done, interrupted, ending, open;
	struct lookup *answering;
	uint64_t bad_frames;
};

static void step(struct broker *b, const struct event *ev);
static void end(struct broker *b);

/* The first reason counts. Nothing is written any more after a failed journal. */
static void fail(struct broker *b, const struct err *e)
{
	if (!b->failure.code)
		b->failure = *e;
	end(b);
}

static void out_of_memory(struct broker *b)
{
	struct err e;

	err_set(&e, ERR_NOMEM, "out of memory");
	fail(b, &e);
}

/* ---- sending --------------------------------------------------------------------- */

static void post(struct broker *b, struct peer *p, struct view frame)
{
	struct parcel *k;

	if (p->outbox_bytes + frame.n > OUTBOX) {
		log_warn("worker does not read", "worker=%s", p->name);
		p->gone = 1;
		return;
	}
	k = mem_alloc(1, sizeof *k + frame.n);
	if (!k) {
		out_of_memory(b);
		return;
	}
	k->n = frame.n;
	memcpy(k->bytes, frame.p, frame.n);
	*p->outbox_end = k;
	p->outbox_end = &k->next;
	p->outbox_bytes += frame.n;
}

static void send_frame(struct broker *b, struct peer *p, struct view frame)
{
	int rc = p->outbox ? ERR_LIMIT : zsock_send(b->sock, p->id, frame);

	if (rc == ERR_LIMIT)
		post(b, p, frame);
	else if (rc)
		p->gone = 1; /* its leases run out, or it says HELLO again */
}

static void flush_outbox(struct broker *b, struct peer *p)
{
	while (p->outbox) {
		struct parcel *k = p->outbox;

		if (zsock_send(b->sock, p->id, (struct view){ k->bytes, k->n }) ==
		    ERR_LIMIT)
			return;
		p->outbox = k->next;
		p->outbox_bytes -= k->n;
		mem_free(k);
	}
	p->outbox_end = &p->outbox;
}

static void send_msg(struct broker *b, struct peer *p, const struct msg *m)
{
	struct err e;

	buf_clear(&b->frame);
	if (msg_encode(m, &b->frame, &e))
		fail(b, &e);
	else
		send_frame(b, p, buf_view(&b->frame));
}

/* A message with one attempt, or several: ACK, CANCEL, STALE. */
static void send_tasks(struct broker *b, uint32_t peer, enum msg_tag tag,
		       const struct ack *at, size_t n)
{
	struct buf list = { 0 };
	struct msg m = { .tag = tag };

	pack_array(&list, n);
	for (size_t i = 0; i < n; i++) {
		pack_array(&list, 2);
		pack_u64(&list, at[i].task);
		pack_u64(&list, at[i].attempt);
	}
	m.ack.epoch = b->epoch; /* the three have the same fields */
	m.ack.tasks = buf_view(&list);
	send_msg(b, &b->peer[peer], &m);
	buf_free(&list);
}

/* ---- what workers fetch ---------------------------------------------------------- */

/* Texts of one task alone travel with its lease. */
static size_t inline_blobs(enum kind kind, struct cursor fields, struct hash ret[2])
{
	size_t n = kind == KIND_exec ? 1
		   : kind == KIND_equal || kind == KIND_match || kind == KIND_mbr ||
				   kind == KIND_softf1
			   ? 2
			   : 0;

	if (!n)
		return 0;
	cur_hash(&fields); /* env and database are fetched once and kept */
	cur_hash(&fields);
	for (size_t i = 0; i < n; i++)
		ret[i] = cur_hash(&fields);
	return n;
}

static void pack_inline(struct broker *b, struct view spec, struct buf *to)
{
	struct hash h[2];
	struct cursor fields;
	enum kind kind = spec_open(spec, &fields);
	size_t n = inline_blobs(kind, fields, h), there = 0;

	for (size_t i = 0; i < n; i++)
		there += registry_get(b->registry, &h[i]) != NULL;
	pack_array(to, there);
	for (size_t i = 0; i < n; i++) {
		struct known *k = registry_get(b->registry, &h[i]);

		if (k)
			pack_bin(to, k->bytes);
	}
}

static void gather_lease(struct broker *b, const struct action *a)
{
	struct peer *p = &b->peer[a->peer];

	pack_array(&p->leases, 6);
	pack_u64(&p->leases, a->task);
	pack_u64(&p->leases, a->attempt);
	pack_u64(&p->leases, a->task_kind);
	pack_bin(&p->leases, a->spec);
	pack_inline(b, a->spec, &p->leases);
	pack_u64(&p->leases, b->cfg.sweep->sql_timeout_ms);
	p->nlease++;
}

static void flush_leases(struct broker *b, struct peer *p)
{
	struct buf list = { 0 };
	struct msg m = { .tag = MSG_TAG_LEASE };

	pack_array(&list, p->nlease);
	buf_add(&list, p->leases.p, p->leases.n);
	m.lease.epoch = b->epoch;
	m.lease.leases = buf_view(&list);
	send_msg(b, p, &m);
	buf_free(&list);
	buf_clear(&p->leases);
	p->nlease = 0;
	crash_at(CRASH_broker_lease);
}

static void send_blob(struct broker *b, struct peer *p, const struct msg *ask,
		      uint64_t size, const char *path, struct view bytes)
{
	struct msg m = { .tag = MSG_TAG_BLOB };

	m.blob.epoch = b->epoch;
	m.blob.hash = ask->fetch.hash;
	m.blob.found = 1;
	m.blob.size = size;
	m.blob.path = path ? view_of(path) : (struct view){ "", 0 };
	m.blob.offset = ask->fetch.offset;
	m.blob.bytes = bytes;
	send_msg(b, p, &m);
}

static struct view slice(struct view v, uint64_t offset, uint32_t most)
{
	if (offset >= v.n)
		return (struct view){ "", 0 };
	v.p += offset;
	v.n -= (size_t)offset;
	if (v.n > most)
		v.n = most;
	return v;
}

static void send_file(struct broker *b, struct peer *p, const struct msg *ask,
		      const struct known *k, uint32_t most)
{
	char *chunk = mem_alloc(most + 1, 1);
	int fd = open(k->path, O_RDONLY | O_CLOEXEC);
	ssize_t n = chunk && fd >= 0 ? pread(fd, chunk, most, (off_t)ask->fetch.offset)
				     : -1;

	if (n >= 0)
		send_blob(b, p, ask, k->size, k->path,
			  (struct view){ chunk, (size_t)n });
	else
		log_warn("cannot read", "file=%s", k->path);
	if (fd >= 0)
		close(fd);
	mem_free(chunk);
}

static void send_journaled(struct broker *b, struct peer *p, const struct msg *ask,
			   const struct hash *h, uint32_t most)
{
	struct msg none = { .tag = MSG_TAG_BLOB };
	char *bytes;
	size_t n;

	if (journal_blob(b->journal, h, &bytes, &n)) {
		struct view all = { bytes, n };

		send_blob(b, p, ask, n, NULL, slice(all, ask->fetch.offset, most));
		mem_free(bytes);
		return;
	}
	none.blob.epoch = b->epoch;
	none.blob.hash = ask->fetch.hash;
	send_msg(b, p, &none);
}

static void on_fetch(struct broker *b, struct peer *p, const struct msg *m)
{
	uint32_t most = m->fetch.most < MSG_CHUNK ? m->fetch.most : MSG_CHUNK;
	struct known *k;
	struct hash h;

	if (m->fetch.hash.n != HASH_BYTES)
		return;
	memcpy(h.b, m->fetch.hash.p, HASH_BYTES);
	k = registry_get(b->registry, &h);
	if (!k)
		send_journaled(b, p, m, &h, most);
	else if (k->path && most)
		send_file(b, p, m, k, most);
	else
		send_blob(b, p, m, k->size, k->path,
			  slice(k->bytes, m->fetch.offset, most));
}

/* ---- actions --------------------------------------------------------------------- */

static void look_up(struct broker *b, const struct action *a)
{
	struct lookup *l = mem_alloc(1, sizeof *l + a->nblob * sizeof *l->blob);

	if (!l) {
		out_of_memory(b);
		return;
	}
	l->number = a->lookup;
	l->nblob = a->nblob;
	for (size_t i = 0; i < a->nblob; i++) {
		l->blob[i] = a->blob[i].hash;
		if (registry_add(b->registry, &a->blob[i].hash, a->blob[i].bytes,
				 a->blob[i].copy))
			out_of_memory(b);
	}
	journal_look_up(b->journal, &a->key, a->lookup, l);
}

/* The blobs of a new task that are not in the journal yet. */
static size_t new_blobs(struct broker *b, struct blob *ret, size_t most)
{
	struct lookup *l = b->answering;
	size_t n = 0;

	for (size_t i = 0; l && i < l->nblob && n < most; i++) {
		struct known *k = registry_get(b->registry, &l->blob[i]);

		if (!k || k->journaled || k->path)
			continue;
		k->journaled = 1;
		ret[n++] = (struct blob){ l->blob[i], k->bytes, 0 };
	}
	return n;
}

static void count_call(struct broker *b, struct view bytes, int wasted)
{
	struct call call;

	if (call_decode(bytes, &call, NULL))
		return;
	if (wasted || !call.useful) {
		b->progress.wasted_calls++;
		return;
	}
	b->progress.calls++;
	b->progress.prompt_tokens += call.usage.prompt;
	b->progress.completion_tokens += call.usage.completion;
	b->progress.cached_tokens += call.usage.cached;
}

/* What is written is counted, so that a result that comes twice counts once. */
static void count_fact(struct broker *b, const struct action *a)
{
	int output = a->kind == ACTION_OUTPUT || a->kind == ACTION_ORPHAN;

	b->progress.tasks += (uint64_t)output;
	b->progress.timeouts += a->kind == ACTION_FAILURE && a->code == ERR_TIMEOUT;
	for (size_t i = 0; i < a->ncall; i++)
		count_call(b, a->call[i], !output);
}

static void write_fact(struct broker *b, const struct action *a)
{
	struct blob blob[64];
	size_t n = a->kind == ACTION_TASK ? new_blobs(b, blob, 64) : 0;
	struct view worker = a->kind == ACTION_TASK || a->peer >= b->npeer
				     ? (struct view){ "", 0 }
				     : view_of(b->peer[a->peer].name);

	journal_write(b->journal, a, worker, blob, n);
	count_fact(b, a);
	b->seq = a->seq;
	/* Others will fetch a profile by its task's key, maybe before it is on disk. */
	if (a->kind == ACTION_OUTPUT &&
	    (a->task_kind == KIND_profile || a->task_kind == KIND_embed)) {
		struct hash key = task_key(a->spec);

		if (registry_add(b->registry, &key, a->output, 1))
			out_of_memory(b);
	}
}

static void keep_ack(struct broker *b, const struct action *a)
{
	struct acks *k = b->acks;
	size_t cap = k ? k->cap : 0;

	if (!k || k->n == cap) {
		cap = cap ? cap * 2 : 64;
		k = mem_resize(k, 1, sizeof *k + cap * sizeof *k->at);
		if (!k) {
			out_of_memory(b);
			return;
		}
		if (!b->acks)
			k->n = 0;
		k->cap = cap;
		b->acks = k;
	}
	k->at[k->n++] = (struct ack){ a->peer, a->task, a->attempt };
}

static void tell_record(struct broker *b, const struct action *a)
{
	if (b->cfg.on_record)
		b->cfg.on_record(b->cfg.arg, a->unit, a->record);
}

static void record(struct broker *b, const struct action *a)
{
	crash_at(CRASH_broker_record);
	write_fact(b, a);
	tell_record(b, a);
}

static void rejoin(struct broker *b, uint32_t peer)
{
	struct msg m = { .tag = MSG_TAG_REJOIN };

	m.rejoin.epoch = b->epoch;
	if (peer < b->npeer)
		send_msg(b, &b->peer[peer], &m);
}

static void perform(struct broker *b, const struct action *a)
{
	struct ack one = { a->peer, a->task, a->attempt };

	switch (a->kind) {
	case ACTION_LOOKUP: look_up(b, a); break;
	case ACTION_TASK:
	case ACTION_ROLE:
	case ACTION_OUTPUT:
	case ACTION_FAILURE:
	case ACTION_CALLS:
	case ACTION_ORPHAN: write_fact(b, a); break;
	case ACTION_RECORD: record(b, a); break;
	case ACTION_DRAFT: tell_record(b, a); break;
	case ACTION_LEASE: gather_lease(b, a); break;
	case ACTION_ACK: keep_ack(b, a); break;
	case ACTION_STALE: send_tasks(b, a->peer, MSG_TAG_STALE, &one, 1); break;
	case ACTION_CANCEL: send_tasks(b, a->peer, MSG_TAG_CANCEL, &one, 1); break;
	case ACTION_REJOIN: rejoin(b, a->peer); break;
	case ACTION_DONE: b->done = 1; break;
	}
}

static void step(struct broker *b, const struct event *ev)
{
	const struct action *a;
	size_t n;

	if (b->failure.code || b->ending) /* nothing is written or asked any more */
		return;
	if (core_step(b->core, ev, clock_ms(), &a, &n)) {
		out_of_memory(b);
		return;
	}
	for (size_t i = 0; i < n; i++)
		perform(b, &a[i]);
}

/* ---- the journal answers --------------------------------------------------------- */

static void on_found(void *arg, const struct event *found, void *note)
{
	struct broker *b = arg;

	b->answering = note;
	step(b, found);
	b->answering = NULL;
	mem_free(note);
}

static int by_peer(const void *a, const void *b)
{
	const struct ack *x = a, *y = b;

	return (x->peer > y->peer) - (x->peer < y->peer);
}

static void on_committed(void *arg, uint64_t seq, void *note)
{
	struct broker *b = arg;
	struct acks *k = note;
	struct event ev = { .kind = EVENT_COMMITTED, .seq = seq };

	if (k) {
		qsort(k->at, k->n, sizeof *k->at, by_peer);
		for (size_t i = 0, j; i < k->n; i = j) {
			for (j = i + 1; j < k->n && k->at[j].peer == k->at[i].peer;)
				j++;
			send_tasks(b, k->at[i].peer, MSG_TAG_ACK, &k->at[i], j - i);
		}
		mem_free(k);
	}
	if (seq)
		step(b, &ev);
}

static void on_journal_failed(void *arg, const struct err *e)
{
	fail(arg, e);
}

/* ---- frames come in -------------------------------------------------------------- */

static struct peer *peer_by_id(struct broker *b, struct zpeer id)
{
	for (uint32_t i = 0; i < b->npeer; i++)
		if (b->peer[i].id.n == id.n && memcmp(b->peer[i].id.b, id.b, id.n) == 0)
			return &b->peer[i];
	return NULL;
}

static struct peer *peer_by_boot(struct broker *b, uint64_t boot)
{
	for (uint32_t i = 0; i < b->npeer; i++)
		if (b->peer[i].boot == boot)
			return &b->peer[i];
	return NULL;
}

static struct peer *peer_new(struct broker *b)
{
	struct peer *p = mem_resize(b->peer, b->npeer + 1, sizeof *p);

	if (!p)
		return NULL;
	b->peer = p;
	for (uint32_t i = 0; i < b->npeer; i++) /* the array has moved */
		if (!p[i].outbox)
			p[i].outbox_end = &p[i].outbox;
	p += b->npeer++;
	memset(p, 0, sizeof *p);
	p->outbox_end = &p->outbox;
	return p;
}

static uint32_t number_of(const struct broker *b, const struct peer *p)
{
	return (uint32_t)(p - b->peer);
}

static int read_held(struct view list, struct held **ret, size_t *ret_n)
{
	struct cursor c = cur_of(list);
	size_t n = cur_array(&c);
	struct held *h = n <= HELD ? mem_alloc(n + 1, sizeof *h) : NULL;

	for (size_t i = 0; h && i < n; i++) {
		cur_array_of(&c, 2);
		h[i].task = cur_u64(&c);
		h[i].attempt = cur_u32(&c);
	}
	if (!h || !cur_done(&c)) {
		mem_free(h);
		return 0;
	}
	*ret = h;
	*ret_n = n;
	return 1;
}

static void refuse(struct broker *b, struct zpeer from, const char *reason)
{
	struct msg m = { .tag = MSG_TAG_REFUSED };

	b->bad_frames++;
	log_warn("bad message", "reason=\"%s\" count=%" PRIu64, reason, b->bad_frames);
	m.refused.epoch = b->epoch;
	m.refused.reason = view_of(reason);
	buf_clear(&b->frame);
	if (!msg_encode(&m, &b->frame, NULL))
		zsock_send(b->sock, from, buf_view(&b->frame));
}

static void welcome(struct broker *b, struct peer *p)
{
	struct msg m = { .tag = MSG_TAG_WELCOME };

	m.welcome.version = PROTO_VERSION;
	m.welcome.epoch = b->epoch;
	m.welcome.boot = b->boot;
	m.welcome.lease_ms = b->cfg.lease_ms;
	m.welcome.largest = MSG_LARGEST;
	m.welcome.settings = buf_view(&b->settings);
	send_msg(b, p, &m);
}

static int read_slots(struct view list, uint32_t slots[LANES])
{
	struct cursor c = cur_of(list);

	cur_array_of(&c, LANES);
	for (int l = 0; l < LANES; l++) {
		slots[l] = cur_u32(&c);
		if (slots[l] > SLOTS)
			return 0;
	}
	return cur_done(&c);
}

static void on_hello(struct broker *b, struct zpeer from, const struct msg *m)
{
	struct event ev = { .kind = EVENT_HELLO };
	struct peer *p = peer_by_boot(b, m->hello.boot);
	struct held *held;

	if (m->hello.version != PROTO_VERSION) {
		refuse(b, from,
		       "HELLO.version: this broker speaks another one; use the same "
		       "mapfleet on both sides");
		return;
	}
	if (!read_slots(m->hello.slots, ev.slots) ||
	    !read_held(m->hello.held, &held, &ev.nheld)) {
		refuse(b, from, "HELLO: slots or held are malformed");
		return;
	}
	if (p && p->over) { /* written before it died, read after */
		mem_free(held);
		return;
	}
	if (!p)
		p = peer_new(b);
	if (!p) {
		mem_free(held);
		out_of_memory(b);
		return;
	}
	p->id = from;
	p->boot = m->hello.boot;
	p->gone = 0;
	snprintf(p->name, sizeof p->name, "%.*s", (int)m->hello.worker.n,
		 m->hello.worker.p);
	p->pid = strrchr(p->name, ':') ? atoi(strrchr(p->name, ':') + 1) : 0;
	log_info("hello", "worker=%s held=%zu", p->name, ev.nheld);
	welcome(b, p);
	ev.peer = number_of(b, p);
	ev.held = held;
	step(b, &ev);
	mem_free(held);
}

/* A limit of the user's: as an exhausted quota, it pauses the sweep. */
static void mind_limits(struct broker *b)
{
	const struct sweep *s = b->cfg.sweep;
	const struct broker_progress *p = &b->progress;
	uint64_t tokens = p->prompt_tokens + p->completion_tokens;
	double cost = ((double)p->prompt_tokens * s->price_prompt +
		       (double)p->completion_tokens * s->price_completion) /
		      1e6;
	const char *which = NULL;

	if (s->token_limit && tokens >= s->token_limit)
		which = "token";
	if (s->call_limit && p->calls >= s->call_limit)
		which = "call";
	if (s->cost_limit > 0 && cost >= s->cost_limit)
		which = "cost";
	if (b->pause || !which)
		return;
	b->pause = ERR_LIMIT;
	err_set(&b->failure, 0,
		"--%s-limit is reached (%llu calls, %llu tokens): what was paid is "
		"kept, run the same command again to go on",
		which, (unsigned long long)p->calls, (unsigned long long)tokens);
	step(b, &(struct event){ .kind = EVENT_STOP });
}

static void one_result(struct broker *b, struct peer *p, struct cursor *c)
{
	struct event ev = { .kind = EVENT_RESULT, .peer = number_of(b, p) };
	struct view call[CALLS_MAX], calls;
	struct cursor list;

	cur_array_of(c, 7);
	ev.task = cur_u64(c);
	ev.attempt = cur_u32(c);
	ev.code = (int)cur_u32(c);
	ev.text = cur_str(c);
	ev.output = cur_bin(c);
	calls = cur_any(c);
	ev.spent_us = cur_u64(c);
	if (c->bad)
		return;
	list = cur_of(calls);
	ev.ncall = cur_array(&list);
	list.bad |= ev.ncall > CALLS_MAX;
	for (size_t i = 0; i < ev.ncall && !list.bad; i++)
		call[i] = cur_any(&list);
	ev.call = call;
	if (!cur_done(&list)) {
		c->bad = 1;
		return;
	}
	crash_at(CRASH_broker_result);
	if ((ev.code == ERR_LIMIT || ev.code == ERR_REFUSED ||
	     ev.code == ERR_SANDBOX) &&
	    !b->pause) {
		b->pause = ev.code;
		err_set(&b->failure, 0, "%.*s", (int)ev.text.n, ev.text.p);
	}
	step(b, &ev);
	if (ev.code == ERR_NET && !b->pause && core_unreachable(b->core)) {
		b->pause = ERR_NET;
		err_set(&b->failure, 0,
			"the model's server does not answer: %.*s; run the same "
			"command again when it does",
			(int)ev.text.n, ev.text.p);
	}
	mind_limits(b);
}

static void on_result(struct broker *b, struct peer *p, const struct msg *m)
{
	struct cursor c = cur_of(m->result.results);
	size_t n = cur_array(&c);

	for (size_t i = 0; i < n && !c.bad; i++)
		one_result(b, p, &c);
	if (!cur_done(&c))
		refuse(b, p->id, "RESULT.results is malformed");
}

static void on_held(struct broker *b, struct peer *p, enum event_kind kind,
		    struct view list)
{
	struct event ev = { .kind = kind, .peer = number_of(b, p) };
	struct held *held;

	if (!read_held(list, &held, &ev.nheld)) {
		refuse(b, p->id, "a list of attempts is malformed");
		return;
	}
	ev.held = held;
	step(b, &ev);
	mem_free(held);
}

static void on_ping(struct broker *b, struct peer *p, const struct msg *m)
{
	struct msg pong = { .tag = MSG_TAG_PONG };

	pong.pong.epoch = b->epoch;
	pong.pong.nonce = m->ping.nonce;
	send_msg(b, p, &pong);
}

static void on_bye(struct broker *b, struct peer *p)
{
	step(b, &(struct event){ .kind = EVENT_BYE, .peer = number_of(b, p) });
	p->gone = p->over = 1;
}

static void tell_unknown(struct broker *b, struct zpeer from)
{
	struct msg m = { .tag = MSG_TAG_REJOIN };

	m.rejoin.epoch = b->epoch;
	buf_clear(&b->frame);
	if (!msg_encode(&m, &b->frame, NULL))
		zsock_send(b->sock, from, buf_view(&b->frame));
}

static void on_message(struct broker *b, struct zpeer from, const struct msg *m)
{
	struct peer *p = peer_by_id(b, from);

	if (m->tag == MSG_TAG_HELLO) {
		on_hello(b, from, m);
		return;
	}
	if (!p) {
		tell_unknown(b, from);
		return;
	}
	switch (m->tag) {
	case MSG_TAG_RENEW: on_held(b, p, EVENT_RENEW, m->renew.tasks); break;
	case MSG_TAG_RETURN: on_held(b, p, EVENT_RETURN, m->give_back.tasks); break;
	case MSG_TAG_RESULT: on_result(b, p, m); break;
	case MSG_TAG_PING: on_ping(b, p, m); break;
	case MSG_TAG_PONG: break;
	case MSG_TAG_BYE: on_bye(b, p); break;
	case MSG_TAG_FETCH: on_fetch(b, p, m); break;
	default: refuse(b, from, "a worker does not send this message"); break;
	}
}

static void on_frame(void *arg, struct zpeer from, struct view frame)
{
	struct broker *b = arg;
	struct msg m;
	struct err e;

	if (b->ending)
		return;
	if (msg_decode(frame, &m, &e))
		refuse(b, from, e.text);
	else
		on_message(b, from, &m);
}

/* ---- turns and ticks ------------------------------------------------------------- */

static void next_phase(struct broker *b)
{
	struct err e = { 0 };
	int rc = b->cfg.phase(b->cfg.arg, b->phase++, b->core, &e);

	b->done = 0;
	if (rc < 0) {
		e.code = -rc;
		fail(b, &e);
	} else if (rc == 0) {
		end(b);
	} else {
		step(b, &(struct event){ .kind = EVENT_START });
	}
}

static void on_turn(void *arg)
{
	struct broker *b = arg;

	if (b->ending)
		return;
	journal_flush(b->journal, b->seq, b->acks);
	b->acks = NULL;
	for (uint32_t i = 0; i < b->npeer; i++) {
		struct peer *p = &b->peer[i];

		if (p->nlease)
			flush_leases(b, p);
		if (p->outbox)
			flush_outbox(b, p);
	}
}

static void report(struct broker *b)
{
	struct broker_progress *p = &b->progress;
	struct core_stats s;

	if (!b->core)
		return;
	core_stats(b->core, &s);
	p->units = s.units;
	p->units_done = s.units_done;
	p->found = s.found;
	p->failures = s.failures;
	p->deaths = s.deaths;
	p->quarantined = s.quarantined;
	p->workers = s.peers;
	p->waiting = s.waiting;
	p->ready = p->leased = 0;
	for (int l = 0; l < LANES; l++) {
		p->ready += s.ready[l];
		p->leased += s.leased[l];
	}
	p->elapsed_ms = clock_ms() - b->started_ms;
	p->paused = b->pause || b->interrupted;
	if (b->cfg.on_progress)
		b->cfg.on_progress(b->cfg.arg, p);
	b->progress_ms = clock_ms();
}

/* Stopping: what is in hand may finish, for a while. */
static void mind_stop(struct broker *b)
{
	if (!b->pause && !b->interrupted)
		return;
	if (!b->stop_ms)
		b->stop_ms = clock_ms() + b->cfg.grace_ms;
	report(b);
	if (b->progress.leased == 0 || clock_ms() >= b->stop_ms)
		end(b);
}

static void on_tick(uv_timer_t *t)
{
	struct broker *b = t->data;

	step(b, &(struct event){ .kind = EVENT_TICK });
	if (clock_ms() - b->progress_ms >= PROGRESS_MS)
		report(b);
	mind_stop(b);
	/* Whoever started us is gone: nobody will read the results, and the next
	 * command waits for the directory. */
	if (b->cfg.parent && getppid() != b->cfg.parent)
		end(b);
}

/* Records are on disk before the next phase begins: it may read them. */
static void on_idle_turn(struct broker *b)
{
	struct journal_stats s;

	if (!b->done || b->ending)
		return;
	journal_stats(b->journal, &s);
	if (s.waiting == 0)
		next_phase(b);
}

static void on_signal(uv_signal_t *h, int number)
{
	struct broker *b = h->data;

	if (b->interrupted) {
		end(b);
		return;
	}
	b->interrupted = number;
	step(b, &(struct event){ .kind = EVENT_STOP });
}

static void on_worker_exit(void *arg, int pid, int died, int gave_up)
{
	struct broker *b = arg;
	struct err e;

	for (uint32_t i = 0; i < b->npeer && !b->ending; i++)
		if (b->peer[i].pid == pid && died) {
			log_warn("worker died", "worker=%s", b->peer[i].name);
			b->peer[i].over = 1;
			step(b, &(struct event){ .kind = EVENT_LOST, .peer = i });
		}
	if (gave_up && !b->ending) {
		err_set(&e, ERR_SANDBOX,
			"workers die as soon as they start; run `mapfleet "
			"doctor`, and the same command with --verbose");
		fail(b, &e);
	}
}

/* ---- beginning and end ----------------------------------------------------------- */

static void on_part_closed(void *arg)
{
	struct broker *b = arg;

	b->open--;
}

static void on_handle_closed(uv_handle_t *h)
{
	on_part_closed(h->data);
}

static void on_journal_closed(void *arg)
{
	struct broker *b = arg;

	b->journal = NULL;
}

/* What the command spent: facts for run.json. */
static void write_finish(struct broker *b)
{
	const struct broker_progress *p = &b->progress;
	int code = b->interrupted
			   ? 130
			   : err_exit(b->failure.code ? b->failure.code : b->pause);
	char spent[400];

	snprintf(spent, sizeof spent,
		 "{\"tasks\":%" PRIu64 ",\"calls\":%" PRIu64
		 ",\"wasted_calls\":%" PRIu64 ",\"prompt_tokens\":%" PRIu64
		 ",\"completion_tokens\":%" PRIu64 ",\"cached_tokens\":%" PRIu64
		 ",\"wall_s\":%.3f,\"timeouts\":%" PRIu64 ",\"found\":%" PRIu64 "}",
		 p->tasks, p->calls, p->wasted_calls, p->prompt_tokens,
		 p->completion_tokens, p->cached_tokens, (double)p->elapsed_ms / 1000,
		 p->timeouts, p->found);
	journal_flush(b->journal, b->seq, b->acks);
	b->acks = NULL;
	journal_finish(b->journal, code, spent);
}

static void end(struct broker *b)
{
	if (b->ending)
		return;
	report(b);
	b->ending = 1;
	write_finish(b);
	journal_close(b->journal, on_journal_closed);
	if (b->crew)
		crew_stop(b->crew, SIGTERM);
}

static void name_texts(struct broker *b)
{
	const struct sweep *s = b->cfg.sweep;
	int bad = registry_add(b->registry, &s->env_hash, s->env, 0);

	for (uint32_t i = 0; i < s->ndb; i++)
		bad |= registry_add_file(b->registry, &s->db[i].hash, s->db[i].path,
					 s->db[i].bytes);
	if (s->bank.path)
		bad |= registry_add_file(b->registry, &s->bank.hash, s->bank.path, 0);
	if (bad)
		out_of_memory(b);
}

static void encode_settings(struct broker *b)
{
	const struct sweep *s = b->cfg.sweep;
	const struct settings v = {
		.sql_timeout_ms = s->sql_timeout_ms,
		.llm = { s->model.base_urls, s->model.api_key_env, s->model.headers },
		.reward = { s->reward.base_urls, s->reward.api_key_env,
			    s->reward.headers },
		.embed = { s->embed.base_urls, s->embed.api_key_env, s->embed.headers },
		.max_connections = s->max_connections,
		.max_retries = s->max_retries,
		.timeout_ms = s->timeout_ms,
	};

	settings_encode(&v, &b->settings);
}

static void start_handles(struct broker *b)
{
	uv_timer_init(&b->loop, &b->tick);
	uv_signal_init(&b->loop, &b->on_int);
	uv_signal_init(&b->loop, &b->on_term);
	b->tick.data = b->on_int.data = b->on_term.data = b;
	uv_timer_start(&b->tick, on_tick, TICK_MS, TICK_MS);
	uv_signal_start(&b->on_int, on_signal, SIGINT);
	uv_signal_start(&b->on_term, on_signal, SIGTERM);
}

static int open_parts(struct broker *b, struct broker_result *ret, struct err *e)
{
	struct journal_config jc = { .path = b->cfg.sweep->journal,
				     .sweep = b->cfg.sweep,
				     .on_committed = on_committed,
				     .on_failed = on_journal_failed,
				     .on_found = on_found,
				     .arg = b };
	struct zsock_config zc = { .router = 1,
				   .address = b->cfg.address,
				   .largest = MSG_LARGEST,
				   .backlog = BACKLOG,
				   .on_frame = on_frame,
				   .on_turn = on_turn,
				   .arg = b };
	struct core_config cc = { .sweep = b->cfg.sweep,
				  .lease_ms = b->cfg.lease_ms,
				  .most[LANE_MODEL] = b->cfg.sweep->max_connections };
	int rc = journal_open(&b->loop, &jc, &b->journal, &ret->sweep, &b->epoch, e);

	if (rc)
		return rc;
	crash_at(CRASH_broker_start);
	ret->epoch = cc.epoch = b->epoch;
	if (core_new(&cc, &b->core) || registry_new(COPIES, &b->registry))
		return err_set(e, ERR_NOMEM, "out of memory");
	name_texts(b);
	encode_settings(b);
	rc = zsock_open(&b->loop, &zc, &b->sock, e);
	if (rc)
		return rc;
	b->open++;
	if (b->cfg.worker_argv && b->cfg.workers)
		rc = crew_start(&b->loop, b->cfg.worker_argv, b->cfg.workers,
				on_worker_exit, b, &b->crew, e);
	return rc;
}

/* Runs the loop until the journal is closed and our workers are gone. Once it is closed
 * nothing that they hold can be kept: a second SIGTERM makes them drop it. */
static void play(struct broker *b)
{
	uint64_t kill_ms = 0, hurry_ms = 0;

	while (!b->ending || b->journal || (b->crew && crew_alive(b->crew))) {
		uv_run(&b->loop, UV_RUN_ONCE);
		on_idle_turn(b);
		if (!b->ending)
			continue;
		if (!kill_ms)
			kill_ms = clock_ms() + b->cfg.grace_ms;
		if (b->crew && clock_ms() > kill_ms) {
			crew_stop(b->crew, SIGKILL);
		} else if (b->crew && !b->journal && clock_ms() > hurry_ms) {
			crew_stop(b->crew, SIGTERM);
			hurry_ms = clock_ms() + TICK_MS;
		}
	}
}

static void close_handles(struct broker *b)
{
	if (b->sock)
		zsock_close(b->sock, 100, on_part_closed);
	b->open += 3;
	uv_close((uv_handle_t *)&b->tick, on_handle_closed);
	uv_close((uv_handle_t *)&b->on_int, on_handle_closed);
	uv_close((uv_handle_t *)&b->on_term, on_handle_closed);
	while (uv_run(&b->loop, UV_RUN_DEFAULT))
		;
}

static void free_peers(struct broker *b)
{
	for (uint32_t i = 0; i < b->npeer; i++) {
		while (b->peer[i].outbox) {
			struct parcel *k = b->peer[i].outbox;

			b->peer[i].outbox = k->next;
			mem_free(k);
		}
		buf_free(&b->peer[i].leases);
	}
	mem_free(b->peer);
}

static int outcome(const struct broker *b, struct err *e)
{
	int code = b->failure.code ? b->failure.code : b->pause;

	return code ? err_set(e, code, "%s", b->failure.text) : 0;
}

int broker_run(const struct broker_config *config, struct broker_result *ret,
	       struct err *e)
{
	struct broker *b = mem_alloc(1, sizeof *b);
	int rc;

	if (!b)
		return err_set(e, ERR_NOMEM, "out of memory");
	b->cfg = *config;
	b->cfg.lease_ms = config->lease_ms ? config->lease_ms : LEASE_MS;
	b->cfg.grace_ms = config->grace_ms ? config->grace_ms : GRACE_MS;
	b->started_ms = b->progress_ms = clock_ms();
	b->boot = clock_ns();
	uv_loop_init(&b->loop);
	start_handles(b);
	rc = open_parts(b, ret, e);
	if (rc && !b->journal) {
		close_handles(b);
		uv_loop_close(&b->loop);
		mem_free(b);
		return rc;
	}
	if (rc)
		fail(b, e);
	else
		next_phase(b);
	play(b);
	ret->last = b->progress;
	ret->interrupted = b->interrupted;
	if (b->core)
		core_stats(b->core, &ret->stats);
	close_handles(b);
	rc = uv_loop_close(&b->loop);
	if (rc)
		log_error("loop not closed", "handles=%d", b->open);
	rc = outcome(b, e);
	free_peers(b);
	registry_free(&b->registry);
	core_free(&b->core);
	crew_free(&b->crew);
	buf_free(&b->frame);
	buf_free(&b->settings);
	mem_free(b);
	return rc;
}
