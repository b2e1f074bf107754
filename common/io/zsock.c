/* zsock.c - poll wakes the loop, prepare keeps it awake, check does the work */
#include "common/io/zsock.h"

#include "common/base/mem.h"

#include <assert.h>
#include <errno.h>
#include <zmq.h>

struct zsock {
	struct zsock_config cfg;
	void *context, *socket;
	uv_loop_t *loop;
	uv_poll_t
		*poll; /* its own allocation: a reconnect leaves the old one to close */
	uv_prepare_t prepare;
	uv_check_t check;
	uv_idle_t idle;
	int handles;
	void (*on_closed)(void *arg);
};

static int readable(struct zsock *z)
{
	int events = 0;
	size_t n = sizeof events;

	return zmq_getsockopt(z->socket, ZMQ_EVENTS, &events, &n) == 0 &&
	       (events & ZMQ_POLLIN);
}

static void on_poll(uv_poll_t *h, int status, int events)
{
	(void)h, (void)status, (void)events; /* it has woken the loop: that is all */
}

static void on_idle(uv_idle_t *h)
{
	(void)h;
}

static void on_prepare(uv_prepare_t *h)
{
	struct zsock *z = h->data;

	if (z->cfg.on_turn)
		z->cfg.on_turn(z->cfg.arg);
	if (z->socket && readable(z))
		uv_idle_start(&z->idle, on_idle);
}

/* All frames of a message are read, so that a strange one cannot shift the next. */
static int receive(struct zsock *z, zmq_msg_t *frame, struct zpeer *ret_from)
{
	zmq_msg_t part;
	int parts = 0, more = 1, ok = 1;

	*ret_from = (struct zpeer){ 0 };
	for (; more; parts++) {
		zmq_msg_init(&part);
		if (zmq_msg_recv(&part, z->socket, ZMQ_DONTWAIT) < 0) {
			zmq_msg_close(&part);
			return -1;
		}
		more = zmq_msg_more(&part);
		if (z->cfg.router && parts == 0) {
			ok = zmq_msg_size(&part) <= ZSOCK_ID;
			ret_from->n = ok ? (uint8_t)zmq_msg_size(&part) : 0;
			memcpy(ret_from->b, zmq_msg_data(&part), ret_from->n);
		} else if (!more) {
			zmq_msg_move(frame, &part);
		}
		zmq_msg_close(&part);
	}
	return ok && parts == 1 + (z->cfg.router != 0);
}

static void on_check(uv_check_t *h)
{
	struct zsock *z = h->data;

	uv_idle_stop(&z->idle);
	for (int i = 0; i < ZSOCK_BURST && z->socket && readable(z); i++) {
		struct zpeer from;
		zmq_msg_t frame;
		int ok;

		zmq_msg_init(&frame);
		ok = receive(z, &frame, &from);
		if (ok >=
		    0) /* a malformed one goes up as an empty frame: to be counted */
			z->cfg.on_frame(z->cfg.arg, from,
					(struct view){ zmq_msg_data(&frame),
						       ok ? zmq_msg_size(&frame) : 0 });
		zmq_msg_close(&frame);
	}
}

static void set(void *socket, int option, int value)
{
	int rc = zmq_setsockopt(socket, option, &value, sizeof value);

	assert(rc == 0);
	(void)rc;
}

static const char too_few[] =
	"; if the limit of open files (ulimit -n) is small, raise it";

static int open_socket(struct zsock *z, struct err *e)
{
	int64_t largest = (int64_t)z->cfg.largest;
	int rc;

	z->socket = zmq_socket(z->context, z->cfg.router ? ZMQ_ROUTER : ZMQ_DEALER);
	if (!z->socket)
		return err_set(e, ERR_SANDBOX, "socket: %s%s", zmq_strerror(errno),
			       errno == EMFILE ? too_few : "");
	set(z->socket, ZMQ_LINGER, 0);
	set(z->socket, ZMQ_SNDHWM, z->cfg.backlog);
	set(z->socket, ZMQ_RCVHWM, z->cfg.backlog);
	set(z->socket, ZMQ_HEARTBEAT_IVL, 5000);
	set(z->socket, ZMQ_HEARTBEAT_TIMEOUT, 15000);
	set(z->socket, ZMQ_HEARTBEAT_TTL, 15000);
	zmq_setsockopt(z->socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
	if (z->cfg.router) {
		set(z->socket, ZMQ_ROUTER_MANDATORY, 1);
		set(z->socket, ZMQ_BACKLOG, 1024);
		rc = zmq_bind(z->socket, z->cfg.address);
	} else {
		set(z->socket, ZMQ_IMMEDIATE, 1);
		set(z->socket, ZMQ_RECONNECT_IVL, 100);
		set(z->socket, ZMQ_RECONNECT_IVL_MAX, 5000);
		rc = zmq_connect(z->socket, z->cfg.address);
	}
	if (rc == 0)
		return 0;
	err_set(e, ERR_NET, "%s: %s", z->cfg.address, zmq_strerror(errno));
	zmq_close(z->socket);
	z->socket = NULL;
	return ERR_NET;
}

static int watch(struct zsock *z, struct err *e)
{
	uv_os_sock_t fd;
	size_t n = sizeof fd;

	z->poll = mem_alloc(1, sizeof *z->poll);
	if (!z->poll)
		return err_set(e, ERR_NOMEM, "out of memory");
	if (zmq_getsockopt(z->socket, ZMQ_FD, &fd, &n) != 0 ||
	    uv_poll_init_socket(z->loop, z->poll, fd) < 0)
		return err_set(e, ERR_SANDBOX, "a socket cannot be watched%s", too_few);
	z->poll->data = z;
	z->handles++;
	uv_poll_start(z->poll, UV_READABLE, on_poll);
	return 0;
}

int zsock_open(uv_loop_t *loop, const struct zsock_config *config, struct zsock **ret,
	       struct err *e)
{
	struct zsock *z = mem_alloc(1, sizeof *z);
	int rc;

	if (!z)
		return err_set(e, ERR_NOMEM, "out of memory");
	z->cfg = *config;
	z->loop = loop;
	z->context = zmq_ctx_new();
	rc = z->context ? open_socket(z, e)
			: err_set(e, ERR_SANDBOX, "libzmq does not start: %s%s",
				  zmq_strerror(errno), too_few);
	if (!rc)
		rc = watch(z, e);
	if (rc) {
		if (z->socket)
			zmq_close(z->socket);
		if (z->context)
			zmq_ctx_term(z->context);
		mem_free(z->poll);
		mem_free(z);
		return rc;
	}
	uv_prepare_init(loop, &z->prepare);
	uv_check_init(loop, &z->check);
	uv_idle_init(loop, &z->idle);
	z->prepare.data = z->check.data = z->idle.data = z;
	z->handles += 3;
	uv_prepare_start(&z->prepare, on_prepare);
	uv_check_start(&z->check, on_check);
	*ret = z;
	return 0;
}

int zsock_send(struct zsock *z, struct zpeer to, struct view frame)
{
	if (!z->socket)
		return ERR_NET;
	/* With MANDATORY the identity frame says whether the peer is there. */
	if (z->cfg.router &&
	    zmq_send(z->socket, to.b, to.n, ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0)
		return errno == EAGAIN ? ERR_LIMIT : ERR_NET;
	if (zmq_send(z->socket, frame.p, frame.n, ZMQ_DONTWAIT) < 0)
		return errno == EAGAIN ? ERR_LIMIT : ERR_NET;
	return 0;
}

static void on_old_poll_closed(uv_handle_t *h)
{
	mem_free(h);
}

int zsock_reconnect(struct zsock *z, struct err *e)
{
	int rc;

	uv_poll_stop(z->poll);
	uv_close((uv_handle_t *)z->poll, on_old_poll_closed);
	z->handles--;
	zmq_close(z->socket);
	rc = open_socket(z, e);
	return rc ? rc : watch(z, e);
}

static void on_handle_closed(uv_handle_t *h)
{
	struct zsock *z = h->data;

	if (--z->handles)
		return;
	zmq_close(z->socket);
	zmq_ctx_term(z->context);
	if (z->on_closed)
		z->on_closed(z->cfg.arg);
	mem_free(z->poll);
	mem_free(z);
}

void zsock_close(struct zsock *z, int linger_ms, void (*on_closed)(void *arg))
{
	z->on_closed = on_closed;
	set(z->socket, ZMQ_LINGER, linger_ms);
	uv_close((uv_handle_t *)z->poll, on_handle_closed);
	uv_close((uv_handle_t *)&z->prepare, on_handle_closed);
	uv_close((uv_handle_t *)&z->check, on_handle_closed);
	uv_close((uv_handle_t *)&z->idle, on_handle_closed);
}
