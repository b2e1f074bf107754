/* store.h - what a worker has fetched: texts in memory, files on disk
 *
 * Everything is known by its hash. A database or bank whose path the broker tells is
 * used in place if its content has that hash; else it is downloaded, chunk by chunk,
 * into the cache folder and checked there. Texts are kept up to `most` bytes, those
 * used longest ago go first; what an attempt still needs is pinned.
 *
 * Memory:  a view lives while its text is pinned, or until the next store_put().
 * Errors:  ERR_INPUT with the file's name: content that is not what its hash says.
 * Threads: the loop's.
 */
#ifndef STORE_H
#define STORE_H

#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/io/bank.h"
#include "worker/dbfile.h"

struct store; /* opaque */

int store_new(const char *cache, size_t most, struct store **ret, struct err *e);
void store_free(struct store **s);

int store_put(struct store *s, const struct hash *h, struct view bytes); /* copies */
struct view store_get(struct store *s, const struct hash *h); /* p NULL: not here */
void store_pin(struct store *s, const struct hash *h);
void store_unpin(struct store *s, const struct hash *h);

int store_open_database(struct store *s, const struct hash *h, const char *path,
			struct err *e);
const struct dbfile *store_database(struct store *s, const struct hash *h); /* NULL */
int store_open_bank(struct store *s, const struct hash *h, const char *path,
		    struct err *e);
const struct bank *store_bank(struct store *s, const struct hash *h); /* NULL */

/* Downloads: append a chunk to the file of `h` in the cache; store_file() is its path.
 */
int store_chunk(struct store *s, const struct hash *h, uint64_t offset,
		struct view bytes, struct err *e);
const char *store_file(struct store *s, const struct hash *h); /* static storage */

#endif
