/* schematext.c - a database's schema as prompts show it
 *
 * The CREATE statements as the database has them, each followed by what is known of its
 * columns: BIRD's database_description/TABLE.csv beside the database, else the names in
 * words of Spider's tables.json.
 */
#include "common/base/buf.h"
#include "common/base/utf8.h"
#include "ops/csv.h"
#include "ops/databases.h"
#include "ops/schemaread.h"
#include "ops/textfile.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

enum { SCHEMA_BYTES = 8 << 20, REMARK_BYTES = 500 };

struct about {
	struct arena *a;
	const char *folder;  /* of the database's file */
	const json_t *names; /* its element of tables.json, or NULL */
	struct buf *out;
};

static void add_words(struct buf *b, struct view v)
{
	size_t n = utf8_cut(v, REMARK_BYTES).n;
	int space = 1;

	for (size_t i = 0; i < n; i++) {
		int s = isspace((unsigned char)v.p[i]);

		if (!(s && space))
			buf_add_char(b, s ? ' ' : v.p[i]);
		space = s;
	}
	while (b->n && b->p[b->n - 1] == ' ')
		b->n--;
}

static void remark(struct about *w, struct view column, const struct view *part,
		   size_t n)
{
	size_t said = 0;

	for (size_t i = 0; i < n; i++) {
		if (!part[i].n || view_eq(part[i], column))
			continue;
		if (said++ == 0) {
			buf_add_str(w->out, "-- ");
			add_words(w->out, column);
			buf_add_str(w->out, ": ");
		} else {
			buf_add_str(w->out, "; ");
		}
		add_words(w->out, part[i]);
	}
	if (said)
		buf_add_char(w->out, '\n');
}

/* The description of TABLE, whatever the case of the file's name. */
static int description_path(const char *folder, const char *table, char ret[PATH_MAX])
{
	char dir[PATH_MAX - 300];
	struct dirent *entry;
	int found = 0;
	DIR *d;

	snprintf(dir, sizeof dir, "%.3000s/database_description", folder);
	d = opendir(dir);
	while (d && !found && (entry = readdir(d))) {
		size_t n = strlen(entry->d_name);

		found = n > 4 && strcasecmp(entry->d_name + n - 4, ".csv") == 0 &&
			strlen(table) == n - 4 &&
			strncasecmp(entry->d_name, table, n - 4) == 0;
		if (found)
			snprintf(ret, PATH_MAX, "%s/%s", dir, entry->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

static int describe_by_csv(struct about *w, const char *table)
{
	char path[PATH_MAX];
	struct textfile f;
	struct csv csv = { 0 };
	struct view cell[CSV_CELLS];
	int n, row = 0;

	if (!description_path(w->folder, table, path) ||
	    textfile_read(w->a, path, &f, NULL))
		return 0;
	csv.text = f.text;
	while ((n = csv_row(&csv, w->a, cell)) >= 0) {
		struct view part[3] = { { "", 0 }, { "", 0 }, { "", 0 } };

		if (row++ == 0 || n < 2 || !cell[0].n)
			continue;
		part[0] = cell[1];
		if (n > 2)
			part[1] = cell[2];
		if (n > 4)
			part[2] = cell[4];
		remark(w, cell[0], part, 3);
	}
	return row > 0;
}

static struct view text_at(const json_t *pair)
{
	const json_t *v = json_array_get(pair, 1);

	return (struct view){ json_string_value(v),
			      json_is_string(v) ? json_string_length(v) : 0 };
}

static int same_words(struct view a, struct view b)
{
	if (a.n != b.n)
		return 0;
	for (size_t i = 0; i < a.n; i++) {
		int x = tolower((unsigned char)a.p[i]),
		    y = tolower((unsigned char)b.p[i]);

		if (x != y && !((x == '_' || x == ' ') && (y == '_' || y == ' ')))
			return 0;
	}
	return 1;
}

static void describe_by_names(struct about *w, const char *table)
{
	const json_t *tables = json_object_get(w->names, "table_names_original"),
		     *written = json_object_get(w->names, "column_names_original"),
		     *spoken = json_object_get(w->names, "column_names");

	for (size_t i = 0; i < json_array_size(written); i++) {
		const json_t *column = json_array_get(written, i);
		json_int_t t = json_integer_value(json_array_get(column, 0));
		const char *of =
			t < 0 ? NULL
			      : json_string_value(json_array_get(tables, (size_t)t));
		struct view name = text_at(column),
			    words = text_at(json_array_get(spoken, i));

		if (of && strcasecmp(of, table) == 0 && words.n &&
		    !same_words(name, words))
			remark(w, name, &words, 1);
	}
}

static int add_tables(struct about *w, sqlite3 *db)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(
		db,
		"SELECT name, sql FROM sqlite_master WHERE type IN ('table', "
		"'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql IS "
		"NOT NULL ORDER BY rowid",
		-1, &q, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(q, 0);

		buf_add_str(w->out, (const char *)sqlite3_column_text(q, 1));
		buf_add_str(w->out, ";\n");
		if (table && !describe_by_csv(w, table) && w->names)
			describe_by_names(w, table);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static const json_t *names_of(const json_t *all, struct view id)
{
	const json_t *o;
	size_t k;

	json_array_foreach (all, k, o) {
		const char *db = json_string_value(json_object_get(o, "db_id"));

		if (db && view_eq(view_of(db), id))
			return o;
	}
	return NULL;
}

int database_schema(struct arena *a, const char *path, const json_t *tables,
		    struct view id, struct view *ret, struct err *e)
{
	struct buf out = { .max = SCHEMA_BYTES };
	char *folder = arena_str(a, path),
	     *slash = folder ? strrchr(folder, '/') : NULL;
	struct about w = { a, slash ? folder : ".", names_of(tables, id), &out };
	sqlite3 *db = NULL;
	int rc = 0, sql = database_open_quietly(path, &db);

	if (slash)
		*slash = 0;
	if (sql == SQLITE_OK)
		sql = add_tables(&w, db);
	if (sql != SQLITE_OK)
		rc = err_set(e, ERR_INPUT, "%s: %s; fetch the database again", path,
			     sqlite3_errmsg(db));
	else if (out.bad)
		rc = err_set(e, out.bad, "%s: the schema is over %d bytes", path,
			     SCHEMA_BYTES);
	else
		*ret = arena_view(a, buf_view(&out));
	if (!rc && !out.n)
		*ret = (struct view){ "", 0 };
	sqlite3_close(db);
	buf_free(&out);
	return rc;
}
