/* dbfile.h - a database as a file that will not change under us
 *
 * Opens a database, says what it is (hash of its bytes) and keeps the descriptor, which
 * is what SQL children get. The hash is asked of the disk once per (device, inode,
 * size, mtime). A database with a hot -wal or -journal beside it is recovered into a
 * private copy below `cache`; the copy's hash is the database's. Nothing is ever
 * written beside the original.
 *
 * Memory:  struct dbfile belongs to the struct dbfiles, and its descriptor stays open
 *          until dbfiles_free().
 * Errors:  ERR_INPUT: absent, unreadable, no SQLite database, changed while it was
 *          read; ERR_STORE: the copy could not be written. The text names the file.
 * Threads: one at a time.
 */
#ifndef DBFILE_H
#define DBFILE_H

#include "common/base/err.h"
#include "common/base/hash.h"

#include <stdint.h>

struct dbfiles;

struct dbfile {
	struct hash hash; /* BLAKE2b-256 of the whole file */
	int fd;           /* read only */
	uint64_t size;
	int recovered;    /* it is a private copy */
	const char *path; /* of what is open */
};

int dbfiles_new(const char *cache, struct dbfiles **ret);
void dbfiles_free(struct dbfiles **c); /* NULL-safe; closes all */

int dbfile_open(struct dbfiles *c, const char *path, const struct dbfile **ret,
		struct err *e);

/* The one with this hash among those opened, or NULL. */
const struct dbfile *dbfile_by_hash(const struct dbfiles *c, const struct hash *hash);

#endif
