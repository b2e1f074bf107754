/* sqlite_schema.c - see sqlite_schema.h */
#include "tests/support/sqlite_schema.h"

#include <stdio.h>

static struct view text(sqlite3_stmt *q, int column)
{
	return view_of((const char *)sqlite3_column_text(q, column));
}

/* Calls `each` for every row of `sql`, whose ?1 is `name`. */
static int rows(sqlite3 *db, const char *sql, const char *name, struct schema *s,
		int table, int (*each)(sqlite3_stmt *, struct schema *, int))
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK;

	if (!rc && name)
		sqlite3_bind_text(q, 1, name, -1, SQLITE_TRANSIENT);
	while (!rc && sqlite3_step(q) == SQLITE_ROW)
		rc = each(q, s, table);
	if (rc)
		fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
	sqlite3_finalize(q);
	return rc ? -1 : 0;
}

static int add_table(sqlite3_stmt *q, struct schema *s, int unused)
{
	(void)unused;
	return schema_add_table(s, text(q, 0), NULL, NULL);
}

static int add_column(sqlite3_stmt *q, struct schema *s, int table)
{
	return schema_add_column(s, table, text(q, 0), text(q, 1),
				 sqlite3_column_int(q, 2), sqlite3_column_int(q, 3),
				 NULL);
}

static int add_key(sqlite3_stmt *q, struct schema *s, int table)
{
	return schema_add_key(s, table, text(q, 0), text(q, 1), text(q, 2), NULL);
}

int sqlite_schema(sqlite3 *db, struct schema *ret)
{
	static const char tables[] = "SELECT name FROM sqlite_schema WHERE type IN "
				     "('table', 'view') ORDER BY rowid";
	static const char columns[] = "SELECT name, type, pk, \"notnull\" FROM "
				      "pragma_table_info(?1) ORDER BY cid";
	static const char keys[] = "SELECT \"from\", \"table\", \"to\" FROM "
				   "pragma_foreign_key_list(?1) ORDER BY id, seq";
	struct schema s = { 0 };
	int rc = rows(db, tables, NULL, &s, 0, add_table);

	for (int i = 0; !rc && i < (int)s.n_tables; i++)
		rc = rows(db, columns, s.tables[i].name.p, &s, i, add_column);
	for (int i = 0; !rc && i < (int)s.n_tables; i++)
		rc = rows(db, keys, s.tables[i].name.p, &s, i, add_key);
	*ret = s;
	return rc;
}
