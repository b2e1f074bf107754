/* sqlpool.c - see sqlpool.h
 *
 * A request is in exactly one place: the queue, or the line of the child that has it.
 *
 *     queue --[feed]--> child's line --[take_reply]--> called back
 *                            |
 *                            +--[withdraw: what waits behind a long one]--> queue
 *                            +--[bury: the one that ran]--> called back with a failure
 *                            +--[bury: the others]--> front of the queue
 *
 * A child is buried when the zygote says that it is gone, not when its socket closes:
 * so it is known what it died of, and no process is left when its request is answered.
 */
#include "worker/sqlpool.h"

#include "common/base/clock.h"
#include "common/base/mem.h"
#include "worker/sqlwire.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEPTH = 16,          /* requests a child may have */
	AHEAD_NS = 16000000, /* of work that a child should have */
	TICK_MS = 20,
	STUCK_MS = 60,     /* a request that ran so long holds up those behind it */
	STILLBORN_MAX = 3, /* children in a row that ended before they were ready */
};

struct job {
	struct job *next;
	sqlpool_fn *call;
	void *arg;
	uint64_t id; /* the caller's; head.seq is new each time it is sent */
	int cancelled;
	int ghost; /* keeps the place of one that was given to another child */
	uint64_t wall_ms;
	struct hash db;
	int db_fd;
	struct sqlwire_request head; /* what follows lies behind the struct */
	unsigned char body[];
};

struct line {
	struct job *first, **last;
	uint32_t n;
};

enum life { GONE, BORN, READY, DYING };

struct child {
	struct sqlpool *pool;
	uint32_t place;
	enum life life;
	pid_t pid; /* 0: the zygote has not said yet */
	int fd;
	uv_poll_t poll;
	int polled; /* events asked for; 0: the handle is closed or closing */
	struct line line;
	struct buf out;
	size_t out_at;
	struct buf in;
	struct hash held[SQLWIRE_PLACES]; /* the databases it has open */
	uint64_t held_at[SQLWIRE_PLACES]; /* when last used; 0: free */
	uint64_t seen, since;             /* what it runs, and since when we know */
	uint64_t mean_ns;
	int timed_out;
};

struct sqlpool {
	uv_loop_t *loop;
	struct sqlzygote *zygote;
	uint64_t memory;
	uv_poll_t news;
	uv_timer_t timer;
	uv_prepare_t prepare;
	unsigned closing; /* handles of a freed pool that are still open */
	int freed, broken;
	char why[400];
	struct line queue;
	uint64_t ids, seq, uses;
	unsigned stillborn;
	struct sqlpool_stats stats;
	uint32_t n;
	struct child child[];
};

/* ---- lines ---- */

static void line_init(struct line *l)
{
	*l = (struct line){ .last = &l->first };
}

static void line_add(struct line *l, struct job *j)
{
	j->next = NULL;
	*l->last = j;
	l->last = &j->next;
	l->n++;
}

static struct job *line_take(struct line *l)
{
	struct job *j = l->first;

	if (!j)
		return NULL;
	l->first = j->next;
	if (!l->first)
		l->last = &l->first;
	l->n--;
	return j;
}

/* All of `from` before what is in `to`. */
static void line_put_before(struct line *to, struct line *from)
{
	if (!from->n)
		return;
	*from->last = to->first;
	if (!to->first)
		to->last = from->last;
	to->first = from->first;
	to->n += from->n;
	line_init(from);
}

/* ---- answers ---- */

static void answer(struct sqlpool *p, struct job *j, const struct sql_reply *r)
{
	p->stats.done += !j->ghost;
	p->stats.cpu_ns += r->cpu_ns;
	if (!j->cancelled)
		j->call(j->arg, r);
	mem_free(j);
}

static void fail(struct sqlpool *p, struct job *j, int code, const char *text)
{
	struct sql_reply r = { .code = code, .text = text, .output = { "", 0 } };

	answer(p, j, &r);
}

/* ---- sending ---- */

static void watch(struct child *k, int events);

/* 0 when the socket is full or the child is gone; its burial comes by the zygote. */
static int drain_out(struct child *k)
{
	while (k->out_at < k->out.n) {
		ssize_t n = send(k->fd, k->out.p + k->out_at, k->out.n - k->out_at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return 0;
		k->out_at += (size_t)n;
	}
	buf_clear(&k->out);
	k->out_at = 0;
	return 1;
}

/* Sends what waits, whose first bytes carry `fd`. */
static int send_with(struct child *k, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec v = { k->out.p, k->out.n };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	ssize_t n;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	do
		n = sendmsg(k->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return 0;
	k->out_at = (size_t)n;
	return 1;
}

/* Where in the child's table the database is or shall be; `ret_new` 1: it must be sent.
 */
static uint32_t place_of(struct child *k, const struct hash *db, int *ret_new)
{
	uint32_t oldest = 0;

	*ret_new = 0;
	for (uint32_t i = 0; i < SQLWIRE_PLACES; i++) {
		if (k->held_at[i] && hash_eq(&k->held[i], db))
			return i;
		if (k->held_at[i] < k->held_at[oldest])
			oldest = i;
	}
	*ret_new = 1;
	return oldest;
}

static void add_frame(struct child *k, const struct job *j)
{
	static const char zeros[8];
	size_t n = (size_t)j->head.sql_n + j->head.other_n + 2;

	buf_add(&k->out, &j->head, sizeof j->head);
	buf_add(&k->out, j->body, n);
	buf_add(&k->out, zeros, j->head.size - sizeof j->head - n);
}

/* 1 when the job is on its way (it may be in `out` yet). */
static int send_job(struct child *k, struct job *j)
{
	int is_new;
	uint32_t place = place_of(k, &j->db, &is_new);

	j->head.seq = ++k->pool->seq;
	j->head.place = place;
	j->head.has_fd = (uint32_t)is_new;
	if (is_new && !drain_out(k))
		return 0;
	add_frame(k, j);
	if (k->out.bad || (is_new && !send_with(k, j->db_fd))) {
		buf_clear(&k->out);
		return 0;
	}
	k->held[place] = j->db;
	k->held_at[place] = ++k->pool->uses;
	line_add(&k->line, j);
	return 1;
}

/* How many requests keep a child busy for a while; long ones are not lined up, so that
 * another child can take them. */
static uint32_t depth_of(const struct child *k)
{
	uint64_t n = AHEAD_NS / (k->mean_ns + 1);

	return n < 2 ? 2 : n > DEPTH ? DEPTH : (uint32_t)n;
}

static struct child *idlest(struct sqlpool *p)
{
	struct child *best = NULL;

	for (uint32_t i = 0; i < p->n; i++) {
		struct child *k = &p->child[i];

		if (k->life == READY && k->line.n < depth_of(k) &&
		    (!best || k->line.n < best->line.n))
			best = k;
	}
	return best;
}

static void feed(struct sqlpool *p)
{
	struct child *k;
	struct job *j;

	while (p->queue.first && (k = idlest(p))) {
		j = line_take(&p->queue);
		if (!send_job(k, j)) {
			struct line one;

			line_init(&one);
			line_add(&one, j);
			line_put_before(&p->queue, &one);
			break;
		}
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->child[i].life == READY && p->child[i].out.n) {
			int all = drain_out(&p->child[i]);

			watch(&p->child[i],
			      all ? UV_READABLE : UV_READABLE | UV_WRITABLE);
		}
}

/* ---- receiving ---- */

static void end_child(struct child *k)
{
	if (k->life == GONE || k->life == DYING)
		return;
	k->life = DYING;
	if (k->pid)
		sqlzygote_kill(k->pool->zygote, k->pid);
}

static void keep_why(struct sqlpool *p, const char *text, size_t n)
{
	snprintf(p->why, sizeof p->why, "%.*s", (int)n, text);
}

static void take_ready(struct child *k, const struct sqlwire_reply *r)
{
	if (r->code) {
		keep_why(k->pool, (const char *)(r + 1), r->n);
		return;
	}
	k->pool->stillborn = 0;
	if (k->life == BORN)
		k->life = READY;
}

static void take_reply(struct child *k, const struct sqlwire_reply *r)
{
	struct job *j;
	struct sql_reply reply = { .code = r->code, .text = "", .cpu_ns = r->cpu_ns };
	char text[1000];

	if (r->seq == 0) {
		take_ready(k, r);
		return;
	}
	if (!k->line.first || k->line.first->head.seq != r->seq) {
		end_child(k); /* nothing that it says can be trusted */
		return;
	}
	j = line_take(&k->line);
	if (!j->ghost)
		k->mean_ns = (3 * k->mean_ns + r->cpu_ns) / 4;
	reply.output = (struct view){ (const char *)(r + 1), r->n };
	if (r->code) {
		snprintf(text, sizeof text, "%.*s", (int)r->n, (const char *)(r + 1));
		reply.text = text;
		reply.output = (struct view){ "", 0 };
	}
	answer(k->pool, j, &reply);
}

/* All whole replies in `in`. A callback may free the pool. */
static void take_replies(struct child *k)
{
	struct sqlpool *p = k->pool;
	struct buf in = k->in; /* a callback may lead back here */
	size_t at = 0;

	k->in = (struct buf){ 0 };
	while (!p->freed && in.n - at >= sizeof(struct sqlwire_reply)) {
		const struct sqlwire_reply *r = (const void *)(in.p + at);

		if (r->size < sizeof *r || r->n > r->size - sizeof *r) {
			end_child(k);
			break;
		}
		if (in.n - at < r->size)
			break;
		take_reply(k, r);
		at += r->size;
	}
	if (p->freed) {
		buf_free(&in);
		return;
	}
	memmove(in.p, in.p + at, in.n - at);
	in.n -= at;
	k->in = in;
}

static void receive(struct child *k)
{
	static char bytes[64 << 10];
	ssize_t n;

	for (;;) {
		n = recv(k->fd, bytes, sizeof bytes, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf_add(&k->in, bytes, (size_t)n);
		if ((size_t)n < sizeof bytes)
			break;
	}
	if (k->in.n)
		take_replies(k);
}

static void on_socket(uv_poll_t *h, int status, int events)
{
	struct child *k = h->data;
	struct sqlpool *p = k->pool;

	if (status < 0 || events & UV_DISCONNECT) {
		uv_poll_stop(h); /* bury() reads what it wrote before */
		end_child(k);
		return;
	}
	if (events & UV_READABLE)
		receive(k);
	if (!p->freed && events & UV_WRITABLE && drain_out(k))
		watch(k, UV_READABLE);
}

static void watch(struct child *k, int events)
{
	if (k->polled == events || k->life == DYING)
		return;
	uv_poll_start(&k->poll, events | UV_DISCONNECT, on_socket);
	k->polled = events;
}

/* ---- birth and death ---- */

static int new_socket(struct child *k, int *ret_theirs)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return ERR_SANDBOX;
	if (uv_poll_init(k->pool->loop, &k->poll, pair[0])) {
		close(pair[0]);
		close(pair[1]);
		return ERR_SANDBOX;
	}
	k->fd = pair[0];
	k->poll.data = k;
	uv_unref((uv_handle_t *)&k->poll);
	*ret_theirs = pair[1];
	return 0;
}

static int birth(struct child *k)
{
	struct sqlpool *p = k->pool;
	int theirs, r = new_socket(k, &theirs);

	if (r)
		return r;
	k->life = BORN;
	k->pid = 0;
	k->timed_out = 0;
	k->seen = 0;
	k->mean_ns = AHEAD_NS / 8;
	memset(k->held_at, 0, sizeof k->held_at);
	k->polled = UV_READABLE;
	uv_poll_start(&k->poll, UV_READABLE | UV_DISCONNECT, on_socket);
	p->stats.spawned++;
	/* Behind the heap's limit: that, a digest's set as it grows, and all else. */
	r = sqlzygote_spawn(p->zygote, k->place, theirs, 3 * p->memory + (512 << 20));
	close(theirs);
	return r;
}

static void break_pool(struct sqlpool *p, const char *why)
{
	struct job *j;

	p->broken = 1;
	if (!p->why[0])
		keep_why(p, why, strlen(why));
	while (!p->freed && (j = line_take(&p->queue)))
		fail(p, j, ERR_SANDBOX, p->why);
}

static void cause(const struct child *k, int status, char *ret, size_t n)
{
	const char *hint = "";

	if (!WIFSIGNALED(status)) {
		snprintf(ret, n, "the SQL child ended with exit code %d",
			 WEXITSTATUS(status));
		return;
	}
	if (WTERMSIG(status) == SIGSYS)
		hint = ": it tried what the sandbox forbids";
	else if (WTERMSIG(status) == SIGKILL && !k->timed_out)
		hint = ": the system may be out of memory";
	snprintf(ret, n, "the SQL child was ended by signal %d (%s)%s",
		 WTERMSIG(status), strsignal(WTERMSIG(status)), hint);
}

/* The job that ran when the child ended, out of its line; NULL: none did. */
static struct job *take_running(struct child *k)
{
	uint64_t seq = sqlzygote_running(k->pool->zygote, k->place);
	struct line rest;
	struct job *j, *found = NULL;

	line_init(&rest);
	while ((j = line_take(&k->line)))
		if (j->head.seq == seq)
			found = j;
		else
			line_add(&rest, j);
	line_init(&k->line);
	line_put_before(&k->line, &rest);
	return found;
}

static void fail_running(struct child *k, struct job *j, int status)
{
	struct sqlpool *p = k->pool;
	char text[200];

	if (k->timed_out) {
		p->stats.timeouts++;
		snprintf(text, sizeof text, "no answer within %llu ms of wall clock",
			 (unsigned long long)j->wall_ms);
		fail(p, j, ERR_TIMEOUT, text);
		return;
	}
	p->stats.deaths++;
	cause(k, status, text, sizeof text);
	fail(p, j, ERR_DEATH, text);
}

/* Gives the line back to the queue, without what was cancelled. */
static void requeue(struct child *k)
{
	struct line keep;
	struct job *j;

	line_init(&keep);
	while ((j = line_take(&k->line)))
		if (j->cancelled)
			mem_free(j);
		else
			line_add(&keep, j);
	k->pool->stats.requeued += keep.n;
	line_put_before(&k->pool->queue, &keep);
}

static void child_closed(uv_handle_t *h)
{
	struct child *k = h->data;
	struct sqlpool *p = k->pool;

	close(k->fd);
	if (--p->closing == 0 && p->freed)
		mem_free(p);
	else if (!p->freed && !p->broken && p->stillborn < STILLBORN_MAX)
		p->stillborn += birth(k) != 0;
}

static void close_socket(struct child *k)
{
	k->life = GONE;
	k->polled = 0;
	buf_free(&k->in);
	buf_free(&k->out);
	k->out_at = 0;
	k->pool->closing++;
	uv_close((uv_handle_t *)&k->poll, child_closed);
}

static void bury(struct child *k, int status)
{
	struct sqlpool *p = k->pool;
	struct job *running;

	receive(k); /* what it said before */
	if (p->freed)
		return;
	running = take_running(k);
	requeue(k);
	p->stillborn += !running && !k->timed_out;
	if (!running && !p->why[0])
		cause(k, status, p->why, sizeof p->why);
	close_socket(k); /* the next is born when the handle is closed */
	if (running)
		fail_running(k, running, status);
}

/* Its children are gone with it, or will be at once. */
static void lose_zygote(struct sqlpool *p)
{
	uv_poll_stop(&p->news);
	p->broken = 1;
	p->stats.lost = 1;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->child[i].life != GONE) {
			requeue(&p->child[i]);
			close_socket(&p->child[i]);
		}
	break_pool(p, "the SQL zygote is gone");
}

static void on_news(uv_poll_t *h, int status, int events)
{
	struct sqlpool *p = h->data;
	struct sqlzygote_news news;
	int r = status < 0 ? -1 : 0;

	(void)events;
	while (r >= 0 && !p->freed && (r = sqlzygote_read(p->zygote, &news)) > 0) {
		struct child *k = news.place < p->n ? &p->child[news.place] : NULL;

		if (!k || k->life == GONE)
			continue;
		if (!news.ended) {
			k->pid = news.pid;
			if (k->life == DYING)
				sqlzygote_kill(p->zygote, k->pid);
		} else if (k->pid == news.pid) {
			bury(k, news.status);
		}
	}
	if (r < 0 && !p->freed)
		lose_zygote(p);
}

/* ---- time ---- */

static const struct job *running_job(const struct child *k, uint64_t seq)
{
	for (const struct job *j = k->line.first; j; j = j->next)
		if (j->head.seq == seq)
			return j;
	return NULL;
}

static void look_at_clock(struct child *k, uint64_t now)
{
	uint64_t seq = sqlzygote_running(k->pool->zygote, k->place);
	const struct job *j;

	if (seq != k->seen) {
		k->seen = seq;
		k->since = now;
		return;
	}
	j = seq ? running_job(k, seq) : NULL;
	if (!j || now - k->since < j->wall_ms)
		return;
	k->timed_out = 1;
	end_child(k);
}

static struct job *ghost_of(const struct job *j)
{
	struct job *g = mem_alloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->cancelled = g->ghost = 1;
	g->wall_ms = j->wall_ms;
	g->head.seq = j->head.seq;
	return g;
}

/* What waits behind the request that runs goes back to the queue. */
static void withdraw(struct child *k, uint64_t running)
{
	struct line keep, back;
	struct job *j, *g;
	uint64_t last = 0;

	line_init(&keep);
	line_init(&back);
	while ((j = line_take(&k->line))) {
		last = j->head.seq;
		g = last > running && !j->cancelled ? ghost_of(j) : NULL;
		line_add(&keep, g ? g : j);
		if (g)
			line_add(&back, j);
	}
	line_init(&k->line);
	line_put_before(&k->line, &keep);
	sqlzygote_skip(k->pool->zygote, k->place, last);
	k->pool->stats.requeued += back.n;
	line_put_before(&k->pool->queue, &back);
}

static int somebody_idles(const struct sqlpool *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->child[i].life == READY && p->child[i].line.n == 0)
			return 1;
	return 0;
}

static void share_work(struct sqlpool *p, uint64_t now)
{
	if (p->queue.n || !somebody_idles(p))
		return;
	for (uint32_t i = 0; i < p->n; i++) {
		struct child *k = &p->child[i];

		if (k->life == READY && k->line.n > 1 && k->seen &&
		    now - k->since >= STUCK_MS)
			withdraw(k, k->seen);
	}
}

static uint32_t outstanding(const struct sqlpool *p)
{
	uint32_t n = p->queue.n;

	for (uint32_t i = 0; i < p->n; i++)
		n += p->child[i].line.n;
	return n;
}

static void on_tick(uv_timer_t *t)
{
	struct sqlpool *p = t->data;
	uint64_t now = clock_ms();

	if (!outstanding(p)) {
		uv_timer_stop(t);
		return;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->child[i].life == READY)
			look_at_clock(&p->child[i], now);
	share_work(p, now);
}

static int is_barren(const struct sqlpool *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->child[i].life != GONE)
			return 0;
	return p->closing == 0;
}

/* Before the loop sleeps: all that was submitted since goes out at once. */
static void on_prepare(uv_prepare_t *h)
{
	struct sqlpool *p = h->data;

	if ((p->stillborn >= STILLBORN_MAX || is_barren(p)) && !p->broken)
		break_pool(p, "no SQL child can be had");
	if (p->broken && !p->freed)
		break_pool(p, "");
	if (!p->freed)
		feed(p);
}

/* ---- the pool ---- */

static void own_closed(uv_handle_t *h)
{
	struct sqlpool *p = h->data;

	if (--p->closing == 0)
		mem_free(p);
}

static int start_handles(struct sqlpool *p)
{
	if (uv_poll_init(p->loop, &p->news, sqlzygote_fd(p->zygote)))
		return ERR_SANDBOX;
	uv_timer_init(p->loop, &p->timer);
	uv_prepare_init(p->loop, &p->prepare);
	p->news.data = p->timer.data = p->prepare.data = p;
	uv_poll_start(&p->news, UV_READABLE, on_news);
	uv_prepare_start(&p->prepare, on_prepare);
	uv_unref((uv_handle_t *)&p->news);
	uv_unref((uv_handle_t *)&p->prepare);
	return 0;
}

int sqlpool_new(uv_loop_t *loop, struct sqlzygote *z, uint32_t children,
		uint64_t memory, struct sqlpool **ret, struct err *e)
{
	struct sqlpool *p;

	if (children < 1 || children > SQLZYGOTE_CHILDREN)
		return err_set(e, ERR_RANGE, "%u SQL children: 1 to %d", children,
			       SQLZYGOTE_CHILDREN);
	p = mem_alloc(1, sizeof *p + children * sizeof *p->child);
	if (!p)
		return err_set(e, ERR_NOMEM, "no memory for the SQL pool");
	p->loop = loop;
	p->zygote = z;
	p->memory = memory;
	p->n = p->stats.children = children;
	line_init(&p->queue);
	if (start_handles(p)) {
		mem_free(p);
		return err_set(e, ERR_SANDBOX, "the loop refused the zygote's socket");
	}
	for (uint32_t i = 0; i < children; i++) {
		p->child[i].pool = p;
		p->child[i].place = i;
		line_init(&p->child[i].line);
		if (birth(&p->child[i]))
			p->stillborn++;
	}
	*ret = p;
	return 0;
}

static void drop_line(struct line *l)
{
	struct job *j;

	while ((j = line_take(l)))
		mem_free(j);
}

static void close_own(struct sqlpool *p, uv_handle_t *h)
{
	p->closing++;
	uv_close(h, own_closed);
}

void sqlpool_free(struct sqlpool **p_)
{
	struct sqlpool *p = *p_;

	if (!p)
		return;
	p->freed = 1;
	drop_line(&p->queue);
	for (uint32_t i = 0; i < p->n; i++) {
		struct child *k = &p->child[i];

		end_child(k);
		drop_line(&k->line);
		if (k->life != GONE)
			close_socket(k);
	}
	close_own(p, (uv_handle_t *)&p->news);
	close_own(p, (uv_handle_t *)&p->timer);
	close_own(p, (uv_handle_t *)&p->prepare);
	*p_ = NULL;
}

static struct job *new_job(const struct sql_request *r)
{
	size_t n = r->sql.n + r->other.n + 2,
	       frame = sqlwire_round(sizeof(struct sqlwire_request) + n);
	struct job *j = frame <= SQLWIRE_MAX ? mem_alloc(1, sizeof *j + n) : NULL;

	if (!j)
		return NULL;
	j->wall_ms = r->wall_ms;
	j->db = r->db;
	j->db_fd = r->db_fd;
	j->head = (struct sqlwire_request){ .size = (uint32_t)frame,
					    .op = r->op,
					    .limits = r->limits,
					    .clock_ms = r->clock_ms,
					    .digests = r->digests,
					    .text = r->text,
					    .ordered = r->ordered != 0,
					    .call = r->call,
					    .sql_n = (uint32_t)r->sql.n,
					    .other_n = (uint32_t)r->other.n };
	if (r->sql.n)
		memcpy(j->body, r->sql.p, r->sql.n);
	if (r->other.n)
		memcpy(j->body + r->sql.n + 1, r->other.p, r->other.n);
	return j;
}

int sqlpool_submit(struct sqlpool *p, const struct sql_request *r, sqlpool_fn *call,
		   void *arg, uint64_t *ret_id)
{
	struct job *j;

	if (p->broken)
		return ERR_SANDBOX;
	j = new_job(r);
	if (!j)
		return ERR_NOMEM;
	j->call = call;
	j->arg = arg;
	j->id = ++p->ids;
	line_add(&p->queue, j);
	if (ret_id)
		*ret_id = j->id;
	if (!uv_is_active((uv_handle_t *)&p->timer))
		uv_timer_start(&p->timer, on_tick, TICK_MS, TICK_MS);
	return 0;
}

static int forget_queued(struct line *l, uint64_t id)
{
	struct line keep;
	struct job *j;
	int found = 0;

	line_init(&keep);
	while ((j = line_take(l)))
		if (j->id == id) {
			mem_free(j);
			found = 1;
		} else {
			line_add(&keep, j);
		}
	line_init(l);
	line_put_before(l, &keep);
	return found;
}

int sqlpool_cancel(struct sqlpool *p, uint64_t id)
{
	if (forget_queued(&p->queue, id))
		return 1;
	for (uint32_t i = 0; i < p->n; i++)
		for (struct job *j = p->child[i].line.first; j; j = j->next)
			if (j->id == id && !j->cancelled) {
				j->cancelled = 1;
				/* It may run for long, and for nobody. */
				if (sqlzygote_running(p->zygote, i) == j->head.seq &&
				    p->child[i].mean_ns > AHEAD_NS)
					end_child(&p->child[i]);
				return 1;
			}
	return 0;
}

void sqlpool_stats(const struct sqlpool *p, struct sqlpool_stats *ret)
{
	*ret = p->stats;
	ret->queued = p->queue.n;
	ret->running = outstanding(p) - p->queue.n;
}
