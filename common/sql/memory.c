/* memory.c - the nine keys, one function each */
#include "common/sql/memory.h"

#include "common/base/arena.h"
#include "common/base/utf8.h"
#include "common/sql/analysis.h"
#include "common/sql/json_text.h"
#include "common/sql/words.h"

enum { VALUE_BYTES = 200, CONFUSABLE = 3 };

struct maker {
	struct arena a;
	const struct schema *s;
	struct sql_analysis r;
	struct words question, evidence;
	struct json_text j;
	struct buf text; /* scratch for one string */
};

const char *memory_key_name(enum memory_key key)
{
	static const char *const names[] = {
#define X(k) #k,
		MEMORY_KEYS(X)
#undef X
	};

	return key < MEMORY_KEY_COUNT ? names[key] : "?";
}

/* ---- pieces of text ---- */

static void add_column(struct maker *m, struct sql_column c)
{
	const struct schema_table *t = &m->s->tables[c.table];
	struct view name = c.column < 0 ? view_of("rowid") : t->columns[c.column].name;

	buf_add(&m->text, t->name.p, t->name.n);
	buf_add_char(&m->text, '.');
	buf_add(&m->text, name.p, name.n);
}

/* SQL with every run of space and every comment one blank. */
static void add_sql(struct maker *m, struct view v)
{
	struct lexer l = lex_of(v);
	struct token t;

	while (lex_next(&l, &t)) {
		if (t.kind != TOKEN_SPACE && t.kind != TOKEN_COMMENT)
			buf_add(&m->text, t.text.p, t.text.n);
		else if (m->text.n && m->text.p[m->text.n - 1] != ' ')
			buf_add_char(&m->text, ' ');
	}
}

/* The text from `at` to the names in `x`, each spelled table.column instead of by an
 * alias that means nothing outside its query. Returns how far it came. */
static const char *add_names(struct maker *m, const struct expr *x, const char *at)
{
	if (x->kind == EXPR_NAME && x->table >= 0 && !x->alias_of && x->text.p >= at) {
		add_sql(m, (struct view){ at, (size_t)(x->text.p - at) });
		add_column(m, (struct sql_column){ x->table, x->column });
		return x->text.p + x->text.n;
	}
	for (const struct expr *arg = x->args; arg; arg = arg->next)
		at = add_names(m, arg, at);
	return at;
}

/* `text` is x's own, or a part of it that begins with it. */
static void add_expr(struct maker *m, const struct expr *x, struct view text)
{
	const char *end = text.p + text.n, *at = add_names(m, x, text.p);

	if (at < end)
		add_sql(m, (struct view){ at, (size_t)(end - at) });
}

/* Writes the scratch text as a string, cut at a length no memory needs to pass. */
static void put_text(struct maker *m)
{
	if (m->text.n > VALUE_BYTES) {
		m->text.n = utf8_cut(buf_view(&m->text), VALUE_BYTES).n;
		buf_add_str(&m->text, "...");
	}
	json_str(&m->j, buf_view(&m->text));
	if (m->text.bad) /* which buf_clear() would forget */
		m->j.b->bad = m->text.bad;
	buf_clear(&m->text);
}

static void put_column(struct maker *m, struct sql_column c)
{
	add_column(m, c);
	put_text(m);
}

static void put_expr(struct maker *m, const struct expr *x)
{
	add_expr(m, x, x->text);
	put_text(m);
}

static void put_bool(struct maker *m, const char *key, int yes)
{
	json_key(&m->j, key);
	json_str(&m->j, view_of(yes ? "true" : "false"));
}

static void put_items(struct maker *m, const char *key, const struct sql_item *items,
		      size_t n, int ordered)
{
	if (n == 0)
		return;
	json_key(&m->j, key);
	json_open(&m->j, '[');
	for (size_t i = 0; i < n; i++) {
		add_expr(m, items[i].expr, items[i].text);
		if (ordered)
			buf_add_str(&m->text, items[i].desc ? " DESC" : " ASC");
		put_text(m);
	}
	json_close(&m->j, ']');
}

/* ---- which keys ---- */

static int has_joins(const struct sql_analysis *r)
{
	for (size_t i = 0; i < r->n_froms; i++)
		if (r->froms[i].type.n)
			return 1;
	return 0;
}

static int is_filter(const struct sql_condition *c)
{
	return (c->clause == SQL_WHERE || c->clause == SQL_FROM) &&
	       c->op != SQL_EXISTS && c->op != SQL_NOT_EXISTS;
}

static int has_filters(const struct sql_analysis *r)
{
	for (size_t i = 0; i < r->n_conditions; i++)
		if (is_filter(&r->conditions[i]))
			return 1;
	return 0;
}

static int has_aggregates(const struct sql_analysis *r)
{
	for (size_t i = 0; i < r->n_calls; i++)
		if (r->calls[i].aggregate)
			return 1;
	return 0;
}

unsigned memory_keys_of(const struct sql_analysis *r)
{
	unsigned keys = 1u << MEMORY_output_form | 1u << MEMORY_query_constraints |
			1u << MEMORY_extra_keywords;

	if (r->n_tables)
		keys |= 1u << MEMORY_schema_grounding;
	if (has_joins(r))
		keys |= 1u << MEMORY_join_path;
	if (has_filters(r))
		keys |= 1u << MEMORY_filter_semantics;
	if (r->has_group_by || r->has_having || has_aggregates(r))
		keys |= 1u << MEMORY_aggregation;
	if (r->has_order_by || r->has_limit)
		keys |= 1u << MEMORY_ordering_and_scope;
	if (r->has_case || r->has_iif || r->has_coalesce || r->has_ifnull ||
	    r->has_nullif)
		keys |= 1u << MEMORY_conditional_and_null;
	return keys;
}

/* ---- schema_grounding ---- */

/* 2 for a word of the column, 1 for one of its table, 0 for neither. */
static int weight(struct view stem, const struct words *column,
		  const struct words *table)
{
	return words_have(column, stem) ? 2 : words_have(table, stem) ? 1 : 0;
}

/* The run of words that speaks most of the column; n 0 if none names it. */
static struct view phrase_in(const struct words *text, const struct words *column,
			     const struct words *table)
{
	struct view best = { NULL, 0 };
	int best_score = 1;

	for (size_t i = 0; i < text->n; i++) {
		int score = 0, own = 0, w;

		for (size_t k = i; k < text->n && k < i + 8; k++) {
			struct view t = text->w[k].text;

			w = weight(text->w[k].stem, column, table);
			if (!w)
				break;
			score += w;
			own |= w == 2;
			if (!own || score <= best_score)
				continue;
			best_score = score;
			best.p = text->w[i].text.p;
			best.n = (size_t)(t.p + t.n - best.p);
		}
	}
	return best;
}

/* A name's own words, for what the question never names. */
static void add_words(struct maker *m, struct view name)
{
	struct words list = { 0 };

	if (words_of_name(&m->a, name, &list))
		m->text.bad = ERR_NOMEM;
	for (size_t i = 0; i < list.n; i++) {
		buf_add_str(&m->text, i ? " " : "");
		buf_add(&m->text, list.w[i].text.p, list.w[i].text.n);
	}
	if (list.n == 0)
		buf_add(&m->text, name.p, name.n);
}

static void put_phrase(struct maker *m, struct view column, struct view table)
{
	struct words own = { 0 }, around = { 0 };
	struct view phrase = { NULL, 0 };

	if (words_of_name(&m->a, column, &own) || words_of_name(&m->a, table, &around))
		m->text.bad = ERR_NOMEM;
	phrase = phrase_in(&m->question, &own, &around);
	if (!phrase.n)
		phrase = phrase_in(&m->evidence, &own, &around);
	json_key(&m->j, "phrase");
	if (phrase.n)
		buf_add(&m->text, phrase.p, phrase.n);
	else
		add_words(m, column);
	put_text(m);
}

/* Columns of the same name in other tables, which a reader may take instead; keys are
 * meant to be the same. */
static void put_confusable(struct maker *m, struct sql_column c)
{
	struct view name = m->s->tables[c.table].columns[c.column].name;
	int n = 0;

	if (name_is_id(name))
		return;
	for (size_t t = 0; t < m->s->n_tables && n < CONFUSABLE; t++) {
		int other =
			(int)t == c.table ? -1 : schema_find_column(m->s, (int)t, name);

		if (other < 0)
			continue;
		if (n++ == 0) {
			json_key(&m->j, "confusable");
			json_open(&m->j, '[');
		}
		put_column(m, (struct sql_column){ (int)t, other });
	}
	if (n)
		json_close(&m->j, ']');
}

static void put_mapping(struct maker *m, struct sql_column c)
{
	const struct schema_table *t = &m->s->tables[c.table];

	if (c.column < 0)
		return;
	json_open(&m->j, '{');
	put_phrase(m, t->columns[c.column].name, t->name);
	json_key(&m->j, "column");
	put_column(m, c);
	put_confusable(m, c);
	json_close(&m->j, '}');
}

/* COUNT(*) and the like read a table but no column of it. */
static void put_bare_table(struct maker *m, int table)
{
	struct view name = m->s->tables[table].name;

	for (size_t i = 0; i < m->r.n_columns; i++)
		if (m->r.columns[i].table == table)
			return;
	json_open(&m->j, '{');
	put_phrase(m, name, view_of(""));
	json_key(&m->j, "table");
	json_str(&m->j, name);
	json_close(&m->j, '}');
}

static void schema_grounding(struct maker *m)
{
	json_key(&m->j, "mappings");
	json_open(&m->j, '[');
	for (size_t i = 0; i < m->r.n_columns; i++)
		put_mapping(m, m->r.columns[i]);
	for (size_t i = 0; i < m->r.n_tables; i++)
		put_bare_table(m, m->r.tables[i]);
	json_close(&m->j, ']');
}

/* ---- join_path ---- */

static void put_path(struct maker *m, const struct sql_join *j)
{
	struct view a = m->s->tables[j->a.table].name,
		    b = m->s->tables[j->b.table].name;

	buf_add(&m->text, a.p, a.n);
	buf_add_str(&m->text, " via ");
	add_column(m, j->a);
	buf_add_str(&m->text, " = ");
	add_column(m, j->b);
	buf_add_str(&m->text, " to ");
	buf_add(&m->text, b.p, b.n);
	put_text(m);
}

static void put_join_type(struct maker *m, struct view type)
{
	if (view_eq(type, view_of(",")))
		type = view_of("CROSS JOIN");
	add_sql(m, type);
	for (size_t i = 0; i < m->text.n; i++)
		if (m->text.p[i] >= 'a' && m->text.p[i] <= 'z')
			m->text.p[i] -= 32;
	put_text(m);
}

static int seen_type(const struct sql_analysis *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (name_eq(r->froms[k].type, r->froms[i].type))
			return 1;
	return r->froms[i].type.n == 0;
}

static void join_path(struct maker *m)
{
	json_key(&m->j, "paths");
	json_open(&m->j, '[');
	for (size_t i = 0; i < m->r.n_joins; i++)
		if (m->r.joins[i].kind != SQL_JOIN_IN)
			put_path(m, &m->r.joins[i]);
	json_close(&m->j, ']');
	json_key(&m->j, "join_types");
	json_open(&m->j, '[');
	for (size_t i = 0; i < m->r.n_froms; i++)
		if (!seen_type(&m->r, i))
			put_join_type(m, m->r.froms[i].type);
	json_close(&m->j, ']');
}

/* ---- filter_semantics ---- */

static void add_left(struct maker *m, const struct sql_condition *c)
{
	if (c->column.table >= 0)
		add_column(m, c->column);
	else
		add_expr(m, c->left_expr, c->left);
}

/* A subquery's own conditions are listed too, so its column says enough. */
static void add_selected(struct maker *m, struct sql_column c)
{
	buf_add_str(&m->text, "SELECT ");
	add_column(m, c);
}

static void add_value(struct maker *m, const struct sql_condition *c)
{
	if (c->kind == SQL_STRING)
		buf_add(&m->text, c->value.p, c->value.n);
	else if (c->selected.table >= 0)
		add_selected(m, c->selected);
	else if (c->value_expr)
		add_expr(m, c->value_expr, c->value);
	else
		add_sql(m, c->value);
}

static int same_list(const struct sql_condition *a, const struct sql_condition *b)
{
	return (a->op == SQL_IN || a->op == SQL_NOT_IN) && a->kind != SQL_SELECT &&
	       b->op == a->op && b->left.p == a->left.p && b->kind != SQL_SELECT;
}

/* One condition; an IN list takes all its entries. Returns how many it took. */
static size_t put_condition(struct maker *m, size_t i)
{
	const struct sql_condition *c = &m->r.conditions[i];
	size_t n = 1;

	json_open(&m->j, '{');
	json_key(&m->j, "column");
	add_left(m, c);
	put_text(m);
	json_key(&m->j, "operator");
	json_str(&m->j, view_of(sql_op_text(c->op)));
	if (c->kind != SQL_NONE) {
		json_key(&m->j, "value");
		add_value(m, c);
		while (i + n < m->r.n_conditions &&
		       same_list(c, &m->r.conditions[i + n])) {
			buf_add_str(&m->text, ", ");
			add_value(m, &m->r.conditions[i + n++]);
		}
		put_text(m);
	}
	json_close(&m->j, '}');
	return n;
}

static void filter_semantics(struct maker *m)
{
	json_key(&m->j, "conditions");
	json_open(&m->j, '[');
	for (size_t i = 0; i < m->r.n_conditions;)
		i += is_filter(&m->r.conditions[i]) ? put_condition(m, i) : 1;
	json_close(&m->j, ']');
}

/* ---- aggregation ---- */

static void put_functions(struct maker *m, const char *key, int distinct_only)
{
	int n = 0;

	for (size_t i = 0; i < m->r.n_calls; i++) {
		const struct sql_call *c = &m->r.calls[i];

		if (!c->aggregate || (distinct_only && !c->distinct))
			continue;
		if (n++ == 0) {
			json_key(&m->j, key);
			json_open(&m->j, '[');
		}
		add_expr(m, c->expr, c->text);
		put_text(m);
	}
	if (n)
		json_close(&m->j, ']');
}

static void aggregation(struct maker *m)
{
	put_items(m, "group_by_columns", m->r.group_by, m->r.n_group_by, 0);
	put_items(m, "subquery_group_by_columns", m->r.inner_group_by,
		  m->r.n_inner_group_by, 0);
	put_functions(m, "aggregate_functions", 0);
	if (m->r.having) {
		json_key(&m->j, "having_condition");
		put_expr(m, m->r.having);
	}
	put_items(m, "subquery_having_conditions", m->r.inner_havings,
		  m->r.n_inner_havings, 0);
	put_functions(m, "distinct_within_aggregate", 1);
}

/* ---- ordering_and_scope ---- */

static void ordering_and_scope(struct maker *m)
{
	put_items(m, "order_by", m->r.order_by, m->r.n_order_by, 1);
	if (m->r.limit) {
		json_key(&m->j, "limit");
		put_expr(m, m->r.limit);
	}
	if (m->r.offset) {
		json_key(&m->j, "offset");
		put_expr(m, m->r.offset);
	}
	put_items(m, "subquery_order_by", m->r.inner_order_by, m->r.n_inner_order_by,
		  1);
	put_items(m, "subquery_limit", m->r.inner_limits, m->r.n_inner_limits, 0);
}

/* ---- conditional_and_null ---- */

static int is_conditional(struct view name)
{
	return name_is(name, "iif") || name_is(name, "coalesce") ||
	       name_is(name, "ifnull") || name_is(name, "nullif");
}

static void conditional_and_null(struct maker *m)
{
	const struct {
		const char *name;
		int has;
	} all[] = { { "CASE", m->r.has_case },
		    { "IIF", m->r.has_iif },
		    { "COALESCE", m->r.has_coalesce },
		    { "IFNULL", m->r.has_ifnull },
		    { "NULLIF", m->r.has_nullif } };

	json_key(&m->j, "construct");
	json_open(&m->j, '[');
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].has)
			json_str(&m->j, view_of(all[i].name));
	json_close(&m->j, ']');
	json_key(&m->j, "expressions");
	json_open(&m->j, '[');
	for (size_t i = 0; i < m->r.n_cases; i++)
		put_expr(m, m->r.cases[i].expr);
	for (size_t i = 0; i < m->r.n_calls; i++)
		if (is_conditional(m->r.calls[i].name)) {
			add_expr(m, m->r.calls[i].expr, m->r.calls[i].text);
			put_text(m);
		}
	json_close(&m->j, ']');
}

/* ---- output_form ---- */

const char *memory_result_shape(const struct sql_analysis *r)
{
	int one = r->limit && view_eq(r->limit->text, view_of("1"));
	int all = r->n_outputs > 0;

	for (size_t i = 0; i < r->n_outputs; i++)
		all &= r->outputs[i].aggregate;
	if (!one && (!all || r->n_group_by || r->set_operations))
		return "multiple_rows";
	if (r->n_outputs == 1 && r->outputs[0].expr->kind != EXPR_STAR)
		return "single_value";
	return "single_row";
}

static int holds(struct view v, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= v.n; i++)
		if (name_is((struct view){ v.p + i, n }, word))
			return 1;
	return 0;
}

static const char *column_format(struct maker *m, struct sql_column c)
{
	const struct schema_column *column;

	if (c.column < 0)
		return "id";
	column = &m->s->tables[c.table].columns[c.column];
	if (name_is_id(column->name))
		return "id";
	if (holds(column->name, "year"))
		return "year";
	if (holds(column->type, "bool") || holds(column->type, "bit"))
		return "boolean";
	if (holds(column->name, "percent") || holds(column->name, "pct"))
		return "percentage";
	if (holds(column->type, "int") || holds(column->type, "real") ||
	    holds(column->type, "num") || holds(column->type, "floa") ||
	    holds(column->type, "doub") || holds(column->type, "dec"))
		return "number";
	return "text";
}

static const char *call_format(struct maker *m, const struct expr *x)
{
	if (name_is(x->name, "strftime"))
		return holds(x->args_text, "'%Y'") ? "year" : "text";
	if ((name_is(x->name, "min") || name_is(x->name, "max")) && x->args &&
	    x->args->table >= 0)
		return column_format(
			m, (struct sql_column){ x->args->table, x->args->column });
	if (name_is(x->name, "count") || name_is(x->name, "sum") ||
	    name_is(x->name, "avg") || name_is(x->name, "total") ||
	    name_is(x->name, "round") || name_is(x->name, "abs") ||
	    name_is(x->name, "length"))
		return holds(x->text, "* 100") || holds(x->text, "100 *") ||
				       holds(x->text, "*100")
			       ? "percentage"
			       : "number";
	return "custom";
}

static const char *expr_format(struct maker *m, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_NAME:
		if (x->table < 0)
			return "custom";
		return column_format(m, (struct sql_column){ x->table, x->column });
	case EXPR_CALL: return call_format(m, x);
	case EXPR_NUMBER: return "number";
	case EXPR_STRING: return "text";
	case EXPR_BINARY:
	case EXPR_EXISTS:
	case EXPR_IN:
	case EXPR_LIKE:
	case EXPR_BETWEEN:
	case EXPR_NULL_TEST:
	case EXPR_NOT: return "boolean";
	case EXPR_CHAIN:
		if (view_eq(x->op, view_of("||")))
			return "text";
		if (name_is(x->op, "and") || name_is(x->op, "or"))
			return "boolean";
		return holds(x->text, "100") ? "percentage" : "number";
	default: return "custom";
	}
}

/* What all outputs are, or custom. */
static const char *format_of(struct maker *m)
{
	const char *format = NULL;

	for (size_t i = 0; i < m->r.n_outputs; i++) {
		const char *f = expr_format(m, m->r.outputs[i].expr);

		if (format && strcmp(format, f) != 0)
			return "custom";
		format = f;
	}
	return format ? format : "custom";
}

static void output_form(struct maker *m)
{
	json_key(&m->j, "result_shape");
	json_str(&m->j, view_of(memory_result_shape(&m->r)));
	put_items(m, "return_columns", m->r.outputs, m->r.n_outputs, 0);
	put_bool(m, "distinct", m->r.distinct);
	json_key(&m->j, "format");
	json_str(&m->j, view_of(format_of(m)));
}

/* ---- query_constraints ---- */

static void query_constraints(struct maker *m)
{
	int column_aggregated = 0, plain = 1;

	for (size_t i = 0; i < m->r.n_calls; i++)
		column_aggregated |=
			m->r.calls[i].aggregate && m->r.calls[i].column.table >= 0;
	for (size_t i = 0; i < m->r.n_outputs; i++)
		plain &= m->r.outputs[i].column.table >= 0;
	put_bool(m, "avoid_unnecessary_distinct", !m->r.has_distinct);
	put_bool(m, "avoid_extra_join", !has_joins(&m->r));
	put_bool(m, "avoid_wrong_aggregation_column", column_aggregated);
	put_bool(m, "avoid_extra_filter", !has_filters(&m->r));
	put_bool(m, "prefer_schema_defined_columns", plain);
}

/* ---- extra_keywords, and the whole ---- */

static void put_extras(struct maker *m)
{
	json_open(&m->j, '[');
	for (size_t i = 0; i < m->r.n_extras; i++) {
		json_open(&m->j, '{');
		json_key(&m->j, "keyword");
		buf_add(&m->text, m->r.extras[i].text.p, m->r.extras[i].text.n);
		for (size_t k = 0; k < m->text.n; k++)
			if (m->text.p[k] >= 'a' && m->text.p[k] <= 'z')
				m->text.p[k] -= 32;
		put_text(m);
		json_key(&m->j, "usage");
		json_str(&m->j, view_of(m->r.extras[i].usage));
		json_close(&m->j, '}');
	}
	json_close(&m->j, ']');
}

static void put_memory(struct maker *m)
{
	static void (*const makers[])(struct maker *) = {
		schema_grounding, join_path,          filter_semantics,
		aggregation,      ordering_and_scope, conditional_and_null,
		output_form,      query_constraints,
	};
	unsigned keys = memory_keys_of(&m->r);

	json_open(&m->j, '{');
	for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
		if (!(keys & 1u << k))
			continue;
		json_key(&m->j, memory_key_name((enum memory_key)k));
		json_open(&m->j, '{');
		makers[k](m);
		json_close(&m->j, '}');
	}
	json_key(&m->j, memory_key_name(MEMORY_extra_keywords));
	put_extras(m);
	json_close(&m->j, '}');
}

static int prepare(struct maker *m, struct view question, struct view evidence,
		   struct view sql, struct err *e)
{
	int rc = sql_analyse(&m->a, m->s, sql, &m->r);

	if (!rc && m->r.selects == 0)
		return err_set(e, ERR_VALUE, "gold SQL holds no SELECT: %.*s",
			       (int)(sql.n < 80 ? sql.n : 80), sql.p ? sql.p : "");
	if (!rc)
		rc = words_of_text(&m->a, question, &m->question);
	if (!rc)
		rc = words_of_text(&m->a, evidence, &m->evidence);
	return rc ? err_set(e, rc, "no memory to derive a memory") : 0;
}

int memory_derive(const struct schema *s, struct view question, struct view evidence,
		  struct view sql, struct buf *ret_json, struct err *e)
{
	struct buf made = { .max = ret_json->max };
	struct maker m = { .s = s, .j = { .b = &made } };
	int rc = prepare(&m, question, evidence, sql, e);

	if (!rc) {
		put_memory(&m);
		rc = made.bad ? made.bad : m.text.bad;
		if (rc)
			err_set(e, rc, "no memory to derive a memory");
	}
	if (!rc) {
		buf_add(ret_json, made.p, made.n);
		rc = ret_json->bad;
	}
	buf_free(&made);
	buf_free(&m.text);
	arena_free(&m.a);
	return rc;
}
