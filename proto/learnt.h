/* learnt.h - the record of one training question: the memory a model wrote of it
 *
 * Kept in the journal's table `choice` under the run `memory`; a bank is made of them.
 *
 * Memory: after learnt_decode() views point into the bytes.
 */
#ifndef LEARNT_H
#define LEARNT_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdint.h>

enum { LEARNT_VERSION = 1, LEARNT_KEYS = 9 };

/* Numbers are on disk: never reused. */
#define LEARNT_STATE_LIST(X) \
	X(kept, 1, "there is a memory") \
	X(dropped, 2, "no answer could be read") \
	X(failed, 3, "the model was not asked, or gave no answer") \
	X(bad_sql, 4, "its own SQL gives no result")

#define LEARNT_CHECK_LIST(X) \
	X(unchecked, 0, "nobody looked") \
	X(same, 1, "the SQL made from the memory gives the same result") \
	X(other, 2, "it gives another result") \
	X(no_sql, 3, "no SQL was made from it, or none that runs")

#define X(name, number, text) LEARNT_##name = number,
enum learnt_state { LEARNT_STATE_LIST(X) };
enum learnt_check { LEARNT_CHECK_LIST(X) };
#undef X

struct learnt {
	enum learnt_state state;
	enum learnt_check check;
	struct view note;   /* one line for people: why not kept, why not the same */
	struct view memory; /* compact JSON, the nine keys */
	struct view sql;    /* made from the memory, for the check */
	struct view vector; /* float32, little-endian; n 0: the built-in embedder's */
	uint32_t asks;      /* for the memory: 2 where the first could not be read */
	uint32_t repairs;   /* bits of the reader that mended the answer */
	uint32_t refused[LEARNT_KEYS], dropped[LEARNT_KEYS], unknown, added;
};

void learnt_encode(const struct learnt *l, struct buf *ret);
int learnt_decode(struct view bytes, struct learnt *ret, struct err *e); /* ERR_PROTO */

#endif
