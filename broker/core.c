/* core.c - see core.h
 *
 * Reading order: need() (how a planner's wish becomes a task), resolve() (how a fact
 * reaches planners), pump() (how ready tasks reach workers), then one function an
 * event.
 */
#include "broker/core.h"

#include "broker/tasks.h"
#include "common/base/mem.h"
#include "common/base/rng.h"

#include <assert.h>
#include <string.h>

enum {
	ACTIVE = 256,
	SHIFT_EPOCH = 36,
	ACTIONS_KEPT = 4096,
	MUTE = 4, /* failures in a row, of a model that has answered before */
};

struct wait {                         /* a unit that waits for a task */
	uint32_t unit : 31, turn : 1; /* turn: of the unit's last plan that wanted it */
	uint32_t next;
};

struct work { /* a unit, with what the core knows of it */
	struct unit unit;
	uint32_t question; /* in core->topic */
	uint32_t pending;  /* waits it has */
	uint32_t wished;   /* of them, those that its last plan wanted */
	uint8_t dirty, done;
	uint8_t turn; /* 0, 1, 0, ... with each plan */
};

struct topic {                       /* a question with units */
	uint32_t question;           /* in the sweep */
	uint32_t first, n;           /* units */
	uint32_t left;               /* units without record */
	uint32_t *slot, slots, held; /* tasks it holds: an open-addressing set */
	uint8_t started;
};

struct peer {
	uint32_t slots[LANES], used[LANES];
	struct task_list hand;
	uint64_t heard_ms;   /* when it last said what it holds */
	uint8_t known, solo; /* solo: runs a suspect, gets nothing else */
};

struct resting { /* a task that nobody holds but whose output is not on disk yet */
	uint32_t task;
	uint64_t seq;
};

struct orphan { /* an attempt in a worker's hand from before this epoch */
	uint64_t task;
	uint32_t attempt, peer;
};

/* What an orphan brought. A look-up may not see it on disk yet, and a second attempt
 * would then be planned with, while the journal keeps the first. */
struct late {
	uint64_t task;
	char *output;
	size_t n;
};

/* A growing array: the core has many, all the same. */
#define VEC(type) \
	struct { \
		type *at; \
		size_t n, cap; \
	}

struct core {
	struct core_config cfg;
	struct tasks *tasks;
	struct task_list fresh[LANES],
		started[LANES]; /* READY; started questions first */
	struct task_list waiting;
	VEC(struct work) work;
	VEC(struct topic) topic;
	VEC(struct wait) wait;
	VEC(struct peer) peer;
	VEC(struct action) action;
	VEC(uint32_t) dirty;
	VEC(struct resting) resting;
	VEC(struct orphan) orphan;
	VEC(struct late) late;
	uint32_t wait_free;
	struct arena bytes;   /* of actions, until the next step */
	struct arena scratch; /* of one planner's call */
	uint64_t next_id, seq, now;
	uint64_t tick_ms;        /* of the last tick */
	uint32_t phase_units;    /* work that may start */
	uint32_t next_topic;     /* the next question to start */
	uint32_t turn[LANES];    /* whose it is to be leased to first */
	uint32_t topics, active; /* of this and earlier phases; started and not done */
	uint32_t looking;
	uint32_t mute;    /* attempts without answer since a model answered */
	uint64_t answers; /* of models */
	uint8_t nomem, stopped, announced, unreachable;
	struct core_stats stats;
};

static int vec_grow(void **at, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? *cap + *cap / 2 : 16;
	void *p;

	if (n < *cap)
		return 1;
	p = mem_resize(*at, more, size);
	if (!p)
		return 0;
	*at = p;
	*cap = more;
	return 1;
}

/* A pointer to a new zeroed element, or NULL and c->nomem set. */
#define VEC_PUSH(c, v) \
	(vec_grow((void **)&(v).at, &(v).cap, (v).n, sizeof *(v).at) \
		 ? memset(&(v).at[(v).n++], 0, sizeof *(v).at) \
		 : ((c)->nomem = 1, NULL))

int core_new(const struct core_config *config, struct core **ret)
{
	struct core *c = mem_alloc(1, sizeof *c);

	if (!c)
		return ERR_NOMEM;
	c->cfg = *config;
	if (!c->cfg.active)
		c->cfg.active = ACTIVE;
	c->tasks = tasks_new();
	c->next_id = (config->epoch << SHIFT_EPOCH) + 1;
	if (!c->tasks || !VEC_PUSH(c, c->wait)) { /* wait 0 means none */
		core_free(&c);
		return ERR_NOMEM;
	}
	*ret = c;
	return 0;
}

void core_free(struct core **cp)
{
	struct core *c = *cp;

	if (!c)
		return;
	for (size_t i = 0; i < c->topic.n; i++)
		mem_free(c->topic.at[i].slot);
	tasks_free(&c->tasks);
	mem_free(c->work.at);
	mem_free(c->topic.at);
	mem_free(c->wait.at);
	mem_free(c->peer.at);
	mem_free(c->action.at);
	mem_free(c->dirty.at);
	mem_free(c->resting.at);
	mem_free(c->orphan.at);
	for (size_t i = 0; i < c->late.n; i++)
		mem_free(c->late.at[i].output);
	mem_free(c->late.at);
	arena_free(&c->bytes);
	arena_free(&c->scratch);
	mem_free(c);
	*cp = NULL;
}

int core_add(struct core *c, const struct unit *u)
{
	struct topic *t = c->topic.n ? &c->topic.at[c->topic.n - 1] : NULL;
	struct work *w;

	if (!t || t->question != u->question || t->first < c->phase_units) {
		t = VEC_PUSH(c, c->topic);
		if (!t)
			return ERR_NOMEM;
		t->question = u->question;
		t->first = (uint32_t)c->work.n;
	}
	w = VEC_PUSH(c, c->work);
	if (!w)
		return ERR_NOMEM;
	w->unit = *u;
	w->question = (uint32_t)(t - c->topic.at);
	t->n++;
	t->left++;
	return 0;
}

/* ---- actions --------------------------------------------------------------------- */

static struct view keep(struct core *c, struct view v)
{
	struct view copy = arena_view(&c->bytes, v);

	if (!copy.p)
		c->nomem = 1;
	return copy;
}

static struct action *act(struct core *c, enum action_kind kind)
{
	static struct action nowhere; /* out of memory: the step fails as a whole */
	struct action *a = VEC_PUSH(c, c->action);

	if (!a)
		return &nowhere;
	a->kind = kind;
	return a;
}

static struct action *act_write(struct core *c, enum action_kind kind)
{
	struct action *a = act(c, kind);

	a->seq = ++c->seq;
	return a;
}

static void tell(struct core *c, enum action_kind kind, uint32_t peer, uint64_t task,
		 uint32_t attempt)
{
	struct action *a = act(c, kind);

	a->peer = peer;
	a->task = task;
	a->attempt = attempt;
}

/* ---- where a task can be --------------------------------------------------------- */

static struct task *at(const struct core *c, uint32_t number)
{
	return tasks_at(c->tasks, number);
}

static enum lane lane_of(const struct task *k)
{
	return kind_lane((enum kind)k->kind);
}

/* The ready queue of a task: those of questions that have facts already go first. */
static struct task_list *queue_of(struct core *c, const struct task *k)
{
	return k->attempt || k->kind != KIND_exec ? &c->started[lane_of(k)]
						  : &c->fresh[lane_of(k)];
}

/* Nobody waits for it, though its question may hold it: it is not run. */
static int is_unwanted(struct core *c, struct task *k)
{
	if (k->waits)
		return 0;
	k->state = TASK_DROPPED;
	c->stats.dropped++;
	return 1;
}

static void make_ready(struct core *c, uint32_t n, int first)
{
	struct task *k = at(c, n);
	struct task_list *q = queue_of(c, k);

	if (is_unwanted(c, k))
		return;
	k->state = TASK_READY;
	if (first)
		list_push_first(c->tasks, q, n);
	else
		list_push(c->tasks, q, n);
}

static void let_go(struct core *c, uint32_t n) /* of a worker's hand */
{
	struct task *k = at(c, n);
	struct peer *p = &c->peer.at[k->peer];

	list_remove(c->tasks, &p->hand, n);
	p->used[lane_of(k)]--;
	if (p->hand.n == 0)
		p->solo = 0;
}

/* Out of whatever list it is in. */
static void detach(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);

	switch (k->state) {
	case TASK_READY: list_remove(c->tasks, queue_of(c, k), n); break;
	case TASK_LEASED: let_go(c, n); break;
	case TASK_WAITING: list_remove(c->tasks, &c->waiting, n); break;
	default: break;
	}
}

static void put_in_hand(struct core *c, uint32_t n, uint32_t peer, uint32_t attempt)
{
	struct task *k = at(c, n);
	struct peer *p = &c->peer.at[peer];

	k->state = TASK_LEASED;
	k->spent = 0;
	k->peer = peer;
	k->attempt = attempt;
	k->due_ms = c->now + c->cfg.lease_ms;
	list_push(c->tasks, &p->hand, n);
	p->used[lane_of(k)]++;
	if (k->deaths)
		p->solo = 1;
}

static struct peer *peer_of(struct core *c, uint32_t peer)
{
	return peer < c->peer.n && c->peer.at[peer].known ? &c->peer.at[peer] : NULL;
}

/* ---- what a planner asks --------------------------------------------------------- */

struct asking { /* plan.h's world */
	struct core *c;
	uint32_t unit;
};

static struct wait *wait_of(const struct core *c, const struct task *k, uint32_t unit)
{
	for (uint32_t w = k->waits; w; w = c->wait.at[w].next)
		if (c->wait.at[w].unit == unit)
			return &c->wait.at[w];
	return NULL;
}

static void free_wait(struct core *c, uint32_t w)
{
	c->wait.at[w].next = c->wait_free;
	c->wait_free = w;
}

static void add_wait(struct core *c, struct task *k, uint32_t unit)
{
	struct work *work = &c->work.at[unit];
	struct wait *old = wait_of(c, k, unit);
	uint32_t w = c->wait_free;

	if (old) {
		work->wished += old->turn != work->turn;
		old->turn = work->turn;
		return;
	}
	if (w)
		c->wait_free = c->wait.at[w].next;
	else if (VEC_PUSH(c, c->wait))
		w = (uint32_t)c->wait.n - 1;
	else
		return;
	c->wait.at[w] = (struct wait){ unit, work->turn, k->waits };
	k->waits = w;
	work->wished++;
	work->pending++;
}

static void end_wait(struct core *c, struct task *k, struct wait *wait)
{
	uint32_t *link = &k->waits, w;

	while (&c->wait.at[*link] != wait)
		link = &c->wait.at[*link].next;
	w = *link;
	*link = wait->next;
	c->work.at[wait->unit].pending--;
	free_wait(c, w);
}

/* The set of tasks that a question holds. */
static int set_grow(struct core *c, struct topic *t)
{
	uint32_t slots = t->slots ? t->slots * 2 : 16, *old = t->slot;
	uint32_t *bigger = mem_alloc(slots, sizeof *bigger);

	if (!bigger)
		return c->nomem = 1, 0;
	for (uint32_t i = 0; i < t->slots; i++)
		if (old[i]) {
			uint32_t j = at(c, old[i])->hash & (slots - 1);

			while (bigger[j])
				j = (j + 1) & (slots - 1);
			bigger[j] = old[i];
		}
	mem_free(old);
	t->slot = bigger;
	t->slots = slots;
	return 1;
}

static void hold(struct core *c, struct topic *t, uint32_t n)
{
	uint32_t i;

	if (t->held + t->held / 3 >= t->slots && !set_grow(c, t))
		return;
	i = at(c, n)->hash & (t->slots - 1);
	for (; t->slot[i]; i = (i + 1) & (t->slots - 1))
		if (t->slot[i] == n)
			return;
	t->slot[i] = n;
	t->held++;
	at(c, n)->refs++;
}

static void look_up(struct core *c, uint32_t n, const struct hash *key,
		    const struct blob *blob, size_t nblob)
{
	struct task *k = at(c, n);
	struct action *a = act(c, ACTION_LOOKUP);
	struct blob *copy = arena_alloc(&c->bytes, nblob + 1, sizeof *copy);

	if (!copy) {
		c->nomem = 1;
		return;
	}
	for (size_t i = 0; i < nblob; i++) {
		copy[i] = blob[i];
		if (blob[i].copy)
			copy[i].bytes = keep(c, blob[i].bytes);
	}
	a->lookup = n;
	a->key = *key;
	a->spec = keep(c, tasks_spec(c->tasks, n));
	a->blob = copy;
	a->nblob = nblob;
	k->state = TASK_LOOKING;
	c->looking++;
}

static void write_role(struct core *c, uint64_t task, enum role role)
{
	struct action *a = act_write(c, ACTION_ROLE);

	a->task = task;
	a->role = role;
}

static uint32_t want(struct core *c, struct view spec, const struct blob *blob,
		     size_t nblob, enum role role)
{
	struct hash key = task_key(spec);
	uint32_t n, hash;
	struct cursor fields;

	memcpy(&hash, key.b, sizeof hash);
	n = tasks_find(c->tasks, hash, spec);
	if (!spec.n) /* it could not be written down */
		return c->nomem = 1, NO_TASK;
	if (n == NO_TASK) {
		n = tasks_add(c->tasks, hash, spec);
		if (n == NO_TASK)
			return c->nomem = 1, NO_TASK;
		at(c, n)->kind = (uint8_t)spec_open(spec, &fields);
		assert(at(c, n)->kind != KIND_NONE);
		look_up(c, n, &key, blob, nblob);
	}
	if (!(at(c, n)->roles & 1u << role)) {
		at(c, n)->roles |= (uint8_t)(1u << role);
		if (at(c, n)->state != TASK_LOOKING)
			write_role(c, at(c, n)->id, role);
	}
	return n;
}

static struct fact need(struct plan *p, struct view spec, const struct blob *blob,
			size_t nblob)
{
	struct asking *ask = p->world;
	struct core *c = ask->c;
	struct work *w = &c->work.at[ask->unit];
	uint32_t n = want(c, spec, blob, nblob, w->unit.role);
	struct task *k;

	if (n == NO_TASK)
		return (struct fact){ .state = FACT_PENDING };
	k = at(c, n);
	hold(c, &c->topic.at[w->question], n);
	switch (k->state) {
	case TASK_DONE:
		return (struct fact){
			FACT_OUTPUT, { k->output, k->output_n }, 0, { "", 0 }
		};
	case TASK_FAILED:
		return (struct fact){
			FACT_FAILED, { "", 0 }, k->code, { k->output, k->output_n }
		};
	default: break;
	}
	add_wait(c, k, ask->unit);
	if (k->state == TASK_DROPPED && !c->nomem)
		make_ready(c, n, 0);
	return (struct fact){ .state = FACT_PENDING };
}

/* ---- questions come and go ------------------------------------------------------- */

/* Nobody holds it: it may go once all that was written of it is on disk, or a look-up
 * would not see it. A task that comes to rest again is not in the list twice: when its
 * place comes up, it waits for what has been written until then. */
static void rest(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);
	struct resting *r;

	if (k->rests) {
		k->again = 1;
		return;
	}
	r = VEC_PUSH(c, c->resting);
	if (!r)
		return;
	*r = (struct resting){ n, c->seq };
	k->rests = 1;
}

static void unhold(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);

	assert(k->refs > 0);
	if (--k->refs)
		return;
	assert(!k->waits); /* units that are done wait for nothing */
	switch (k->state) {
	case TASK_LOOKING: return; /* found() will see that nobody wants it */
	case TASK_LEASED:
		tell(c, ACTION_CANCEL, k->peer, k->id, k->attempt);
		/* fall through */
	case TASK_READY:
	case TASK_WAITING:
		detach(c, n);
		k->state = TASK_DROPPED;
		c->stats.dropped++;
		break;
	default: break;
	}
	rest(c, n);
}

static void finish_topic(struct core *c, struct topic *t)
{
	for (uint32_t i = 0; i < t->slots; i++)
		if (t->slot[i])
			unhold(c, t->slot[i]);
	mem_free(t->slot);
	t->slot = NULL;
	t->slots = t->held = 0;
	c->active--;
	c->stats.questions_done++;
}

/* Nobody waits for it any more. In a worker's hand it may finish: its question goes on,
 * and another unit may want it yet. */
static void drop(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);

	if (k->waits || (k->state != TASK_READY && k->state != TASK_WAITING))
		return;
	detach(c, n);
	is_unwanted(c, k);
}

/* What the last plan did not want again is not waited for any longer. Rare, or the walk
 * over all that the question holds would be too long. */
static void forget_old_wishes(struct core *c, const struct topic *t, uint32_t unit)
{
	struct work *w = &c->work.at[unit];

	for (uint32_t i = 0; i < t->slots && w->pending > w->wished; i++) {
		struct task *k = t->slot[i] ? at(c, t->slot[i]) : NULL;
		struct wait *wait = k ? wait_of(c, k, unit) : NULL;

		if (!wait || (!w->done && wait->turn == w->turn))
			continue;
		end_wait(c, k, wait);
		drop(c, t->slot[i]);
	}
}

static void plan(struct core *c, uint32_t unit)
{
	struct work *w = &c->work.at[unit];
	struct topic *t = &c->topic.at[w->question];
	struct asking ask = { c, unit };
	struct buf record = { 0 };
	enum plan_state state;
	struct plan p = { .sweep = c->cfg.sweep,
			  .run = w->unit.run,
			  .arg = w->unit.arg,
			  .arena = &c->scratch,
			  .need = need,
			  .world = &ask };

	if (c->cfg.sweep && c->cfg.sweep->nq)
		p.q = &c->cfg.sweep->q[w->unit.question];
	w->turn ^= 1;
	w->wished = 0;
	state = w->unit.plan(&p, &record);
	if (c->scratch.bad || record.bad)
		c->nomem = 1;
	if (c->nomem) {
		buf_free(&record);
		return; /* whatever it said, it may be wrong */
	}
	if (state == PLAN_DONE) {
		struct action *a = w->unit.draft ? act(c, ACTION_DRAFT)
						 : act_write(c, ACTION_RECORD);

		a->unit = &w->unit;
		a->record = keep(c, buf_view(&record));
		w->done = 1;
		c->stats.units_done++;
		w->wished = 0;
		forget_old_wishes(c, t, unit);
		if (--t->left == 0)
			finish_topic(c, t);
	} else {
		forget_old_wishes(c, t, unit);
		if (!w->pending)
			c->nomem = 1; /* only then a planner waits for nothing */
	}
	buf_free(&record);
	arena_reset(&c->scratch);
}

static void mark(struct core *c, uint32_t unit)
{
	struct work *w = &c->work.at[unit];
	uint32_t *d;

	if (w->dirty || w->done)
		return;
	d = VEC_PUSH(c, c->dirty);
	if (d)
		*d = unit;
	w->dirty = 1;
}

static void plan_marked(struct core *c)
{
	for (size_t i = 0; i < c->dirty.n && !c->nomem; i++) {
		c->work.at[c->dirty.at[i]].dirty = 0;
		plan(c, c->dirty.at[i]);
	}
	c->dirty.n = 0;
}

/* Enough in the queues to keep every slot busy, and no more questions than allowed. */
static int hungry(const struct core *c)
{
	uint32_t ready = c->looking, slots = 64;

	for (int l = 0; l < LANES; l++)
		ready += c->fresh[l].n + c->started[l].n;
	for (size_t i = 0; i < c->peer.n; i++)
		for (int l = 0; l < LANES; l++)
			slots += c->peer.at[i].slots[l];
	return c->active < c->cfg.active &&
	       ready < (uint64_t)slots + (c->cfg.ahead ? c->cfg.ahead : slots);
}

static void start_questions(struct core *c)
{
	while (!c->nomem && !c->stopped && c->next_topic < c->topics && hungry(c)) {
		struct topic *t = &c->topic.at[c->next_topic++];

		t->started = 1;
		c->active++;
		for (uint32_t i = 0; i < t->n; i++)
			mark(c, t->first + i);
		plan_marked(c);
	}
}

/* ---- how a fact reaches planners ------------------------------------------------- */

/* Chains go on at once; for the rest a unit is planned when all that it wants is there.
 */
static int wakes_at_once(const struct task *k)
{
	return k->kind == KIND_rank || k->kind == KIND_pick || k->kind == KIND_simrank;
}

static void wake(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);

	while (k->waits) {
		uint32_t w = k->waits, unit = c->wait.at[w].unit;

		k->waits = c->wait.at[w].next;
		free_wait(c, w);
		if (--c->work.at[unit].pending == 0 || wakes_at_once(k))
			mark(c, unit);
	}
}

static void resolve(struct core *c, uint32_t n, enum task_state state, int code,
		    struct view bytes)
{
	struct task *k = at(c, n);
	char *copy = mem_dup(bytes.p, bytes.n);

	if (!copy) {
		c->nomem = 1;
		return;
	}
	detach(c, n);
	k->state = state & 7;
	k->output = copy;
	k->output_n = (uint32_t)bytes.n;
	k->code = (uint8_t)code;
	wake(c, n);
}

/* ---- how ready tasks reach workers ----------------------------------------------- */

static int may_take(const struct peer *p, const struct task *k)
{
	return !p->solo && (!k->deaths || p->hand.n == 0);
}

static int lease_one(struct core *c, uint32_t peer, struct task_list *q)
{
	struct peer *p = &c->peer.at[peer];
	uint32_t n = q->first;
	struct task *k = at(c, n);
	struct action *a;

	if (!may_take(p, k))
		return 0;
	list_remove(c->tasks, q, n);
	put_in_hand(c, n, peer, k->attempt + 1);
	a = act(c, ACTION_LEASE);
	a->peer = peer;
	a->task = k->id;
	a->attempt = k->attempt;
	a->task_kind = (enum kind)k->kind;
	a->spec = keep(c, tasks_spec(c->tasks, n));
	return 1;
}

/* Up to `share` tasks of one lane to one worker. */
static uint32_t lease_some(struct core *c, uint32_t peer, int lane, uint32_t share)
{
	uint32_t given = 0;

	while (given < share) {
		struct peer *p = &c->peer.at[peer];
		struct task_list *q =
			c->started[lane].n ? &c->started[lane] : &c->fresh[lane];

		if (!q->n || p->used[lane] >= p->slots[lane] || !lease_one(c, peer, q))
			break;
		given++;
	}
	return given;
}

/* One that has been silent for half a lease gets nothing new until it speaks. */
static int listens(const struct core *c, const struct peer *p)
{
	return p->known && c->now < p->heard_ms + c->cfg.lease_ms / 2 + 1;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many are ready that may be leased, where all workers together hold `held`. */
static uint32_t free_of(const struct core *c, int lane, uint32_t held)
{
	uint32_t ready = c->started[lane].n + c->fresh[lane].n;
	uint32_t most = c->cfg.most[lane];

	if (!most || most >= held + ready)
		return ready;
	return most > held ? most - held : 0;
}

/* A round: each worker its share, the one after the last that got something first, so
 * that what is free one at a time does not always go to the same. */
static uint32_t lease_round(struct core *c, int lane, uint32_t n, uint32_t share)
{
	uint32_t given = 0, first = c->turn[lane];

	for (size_t i = 0; i < c->peer.n && given < n; i++) {
		uint32_t peer = (uint32_t)((first + i) % c->peer.n), got = 0;

		if (listens(c, &c->peer.at[peer]))
			got = lease_some(c, peer, lane, least(share, n - given));
		if (got)
			c->turn[lane] = peer + 1;
		given += got;
	}
	return given;
}

/* In rounds, each worker a fair share of what is left: near the end nobody hoards. */
static void pump_lane(struct core *c, int lane)
{
	uint32_t given, peers = 0, held = 0;

	for (size_t i = 0; i < c->peer.n; i++) {
		peers += listens(c, &c->peer.at[i]);
		held += c->peer.at[i].used[lane];
	}
	do {
		uint32_t n = free_of(c, lane, held);

		given = peers ? lease_round(c, lane, n, 1 + n / (2 * peers)) : 0;
		held += given;
	} while (given && !c->nomem);
}

static void pump(struct core *c)
{
	if (c->stopped)
		return;
	for (int l = 0; l < LANES; l++)
		pump_lane(c, l);
}

/* ---- attempts that come to nothing ----------------------------------------------- */

static const struct {
	int code;
	unsigned attempts, pause_ms;
} retries[] = {
#define RETRY(code, attempts, pause_ms, why) { ERR_##code, attempts, pause_ms },
#include "broker/retry.def"
#undef RETRY
};

static int may_retry(const struct task *k, int code, unsigned *ret_pause_ms)
{
	for (size_t i = 0; i < sizeof retries / sizeof *retries; i++)
		if (retries[i].code == code && k->failures < retries[i].attempts) {
			*ret_pause_ms = retries[i].pause_ms << (k->failures - 1);
			return 1;
		}
	return 0;
}

static void wait_for(struct core *c, uint32_t n, unsigned pause_ms)
{
	struct task *k = at(c, n);
	struct view id = { (const char *)&k->id, sizeof k->id };
	struct rng r;

	rng_init(&r, "backoff", c->cfg.epoch, id, k->attempt);
	k->state = TASK_WAITING;
	k->due_ms = c->now + pause_ms / 2 + rng_below(&r, pause_ms);
	list_push(c->tasks, &c->waiting, n);
}

static struct action *write_failure(struct core *c, uint32_t n, int code,
				    struct view text, int final)
{
	struct task *k = at(c, n);
	struct action *a = act_write(c, ACTION_FAILURE);

	a->peer = k->peer;
	a->task = k->id;
	a->attempt = k->attempt;
	a->code = code;
	a->text = keep(c, text);
	a->final = final;
	c->stats.failures++;
	c->stats.final_failures += (unsigned) final;
	return a;
}

/* Goes into the question's record, so it must not tell how the last worker ended. */
static const char quarantined[] = "quarantined: it ended every worker it had";

/* The attempt's worker died or went quiet: once is bad luck, often is the task's fault.
 */
static void count_death(struct core *c, uint32_t n, const char *what)
{
	struct task *k = at(c, n);

	c->stats.deaths++;
	if (++k->deaths < CORE_DEATHS) {
		write_failure(c, n, ERR_DEATH, view_of(what), 0);
		make_ready(c, n, 0);
		return;
	}
	c->stats.quarantined++;
	write_failure(c, n, ERR_DEATH, view_of(quarantined), 1);
	k->state = TASK_DROPPED; /* in no list while it is resolved */
	resolve(c, n, TASK_FAILED, ERR_DEATH, view_of(quarantined));
}

static void fail(struct core *c, uint32_t n, const struct event *ev)
{
	struct task *k = at(c, n);
	struct view text = ev->text;
	unsigned pause_ms = 0;
	struct action *a;
	int again;

	let_go(c, n);
	k->state = TASK_DROPPED;
	k->spent = 1;
	k->failures++;
	again = may_retry(k, ev->code, &pause_ms);
	if (ev->code == ERR_DEATH) {
		c->stats.deaths++;
		again = ++k->deaths < CORE_DEATHS && again;
		c->stats.quarantined += !again;
		text = again ? text : view_of(quarantined);
	}
	a = write_failure(c, n, ev->code, text, !again);
	a->call = ev->call;
	a->ncall = ev->ncall;
	if (!again)
		resolve(c, n, TASK_FAILED, ev->code, text);
	else if (!is_unwanted(c, k))
		wait_for(c, n, pause_ms);
}

static void empty_hand(struct core *c, uint32_t peer, int death, const char *what)
{
	struct peer *p = &c->peer.at[peer];

	while (p->hand.n) {
		uint32_t n = p->hand.first;

		let_go(c, n);
		if (death)
			count_death(c, n, what);
		else
			make_ready(c, n, 1);
	}
}

/* ---- events ---------------------------------------------------------------------- */

static struct orphan *orphan_of(struct core *c, uint64_t task)
{
	for (size_t i = 0; i < c->orphan.n; i++)
		if (c->orphan.at[i].task == task)
			return &c->orphan.at[i];
	return NULL;
}

static void forget_orphan(struct core *c, struct orphan *o)
{
	*o = c->orphan.at[--c->orphan.n];
}

static void write_task(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);
	struct action *a = act_write(c, ACTION_TASK);

	k->id = c->next_id++;
	a->lookup = n;
	a->task = k->id;
	a->task_kind = (enum kind)k->kind;
	a->spec = keep(c, tasks_spec(c->tasks, n));
	a->role = ROLE_NONE;
	c->stats.tasks_new++;
}

/* Everybody who asked while the journal was being asked. */
static void write_roles(struct core *c, const struct task *k)
{
	for (int r = 1; r < 8; r++)
		if (k->roles & 1u << r)
			write_role(c, k->id, (enum role)r);
}

static struct late *late_of(struct core *c, uint64_t task)
{
	for (size_t i = 0; i < c->late.n; i++)
		if (c->late.at[i].task == task)
			return &c->late.at[i];
	return NULL;
}

static void absent(struct core *c, uint32_t n)
{
	struct task *k = at(c, n);
	struct orphan *o = orphan_of(c, k->id);
	struct late *l = late_of(c, k->id);

	k->state = TASK_DROPPED;
	if (l) {
		c->stats.found++;
		resolve(c, n, TASK_DONE, 0, (struct view){ l->output, l->n });
	} else if (o && peer_of(c, o->peer)) {
		put_in_hand(c, n, o->peer, o->attempt);
		forget_orphan(c, o);
	} else {
		make_ready(c, n, 0);
	}
}

static void on_found(struct core *c, const struct event *ev)
{
	struct task *k = at(c, ev->lookup);

	assert(k->state == TASK_LOOKING);
	c->looking--;
	if (!k->refs) { /* its questions were settled meanwhile */
		tasks_remove(c->tasks, ev->lookup);
		return;
	}
	k->id = ev->task;
	if (!k->id)
		write_task(c, ev->lookup);
	write_roles(c, k);
	if (ev->state == FACT_PENDING) {
		absent(c, ev->lookup);
		return;
	}
	k->state = TASK_DROPPED;
	c->stats.found++;
	if (ev->state == FACT_OUTPUT)
		resolve(c, ev->lookup, TASK_DONE, 0, ev->output);
	else
		resolve(c, ev->lookup, TASK_FAILED, ev->code, ev->text);
}

/* A worker holds an attempt that this epoch may not know (yet). */
static void adopt(struct core *c, uint32_t peer, const struct held *h)
{
	uint32_t n = tasks_by_id(c->tasks, h->task);
	struct orphan *o;

	if (n == NO_TASK) {
		o = VEC_PUSH(c, c->orphan);
		if (o)
			*o = (struct orphan){ h->task, h->attempt, peer };
	} else if ((at(c, n)->state == TASK_READY || at(c, n)->state == TASK_WAITING) &&
		   !(at(c, n)->spent && h->attempt <= at(c, n)->attempt)) {
		detach(c, n);
		put_in_hand(c, n, peer,
			    h->attempt > at(c, n)->attempt ? h->attempt
							   : at(c, n)->attempt);
	} else if (at(c, n)->state == TASK_LEASED && at(c, n)->peer == peer) {
		if (h->attempt > at(c, n)->attempt) /* it holds two of them */
			at(c, n)->attempt = h->attempt;
	} else {
		tell(c, ACTION_CANCEL, peer, h->task, h->attempt);
	}
}

static void on_hello(struct core *c, const struct event *ev)
{
	struct peer *p;

	while (c->peer.n <= ev->peer)
		if (!VEC_PUSH(c, c->peer))
			return;
	p = &c->peer.at[ev->peer];
	if (p->known)
		empty_hand(c, ev->peer, 0, "");
	p = &c->peer.at[ev->peer];
	p->known = 1;
	p->heard_ms = c->now;
	memcpy(p->slots, ev->slots, sizeof p->slots);
	for (size_t i = 0; i < ev->nheld; i++)
		adopt(c, ev->peer, &ev->held[i]);
}

static uint32_t in_hand(const struct core *c, uint32_t peer, uint64_t id)
{
	uint32_t n = c->peer.at[peer].hand.first;

	while (n && at(c, n)->id != id)
		n = at(c, n)->next;
	return n;
}

static void on_renew(struct core *c, const struct event *ev)
{
	if (!peer_of(c, ev->peer)) {
		tell(c, ACTION_REJOIN, ev->peer, 0, 0);
		return;
	}
	c->peer.at[ev->peer].heard_ms = c->now;
	for (size_t i = 0; i < ev->nheld; i++) {
		uint32_t n = in_hand(c, ev->peer, ev->held[i].task);

		if (n)
			at(c, n)->due_ms = c->now + c->cfg.lease_ms;
		else if (!orphan_of(c, ev->held[i].task))
			tell(c, ACTION_CANCEL, ev->peer, ev->held[i].task,
			     ev->held[i].attempt);
	}
}

static void write_result(struct core *c, enum action_kind kind, const struct event *ev,
			 uint32_t n)
{
	struct action *a = act_write(c, kind);

	if (n != NO_TASK) {
		a->task_kind = (enum kind)at(c, n)->kind;
		a->spec = keep(c, tasks_spec(c->tasks, n));
	}
	a->peer = ev->peer;
	a->task = ev->task;
	a->attempt = ev->attempt;
	a->output = ev->output;
	a->call = ev->call;
	a->ncall = ev->ncall;
	a->spent_us = ev->spent_us;
}

static void accept(struct core *c, uint32_t n, const struct event *ev)
{
	struct task *k = at(c, n);

	write_result(c, ACTION_OUTPUT, ev, n);
	if (k->state == TASK_LEASED && k->peer != ev->peer)
		tell(c, ACTION_CANCEL, k->peer, k->id, k->attempt);
	c->stats.outputs++;
	if (lane_of(k) == LANE_MODEL) {
		c->answers++;
		c->mute = 0;
	}
	resolve(c, n, TASK_DONE, 0, ev->output);
	k->peer = ev->peer;
	k->attempt = ev->attempt; /* the one that is kept; no other follows */
	if (!k->refs)
		rest(c, n);
}

static void keep_late(struct core *c, const struct event *ev)
{
	struct late *l = late_of(c, ev->task) ? NULL : VEC_PUSH(c, c->late);

	if (!l)
		return;
	l->task = ev->task;
	l->output = mem_dup(ev->output.p, ev->output.n);
	l->n = ev->output.n;
	if (!l->output)
		c->nomem = 1;
}

static void unknown_result(struct core *c, const struct event *ev)
{
	struct orphan *o = orphan_of(c, ev->task);

	if (o && !ev->code)
		keep_late(c, ev);
	if (o)
		forget_orphan(c, o);
	c->stats.orphans++;
	if (ev->code == 0)
		write_result(c, ACTION_ORPHAN, ev, NO_TASK);
	else if (ev->ncall)
		write_result(c, ACTION_CALLS, ev, NO_TASK);
	tell(c, ACTION_ACK, ev->peer, ev->task, ev->attempt);
}

/* A model server that answers nobody is no fault of the task that was tried last. */
static int nobody_answers(struct core *c, const struct task *k, const struct event *ev)
{
	struct task tried = *k;
	unsigned pause_ms;

	if (ev->code != ERR_NET || lane_of(k) != LANE_MODEL)
		return 0;
	c->mute++;
	tried.failures++;
	if (may_retry(&tried, ev->code, &pause_ms) || (c->answers && c->mute < MUTE))
		return 0;
	c->unreachable = 1;
	return 1;
}

/* Out of quota, or not let in: no fault of the task, and the next would fare no better.
 * Nothing is leased any more, and nothing is held against the question. */
static void pause_all(struct core *c, uint32_t n, const struct event *ev)
{
	c->stopped = 1;
	if (ev->ncall)
		write_result(c, ACTION_CALLS, ev, NO_TASK);
	let_go(c, n);
	make_ready(c, n, 1);
}

static void on_result(struct core *c, const struct event *ev)
{
	uint32_t n;
	struct task *k;

	if (!peer_of(c, ev->peer)) {
		tell(c, ACTION_REJOIN, ev->peer, 0, 0);
		return;
	}
	c->peer.at[ev->peer].heard_ms = c->now;
	n = in_hand(c, ev->peer, ev->task);
	if (!n)
		n = tasks_by_id(c->tasks, ev->task);
	if (!n) {
		unknown_result(c, ev);
		return;
	}
	k = at(c, n);
	if (k->state == TASK_DONE && !ev->code && k->peer == ev->peer &&
	    k->attempt == ev->attempt) { /* the one that is kept, said again */
		tell(c, ACTION_ACK, ev->peer, ev->task, ev->attempt);
		return;
	}
	if (k->state == TASK_DONE || k->state == TASK_FAILED ||
	    (ev->code && (k->state != TASK_LEASED || k->peer != ev->peer ||
			  k->attempt != ev->attempt))) {
		c->stats.stale++;
		if (ev->ncall)
			write_result(c, ACTION_CALLS, ev, NO_TASK);
		tell(c, ACTION_STALE, ev->peer, ev->task, ev->attempt);
		return;
	}
	if (ev->code == ERR_LIMIT || ev->code == ERR_REFUSED ||
	    ev->code == ERR_SANDBOX || /* no query can run there: no question's fault */
	    nobody_answers(c, k, ev))
		pause_all(c, n, ev);
	else if (ev->code)
		fail(c, n, ev);
	else
		accept(c, n, ev);
	tell(c, ACTION_ACK, ev->peer, ev->task, ev->attempt);
}

static void on_return(struct core *c, const struct event *ev)
{
	if (!peer_of(c, ev->peer))
		return;
	for (size_t i = 0; i < ev->nheld; i++) {
		uint32_t n = in_hand(c, ev->peer, ev->held[i].task);

		if (!n || at(c, n)->attempt != ev->held[i].attempt)
			continue;
		let_go(c, n);
		make_ready(c, n, 1);
		c->stats.returned++;
	}
}

static void lose_peer(struct core *c, uint32_t peer, int death, const char *what)
{
	empty_hand(c, peer, death, what);
	c->peer.at[peer].known = 0;
	memset(c->peer.at[peer].slots, 0, sizeof c->peer.at[peer].slots);
	for (size_t i = c->orphan.n; i-- > 0;)
		if (c->orphan.at[i].peer == peer)
			forget_orphan(c, &c->orphan.at[i]);
}

static void on_gone(struct core *c, const struct event *ev, int death)
{
	if (peer_of(c, ev->peer))
		lose_peer(c, ev->peer, death, "its worker died");
}

static void on_committed(struct core *c, uint64_t seq)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->resting.n; i++) {
		struct resting r = c->resting.at[i];
		struct task *k = at(c, r.task);

		if (r.seq <= seq && k->again) {
			k->again = 0;
			r.seq = c->seq;
		}
		if (r.seq > seq) {
			c->resting.at[kept++] = r;
			continue;
		}
		k->rests = 0;
		if (!k->refs)
			tasks_remove(c->tasks, r.task);
	}
	c->resting.n = kept;
}

/* A worker that speaks and does not name an attempt never got it, or has lost it. */
static void expire_lease(struct core *c, uint32_t peer, uint32_t n)
{
	tell(c, ACTION_CANCEL, peer, at(c, n)->id, at(c, n)->attempt);
	let_go(c, n);
	c->stats.expired++;
	make_ready(c, n, 0);
}

/* A worker that says nothing has died, as far as one can see: it loses all that it
 * holds, and gets nothing until it says HELLO again. */
static void expire_peer(struct core *c, uint32_t peer)
{
	for (uint32_t n = c->peer.at[peer].hand.first; n; n = at(c, n)->next) {
		tell(c, ACTION_CANCEL, peer, at(c, n)->id, at(c, n)->attempt);
		c->stats.expired++;
	}
	lose_peer(c, peer, 1, "its lease ran out: the worker went quiet");
}

static void expire_leases(struct core *c, uint32_t peer)
{
	struct peer *p = &c->peer.at[peer];
	uint32_t n = p->hand.first;

	if (p->known && p->heard_ms + c->cfg.lease_ms <= c->now) {
		expire_peer(c, peer);
		return;
	}
	while (n) {
		uint32_t next = at(c, n)->next;

		if (at(c, n)->due_ms <= c->now)
			expire_lease(c, peer, n);
		n = next;
	}
}

/* Ticks that were late are our own fault, not the workers': what they said meanwhile
 * may still be waiting to be read. */
static void forgive(struct core *c)
{
	uint64_t away = c->now - c->tick_ms;

	if (!c->tick_ms || away < c->cfg.lease_ms / 3)
		away = 0;
	c->tick_ms = c->now;
	for (size_t i = 0; away && i < c->peer.n; i++) {
		c->peer.at[i].heard_ms += away;
		for (uint32_t n = c->peer.at[i].hand.first; n; n = at(c, n)->next)
			at(c, n)->due_ms += away;
	}
}

static void on_tick(struct core *c)
{
	uint32_t n = c->waiting.first;

	while (n) {
		uint32_t next = at(c, n)->next;

		if (at(c, n)->due_ms <= c->now) {
			list_remove(c->tasks, &c->waiting, n);
			make_ready(c, n, 1);
		}
		n = next;
	}
	forgive(c);
	for (uint32_t i = 0; i < c->peer.n; i++)
		expire_leases(c, i);
}

static void dispatch(struct core *c, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_START:
		c->phase_units = (uint32_t)c->work.n;
		c->topics = (uint32_t)c->topic.n;
		c->announced = 0;
		break;
	case EVENT_FOUND: on_found(c, ev); break;
	case EVENT_HELLO: on_hello(c, ev); break;
	case EVENT_RENEW: on_renew(c, ev); break;
	case EVENT_RESULT: on_result(c, ev); break;
	case EVENT_RETURN: on_return(c, ev); break;
	case EVENT_BYE: on_gone(c, ev, 0); break;
	case EVENT_LOST: on_gone(c, ev, 1); break;
	case EVENT_COMMITTED: on_committed(c, ev->seq); break;
	case EVENT_TICK: on_tick(c); break;
	case EVENT_STOP: c->stopped = 1; break;
	}
}

/* A step that did very much must not leave its list's size behind for ever. */
static void forget_actions(struct core *c)
{
	if (c->action.cap > ACTIONS_KEPT) {
		mem_free(c->action.at);
		c->action.at = NULL;
		c->action.cap = 0;
	}
	c->action.n = 0;
	arena_reset(&c->bytes);
}

int core_step(struct core *c, const struct event *ev, uint64_t now_ms,
	      const struct action **ret, size_t *ret_n)
{
	forget_actions(c);
	c->now = now_ms;
	dispatch(c, ev);
	plan_marked(c);
	start_questions(c);
	pump(c);
	if (c->stats.units_done == c->phase_units && !c->announced) {
		c->announced = 1;
		act(c, ACTION_DONE);
	}
	if (c->nomem)
		return ERR_NOMEM;
	*ret = c->action.at;
	*ret_n = c->action.n;
	return 0;
}

int core_unreachable(const struct core *c)
{
	return c->unreachable;
}

/* ---- what people see ------------------------------------------------------------- */

void core_stats(const struct core *c, struct core_stats *ret)
{
	*ret = c->stats;
	ret->units = c->phase_units;
	ret->questions = c->topics;
	ret->active = c->active;
	ret->looking = c->looking;
	ret->waiting = c->waiting.n;
	for (int l = 0; l < LANES; l++)
		ret->ready[l] = c->fresh[l].n + c->started[l].n;
	for (size_t i = 0; i < c->peer.n; i++) {
		ret->peers += c->peer.at[i].known;
		for (int l = 0; l < LANES; l++)
			ret->leased[l] += c->peer.at[i].used[l];
	}
	ret->memory = tasks_memory(c->tasks) + c->wait.cap * sizeof *c->wait.at;
}

static uint32_t count_list(const struct core *c, const struct task_list *l,
			   enum task_state state, int *ok)
{
	uint32_t n = 0;

	for (uint32_t i = l->first; i; i = at(c, i)->next, n++)
		*ok &= at(c, i)->state == state;
	*ok &= n == l->n;
	return n;
}

static int check_peer(const struct core *c, const struct peer *p)
{
	uint32_t used[LANES] = { 0 };
	int ok = 1;

	count_list(c, &p->hand, TASK_LEASED, &ok);
	for (uint32_t i = p->hand.first; i; i = at(c, i)->next)
		used[lane_of(at(c, i))]++;
	for (int l = 0; l < LANES; l++)
		ok &= used[l] == p->used[l];
	return ok;
}

int core_check(const struct core *c)
{
	uint32_t listed = 0, moving = 0;
	int ok = 1;

	for (int l = 0; l < LANES; l++)
		listed += count_list(c, &c->fresh[l], TASK_READY, &ok) +
			  count_list(c, &c->started[l], TASK_READY, &ok);
	listed += count_list(c, &c->waiting, TASK_WAITING, &ok);
	for (size_t i = 0; i < c->peer.n; i++) {
		ok &= check_peer(c, &c->peer.at[i]);
		listed += c->peer.at[i].hand.n;
	}
	for (uint32_t i = 1; i < tasks_most(c->tasks); i++)
		if (tasks_live(c->tasks, i)) {
			int s = at(c, i)->state;

			moving += s == TASK_READY || s == TASK_LEASED ||
				  s == TASK_WAITING;
			ok &= at(c, i)->waits || (s != TASK_READY && s != TASK_WAITING);
		}
	return ok && listed == moving;
}
