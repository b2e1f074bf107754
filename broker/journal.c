/* journal.c - see journal.h
 *
 * A turn's writes are one struct batch: an array of rows and one buffer with their
 * bytes, so that handing over costs two allocations and not one a row. Statements are
 * prepared once and reset after each row: one left open would keep the WAL from
 * shrinking.
 */
#include "broker/journal.h"

#include "common/base/clock.h"
#include "common/base/crash.h"
#include "common/base/mem.h"
#include "common/io/batcher.h"
#include "proto/journal.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <zstd.h>

enum {
	CACHE_KIB = 64 << 10,
	CHECKPOINT_PAGES = 4000,
	ZSTD_FROM = 4096, /* bytes; smaller ones do not pay */
	ZSTD_LEVEL = 3,
	GATHER_US = 2000, /* an fsync costs more than what waits this long */
};

/* ---- statements ------------------------------------------------------------------ */

#define WRITE_LIST(X) \
	X(BLOB, "INSERT OR IGNORE INTO blob(hash,size,codec,data) VALUES(?,?,?,?)") \
	X(TASK, "INSERT INTO task(id,key,kind,spec) VALUES(?,?,?,?)") \
	X(ASKED, "INSERT OR IGNORE INTO asked(task,role) VALUES(?,?)") \
	X(OUTPUT, "INSERT OR IGNORE INTO " \
		  "output(task,epoch,attempt,worker,spent_us,codec,body)" \
		  " VALUES(?,?,?,?,?,?,?)") \
	X(ORPHAN, \
	  "INSERT OR IGNORE INTO " \
	  "output(task,epoch,attempt,worker,spent_us,codec,body)" \
	  " SELECT ?1,?2,?3,?4,?5,?6,?7 WHERE EXISTS(SELECT 1 FROM task WHERE id=?1)") \
	X(FAILURE, \
	  "INSERT INTO failure(sweep,task,epoch,attempt,worker,code,text,final)" \
	  " VALUES(?,?,?,?,?,?,?,?)") \
	X(CALL, \
	  "INSERT INTO call(task,epoch,attempt,seq,worker,useful,body)" \
	  " SELECT ?1,?2,?3,?4,?5,?6 AND EXISTS(SELECT 1 FROM output WHERE task=?1" \
	  " AND epoch=?2 AND attempt=?3 AND worker=?5),?7" \
	  " WHERE NOT EXISTS(SELECT 1 FROM call WHERE task=?1 AND body=?7)") \
	X(CHOICE, \
	  "INSERT INTO choice(sweep,run,position,body) SELECT ?1,?2,?3,?4" \
	  " WHERE ?4 IS NOT (SELECT body FROM choice WHERE sweep=?1 AND run=?2" \
	  " AND position=?3 ORDER BY id DESC LIMIT 1)") \
	X(VERDICT, "INSERT INTO verdict(sweep,position,body) SELECT ?1,?2,?3" \
		   " WHERE ?3 IS NOT (SELECT body FROM verdict WHERE sweep=?1" \
		   " AND position=?2 ORDER BY id DESC LIMIT 1)") \
	X(FINISH, \
	  "INSERT OR IGNORE INTO finish(epoch,code,spent,ended_ms) VALUES(?,?,?,?)")

enum write_statement {
#define X(name, sql) WRITE_##name,
	WRITE_LIST(X)
#undef X
		WRITES
};

static const char *const write_sql[WRITES] = {
#define X(name, sql) [WRITE_##name] = sql,
	WRITE_LIST(X)
#undef X
};

/* ---- what is handed over --------------------------------------------------------- */

struct span { /* bytes in the batch's buffer */
	size_t at, n;
};

struct row {
	enum write_statement what;
	int64_t number[8]; /* in the order of the statement's integers */
	struct span text, body;
	struct hash hash;
};

struct batch {
	struct batch_item item;
	struct row *row;
	size_t n, cap;
	struct buf bytes;
	uint64_t seq;
	void *note;
	int lost; /* the writer's mark: it is not on disk */
};

struct lookup {
	struct batch_item item;
	struct hash key;
	struct event found;
	char *bytes;
	void *note;
	int bad;
};

struct journal {
	struct journal_config cfg;
	uv_loop_t *loop;
	sqlite3 *db;   /* the writer thread's, once it runs */
	sqlite3 *look; /* the reader thread's */
	sqlite3 *own;  /* the loop's: blobs */
	sqlite3_stmt *write[WRITES], *find, *blob;
	struct batcher *writer, *reader;
	struct batch *turn; /* being gathered */
	int64_t sweep;
	uint64_t epoch;
	struct err failure; /* the writer's; read by the loop after a batch came back */
	int failed;         /* the writer's */
	int told;
	struct journal_stats stats;
	int closing;
	void (*on_closed)(void *arg);
};

static int db_error(sqlite3 *db, const char *path, struct err *e)
{
	int code = sqlite3_errcode(db);

	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return err_set(e, ERR_STORE,
			       "journal %s: the file is damaged (%s); `mapfleet "
			       "journal check` tells where. Put a copy of it back, or "
			       "move it and its -wal aside: then everything is asked "
			       "again",
			       path, sqlite3_errmsg(db));
	return err_set(e, ERR_STORE,
		       "journal %s: %s; what was committed is safe, free some "
		       "space or mend the disk and run the same command again",
		       path, sqlite3_errmsg(db));
}

/* ---- opening --------------------------------------------------------------------- */

static int on_network(const char *path, const char **ret_name)
{
	/* f_type of statfs(2): file systems whose locks or fsync cannot be relied on.
	 */
	static const struct {
		unsigned long magic;
		const char *name;
	} refused[] = {
		{ 0x6969, "NFS" },        { 0xff534d42, "CIFS" },
		{ 0xfe534d42, "SMB2" },   { 0x517b, "SMB" },
		{ 0x0bd00bd0, "Lustre" }, { 0x47504653, "GPFS" },
		{ 0x00c36400, "Ceph" },   { 0x19830326, "BeeGFS" },
		{ 0x5346414f, "AFS" },    { 0x01021997, "9p" },
	};
	const char *pretend = getenv("MAPFLEET_TEST_FSTYPE");
	char dir[4096];
	struct statfs s;
	unsigned long type;

	snprintf(dir, sizeof dir, "%s", path);
	*(strrchr(dir, '/') ? strrchr(dir, '/') : strcpy(dir, ".") + 1) = '\0';
	if (statfs(dir[0] ? dir : "/", &s) != 0)
		return 0;
	type = pretend ? strtoul(pretend, NULL, 16)
		       : (unsigned long)s.f_type & 0xffffffff;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (refused[i].magic == type) {
			*ret_name = refused[i].name;
			return 1;
		}
	return 0;
}

static int exec(sqlite3 *db, const char *path, const char *sql, struct err *e)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : db_error(db, path, e);
}

static int pragma_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int v = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		v = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	return v;
}

static int make_tables(sqlite3 *db, const char *path, struct err *e)
{
	char sql[200];

	snprintf(sql, sizeof sql,
		 "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
		 JOURNAL_APPLICATION, JOURNAL_VERSION);
	return exec(db, path, "BEGIN IMMEDIATE", e) ||
	       exec(db, path, journal_schema, e) || exec(db, path, sql, e);
}

static int check_version(sqlite3 *db, const char *path, struct err *e)
{
	int version = pragma_of(db, "PRAGMA user_version");
	int application = pragma_of(db, "PRAGMA application_id");
	int tables = pragma_of(db, "SELECT COUNT(*) FROM sqlite_master");

	if (tables == 0)
		return make_tables(db, path, e);
	if (tables < 0)
		return db_error(db, path, e);
	if (application != JOURNAL_APPLICATION)
		return err_set(e, ERR_INPUT,
			       "journal %s: this is another program's database; "
			       "name a new file with --journal",
			       path);
	if (version > JOURNAL_VERSION)
		return err_set(
			e, ERR_INPUT,
			"journal %s: written by a newer mapfleet (version "
			"%d, this one knows %d); use that one, or another --journal",
			path, version, JOURNAL_VERSION);
	return 0;
}

static int open_db(const char *path, int flags, sqlite3 **ret, struct err *e)
{
	if (sqlite3_open_v2(path, ret, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return err_set(e, ERR_STORE,
			       "journal %s: %s; is the directory there and "
			       "writable?",
			       path, sqlite3_errmsg(*ret));
	sqlite3_busy_timeout(*ret, 10000);
	return 0;
}

static int open_writer(struct journal *j, struct err *e)
{
	const char *path = j->cfg.path, *fs;
	char sql[120];

	if (on_network(path, &fs))
		return err_set(e, ERR_INPUT,
			       "journal %s: it lies on %s, where a commit is not "
			       "sure to stay; name a local file with --journal",
			       path, fs);
	if (open_db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &j->db, e))
		return e ? e->code : ERR_STORE;
	snprintf(sql, sizeof sql, "PRAGMA cache_size=-%d; PRAGMA wal_autocheckpoint=%d",
		 CACHE_KIB, CHECKPOINT_PAGES);
	if (check_version(j->db, path, e) || /* before anything is changed */
	    exec(j->db, path,
		 "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
		 "PRAGMA journal_size_limit=67108864",
		 e) ||
	    exec(j->db, path, sql, e))
		return e ? e->code : ERR_STORE;
	for (int i = 0; i < WRITES; i++)
		if (sqlite3_prepare_v3(j->db, write_sql[i], -1,
				       SQLITE_PREPARE_PERSISTENT, &j->write[i],
				       NULL) != SQLITE_OK)
			return db_error(j->db, path, e);
	return 0;
}

static int prepare_reader(struct journal *j, struct err *e)
{
	static const char find[] =
		"SELECT t.id, o.codec, o.body, f.code, f.text FROM task t"
		" LEFT JOIN output o ON o.task = t.id"
		" LEFT JOIN failure f ON o.task IS NULL AND f.sweep = ?2 AND f.task = "
		"t.id"
		" AND f.final = 1 WHERE t.key = ?1 LIMIT 1";

	if (open_db(j->cfg.path, SQLITE_OPEN_READONLY, &j->look, e) ||
	    open_db(j->cfg.path, SQLITE_OPEN_READONLY, &j->own, e))
		return e ? e->code : ERR_STORE;
	if (sqlite3_prepare_v3(j->look, find, -1, SQLITE_PREPARE_PERSISTENT, &j->find,
			       NULL) != SQLITE_OK)
		return db_error(j->look, j->cfg.path, e);
	if (sqlite3_prepare_v3(j->own,
			       "SELECT codec, data FROM blob WHERE hash = ?1"
			       " UNION ALL SELECT o.codec, o.body FROM task t"
			       " JOIN output o ON o.task = t.id WHERE t.key = ?1",
			       -1, SQLITE_PREPARE_PERSISTENT, &j->blob,
			       NULL) != SQLITE_OK)
		return db_error(j->own, j->cfg.path, e);
	return 0;
}

static int64_t one_number(sqlite3 *db, const char *sql, const struct hash *key)
{
	sqlite3_stmt *s = NULL;
	int64_t v = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK) {
		if (key)
			sqlite3_bind_blob(s, 1, key->b, HASH_BYTES, SQLITE_STATIC);
		if (sqlite3_step(s) == SQLITE_ROW)
			v = sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	return v;
}

static int insert_questions(struct journal *j, int64_t sweep)
{
	const struct sweep *s = j->cfg.sweep;
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(
		j->db,
		"INSERT INTO question(sweep,position,id,db,hash) VALUES(?,?,?,?,?)", -1,
		&q, NULL);

	for (uint32_t i = 0; i < s->nq && rc == SQLITE_OK; i++) {
		const struct question *k = &s->q[i];
		struct view db = s->db ? s->db[k->db].id : view_of("");

		sqlite3_bind_int64(q, 1, sweep);
		sqlite3_bind_int64(q, 2, k->position);
		sqlite3_bind_text(q, 3, k->id.p, (int)k->id.n, SQLITE_STATIC);
		sqlite3_bind_text(q, 4, db.p, (int)db.n, SQLITE_STATIC);
		sqlite3_bind_blob(q, 5, k->hash.b, HASH_BYTES, SQLITE_STATIC);
		rc = sqlite3_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return rc == SQLITE_OK;
}

static int insert_sweep(struct journal *j)
{
	const struct sweep *s = j->cfg.sweep;
	sqlite3_stmt *q = NULL;
	int ok;

	if (sqlite3_prepare_v2(j->db,
			       "INSERT INTO sweep(key,inputs,name,config,started_ms)"
			       " VALUES(?,?,?,?,?)",
			       -1, &q, NULL) != SQLITE_OK)
		return 0;
	sqlite3_bind_blob(q, 1, s->key.b, HASH_BYTES, SQLITE_STATIC);
	sqlite3_bind_blob(q, 2, s->inputs.b, HASH_BYTES, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, s->name ? s->name : "", -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 4, s->config ? s->config : "{}", -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 5, (int64_t)clock_wall_ms());
	ok = sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	return ok && insert_questions(j, sqlite3_last_insert_rowid(j->db));
}

static int insert_epoch(struct journal *j)
{
	char host[128] = "";
	sqlite3_stmt *q = NULL;
	int ok;

	gethostname(host, sizeof host - 1);
	if (sqlite3_prepare_v2(
		    j->db,
		    "INSERT INTO epoch(sweep,boot,host,pid,version,started_ms)"
		    " VALUES(?,?,?,?,?,?)",
		    -1, &q, NULL) != SQLITE_OK)
		return 0;
	sqlite3_bind_int64(q, 1, j->sweep);
	sqlite3_bind_int64(q, 2, (int64_t)(clock_ns() >> 1));
	sqlite3_bind_text(q, 3, host, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, getpid());
	sqlite3_bind_text(q, 5, MAPFLEET_VERSION, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 6, (int64_t)clock_wall_ms());
	ok = sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	j->epoch = (uint64_t)sqlite3_last_insert_rowid(j->db);
	return ok;
}

static int begin_epoch(struct journal *j, struct err *e)
{
	static const char known[] = "SELECT id FROM sweep WHERE key = ?";
	const struct hash *key = &j->cfg.sweep->key;

	if (exec(j->db, j->cfg.path, "BEGIN IMMEDIATE", e))
		return ERR_STORE;
	if (one_number(j->db, known, key) < 0 && !insert_sweep(j))
		return db_error(j->db, j->cfg.path, e);
	j->sweep = one_number(j->db, known, key);
	if (!insert_epoch(j))
		return db_error(j->db, j->cfg.path, e);
	return exec(j->db, j->cfg.path, "COMMIT", e);
}

/* ---- the writer thread ----------------------------------------------------------- */

static void bind_span(sqlite3_stmt *s, int at, const struct batch *b, struct span v,
		      int text)
{
	const char *p = b->bytes.p ? b->bytes.p + v.at : "";

	if (text)
		sqlite3_bind_text(s, at, p, (int)v.n, SQLITE_STATIC);
	else
		sqlite3_bind_blob(s, at, p, (int)v.n, SQLITE_STATIC);
}

/* Large bytes are compressed here, off the loop: *ret is malloc'ed, or NULL for raw. */
static void squeeze(const struct batch *b, struct span v, char **ret, size_t *ret_n)
{
	size_t bound = ZSTD_compressBound(v.n), n;

	*ret = v.n >= ZSTD_FROM ? mem_alloc(bound, 1) : NULL;
	if (!*ret)
		return;
	n = ZSTD_compress(*ret, bound, b->bytes.p + v.at, v.n, ZSTD_LEVEL);
	*ret_n = n;
	if (ZSTD_isError(n) || n > v.n - v.n / 8) {
		mem_free(*ret);
		*ret = NULL;
	}
}

static void bind_body(sqlite3_stmt *s, int codec_at, const struct batch *b,
		      struct span v, char **ret_packed)
{
	size_t n = 0;

	squeeze(b, v, ret_packed, &n);
	sqlite3_bind_int(s, codec_at, *ret_packed ? CODEC_ZSTD : CODEC_RAW);
	if (*ret_packed)
		sqlite3_bind_blob(s, codec_at + 1, *ret_packed, (int)n, SQLITE_STATIC);
	else
		bind_span(s, codec_at + 1, b, v, 0);
}

static char *bind_row(struct journal *j, sqlite3_stmt *s, const struct batch *b,
		      const struct row *r)
{
	char *packed = NULL;

	switch (r->what) {
	case WRITE_BLOB:
		sqlite3_bind_blob(s, 1, r->hash.b, HASH_BYTES, SQLITE_STATIC);
		sqlite3_bind_int64(s, 2, (int64_t)r->body.n);
		bind_body(s, 3, b, r->body, &packed);
		break;
	case WRITE_TASK:
		sqlite3_bind_int64(s, 1, r->number[0]);
		sqlite3_bind_blob(s, 2, r->hash.b, HASH_BYTES, SQLITE_STATIC);
		sqlite3_bind_int64(s, 3, r->number[1]);
		bind_span(s, 4, b, r->body, 0);
		break;
	case WRITE_ASKED:
		sqlite3_bind_int64(s, 1, r->number[0]);
		sqlite3_bind_int64(s, 2, r->number[1]);
		break;
	case WRITE_OUTPUT:
	case WRITE_ORPHAN:
		sqlite3_bind_int64(s, 1, r->number[0]);
		sqlite3_bind_int64(s, 2, (int64_t)j->epoch);
		sqlite3_bind_int64(s, 3, r->number[1]);
		bind_span(s, 4, b, r->text, 1);
		sqlite3_bind_int64(s, 5, r->number[2]);
		bind_body(s, 6, b, r->body, &packed);
		break;
	case WRITE_FAILURE:
		sqlite3_bind_int64(s, 1, j->sweep);
		sqlite3_bind_int64(s, 2, r->number[0]);
		sqlite3_bind_int64(s, 3, (int64_t)j->epoch);
		sqlite3_bind_int64(s, 4, r->number[1]);
		bind_span(s, 5, b, r->text, 1);
		sqlite3_bind_text(s, 6, err_name((int)r->number[2]), -1, SQLITE_STATIC);
		bind_span(s, 7, b, r->body, 1);
		sqlite3_bind_int64(s, 8, r->number[3]);
		break;
	case WRITE_CALL:
		sqlite3_bind_int64(s, 1, r->number[0]);
		sqlite3_bind_int64(s, 2, (int64_t)j->epoch);
		sqlite3_bind_int64(s, 3, r->number[1]);
		sqlite3_bind_int64(s, 4, r->number[2]);
		bind_span(s, 5, b, r->text, 1);
		sqlite3_bind_int64(s, 6, r->number[3]);
		bind_span(s, 7, b, r->body, 0);
		break;
	case WRITE_CHOICE:
		sqlite3_bind_int64(s, 1, j->sweep);
		bind_span(s, 2, b, r->text, 1);
		sqlite3_bind_int64(s, 3, r->number[0]);
		bind_span(s, 4, b, r->body, 0);
		break;
	case WRITE_VERDICT:
		sqlite3_bind_int64(s, 1, j->sweep);
		sqlite3_bind_int64(s, 2, r->number[0]);
		bind_span(s, 3, b, r->body, 0);
		break;
	case WRITE_FINISH:
		sqlite3_bind_int64(s, 1, (int64_t)j->epoch);
		sqlite3_bind_int64(s, 2, r->number[0]);
		bind_span(s, 3, b, r->body, 1);
		sqlite3_bind_int64(s, 4, r->number[1]);
		break;
	case WRITES: break;
	}
	return packed;
}

static int write_row(struct journal *j, const struct batch *b, const struct row *r)
{
	sqlite3_stmt *s = j->write[r->what];
	char *packed = bind_row(j, s, b, r);
	int ok = sqlite3_step(s) == SQLITE_DONE;

	sqlite3_reset(s);
	mem_free(packed);
	crash_at(CRASH_journal_begin);
	return ok;
}

static int write_all(struct journal *j, struct batch_item *list)
{
	for (struct batch_item *i = list; i; i = i->next) {
		const struct batch *b = (const struct batch *)i;

		if (b->bytes.bad)
			return err_set(&j->failure, ERR_NOMEM,
				       "out of memory for the journal");
		for (size_t k = 0; k < b->n; k++)
			if (!write_row(j, b, &b->row[k]))
				return db_error(j->db, j->cfg.path, &j->failure);
	}
	return 0;
}

static size_t rows_of(const struct batch_item *list)
{
	size_t n = 0;

	for (; list; list = list->next)
		n += ((const struct batch *)list)->n;
	return n;
}

static void write_batches(struct journal *j, struct batch_item *list)
{
	j->failed = exec(j->db, j->cfg.path, "BEGIN IMMEDIATE", &j->failure) ||
		    write_all(j, list);
	crash_at(CRASH_journal_commit);
	if (!j->failed)
		j->failed = exec(j->db, j->cfg.path, "COMMIT", &j->failure);
	crash_at(CRASH_journal_done);
}

static void on_write(void *arg, struct batch_item *list)
{
	struct journal *j = arg;

	if (!j->failed && rows_of(list))
		write_batches(j, list);
	for (struct batch_item *i = list; i; i = i->next)
		((struct batch *)i)->lost = j->failed;
}

static void free_batch(struct batch *b)
{
	mem_free(b->row);
	buf_free(&b->bytes);
	mem_free(b);
}

static void on_written(void *arg, struct batch_item *list)
{
	struct journal *j = arg;

	int lost = 0;

	j->stats.commits++;
	while (list) {
		struct batch *b = (struct batch *)list;

		list = list->next;
		j->stats.rows += b->n;
		lost |= b->lost;
		if (!b->lost)
			j->cfg.on_committed(j->cfg.arg, b->seq, b->note);
		else
			mem_free(b->note);
		free_batch(b);
	}
	if (lost && !j->told) {
		j->told = 1;
		j->cfg.on_failed(j->cfg.arg, &j->failure);
	}
}

/* ---- the reader thread ----------------------------------------------------------- */

static char *unpack(int codec, const void *p, size_t n, size_t *ret_n)
{
	unsigned long long size;
	char *out;

	if (codec == CODEC_RAW) {
		*ret_n = n;
		return mem_dup(p, n);
	}
	size = ZSTD_getFrameContentSize(p, n);
	if (size > (1u << 30))
		return NULL;
	out = mem_alloc((size_t)size + 1, 1);
	if (out && ZSTD_decompress(out, (size_t)size, p, n) != size) {
		mem_free(out);
		return NULL;
	}
	*ret_n = (size_t)size;
	return out;
}

static int code_by_name(const char *name)
{
	for (int c = 1; strcmp(err_name(c), "?") != 0; c++)
		if (strcmp(err_name(c), name) == 0)
			return c;
	return ERR_STORE;
}

static void read_row(struct journal *j, struct lookup *l, sqlite3_stmt *s)
{
	size_t n = 0;

	l->found.task = (uint64_t)sqlite3_column_int64(s, 0);
	if (sqlite3_column_type(s, 2) != SQLITE_NULL) {
		l->bytes = unpack(sqlite3_column_int(s, 1), sqlite3_column_blob(s, 2),
				  (size_t)sqlite3_column_bytes(s, 2), &n);
		l->found.state = FACT_OUTPUT;
		l->found.output = (struct view){ l->bytes, n };
	} else if (sqlite3_column_type(s, 3) != SQLITE_NULL &&
		   !j->cfg.sweep->retry_errors) {
		l->bytes = mem_dup(sqlite3_column_text(s, 4),
				   (size_t)sqlite3_column_bytes(s, 4));
		l->found.state = FACT_FAILED;
		l->found.code = code_by_name((const char *)sqlite3_column_text(s, 3));
		l->found.text =
			(struct view){ l->bytes, (size_t)sqlite3_column_bytes(s, 4) };
	} else {
		return;
	}
	l->bad = !l->bytes;
}

static void on_read(void *arg, struct batch_item *list)
{
	struct journal *j = arg;

	for (; list; list = list->next) {
		struct lookup *l = (struct lookup *)list;
		int rc;

		sqlite3_bind_blob(j->find, 1, l->key.b, HASH_BYTES, SQLITE_STATIC);
		sqlite3_bind_int64(j->find, 2, j->sweep);
		rc = sqlite3_step(j->find);
		if (rc == SQLITE_ROW)
			read_row(j, l, j->find);
		else
			l->bad = rc != SQLITE_DONE;
		sqlite3_reset(j->find);
	}
}

static void on_was_read(void *arg, struct batch_item *list)
{
	struct journal *j = arg;
	struct err e;

	while (list) {
		struct lookup *l = (struct lookup *)list;

		list = list->next;
		if (l->bad && !j->told) {
			j->told = 1;
			err_set(&e, ERR_STORE,
				"journal %s: a row cannot be read; run `mapfleet "
				"journal check %s`",
				j->cfg.path, j->cfg.path);
			j->cfg.on_failed(j->cfg.arg, &e);
		}
		if (l->bad)
			mem_free(l->note);
		else
			j->cfg.on_found(j->cfg.arg, &l->found, l->note);
		mem_free(l->bytes);
		mem_free(l);
	}
}

/* ---- the loop's side ------------------------------------------------------------- */

static void close_dbs(struct journal *j)
{
	for (int i = 0; i < WRITES; i++)
		sqlite3_finalize(j->write[i]);
	sqlite3_finalize(j->find);
	sqlite3_finalize(j->blob);
	sqlite3_close(j->look);
	sqlite3_close(j->own);
	sqlite3_close(j->db);
}

int journal_open(uv_loop_t *loop, const struct journal_config *config,
		 struct journal **ret, int64_t *ret_sweep, uint64_t *ret_epoch,
		 struct err *e)
{
	struct journal *j = mem_alloc(1, sizeof *j);
	int rc;

	if (!j)
		return err_set(e, ERR_NOMEM, "out of memory");
	j->cfg = *config;
	j->loop = loop;
	rc = open_writer(j, e);
	if (!rc)
		rc = begin_epoch(j, e);
	if (!rc)
		rc = prepare_reader(j, e);
	if (!rc)
		rc = batcher_new(loop, on_write, on_written, j, GATHER_US, &j->writer);
	if (!rc)
		rc = batcher_new(loop, on_read, on_was_read, j, 0, &j->reader);
	if (rc) {
		close_dbs(j);
		mem_free(j);
		return rc;
	}
	*ret_sweep = j->sweep;
	*ret_epoch = j->epoch;
	*ret = j;
	return 0;
}

static struct batch *turn_of(struct journal *j)
{
	if (!j->turn)
		j->turn = mem_alloc(1, sizeof *j->turn);
	return j->turn;
}

static struct span put(struct batch *b, struct view v)
{
	struct span s = { b->bytes.n, v.n };

	buf_add(&b->bytes, v.p, v.n);
	return s;
}

static struct row *add_row(struct journal *j, enum write_statement what)
{
	static struct row nowhere;
	struct batch *b = turn_of(j);
	struct row *more;

	if (!b)
		return &nowhere;
	if (b->n == b->cap) {
		more = mem_resize(b->row, b->cap ? b->cap * 2 : 64, sizeof *more);
		if (!more) {
			b->bytes.bad = ERR_NOMEM;
			return &nowhere;
		}
		b->row = more;
		b->cap = b->cap ? b->cap * 2 : 64;
	}
	more = &b->row[b->n++];
	memset(more, 0, sizeof *more);
	more->what = what;
	return more;
}

static void add_blobs(struct journal *j, const struct blob *blob, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct row *r = add_row(j, WRITE_BLOB);

		r->hash = blob[i].hash;
		r->body = put(j->turn, blob[i].bytes);
	}
}

static void add_role(struct journal *j, const struct action *a)
{
	struct row *r = add_row(j, WRITE_ASKED);

	r->number[0] = (int64_t)a->task;
	r->number[1] = a->role;
}

static void add_task(struct journal *j, const struct action *a)
{
	struct row *r = add_row(j, WRITE_TASK);

	r->number[0] = (int64_t)a->task;
	r->number[1] = a->task_kind;
	r->hash = task_key(a->spec);
	r->body = put(j->turn, a->spec);
}

static void add_calls(struct journal *j, const struct action *a, struct view worker,
		      int useful)
{
	for (size_t i = 0; i < a->ncall; i++) {
		struct row *r = add_row(j, WRITE_CALL);

		r->number[0] = (int64_t)a->task;
		r->number[1] = a->attempt;
		r->number[2] = (int64_t)i;
		/* Of a useful attempt the last call answered; earlier ones were
		 * retried. */
		r->number[3] = useful && i + 1 == a->ncall;
		r->text = put(j->turn, worker);
		r->body = put(j->turn, a->call[i]);
	}
}

static void add_output(struct journal *j, const struct action *a, struct view worker)
{
	int known = a->kind == ACTION_OUTPUT;
	struct row *r = add_row(j, known ? WRITE_OUTPUT : WRITE_ORPHAN);

	r->number[0] = (int64_t)a->task;
	r->number[1] = a->attempt;
	r->number[2] = (int64_t)a->spent_us;
	r->text = put(j->turn, worker);
	r->body = put(j->turn, a->output);
	add_calls(j, a, worker, 1);
}

static void add_failure(struct journal *j, const struct action *a, struct view worker)
{
	struct row *r = add_row(j, WRITE_FAILURE);

	r->number[0] = (int64_t)a->task;
	r->number[1] = a->attempt;
	r->number[2] = a->code;
	r->number[3] = a->final;
	r->text = put(j->turn, worker);
	r->body = put(j->turn, a->text);
	add_calls(j, a, worker, 0);
}

static void add_record(struct journal *j, const struct action *a)
{
	const struct unit *u = a->unit;
	uint32_t position =
		j->cfg.sweep->nq ? j->cfg.sweep->q[u->question].position : u->question;
	struct row *r = add_row(j, u->run ? WRITE_CHOICE : WRITE_VERDICT);

	r->number[0] = position;
	if (u->run)
		r->text = put(j->turn, view_of(u->run->name));
	r->body = put(j->turn, a->record);
}

void journal_write(struct journal *j, const struct action *a, struct view worker,
		   const struct blob *blob, size_t nblob)
{
	if (!turn_of(j))
		return;
	switch (a->kind) {
	case ACTION_TASK:
		add_blobs(j, blob, nblob);
		add_task(j, a);
		break;
	case ACTION_ROLE: add_role(j, a); break;
	case ACTION_OUTPUT:
	case ACTION_ORPHAN: add_output(j, a, worker); break;
	case ACTION_FAILURE: add_failure(j, a, worker); break;
	case ACTION_CALLS: add_calls(j, a, worker, 0); break;
	case ACTION_RECORD: add_record(j, a); break;
	default: break;
	}
}

void journal_flush(struct journal *j, uint64_t seq, void *note)
{
	struct batch *b = j->turn;

	if (!b && !note)
		return;
	b = turn_of(j);
	if (!b) {
		struct err e;

		err_set(&e, ERR_NOMEM, "out of memory for the journal");
		j->cfg.on_failed(j->cfg.arg, &e);
		return;
	}
	b->seq = seq;
	b->note = note;
	j->turn = NULL;
	batcher_put(j->writer, &b->item);
}

void journal_look_up(struct journal *j, const struct hash *key, uint32_t lookup,
		     void *note)
{
	struct lookup *l = mem_alloc(1, sizeof *l);
	struct err e;

	if (!l) {
		err_set(&e, ERR_NOMEM, "out of memory for the journal");
		j->cfg.on_failed(j->cfg.arg, &e);
		return;
	}
	l->key = *key;
	l->found.kind = EVENT_FOUND;
	l->found.lookup = lookup;
	l->note = note;
	batcher_put(j->reader, &l->item);
}

int journal_blob(struct journal *j, const struct hash *hash, char **ret, size_t *ret_n)
{
	int found = 0;

	sqlite3_bind_blob(j->blob, 1, hash->b, HASH_BYTES, SQLITE_STATIC);
	if (sqlite3_step(j->blob) == SQLITE_ROW) {
		*ret = unpack(sqlite3_column_int(j->blob, 0),
			      sqlite3_column_blob(j->blob, 1),
			      (size_t)sqlite3_column_bytes(j->blob, 1), ret_n);
		found = *ret != NULL;
	}
	sqlite3_reset(j->blob);
	return found;
}

void journal_finish(struct journal *j, int code, const char *spent_json)
{
	struct row *r = add_row(j, WRITE_FINISH);

	if (!j->turn)
		return;
	r->number[0] = code;
	r->number[1] = (int64_t)clock_wall_ms();
	r->body = put(j->turn, view_of(spent_json));
	journal_flush(j, 0, NULL);
}

static void on_batchers_closed(void *arg)
{
	struct journal *j = arg;
	void (*on_closed)(void *) = j->on_closed;
	void *their = j->cfg.arg;

	if (++j->closing < 2)
		return;
	if (j->turn)
		free_batch(j->turn);
	close_dbs(j);
	mem_free(j);
	on_closed(their);
}

void journal_close(struct journal *j, void (*on_closed)(void *arg))
{
	j->on_closed = on_closed;
	batcher_close(j->reader, on_batchers_closed);
	batcher_close(j->writer, on_batchers_closed);
}

void journal_stats(const struct journal *j, struct journal_stats *ret)
{
	*ret = j->stats;
	ret->waiting = batcher_inside(j->writer) + (j->turn != NULL);
}
