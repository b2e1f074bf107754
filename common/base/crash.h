/* crash.h - named points where a test may end the process, as kill -9 would
 *
 * MAPFLEET_CRASH=journal_commit:3 in the environment kills the process with SIGKILL
 * when it comes to that point for the third time. journal_commit:3:FILE does so only if
 * FILE is not there, and makes it: workers inherit the environment, and the one that is
 * started in a dead one's place shall live. Without it a point costs one comparison.
 * The points are listed below, so that a test can try each of them.
 *
 * Threads: any; the count is atomic.
 */
#ifndef CRASH_H
#define CRASH_H

#define CRASH_LIST(X) \
	X(broker_start, "after the epoch is written, before any lease") \
	X(broker_lease, "a lease was sent, nothing else") \
	X(broker_result, "a result came in, before it is written") \
	X(journal_begin, "inside a transaction, half written") \
	X(journal_commit, "before the commit of a batch") \
	X(journal_done, "after the commit, before any acknowledgement") \
	X(broker_record, "a choice was made, before it is written") \
	X(worker_lease, "a worker got a lease, before it starts") \
	X(worker_result, "a worker has a result, before it is sent") \
	X(worker_sent, "a worker sent a result, before the acknowledgement") \
	X(results_write, "the fleet is done, before the files are written")

enum crash_point {
#define X(name, when) CRASH_##name,
	CRASH_LIST(X)
#undef X
		CRASHES
};

extern int crash_armed; /* -1 until the environment was read */

void crash_now_if(enum crash_point p);

static inline void crash_at(enum crash_point p)
{
	if (crash_armed)
		crash_now_if(p);
}

#endif
