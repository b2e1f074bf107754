/* schema.c - see schema.h */
#include "common/sql/schema.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"
#include "common/sql/lex.h"

#include <stdint.h>

/* Room for one more of `size` bytes; old room stays in the arena until its end, which
 * doubling keeps below the new room's size. */
static void *room(struct arena *a, void *p, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;
	void *q;

	if (n < *cap)
		return p;
	q = arena_alloc(a, want, size);
	if (!q)
		return NULL;
	if (n)
		memcpy(q, p, n * size);
	*cap = want;
	return q;
}

int schema_add_table(struct schema *s, struct view name, int *ret_table, struct err *e)
{
	struct schema_table *t;
	struct view copy;

	if (s->n_tables >= SCHEMA_TABLES)
		return err_set(e, ERR_LIMIT, "over %d tables in one schema",
			       SCHEMA_TABLES);
	t = room(&s->a, s->tables, s->n_tables, &s->cap_tables, sizeof *t);
	copy = arena_view(&s->a, name);
	if (!t || !copy.p)
		return err_set(e, ERR_NOMEM, "no memory for a schema");
	s->tables = t;
	t[s->n_tables] = (struct schema_table){ .name = copy };
	if (ret_table)
		*ret_table = (int)s->n_tables;
	s->n_tables++;
	return 0;
}

int schema_add_column(struct schema *s, int table, struct view name, struct view type,
		      int pk, int not_null, struct err *e)
{
	struct schema_table *t = &s->tables[table];
	struct schema_column c = { .pk = pk, .not_null = not_null }, *columns;

	if (t->n >= SCHEMA_COLUMNS)
		return err_set(e, ERR_LIMIT, "over %d columns in table %.*s",
			       SCHEMA_COLUMNS, (int)t->name.n, t->name.p);
	columns = room(&s->a, t->columns, t->n, &t->cap, sizeof c);
	c.name = arena_view(&s->a, name);
	c.type = arena_view(&s->a, type);
	if (!columns || !c.name.p || !c.type.p)
		return err_set(e, ERR_NOMEM, "no memory for a schema");
	t->columns = columns;
	columns[t->n++] = c;
	return 0;
}

static int primary_column(const struct schema *s, int table)
{
	for (size_t i = 0; i < s->tables[table].n; i++)
		if (s->tables[table].columns[i].pk == 1)
			return (int)i;
	return -1;
}

static int add_key(struct schema *s, struct schema_key key, struct err *e)
{
	struct schema_key *keys =
		room(&s->a, s->keys, s->n_keys, &s->cap_keys, sizeof key);

	if (!keys)
		return err_set(e, ERR_NOMEM, "no memory for a schema");
	s->keys = keys;
	keys[s->n_keys++] = key;
	return 0;
}

int schema_add_key(struct schema *s, int table, struct view from_column,
		   struct view to_table, struct view to_column, struct err *e)
{
	struct schema_key key = { table, schema_find_column(s, table, from_column),
				  schema_find_table(s, to_table), -1 };

	if (key.to_table < 0)
		return 0;
	key.to_column = to_column.p ? schema_find_column(s, key.to_table, to_column)
				    : primary_column(s, key.to_table);
	if (key.from_column < 0 || key.to_column < 0)
		return 0;
	return add_key(s, key, e);
}

void schema_free(struct schema *s)
{
	if (!s)
		return;
	arena_free(&s->a);
	*s = (struct schema){ 0 };
}

int schema_find_table(const struct schema *s, struct view name)
{
	for (size_t i = 0; i < s->n_tables; i++)
		if (name_eq(s->tables[i].name, name))
			return (int)i;
	return -1;
}

int schema_find_column(const struct schema *s, int table, struct view name)
{
	const struct schema_table *t = &s->tables[table];

	for (size_t i = 0; i < t->n; i++)
		if (name_eq(t->columns[i].name, name))
			return (int)i;
	return -1;
}

int schema_rowid_column(const struct schema *s, int table)
{
	const struct schema_table *t = &s->tables[table];
	int found = -1;

	for (size_t i = 0; i < t->n; i++) {
		if (t->columns[i].pk > 1)
			return -1;
		if (t->columns[i].pk == 1 && name_is(t->columns[i].type, "INTEGER"))
			found = (int)i;
	}
	return found;
}

void schema_pack(const struct schema *s, struct buf *b)
{
	pack_array(b, 3);
	pack_u64(b, SCHEMA_VERSION);
	pack_array(b, s->n_tables);
	for (size_t i = 0; i < s->n_tables; i++) {
		const struct schema_table *t = &s->tables[i];

		pack_array(b, 2);
		pack_str(b, t->name);
		pack_array(b, t->n);
		for (size_t j = 0; j < t->n; j++) {
			pack_array(b, 4);
			pack_str(b, t->columns[j].name);
			pack_str(b, t->columns[j].type);
			pack_i64(b, t->columns[j].pk);
			pack_bool(b, t->columns[j].not_null);
		}
	}
	pack_array(b, s->n_keys);
	for (size_t i = 0; i < s->n_keys; i++) {
		pack_array(b, 4);
		pack_i64(b, s->keys[i].from_table);
		pack_i64(b, s->keys[i].from_column);
		pack_i64(b, s->keys[i].to_table);
		pack_i64(b, s->keys[i].to_column);
	}
}

static int take_table(struct cursor *c, struct schema *s, struct err *e)
{
	int table = 0, rc;
	size_t n;

	cur_array_of(c, 2);
	rc = schema_add_table(s, cur_str(c), &table, e);
	n = cur_array(c);
	for (size_t i = 0; !rc && !c->bad && i < n; i++) {
		struct view name, type;
		uint32_t pk;

		cur_array_of(c, 4);
		name = cur_str(c);
		type = cur_str(c);
		pk = cur_u32(c);
		if (pk > SCHEMA_COLUMNS)
			c->bad = 1;
		rc = schema_add_column(s, table, name, type, (int)pk, cur_bool(c), e);
	}
	return rc;
}

static int take_place(struct cursor *c, const struct schema *s, int *ret_table)
{
	uint32_t table = cur_u32(c), column = cur_u32(c);

	if (table >= s->n_tables || column >= s->tables[table].n) {
		c->bad = 1;
		return 0;
	}
	*ret_table = (int)table;
	return (int)column;
}

static int take_key(struct cursor *c, struct schema *s, struct err *e)
{
	struct schema_key key = { 0 };

	cur_array_of(c, 4);
	key.from_column = take_place(c, s, &key.from_table);
	key.to_column = take_place(c, s, &key.to_table);
	return c->bad ? 0 : add_key(s, key, e);
}

int schema_unpack(struct view bytes, struct schema *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct schema s = { 0 };
	int rc = 0;
	size_t n;

	cur_array_of(&c, 3);
	if (cur_u64(&c) != SCHEMA_VERSION)
		c.bad = 1;
	n = cur_array(&c);
	for (size_t i = 0; !rc && !c.bad && i < n; i++)
		rc = take_table(&c, &s, e);
	n = cur_array(&c);
	for (size_t i = 0; !rc && !c.bad && i < n; i++)
		rc = take_key(&c, &s, e);
	if (!rc && !cur_done(&c))
		rc = err_set(e, ERR_VALUE, "bytes are no schema of version %d",
			     SCHEMA_VERSION);
	if (rc)
		schema_free(&s);
	else
		*ret = s;
	return rc;
}

/* Words that SQLite would not take as a name, and a few that a reader would stumble on.
 */
static int is_reserved(struct view name)
{
	static const char *const words[] = {
		"add",         "all",        "alter",     "and",        "as",
		"between",     "by",         "case",      "check",      "collate",
		"commit",      "constraint", "create",    "cross",      "default",
		"delete",      "distinct",   "drop",      "else",       "end",
		"escape",      "except",     "exists",    "foreign",    "from",
		"full",        "group",      "having",    "in",         "index",
		"inner",       "insert",     "intersect", "into",       "is",
		"isnull",      "join",       "left",      "limit",      "natural",
		"not",         "notnull",    "null",      "on",         "or",
		"order",       "outer",      "primary",   "references", "right",
		"select",      "set",        "table",     "then",       "to",
		"transaction", "union",      "unique",    "update",     "using",
		"values",      "when",       "where",     NULL
	};

	for (const char *const *w = words; *w; w++)
		if (name_is(name, *w))
			return 1;
	return 0;
}

void schema_add_name(struct buf *b, struct view name)
{
	struct lexer l = lex_of(name);
	struct token t;

	if (lex_next(&l, &t) && t.kind == TOKEN_WORD && t.text.n == name.n &&
	    !is_reserved(name)) {
		buf_add(b, name.p, name.n);
		return;
	}
	buf_add_char(b, '"');
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '"')
			buf_add_char(b, '"');
		buf_add_char(b, name.p[i]);
	}
	buf_add_char(b, '"');
}

static void render_column(struct buf *b, const struct schema_column *c, int pk_alone)
{
	buf_add_str(b, "\n  ");
	schema_add_name(b, c->name);
	if (c->type.n) {
		buf_add_char(b, ' ');
		buf_add(b, c->type.p, c->type.n);
	}
	if (c->pk && pk_alone)
		buf_add_str(b, " PRIMARY KEY");
	if (c->not_null)
		buf_add_str(b, " NOT NULL");
}

static void render_primary(struct buf *b, const struct schema_table *t, int n_pk)
{
	buf_add_str(b, ",\n  PRIMARY KEY (");
	for (int place = 1; place <= n_pk; place++)
		for (size_t i = 0; i < t->n; i++) {
			if (t->columns[i].pk != place)
				continue;
			buf_add_str(b, place > 1 ? ", " : "");
			schema_add_name(b, t->columns[i].name);
		}
	buf_add_char(b, ')');
}

static void render_key(const struct schema *s, struct buf *b,
		       const struct schema_key *k)
{
	const struct schema_table *to = &s->tables[k->to_table];

	buf_add_str(b, ",\n  FOREIGN KEY (");
	schema_add_name(b, s->tables[k->from_table].columns[k->from_column].name);
	buf_add_str(b, ") REFERENCES ");
	schema_add_name(b, to->name);
	buf_add_str(b, " (");
	schema_add_name(b, to->columns[k->to_column].name);
	buf_add_char(b, ')');
}

static void render_table(const struct schema *s, int table, struct buf *b)
{
	const struct schema_table *t = &s->tables[table];
	int n_pk = 0;

	for (size_t i = 0; i < t->n; i++)
		n_pk += t->columns[i].pk > 0;
	buf_add_str(b, "CREATE TABLE ");
	schema_add_name(b, t->name);
	buf_add_str(b, " (");
	for (size_t i = 0; i < t->n; i++) {
		buf_add_str(b, i ? "," : "");
		render_column(b, &t->columns[i], n_pk == 1);
	}
	if (n_pk > 1)
		render_primary(b, t, n_pk);
	for (size_t i = 0; i < s->n_keys; i++)
		if (s->keys[i].from_table == table)
			render_key(s, b, &s->keys[i]);
	buf_add_str(b, "\n);\n");
}

void schema_render(const struct schema *s, const char *only, struct buf *b)
{
	for (size_t i = 0; i < s->n_tables; i++)
		if (!only || only[i])
			render_table(s, (int)i, b);
}
