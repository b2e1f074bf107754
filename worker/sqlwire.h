/* sqlwire.h - what pool and child say to each other
 *
 * Both are the same binary on the same machine, so these are structs, not msgpack. A
 * frame is a struct and what follows it, padded to 8 bytes. A descriptor rides on the
 * first byte of the frame whose has_fd is 1.
 */
#ifndef SQLWIRE_H
#define SQLWIRE_H

#include "worker/sqlpool.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
	SQLWIRE_PLACES = 64,    /* databases that a child keeps open */
	SQLWIRE_MAX = 64 << 20, /* bytes of a frame */
};

struct sqlwire_request {
	uint32_t size; /* of the frame */
	uint32_t op;   /* enum sql_op */
	uint64_t seq;  /* never 0 */
	struct sql_limits limits;
	int64_t clock_ms;
	uint32_t digests, text, ordered, call;
	uint32_t place;  /* of the database in the child's table */
	uint32_t has_fd; /* it comes with this frame and replaces what was there */
	uint32_t sql_n, other_n; /* bytes behind, each with a NUL after them */
};

struct sqlwire_reply {
	uint32_t size;
	int32_t code; /* 0: an output follows; else its error's text */
	uint64_t seq; /* 0: the child says that it is ready */
	uint64_t cpu_ns;
	uint32_t n; /* bytes behind */
	uint32_t unused;
};

/* Shared memory, one per child: what it is at, read when it is killed or has died; and
 * up to where it need not run what it is sent (it answers ERR_STALE), because another
 * child was given it. */
struct sqlwire_slot {
	_Atomic uint64_t running, skip;
	char pad[48];
};

static inline size_t sqlwire_round(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

#endif
