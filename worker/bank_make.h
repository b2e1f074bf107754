/* bank_make.h - a memory bank out of solved questions
 *
 * Memories are derived from the gold SQL (common/sql/memory.h) unless the caller has
 * others, vectors are of the question alone (common/select/embed.h). Items stand in the
 * order of their ids, numbers before strings, so that a tie of cosines goes to the
 * smaller id.
 *
 * An item is flagged, kept for the record and never found, where its SQL holds no
 * SELECT, does not run, or the caller excludes it or has no memory of it. Of equal ids
 * the first stays.
 *
 * Errors: ERR_INPUT: no usable item; else bank.h's.
 */
#ifndef BANK_MAKE_H
#define BANK_MAKE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/io/bank.h"
#include "common/io/train.h"
#include "common/sql/schema.h"

/* What the maker asks of the world; `world` goes back to each. */
struct bank_world {
	/* NULL (the function, or its answer): no schema is known; the memory is then
	 * derived from the text alone. */
	const struct schema *(*schema)(void *world, struct view db_id);
	/* NULL: not asked. Else 1, or 0 with a word why in `ret_why`. */
	int (*runs)(void *world, const struct train_item *item, struct buf *ret_why);
	/* NULL: none. 1: leave this item out, with the reason in `ret_why`. */
	int (*excludes)(void *world, const struct train_item *item,
			struct buf *ret_why);
	/* NULL: memories are derived. Else 1 with this item's in `ret_memory`, compact
	 * JSON of the nine keys, or 0: there is none to be used, with the reason. */
	int (*memory)(void *world, const struct train_item *item,
		      struct buf *ret_memory, struct buf *ret_why);
	/* NULL: the built-in embedder. Else dim floats, or NULL: there is none. */
	const float *(*vector)(void *world, const struct train_item *item);
	void *world;
	/* n 0: "derived", and the built-in embedder with its dim. */
	struct view source, embedder;
	uint32_t dim;
};

struct bank_made {
	struct hash name;
	uint32_t items, good, no_select, failed, excluded, duplicates, unlearnt;
};

/* Every item once, in the order of a bank: n in *ret_n; freed by mem_free(). NULL when
 * memory is out. */
const struct train_item **bank_order(const struct train *t, uint32_t *ret_n);

/* Are its vectors of the built-in embedder? */
int bank_is_own(const struct bank *b);

int bank_make(const struct train *t, const struct bank_world *w, const char *path,
	      struct bank_made *ret, struct err *e);

#endif
