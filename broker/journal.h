/* journal.h - the facts: one SQLite file, one writer
 *
 * The writer is a thread: what the loop hands over in one turn is one batch, and all
 * batches that wait go into one transaction (group commit, synchronous=FULL). The order
 * of writes is the order on disk. A reader thread, with a connection of its own, looks
 * up what is known of a task.
 *
 * Invariants: (1) rows are inserted, never updated or deleted;
 *             (2) on_committed is called only when everything up to that batch is on
 *                 disk, in order;
 *             (3) after a failed write nothing is written any more (and no fsync is
 *                 tried again): on_failed is called once, and the process must end.
 *
 * Memory:     writes are copied when they are handed over; a note that cannot come
 *             back is freed with mem_free().
 *
 * Errors:     ERR_STORE with the file and what SQLite said, or why it is refused: a
 *             network file system, a newer version, another program's file.
 *
 * Threads:    all functions on the loop's thread; callbacks too.
 */
#ifndef JOURNAL_BROKER_H
#define JOURNAL_BROKER_H

#include "broker/core.h"

#include <uv.h>

struct journal; /* opaque */

typedef void journal_committed_fn(void *arg, uint64_t seq, void *note);
typedef void journal_failed_fn(void *arg, const struct err *e);
typedef void journal_found_fn(void *arg, const struct event *found, void *note);

struct journal_config {
	const char *path;
	const struct sweep *sweep;
	journal_committed_fn *on_committed; /* note: as in journal_flush() */
	journal_failed_fn *on_failed;
	journal_found_fn *on_found; /* note: as in journal_look_up() */
	void *arg;
};

/* Opens or makes the file; adds the sweep (once) and this epoch. *ret_sweep is its id
 * in the journal, *ret_epoch the fence. */
int journal_open(uv_loop_t *loop, const struct journal_config *config,
		 struct journal **ret, int64_t *ret_sweep, uint64_t *ret_epoch,
		 struct err *e);

/* Gathers writes of one turn; `worker` is the name for people. */
void journal_write(struct journal *j, const struct action *a, struct view worker,
		   const struct blob *blob, size_t nblob);
/* Hands the turn's writes over; `note` comes back when they are on disk. A turn without
 * writes and without note is nothing. */
void journal_flush(struct journal *j, uint64_t seq, void *note);

/* Asks the reader; on_found gets an EVENT_FOUND with `lookup` and, for an output, its
 * bytes (lent for the call). */
void journal_look_up(struct journal *j, const struct hash *key, uint32_t lookup,
		     void *note);

/* A blob by hash, or a task's output by its key, now, on this thread: 1, or 0 when it
 * is not there. The caller frees *ret with mem_free(). */
int journal_blob(struct journal *j, const struct hash *hash, char **ret, size_t *ret_n);

/* Writes the end of the command; then journal_close() flushes all. */
void journal_finish(struct journal *j, int code, const char *spent_json);
void journal_close(struct journal *j, void (*on_closed)(void *arg));

struct journal_stats {
	uint64_t commits, rows;
	uint32_t waiting;
};

void journal_stats(const struct journal *j, struct journal_stats *ret);

#endif
