/* kennel.h - a small database in memory with every fault a database can have
 *
 * owner and pet and visit are joined by declared keys; chip holds no value; species is
 * padded in one row; vet has no row; stray declares a key that no value keeps; loose
 * takes part in no key; names of towns collate NOCASE.
 */
#ifndef TESTS_KENNEL_H
#define TESTS_KENNEL_H

#include "common/base/buf.h"
#include "worker/profile.h"

struct sqlite3 *kennel_db(void); /* to be closed by the caller */

/* Its profile, and the bytes it was decoded from. */
struct profile kennel_profile(struct buf *bytes);

int column_at(const struct profile *p, const char *table, const char *column,
	      int *ret_table);

#endif
