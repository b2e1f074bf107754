/* schema.h - the tables, columns and keys of one database
 *
 * A plain list that whoever knows the database fills, and that everyone else reads. A
 * table and a column are known by their place: `tables[t].columns[c]`. Names compare as
 * SQLite compares them: ASCII case folded.
 *
 * Invariants: a key's four numbers name tables and columns that exist.
 * Memory:     all of it lives in `a`, names too; schema_free() ends it.
 * Errors:     ERR_NOMEM; ERR_LIMIT past SCHEMA_TABLES tables or SCHEMA_COLUMNS columns
 *             in one table; ERR_VALUE for bytes that are no schema.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/view.h"

enum { SCHEMA_TABLES = 10000, SCHEMA_COLUMNS = 32767, SCHEMA_VERSION = 1 };

struct schema_column {
	struct view name;
	struct view type; /* as declared, "" if none */
	int pk;           /* place in the primary key from 1; 0: not in it */
	int not_null;
};

struct schema_table {
	struct view name;
	struct schema_column *columns;
	size_t n, cap;
};

struct schema_key { /* columns[from] of one table names columns[to] of another */
	int from_table, from_column, to_table, to_column;
};

struct schema {
	struct arena a;
	struct schema_table *tables;
	struct schema_key *keys;
	size_t n_tables, cap_tables, n_keys, cap_keys;
};

/* Each copies what it is given. ret_table (NULL: not wanted) is the new table's place.
 */
int schema_add_table(struct schema *s, struct view name, int *ret_table, struct err *e);
int schema_add_column(struct schema *s, int table, struct view name, struct view type,
		      int pk, int not_null, struct err *e);

/* A declared foreign key by names, as PRAGMA foreign_key_list gives it; `to_column`
 * with p NULL means the primary key. A key that names nothing we know is left out, for
 * SQLite accepts such: 0 then too. */
int schema_add_key(struct schema *s, int table, struct view from_column,
		   struct view to_table, struct view to_column, struct err *e);
void schema_free(struct schema *s); /* NULL-safe; empty, ready for use again */

int schema_find_table(const struct schema *s, struct view name);             /* or -1 */
int schema_find_column(const struct schema *s, int table, struct view name); /* or -1 */
/* The column a rowid is another name of (INTEGER PRIMARY KEY), or -1. */
int schema_rowid_column(const struct schema *s, int table);

void schema_pack(const struct schema *s, struct buf *b); /* msgpack array */
int schema_unpack(struct view bytes, struct schema *ret, struct err *e);

/* `CREATE TABLE name (...);` a line per column, keys behind them; names quoted where
 * they must be. `only` (NULL: all) has one byte a table, not 0 for those wanted. */
void schema_render(const struct schema *s, const char *only, struct buf *b);

void schema_add_name(struct buf *b, struct view name); /* quoted where it must be */

#endif
