/* batcher.h - a thread that takes what waits, all at once, and gives it back
 *
 * A loop that must not block puts items in; the thread works on everything that has
 * gathered meanwhile as one batch (one transaction, one matrix product), and the items
 * come back on the loop's thread in the order they went in. The busier it gets, the
 * larger the batches.
 *
 * Memory:  an item is the caller's. From batcher_put() until `done` it is the thread's:
 *          nobody else looks at it.
 * Threads: put and close on the loop's thread; `work` runs on the batcher's own thread,
 *          `done` on the loop's.
 */
#ifndef BATCHER_H
#define BATCHER_H

#include <uv.h>

struct batcher; /* opaque */

struct batch_item {
	struct batch_item *next;
};

typedef void batch_fn(void *arg, struct batch_item *list); /* linked by next */

/* 0 or ERR_NOMEM. `gather_us`: how long the thread lets more come before it begins,
 * where a batch has a price of its own (an fsync). */
int batcher_new(uv_loop_t *loop, batch_fn *work, batch_fn *done, void *arg,
		uint32_t gather_us, struct batcher **ret);
void batcher_put(struct batcher *b, struct batch_item *item);
uint32_t batcher_inside(const struct batcher *b); /* put and not yet given back */

/* Works off what is inside, gives it back, ends the thread; then frees `b` and calls
 * on_closed(arg) on the loop's thread. */
void batcher_close(struct batcher *b, void (*on_closed)(void *arg));

#endif
