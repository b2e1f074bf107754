/* bank_make.h - a memory bank out of solved questions, without a model
 *
 * Memories are derived from the gold SQL (common/sql/memory.h), vectors are of the
 * question alone (common/select/embed.h). Items stand in the order of their ids,
 * numbers before strings, so that a tie of cosines goes to the smaller id.
 *
 * An item is flagged, kept for the record and never found, where its SQL holds no
 * SELECT, does not run, or the caller excludes it. Of equal ids the first stays.
 *
 * Errors: ERR_INPUT: no usable item; else bank.h's.
 */
#ifndef BANK_MAKE_H
#define BANK_MAKE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/hash.h"
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
	void *world;
};

struct bank_made {
	struct hash name;
	uint32_t items, good, no_select, failed, excluded, duplicates;
};

int bank_make(const struct train *t, const struct bank_world *w, const char *path,
	      struct bank_made *ret, struct err *e);

#endif
