/* sqlite_schema.h - a database's schema read by SQLite itself, for tests of common/sql
 */
#ifndef TESTS_SQLITE_SCHEMA_H
#define TESTS_SQLITE_SCHEMA_H

#include "common/sql/schema.h"

#include <sqlite3.h>

/* Tables and views in the order of sqlite_schema; 0, or -1 with a line on stderr. */
int sqlite_schema(sqlite3 *db, struct schema *ret);

#endif
