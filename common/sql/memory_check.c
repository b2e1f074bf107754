/* memory_check.c - see memory_check.h */
#include "common/sql/memory_check.h"

#include "common/base/utf8.h"
#include "common/sql/analysis.h"
#include "common/sql/json_text.h"
#include "common/sql/lex.h"

enum { TEXT_BYTES = 300, ENTRIES = 64, ALIASES = 64 };

struct alias {
	struct view name;
	int table;
};

struct checker {
	struct arena a;
	const struct schema *s;
	struct sql_analysis r;
	struct alias alias[ALIASES];
	size_t aliases;
	const struct loose *answer;
	enum memory_key key;
	struct json_text j;
	struct buf text;
	struct sql_column mapped; /* of the mapping under way; table -1: a table */
	struct memory_counts count;
};

/* ---- names ----------------------------------------------------------------------- */

static int is_keyword_behind_table(const struct token *t)
{
	static const char *const words[] = { "on",    "where", "join",      "left",
					     "inner", "cross", "natural",   "group",
					     "order", "limit", "using",     "union",
					     "full",  "right", "intersect", "except",
					     "having" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (token_is(t, words[i]))
			return 1;
	return 0;
}

/* Every `table [AS] name` of the SQL. */
static void find_aliases(struct checker *c, struct view sql)
{
	struct lexer l = lex_of(sql);
	struct token t;
	int table = -1;

	while (lex_solid(&l, &t)) {
		int is_name = token_is_name(&t);

		if (table >= 0 && token_is(&t, "as"))
			continue;
		if (table >= 0 && is_name && !is_keyword_behind_table(&t) &&
		    c->aliases < ALIASES)
			c->alias[c->aliases++] =
				(struct alias){ token_value(&c->a, &t), table };
		table = is_name ? schema_find_table(c->s, token_value(&c->a, &t)) : -1;
	}
}

/* The table and column of `table.column`, the table perhaps by an alias. */
static int resolve(const struct checker *c, struct view table, struct view column,
		   struct sql_column *ret)
{
	int t = schema_find_table(c->s, table);

	if (t >= 0) {
		*ret = (struct sql_column){ t, schema_find_column(c->s, t, column) };
		if (ret->column >= 0)
			return 1;
	}
	for (size_t i = 0; i < c->aliases; i++) {
		if (!name_eq(c->alias[i].name, table))
			continue;
		t = c->alias[i].table;
		*ret = (struct sql_column){ t, schema_find_column(c->s, t, column) };
		if (ret->column >= 0)
			return 1;
	}
	return 0;
}

static void add_column(struct checker *c, struct sql_column col)
{
	const struct schema_table *t = &c->s->tables[col.table];

	buf_add(&c->text, t->name.p, t->name.n);
	buf_add_char(&c->text, '.');
	buf_add(&c->text, t->columns[col.column].name.p, t->columns[col.column].name.n);
}

/* A bare name: a column that the SQL reads, else the only one of that name. */
static int resolve_bare(const struct checker *c, struct view name,
			struct sql_column *ret)
{
	int found = 0;

	for (size_t i = 0; i < c->r.n_columns; i++) {
		struct sql_column col = c->r.columns[i];

		if (col.column < 0 ||
		    !name_eq(c->s->tables[col.table].columns[col.column].name, name))
			continue;
		*ret = col;
		return 1;
	}
	for (size_t t = 0; t < c->s->n_tables; t++) {
		int col = schema_find_column(c->s, (int)t, name);

		if (col < 0)
			continue;
		*ret = (struct sql_column){ (int)t, col };
		found++;
	}
	return found == 1;
}

struct spelled {
	int columns; /* how many table.column were met */
	struct sql_column first;
	int wrong; /* one of them is not in the schema */
};

/* Into c->text, with every table.column spelled as the schema has it. */
static struct spelled spell(struct checker *c, struct view text)
{
	struct lexer l = lex_of(text);
	struct spelled ret = { 0 };
	struct token t, dot, name;

	buf_clear(&c->text);
	while (lex_next(&l, &t)) {
		struct lexer look = l;
		struct sql_column col;

		if (!token_is_name(&t) || !lex_next(&look, &dot) ||
		    !token_op(&dot, ".") || !lex_next(&look, &name) ||
		    !token_is_name(&name)) {
			buf_add(&c->text, t.text.p, t.text.n);
			continue;
		}
		l = look;
		if (!resolve(c, token_value(&c->a, &t), token_value(&c->a, &name),
			     &col)) {
			ret.wrong = 1;
			continue;
		}
		if (!ret.columns++)
			ret.first = col;
		add_column(c, col);
	}
	return ret;
}

/* Text that is one name, or holds table.column: 1 and it is in c->text. */
static int spell_column(struct checker *c, struct view text, struct sql_column *ret)
{
	struct view v = view_trim(text, " \t\r\n\"`");
	struct spelled s = spell(c, v);
	struct sql_column col;

	if (s.wrong)
		return 0;
	if (!s.columns) {
		if (!resolve_bare(c, v, &col))
			return 0;
		buf_clear(&c->text);
		add_column(c, col);
		s.first = col;
	}
	*ret = s.first;
	return 1;
}

static int reads(const struct checker *c, struct sql_column col)
{
	for (size_t i = 0; i < c->r.n_columns; i++)
		if (c->r.columns[i].table == col.table &&
		    c->r.columns[i].column == col.column)
			return 1;
	return 0;
}

/* ---- writing --------------------------------------------------------------------- */

static void put(struct checker *c, struct view v)
{
	json_str(&c->j, utf8_cut(view_trim(v, " \t\r\n"), TEXT_BYTES));
}

static void put_text(struct checker *c)
{
	put(c, buf_view(&c->text));
	if (c->text.bad)
		c->j.b->bad = c->text.bad;
}

static void drop(struct checker *c)
{
	c->count.dropped[c->key]++;
}

static int is_nothing(const struct loose *v)
{
	return !v || v->kind == LOOSE_NULL || (v->kind == LOOSE_TEXT && !v->text.n) ||
	       (v->kind >= LOOSE_OBJECT && !v->first);
}

/* Writes one entry of a list, behind json_open(); 0: it does not stand. */
typedef int entry_fn(struct checker *c, const struct loose *v);

/* "name": [entries that stand]; a lone value is a list of one. Nothing where none
 * stands. */
static void put_list(struct checker *c, const char *name, const struct loose *v,
		     entry_fn *entry)
{
	const struct loose *i = v->kind == LOOSE_ARRAY ? v->first : v;
	struct json_text before = c->j;
	size_t at = c->j.b->n;
	int kept = 0;

	json_key(&c->j, name);
	json_open(&c->j, '[');
	for (int n = 0; i && n < ENTRIES; n++) {
		if (entry(c, i))
			kept++;
		else if (!is_nothing(i))
			drop(c);
		i = v->kind == LOOSE_ARRAY ? i->next : NULL;
	}
	json_close(&c->j, ']');
	if (kept || c->j.b->bad)
		return;
	c->j.b->n = at; /* as if it had not been begun */
	c->j.b->p[at] = 0;
	c->j.comma = before.comma;
}

/* The texts in a value, one behind the other: some models write objects for strings. */
static struct view flat(struct checker *c, const struct loose *v)
{
	struct buf b = { 0 };
	struct view ret = v->text;

	if (v->kind == LOOSE_TEXT)
		return ret;
	for (const struct loose *m = v->first; m; m = m->next) {
		struct view part = flat(c, m);

		buf_add_str(&b, b.n && part.n ? " " : "");
		buf_add(&b, part.p, part.n);
	}
	ret = arena_view(&c->a, b.p ? buf_view(&b) : view_of(""));
	buf_free(&b);
	return ret.p ? ret : view_of("");
}

/* ---- entries --------------------------------------------------------------------- */

static int put_phrase_and_column(struct checker *c, struct view phrase,
				 struct view column)
{
	struct sql_column col = { -1, -1 };
	int table = schema_find_table(c->s, view_trim(column, " \"`"));

	if (!phrase.n || (table < 0 && !spell_column(c, column, &col)))
		return 0;
	json_open(&c->j, '{');
	json_key(&c->j, "phrase");
	put(c, phrase);
	json_key(&c->j, table < 0 ? "column" : "table");
	if (table < 0)
		put_text(c);
	else
		put(c, c->s->tables[table].name);
	c->mapped = col;
	return 1;
}

/* Another column than the one it may be taken for. */
static int confusable(struct checker *c, const struct loose *v)
{
	struct sql_column col;

	if (!spell_column(c, flat(c, v), &col) ||
	    (col.table == c->mapped.table && col.column == c->mapped.column))
		return 0;
	put_text(c);
	return 1;
}

static struct view text_of(struct checker *c, const struct loose *object,
			   const char *name)
{
	const struct loose *m = loose_member(object, name);

	return is_nothing(m) ? (struct view){ "", 0 } : flat(c, m);
}

/* {"table": "t", "column": "c"} says t.c. */
static struct view column_of(struct checker *c, const struct loose *v)
{
	struct view table = text_of(c, v, "table"), column = text_of(c, v, "column");
	struct buf b = { 0 };

	if (!table.n || !column.n || memchr(column.p, '.', column.n))
		return column.n ? column : table;
	buf_add(&b, table.p, table.n);
	buf_add_char(&b, '.');
	buf_add(&b, column.p, column.n);
	column = arena_view(&c->a, buf_view(&b));
	buf_free(&b);
	return column.p ? column : table;
}

/* "phrase -> table.column" */
static int mapping_text(struct checker *c, struct view v)
{
	const char *arrow = memmem(v.p, v.n, "->", 2);
	size_t n = arrow ? (size_t)(arrow - v.p) : 0;

	if (!arrow ||
	    !put_phrase_and_column(c, view_trim((struct view){ v.p, n }, " \"'"),
				   (struct view){ arrow + 2, v.n - n - 2 }))
		return 0;
	json_close(&c->j, '}');
	return 1;
}

static int mapping(struct checker *c, const struct loose *v)
{
	const struct loose *other;
	struct view phrase, column;

	if (v->kind == LOOSE_TEXT)
		return mapping_text(c, v->text);
	phrase = text_of(c, v, "phrase");
	column = column_of(c, v);
	if (!phrase.n && v->first && v->first->key.n) { /* {"phrase": "t.c"} */
		phrase = v->first->key;
		column = flat(c, v->first);
	}
	if (!put_phrase_and_column(c, phrase, column))
		return 0;
	other = loose_member(v, "confusable");
	if (!is_nothing(other))
		put_list(c, "confusable", other, confusable);
	json_close(&c->j, '}');
	return 1;
}

/* A way from table to table: what it names is there, and one is a table of the SQL. */
static int path(struct checker *c, const struct loose *v)
{
	struct view text = flat(c, v);
	struct lexer l = lex_of(text);
	struct token t;
	int known = 0;

	while (lex_solid(&l, &t)) {
		int table = token_is_name(&t)
				    ? schema_find_table(c->s, token_value(&c->a, &t))
				    : -1;

		for (size_t i = 0; i < c->r.n_tables; i++)
			known |= c->r.tables[i] == table;
		for (size_t i = 0; i < c->aliases && token_is_name(&t); i++)
			known |= name_eq(c->alias[i].name, token_value(&c->a, &t));
	}
	if (!known || spell(c, text).wrong)
		return 0;
	put_text(c);
	return 1;
}

/* INNER JOIN, JOIN and INNER are one type; a comma is CROSS. */
static const char *join_word(struct view type)
{
	static const char *const words[] = { "LEFT", "CROSS", "RIGHT", "FULL",
					     "NATURAL" };
	struct lexer l = lex_of(type);
	struct token t;

	while (lex_solid(&l, &t)) {
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (token_is(&t, words[i]))
				return words[i];
		if (token_op(&t, ","))
			return "CROSS";
		if (token_is(&t, "inner") || token_is(&t, "join"))
			return "INNER";
	}
	return NULL;
}

static int join_type(struct checker *c, const struct loose *v)
{
	const char *said = join_word(flat(c, v)), *has;

	for (size_t i = 0; said && i < c->r.n_froms; i++) {
		has = c->r.froms[i].type.n ? join_word(c->r.froms[i].type) : NULL;
		if (!has || strcmp(has, said) != 0)
			continue;
		put(c, view_of(said));
		return 1;
	}
	return 0;
}

static int op_used(const struct checker *c, struct view said, const char **ret)
{
	struct view v = view_trim(said, " \t");

	if (view_eq(v, view_of("==")))
		v = view_of("=");
	if (view_eq(v, view_of("<>")))
		v = view_of("!=");
	for (size_t i = 0; i < c->r.n_conditions; i++) {
		*ret = sql_op_text(c->r.conditions[i].op);
		if (name_is(v, *ret))
			return 1;
	}
	return 0;
}

static int condition(struct checker *c, const struct loose *v)
{
	struct view column = column_of(c, v), value = text_of(c, v, "value");
	struct sql_column col;
	const char *op;

	if (v->kind != LOOSE_OBJECT || !op_used(c, text_of(c, v, "operator"), &op) ||
	    !spell_column(c, column, &col) || !reads(c, col))
		return 0;
	json_open(&c->j, '{');
	json_key(&c->j, "column");
	put_text(c);
	json_key(&c->j, "operator");
	json_str(&c->j, view_of(op));
	if (value.n && !spell(c, value).wrong) {
		json_key(&c->j, "value");
		put_text(c);
	}
	json_close(&c->j, '}');
	return 1;
}

static int read_column(struct checker *c, const struct loose *v)
{
	struct sql_column col;

	if (!spell_column(c, flat(c, v), &col) || !reads(c, col))
		return 0;
	put_text(c);
	return 1;
}

/* Any text whose columns are there. */
static int expression(struct checker *c, const struct loose *v)
{
	struct view text = flat(c, v);

	if (!text.n || spell(c, text).wrong)
		return 0;
	put_text(c);
	return 1;
}

static int calls(const struct checker *c, struct view text, int distinct_only)
{
	struct lexer l = lex_of(text);
	struct token t;

	if (!lex_solid(&l, &t))
		return 0;
	for (size_t i = 0; i < c->r.n_calls; i++)
		if (c->r.calls[i].aggregate && name_eq(c->r.calls[i].name, t.text) &&
		    (!distinct_only || c->r.calls[i].distinct))
			return 1;
	return 0;
}

static int aggregate(struct checker *c, const struct loose *v)
{
	return calls(c, flat(c, v), 0) && expression(c, v);
}

static int distinct_aggregate(struct checker *c, const struct loose *v)
{
	int any = 0;

	for (size_t i = 0; i < c->r.n_calls; i++)
		any |= c->r.calls[i].aggregate && c->r.calls[i].distinct;
	return any && !name_is(flat(c, v), "false") && expression(c, v);
}

static int construct(struct checker *c, const struct loose *v)
{
	const struct {
		const char *name;
		int has;
	} all[] = { { "CASE", c->r.has_case },
		    { "IIF", c->r.has_iif },
		    { "COALESCE", c->r.has_coalesce },
		    { "IFNULL", c->r.has_ifnull },
		    { "NULLIF", c->r.has_nullif } };
	struct lexer l = lex_of(flat(c, v));
	struct token t;

	if (!lex_solid(&l, &t))
		return 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].has && name_is(t.text, all[i].name)) {
			put(c, view_of(all[i].name));
			return 1;
		}
	return 0;
}

/* ---- fields ---------------------------------------------------------------------- */

typedef void field_fn(struct checker *c, const char *name, const struct loose *v);

#define LIST(entry) \
	static void list_##entry(struct checker *c, const char *name, \
				 const struct loose *v) \
	{ \
		put_list(c, name, v, entry); \
	}
LIST(mapping)
LIST(path)
LIST(join_type)
LIST(condition)
LIST(read_column)
LIST(expression)
LIST(aggregate)
LIST(distinct_aggregate)
LIST(construct)
#undef LIST

static void put_field(struct checker *c, const char *name, struct view v)
{
	json_key(&c->j, name);
	put(c, v);
}

static void having(struct checker *c, const char *name, const struct loose *v)
{
	struct view text = flat(c, v);

	if (!c->r.has_having || spell(c, text).wrong)
		drop(c);
	else
		put_field(c, name, buf_view(&c->text));
}

static int any_order(const struct sql_item *item, size_t n, int desc)
{
	for (size_t i = 0; i < n; i++)
		if (!item[i].desc == !desc)
			return 1;
	return 0;
}

/* A direction that the SQL has; without a word it is ascending. */
static int ordering(struct checker *c, const struct loose *v)
{
	struct lexer l = lex_of(flat(c, v));
	struct token t;
	int desc = 0;

	while (lex_solid(&l, &t))
		desc |= token_is(&t, "desc") || token_is(&t, "descending");
	return (any_order(c->r.order_by, c->r.n_order_by, desc) ||
		any_order(c->r.inner_order_by, c->r.n_inner_order_by, desc)) &&
	       expression(c, v);
}

static void order(struct checker *c, const char *name, const struct loose *v)
{
	if (c->r.has_order_by)
		put_list(c, name, v, ordering);
	else
		drop(c);
}

/* A number of rows: the SQL's own, of whichever SELECT. */
static int is_limit(const struct checker *c, struct view v)
{
	if (c->r.limit && view_eq(c->r.limit->text, v))
		return 1;
	for (size_t i = 0; i < c->r.n_inner_limits; i++)
		if (view_eq(c->r.inner_limits[i].text, v))
			return 1;
	return 0;
}

static void limit(struct checker *c, const char *name, const struct loose *v)
{
	struct view text = view_trim(flat(c, v), " \t\r\n");

	if (is_limit(c, text))
		put_field(c, name, text);
	else
		drop(c);
}

static void offset(struct checker *c, const char *name, const struct loose *v)
{
	struct view text = view_trim(flat(c, v), " \t\r\n");

	if (c->r.offset && view_eq(c->r.offset->text, text))
		put_field(c, name, text);
	else if (!name_is(text, "0"))
		drop(c);
}

static void put_word(struct checker *c, const char *name, const struct loose *v,
		     const char *const *word, size_t n)
{
	struct view text = view_trim(flat(c, v), " \t\r\n");

	for (size_t i = 0; i < n; i++)
		if (name_is(text, word[i])) {
			put_field(c, name, view_of(word[i]));
			return;
		}
	drop(c);
}

#define COUNT(words) (sizeof(words) / sizeof *(words))
static const char *const truths[] = { "true", "false" };

static void shape(struct checker *c, const char *name, const struct loose *v)
{
	const char *is = memory_result_shape(&c->r);

	put_word(c, name, v, &is, 1);
}

static void format(struct checker *c, const char *name, const struct loose *v)
{
	static const char *const words[] = { "number",  "year",       "text",  "id",
					     "boolean", "percentage", "custom" };

	put_word(c, name, v, words, COUNT(words));
}

static void distinct(struct checker *c, const char *name, const struct loose *v)
{
	if (name_is(flat(c, v), truths[!c->r.distinct]))
		put_field(c, name, view_of(truths[!c->r.distinct]));
	else
		drop(c);
}

static void truth(struct checker *c, const char *name, const struct loose *v)
{
	put_word(c, name, v, truths, COUNT(truths));
}

static const struct field {
	enum memory_key key;
	const char *name;
	field_fn *put;
} fields[] = {
	{ MEMORY_schema_grounding, "mappings", list_mapping },
	{ MEMORY_join_path, "paths", list_path },
	{ MEMORY_join_path, "join_types", list_join_type },
	{ MEMORY_filter_semantics, "conditions", list_condition },
	{ MEMORY_aggregation, "group_by_columns", list_read_column },
	{ MEMORY_aggregation, "aggregate_functions", list_aggregate },
	{ MEMORY_aggregation, "having_condition", having },
	{ MEMORY_aggregation, "distinct_within_aggregate", list_distinct_aggregate },
	{ MEMORY_ordering_and_scope, "order_by", order },
	{ MEMORY_ordering_and_scope, "limit", limit },
	{ MEMORY_ordering_and_scope, "offset", offset },
	{ MEMORY_conditional_and_null, "construct", list_construct },
	{ MEMORY_conditional_and_null, "expressions", list_expression },
	{ MEMORY_output_form, "result_shape", shape },
	{ MEMORY_output_form, "return_columns", list_expression },
	{ MEMORY_output_form, "distinct", distinct },
	{ MEMORY_output_form, "format", format },
	{ MEMORY_query_constraints, "avoid_unnecessary_distinct", truth },
	{ MEMORY_query_constraints, "avoid_extra_join", truth },
	{ MEMORY_query_constraints, "avoid_wrong_aggregation_column", truth },
	{ MEMORY_query_constraints, "avoid_extra_filter", truth },
	{ MEMORY_query_constraints, "prefer_schema_defined_columns", truth },
};

/* ---- keys ------------------------------------------------------------------------ */

/* Anywhere: a bracket that was lost moves a key into its neighbour. */
static const struct loose *find_key(const struct loose *in, const char *name)
{
	const struct loose *found = loose_member(in, name);

	for (const struct loose *m = in->first; m && !found; m = m->next)
		if (m->kind >= LOOSE_OBJECT)
			found = find_key(m, name);
	return found;
}

/* Among members, also those of members that lost their name. */
static const struct loose *find_field(const struct loose *in, const char *name)
{
	const struct loose *found = loose_member(in, name);

	for (const struct loose *m = in->first; m && !found; m = m->next)
		if (m->kind == LOOSE_OBJECT && !m->key.n)
			found = find_field(m, name);
	return found;
}

static const struct loose *field_of(const struct checker *c, const struct loose *key,
				    const struct field *f, int first)
{
	if (!key) /* its name is lost: the fields stand alone */
		return find_key(c->answer, f->name);
	if (key->kind != LOOSE_OBJECT) /* the list itself, without the field's name */
		return first ? key : NULL;
	return find_field(key, f->name);
}

static void put_fields(struct checker *c, const struct loose *key)
{
	int first = 1;

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct loose *v;

		if (fields[i].key != c->key)
			continue;
		v = field_of(c, key, &fields[i], first);
		first = 0;
		if (!is_nothing(v))
			fields[i].put(c, fields[i].name, v);
	}
}

static void put_key(struct checker *c, int has)
{
	const char *name = memory_key_name(c->key);
	const struct loose *key = find_key(c->answer, name);
	struct json_text before = c->j;
	size_t at = c->j.b->n, empty;

	if (key && is_nothing(key))
		return;
	if (!has) {
		c->count.refused[c->key] += key != NULL;
		return;
	}
	json_key(&c->j, name);
	json_open(&c->j, '{');
	empty = c->j.b->n;
	put_fields(c, key);
	if (c->j.b->n > empty || c->j.b->bad) {
		json_close(&c->j, '}');
		return;
	}
	c->count.refused[c->key] += key != NULL;
	c->j.b->n = at;
	c->j.b->p[at] = 0;
	c->j.comma = before.comma;
}

/* ---- extra_keywords -------------------------------------------------------------- */

static struct view without_parentheses(struct view v)
{
	v = view_trim(v, " \t\r\n\"`");
	if (v.n > 2 && memcmp(v.p + v.n - 2, "()", 2) == 0)
		v.n -= 2;
	return v;
}

static struct view keyword_of(struct checker *c, const struct loose *v)
{
	return without_parentheses(v->kind == LOOSE_TEXT ? v->text
							 : text_of(c, v, "keyword"));
}

static void put_extra(struct checker *c, const struct sql_name *name, struct view usage)
{
	buf_clear(&c->text);
	for (size_t i = 0; i < name->text.n; i++) {
		char k = name->text.p[i];

		buf_add_char(&c->text, k >= 'a' && k <= 'z' ? (char)(k - 32) : k);
	}
	json_open(&c->j, '{');
	json_key(&c->j, "keyword");
	put_text(c);
	json_key(&c->j, "usage");
	put(c, usage.n ? usage : view_of(name->usage));
	json_close(&c->j, '}');
}

static const struct loose *entry_for(struct checker *c, const struct loose *list,
				     struct view name)
{
	for (const struct loose *v = list ? list->first : NULL; v; v = v->next)
		if (name_eq(keyword_of(c, v), name))
			return v;
	return NULL;
}

static void put_extras(struct checker *c)
{
	const struct loose *list =
		find_key(c->answer, memory_key_name(MEMORY_extra_keywords));

	c->key = MEMORY_extra_keywords;
	json_key(&c->j, memory_key_name(c->key));
	json_open(&c->j, '[');
	for (size_t i = 0; i < c->r.n_extras; i++) {
		const struct loose *v = entry_for(c, list, c->r.extras[i].text);

		c->count.added += !v;
		put_extra(c, &c->r.extras[i],
			  v ? text_of(c, v, "usage") : (struct view){ "", 0 });
	}
	json_close(&c->j, ']');
	for (const struct loose *v = list ? list->first : NULL; v; v = v->next) {
		int known = 0;

		for (size_t i = 0; i < c->r.n_extras; i++)
			known |= name_eq(keyword_of(c, v), c->r.extras[i].text);
		if (!known && !is_nothing(v))
			drop(c);
	}
}

static void count_unknown(struct checker *c)
{
	for (const struct loose *m = c->answer->first; m; m = m->next) {
		int known = !m->key.n;

		for (int k = 0; k < MEMORY_KEY_COUNT; k++)
			known |= name_is(m->key, memory_key_name((enum memory_key)k));
		for (size_t i = 0; i < COUNT(fields); i++)
			known |= name_is(m->key, fields[i].name);
		c->count.unknown += !known;
	}
}

/* ---- the whole ------------------------------------------------------------------- */

static int prepare(struct checker *c, struct view sql, struct err *e)
{
	int rc = sql_analyse(&c->a, c->s, sql, &c->r);

	if (rc)
		return err_set(e, rc, "no memory to check a memory");
	if (!c->r.selects)
		return err_set(e, ERR_VALUE, "the SQL holds no SELECT");
	find_aliases(c, sql);
	return 0;
}

static int check(struct checker *c, struct err *e)
{
	unsigned keys = memory_keys_of(&c->r);
	size_t empty;

	json_open(&c->j, '{');
	empty = c->j.b->n;
	for (int k = 0; k < MEMORY_extra_keywords; k++) {
		c->key = (enum memory_key)k;
		put_key(c, keys >> k & 1);
	}
	if (c->j.b->n == empty)
		return err_set(e, ERR_VALUE, "nothing of the answer stands");
	put_extras(c);
	json_close(&c->j, '}');
	count_unknown(c);
	if (c->j.b->bad || c->a.bad)
		return err_set(e, ERR_NOMEM, "no memory to check a memory");
	return 0;
}

int memory_check(const struct schema *s, struct view sql, const struct loose *answer,
		 struct buf *ret_json, struct memory_counts *ret, struct err *e)
{
	struct buf made = { 0 };
	struct checker c = { .s = s, .answer = answer, .j = { .b = &made } };
	int rc = prepare(&c, sql, e);

	if (!rc)
		rc = check(&c, e);
	if (!rc)
		buf_add(ret_json, made.p, made.n);
	*ret = c.count;
	buf_free(&made);
	buf_free(&c.text);
	arena_free(&c.a);
	return rc ? rc : ret_json->bad;
}

int memory_constructs(const struct schema *s, struct view sql, struct buf *ret)
{
	struct arena a = { 0 };
	struct sql_analysis r;
	int rc = sql_analyse(&a, s, sql, &r);

	for (size_t i = 0; !rc && i < r.n_extras; i++) {
		buf_add_str(ret, i ? ", " : "");
		for (size_t k = 0; k < r.extras[i].text.n; k++) {
			char x = r.extras[i].text.p[k];

			buf_add_char(ret, x >= 'a' && x <= 'z' ? (char)(x - 32) : x);
		}
	}
	arena_free(&a);
	return rc ? rc : ret->bad;
}
