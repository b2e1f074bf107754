/* sql_columns.c - the columns our analysis finds are those that SQLite's authorizer
 * reports as SQLITE_READ, on every training question whose database is there
 *
 * What is compared: the set of (table, column) with a column name, case folded. SQLite
 * also reports a table without a column where nothing of it is read; those are no
 * columns. SQL that SQLite does not prepare has no answer to compare with.
 *
 * Why it can be done from the text alone: SQLite asks the authorizer while it resolves
 * names, before it optimises, so a read that is optimised away later is reported all
 * the same (a column that a subquery selects and nobody wants; the ELSE of a CASE that
 * never comes). What it never resolves it never reports, and neither do we: a CTE that
 * nothing names; the pairs that USING and NATURAL stand for (they are joins, not
 * columns).
 *
 * Classes of difference: none is in the data. Random queries over four tables of short
 * names differ in one of 5,000, all of one class: `t.*` or t.c where several tables of
 * one FROM are called t; SQLite then takes the first, we take each.
 *
 * SEE_DIFFERENCES=1 prints those that differ.
 */
#include "tests/support/cm.h"

#include "common/sql/analysis.h"
#include "tests/support/skip.h"
#include "tests/support/sqlite_schema.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { READS = 4096 };

struct reads {
	char *name[READS]; /* "table.column" */
	size_t n;
};

static void add_read(struct reads *r, const char *table, const char *column)
{
	char *name = sqlite3_mprintf("%s.%s", table, column);

	for (char *p = name; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->name[i], name) == 0) {
			sqlite3_free(name);
			return;
		}
	assert_true(r->n < READS);
	r->name[r->n++] = name;
}

static void clear_reads(struct reads *r)
{
	for (size_t i = 0; i < r->n; i++)
		sqlite3_free(r->name[i]);
	r->n = 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int same_reads(struct reads *a, struct reads *b)
{
	qsort(a->name, a->n, sizeof *a->name, by_name);
	qsort(b->name, b->n, sizeof *b->name, by_name);
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->name[i], b->name[i]) != 0)
			return 0;
	return a->n == b->n;
}

static int authorize(void *to, int action, const char *table, const char *column,
		     const char *db, const char *inside)
{
	(void)db;
	(void)inside;
	if (action == SQLITE_READ && column[0])
		add_read(to, table, column);
	return SQLITE_OK;
}

static int reads_by_sqlite(sqlite3 *db, const char *sql, struct reads *ret)
{
	sqlite3_stmt *q = NULL;
	int ok;

	sqlite3_set_authorizer(db, authorize, ret);
	ok = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && q;
	sqlite3_finalize(q);
	sqlite3_set_authorizer(db, NULL, NULL);
	return ok;
}

static void reads_by_us(const struct schema *s, const char *sql, struct reads *ret)
{
	struct arena a = { 0 };
	struct sql_analysis r;

	assert_int_equal(sql_analyse(&a, s, view_of(sql), &r), 0);
	for (size_t i = 0; i < r.n_columns; i++) {
		const struct schema_table *t = &s->tables[r.columns[i].table];
		int c = r.columns[i].column;

		add_read(ret, t->name.p, c < 0 ? "ROWID" : t->columns[c].name.p);
	}
	arena_free(&a);
}

struct database {
	char id[256];
	sqlite3 *db;
	struct schema schema;
};

static void close_database(struct database *d)
{
	sqlite3_close(d->db);
	schema_free(&d->schema);
	*d = (struct database){ 0 };
}

/* Training questions of one database stand together, so one is open at a time. */
static int open_database(struct database *d, const char *set, const char *id)
{
	char relative[1024];
	const char *path;

	if (strcmp(d->id, id) == 0)
		return d->db != NULL;
	close_database(d);
	snprintf(d->id, sizeof d->id, "%s", id);
	snprintf(relative, sizeof relative, "%s/database/%s/%s.sqlite", set, id, id);
	path = shared_data(relative);
	if (!path)
		return 0;
	assert_int_equal(sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL), 0);
	assert_int_equal(sqlite_schema(d->db, &d->schema), 0);
	return 1;
}

struct count {
	size_t compared, same, refused, not_whole;
};

static void print_difference(const char *id, const char *sql,
			     const struct reads *sqlite, const struct reads *ours)
{
	if (!getenv("SEE_DIFFERENCES"))
		return;
	printf("%s: %s\n  sqlite:", id, sql);
	for (size_t i = 0; i < sqlite->n; i++)
		printf(" %s", sqlite->name[i]);
	printf("\n  ours:  ");
	for (size_t i = 0; i < ours->n; i++)
		printf(" %s", ours->name[i]);
	printf("\n");
}

static void compare(struct database *d, const char *sql, struct count *n)
{
	static struct reads sqlite, ours;

	if (!reads_by_sqlite(d->db, sql, &sqlite)) {
		n->refused++;
		clear_reads(&sqlite);
		return;
	}
	reads_by_us(&d->schema, sql, &ours);
	n->compared++;
	if (same_reads(&sqlite, &ours))
		n->same++;
	else
		print_difference(d->id, sql, &sqlite, &ours);
	clear_reads(&sqlite);
	clear_reads(&ours);
}

/* A training question's gold, or all candidates of a pool's question. */
static void compare_question(struct database *d, const json_t *o, struct count *n)
{
	const json_t *candidate, *list = json_object_get(o, "candidates");
	size_t i;

	if (!list)
		compare(d, json_string_value(json_object_get(o, "sql")), n);
	json_array_foreach (list, i, candidate)
		compare(d, json_string_value(json_object_get(candidate, "sql")), n);
}

static void compare_file(const char *set, const char *file, struct count *n)
{
	char relative[256], *line = NULL;
	struct database d = { 0 };
	size_t cap = 0;
	const char *path;
	FILE *f;

	snprintf(relative, sizeof relative, "%s/%s", set, file);
	path = shared_data(relative);
	NEEDS_SHARED(path);
	f = fopen(path, "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		json_t *o = json_loads(line, JSON_ALLOW_NUL, NULL);

		assert_non_null(o);
		if (open_database(&d, set,
				  json_string_value(json_object_get(o, "db_id"))))
			compare_question(&d, o, n);
		json_decref(o);
	}
	free(line);
	fclose(f);
	close_database(&d);
}

static void check_file(const char *set, const char *file)
{
	struct count n = { 0 };

	compare_file(set, file, &n);
	print_message("%s/%s: %zu of %zu the same, %zu not prepared by SQLite\n", set,
		      file, n.same, n.compared, n.refused);
	assert_true(n.compared > 0);
	assert_true(n.same * 100 >= n.compared * 98);
}

static void columns_equal_the_authorizers_on_spider_training(void **unused)
{
	(void)unused;
	check_file("spider", "train.jsonl");
}

static void columns_equal_the_authorizers_on_ehrsql_training(void **unused)
{
	(void)unused;
	check_file("ehrsql", "train.jsonl");
}

static void columns_equal_the_authorizers_on_all_candidates(void **unused)
{
	(void)unused;
	check_file("spider", "pool.jsonl");
	check_file("bird", "pool.jsonl");
	check_file("ehrsql", "pool.jsonl");
}

static const char fixture[] =
	"CREATE TABLE a(id INTEGER PRIMARY KEY, x, y, k);"
	"CREATE TABLE b(id, x, z, k); CREATE TABLE c(id INTEGER PRIMARY KEY, k, w);"
	"CREATE TABLE \"odd names\"(\"unit price\" REAL, \"order\" TEXT);";

/* Every kind of scope there is, small enough to read. All must be the same. */
static const char *const scopes[] = {
	"SELECT x FROM a",
	"SELECT count(*) FROM a",
	"SELECT * FROM a",
	"SELECT a.x FROM a JOIN b USING (id)",
	"SELECT * FROM a JOIN b USING (id)",
	"SELECT * FROM a NATURAL JOIN c",
	"SELECT k FROM a JOIN b USING (k) JOIN c USING (k)",
	"SELECT b.* FROM a, b",
	"SELECT q.x FROM a AS q, b p WHERE q.id = p.id AND p.z > 1",
	"SELECT rowid FROM a",
	"SELECT rowid FROM b",
	"SELECT b.oid FROM a JOIN b",
	"SELECT \"nope\" FROM a",
	"SELECT \"x\", `y`, [k] FROM a WHERE \"id\" = 'x'",
	"SELECT [unit price] FROM `odd names` ORDER BY \"order\"",
	"SELECT main.a.x FROM main.a",
	"SELECT x FROM (SELECT x, y FROM a)",
	"SELECT q.u FROM (SELECT x AS u, z FROM b WHERE k IS NULL) AS q",
	"SELECT count(*) FROM (SELECT x FROM a ORDER BY k)",
	"WITH q AS (SELECT x FROM a), r AS (SELECT z FROM b) SELECT * FROM q",
	"WITH q(u) AS (SELECT x FROM a) SELECT u FROM q WHERE u > 1",
	"WITH p AS (SELECT u FROM q), q AS (SELECT y AS u FROM a) SELECT * FROM p",
	"WITH r(n) AS (SELECT x FROM a UNION SELECT z FROM r, b) SELECT n FROM r",
	"SELECT x FROM a UNION SELECT z FROM b ORDER BY z",
	"SELECT x FROM a EXCEPT SELECT x FROM b INTERSECT SELECT k FROM c",
	"SELECT y AS x FROM a ORDER BY x",
	"SELECT y AS x FROM a WHERE x = 1",
	"SELECT y AS q FROM a GROUP BY q HAVING q > 1",
	"SELECT max(x), y AS mm FROM a ORDER BY max(mm)",
	"SELECT (SELECT y FROM b) FROM a",
	"SELECT 1 FROM a WHERE EXISTS (SELECT * FROM b WHERE b.id = a.k)",
	"SELECT x FROM a WHERE k IN (SELECT k FROM b WHERE z = y)",
	"SELECT x FROM a WHERE (x, y) IN (SELECT x, z FROM b)",
	"SELECT sum(x) OVER (PARTITION BY y ORDER BY k) FROM a",
	"SELECT sum(x) OVER w FROM a WINDOW w AS (PARTITION BY y ORDER BY k)",
	"SELECT count(x) FILTER (WHERE y > 1) FROM a",
	"SELECT CASE WHEN x THEN y ELSE k END, CAST(id AS TEXT) FROM a",
	"SELECT iif(0, x, y), coalesce(1, k) FROM a",
	"SELECT x FROM a LIMIT (SELECT k FROM b)",
	"SELECT x FROM (a JOIN c USING (id))",
	"SELECT x, w FROM (a JOIN c ON a.id = c.id) t",
	"SELECT x FROM a WHERE y NOT BETWEEN k AND id AND x NOT LIKE 'a' ESCAPE 'b'",
	"SELECT x FROM a WHERE y NOTNULL OR k IS NOT NULL AND id ISNULL",
	"SELECT x FROM a WHERE x IN (SELECT id FROM c) OR x = -y OR NOT k",
	"VALUES (1, 2), (3, 4)",
	"SELECT a.x FROM a LEFT OUTER JOIN b ON a.id = b.id CROSS JOIN c",
	"SELECT x || y COLLATE NOCASE FROM a GROUP BY 1 ORDER BY 1 DESC NULLS LAST",
	";;SELECT/**/x--c\nFROM a;;",
	"SELECT x FROM a WHERE id IN c",
	"SELECT y FROM c CROSS JOIN (a JOIN b ON a.id = b.id)",
	"SELECT rowid FROM (a t1 LEFT JOIN b t2) AS t JOIN b d USING (z)",
	"SELECT (SELECT 1 FROM c GROUP BY \"x\") FROM a",
	"SELECT (SELECT 1 FROM c ORDER BY \"x\") FROM a",
	"SELECT c.* FROM a LEFT JOIN c USING (k) ORDER BY k",
	"SELECT DISTINCT t1.x FROM a AS t1 JOIN a AS t2 ON t1.id = t2.k",
};

static void columns_equal_the_authorizers_in_every_kind_of_scope(void **unused)
{
	struct database d = { .id = "fixture" };
	struct count n = { 0 };

	(void)unused;
	assert_int_equal(sqlite3_open(":memory:", &d.db), 0);
	assert_int_equal(sqlite3_exec(d.db, fixture, NULL, NULL, NULL), 0);
	assert_int_equal(sqlite_schema(d.db, &d.schema), 0);
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		size_t same = n.same, refused = n.refused;

		compare(&d, scopes[i], &n);
		if (n.same == same && n.refused == refused)
			print_message("differs: %s\n", scopes[i]);
		if (n.refused != refused)
			print_message("refused: %s: %s\n", scopes[i],
				      sqlite3_errmsg(d.db));
	}
	assert_int_equal(n.same, n.compared);
	close_database(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_equal_the_authorizers_in_every_kind_of_scope),
		cmocka_unit_test(columns_equal_the_authorizers_on_spider_training),
		cmocka_unit_test(columns_equal_the_authorizers_on_ehrsql_training),
		cmocka_unit_test(columns_equal_the_authorizers_on_all_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
