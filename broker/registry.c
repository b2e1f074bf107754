/* registry.c - a map, and a queue of the copies for forgetting */
#include "broker/registry.h"

#include "common/base/err.h"
#include "common/base/hashmap.h"
#include "common/base/mem.h"

struct entry {
	struct known known;
	struct hash hash;
	struct entry *next; /* copies only, oldest first */
	char *copy;
};

struct registry {
	struct hashmap map;
	struct entry *oldest, **newest;
	size_t copied, most;
};

int registry_new(size_t most, struct registry **ret)
{
	struct registry *r = mem_alloc(1, sizeof *r);

	if (!r)
		return ERR_NOMEM;
	r->most = most;
	r->newest = &r->oldest;
	*ret = r;
	return 0;
}

static void forget(struct entry *e)
{
	mem_free(e->copy);
	mem_free(e);
}

void registry_free(struct registry **rp)
{
	struct registry *r = *rp;

	if (!r)
		return;
	for (size_t i = 0; i < r->map.slots; i++)
		if (r->map.slot[i].value)
			forget(r->map.slot[i].value);
	hashmap_free(&r->map);
	mem_free(r);
	*rp = NULL;
}

static struct entry *add(struct registry *r, const struct hash *h)
{
	struct entry *e = mem_alloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->hash = *h;
	if (hashmap_put(&r->map, h, e)) {
		mem_free(e);
		return NULL;
	}
	return e;
}

static void forget_oldest(struct registry *r)
{
	while (r->copied > r->most && r->oldest) {
		struct entry *e = r->oldest;

		r->oldest = e->next;
		if (!r->oldest)
			r->newest = &r->oldest;
		r->copied -= e->known.bytes.n;
		hashmap_remove(&r->map, &e->hash);
		forget(e);
	}
}

int registry_add(struct registry *r, const struct hash *h, struct view bytes, int copy)
{
	struct entry *e;

	if (registry_get(r, h))
		return 0;
	if (copy)
		forget_oldest(r);
	e = add(r, h);
	if (!e)
		return ERR_NOMEM;
	e->known.bytes = bytes;
	e->known.size = bytes.n;
	if (!copy)
		return 0;
	e->copy = mem_dup(bytes.p, bytes.n);
	if (!e->copy) {
		hashmap_remove(&r->map, h);
		mem_free(e);
		return ERR_NOMEM;
	}
	e->known.bytes.p = e->copy;
	r->copied += bytes.n;
	*r->newest = e;
	r->newest = &e->next;
	return 0;
}

int registry_add_file(struct registry *r, const struct hash *h, const char *path,
		      uint64_t size)
{
	struct entry *e;

	if (registry_get(r, h))
		return 0;
	e = add(r, h);
	if (!e)
		return ERR_NOMEM;
	e->known.path = path;
	e->known.size = size;
	return 0;
}

struct known *registry_get(struct registry *r, const struct hash *h)
{
	struct entry *e = hashmap_get(&r->map, h);

	return e ? &e->known : NULL;
}
