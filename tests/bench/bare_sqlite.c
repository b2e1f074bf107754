/* bare_sqlite.c - what SQLite itself costs on a pool, and what our way to it costs
 *
 *     bare_sqlite POOL.jsonl DATABASES MASK [CHILDREN]
 *
 * Runs every distinct (db_id, sql) of a pool once and prints CPU and wall seconds.
 * Without CHILDREN: a bare loop in one process, one connection per database, SQLite's
 * own VFS, the same digests, a step limit. With it: the same through sqlpool; CPU is
 * that of all processes. MASK is of enum digest_kind (31: all).
 */
#include "common/base/clock.h"
#include "common/base/mem.h"
#include "common/select/digest.h"
#include "proto/exec_out.h"
#include "worker/dbfile.h"
#include "worker/sqlpool.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct item {
	char *db, *sql;
	size_t n;
	const struct dbfile *file;
	sqlite3 *conn;
};

static struct item *items;
static size_t item_n, item_cap;
static uint64_t statuses[STATUSES], failures, rows_seen;
static uint64_t ticks;

static const uint64_t steps_max = 1000000000;

static void die(const char *what)
{
	fprintf(stderr, "bare_sqlite: %s\n", what);
	exit(1);
}

static int item_cmp(const void *a_, const void *b_)
{
	const struct item *a = a_, *b = b_;
	int c = strcmp(a->db, b->db);

	return c ? c : strcmp(a->sql, b->sql);
}

static void add_item(const char *db, const char *sql)
{
	if (item_n == item_cap) {
		item_cap = item_cap ? 2 * item_cap : 1024;
		items = mem_resize(items, item_cap, sizeof *items);
	}
	items[item_n++] = (struct item){ .db = mem_dup(db, strlen(db)),
					 .sql = mem_dup(sql, strlen(sql)),
					 .n = strlen(sql) };
}

static void load(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0, kept = 0;

	if (!f)
		die(path);
	while (getline(&line, &cap, f) > 0) {
		json_t *j = json_loads(line, 0, NULL), *c;
		size_t i;

		json_array_foreach (json_object_get(j, "candidates"), i, c)
			add_item(json_string_value(json_object_get(j, "db_id")),
				 json_string_value(json_object_get(c, "sql")));
		json_decref(j);
	}
	free(line);
	fclose(f);
	qsort(items, item_n, sizeof *items, item_cmp);
	for (size_t i = 0; i < item_n; i++)
		if (i == 0 || item_cmp(&items[i], &items[kept - 1]))
			items[kept++] = items[i];
	item_n = kept;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static double cpu_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return seconds(&u.ru_utime) + seconds(&u.ru_stime);
}

/* ---- bare ---- */

static int on_tick(void *unused)
{
	(void)unused;
	return ++ticks > steps_max / 1000;
}

static void take(sqlite3_value *v, struct cell *c)
{
	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		*c = (struct cell){ .type = CELL_INT, .i = sqlite3_value_int64(v) };
		break;
	case SQLITE_FLOAT:
		*c = (struct cell){ .type = CELL_REAL, .d = sqlite3_value_double(v) };
		break;
	case SQLITE_TEXT:
		*c = (struct cell){ .type = CELL_TEXT };
		c->v.p = (const char *)sqlite3_value_text(v);
		c->v.n = (size_t)sqlite3_value_bytes(v);
		break;
	case SQLITE_BLOB:
		*c = (struct cell){ .type = CELL_BLOB };
		c->v.p = sqlite3_value_blob(v);
		c->v.n = (size_t)sqlite3_value_bytes(v);
		break;
	default: *c = (struct cell){ .type = CELL_NULL };
	}
}

static enum status run_bare(struct item *it, struct digest *d, unsigned mask)
{
	static struct cell cells[2000];
	struct digest_sum sum;
	sqlite3_stmt *s = NULL;
	int r, n;

	ticks = 0;
	if (sqlite3_prepare_v2(it->conn, it->sql, (int)it->n + 1, &s, NULL) || !s)
		return STATUS_error;
	if (!sqlite3_stmt_readonly(s)) {
		sqlite3_finalize(s);
		return STATUS_refused;
	}
	n = sqlite3_column_count(s);
	digest_begin(d, mask, TEXT_RAW, (uint32_t)n, (size_t)512 << 20);
	while ((r = sqlite3_step(s)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			take(sqlite3_column_value(s, i), &cells[i]);
		digest_row(d, cells);
	}
	digest_end(d, &sum);
	rows_seen += sum.rows;
	sqlite3_finalize(s);
	return r != SQLITE_DONE ? STATUS_error : sum.rows ? STATUS_rows : STATUS_empty;
}

static void bare(const char *databases, unsigned mask)
{
	struct digest *d;
	char path[4096];

	if (digest_new(&d))
		die("memory");
	for (size_t i = 0; i < item_n; i++) {
		struct item *it = &items[i];

		if (i && !strcmp(it->db, items[i - 1].db)) {
			it->conn = items[i - 1].conn;
		} else {
			snprintf(path, sizeof path, "%s/%s/%s.sqlite", databases,
				 it->db, it->db);
			if (sqlite3_open_v2(path, &it->conn, SQLITE_OPEN_READONLY,
					    NULL))
				die(path);
			sqlite3_progress_handler(it->conn, 1000, on_tick, NULL);
		}
		statuses[run_bare(it, d, mask)]++;
	}
	digest_free(&d);
}

/* ---- through the pool ---- */

static void on_reply(void *arg, const struct sql_reply *r)
{
	struct exec_out o;
	struct arena a = { 0 };

	(void)arg;
	if (r->code || exec_out_decode(r->output, &o, &a)) {
		failures++;
	} else {
		statuses[o.status]++;
		rows_seen += o.rows;
	}
	arena_free(&a);
}

static void pooled(struct sqlzygote *z, const char *databases, unsigned mask,
		   uint32_t children)
{
	struct sql_request q = { .limits = SQL_LIMITS_DEFAULT,
				 .digests = mask,
				 .wall_ms = 600000 };
	struct dbfiles *files;
	struct sqlpool *pool;
	struct sqlpool_stats s;
	struct err e;
	uv_loop_t loop;
	char path[4096];

	uv_loop_init(&loop);
	if (dbfiles_new("/tmp/bare_sqlite-cache", &files) ||
	    sqlpool_new(&loop, z, children, q.limits.memory, &pool, &e))
		die("pool");
	for (size_t i = 0; i < item_n; i++) {
		struct item *it = &items[i];

		snprintf(path, sizeof path, "%s/%s/%s.sqlite", databases, it->db,
			 it->db);
		if (dbfile_open(files, path, &it->file, &e))
			die(e.text);
		q.db = it->file->hash;
		q.db_fd = it->file->fd;
		q.sql = (struct view){ it->sql, it->n };
		if (sqlpool_submit(pool, &q, on_reply, NULL, NULL))
			die("submit");
	}
	uv_run(&loop, UV_RUN_DEFAULT);
	sqlpool_stats(pool, &s);
	printf("children's own %.3f s, requeued %llu, deaths %llu, timeouts %llu\n",
	       (double)s.cpu_ns / 1e9, (unsigned long long)s.requeued,
	       (unsigned long long)s.deaths, (unsigned long long)s.timeouts);
	sqlpool_free(&pool);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	dbfiles_free(&files);
}

int main(int argc, char **argv)
{
	struct sqlzygote *z = NULL;
	struct err e;
	double cpu, children_cpu, wall;
	unsigned mask;

	if (argc < 4)
		die("POOL.jsonl DATABASES MASK [CHILDREN]");
	if (argc > 4 && sqlzygote_start(NULL, 0, &z, &e))
		die(e.text);
	mask = (unsigned)atoi(argv[3]);
	load(argv[1]);
	cpu = cpu_of(RUSAGE_SELF);
	wall = (double)clock_ns();
	if (argc > 4)
		pooled(z, argv[2], mask, (uint32_t)atoi(argv[4]));
	else
		bare(argv[2], mask);
	wall = ((double)clock_ns() - wall) / 1e9;
	cpu = cpu_of(RUSAGE_SELF) - cpu;
	sqlzygote_stop(&z);
	children_cpu = cpu_of(RUSAGE_CHILDREN);
	printf("queries %zu rows %llu failures %llu", item_n,
	       (unsigned long long)rows_seen, (unsigned long long)failures);
	for (unsigned i = 0; i < STATUSES; i++)
		printf(" %s %llu", status_name((enum status)i),
		       (unsigned long long)statuses[i]);
	printf("\ncpu %.3f s (parent %.3f, children %.3f), wall %.3f s, %.1f us a "
	       "query\n",
	       cpu + children_cpu, cpu, children_cpu, wall,
	       (cpu + children_cpu) * 1e6 / (double)item_n);
	return 0;
}
