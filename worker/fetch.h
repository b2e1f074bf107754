/* fetch.h - getting what tasks name by its hash, and telling who waits for it
 *
 *   fetch_need() --FETCH--> broker --BLOB, chunk by chunk--> fetch_blob() --> fed()
 *
 * One question is out for each thing, however many attempts wait. A file's place is
 * asked first, as it may lie on this machine; else it is downloaded into the store.
 * What was not answered is asked again after FETCH_AGAIN_MS.
 *
 * Memory:  a view of an attempt; fetch_forget() before it goes.
 * Errors:  to fed(), with ERR_INPUT, ERR_PROTO (the broker has no such thing) or
 *          ERR_NOMEM.
 * Threads: the loop's.
 */
#ifndef FETCH_H
#define FETCH_H

#include "proto/msg.h"
#include "worker/attempt.h"
#include "worker/store.h"

struct fetch; /* opaque */

struct fetch_config {
	struct store *store;
	void (*send)(void *arg, struct msg *m); /* a FETCH, without its epoch */
	/* Something `a` waited for is here (code 0), or will never be. */
	void (*fed)(void *arg, struct attempt *a, int code, const char *text);
	void *arg;
};

int fetch_new(const struct fetch_config *cfg, struct fetch **ret);
void fetch_free(struct fetch **f);

/* 1: it is here; 0: fed() will be called, or was already: memory is short. */
int fetch_need(struct fetch *f, struct attempt *a, const struct hash *h,
	       enum need what);
void fetch_forget(struct fetch *f, const struct attempt *a);

void fetch_blob(struct fetch *f, const struct msg *m); /* a BLOB came */
void fetch_again(struct fetch *f, uint64_t now_ms);    /* a tick */
void fetch_all_again(struct fetch *f); /* at the next tick: the broker is another */

#endif
