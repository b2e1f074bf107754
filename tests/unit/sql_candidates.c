/* sql_candidates.c - what systems really wrote: every candidate of the three pools goes
 * through every function that takes SQL text, and SQLite has the last word */
#include "tests/support/cm.h"

#include "common/sql/extract.h"
#include "common/sql/rewrite.h"
#include "tests/support/skip.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

struct database {
	char id[256];
	sqlite3 *db;
};

static void open_database(struct database *d, const char *set, const char *id)
{
	char relative[1024];
	const char *path;

	if (strcmp(d->id, id) == 0)
		return;
	sqlite3_close(d->db);
	snprintf(d->id, sizeof d->id, "%s", id);
	snprintf(relative, sizeof relative, "%s/database/%s/%s.sqlite", set, id, id);
	path = shared_data(relative);
	assert_non_null(path);
	assert_int_equal(sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL), 0);
}

/* 1: SQLite prepares the first statement; ret_rest is where it stopped. */
static int prepares(sqlite3 *db, const char *sql, const char **ret_rest,
		    int *ret_readonly)
{
	sqlite3_stmt *q = NULL;
	int ok = sqlite3_prepare_v2(db, sql, -1, &q, ret_rest) == SQLITE_OK && q;

	*ret_readonly = ok && sqlite3_stmt_readonly(q);
	sqlite3_finalize(q);
	return ok;
}

static void check_rewrites(struct view sql)
{
	struct buf b = { 0 };

	rewrite_spider_prediction(&b, sql, 0);
	rewrite_spider_prediction(&b, sql, 1);
	rewrite_spider_gold(&b, sql, 0);
	rewrite_ehrsql(&b, sql);
	rewrite_ehrsql_v1(&b, sql, view_of(""));
	assert_int_equal(b.bad, 0);
	buf_free(&b);
}

static void B06_one_line_means_the_same(sqlite3 *db, const char *sql, int ok)
{
	struct buf b = { 0 };
	const char *rest;
	int readonly;

	if (one_line(&b, view_of(sql), NULL) == 0) {
		assert_null(strpbrk(b.p, "\n\r\t"));
		assert_int_equal(prepares(db, b.p, &rest, &readonly), ok);
	}
	buf_free(&b);
}

static void check_candidate(sqlite3 *db, const char *sql)
{
	enum python_shape shape = python_execute_shape(view_of(sql));
	const char *rest = NULL;
	int readonly, ok = prepares(db, sql, &rest, &readonly);

	check_rewrites(view_of(sql));
	B06_one_line_means_the_same(db, sql, ok);
	if (ok && shape == PYTHON_ONE)
		assert_int_equal(strspn(rest, " \n\t\r"), strlen(rest));
	if (ok && shape == PYTHON_MULTI)
		assert_true(strlen(rest) > 0);
	if (ok && extract_check(view_of(sql)) == EXTRACT_OK)
		assert_true(readonly);
}

static size_t check_pool(const char *set)
{
	char relative[256], *line = NULL;
	struct database d = { 0 };
	size_t cap = 0, n = 0;
	const char *path;
	FILE *f;

	snprintf(relative, sizeof relative, "%s/pool.jsonl", set);
	path = shared_data(relative);
	assert_non_null(path);
	f = fopen(path, "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		json_t *candidate, *o = json_loads(line, 0, NULL);
		size_t i;

		open_database(&d, set, json_string_value(json_object_get(o, "db_id")));
		json_array_foreach (json_object_get(o, "candidates"), i, candidate) {
			check_candidate(d.db, json_string_value(json_object_get(
						      candidate, "sql")));
			n++;
		}
		json_decref(o);
	}
	free(line);
	fclose(f);
	sqlite3_close(d.db);
	return n;
}

static void every_candidate_passes_through_every_function(void **unused)
{
	size_t n;

	(void)unused;
	NEEDS_SHARED(shared_data("spider/pool.jsonl"));
	n = check_pool("spider") + check_pool("bird") + check_pool("ehrsql");
	print_message("%zu candidates\n", n);
	assert_true(n > 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_candidate_passes_through_every_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
