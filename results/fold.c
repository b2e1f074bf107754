/* fold.c - see fold.h */
#include "results/fold.h"

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "proto/journal.h"

#include <sqlite3.h>
#include <zstd.h>

#define CHOICE_SQL \
	"SELECT body FROM choice WHERE sweep=?1 AND run=?2 AND position=?3" \
	" ORDER BY id DESC LIMIT 1"
#define VERDICT_SQL \
	"SELECT body FROM verdict WHERE sweep=?1 AND position=?2" \
	" ORDER BY id DESC LIMIT 1"
#define OUTPUT_SQL \
	"SELECT o.codec, o.body FROM task t JOIN output o ON o.task=t.id WHERE " \
	"t.key=?1"
#define CALL_SQL \
	"SELECT t.key, c.attempt, c.worker, c.useful, c.body, p.sweep=?1, t.kind" \
	" FROM call c" \
	" JOIN task t ON t.id=c.task JOIN epoch p ON p.id=c.epoch ORDER BY c.id"
#define FINISH_SQL \
	"SELECT p.sweep=?1, f.code, f.spent, p.started_ms, f.ended_ms, p.host" \
	" FROM finish f JOIN epoch p ON p.id=f.epoch JOIN sweep s ON s.id=p.sweep" \
	" WHERE s.inputs=(SELECT inputs FROM sweep WHERE id=?1) ORDER BY f.epoch"
/* Epochs over the same inputs that were killed before they could say what they spent.
 */
#define KILLED \
	" IN (SELECT p.id FROM epoch p JOIN sweep s ON s.id=p.sweep" \
	" WHERE s.inputs=(SELECT inputs FROM sweep WHERE id=?1)" \
	" AND NOT EXISTS(SELECT 1 FROM finish f WHERE f.epoch=p.id))"
#define KILLED_CALL_SQL \
	"SELECT t.key, c.attempt, c.worker, c.useful, c.body, p.sweep=?1, t.kind" \
	" FROM call c" \
	" JOIN task t ON t.id=c.task JOIN epoch p ON p.id=c.epoch" \
	" WHERE c.epoch" KILLED " ORDER BY c.id"
#define KILLED_SQL \
	"SELECT (SELECT count(*) FROM epoch e WHERE e.id" KILLED ")," \
	" (SELECT count(*) FROM output o WHERE o.epoch" KILLED ")"
#define TIMEOUT_SQL "SELECT count(*) FROM failure WHERE sweep=?1 AND code='TIMEOUT'"

struct fold {
	sqlite3 *db;
	int64_t sweep;
	char *path;
	sqlite3_stmt *choice, *verdict, *output;
};

static int broken(const struct fold *f, struct err *e, const char *what)
{
	return err_set(e, ERR_STORE, "journal %s: %s: %s", f->path, what,
		       f->db ? sqlite3_errmsg(f->db) : "out of memory");
}

static int prepare(struct fold *f, const char *sql, sqlite3_stmt **ret, struct err *e)
{
	if (sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret, NULL) !=
	    SQLITE_OK)
		return broken(f, e, "unreadable");
	return 0;
}

static int check_version(struct fold *f, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int version, rc = prepare(f, "PRAGMA user_version", &s, e);

	if (rc)
		return rc;
	if (sqlite3_step(s) != SQLITE_ROW) {
		rc = broken(f, e, "unreadable");
	} else if ((version = sqlite3_column_int(s, 0)) != JOURNAL_VERSION) {
		rc = err_set(
			e, ERR_STORE,
			"journal %s has version %d, this program reads %d: use the "
			"program that wrote it",
			f->path, version, JOURNAL_VERSION);
	}
	sqlite3_finalize(s);
	return rc;
}

static int has_sweep(struct fold *f, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = prepare(f, "SELECT 1 FROM sweep WHERE id=?1", &s, e);

	if (rc)
		return rc;
	sqlite3_bind_int64(s, 1, f->sweep);
	if (sqlite3_step(s) != SQLITE_ROW)
		rc = err_set(e, ERR_STORE, "journal %s holds no sweep %lld", f->path,
			     (long long)f->sweep);
	sqlite3_finalize(s);
	return rc;
}

/* Only what may write can take the WAL's files away again when it closes; a journal
 * that may not be written is read all the same. */
static int open_db(struct fold *f)
{
	int rc = sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READWRITE, NULL);

	if (rc != SQLITE_OK) {
		sqlite3_close(f->db);
		f->db = NULL;
		rc = sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READONLY, NULL);
	}
	if (rc == SQLITE_OK)
		sqlite3_exec(f->db, "PRAGMA query_only=1", NULL, NULL, NULL);
	return rc;
}

int fold_open(const char *journal, int64_t sweep, struct fold **ret, struct err *e)
{
	struct fold *f = mem_alloc(1, sizeof *f);
	int rc = ERR_NOMEM;

	if (f)
		f->path = mem_dup(journal, strlen(journal));
	if (!f || !f->path) {
		err_set(e, ERR_NOMEM, "journal %s", journal);
		goto out;
	}
	f->sweep = sweep;
	if (open_db(f) != SQLITE_OK)
		rc = broken(f, e, "cannot be opened");
	else
		rc = check_version(f, e);
	if (rc == 0) {
		sqlite3_busy_timeout(f->db, 10000);
		sqlite3_exec(f->db, "BEGIN", NULL, NULL, NULL); /* one moment */
		rc = has_sweep(f, e);
	}
	if (rc == 0)
		rc = prepare(f, CHOICE_SQL, &f->choice, e);
	if (rc == 0)
		rc = prepare(f, VERDICT_SQL, &f->verdict, e);
	if (rc == 0)
		rc = prepare(f, OUTPUT_SQL, &f->output, e);
	if (rc == 0) {
		*ret = f;
		f = NULL;
	}
out:
	fold_close(&f);
	return rc;
}

void fold_close(struct fold **p)
{
	struct fold *f = *p;

	if (!f)
		return;
	sqlite3_finalize(f->choice);
	sqlite3_finalize(f->verdict);
	sqlite3_finalize(f->output);
	sqlite3_close(f->db);
	mem_free(f->path);
	mem_free(f);
	*p = NULL;
}

static struct view column(sqlite3_stmt *s, int i)
{
	const void *p = sqlite3_column_blob(s, i);

	return (struct view){ p ? p : "", (size_t)sqlite3_column_bytes(s, i) };
}

/* One row or none; its column 0 goes into the arena. */
static int newest(struct fold *f, sqlite3_stmt *s, struct arena *a, struct view *ret,
		  int *ret_found, struct err *e)
{
	int step = sqlite3_step(s), rc = 0;

	*ret_found = step == SQLITE_ROW;
	if (step == SQLITE_ROW) {
		*ret = arena_view(a, column(s, 0));
		if (!ret->p)
			rc = err_set(e, ERR_NOMEM, "journal record");
	} else if (step != SQLITE_DONE) {
		rc = broken(f, e, "unreadable");
	}
	sqlite3_reset(s);
	return rc;
}

int fold_choice(struct fold *f, const char *run, uint32_t position, struct arena *a,
		struct choice *ret, int *ret_found, struct err *e)
{
	struct view body;
	int rc;

	sqlite3_bind_int64(f->choice, 1, f->sweep);
	sqlite3_bind_text(f->choice, 2, run, -1, SQLITE_STATIC);
	sqlite3_bind_int64(f->choice, 3, position);
	rc = newest(f, f->choice, a, &body, ret_found, e);
	if (rc == 0 && *ret_found && choice_decode(body, a, ret) != 0)
		rc = err_set(e, ERR_STORE,
			     "journal %s: the choice of run %s at position %u is "
			     "unreadable",
			     f->path, run, position);
	return rc;
}

int fold_verdict(struct fold *f, uint32_t position, struct arena *a,
		 struct verdict *ret, int *ret_found, struct err *e)
{
	struct view body;
	int rc;

	sqlite3_bind_int64(f->verdict, 1, f->sweep);
	sqlite3_bind_int64(f->verdict, 2, position);
	rc = newest(f, f->verdict, a, &body, ret_found, e);
	if (rc == 0 && *ret_found && verdict_decode(body, a, ret) != 0)
		rc = err_set(e, ERR_STORE,
			     "journal %s: the verdict at position %u is unreadable",
			     f->path, position);
	return rc;
}

static int unpack(struct fold *f, struct view packed, struct arena *a, struct view *ret,
		  struct err *e)
{
	unsigned long long n = ZSTD_getFrameContentSize(packed.p, packed.n);
	char *p;

	if (n > FOLD_BODY_MAX) /* errors are huge numbers */
		return err_set(e, ERR_STORE, "journal %s: an output has a bad size",
			       f->path);
	p = arena_alloc(a, n + 1, 1);
	if (!p)
		return err_set(e, ERR_NOMEM, "an output of %llu bytes", n);
	if (ZSTD_decompress(p, n, packed.p, packed.n) != n)
		return err_set(e, ERR_STORE, "journal %s: an output is damaged",
			       f->path);
	*ret = (struct view){ p, (size_t)n };
	return 0;
}

int fold_output(struct fold *f, const struct hash *key, struct arena *a,
		struct view *ret, int *ret_found, struct err *e)
{
	sqlite3_stmt *s = f->output;
	int step, rc = 0;

	sqlite3_bind_blob(s, 1, key->b, HASH_BYTES, SQLITE_STATIC);
	step = sqlite3_step(s);
	*ret_found = step == SQLITE_ROW;
	if (step == SQLITE_ROW && sqlite3_column_int(s, 0) == CODEC_ZSTD) {
		rc = unpack(f, column(s, 1), a, ret, e);
	} else if (step == SQLITE_ROW) {
		*ret = arena_view(a, column(s, 1));
		if (!ret->p)
			rc = err_set(e, ERR_NOMEM, "an output");
	} else if (step != SQLITE_DONE) {
		rc = broken(f, e, "unreadable");
	}
	sqlite3_reset(s);
	return rc;
}

static int one_call(struct fold *f, sqlite3_stmt *s, fold_call_fn *fn, void *arg,
		    struct err *e)
{
	struct arena a = { 0 };
	struct fold_call c = { .task_attempt = (uint64_t)sqlite3_column_int64(s, 1),
			       .worker = column(s, 2),
			       .own = sqlite3_column_int(s, 5),
			       .kind = (uint8_t)sqlite3_column_int(s, 6) };
	struct view key = column(s, 0);
	struct call *calls = NULL;
	struct buf list = { 0 };
	size_t n = 0;
	int rc = 0;

	/* A row holds one call; its reader takes lists. */
	pack_array(&list, 1);
	buf_add(&list, column(s, 4).p, column(s, 4).n);
	if (key.n == HASH_BYTES)
		memcpy(c.task.b, key.p, HASH_BYTES);
	if (list.bad || key.n != HASH_BYTES ||
	    calls_decode(buf_view(&list), &a, &calls, &n, NULL) != 0)
		rc = err_set(e, ERR_STORE, "journal %s: a call is unreadable", f->path);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		c.call = &calls[i];
		c.useful = sqlite3_column_int(s, 3) && calls[i].useful;
		rc = fn(arg, &c, e);
	}
	buf_free(&list);
	arena_free(&a);
	return rc;
}

typedef int row_fn(struct fold *f, sqlite3_stmt *s, void *arg, struct err *e);

static int each(struct fold *f, const char *sql, row_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int step, rc = prepare(f, sql, &s, e);

	if (rc)
		return rc;
	sqlite3_bind_int64(s, 1, f->sweep);
	while (rc == 0 && (step = sqlite3_step(s)) != SQLITE_DONE)
		rc = step == SQLITE_ROW ? fn(f, s, arg, e) : broken(f, e, "unreadable");
	sqlite3_finalize(s);
	return rc;
}

struct call_visit {
	fold_call_fn *fn;
	void *arg;
};

static int call_row(struct fold *f, sqlite3_stmt *s, void *arg, struct err *e)
{
	struct call_visit *v = arg;

	return one_call(f, s, v->fn, v->arg, e);
}

int fold_calls(struct fold *f, fold_call_fn *fn, void *arg, struct err *e)
{
	struct call_visit v = { fn, arg };

	return each(f, CALL_SQL, call_row, &v, e);
}

int fold_killed_calls(struct fold *f, fold_call_fn *fn, void *arg, struct err *e)
{
	struct call_visit v = { fn, arg };

	return each(f, KILLED_CALL_SQL, call_row, &v, e);
}

static int killed_row(struct fold *f, sqlite3_stmt *s, void *arg, struct err *e)
{
	uint64_t *ret = arg;

	(void)f;
	(void)e;
	ret[0] = (uint64_t)sqlite3_column_int64(s, 0);
	ret[1] = (uint64_t)sqlite3_column_int64(s, 1);
	return 0;
}

int fold_killed(struct fold *f, uint64_t *ret_commands, uint64_t *ret_tasks,
		struct err *e)
{
	uint64_t n[2] = { 0, 0 };
	int rc = each(f, KILLED_SQL, killed_row, n, e);

	if (!rc) {
		*ret_commands = n[0];
		*ret_tasks = n[1];
	}
	return rc;
}

struct finish_visit {
	fold_finish_fn *fn;
	void *arg;
};

static int finish_row(struct fold *f, sqlite3_stmt *s, void *arg, struct err *e)
{
	struct finish_visit *v = arg;
	struct fold_finish x = { .own = sqlite3_column_int(s, 0),
				 .code = sqlite3_column_int(s, 1),
				 .spent = column(s, 2),
				 .started_ms = (uint64_t)sqlite3_column_int64(s, 3),
				 .ended_ms = (uint64_t)sqlite3_column_int64(s, 4),
				 .host = column(s, 5) };

	(void)f;
	return v->fn(v->arg, &x, e);
}

int fold_finishes(struct fold *f, fold_finish_fn *fn, void *arg, struct err *e)
{
	struct finish_visit v = { fn, arg };

	return each(f, FINISH_SQL, finish_row, &v, e);
}

static int count_row(struct fold *f, sqlite3_stmt *s, void *arg, struct err *e)
{
	(void)f;
	(void)e;
	*(uint64_t *)arg = (uint64_t)sqlite3_column_int64(s, 0);
	return 0;
}

int fold_timeouts(struct fold *f, uint64_t *ret, struct err *e)
{
	return each(f, TIMEOUT_SQL, count_row, ret, e);
}
