/* schemaread.c - see schemaread.h */
#include "ops/schemaread.h"

#include <ctype.h>

int database_open_quietly(const char *path, sqlite3 **ret)
{
	struct buf b = { 0 };
	int rc;

	buf_add_str(&b, "file:");
	for (const char *p = path; *p; p++)
		if (isalnum((unsigned char)*p) || strchr("/._-", *p))
			buf_add_char(&b, *p);
		else
			buf_addf(&b, "%%%02x", (unsigned char)*p);
	buf_add_str(&b, "?immutable=1");
	rc = b.bad ? SQLITE_NOMEM
		   : sqlite3_open_v2(b.p, ret, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
				     NULL);
	buf_free(&b);
	return rc;
}

static struct view text_at(sqlite3_stmt *q, int column)
{
	const char *p = (const char *)sqlite3_column_text(q, column);

	return (struct view){ p, p ? (size_t)sqlite3_column_bytes(q, column) : 0 };
}

typedef int row_fn(sqlite3_stmt *q, struct schema *s, int table, struct err *e);

/* Every row of `sql`, whose ?1 is `name` (p NULL: none). */
static int each(sqlite3 *db, const char *sql, struct view name, row_fn *row,
		struct schema *s, int table, struct err *e)
{
	sqlite3_stmt *q = NULL;
	int rc = 0, step = sqlite3_prepare_v2(db, sql, -1, &q, NULL);

	if (step == SQLITE_OK && name.p)
		step = sqlite3_bind_text(q, 1, name.p, (int)name.n, SQLITE_TRANSIENT);
	while (step == SQLITE_OK && !rc && (step = sqlite3_step(q)) == SQLITE_ROW) {
		rc = row(q, s, table, e);
		step = SQLITE_OK;
	}
	sqlite3_finalize(q);
	if (!rc && step != SQLITE_DONE && step != SQLITE_OK)
		rc = err_set(e, ERR_INPUT, "%s", sqlite3_errmsg(db));
	return rc;
}

static int table_row(sqlite3_stmt *q, struct schema *s, int table, struct err *e)
{
	(void)table;
	return schema_add_table(s, text_at(q, 0), NULL, e);
}

static int column_row(sqlite3_stmt *q, struct schema *s, int table, struct err *e)
{
	struct view type = text_at(q, 1);

	if (!type.p)
		type = (struct view){ "", 0 };
	return schema_add_column(s, table, text_at(q, 0), type,
				 sqlite3_column_int(q, 2), sqlite3_column_int(q, 3), e);
}

static int key_row(sqlite3_stmt *q, struct schema *s, int table, struct err *e)
{
	return schema_add_key(s, table, text_at(q, 0), text_at(q, 1), text_at(q, 2), e);
}

int schema_of_database(sqlite3 *db, struct schema *ret, struct err *e)
{
	struct schema s = { 0 };
	int rc = each(db,
		      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
		      "AND name NOT "
		      "LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
		      (struct view){ NULL, 0 }, table_row, &s, 0, e);

	for (size_t t = 0; t < s.n_tables && !rc; t++)
		rc = each(
			db,
			"SELECT name, type, pk, \"notnull\" FROM pragma_table_info(?1)",
			s.tables[t].name, column_row, &s, (int)t, e);
	for (size_t t = 0; t < s.n_tables && !rc; t++)
		rc = each(db,
			  "SELECT \"from\", \"table\", \"to\" FROM "
			  "pragma_foreign_key_list(?1)",
			  s.tables[t].name, key_row, &s, (int)t, e);
	if (rc)
		schema_free(&s);
	else
		*ret = s;
	return rc;
}

/* ---- tables.json ---- */

static struct view string_of(const json_t *v)
{
	return (struct view){ json_is_string(v) ? json_string_value(v) : "",
			      json_is_string(v) ? json_string_length(v) : 0 };
}

static const json_t *element_of(const json_t *tables, struct view id)
{
	const json_t *o;
	size_t k;

	json_array_foreach (tables, k, o)
		if (view_eq(string_of(json_object_get(o, "db_id")), id))
			return o;
	return NULL;
}

static int is_primary(const json_t *keys, size_t column)
{
	const json_t *k;
	size_t i, m;

	json_array_foreach (keys, i, k) {
		const json_t *part;

		if (json_is_integer(k) && (size_t)json_integer_value(k) == column)
			return 1;
		json_array_foreach (k, m, part)
			if ((size_t)json_integer_value(part) == column)
				return 1;
	}
	return 0;
}

static struct view column_of(const json_t *columns, size_t at, json_int_t *ret_table)
{
	const json_t *pair = json_array_get(columns, at);

	*ret_table = json_integer_value(json_array_get(pair, 0));
	return string_of(json_array_get(pair, 1));
}

static void add_keys(struct schema *s, const json_t *o, const json_t *columns,
		     const json_t *tables)
{
	const json_t *pair;
	size_t k;

	json_array_foreach (json_object_get(o, "foreign_keys"), k, pair) {
		json_int_t from, to;
		struct view a = column_of(
			columns, (size_t)json_integer_value(json_array_get(pair, 0)),
			&from);
		struct view b = column_of(
			columns, (size_t)json_integer_value(json_array_get(pair, 1)),
			&to);

		if (from >= 0 && to >= 0 && (size_t)from < s->n_tables)
			schema_add_key(s, (int)from, a,
				       string_of(json_array_get(tables, (size_t)to)), b,
				       NULL);
	}
}

int schema_of_tables(const json_t *all, struct view id, struct schema *ret)
{
	const json_t *o = element_of(all, id), *tables, *columns, *types, *v;
	struct schema s = { 0 };
	size_t k;

	if (!o)
		return 0;
	tables = json_object_get(o, "table_names_original");
	columns = json_object_get(o, "column_names_original");
	types = json_object_get(o, "column_types");
	json_array_foreach (tables, k, v)
		if (schema_add_table(&s, string_of(v), NULL, NULL))
			goto bad;
	for (k = 0; k < json_array_size(columns); k++) {
		json_int_t t;
		struct view name = column_of(columns, k, &t);

		if (t < 0 || (size_t)t >= s.n_tables)
			continue;
		if (schema_add_column(
			    &s, (int)t, name, string_of(json_array_get(types, k)),
			    is_primary(json_object_get(o, "primary_keys"), k), 0, NULL))
			goto bad;
	}
	add_keys(&s, o, columns, tables);
	*ret = s;
	return 1;
bad:
	schema_free(&s);
	return 0;
}
