/* databases.c - see databases.h */
#include "ops/databases.h"

#include "common/base/buf.h"
#include "ops/guess.h"
#include "ops/jsonfile.h"
#include "ops/notice.h"
#include "ops/setting.h"
#include "ops/textfile.h"
#include "worker/dbfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where a database lies ---- */

static const char *alias_of(const struct databases_how *how, const char *id)
{
	size_t n = strlen(id);

	for (size_t i = 0; i < how->aliases; i++)
		if (strncmp(how->alias[i], id, n) == 0 && how->alias[i][n] == '=')
			return how->alias[i] + n + 1;
	return id;
}

int databases_alias_check(const char *alias, struct err *e)
{
	const char *eq = strchr(alias, '=');

	if (eq && eq != alias && eq[1])
		return 0;
	return err_set(e, ERR_USAGE, "--db-alias: \"%s\" is not of the form A=B",
		       alias);
}

static int is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A db_id that walks out of the folder is no database of it. */
static int stays_inside(const char *id)
{
	return *id && !strchr(id, '/') && strcmp(id, ".") != 0 && strcmp(id, "..") != 0;
}

const char *database_path(struct arena *a, const struct databases_how *how,
			  struct view id)
{
	char path[PATH_MAX];
	char *name = arena_dup(a, id.p ? id.p : "", id.n);
	const char *to;

	if (!name || strlen(name) != id.n)
		return NULL;
	to = alias_of(how, name);
	if (!stays_inside(to))
		return NULL;
	snprintf(path, sizeof path, "%s/%s/%s.sqlite", how->dir, to, to);
	if (is_file(path))
		return arena_str(a, path);
	snprintf(path, sizeof path, "%s/%s.sqlite", how->dir, to);
	return is_file(path) ? arena_str(a, path) : NULL;
}

/* ---- what is missing, all of it ---- */

enum { NAMES = 4096, SHOWN = 10 };

struct names {
	char *v[NAMES];
	size_t n;
};

static void list_names(const char *dir, struct names *ret)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	ret->n = 0;
	while (d && ret->n < NAMES && (entry = readdir(d))) {
		char *dot;

		if (entry->d_name[0] == '.')
			continue;
		dot = strrchr(entry->d_name, '.');
		if (dot && strcmp(dot, ".sqlite") == 0)
			*dot = 0;
		ret->v[ret->n++] = strdup(entry->d_name);
	}
	if (d)
		closedir(d);
}

static void free_names(struct names *n)
{
	while (n->n)
		free(n->v[--n->n]);
}

/* What stands in DIR/ID instead of ID.sqlite, for the message. */
static const char *other_file(const char *dir, const char *id, char ret[256])
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *d;

	snprintf(path, sizeof path, "%s/%s", dir, id);
	d = opendir(path);
	ret[0] = 0;
	while (d && (entry = readdir(d)))
		if (strncmp(entry->d_name, id, strlen(id)) == 0)
			snprintf(ret, 256, "%s", entry->d_name);
	if (d)
		closedir(d);
	return ret[0] ? ret : NULL;
}

static void describe_missing(struct buf *b, const struct databases_how *how,
			     const struct names *names, struct view id)
{
	char name[256], want[264], other[256];
	const char *near, *there;

	snprintf(name, sizeof name, "%.*s", (int)id.n, id.p);
	snprintf(want, sizeof want, "%s.sqlite", name);
	buf_addf(b, "%s%s", b->n ? "; " : "", name);
	there = other_file(how->dir, name, other);
	near = guess_of(name, (const char *const *)names->v, names->n);
	if (there && strcmp(there, want) != 0)
		buf_addf(b, " (there is %s; only an SQLite file %s is read)", there,
			 want);
	else if (there || (near && strcmp(near, name) == 0))
		buf_addf(b, " (what stands there cannot be read, or is no file)");
	else if (near)
		buf_addf(b, " (did you mean %s? --db-alias %s=%s)", near, name, near);
}

static int missing(const struct databases_how *how, const struct database *db, size_t n,
		   struct err *e)
{
	struct names *names = calloc(1, sizeof *names);
	struct buf b = { 0 };
	size_t lost = 0;

	if (!names)
		return err_set(e, ERR_NOMEM, "%s", how->dir);
	list_names(how->dir, names);
	for (size_t i = 0; i < n; i++)
		if (!db[i].path && lost++ < SHOWN)
			describe_missing(&b, how, names, db[i].id);
	err_set(e, ERR_INPUT,
		"%s: %zu of %zu databases are missing (DB_ID/DB_ID.sqlite or "
		"DB_ID.sqlite): "
		"%s%s",
		how->dir, lost, n, b.p ? b.p : "", lost > SHOWN ? "; ..." : "");
	free_names(names);
	free(names);
	buf_free(&b);
	return ERR_INPUT;
}

/* ---- what a file is ---- */

static const char *foreign(const unsigned char *p, size_t n)
{
	static const struct {
		size_t at;
		const char *magic;
		size_t n;
		const char *what;
	} kinds[] = {
		{ 8, "DUCK", 4, "a DuckDB database" },
		{ 0, "PGDMP", 5, "a PostgreSQL dump" },
		{ 0, "\x1f\x8b", 2, "packed by gzip" },
		{ 0, "PK\x03\x04", 4, "a zip archive" },
		{ 0, "\x28\xb5\x2f\xfd", 4, "packed by zstd" },
		{ 0, "-- MySQL", 8, "a MySQL dump" },
		{ 4, "Standard Jet DB", 15, "an Access database" },
		{ 4, "Standard ACE DB", 15, "an Access database" },
		{ 0, "version https://git-lfs", 23,
		  "a Git LFS pointer; run git lfs pull" },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (n >= kinds[i].at + kinds[i].n &&
		    memcmp(p + kinds[i].at, kinds[i].magic, kinds[i].n) == 0)
			return kinds[i].what;
	return "no SQLite database";
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Source: sqlite.org/fileformat2.html, 1.3: the size in pages is valid where the change
 * counter equals the version-valid-for number. */
static int is_cut(const unsigned char *h, uint64_t bytes)
{
	uint64_t page = (uint64_t)h[16] << 8 | h[17], pages = be32(h + 28);

	if (page == 1)
		page = 65536;
	return bytes < page || (be32(h + 24) == be32(h + 92) && pages * page > bytes);
}

int database_check(const char *path, struct err *e)
{
	unsigned char h[100] = { 0 };
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	n = read(fd, h, sizeof h);
	if (n < 0 || fstat(fd, &st))
		n = -1;
	close(fd);
	if (n < 0)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	if (n == 0)
		return err_set(e, ERR_INPUT,
			       "%s: is an empty file; fetch the database again", path);
	if (n < 16 || memcmp(h, "SQLite format 3", 16) != 0)
		return err_set(e, ERR_INPUT,
			       "%s: is %s; only SQLite databases are read", path,
			       foreign(h, (size_t)n));
	if (n < 100 || is_cut(h, (uint64_t)st.st_size))
		return err_set(e, ERR_INPUT,
			       "%s: the database is cut short (%llu bytes); fetch "
			       "it again",
			       path, (unsigned long long)st.st_size);
	return 0;
}

/* ---- all of them ---- */

static int has_journal(const char *path)
{
	static const char *const suffix[] = { "-wal", "-journal" };
	char name[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof name, "%s%s", path, suffix[i]);
		if (stat(name, &st) == 0 && st.st_size > 0)
			return 1;
	}
	return 0;
}

static int take_file(struct arena *a, const struct dbfile *f, struct database *db,
		     struct err *e)
{
	db->hash = f->hash;
	db->bytes = f->size;
	if (!f->recovered)
		return database_check(db->path, e);
	notice_warn("%s: a writer left a hot journal beside it; a recovered private "
		    "copy is read instead",
		    db->path);
	db->path = arena_str(a, f->path);
	return db->path ? database_check(db->path, e)
			: err_set(e, ERR_NOMEM, "databases");
}

/* A main file whose journal is hot may look cut short; what is not recovered is told by
 * what it is. */
static int open_file(struct arena *a, struct database *db, struct err *e)
{
	int hot = has_journal(db->path), rc = hot ? 0 : database_check(db->path, e);
	const char *cache = hot ? setting_cache(a) : "";
	const struct dbfile *f;
	struct dbfiles *files;

	if (rc)
		return rc;
	if (!cache || dbfiles_new(cache, &files))
		return err_set(e, ERR_NOMEM, "databases");
	rc = dbfile_open(files, db->path, &f, e);
	if (!rc)
		rc = take_file(a, f, db, e);
	dbfiles_free(&files);
	return rc;
}

const char *database_settled(struct arena *a, const char *path)
{
	struct database db = { .path = path };

	if (has_journal(path))
		return open_file(a, &db, NULL) ? NULL : db.path;
	return database_check(path, NULL) ? NULL : path;
}

static int open_one(struct arena *a, const json_t *tables, struct database *db,
		    struct err *e)
{
	int rc = open_file(a, db, e);

	if (!rc)
		rc = database_schema(a, db->path, tables, db->id, &db->schema, e);
	if (!rc)
		db->schema_hash = hash_of(db->schema.p, db->schema.n);
	return rc;
}

int databases_tables_read(struct arena *a, const char *path, json_t **ret,
			  struct err *e)
{
	struct textfile f;
	int rc = path ? textfile_read(a, path, &f, e) : 0;

	return rc || !path ? rc : json_document(&f, ret, e);
}

const char *databases_tables(struct arena *a, const char *dir)
{
	static const char *const names[] = { "tables.json", "dev_tables.json",
					     "../tables.json", "../dev_tables.json" };
	char path[PATH_MAX];
	struct textfile f;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		if (textfile_read(a, path, &f, NULL) == 0)
			return f.path;
	}
	return NULL;
}

int databases_open(struct arena *a, const struct databases_how *how,
		   struct database *ret, size_t n, struct hash *ret_hash, struct err *e)
{
	json_t *tables = NULL;
	struct hasher h;
	struct stat st;
	size_t lost = 0;
	int rc = 0;

	for (size_t i = 0; i < how->aliases && !rc; i++)
		rc = databases_alias_check(how->alias[i], e);
	if (rc)
		return rc;
	if (stat(how->dir, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, ERR_INPUT, "--databases %s: %s", how->dir,
			       S_ISDIR(st.st_mode) || errno ? strerror(errno)
							    : "is no folder");
	for (size_t i = 0; i < n; i++) {
		ret[i].path = database_path(a, how, ret[i].id);
		lost += !ret[i].path;
	}
	if (lost)
		return missing(how, ret, n, e);
	rc = databases_tables_read(a, how->tables, &tables, e);
	hash_begin(&h);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = open_one(a, tables, &ret[i], e);
		hash_add(&h, ret[i].id.p, ret[i].id.n);
		hash_add(&h, ret[i].hash.b, HASH_BYTES);
	}
	*ret_hash = hash_end(&h);
	json_decref(tables);
	return rc;
}
