/* bank.c - see bank.h
 *
 * Tables: `about` has one row; `item` one a question; `vector` one for every
 * CHUNK_ROWS items, little-endian floats; `own`, where it is there, the same of the
 * built-in embedder. The file is made in one transaction without a
 * journal under a temporary name, synced, hashed and put in place, so a bank is whole
 * or absent.
 */
#include "common/io/bank.h"

#include "common/base/arena.h"
#include "common/base/filehash.h"
#include "common/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK_ROWS = 1024, ALIGN = 64, COMPARE_BITS = 32 };

static const char schema_sql[] =
	"CREATE TABLE about(embedder TEXT NOT NULL, dim INTEGER NOT NULL, "
	"source TEXT NOT NULL, train BLOB NOT NULL);"
	"CREATE TABLE item(place INTEGER PRIMARY KEY, id TEXT NOT NULL, "
	"db_id TEXT NOT NULL, question TEXT NOT NULL, evidence TEXT NOT NULL, "
	"sql TEXT NOT NULL, memory TEXT NOT NULL, text TEXT NOT NULL, "
	"flag TEXT NOT NULL, compares INTEGER NOT NULL);"
	"CREATE TABLE vector(first INTEGER PRIMARY KEY, floats BLOB NOT NULL);";

static const char own_sql[] =
	"CREATE TABLE own(first INTEGER PRIMARY KEY, floats BLOB NOT NULL);";

struct rows { /* vectors on their way into a table */
	sqlite3_stmt *put;
	float *chunk; /* rows first .. n-1 of the bank */
	uint32_t dim, first;
};

struct bank_writer {
	sqlite3 *db;
	sqlite3_stmt *item;
	char *path, *temporary;
	uint32_t n;
	struct rows vector, own; /* own.dim 0: none */
};

struct bank {
	struct arena a;
	struct bank_about about;
	struct bank_item *item;
	uint32_t n, good;
	int starved; /* memory ran out while reading */
	float *vectors, *own;
	double share[COMPARE_BITS];
	struct by_id {
		struct view id;
		uint32_t place;
	} * by_id;
};

static int store_error(struct err *e, sqlite3 *db, const char *path)
{
	return err_set(e, ERR_STORE, "bank %s: %s", path,
		       db ? sqlite3_errmsg(db) : "out of memory");
}

static void writer_free(struct bank_writer **w)
{
	if (!*w)
		return;
	sqlite3_finalize((*w)->item);
	sqlite3_finalize((*w)->vector.put);
	sqlite3_finalize((*w)->own.put);
	sqlite3_close((*w)->db);
	mem_free((*w)->path);
	mem_free((*w)->temporary);
	mem_free((*w)->vector.chunk);
	mem_free((*w)->own.chunk);
	mem_free(*w);
	*w = NULL;
}

void bank_abandon(struct bank_writer **w)
{
	if (*w && (*w)->temporary)
		unlink((*w)->temporary);
	writer_free(w);
}

static void bind(sqlite3_stmt *s, int i, struct view v)
{
	sqlite3_bind_text64(s, i, v.p ? v.p : "", v.n, SQLITE_STATIC, SQLITE_UTF8);
}

static int run_once(sqlite3_stmt *s)
{
	int rc = sqlite3_step(s);

	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	return rc == SQLITE_DONE ? 0 : ERR_STORE;
}

static int write_about(sqlite3 *db, const struct bank_about *about)
{
	sqlite3_stmt *s = NULL;
	int code;

	if (sqlite3_prepare_v2(db, "INSERT INTO about VALUES (?, ?, ?, ?)", -1, &s,
			       NULL))
		return ERR_STORE;
	bind(s, 1, about->embedder);
	sqlite3_bind_int64(s, 2, about->dim);
	bind(s, 3, about->source);
	sqlite3_bind_blob(s, 4, about->train.b, HASH_BYTES, SQLITE_STATIC);
	code = run_once(s);
	sqlite3_finalize(s);
	return code;
}

static int open_new(struct bank_writer *w, const struct bank_about *about)
{
	char pragmas[200];

	snprintf(pragmas, sizeof pragmas,
		 "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA "
		 "application_id=%d; PRAGMA user_version=%d; BEGIN;",
		 BANK_APPLICATION, BANK_VERSION);
	unlink(w->temporary);
	if (sqlite3_open_v2(w->temporary, &w->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ||
	    sqlite3_exec(w->db, pragmas, NULL, NULL, NULL) ||
	    sqlite3_exec(w->db, schema_sql, NULL, NULL, NULL) ||
	    write_about(w->db, about) ||
	    sqlite3_prepare_v2(w->db, "INSERT INTO item VALUES (?,?,?,?,?,?,?,?,?,?)",
			       -1, &w->item, NULL))
		return ERR_STORE;
	if (w->own.dim && (sqlite3_exec(w->db, own_sql, NULL, NULL, NULL) ||
			   sqlite3_prepare_v2(w->db, "INSERT INTO own VALUES (?, ?)",
					      -1, &w->own.put, NULL)))
		return ERR_STORE;
	return sqlite3_prepare_v2(w->db, "INSERT INTO vector VALUES (?, ?)", -1,
				  &w->vector.put, NULL)
		       ? ERR_STORE
		       : 0;
}

int bank_begin(const char *path, const struct bank_about *about,
	       struct bank_writer **ret, struct err *e)
{
	struct bank_writer *w;
	char temporary[PATH_MAX];
	int code;

	if (about->dim < 1 || about->dim > BANK_DIM_MAX ||
	    about->own_dim > BANK_DIM_MAX)
		return err_set(e, ERR_VALUE, "bank %s: vectors of %u dimensions", path,
			       about->dim);
	w = mem_alloc(1, sizeof *w);
	if (!w)
		return err_set(e, ERR_NOMEM, "bank %s", path);
	snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
	w->vector.dim = about->dim;
	w->own.dim = about->own_dim;
	w->path = mem_dup(path, strlen(path));
	w->temporary = mem_dup(temporary, strlen(temporary));
	w->vector.chunk = mem_alloc((size_t)CHUNK_ROWS * about->dim, sizeof(float));
	w->own.chunk =
		mem_alloc((size_t)CHUNK_ROWS * about->own_dim + 1, sizeof(float));
	if (!w->path || !w->temporary || !w->vector.chunk || !w->own.chunk)
		code = err_set(e, ERR_NOMEM, "bank %s", path);
	else if ((code = open_new(w, about)))
		code = store_error(e, w->db, w->temporary);
	if (code) {
		bank_abandon(&w);
		return code;
	}
	*ret = w;
	return 0;
}

static int write_chunk(struct rows *r, uint32_t n)
{
	size_t bytes = (size_t)(n - r->first) * r->dim * sizeof *r->chunk;
	int code;

	if (!bytes)
		return 0;
	sqlite3_bind_int64(r->put, 1, r->first);
	sqlite3_bind_blob64(r->put, 2, r->chunk, bytes, SQLITE_STATIC);
	code = run_once(r->put);
	r->first = n;
	return code;
}

/* Row n, zeros where there is no vector. */
static int add_row(struct rows *r, uint32_t n, const float *vector)
{
	float *row = r->chunk + (size_t)(n - r->first) * r->dim;

	if (!r->dim)
		return 0;
	if (vector)
		memcpy(row, vector, r->dim * sizeof *row);
	else
		memset(row, 0, r->dim * sizeof *row);
	return n + 1 - r->first == CHUNK_ROWS ? write_chunk(r, n + 1) : 0;
}

static int write_item(struct bank_writer *w, const struct bank_item *i)
{
	sqlite3_stmt *s = w->item;

	sqlite3_bind_int64(s, 1, w->n);
	bind(s, 2, i->id);
	bind(s, 3, i->db_id);
	bind(s, 4, i->question);
	bind(s, 5, i->evidence);
	bind(s, 6, i->sql);
	bind(s, 7, i->memory);
	bind(s, 8, i->text);
	bind(s, 9, i->flag);
	sqlite3_bind_int64(s, 10, i->compares);
	return run_once(s);
}

int bank_add_both(struct bank_writer *w, const struct bank_item *item,
		  const float *vector, const float *own, struct err *e)
{
	int has = !item->flag.n, lacks = !vector || (w->own.dim && !own);

	if (!item->id.n || (lacks && has))
		return err_set(e, ERR_VALUE, "bank %s: item %u has no %s", w->path,
			       w->n, item->id.n ? "vector" : "id");
	if (write_item(w, item) || add_row(&w->vector, w->n, has ? vector : NULL) ||
	    add_row(&w->own, w->n, has ? own : NULL))
		return store_error(e, w->db, w->path);
	w->n++;
	return 0;
}

int bank_add(struct bank_writer *w, const struct bank_item *item, const float *vector,
	     struct err *e)
{
	return bank_add_both(w, item, vector, NULL, e);
}

static int sync_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;

	if (fd < 0)
		return ERR_STORE;
	code = fsync(fd) ? ERR_STORE : 0;
	close(fd);
	return code;
}

int bank_finish(struct bank_writer **pw, struct hash *ret_name, struct err *e)
{
	struct bank_writer *w = *pw;
	struct hash name;
	int code = 0;

	if (write_chunk(&w->vector, w->n) || write_chunk(&w->own, w->n) ||
	    sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL))
		code = store_error(e, w->db, w->path);
	sqlite3_finalize(w->item);
	sqlite3_finalize(w->vector.put);
	sqlite3_finalize(w->own.put);
	w->item = w->vector.put = w->own.put = NULL;
	if (!code && sqlite3_close(w->db))
		code = store_error(e, w->db, w->path);
	else if (!code)
		w->db = NULL;
	if (!code &&
	    (sync_file(w->temporary) || hash_of_file(w->temporary, &name, NULL, NULL) ||
	     rename(w->temporary, w->path)))
		code = err_set(e, ERR_STORE, "bank %s: %s", w->path, strerror(errno));
	if (code) {
		bank_abandon(pw);
		return code;
	}
	writer_free(pw);
	if (ret_name)
		*ret_name = name;
	return 0;
}

static struct view take_text(struct bank *b, sqlite3_stmt *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(s, i);
	size_t n = p ? (size_t)sqlite3_column_bytes(s, i) : 0;
	struct view v = { arena_dup(&b->a, p ? p : "", n), n };

	b->starved |= !v.p;
	return v;
}

static int damaged(struct err *e, const char *path, const char *what)
{
	return err_set(e, ERR_INPUT,
		       "bank %s: %s; build it again with `mapfleet memory build`", path,
		       what);
}

static int64_t number_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t n = -1;

	if (!sqlite3_prepare_v2(db, sql, -1, &s, NULL) && sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

static int read_about(struct bank *b, sqlite3 *db, const char *path, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int code = 0;

	if (number_of(db, "PRAGMA application_id") != BANK_APPLICATION)
		return damaged(e, path, "the file is no memory bank");
	if (number_of(db, "PRAGMA user_version") != BANK_VERSION)
		return damaged(e, path, "another version's memory bank");
	if (sqlite3_prepare_v2(db, "SELECT embedder, dim, source, train FROM about", -1,
			       &s, NULL) ||
	    sqlite3_step(s) != SQLITE_ROW || sqlite3_column_bytes(s, 3) != HASH_BYTES ||
	    sqlite3_column_int64(s, 1) < 1 ||
	    sqlite3_column_int64(s, 1) > BANK_DIM_MAX) {
		code = damaged(e, path, "its provenance cannot be read");
	} else {
		b->about.embedder = take_text(b, s, 0);
		b->about.dim = (uint32_t)sqlite3_column_int64(s, 1);
		b->about.source = take_text(b, s, 2);
		memcpy(b->about.train.b, sqlite3_column_blob(s, 3), HASH_BYTES);
	}
	sqlite3_finalize(s);
	return code;
}

static struct bank_item take_item(struct bank *b, sqlite3_stmt *s)
{
	return (struct bank_item){ .id = take_text(b, s, 1),
				   .db_id = take_text(b, s, 2),
				   .question = take_text(b, s, 3),
				   .evidence = take_text(b, s, 4),
				   .sql = take_text(b, s, 5),
				   .memory = take_text(b, s, 6),
				   .text = take_text(b, s, 7),
				   .flag = take_text(b, s, 8),
				   .compares = (unsigned)sqlite3_column_int64(s, 9) };
}

static int read_items(struct bank *b, sqlite3 *db, const char *path, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int64_t n = number_of(db, "SELECT count(*) FROM item");
	int rc = SQLITE_ROW;

	if (n < 0 || n > INT32_MAX)
		return damaged(e, path, "its items cannot be counted");
	b->item = arena_alloc(&b->a, (size_t)n + 1, sizeof *b->item);
	if (!b->item)
		return err_set(e, ERR_NOMEM, "bank %s", path);
	if (sqlite3_prepare_v2(db, "SELECT * FROM item ORDER BY place", -1, &s, NULL))
		return damaged(e, path, "its items cannot be read");
	while (b->n < n && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct bank_item *i = &b->item[b->n];

		if (sqlite3_column_int64(s, 0) != b->n)
			break;
		*i = take_item(b, s);
		b->good += !i->flag.n;
		for (unsigned k = 0; k < COMPARE_BITS && !i->flag.n; k++)
			b->share[k] += i->compares >> k & 1;
		b->n++;
	}
	sqlite3_finalize(s);
	if (b->n != n)
		return damaged(e, path, "its items cannot be read");
	for (unsigned k = 0; k < COMPARE_BITS && b->good; k++)
		b->share[k] /= b->good;
	return 0;
}

static int read_vectors(sqlite3 *db, const char *sql, size_t row, uint32_t n,
			const char *path, float **ret, struct err *e)
{
	size_t have = 0, all = row * n;
	sqlite3_stmt *s = NULL;

	*ret = aligned_alloc(ALIGN, (all + ALIGN) / ALIGN * ALIGN);
	if (!*ret)
		return err_set(e, ERR_NOMEM, "bank %s", path);
	memset(*ret, 0, (all + ALIGN) / ALIGN * ALIGN);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL))
		return damaged(e, path, "its vectors cannot be read");
	while (sqlite3_step(s) == SQLITE_ROW) {
		size_t bytes = (size_t)sqlite3_column_bytes(s, 1);

		if ((uint64_t)sqlite3_column_int64(s, 0) * row != have ||
		    bytes > all - have)
			break;
		memcpy((char *)*ret + have, sqlite3_column_blob(s, 1), bytes);
		have += bytes;
	}
	sqlite3_finalize(s);
	return have == all ? 0 : damaged(e, path, "its vectors are not whole");
}

/* How wide the rows of `own` are, by the first chunk: 0, there are none. */
static uint32_t own_dim(const struct bank *b, sqlite3 *db)
{
	uint32_t rows = b->n < CHUNK_ROWS ? b->n : CHUNK_ROWS;
	int64_t bytes;

	if (!b->n ||
	    number_of(db, "SELECT count(*) FROM sqlite_schema WHERE name='own'") < 1)
		return 0;
	bytes = number_of(db, "SELECT length(floats) FROM own WHERE first = 0");
	return bytes > 0 ? (uint32_t)(bytes / rows / (int64_t)sizeof(float)) : 0;
}

static int read_all_vectors(struct bank *b, sqlite3 *db, const char *path,
			    struct err *e)
{
	int code =
		read_vectors(db, "SELECT first, floats FROM vector ORDER BY first",
			     b->about.dim * sizeof(float), b->n, path, &b->vectors, e);

	b->about.own_dim = own_dim(b, db);
	if (code || !b->about.own_dim)
		return code;
	return read_vectors(db, "SELECT first, floats FROM own ORDER BY first",
			    b->about.own_dim * sizeof(float), b->n, path, &b->own, e);
}

static int by_id(const void *x, const void *y)
{
	const struct by_id *a = x, *b = y;
	int c = view_cmp(a->id, b->id);

	return c ? c : (a->place > b->place) - (a->place < b->place);
}

static int index_ids(struct bank *b)
{
	b->by_id = arena_alloc(&b->a, (size_t)b->n + 1, sizeof *b->by_id);
	if (!b->by_id)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < b->n; i++)
		b->by_id[i] = (struct by_id){ b->item[i].id, i };
	qsort(b->by_id, b->n, sizeof *b->by_id, by_id);
	return 0;
}

static int read_bank(struct bank *b, sqlite3 *db, const char *path, struct err *e)
{
	int code = read_about(b, db, path, e);

	if (!code)
		code = read_items(b, db, path, e);
	if (!code)
		code = read_all_vectors(b, db, path, e);
	if (!code && (b->starved || index_ids(b)))
		code = err_set(e, ERR_NOMEM, "bank %s", path);
	return code;
}

int bank_open(const char *path, struct bank **ret, struct err *e)
{
	struct bank *b;
	sqlite3 *db = NULL;
	int code;

	if (access(path, R_OK))
		return err_set(e, ERR_INPUT, "bank %s: %s", path, strerror(errno));
	b = mem_alloc(1, sizeof *b);
	if (!b)
		return err_set(e, ERR_NOMEM, "bank %s", path);
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL))
		code = store_error(e, db, path);
	else
		code = read_bank(b, db, path, e);
	sqlite3_close(db);
	if (code) {
		bank_free(&b);
		return code;
	}
	*ret = b;
	return 0;
}

void bank_free(struct bank **b)
{
	if (!b || !*b)
		return;
	free((*b)->vectors);
	free((*b)->own);
	arena_free(&(*b)->a);
	mem_free(*b);
	*b = NULL;
}

const struct bank_about *bank_about(const struct bank *b)
{
	return &b->about;
}

uint32_t bank_items(const struct bank *b)
{
	return b->n;
}

uint32_t bank_good(const struct bank *b)
{
	return b->good;
}

const struct bank_item *bank_item(const struct bank *b, uint32_t i)
{
	return &b->item[i];
}

int64_t bank_find(const struct bank *b, struct view id)
{
	size_t lo = 0, hi = b->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (view_cmp(b->by_id[mid].id, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->n && view_eq(b->by_id[lo].id, id) ? (int64_t)b->by_id[lo].place
							 : -1;
}

const float *bank_vectors(const struct bank *b)
{
	return b->vectors;
}

const float *bank_own_vectors(const struct bank *b)
{
	return b->own;
}

uint32_t bank_tokens(const struct bank *b, uint32_t i)
{
	return (uint32_t)((b->item[i].text.n + 3) / 4);
}

double bank_share(const struct bank *b, unsigned bit)
{
	return bit < COMPARE_BITS ? b->share[bit] : 0;
}

int bank_leave_out(const struct bank *b, const struct view *why, const char *path,
		   struct hash *ret_name, struct err *e)
{
	struct bank_writer *w;
	int code = bank_begin(path, &b->about, &w, e);

	if (code)
		return code;
	for (uint32_t i = 0; i < b->n && !code; i++) {
		struct bank_item item = b->item[i];

		if (!item.flag.n)
			item.flag = why[i];
		code = bank_add_both(
			w, &item, b->vectors + (size_t)i * b->about.dim,
			b->own ? b->own + (size_t)i * b->about.own_dim : NULL, e);
	}
	if (!code)
		return bank_finish(&w, ret_name, e);
	bank_abandon(&w);
	return code;
}
