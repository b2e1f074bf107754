/* dbfile.c - see dbfile.h */
#include "worker/dbfile.h"

#include "common/base/filehash.h"
#include "common/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A database and what may stand beside it; zero where it is absent. */
struct origin {
	struct stat file, wal, journal;
};

struct entry {
	struct entry *next;
	struct dbfile file;
	struct origin origin; /* when it was read */
	char *path;           /* of what is open */
};

struct dbfiles {
	char *cache;
	struct entry *entries;
};

enum { COPY = 1 << 16, TRIES = 3 };

int dbfiles_new(const char *cache, struct dbfiles **ret)
{
	struct dbfiles *c = mem_alloc(1, sizeof *c);

	if (!c)
		return ERR_NOMEM;
	c->cache = mem_dup(cache, strlen(cache));
	if (!c->cache) {
		mem_free(c);
		return ERR_NOMEM;
	}
	*ret = c;
	return 0;
}

static void free_entry(struct entry *n)
{
	if (n->file.fd >= 0)
		close(n->file.fd);
	mem_free(n->path);
	mem_free(n);
}

void dbfiles_free(struct dbfiles **c_)
{
	struct dbfiles *c = *c_;
	struct entry *n, *next;

	if (!c)
		return;
	for (n = c->entries; n; n = next) {
		next = n->next;
		free_entry(n);
	}
	mem_free(c->cache);
	mem_free(c);
	*c_ = NULL;
}

/* ---- reading ---- */

static int same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void stat_beside(const char *path, const char *suffix, struct stat *ret)
{
	char name[4096];

	snprintf(name, sizeof name, "%s%s", path, suffix);
	if (stat(name, ret))
		*ret = (struct stat){ 0 };
}

static struct origin origin_of(const char *path)
{
	struct origin o;

	stat_beside(path, "", &o.file);
	stat_beside(path, "-wal", &o.wal);
	stat_beside(path, "-journal", &o.journal);
	return o;
}

static int same_origin(const struct origin *a, const struct origin *b)
{
	return same_file(&a->file, &b->file) && same_file(&a->wal, &b->wal) &&
	       same_file(&a->journal, &b->journal);
}

static int check_header(int fd, const char *path, struct err *e)
{
	char head[16];
	ssize_t n = pread(fd, head, sizeof head, 0);

	if (n == 0) /* an empty file is an empty database */
		return 0;
	if (n < 0)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	if (n < 16 || memcmp(head, "SQLite format 3", 16))
		return err_set(e, ERR_INPUT, "%s: not an SQLite database", path);
	return 0;
}

static int open_read(const char *path, struct stat *ret, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, ret))
		err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(ret->st_mode))
		err_set(e, ERR_INPUT, "%s: not a regular file", path);
	else if (!check_header(fd, path, e))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A rollback journal whose header was zeroed is what PRAGMA journal_mode=persist leaves
 * after a commit: not hot. */
static int is_hot(const char *path, const struct origin *o)
{
	char name[4096], magic[8] = { 0 };
	ssize_t n;
	int fd;

	if (o->wal.st_size > 0)
		return 1;
	if (o->journal.st_size == 0)
		return 0;
	snprintf(name, sizeof name, "%s-journal", path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 1;
	n = read(fd, magic, sizeof magic);
	close(fd);
	return n == sizeof magic && magic[0] != 0;
}

/* ---- recovering ---- */

static int copy_file(const char *from, const char *to, struct err *e)
{
	static char bytes[COPY];
	int in = open(from, O_RDONLY | O_CLOEXEC), out, r = 0;
	ssize_t n = 0;

	if (in < 0 && errno == ENOENT) {
		unlink(to);
		return 0;
	}
	if (in < 0)
		return err_set(e, ERR_INPUT, "%s: %s", from, strerror(errno));
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (out >= 0 && (n = read(in, bytes, sizeof bytes)) > 0)
		if (write(out, bytes, (size_t)n) != n)
			r = ERR_STORE;
	if (out < 0 || r)
		r = err_set(e, ERR_STORE, "%s: %s", to, strerror(errno));
	else if (n < 0)
		r = err_set(e, ERR_INPUT, "%s: %s", from, strerror(errno));
	close(in);
	if (out >= 0)
		close(out);
	return r;
}

/* Opening a copy with its journals beside it makes SQLite recover it; leaving WAL mode
 * leaves one file. */
static int settle(const char *path, struct err *e)
{
	sqlite3 *db = NULL;
	int r = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);

	if (!r)
		r = sqlite3_exec(db,
				 "PRAGMA journal_mode=delete;"
				 "SELECT count(*) FROM sqlite_master",
				 NULL, NULL, NULL);
	if (r)
		err_set(e, ERR_INPUT, "%s: cannot be recovered: %s", path,
			sqlite3_errmsg(db));
	sqlite3_close(db);
	return r ? ERR_INPUT : 0;
}

static void remove_all(const char *path)
{
	static const char *const suffix[] = { "", "-wal", "-journal", "-shm" };
	char name[4096];

	for (size_t i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "%s%s", path, suffix[i]);
		unlink(name);
	}
}

static int copy_with_journals(const char *from, const char *to, struct err *e)
{
	static const char *const suffix[] = { "", "-wal", "-journal" };
	char a[4096], b[4096];
	int r = 0;

	for (size_t i = 0; !r && i < 3; i++) {
		snprintf(a, sizeof a, "%s%s", from, suffix[i]);
		snprintf(b, sizeof b, "%s%s", to, suffix[i]);
		r = copy_file(a, b, e);
	}
	return r;
}

/* Names the copy after its content and gives that path. */
static int keep_copy(struct dbfiles *c, const char *copy, char *ret, size_t n,
		     struct err *e)
{
	char hex[HASH_HEX + 1];
	struct hash h;

	if (hash_of_file(copy, &h, NULL, NULL))
		return err_set(e, ERR_STORE, "%s: %s", copy, strerror(errno));
	hash_hex(&h, hex);
	snprintf(ret, n, "%s/%s.sqlite", c->cache, hex);
	if (rename(copy, ret))
		return err_set(e, ERR_STORE, "%s: %s", ret, strerror(errno));
	return 0;
}

static int recover(struct dbfiles *c, const char *path, char *ret, size_t n,
		   struct err *e)
{
	char copy[4096];
	struct origin before, after;
	int fd, r = 0;

	if (mkdir(c->cache, 0700) && errno != EEXIST)
		return err_set(e, ERR_STORE, "%s: %s", c->cache, strerror(errno));
	snprintf(copy, sizeof copy, "%s/recover-XXXXXX", c->cache);
	fd = mkstemp(copy);
	if (fd < 0)
		return err_set(e, ERR_STORE, "%s: %s", copy, strerror(errno));
	close(fd);
	for (int i = 0; i < TRIES; i++) {
		before = origin_of(path);
		r = copy_with_journals(path, copy, e);
		after = origin_of(path);
		if (r || same_origin(&before, &after))
			break;
		r = err_set(e, ERR_INPUT, "%s: somebody is writing to it", path);
	}
	if (!r)
		r = settle(copy, e);
	if (!r)
		r = keep_copy(c, copy, ret, n, e);
	remove_all(copy);
	return r;
}

/* ---- opening ---- */

static int read_entry(struct entry *n, struct stat *opened, struct err *e)
{
	struct stat after;
	int r;

	n->file.fd = open_read(n->path, opened, e);
	if (n->file.fd < 0)
		return ERR_INPUT;
	n->file.size = (uint64_t)opened->st_size;
	n->file.path = n->path;
	r = hash_of_fd(n->file.fd, &n->file.hash, NULL);
	if (r)
		return err_set(e, r, "%s: %s", n->path, strerror(errno));
	if (fstat(n->file.fd, &after) || !same_file(opened, &after))
		return err_set(e, ERR_INPUT, "%s: it changed while it was read",
			       n->path);
	return 0;
}

static int new_entry(struct dbfiles *c, const char *path, const struct origin *o,
		     struct entry **ret, struct err *e)
{
	struct entry *n = mem_alloc(1, sizeof *n);
	char name[4096];
	struct stat opened;
	int r = 0;

	if (!n)
		return err_set(e, ERR_NOMEM, "%s: out of memory", path);
	n->file.fd = -1;
	snprintf(name, sizeof name, "%s", path);
	n->origin = *o;
	n->file.recovered = is_hot(path, o);
	if (n->file.recovered)
		r = recover(c, path, name, sizeof name, e);
	if (!r) {
		n->path = mem_dup(name, strlen(name));
		r = n->path ? read_entry(n, &opened, e) : ERR_NOMEM;
	}
	if (r) {
		free_entry(n);
		return r;
	}
	if (!n->file.recovered)
		n->origin.file = opened;
	*ret = n;
	return 0;
}

int dbfile_open(struct dbfiles *c, const char *path, const struct dbfile **ret,
		struct err *e)
{
	struct origin o = origin_of(path);
	struct entry *n;
	int r;

	for (n = c->entries; n && o.file.st_ino; n = n->next)
		if (same_origin(&n->origin, &o)) {
			*ret = &n->file;
			return 0;
		}
	r = new_entry(c, path, &o, &n, e);
	if (r)
		return r;
	n->next = c->entries;
	c->entries = n;
	*ret = &n->file;
	return 0;
}

const struct dbfile *dbfile_by_hash(const struct dbfiles *c, const struct hash *hash)
{
	for (const struct entry *n = c->entries; n; n = n->next)
		if (hash_eq(&n->file.hash, hash))
			return &n->file;
	return NULL;
}
