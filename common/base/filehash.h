/* filehash.h - the name of a file's content
 *
 * BLAKE2b-256 over the bytes, read in chunks; no cache (worker/dbfile.h has one).
 *
 * Errors: ERR_INPUT with the file's name and what the system said; of hash_of_fd() in
 *         errno.
 */
#ifndef FILEHASH_H
#define FILEHASH_H

#include "common/base/err.h"
#include "common/base/hash.h"

/* ret_size may be NULL. The descriptor's position is not used: others may share it. */
int hash_of_fd(int fd, struct hash *ret, uint64_t *ret_size);
int hash_of_file(const char *path, struct hash *ret, uint64_t *ret_size, struct err *e);

#endif
