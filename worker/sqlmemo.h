/* sqlmemo.h - answers by the program that gave them
 *
 * A table that forgets: each key has one slot, which the last answer put there holds.
 *
 * Memory:  at most SQLMEMO_SLOTS answers of SQLMEMO_BYTES; larger ones are not kept.
 *          A view lives until the next sqlmemo_put() or sqlmemo_forget().
 * Threads: one.
 */
#ifndef SQLMEMO_H
#define SQLMEMO_H

#include "common/base/buf.h"
#include "common/base/hash.h"

enum { SQLMEMO_SLOTS = 256, SQLMEMO_BYTES = 16 << 10 };

struct sqlmemo_slot {
	struct hash key;
	struct buf answer; /* empty: nothing is kept */
};

struct sqlmemo {
	struct sqlmemo_slot slot[SQLMEMO_SLOTS];
};

struct view sqlmemo_get(const struct sqlmemo *m, const struct hash *key); /* n 0: no */
void sqlmemo_put(struct sqlmemo *m, const struct hash *key, struct view answer);
void sqlmemo_forget(struct sqlmemo *m); /* all; keeps the memory */
void sqlmemo_free(struct sqlmemo *m);

#endif
