/* profile.c - reading a whole database into a profile; see profile.h
 *
 * Tables are scanned SCAN_COLUMNS columns at a time, so that the sets in the making are
 * bounded however wide a table is. Where all sets together pass PROFILE_BYTES the
 * largest goes, again and again.
 */
#include "worker/profile.h"

#include "common/base/mem.h"
#include "common/base/pack.h"

#include <sqlite3.h>
#include <stdlib.h>

enum { SCAN_COLUMNS = 16, SET_FIRST = 64, BLOB_TEXT = 256 };

/* Open addressing; 0 is an empty place. */
struct set {
	uint64_t *slot;
	size_t cap, n; /* cap: a power of two */
};

struct column {
	uint8_t affinity, fold, kinds, holds, over, unique;
	uint64_t values; /* not NULL */
	struct set raw, loose;
	uint64_t *sorted; /* raw, then loose */
	size_t nraw, nloose;
};

struct table {
	int is_view, known;
	uint64_t rows;
	struct column *column;
	size_t n;
};

struct maker {
	sqlite3 *db;
	struct schema schema;
	struct table *table;
	size_t n;
	size_t bytes; /* of all sorted sets */
	struct err *e;
};

static size_t place_of(const struct set *s, uint64_t h)
{
	size_t i = (size_t)h & (s->cap - 1);

	while (s->slot[i] && s->slot[i] != h)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static int set_grow(struct set *s)
{
	struct set bigger = { .cap = s->cap ? s->cap * 2 : SET_FIRST, .n = s->n };

	bigger.slot = mem_alloc(bigger.cap, sizeof *bigger.slot);
	if (!bigger.slot)
		return ERR_NOMEM;
	for (size_t i = 0; i < s->cap; i++)
		if (s->slot[i])
			bigger.slot[place_of(&bigger, s->slot[i])] = s->slot[i];
	mem_free(s->slot);
	*s = bigger;
	return 0;
}

static int set_add(struct set *s, uint64_t h)
{
	size_t i;

	if ((s->n + 1) * 4 > s->cap * 3 && set_grow(s))
		return ERR_NOMEM;
	i = place_of(s, h);
	s->n += !s->slot[i];
	s->slot[i] = h;
	return 0;
}

static int set_has(const struct set *s, uint64_t h)
{
	return s->cap && s->slot[place_of(s, h)] == h;
}

static void set_free(struct set *s)
{
	mem_free(s->slot);
	*s = (struct set){ 0 };
}

static void column_drop(struct column *c)
{
	set_free(&c->raw);
	set_free(&c->loose);
	mem_free(c->sorted);
	c->sorted = NULL;
	c->over = 1;
}

static unsigned kinds_of_text(struct view text)
{
	unsigned kinds = HOLDS_TEXT;
	struct view trimmed = view_trim(text, VIEW_SPACE);

	for (size_t i = 0; i < text.n; i++) {
		kinds |= text.p[i] >= 'A' && text.p[i] <= 'Z' ? HOLDS_UPPER : 0;
		kinds |= text.p[i] >= 'a' && text.p[i] <= 'z' ? HOLDS_LOWER : 0;
	}
	kinds |= trimmed.n == text.n ? HOLDS_TRIM : 0;
	if (kinds & (HOLDS_UPPER | HOLDS_LOWER) || !cellhash_numeric(text))
		kinds |= HOLDS_WORD;
	return kinds;
}

static int add_loose(struct column *c, uint64_t loose, uint64_t raw)
{
	return loose && loose != raw ? set_add(&c->loose, loose) : 0;
}

static int add_text(struct column *c, struct view text)
{
	uint64_t raw = cellhash_text(text, c->fold);

	if (add_loose(c, cellhash_loose(text), raw))
		return ERR_NOMEM;
	return set_add(&c->raw, raw);
}

/* A blob's text is what a literal would have to say. */
static int add_blob(struct column *c, struct view blob)
{
	uint64_t raw = cellhash_blob(blob);

	if (blob.n <= BLOB_TEXT && add_loose(c, cellhash_loose(blob), raw))
		return ERR_NOMEM;
	return set_add(&c->raw, raw);
}

static uint64_t number_hash(sqlite3_stmt *s, int i, int type)
{
	return type == SQLITE_INTEGER ? cellhash_int(sqlite3_column_int64(s, i))
				      : cellhash_real(sqlite3_column_double(s, i));
}

static int add_cell(struct column *c, sqlite3_stmt *s, int i)
{
	int type = sqlite3_column_type(s, i), code;
	struct view v = { 0 };

	if (type == SQLITE_NULL)
		return 0;
	c->holds = 1;
	c->values++;
	if (type == SQLITE_TEXT)
		v.p = (const char *)sqlite3_column_text(s, i);
	else if (type == SQLITE_BLOB)
		v.p = sqlite3_column_blob(s, i);
	v.n = v.p ? (size_t)sqlite3_column_bytes(s, i) : 0;
	c->kinds |= (uint8_t)(type == SQLITE_TEXT   ? kinds_of_text(v)
			      : type == SQLITE_BLOB ? 0
						    : HOLDS_NUMBER);
	if (c->over)
		return 0;
	if (type == SQLITE_TEXT)
		code = add_text(c, v);
	else if (type == SQLITE_BLOB)
		code = add_blob(c, v);
	else
		code = set_add(&c->raw, number_hash(s, i, type));
	if (!code && c->raw.n > PROFILE_DISTINCT)
		column_drop(c);
	return code;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int column_sort(struct column *c)
{
	uint64_t *v = mem_alloc(c->raw.n + c->loose.n + 1, sizeof *v);

	if (!v)
		return ERR_NOMEM;
	for (size_t i = 0; i < c->raw.cap; i++)
		if (c->raw.slot[i])
			v[c->nraw++] = c->raw.slot[i];
	for (size_t i = 0; i < c->loose.cap; i++)
		if (c->loose.slot[i] && !set_has(&c->raw, c->loose.slot[i]))
			v[c->nraw + c->nloose++] = c->loose.slot[i];
	qsort(v, c->nraw, sizeof *v, by_value);
	qsort(v + c->nraw, c->nloose, sizeof *v, by_value);
	c->unique = c->values == c->nraw && c->values > 0;
	set_free(&c->raw);
	set_free(&c->loose);
	c->sorted = v;
	return 0;
}

static size_t column_bytes(const struct column *c)
{
	return c->over ? 0 : (c->nraw + c->nloose) * sizeof *c->sorted;
}

static struct column *largest_column(struct maker *m)
{
	struct column *best = NULL;

	for (size_t t = 0; t < m->n; t++)
		for (size_t i = 0; i < m->table[t].n; i++) {
			struct column *c = &m->table[t].column[i];

			if (!best || column_bytes(c) > column_bytes(best))
				best = c;
		}
	return best;
}

static int column_finish(struct maker *m, struct column *c)
{
	if (c->over)
		return 0;
	if (column_sort(c))
		return err_set(m->e, ERR_NOMEM, "profile of a column");
	m->bytes += column_bytes(c);
	while (m->bytes > PROFILE_BYTES) {
		struct column *big = largest_column(m);

		m->bytes -= column_bytes(big);
		column_drop(big);
	}
	return 0;
}

/* An error of this one table (a module we lack, a broken expression) leaves it unknown;
 * one of the whole database ends the work. */
static int table_error(struct maker *m, struct view name, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOMEM: return err_set(m->e, ERR_NOMEM, "profile of a database");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_IOERR:
	case SQLITE_INTERRUPT:
	case SQLITE_CANTOPEN:
		return err_set(m->e, ERR_STORE, "table %.*s: %s", (int)name.n, name.p,
			       sqlite3_errmsg(m->db));
	default: return 0;
	}
}

static void select_columns(struct buf *b, const struct schema_table *t, size_t from,
			   size_t n)
{
	buf_add_str(b, "SELECT ");
	for (size_t i = 0; i < n; i++) {
		buf_add_str(b, i ? ", " : "");
		schema_add_name(b, t->columns[from + i].name);
	}
	buf_add_str(b, " FROM ");
	schema_add_name(b, t->name);
}

static int scan_rows(struct maker *m, sqlite3_stmt *s, size_t at, size_t from, size_t n)
{
	struct table *t = &m->table[at];
	int rc, code = 0;

	t->rows = 0;
	while (!code && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		t->rows++;
		for (size_t i = 0; i < n && !code; i++)
			code = add_cell(&t->column[from + i], s, (int)i);
	}
	if (code)
		return err_set(m->e, code, "profile of a table");
	t->known &= rc == SQLITE_DONE;
	if (rc != SQLITE_DONE)
		return table_error(m, m->schema.tables[at].name, rc);
	return 0;
}

static int scan_some(struct maker *m, size_t at, size_t from, size_t n)
{
	struct buf b = { 0 };
	sqlite3_stmt *s = NULL;
	int code, rc;

	select_columns(&b, &m->schema.tables[at], from, n);
	if (b.bad) {
		buf_free(&b);
		return err_set(m->e, ERR_NOMEM, "profile of a table");
	}
	rc = sqlite3_prepare_v2(m->db, b.p, (int)b.n, &s, NULL);
	buf_free(&b);
	if (rc) {
		m->table[at].known = 0;
		return table_error(m, m->schema.tables[at].name, rc);
	}
	code = scan_rows(m, s, at, from, n);
	sqlite3_finalize(s);
	for (size_t i = 0; i < n && !code; i++)
		code = column_finish(m, &m->table[at].column[from + i]);
	return code;
}

static int scan_table(struct maker *m, size_t at)
{
	struct table *t = &m->table[at];
	int code = 0;

	for (size_t from = 0; from < t->n && t->known && !code; from += SCAN_COLUMNS) {
		size_t n = t->n - from;

		code = scan_some(m, at, from, n < SCAN_COLUMNS ? n : SCAN_COLUMNS);
	}
	for (size_t i = 0; i < t->n && !t->known; i++)
		column_drop(&t->column[i]);
	return code;
}

static int has_word(const char *type, const char *word)
{
	return strcasestr(type, word) != NULL;
}

/* SQLite's rules of affinity, in their order. */
static int affinity_of(struct view type)
{
	char s[256] = "";

	memcpy(s, type.p, type.n < sizeof s - 1 ? type.n : sizeof s - 1);
	if (has_word(s, "int"))
		return AFFINITY_NUMERIC;
	if (has_word(s, "char") || has_word(s, "clob") || has_word(s, "text"))
		return AFFINITY_TEXT;
	if (!*s || has_word(s, "blob"))
		return AFFINITY_NONE;
	return AFFINITY_NUMERIC;
}

static int fold_of(sqlite3 *db, const char *table, const char *column)
{
	const char *collation = NULL;

	if (sqlite3_table_column_metadata(db, NULL, table, column, NULL, &collation,
					  NULL, NULL, NULL) ||
	    !collation)
		return FOLD_OTHER;
	if (!sqlite3_stricmp(collation, "BINARY"))
		return FOLD_BINARY;
	if (!sqlite3_stricmp(collation, "NOCASE"))
		return FOLD_NOCASE;
	return sqlite3_stricmp(collation, "RTRIM") ? FOLD_OTHER : FOLD_RTRIM;
}

/* No statement and no error: this table cannot be asked, and others can. */
static int prepare(struct maker *m, sqlite3_stmt **ret, const char *fmt,
		   const char *name)
{
	char *sql = sqlite3_mprintf(fmt, name);
	int rc = sql ? sqlite3_prepare_v2(m->db, sql, -1, ret, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return table_error(m, view_of(name), rc);
}

static struct view column_view(sqlite3_stmt *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(s, i);

	return (struct view){ p, p ? (size_t)sqlite3_column_bytes(s, i) : 0 };
}

enum { XINFO_NAME = 1, XINFO_TYPE, XINFO_NOT_NULL, XINFO_PK = 5, XINFO_HIDDEN };

/* A view whose body does not hold any more has no columns: that is no error. */
static int read_columns(struct maker *m, int at, const char *name)
{
	sqlite3_stmt *s = NULL;
	int code, rc = SQLITE_DONE;

	code = prepare(m, &s, "PRAGMA table_xinfo(\"%w\")", name);
	while (!code && s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct view type = column_view(s, XINFO_TYPE);

		if (sqlite3_column_int(s, XINFO_HIDDEN) == 1)
			continue;
		code = schema_add_column(&m->schema, at, column_view(s, XINFO_NAME),
					 type.p ? type : view_of(""),
					 sqlite3_column_int(s, XINFO_PK),
					 sqlite3_column_int(s, XINFO_NOT_NULL), m->e);
	}
	sqlite3_finalize(s);
	return code ? code : table_error(m, view_of(name), rc);
}

enum { FK_TABLE = 2, FK_FROM, FK_TO };

static int read_keys(struct maker *m, int at, const char *name)
{
	sqlite3_stmt *s = NULL;
	int code, rc = SQLITE_DONE;

	code = prepare(m, &s, "PRAGMA foreign_key_list(\"%w\")", name);
	while (!code && s && (rc = sqlite3_step(s)) == SQLITE_ROW)
		code = schema_add_key(&m->schema, at, column_view(s, FK_FROM),
				      column_view(s, FK_TABLE), column_view(s, FK_TO),
				      m->e);
	sqlite3_finalize(s);
	return code ? code : table_error(m, view_of(name), rc);
}

static int make_columns(struct maker *m, size_t at, const char *name)
{
	struct table *t = &m->table[at];
	const struct schema_table *s = &m->schema.tables[at];

	t->known = !t->is_view;
	t->column = mem_alloc(s->n + 1, sizeof *t->column);
	if (!t->column)
		return err_set(m->e, ERR_NOMEM, "profile of table %s", name);
	t->n = s->n;
	for (size_t i = 0; i < s->n; i++) {
		char column[512] = "";
		struct view v = s->columns[i].name;

		memcpy(column, v.p, v.n < sizeof column - 1 ? v.n : sizeof column - 1);
		t->column[i].affinity = (uint8_t)affinity_of(s->columns[i].type);
		t->column[i].fold =
			(uint8_t)(t->is_view ? FOLD_OTHER
					     : fold_of(m->db, name, column));
	}
	return 0;
}

static const char tables_sql[] =
	"SELECT name, type = 'view' OR lower(sql) LIKE 'create virtual%' "
	"FROM sqlite_master WHERE type IN ('table', 'view') "
	"AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, rowid";

static int add_table(struct maker *m, sqlite3_stmt *s)
{
	struct table *more = mem_resize(m->table, m->n + 1, sizeof *more);
	const char *name = (const char *)sqlite3_column_text(s, 0);
	int at, code;

	if (!more || !name)
		return err_set(m->e, ERR_NOMEM, "list of tables");
	m->table = more;
	code = schema_add_table(&m->schema, view_of(name), &at, m->e);
	if (code)
		return code;
	m->table[m->n++] = (struct table){ .is_view = sqlite3_column_int(s, 1) };
	code = read_columns(m, at, name);
	return code ? code : make_columns(m, (size_t)at, name);
}

static int read_schema(struct maker *m)
{
	sqlite3_stmt *s = NULL;
	int code = 0, rc = sqlite3_prepare_v2(m->db, tables_sql, -1, &s, NULL);

	while (!rc && !code && sqlite3_step(s) == SQLITE_ROW)
		code = add_table(m, s);
	if (sqlite3_finalize(s) && !code)
		rc = SQLITE_ERROR;
	if (rc)
		return err_set(m->e, ERR_STORE, "list of tables: %s",
			       sqlite3_errmsg(m->db));
	for (size_t i = 0; i < m->n && !code; i++) {
		struct view v = m->schema.tables[i].name;
		char *name = mem_dup(v.p, v.n);

		code = name ? read_keys(m, (int)i, name) : ERR_NOMEM;
		mem_free(name);
	}
	return code;
}

static void pack_set(struct buf *b, const uint64_t *v, size_t n)
{
	char *p = mem_alloc(n + 1, sizeof *v);

	if (!p) {
		b->bad = ERR_NOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 8; k++)
			p[i * 8 + (size_t)k] = (char)(v[i] >> (8 * k));
	pack_bin(b, (struct view){ p, n * 8 });
	mem_free(p);
}

static void pack_column(struct buf *b, const struct column *c, int known)
{
	int sets = known && !c->over;

	pack_array(b, 8);
	pack_u64(b, c->affinity);
	pack_u64(b, c->fold);
	pack_bool(b, sets);
	pack_bool(b, sets && c->unique);
	pack_u64(b, c->kinds);
	pack_u64(b, c->holds ? ANSWER_YES : known ? ANSWER_NO : ANSWER_UNKNOWN);
	pack_set(b, c->sorted, sets ? c->nraw : 0);
	pack_set(b, sets ? c->sorted + c->nraw : NULL, sets ? c->nloose : 0);
}

static void pack_profile(struct buf *b, const struct maker *m)
{
	struct buf schema = { 0 };

	schema_pack(&m->schema, &schema);
	pack_array(b, 3);
	pack_u64(b, PROFILE_VERSION);
	pack_bin(b, buf_view(&schema));
	pack_array(b, m->n);
	for (size_t i = 0; i < m->n; i++) {
		const struct table *t = &m->table[i];

		pack_array(b, 4);
		pack_bool(b, t->is_view);
		pack_bool(b, t->known);
		pack_u64(b, t->known ? t->rows : 0);
		pack_array(b, t->n);
		for (size_t c = 0; c < t->n; c++)
			pack_column(b, &t->column[c], t->known);
	}
	if (schema.bad && !b->bad)
		b->bad = schema.bad;
	buf_free(&schema);
}

static void maker_end(struct maker *m)
{
	for (size_t i = 0; i < m->n; i++) {
		for (size_t c = 0; c < m->table[i].n; c++)
			column_drop(&m->table[i].column[c]);
		mem_free(m->table[i].column);
	}
	mem_free(m->table);
	schema_free(&m->schema);
}

int profile_db(struct sqlite3 *db, struct buf *ret, struct err *e)
{
	struct maker m = { .db = db, .e = e };
	int code = read_schema(&m);

	for (size_t i = 0; i < m.n && !code; i++)
		if (m.table[i].known)
			code = scan_table(&m, i);
	if (!code)
		pack_profile(ret, &m);
	if (!code && ret->bad)
		code = err_set(e, ret->bad, "profile of a database");
	maker_end(&m);
	return code;
}
