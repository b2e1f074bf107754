/* hashmap.c - see hashmap.h */
#include "common/base/hashmap.h"

#include "common/base/err.h"
#include "common/base/mem.h"

static size_t home(const struct hashmap *m, const struct hash *key)
{
	uint64_t v;

	memcpy(&v, key->b, sizeof v);
	return (size_t)v & (m->slots - 1);
}

/* The slot that holds the key, or the empty one where it would be. */
static size_t probe(const struct hashmap *m, const struct hash *key)
{
	size_t i = home(m, key);

	while (m->slot[i].value && !hash_eq(&m->slot[i].key, key))
		i = (i + 1) & (m->slots - 1);
	return i;
}

void *hashmap_get(const struct hashmap *m, const struct hash *key)
{
	return m->slots ? m->slot[probe(m, key)].value : NULL;
}

static int grow(struct hashmap *m)
{
	struct hashmap old = *m;

	m->slots = old.slots ? old.slots * 2 : 64;
	m->slot = mem_alloc(m->slots, sizeof *m->slot);
	if (!m->slot) {
		*m = old;
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < old.slots; i++)
		if (old.slot[i].value)
			m->slot[probe(m, &old.slot[i].key)] = old.slot[i];
	mem_free(old.slot);
	return 0;
}

int hashmap_put(struct hashmap *m, const struct hash *key, void *value)
{
	size_t i;

	if (m->n * 3 >= m->slots * 2 && grow(m))
		return ERR_NOMEM;
	i = probe(m, key);
	m->n += !m->slot[i].value;
	m->slot[i] = (struct hashmap_slot){ *key, value };
	return 0;
}

void *hashmap_remove(struct hashmap *m, const struct hash *key)
{
	size_t gap = m->slots ? probe(m, key) : 0, mask = m->slots - 1;
	void *was = m->slots ? m->slot[gap].value : NULL;

	if (!was)
		return NULL;
	for (size_t i = (gap + 1) & mask; m->slot[i].value; i = (i + 1) & mask) {
		size_t from = home(m, &m->slot[i].key);

		if (((i - from) & mask) < ((i - gap) & mask))
			continue;
		m->slot[gap] = m->slot[i];
		gap = i;
	}
	m->slot[gap].value = NULL;
	m->n--;
	return was;
}

void hashmap_free(struct hashmap *m)
{
	mem_free(m->slot);
	*m = (struct hashmap){ 0 };
}
