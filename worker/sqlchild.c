/* sqlchild.c - see sqlchild.h
 *
 * Replies are held back while they are few and fresh, so that pool and child do not
 * wake each other for every query. What a child is at stands in shared memory: a query
 * is never blamed for the one after it. A reply that is lost with the child is made
 * again.
 */
#include "worker/sqlchild.h"

#include "common/base/clock.h"
#include "common/base/mem.h"
#include "worker/sqlbox.h"
#include "worker/sqlexec.h"
#include "worker/sqlrun.h"
#include "worker/sqlvfs.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	HOLD_REPLIES = 32,
	HOLD_NS = 4000000,
	HOLD_BYTES = 32 << 10,
	READ_BYTES = 64 << 10,
	FDS = 32, /* that may arrive at once */
	TRIM_BYTES = 64 << 20,
};

struct child {
	struct sqlchild_start start;
	struct sqlexec *exec;
	struct sqlconn conn[SQLWIRE_PLACES];
	char *in; /* frames, from in_at to in_n */
	size_t in_n, in_cap, in_at;
	int fd[FDS];
	size_t fd_n;
	struct buf body; /* of the reply that is being made */
	struct buf out;  /* replies that are ready */
	unsigned held;
	uint64_t held_since, cpu;
};

/* Everything a child cannot go on without. The pool sees its socket close. */
static _Noreturn void give_up(void)
{
	_exit(1);
}

/* ---- replies ---- */

static void flush(struct child *k)
{
	size_t at = 0;

	while (at < k->out.n) {
		ssize_t n = send(k->start.socket, k->out.p + at, k->out.n - at,
				 MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			give_up();
		at += n > 0 ? (size_t)n : 0;
	}
	buf_clear(&k->out);
	k->held = 0;
}

static void flush_old(void *k_)
{
	struct child *k = k_;

	if (k->held && clock_ns() - k->held_since > HOLD_NS)
		flush(k);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What stands in k->body goes out under `seq`. */
static void reply(struct child *k, uint64_t seq, int code)
{
	static const char zeros[8];
	struct sqlwire_reply r = { .code = code, .seq = seq };
	uint64_t cpu = cpu_ns();

	r.n = (uint32_t)k->body.n;
	r.size = (uint32_t)sqlwire_round(sizeof r + k->body.n);
	r.cpu_ns = cpu - k->cpu;
	k->cpu = cpu;
	buf_add(&k->out, &r, sizeof r);
	buf_add(&k->out, k->body.p, k->body.n);
	buf_add(&k->out, zeros, r.size - sizeof r - k->body.n);
	if (k->out.bad || k->body.bad)
		give_up();
	if (k->held++ == 0)
		k->held_since = clock_ns();
	else
		flush_old(k);
	if (k->held >= HOLD_REPLIES || k->out.n >= HOLD_BYTES)
		flush(k);
}

/* ---- requests ---- */

static void take_fds(struct child *k, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		if (k->fd_n + n > FDS)
			give_up();
		memcpy(k->fd + k->fd_n, CMSG_DATA(c), n * sizeof(int));
		k->fd_n += n;
	}
}

static void make_room(struct child *k)
{
	char *p;

	if (k->in_at) {
		memmove(k->in, k->in + k->in_at, k->in_n - k->in_at);
		k->in_n -= k->in_at;
		k->in_at = 0;
	}
	if (k->in_cap - k->in_n >= READ_BYTES)
		return;
	p = mem_resize(k->in, k->in_cap + 2 * READ_BYTES + k->in_cap / 2, 1);
	if (!p)
		give_up();
	k->in = p;
	k->in_cap += 2 * READ_BYTES + k->in_cap / 2;
}

static void receive(struct child *k)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int) * FDS)];
		struct cmsghdr align;
	} control;
	struct iovec v;
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control };
	ssize_t n;

	make_room(k);
	v = (struct iovec){ k->in + k->in_n, k->in_cap - k->in_n };
	m.msg_controllen = sizeof control;
	do
		n = recvmsg(k->start.socket, &m, 0);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		_exit(0);
	if (n < 0 || m.msg_flags & MSG_CTRUNC)
		give_up();
	take_fds(k, &m);
	k->in_n += (size_t)n;
}

/* The next frame's header, or NULL: not all of it is here. */
static const struct sqlwire_request *whole_frame(const struct child *k)
{
	const struct sqlwire_request *r = (const void *)(k->in + k->in_at);
	size_t n = k->in_n - k->in_at;

	if (n < sizeof *r)
		return NULL;
	if (r->size < sizeof *r || r->size > SQLWIRE_MAX || r->place >= SQLWIRE_PLACES)
		give_up();
	return n < r->size ? NULL : r;
}

static int connection(struct child *k, const struct sqlwire_request *w,
		      struct sqlconn **ret, struct err *e)
{
	struct sqlconn *c = &k->conn[w->place];

	*ret = c;
	if (!w->has_fd)
		return c->db ? 0 : sqlconn_reopen(c, e);
	if (!k->fd_n)
		give_up();
	sqlexec_forget(k->exec);
	sqlconn_close(c);
	*c = (struct sqlconn){ .fd = k->fd[0] };
	memmove(k->fd, k->fd + 1, --k->fd_n * sizeof *k->fd);
	return sqlconn_open(c, c->fd, e);
}

static struct sql_request request_of(const struct sqlwire_request *w)
{
	const char *sql = (const char *)(w + 1);

	return (struct sql_request){
		.op = (enum sql_op)w->op,
		.sql = { sql, w->sql_n },
		.other = { sql + w->sql_n + 1, w->other_n },
		.limits = w->limits,
		.clock_ms = w->clock_ms,
		.digests = w->digests,
		.text = (enum text_mode)w->text,
		.ordered = (int)w->ordered,
		.call = w->call,
	};
}

static int call(struct child *k, struct sqlconn *c, const struct sql_request *r,
		struct err *e)
{
	if (r->call >= k->start.n_calls)
		return err_set(e, ERR_RANGE, "no call %u", r->call);
	sqlite3_progress_handler(c->db, 0, NULL, NULL);
	sqlite3_limit(c->db, SQLITE_LIMIT_LENGTH, (int)r->limits.length);
	sqlite3_hard_heap_limit64(sqlite3_memory_used() +
				  (sqlite3_int64)r->limits.memory);
	return k->start.calls[r->call].call(c->db, &k->body, e);
}

static int run(struct child *k, const struct sqlwire_request *w, struct err *e)
{
	struct sql_request r = request_of(w);
	struct sqlconn *c;
	int code = connection(k, w, &c, e);

	if (code)
		return code;
	if (w->seq <= atomic_load(&k->start.slot->skip))
		return ERR_STALE;
	sqlvfs_clock(w->clock_ms);
	sqlvfs_reseed();
	switch (r.op) {
	case SQL_EXEC: sqlexec_exec(k->exec, c, &r, &k->body); return 0;
	case SQL_EQUAL: sqlexec_equal(k->exec, c, &r, &k->body); return 0;
	case SQL_ALIKE: sqlexec_alike(k->exec, c, &r, &k->body); return 0;
	case SQL_SOFTF1: sqlexec_softf1(k->exec, c, &r, &k->body); return 0;
	case SQL_TIME: return sqlexec_time(k->exec, c, &r, &k->body, e);
	case SQL_CALL: return call(k, c, &r, e);
	}
	return err_set(e, ERR_PROTO, "no operation %u", w->op);
}

static void answer(struct child *k, const struct sqlwire_request *w)
{
	struct err e = { 0 };
	int code;

	atomic_store(&k->start.slot->running, w->seq);
	buf_clear(&k->body);
	code = run(k, w, &e);
	if (code) {
		buf_clear(&k->body);
		buf_add_str(&k->body, e.text);
	}
	/* After a query that took much, the memory goes back to the system. */
	if (sqlite3_memory_highwater(1) > TRIM_BYTES)
		malloc_trim(0);
	reply(k, w->seq, code);
	atomic_store(&k->start.slot->running, 0);
	k->in_at += w->size;
}

static _Noreturn void serve(struct child *k)
{
	const struct sqlwire_request *w;

	for (;;) {
		while ((w = whole_frame(k)))
			answer(k, w);
		flush(k);
		receive(k);
	}
}

/* ---- birth ---- */

/* qsort() asks the system how much memory there is, once, when an array is not small:
 * after the filter that would be death. */
static int any_cmp(const void *a, const void *b)
{
	return memcmp(a, b, 1);
}

static void warm_up(void)
{
	static char big[8192];

	qsort(big, sizeof big / 8, 8, any_cmp);
	tzset();
}

int sqlchild_setup(struct err *e)
{
	int r;

	sqlite3_shutdown();
	r = sqlrun_setup();
	if (!r)
		r = sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (!r)
		r = sqlite3_initialize();
	if (!r)
		r = sqlvfs_register();
	if (r)
		return err_set(e, ERR_SANDBOX, "SQLite: %s", sqlite3_errstr(r));
	setenv("TZ", "UTC0", 1);
	warm_up();
	return 0;
}

void sqlchild_main(const struct sqlchild_start *start)
{
	struct child *k = mem_alloc(1, sizeof *k);
	struct err e = { 0 };
	int r;

	if (!k)
		give_up();
	k->start = *start;
	r = sqlexec_new(&k->exec);
	if (!r)
		r = sqlbox_enter(start->socket, start->address_space, &e);
	if (!r)
		sqlexec_on_tick(k->exec, flush_old, k);
	k->cpu = cpu_ns();
	buf_add_str(&k->body, e.text);
	reply(k, 0, r);
	flush(k);
	if (r)
		give_up();
	serve(k);
}
