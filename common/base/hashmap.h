/* hashmap.h - from a hash to a pointer
 *
 * Open addressing over the hash's own bytes, which are as good as chance already.
 *
 * Memory:  the map owns neither key nor value behind the pointer.
 * Errors:  hashmap_put() gives ERR_NOMEM and leaves the map as it was.
 * Threads: one.
 */
#ifndef HASHMAP_H
#define HASHMAP_H

#include "common/base/hash.h"

struct hashmap_slot {
	struct hash key;
	void *value; /* NULL: the slot is empty */
};

struct hashmap {
	struct hashmap_slot *slot;
	size_t slots, n;
};

void *hashmap_get(const struct hashmap *m,
		  const struct hash *key); /* NULL: not there */
int hashmap_put(struct hashmap *m, const struct hash *key, void *value); /* replaces */
void *hashmap_remove(struct hashmap *m, const struct hash *key); /* what was there */
void hashmap_free(struct hashmap *m);

#endif
