/* damage.c - see damage.h */
#include "tests/support/damage.h"

#include "common/base/buf.h"
#include "worker/profile.h"

#include <sqlite3.h>

const char *damage_name(enum damage d)
{
	static const char *const names[] = {
#define X(name, what) #name,
		DAMAGE_LIST(X)
#undef X
	};

	return names[d];
}

const char *damage_what(enum damage d)
{
	static const char *const whats[] = {
#define X(name, what) what,
		DAMAGE_LIST(X)
#undef X
	};

	return whats[d];
}

/* %s: the column. Values of it that `texts` only are changed. */
static const struct {
	const char *value;
	int every; /* column; 2: every second */
	int texts;
} damaged_values[DAMAGES] = {
	[DAMAGE_padded] = { "%s || ' '", 1, 1 },
	[DAMAGE_framed] = { "' ' || %s || ' '", 2, 1 },
	[DAMAGE_recased] = { "upper(%s)", 1, 1 },
	[DAMAGE_lowered] = { "lower(%s)", 1, 1 },
	[DAMAGE_retyped] = { "CAST(%s AS TEXT)", 1, 0 },
	[DAMAGE_numbered] = { "%s + 0", 1, 2 },
	[DAMAGE_blobbed] = { "CAST(%s AS BLOB)", 1, 1 },
	[DAMAGE_redated] = { "replace(%s, '-', '/')", 1, 3 },
};

/* Which values a change is for. */
static const char *const only[] = {
	"%s IS NOT NULL",
	"typeof(%s) = 'text'",
	"typeof(%s) = 'text' AND (CAST(%s + 0 AS TEXT) = %s)",
	"%s GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'",
};

/* `fmt` with the name at each %s. */
static void add_formatted(struct buf *b, const char *fmt, struct view name)
{
	for (const char *p; (p = strstr(fmt, "%s")); fmt = p + 2) {
		buf_add(b, fmt, (size_t)(p - fmt));
		schema_add_name(b, name);
	}
	buf_add_str(b, fmt);
}

static void change_column(sqlite3 *db, enum damage damage, struct view table,
			  struct view column)
{
	struct buf b = { 0 };

	buf_add_str(&b, "UPDATE ");
	schema_add_name(&b, table);
	buf_add_str(&b, " SET ");
	schema_add_name(&b, column);
	buf_add_str(&b, " = ");
	add_formatted(&b, damaged_values[damage].value, column);
	buf_add_str(&b, " WHERE ");
	add_formatted(&b, only[damaged_values[damage].texts], column);
	sqlite3_exec(db, b.p, NULL, NULL, NULL);
	buf_free(&b);
}

static void run_sql(sqlite3 *db, const char *fmt, struct view name)
{
	struct buf b = { 0 };

	add_formatted(&b, fmt, name);
	sqlite3_exec(db, b.p, NULL, NULL, NULL);
	buf_free(&b);
}

static void damage_keys(sqlite3 *db, const struct schema *s, size_t every)
{
	for (size_t i = 0; i < s->n_keys; i += every) {
		const struct schema_key *k = &s->keys[i];
		const struct schema_table *t = &s->tables[k->from_table];
		struct buf b = { 0 };

		buf_add_str(&b, "UPDATE ");
		schema_add_name(&b, t->name);
		add_formatted(&b,
			      " SET %s = CASE WHEN typeof(%s) = 'text' THEN '~gone' "
			      "ELSE -987654321 END",
			      t->columns[k->from_column].name);
		sqlite3_exec(db, b.p, NULL, NULL, NULL);
		buf_free(&b);
	}
}

static void untyped_table(struct buf *b, const struct schema *s, size_t at)
{
	const struct schema_table *t = &s->tables[at];

	buf_add_str(b, "CREATE TABLE ");
	schema_add_name(b, t->name);
	for (size_t c = 0; c < t->n; c++) {
		buf_add_str(b, c ? ", " : " (");
		schema_add_name(b, t->columns[c].name);
	}
	for (size_t i = 0; i < s->n_keys; i++) {
		const struct schema_key *k = &s->keys[i];

		if ((size_t)k->from_table != at)
			continue;
		buf_add_str(b, ", FOREIGN KEY (");
		schema_add_name(b, t->columns[k->from_column].name);
		buf_add_str(b, ") REFERENCES ");
		schema_add_name(b, s->tables[k->to_table].name);
		buf_add_str(b, " (");
		schema_add_name(b, s->tables[k->to_table].columns[k->to_column].name);
		buf_add_str(b, ")");
	}
	buf_add_str(b, ")");
}

/* The same tables without a type, so that what is stored keeps the type it has. */
static void damage_types(sqlite3 *db, const struct schema *s)
{
	for (size_t t = 0; t < s->n_tables; t++) {
		struct buf b = { 0 };

		untyped_table(&b, s, t);
		run_sql(db, "CREATE TABLE \"~was\" AS SELECT * FROM %s",
			s->tables[t].name);
		run_sql(db, "DROP TABLE %s", s->tables[t].name);
		sqlite3_exec(db, b.p, NULL, NULL, NULL);
		run_sql(db, "INSERT INTO %s SELECT * FROM \"~was\"", s->tables[t].name);
		sqlite3_exec(db, "DROP TABLE \"~was\"", NULL, NULL, NULL);
		buf_free(&b);
	}
}

static void damage_db(sqlite3 *db, enum damage damage)
{
	struct buf bytes = { 0 };
	struct profile p = { 0 };
	size_t n = 0;

	if (profile_db(db, &bytes, NULL) || profile_decode(buf_view(&bytes), &p, NULL))
		return;
	if (damage == DAMAGE_unmatched || damage == DAMAGE_halfmatched)
		damage_keys(db, &p.schema, damage == DAMAGE_unmatched ? 1 : 2);
	if (damage == DAMAGE_retyped || damage == DAMAGE_numbered)
		damage_types(db, &p.schema);
	for (size_t t = 0; t < p.schema.n_tables; t++) {
		const struct schema_table *s = &p.schema.tables[t];

		if ((damage == DAMAGE_emptied && t % 2) ||
		    (damage == DAMAGE_emptied_too && !(t % 2)))
			run_sql(db, "DELETE FROM %s", s->name);
		for (size_t c = 0; c < s->n && damaged_values[damage].every; c++)
			if (n++ % (size_t)damaged_values[damage].every == 0)
				change_column(db, damage, s->name, s->columns[c].name);
	}
	profile_free(&p);
	buf_free(&bytes);
}

static sqlite3 *open_immutable(const char *path)
{
	char *uri = sqlite3_mprintf("file:%s?immutable=1", path);
	sqlite3 *db = NULL;

	if (uri &&
	    sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL)) {
		sqlite3_close(db);
		db = NULL;
	}
	sqlite3_free(uri);
	return db;
}

static int copy_db(sqlite3 *from, sqlite3 *to)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");

	if (!b)
		return SQLITE_ERROR;
	sqlite3_backup_step(b, -1);
	return sqlite3_backup_finish(b);
}

sqlite3 *damage_open(const char *path, const char *to, enum damage damage)
{
	sqlite3 *from = open_immutable(path), *db = NULL;

	if (!from || sqlite3_open(to, &db) || copy_db(from, db)) {
		sqlite3_close(db);
		db = NULL;
	}
	sqlite3_close(from);
	if (!db || !damage)
		return db;
	sqlite3_exec(db, "PRAGMA journal_mode=OFF; PRAGMA foreign_keys=OFF; BEGIN",
		     NULL, NULL, NULL);
	damage_db(db, damage);
	if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL)) {
		sqlite3_close(db);
		db = NULL;
	}
	return db;
}
