/* worker.c - see worker.h and attempt.h
 *
 * One turn of the loop: frames come in and become attempts; attempts whose needs are
 * here run, for a few milliseconds at most; at the end of the turn results go out, many
 * in one message. A result is kept until the broker says that it is on disk.
 */
#include "worker/worker.h"

#include "common/base/clock.h"
#include "common/base/crash.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "common/io/http.h"
#include "common/io/zsock.h"
#include "proto/msg.h"
#include "proto/settings.h"
#include "worker/attempts.h"
#include "worker/fetch.h"
#include "worker/loop.h"
#include "worker/profile.h"
#include "worker/reward_wire.h"
#include "worker/scores.h"
#include "worker/searcher.h"
#include "worker/server.h"
#include "worker/sqlguard.h"
#include "worker/sqlpool.h"
#include "worker/store.h"

#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	ORPHAN_MS = 60000,
	TICK_MS = 50,
	SILENCE_MS = 15000, /* of the broker, before the socket is made anew */
	GRACE_MS = 10000,
	TURN_NS = 4000000, /* of our own computing in one turn */
	BACKLOG = 4096,
	TEXTS = 256 << 20, /* bytes of fetched texts */
	OUTBOX = 256 << 20,
	RESULT_BYTES = 1 << 20, /* of one RESULT message, about */
	SQL_MEMORY = 512 << 20,
};

struct parcel {
	struct parcel *next;
	size_t n;
	char bytes[];
};

struct worker {
	struct worker_config cfg;
	uv_loop_t loop;
	uv_timer_t tick;
	uv_idle_t busy; /* keeps the loop awake while attempts are READY */
	uv_signal_t on_term, on_int;
	struct zsock *sock;
	struct sqlzygote *zygote;
	struct sqlpool *sql;
	struct store *store;
	struct scores *scores;
	struct searcher *searcher;
	struct http *http;
	struct server llm, reward, embed;
	struct buf settings_bytes, frame;
	struct settings settings;
	struct fetch *fetch;
	struct attempts all;
	struct parcel *outbox, **outbox_end;
	size_t outbox_bytes;
	uint64_t boot, epoch, broker_boot, heard_ms, renew_ms, renewed_ms, drain_ms;
	uint32_t lease_ms;
	char name[96];
	int welcome, draining, over, open;
	struct err failure;
};

/* ---- sending --------------------------------------------------------------------- */

static void post(struct worker *w, struct view frame)
{
	struct parcel *k;

	if (w->outbox_bytes + frame.n > OUTBOX)
		return; /* results stay with their attempts and are sent again on
			   WELCOME */
	k = mem_alloc(1, sizeof *k + frame.n);
	if (!k)
		return;
	k->n = frame.n;
	memcpy(k->bytes, frame.p, frame.n);
	*w->outbox_end = k;
	w->outbox_end = &k->next;
	w->outbox_bytes += frame.n;
}

static void drop_outbox(struct worker *w)
{
	while (w->outbox) {
		struct parcel *k = w->outbox;

		w->outbox = k->next;
		mem_free(k);
	}
	w->outbox_end = &w->outbox;
	w->outbox_bytes = 0;
}

static void flush_outbox(struct worker *w)
{
	while (w->outbox) {
		struct parcel *k = w->outbox;

		if (zsock_send(w->sock, (struct zpeer){ 0 },
			       (struct view){ k->bytes, k->n }))
			return;
		w->outbox = k->next;
		w->outbox_bytes -= k->n;
		mem_free(k);
	}
	w->outbox_end = &w->outbox;
}

static void send_msg(struct worker *w, const struct msg *m)
{
	buf_clear(&w->frame);
	if (msg_encode(m, &w->frame, NULL))
		return;
	if (w->outbox || zsock_send(w->sock, (struct zpeer){ 0 }, buf_view(&w->frame)))
		post(w, buf_view(&w->frame));
}

/* None before the first WELCOME, which tells the sweep's settings, and none when
 * draining. Of asks as many as all workers together may have in flight: what is in hand
 * is being asked. */
static uint32_t slots_of(const struct worker *w, enum lane lane)
{
	uint32_t n = lane_credit(lane);

	if (w->draining || !w->broker_boot)
		return 0;
	if (lane == LANE_MODEL && w->settings.max_connections)
		return w->settings.max_connections;
	return lane == LANE_SQL ? n * w->cfg.children : n;
}

static void say_hello(struct worker *w)
{
	struct msg m = { .tag = MSG_TAG_HELLO };
	struct buf slots = { 0 }, held = { 0 };

	pack_array(&slots, LANES);
	for (int l = 0; l < LANES; l++)
		pack_u64(&slots, slots_of(w, (enum lane)l));
	attempts_pack(&w->all, &held);
	m.hello.version = PROTO_VERSION;
	m.hello.epoch = w->epoch;
	m.hello.worker = view_of(w->name);
	m.hello.boot = w->boot;
	m.hello.slots = buf_view(&slots);
	m.hello.held = buf_view(&held);
	w->welcome = 0;
	send_msg(w, &m);
	buf_free(&slots);
	buf_free(&held);
}

static void renew(struct worker *w)
{
	struct msg m = { .tag = MSG_TAG_RENEW }, ping = { .tag = MSG_TAG_PING };
	struct buf held = { 0 };

	attempts_pack(&w->all, &held);
	m.renew.epoch = w->epoch;
	m.renew.tasks = buf_view(&held);
	send_msg(w, &m);
	buf_free(&held);
	ping.ping.epoch = w->epoch;
	ping.ping.nonce = clock_ms();
	send_msg(w, &ping);
	w->renewed_ms = clock_ms();
}

/* ---- attempts -------------------------------------------------------------------- */

static void unpin_need(struct attempt *a, const struct hash *h, enum need what)
{
	if (what == NEED_BLOB || what == NEED_OUTPUT)
		store_unpin(a->worker->store, h);
}

static void pin_need(struct attempt *a, const struct hash *h, enum need what)
{
	if (what == NEED_BLOB || what == NEED_OUTPUT)
		store_pin(a->worker->store, h);
}

static void for_needs(struct attempt *a, attempt_need_fn *need)
{
	const struct kind_code *code = kind_code(a->kind);

	if (code && code->needs)
		code->needs(a, need);
}

static void turn(struct attempt *a, enum attempt_state s)
{
	attempts_turn(&a->worker->all, a, s);
}

static void remove_attempt(struct attempt *a)
{
	attempts_take_out(&a->worker->all, a);
	fetch_forget(a->worker->fetch, a);
	if (a->pinned)
		for_needs(a, unpin_need);
	buf_free(&a->output);
	buf_free(&a->calls);
	arena_free(&a->arena);
	mem_free(a);
}

void attempt_done(struct attempt *a, int code, const char *text)
{
	crash_at(CRASH_worker_result);
	a->code = code;
	snprintf(a->text, sizeof a->text, "%s", text ? text : "");
	if (!code && a->output.bad) {
		a->code = a->output.bad;
		snprintf(a->text, sizeof a->text, "the output is too large");
	}
	a->spent_us = a->started_ns ? (clock_ns() - a->started_ns) / 1000 : 0;
	turn(a, ATTEMPT_FINISHED);
	a->state = NULL;
}

static void start_attempt(struct attempt *a)
{
	const struct kind_code *code = kind_code(a->kind);

	turn(a, ATTEMPT_RUNNING);
	a->started_ns = clock_ns();
	code->start(a);
}

static void make_ready(struct attempt *a)
{
	turn(a, ATTEMPT_READY);
	a->pinned = 1;
	for_needs(a, pin_need);
}

static void on_busy(uv_idle_t *h)
{
	(void)h; /* that it exists keeps the loop from sleeping */
}

static void run_ready(struct worker *w)
{
	uint64_t until = clock_ns() + TURN_NS;
	struct attempt **ready = &w->all.in[ATTEMPT_READY].first;

	while (*ready) {
		start_attempt(*ready);
		if (clock_ns() >= until)
			break;
	}
	if (*ready)
		uv_idle_start(&w->busy, on_busy);
	else
		uv_idle_stop(&w->busy);
}

static void send_fetch(void *arg, struct msg *m)
{
	struct worker *w = arg;

	m->fetch.epoch = w->epoch;
	send_msg(w, m);
}

static void need_it(struct attempt *a, const struct hash *h, enum need what)
{
	a->missing++;
	if (fetch_need(a->worker->fetch, a, h, what))
		a->missing--;
}

static void refuse(struct attempt *a, const char *why)
{
	attempt_done(a, ERR_PROTO, why);
}

/* Again when its needs have come: the first may have had to make room for the last. */
static void admit(struct attempt *a)
{
	const struct kind_code *code = kind_code(a->kind);

	if (!code) {
		refuse(a, "this worker does not know the task's kind; use the same "
			  "mapfleet on "
			  "both sides");
		return;
	}
	a->missing = 1; /* held while its needs are gathered */
	if (code->needs && !code->needs(a, need_it)) {
		refuse(a, "the task's spec is malformed");
		return;
	}
	if (--a->missing == 0 && a->state_now == ATTEMPT_FETCHING)
		make_ready(a);
}

static void on_fed(void *arg, struct attempt *a, int code, const char *text)
{
	(void)arg;
	a->missing--;
	if (a->state_now != ATTEMPT_FETCHING)
		return;
	if (code)
		attempt_done(a, code, text);
	else if (a->missing == 0)
		admit(a);
}

/* ---- frames come in -------------------------------------------------------------- */

static void take_inline(struct worker *w, struct cursor *c)
{
	size_t n = cur_array(c);

	for (size_t i = 0; i < n && !c->bad; i++) {
		struct view bytes = cur_bin(c);
		struct hash h = hash_of(bytes.p, bytes.n);

		store_put(w->store, &h, bytes);
	}
}

/* The broker had forgotten that we hold it: one effect, under the newer number. */
static void renumber(struct attempt *a, uint32_t number)
{
	if (number <= a->number)
		return;
	a->number = number;
	if (a->state_now == ATTEMPT_SENT)
		turn(a, ATTEMPT_FINISHED);
}

static void one_lease(struct worker *w, struct cursor *c)
{
	struct attempt *a = mem_alloc(1, sizeof *a), *twin;
	struct cursor fields;

	if (!a) {
		c->bad = 1;
		return;
	}
	a->worker = w;
	cur_array_of(c, 6);
	a->task = cur_u64(c);
	a->number = cur_u32(c);
	cur_u32(c); /* the kind stands in the spec, too */
	a->spec = arena_view(&a->arena, cur_bin(c));
	take_inline(w, c);
	a->sql_timeout_ms = cur_u64(c);
	twin = attempts_of(&w->all, a->task);
	if (twin)
		renumber(twin, a->number);
	if (c->bad || !a->spec.p || twin) {
		arena_free(&a->arena);
		mem_free(a);
		return;
	}
	a->kind = spec_open(a->spec, &fields);
	attempts_add(&w->all, a);
	admit(a);
}

static void on_lease(struct worker *w, const struct msg *m)
{
	struct cursor c = cur_of(m->lease.leases);
	size_t n = cur_array(&c);

	for (size_t i = 0; i < n && !c.bad; i++)
		one_lease(w, &c);
	crash_at(CRASH_worker_lease);
	if (!cur_done(&c))
		log_error("bad message", "LEASE is malformed");
}

/* Gives the attempts of a list to `each`, if they are still these attempts. */
static void for_tasks(struct worker *w, struct view list,
		      void (*each)(struct attempt *))
{
	struct cursor c = cur_of(list);
	size_t n = cur_array(&c);

	for (size_t i = 0; i < n && !c.bad; i++) {
		uint64_t task;
		uint32_t number;
		struct attempt *a;

		cur_array_of(&c, 2);
		task = cur_u64(&c);
		number = cur_u32(&c);
		while ((a = attempts_of(&w->all, task)) && a->number <= number)
			each(a);
	}
}

static void stop_running(struct attempt *a)
{
	const struct kind_code *code = kind_code(a->kind);

	if (a->state_now == ATTEMPT_RUNNING && code->stop)
		code->stop(a);
}

static void cancel(struct attempt *a)
{
	stop_running(a);
	remove_attempt(a);
}

static void send_again(struct worker *w)
{
	while (w->all.in[ATTEMPT_SENT].n)
		turn(w->all.in[ATTEMPT_SENT].first, ATTEMPT_FINISHED);
	fetch_all_again(w->fetch);
}

static void on_welcome(struct worker *w, const struct msg *m)
{
	int first = !w->broker_boot;
	struct settings s;

	buf_clear(&w->settings_bytes);
	buf_add(&w->settings_bytes, m->welcome.settings.p, m->welcome.settings.n);
	if (m->welcome.version != PROTO_VERSION ||
	    !settings_decode(buf_view(&w->settings_bytes), &s)) {
		err_set(&w->failure, ERR_REFUSED,
			"%s: the broker speaks another version; use "
			"the same mapfleet on both sides",
			w->cfg.address);
		w->over = 1;
		return;
	}
	w->settings = s;
	w->epoch = m->welcome.epoch;
	w->broker_boot = m->welcome.boot;
	w->lease_ms = m->welcome.lease_ms;
	w->welcome = 1;
	log_info("welcome", "epoch=%" PRIu64, w->epoch);
	send_again(w);
	if (first)
		say_hello(w); /* now with slots */
}

static void on_frame(void *arg, struct zpeer from, struct view frame)
{
	struct worker *w = arg;
	struct msg m;
	struct err e;

	(void)from;
	if (msg_decode(frame, &m, &e)) {
		log_error("bad message", "%s", e.text);
		return;
	}
	w->heard_ms = clock_ms();
	switch (m.tag) {
	case MSG_TAG_WELCOME: on_welcome(w, &m); break;
	case MSG_TAG_LEASE: on_lease(w, &m); break;
	case MSG_TAG_ACK: for_tasks(w, m.ack.tasks, cancel); break;
	case MSG_TAG_STALE: for_tasks(w, m.stale.tasks, cancel); break;
	case MSG_TAG_CANCEL: for_tasks(w, m.cancel.tasks, cancel); break;
	case MSG_TAG_REJOIN:
		if (w->welcome || m.rejoin.epoch != w->epoch)
			say_hello(w);
		break;
	case MSG_TAG_BLOB: fetch_blob(w->fetch, &m); break;
	case MSG_TAG_PING:
	case MSG_TAG_PONG: break;
	case MSG_TAG_REFUSED:
		log_error("refused", "%.*s", (int)m.refused.reason.n,
			  m.refused.reason.p);
		break;
	default: log_warn("bad message", "a broker does not send %s", msg_name(m.tag));
	}
}

/* ---- results go out -------------------------------------------------------------- */

static void pack_result(struct attempt *a, struct buf *b)
{
	pack_array(b, 7);
	pack_u64(b, a->task);
	pack_u64(b, a->number);
	pack_u64(b, (uint64_t)a->code);
	pack_str(b, view_of(a->text));
	pack_bin(b, a->code ? (struct view){ "", 0 } : buf_view(&a->output));
	if (a->calls.n)
		buf_add(b, a->calls.p, a->calls.n);
	else
		pack_array(b, 0);
	pack_u64(b, a->spent_us);
}

/* As many results as fit one message: 0 when none was left. */
static uint32_t send_results(struct worker *w)
{
	struct attempt **finished = &w->all.in[ATTEMPT_FINISHED].first;
	struct buf items = { 0 }, list = { 0 };
	struct msg m = { .tag = MSG_TAG_RESULT };
	uint32_t n = 0;

	for (; *finished && items.n < RESULT_BYTES; n++) {
		pack_result(*finished, &items);
		turn(*finished, ATTEMPT_SENT);
	}
	if (n) {
		pack_array(&list, n);
		buf_add(&list, items.p, items.n);
		m.result.epoch = w->epoch;
		m.result.results = buf_view(&list);
		send_msg(w, &m);
	}
	buf_free(&items);
	buf_free(&list);
	if (n)
		crash_at(CRASH_worker_sent);
	return n;
}

static void on_turn(void *arg)
{
	struct worker *w = arg;

	run_ready(w);
	while (w->welcome && send_results(w))
		;
	if (w->outbox)
		flush_outbox(w);
}

/* ---- time ------------------------------------------------------------------------ */

static void mind_silence(struct worker *w, uint64_t now)
{
	uint32_t orphan_ms = w->cfg.orphan_ms ? w->cfg.orphan_ms : ORPHAN_MS;

	if (now - w->heard_ms >= orphan_ms) {
		err_set(&w->failure, ERR_NET,
			"%s: no word from the broker for %u s; is it "
			"running, and is the address right?",
			w->cfg.address, orphan_ms / 1000);
		w->over = 1;
	} else if (now - w->heard_ms >= SILENCE_MS && now - w->renew_ms >= SILENCE_MS) {
		w->renew_ms = now;
		log_warn("broker is silent", "connecting again");
		drop_outbox(w);
		if (zsock_reconnect(w->sock, &w->failure))
			w->over = 1;
		else
			say_hello(w);
	}
}

static void say_bye(struct worker *w)
{
	struct msg m = { .tag = MSG_TAG_BYE };

	m.bye.epoch = w->epoch;
	m.bye.reason = view_of("drained");
	send_msg(w, &m);
	w->over = 1;
}

static void mind_drain(struct worker *w, uint64_t now)
{
	if (w->draining && (!attempts_held(&w->all) || now >= w->drain_ms))
		say_bye(w);
}

static void on_tick(uv_timer_t *t)
{
	struct worker *w = t->data;
	uint64_t now = clock_ms();

	if (w->welcome && now - w->renewed_ms >= w->lease_ms / 3)
		renew(w);
	fetch_again(w->fetch, now);
	mind_drain(w, now);
	mind_silence(w, now);
	if (w->over)
		uv_stop(&w->loop);
}

/* What was not started goes back at once; what runs may finish. */
static void drain(struct worker *w)
{
	struct buf list = { 0 };
	struct msg m = { .tag = MSG_TAG_RETURN };
	struct attempt *a;

	pack_array(&list, w->all.in[ATTEMPT_FETCHING].n + w->all.in[ATTEMPT_READY].n);
	while ((a = w->all.in[ATTEMPT_FETCHING].first) ||
	       (a = w->all.in[ATTEMPT_READY].first)) {
		pack_array(&list, 2);
		pack_u64(&list, a->task);
		pack_u64(&list, a->number);
		remove_attempt(a);
	}
	m.give_back.epoch = w->epoch;
	m.give_back.tasks = buf_view(&list);
	send_msg(w, &m);
	buf_free(&list);
}

static void on_signal(uv_signal_t *h, int number)
{
	struct worker *w = h->data;

	(void)number;
	if (w->draining) {
		w->over = 1;
		uv_stop(&w->loop);
		return;
	}
	w->draining = 1;
	w->drain_ms = clock_ms() + GRACE_MS;
	if (w->welcome) {
		say_hello(w); /* with no slots: no lease comes any more */
		w->welcome = 1;
		drain(w);
	}
	mind_drain(w, clock_ms());
	if (w->over)
		uv_stop(&w->loop);
}

/* ---- what running attempts ask for ------------------------------------------------
 */

struct view worker_blob(struct worker *w, const struct hash *h)
{
	return store_get(w->store, h);
}

void worker_lost(struct worker *w, const char *why)
{
	if (!w->over)
		err_set(&w->failure, ERR_DEATH, "%s: %s", w->name, why);
	w->over = 1;
	uv_stop(&w->loop);
}

const struct dbfile *worker_database(struct worker *w, const struct hash *h)
{
	return store_database(w->store, h);
}

const struct bank *worker_bank(struct worker *w, const struct hash *h)
{
	return store_bank(w->store, h);
}

struct sqlpool *worker_sql(struct worker *w)
{
	return w->sql;
}

uv_loop_t *worker_loop(struct worker *w)
{
	return &w->loop;
}

struct searcher *worker_searcher(struct worker *w)
{
	return w->searcher;
}

struct scores *worker_scores(struct worker *w)
{
	return w->scores;
}

static int open_role(struct worker *w, struct server *s,
		     const struct settings_role *role, struct endpoint_settings how,
		     struct chat **ret, struct err *e)
{
	int rc = server_open(s, &w->loop, &w->http, &w->settings, role, how, e);

	if (!rc)
		*ret = s->chat;
	return rc;
}

int worker_chat(struct worker *w, struct chat **ret, struct err *e)
{
	struct endpoint_settings how = { .path = NULL };

	return open_role(w, &w->llm, &w->settings.llm, how, ret, e);
}

int worker_reward(struct worker *w, enum reward_kind kind, struct chat **ret,
		  struct err *e)
{
	struct endpoint_settings how = { .url_flag = "--reward-url",
					 .model_flag = "--reward-model",
					 .path = reward_path(kind),
					 .path_at_root = reward_path_at_root(kind) };

	return open_role(w, &w->reward, &w->settings.reward, how, ret, e);
}

int worker_embed(struct worker *w, struct chat **ret, struct err *e)
{
	struct endpoint_settings how = { .path = "/embeddings" };

	return open_role(w, &w->embed, &w->settings.embed, how, ret, e);
}

/* ---- beginning and end ----------------------------------------------------------- */

static void on_part_closed(void *arg)
{
	struct worker *w = arg;

	w->open--;
}

static void on_handle_closed(uv_handle_t *h)
{
	on_part_closed(h->data);
}

static void start_handles(struct worker *w)
{
	uv_timer_init(&w->loop, &w->tick);
	uv_idle_init(&w->loop, &w->busy);
	uv_signal_init(&w->loop, &w->on_term);
	uv_signal_init(&w->loop, &w->on_int);
	w->tick.data = w->busy.data = w->on_term.data = w->on_int.data = w;
	uv_timer_start(&w->tick, on_tick, TICK_MS, TICK_MS);
	uv_signal_start(&w->on_term, on_signal, SIGTERM);
	uv_signal_start(&w->on_int, on_signal, SIGINT);
	w->open += 4;
}

/* A terminal's Ctrl-C reaches us too; a parent that drains us will say SIGTERM. */
static void mind_parent(struct worker *w)
{
	if (!w->cfg.parent)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != w->cfg.parent)
		_exit(0); /* it died before we could ask */
	uv_signal_stop(&w->on_int);
	signal(SIGINT, SIG_IGN);
}

static int open_parts(struct worker *w, struct err *e)
{
	struct zsock_config zc = { .address = w->cfg.address,
				   .largest = MSG_LARGEST,
				   .backlog = BACKLOG,
				   .on_frame = on_frame,
				   .on_turn = on_turn,
				   .arg = w };
	struct fetch_config fc = { .send = send_fetch, .fed = on_fed, .arg = w };
	int rc = store_new(w->cfg.cache, TEXTS, &w->store, e);

	fc.store = w->store;
	w->scores = scores_new();
	if (!rc && (!w->scores || fetch_new(&fc, &w->fetch) ||
		    searcher_new(&w->loop, &w->searcher)))
		rc = err_set(e, ERR_NOMEM, "out of memory");
	if (!rc)
		rc = sqlpool_new(&w->loop, w->zygote, w->cfg.children, SQL_MEMORY,
				 &w->sql, e);
	if (rc)
		return rc;
	rc = zsock_open(&w->loop, &zc, &w->sock, e);
	if (!rc)
		w->open++;
	return rc;
}

static void close_server(struct worker *w, struct server *s)
{
	if (!s->chat)
		return;
	w->open++;
	chat_close(&s->chat, on_part_closed, w);
}

static void close_parts(struct worker *w)
{
	for (int s = 0; s < ATTEMPT_STATES; s++)
		while (w->all.in[s].n)
			cancel(w->all.in[s].first);
	close_server(w, &w->llm);
	close_server(w, &w->reward);
	close_server(w, &w->embed);
	if (w->searcher) {
		w->open++;
		searcher_close(w->searcher, on_part_closed, w);
	}
	if (w->sock)
		zsock_close(w->sock, 500, on_part_closed);
	sqlpool_free(&w->sql);
	uv_close((uv_handle_t *)&w->tick, on_handle_closed);
	uv_close((uv_handle_t *)&w->busy, on_handle_closed);
	uv_close((uv_handle_t *)&w->on_term, on_handle_closed);
	uv_close((uv_handle_t *)&w->on_int, on_handle_closed);
	while (w->open && uv_run(&w->loop, UV_RUN_ONCE))
		;
	if (w->http)
		http_close(&w->http, NULL, NULL);
	while (uv_run(&w->loop, UV_RUN_DEFAULT))
		;
	endpoint_free(&w->llm.endpoint);
	endpoint_free(&w->reward.endpoint);
	endpoint_free(&w->embed.endpoint);
	scores_free(&w->scores);
	fetch_free(&w->fetch);
	store_free(&w->store);
	drop_outbox(w);
	buf_free(&w->frame);
	buf_free(&w->settings_bytes);
}

static void name_worker(struct worker *w)
{
	char host[64] = "";

	gethostname(host, sizeof host - 1);
	snprintf(w->name, sizeof w->name, "%s:%d", host, (int)getpid());
	if (getrandom(&w->boot, sizeof w->boot, 0) != sizeof w->boot)
		w->boot = clock_ns() ^ (uint64_t)getpid() << 32;
	w->boot >>= 1; /* fits a signed column, too */
}

static const struct sqlchild_call calls[] = { { "profile", profile_db } };

const char *worker_engine(void)
{
	static char text[512];

	snprintf(text, sizeof text, "%s; %s", sqlite3_sourceid(), sqlguard_options());
	return text;
}

int worker_main(const struct worker_config *config, struct err *e)
{
	struct worker *w = mem_alloc(1, sizeof *w);
	int rc;

	if (!w)
		return err_set(e, ERR_NOMEM, "out of memory");
	w->cfg = *config;
	if (!w->cfg.children)
		w->cfg.children = 1;
	w->outbox_end = &w->outbox;
	w->heard_ms = w->renew_ms = clock_ms();
	name_worker(w);
	rc = sqlzygote_start(calls, sizeof calls / sizeof *calls, &w->zygote, e);
	if (rc) {
		mem_free(w);
		return rc;
	}
	uv_loop_init(&w->loop);
	start_handles(w);
	mind_parent(w);
	rc = open_parts(w, e);
	if (!rc) {
		say_hello(w);
		uv_run(&w->loop, UV_RUN_DEFAULT);
		rc = w->failure.code;
		if (rc && e)
			*e = w->failure;
	}
	close_parts(w);
	sqlzygote_stop(&w->zygote);
	uv_loop_close(&w->loop);
	mem_free(w);
	return rc;
}
