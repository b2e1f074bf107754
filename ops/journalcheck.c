/* journalcheck.c - see journalcheck.h */
#include "ops/journalcheck.h"

#include "common/base/buf.h"
#include "common/base/hash.h"
#include "common/base/mem.h"
#include "proto/journal.h"
#include "proto/task.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

enum { FINDINGS_SHOWN = 100 };

struct check {
	sqlite3 *db;
	const char *path;
	journal_finding_fn *on_finding;
	void *arg;
	struct journal_counts n;
	struct err *e;
};

static void finding(struct check *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void finding(struct check *c, const char *fmt, ...)
{
	char line[500];
	va_list ap;

	if (c->n.findings++ >= FINDINGS_SHOWN)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	c->on_finding(c->arg, line);
}

static int failed(struct check *c)
{
	return err_set(c->e, ERR_STORE, "%s: %s", c->path, sqlite3_errmsg(c->db));
}

/* The first column of the first row, 0 where there is none. */
static int number(struct check *c, const char *sql, uint64_t *ret)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &q, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(q);
	*ret = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : failed(c);
}

static int version(struct check *c)
{
	uint64_t v, app;
	int rc;

	if ((rc = number(c, "PRAGMA application_id", &app)) ||
	    (rc = number(c, "PRAGMA user_version", &v)))
		return rc;
	if (app != JOURNAL_APPLICATION)
		return err_set(c->e, ERR_INPUT, "%s: is no journal of mapfleet",
			       c->path);
	if (v > JOURNAL_VERSION)
		return err_set(c->e, ERR_INPUT,
			       "%s: version %" PRIu64
			       "; this program knows up to %d: use the newer "
			       "one",
			       c->path, v, JOURNAL_VERSION);
	return 0;
}

static int integrity(struct check *c)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(c->db, "PRAGMA integrity_check(20)", -1, &q, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const char *line = (const char *)sqlite3_column_text(q, 0);

		if (line && strcmp(line, "ok") != 0)
			finding(c, "integrity: %s", line);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? 0 : failed(c);
}

/* Rows that name a row that is not there. */
static int orphans(struct check *c)
{
	static const char *const of[][2] = {
		{ "output", "task NOT IN (SELECT id FROM task)" },
		{ "asked", "task NOT IN (SELECT id FROM task)" },
		{ "failure", "task NOT IN (SELECT id FROM task)" },
		{ "call", "task NOT IN (SELECT id FROM task)" },
		{ "output", "epoch NOT IN (SELECT id FROM epoch)" },
		{ "epoch", "sweep NOT IN (SELECT id FROM sweep)" },
		{ "question", "sweep NOT IN (SELECT id FROM sweep)" },
		{ "choice",
		  "NOT EXISTS (SELECT 1 FROM question q WHERE q.sweep = choice.sweep "
		  "AND q.position = choice.position)" },
		{ "verdict",
		  "NOT EXISTS (SELECT 1 FROM question q WHERE q.sweep = verdict.sweep "
		  "AND q.position = verdict.position)" },
		{ "finish", "epoch NOT IN (SELECT id FROM epoch)" },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof of / sizeof *of && !rc; i++) {
		char sql[300];
		uint64_t n;

		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE %s", of[i][0],
			 of[i][1]);
		rc = number(c, sql, &n);
		if (!rc && n)
			finding(c, "orphans: %" PRIu64 " rows of %s: %s", n, of[i][0],
				of[i][1]);
	}
	return rc;
}

static int is_named(sqlite3_stmt *q, int column, const struct hash *h)
{
	return sqlite3_column_bytes(q, column) == HASH_BYTES &&
	       memcmp(sqlite3_column_blob(q, column), h->b, HASH_BYTES) == 0;
}

static int specs(struct check *c)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(c->db, "SELECT id, key, spec FROM task", -1, &q,
				    NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct hash h = hash_of(sqlite3_column_blob(q, 2),
					(size_t)sqlite3_column_bytes(q, 2));

		c->n.tasks++;
		if (!is_named(q, 1, &h))
			finding(c, "task %lld: its spec has another hash than its key",
				sqlite3_column_int64(q, 0));
		rc = SQLITE_OK;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? 0 : failed(c);
}

/* 1, 0: cannot be unpacked to `size`. */
static int unpacked_hash(const void *p, size_t n, size_t size, int codec,
			 struct hash *ret)
{
	char *to;
	size_t got;

	if (codec == CODEC_RAW) {
		*ret = hash_of(p, n);
		return n == size;
	}
	if (codec != CODEC_ZSTD || ZSTD_getFrameContentSize(p, n) != size)
		return 0;
	to = mem_alloc(size + 1, 1);
	got = to ? ZSTD_decompress(to, size, p, n) : 0;
	if (to)
		*ret = hash_of(to, size);
	mem_free(to);
	return to && !ZSTD_isError(got) && got == size;
}

static int blobs(struct check *c)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(
		c->db, "SELECT id, hash, size, codec, data FROM blob", -1, &q, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct hash h;

		c->n.blobs++;
		if (!unpacked_hash(sqlite3_column_blob(q, 4),
				   (size_t)sqlite3_column_bytes(q, 4),
				   (size_t)sqlite3_column_int64(q, 2),
				   sqlite3_column_int(q, 3), &h))
			finding(c, "blob %lld: cannot be unpacked",
				sqlite3_column_int64(q, 0));
		else if (!is_named(q, 1, &h))
			finding(c, "blob %lld: its bytes have another hash",
				sqlite3_column_int64(q, 0));
		rc = SQLITE_OK;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? 0 : failed(c);
}

static int counts(struct check *c)
{
	int rc;

	if ((rc = number(c, "SELECT count(*) FROM output", &c->n.outputs)) ||
	    (rc = number(c, "SELECT count(*) FROM failure", &c->n.failures)) ||
	    (rc = number(c, "SELECT count(*) FROM call", &c->n.calls)) ||
	    (rc = number(c, "SELECT count(*) FROM choice", &c->n.choices)))
		return rc;
	return number(c, "SELECT count(*) FROM verdict", &c->n.verdicts);
}

int journal_check(const char *path, journal_finding_fn *on_finding, void *arg,
		  struct journal_counts *ret, struct err *e)
{
	struct check c = { .path = path, .on_finding = on_finding, .arg = arg, .e = e };
	int rc;

	if (access(path, R_OK))
		return err_set(e, ERR_INPUT, "%s: no such file, or it may not be read",
			       path);
	if (sqlite3_open_v2(path, &c.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
		rc = failed(&c);
	} else {
		sqlite3_exec(c.db, "PRAGMA query_only = 1", NULL, NULL, NULL);
		sqlite3_busy_timeout(c.db, 5000);
		rc = version(&c);
		if (!rc)
			rc = integrity(&c);
		if (!rc && (rc = orphans(&c)) == 0 && (rc = specs(&c)) == 0 &&
		    (rc = blobs(&c)) == 0)
			rc = counts(&c);
	}
	sqlite3_close(c.db);
	if (!rc)
		*ret = c.n;
	return rc;
}
