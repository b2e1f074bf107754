/* zsock.h - a ZeroMQ socket that lives on a libuv loop
 *
 * Readiness of a ZeroMQ socket is edge-triggered and says only "something changed": any
 * send, recv or look at ZMQ_EVENTS may swallow the edge. So the descriptor only wakes
 * the loop; a prepare step looks last thing before the loop may sleep and keeps it
 * awake if a message is there; a check step reads, a bounded number at a time. on_turn
 * runs in the prepare step, once a turn: there the owner flushes what it has gathered.
 *
 * Nothing is dropped silently: a frame that cannot be sent at once is the caller's to
 * keep (ERR_LIMIT: the peer's queue is full; ERR_NET: no such peer).
 *
 * Memory:  a frame is lent to on_frame for the call.
 * Threads: the loop's alone, for the socket's whole life.
 * Source:  zmq_getsockopt(3), ZMQ_FD and ZMQ_EVENTS.
 */
#ifndef ZSOCK_H
#define ZSOCK_H

#include "common/base/err.h"
#include "common/base/view.h"

#include <uv.h>

enum { ZSOCK_BURST = 64, ZSOCK_ID = 16 };

struct zsock; /* opaque */

/* A ROUTER's peer, as libzmq names it; empty for a DEALER. */
struct zpeer {
	uint8_t n, b[ZSOCK_ID];
};

typedef void zsock_frame_fn(void *arg, struct zpeer from, struct view frame);
typedef void zsock_turn_fn(void *arg);

struct zsock_config {
	int router;          /* 1: ROUTER, binds; 0: DEALER, connects */
	const char *address; /* ipc://... or tcp://... */
	size_t largest;      /* bytes of a frame; a larger one cuts the connection */
	int backlog;         /* frames queued for one peer */
	zsock_frame_fn *on_frame;
	zsock_turn_fn *on_turn;
	void *arg;
};

int zsock_open(uv_loop_t *loop, const struct zsock_config *config, struct zsock **ret,
	       struct err *e);
int zsock_send(struct zsock *z, struct zpeer to,
	       struct view frame); /* 0, ERR_LIMIT, ERR_NET */

/* DEALER only: a new socket under the same handle, as after long silence. */
int zsock_reconnect(struct zsock *z, struct err *e);

/* Waits up to linger_ms for what was sent; frees `z`, then calls on_closed(arg). */
void zsock_close(struct zsock *z, int linger_ms, void (*on_closed)(void *arg));

#endif
