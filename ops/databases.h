/* databases.h - the benchmark's databases, found and described before anything starts
 *
 * DIR/DB_ID/DB_ID.sqlite, or DIR/DB_ID.sqlite. All that are missing are named at once,
 * with the nearest folder. What is no SQLite file is refused by what it is. Nothing is
 * ever created beside them: one with a hot -wal or -journal is recovered into a private
 * copy, whose path and hash are the database's.
 *
 * Memory:  everything is in the arena.
 * Errors:  ERR_INPUT, with the remedy.
 */
#ifndef DATABASES_H
#define DATABASES_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "proto/sweep.h"

#include <jansson.h>

struct databases_how {
	const char *dir;
	const char *const *alias; /* "A=B" */
	size_t aliases;
	const char *tables; /* tables.json, or NULL: none */
};

/* The tables.json beside the databases, or NULL; in the arena. */
const char *databases_tables(struct arena *a, const char *dir);

/* The whole of tables.json, to json_decref(); `path` NULL reads nothing. */
int databases_tables_read(struct arena *a, const char *path, json_t **ret,
			  struct err *e);

/* Path of one database's file, or NULL; in the arena. */
const char *database_path(struct arena *a, const struct databases_how *how,
			  struct view id);

/* Fills path, bytes, hash, schema and schema_hash of ret[i], whose `id` is set. The
 * hash is of all ids and contents. */
int databases_open(struct arena *a, const struct databases_how *how,
		   struct database *ret, size_t n, struct hash *ret_hash,
		   struct err *e);

/* One "A=B" of --db-alias. */
int databases_alias_check(const char *alias, struct err *e);

/* The path, or, where a hot journal is beside it, that of a recovered private copy; in
 * the arena. NULL where it cannot be had. */
const char *database_settled(struct arena *a, const char *path);

/* 0, or ERR_INPUT with what the file is instead of a sound SQLite database. */
int database_check(const char *path, struct err *e);

/* DDL with descriptions, as prompts show it; `tables` is the whole of tables.json, or
 * NULL. */
int database_schema(struct arena *a, const char *path, const json_t *tables,
		    struct view id, struct view *ret, struct err *e);

#endif
