/* schemaread.h - a struct schema out of a database, or out of tables.json */
#ifndef SCHEMAREAD_H
#define SCHEMAREAD_H

#include "common/base/err.h"
#include "common/sql/schema.h"

#include <jansson.h>
#include <sqlite3.h>

/* Read only and immutable: no lock is taken, nothing is made beside the file. */
int database_open_quietly(const char *path, sqlite3 **ret);

int schema_of_database(sqlite3 *db, struct schema *ret, struct err *e);

/* 1, or 0 where the document has no such database. */
int schema_of_tables(const json_t *tables, struct view id, struct schema *ret);

#endif
