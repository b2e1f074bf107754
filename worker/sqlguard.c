/* sqlguard.c - see sqlguard.h */
#include "worker/sqlguard.h"

#include "worker/sqlvfs.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* PRAGMAs that read, and whether they may have an argument. A name that sets something
 * when it gets one is here without. */
static const struct {
	const char *name;
	int argument;
} readers[] = {
	{ "table_info", 1 },         { "table_xinfo", 1 },
	{ "table_list", 1 },         { "index_list", 1 },
	{ "index_info", 1 },         { "index_xinfo", 1 },
	{ "foreign_key_list", 1 },   { "foreign_key_check", 1 },
	{ "integrity_check", 1 },    { "quick_check", 1 },
	{ "database_list", 0 },      { "collation_list", 0 },
	{ "function_list", 0 },      { "module_list", 0 },
	{ "pragma_list", 0 },        { "compile_options", 0 },
	{ "user_version", 0 },       { "application_id", 0 },
	{ "schema_version", 0 },     { "encoding", 0 },
	{ "page_size", 0 },          { "page_count", 0 },
	{ "freelist_count", 0 },     { "data_version", 0 },
	{ "auto_vacuum", 0 },        { "foreign_keys", 0 },
	{ "recursive_triggers", 0 }, { "reverse_unordered_selects", 0 },
};

static const char *const functions_refused[] = {
	"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit",
};

/* Tables that show the process, not the database. */
static const char *const tables_refused[] = { "sqlite_stmt" };

static int any_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name && !strcasecmp(name, list[i]))
			return 1;
	return 0;
}

static int pragma_reads(const char *name, const char *argument)
{
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (!strcasecmp(name, readers[i].name))
			return !argument || readers[i].argument;
	return 0;
}

/* Merely reading some things compiles statements that would change something: a table
 * that is a function is declared through sqlite_master, and an R-Tree compiles at once
 * what would change its parts. They never run: sqlrun.c steps only what is read-only,
 * DEFENSIVE protects the schema, and the file cannot be written. */
static int is_housekeeping(int what, const char *table)
{
	static const char *const part[] = { "_node", "_rowid", "_parent" };
	size_t n = table ? strlen(table) : 0;

	if (what == SQLITE_UPDATE && n && !strcmp(table, "sqlite_master"))
		return 1;
	for (size_t i = 0; i < 3; i++)
		if (n > strlen(part[i]) &&
		    !strcmp(table + n - strlen(part[i]), part[i]))
			return 1;
	return 0;
}

static int refuse(struct sqlguard *g, const char *note)
{
	g->note = note;
	return SQLITE_DENY;
}

static int allow(void *g_, int what, const char *a, const char *b, const char *db,
		 const char *trigger)
{
	struct sqlguard *g = g_;

	(void)db, (void)trigger;
	switch (what) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_READ:
		if (any_of(a, tables_refused, 1))
			return refuse(g, "table");
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (any_of(b, functions_refused, 5))
			return refuse(g, "function");
		return SQLITE_OK;
	case SQLITE_PRAGMA: return pragma_reads(a, b) ? SQLITE_OK : refuse(g, "pragma");
	case SQLITE_ATTACH:
	case SQLITE_DETACH: return refuse(g, "attach");
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT: return refuse(g, "transaction");
	case SQLITE_INSERT:
	case SQLITE_UPDATE:
	case SQLITE_DELETE:
		if (is_housekeeping(what, a))
			return SQLITE_OK;
		return refuse(g, "write");
	default: return refuse(g, "write");
	}
}

static void random_number(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t r = (int64_t)sqlvfs_random();

	(void)n, (void)v;
	/* As SQLite's own: so that abs() of it cannot overflow. */
	sqlite3_result_int64(c, r < 0 ? -(r & INT64_MAX) : r);
}

static void random_bytes(sqlite3_context *c, int args, sqlite3_value **v)
{
	sqlite3_int64 n = sqlite3_value_int64(v[0]);
	sqlite3 *db = sqlite3_context_db_handle(c);
	unsigned char *p;

	(void)args;
	if (n < 1)
		n = 1;
	if (n > sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1)) {
		sqlite3_result_error_toobig(c);
		return;
	}
	p = sqlite3_malloc64((sqlite3_uint64)n + 8);
	if (!p) {
		sqlite3_result_error_nomem(c);
		return;
	}
	for (sqlite3_int64 i = 0; i < n; i += 8) {
		uint64_t u = sqlvfs_random();

		memcpy(p + i, &u, 8);
	}
	sqlite3_result_blob64(c, p, (sqlite3_uint64)n, sqlite3_free);
}

const char *sqlguard_options(void)
{
	return "dqs=1;defensive=1;load_extension=0;fts3_tokenizer=0;attached=0;"
	       "random=seeded;authorizer=reads-1;cache=32M";
}

/* What changes here changes sqlguard_options(). */
int sqlguard_put(sqlite3 *db, struct sqlguard *g)
{
	int r;

	g->note = NULL;
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 1, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	r = sqlite3_create_function(db, "random", 0, SQLITE_UTF8, NULL, random_number,
				    NULL, NULL);
	if (!r)
		r = sqlite3_create_function(db, "randomblob", 1, SQLITE_UTF8, NULL,
					    random_bytes, NULL, NULL);
	return r ? r : sqlite3_set_authorizer(db, allow, g);
}
