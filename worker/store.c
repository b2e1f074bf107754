/* store.c - see store.h */
#include "worker/store.h"

#include "common/base/filehash.h"
#include "common/base/hashmap.h"
#include "common/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct text {
	struct text *older, *newer; /* by last use */
	struct hash hash;
	size_t n;
	uint32_t pins;
	char bytes[];
};

struct opened { /* a bank */
	struct hash hash;
	struct bank *bank;
};

struct store {
	char *cache;
	struct hashmap texts;
	struct text *oldest, *newest;
	size_t bytes, most;
	struct dbfiles *dbs;
	struct hashmap by_hash; /* databases: hash -> dbfile */
	struct opened *bank;
	size_t nbank;
	char path[4096];
};

int store_new(const char *cache, size_t most, struct store **ret, struct err *e)
{
	struct store *s = mem_alloc(1, sizeof *s);

	if (!s)
		return err_set(e, ERR_NOMEM, "out of memory");
	s->most = most;
	s->cache = mem_dup(cache, strlen(cache));
	if (!s->cache || dbfiles_new(cache, &s->dbs)) {
		store_free(&s);
		return err_set(e, ERR_NOMEM, "out of memory");
	}
	*ret = s;
	return 0;
}

void store_free(struct store **sp)
{
	struct store *s = *sp;

	if (!s)
		return;
	for (size_t i = 0; i < s->texts.slots; i++)
		mem_free(s->texts.slot[i].value);
	for (size_t i = 0; i < s->nbank; i++)
		bank_free(&s->bank[i].bank);
	hashmap_free(&s->texts);
	hashmap_free(&s->by_hash);
	dbfiles_free(&s->dbs);
	mem_free(s->bank);
	mem_free(s->cache);
	mem_free(s);
	*sp = NULL;
}

/* ---- texts ----------------------------------------------------------------------- */

static void unlink_text(struct store *s, struct text *t)
{
	*(t->older ? &t->older->newer : &s->oldest) = t->newer;
	*(t->newer ? &t->newer->older : &s->newest) = t->older;
	t->older = t->newer = NULL;
}

static void link_newest(struct store *s, struct text *t)
{
	t->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = t;
	s->newest = t;
}

static void make_room(struct store *s)
{
	struct text *t = s->oldest;

	while (t && s->bytes > s->most) {
		struct text *next = t->newer;

		if (!t->pins) {
			unlink_text(s, t);
			hashmap_remove(&s->texts, &t->hash);
			s->bytes -= t->n;
			mem_free(t);
		}
		t = next;
	}
}

int store_put(struct store *s, const struct hash *h, struct view bytes)
{
	struct text *t;

	if (hashmap_get(&s->texts, h))
		return 0;
	make_room(s);
	t = mem_alloc(1, sizeof *t + bytes.n + 1);
	if (!t)
		return ERR_NOMEM;
	t->hash = *h;
	t->n = bytes.n;
	if (bytes.n)
		memcpy(t->bytes, bytes.p, bytes.n);
	if (hashmap_put(&s->texts, h, t)) {
		mem_free(t);
		return ERR_NOMEM;
	}
	link_newest(s, t);
	s->bytes += t->n;
	return 0;
}

struct view store_get(struct store *s, const struct hash *h)
{
	struct text *t = hashmap_get(&s->texts, h);

	if (!t)
		return (struct view){ NULL, 0 };
	unlink_text(s, t);
	link_newest(s, t);
	return (struct view){ t->bytes, t->n };
}

void store_pin(struct store *s, const struct hash *h)
{
	struct text *t = hashmap_get(&s->texts, h);

	if (t)
		t->pins++;
}

void store_unpin(struct store *s, const struct hash *h)
{
	struct text *t = hashmap_get(&s->texts, h);

	if (t && t->pins)
		t->pins--;
}

/* ---- files ----------------------------------------------------------------------- */

const struct dbfile *store_database(struct store *s, const struct hash *h)
{
	return hashmap_get(&s->by_hash, h);
}

int store_open_database(struct store *s, const struct hash *h, const char *path,
			struct err *e)
{
	const struct dbfile *f;
	int rc = dbfile_open(s->dbs, path, &f, e);

	if (rc)
		return rc;
	if (!hash_eq(&f->hash, h))
		return err_set(e, ERR_INPUT,
			       "%s: its content has changed since the command "
			       "began; run the command again",
			       path);
	return hashmap_put(&s->by_hash, h, (void *)(uintptr_t)f);
}

const struct bank *store_bank(struct store *s, const struct hash *h)
{
	for (size_t i = 0; i < s->nbank; i++)
		if (hash_eq(&s->bank[i].hash, h))
			return s->bank[i].bank;
	return NULL;
}

int store_open_bank(struct store *s, const struct hash *h, const char *path,
		    struct err *e)
{
	struct opened *more = mem_resize(s->bank, s->nbank + 1, sizeof *more);
	struct hash is;
	int rc;

	if (!more)
		return err_set(e, ERR_NOMEM, "out of memory");
	s->bank = more;
	rc = hash_of_file(path, &is, NULL, e);
	if (rc)
		return rc;
	if (!hash_eq(&is, h))
		return err_set(e, ERR_INPUT,
			       "%s: its content has changed since the command "
			       "began; run the command again",
			       path);
	rc = bank_open(path, &s->bank[s->nbank].bank, e);
	if (rc)
		return rc;
	s->bank[s->nbank++].hash = *h;
	return 0;
}

const char *store_file(struct store *s, const struct hash *h)
{
	char hex[HASH_HEX + 1];

	hash_hex(h, hex);
	snprintf(s->path, sizeof s->path, "%s/%s", s->cache, hex);
	return s->path;
}

int store_chunk(struct store *s, const struct hash *h, uint64_t offset,
		struct view bytes, struct err *e)
{
	const char *path = store_file(s, h);
	int fd, ok;

	mkdir(s->cache, 0700);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (offset ? 0 : O_TRUNC), 0600);
	if (fd < 0)
		return err_set(e, ERR_STORE, "%s: %s; is the cache folder writable?",
			       path, strerror(errno));
	ok = pwrite(fd, bytes.p, bytes.n, (off_t)offset) == (ssize_t)bytes.n;
	if (close(fd) || !ok)
		return err_set(e, ERR_STORE, "%s: %s", path, strerror(errno));
	return 0;
}
