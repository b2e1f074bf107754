/* registry.h - what hashes name: texts in memory, files on disk
 *
 * Workers fetch by hash. The sweep's own texts are named once, without a copy; texts
 * that planners make are copied, and forgotten again, oldest first, when they pass
 * `most` bytes: by then they are in the journal.
 *
 * Memory:  a view from registry_get() lives until the next registry_add() of a copy.
 * Threads: the loop's.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include "common/base/hash.h"

struct registry; /* opaque */

struct known {
	struct view bytes; /* empty where path is set */
	const char *path;  /* of a file with this content, or NULL */
	uint64_t size;
	int journaled; /* the caller's mark: its bytes have been written */
};

int registry_new(size_t most, struct registry **ret); /* ERR_NOMEM */
void registry_free(struct registry **r);

/* Already there: nothing happens. ERR_NOMEM. */
int registry_add(struct registry *r, const struct hash *h, struct view bytes, int copy);
int registry_add_file(struct registry *r, const struct hash *h, const char *path,
		      uint64_t size);
struct known *registry_get(struct registry *r,
			   const struct hash *h); /* NULL: unknown */

#endif
