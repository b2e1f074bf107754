/* analysis.c - resolve the tree, then walk it once and note the facts */
#include "common/sql/analysis.h"

#include "common/base/err.h"
#include "common/sql/lex.h"

const char *sql_op_text(enum sql_op op)
{
	static const char *const texts[] = {
#define X(name, text) text,
		SQL_OP_LIST(X)
#undef X
	};

	return op < SQL_OPS ? texts[op] : "?";
}

struct walk {
	struct arena *a;
	const struct schema *schema;
	struct sql_analysis *r;
	size_t cap_tables, cap_joins, cap_conditions, cap_calls, cap_froms, cap_extras;
	size_t cap_inner_group_by, cap_inner_order_by, cap_inner_limits,
		cap_inner_havings;
	size_t cap_cases;
	const struct select *outermost;
	int depth, nomem, cut;
	enum sql_clause clause;
	char *used; /* a byte per table */
};

static void walk_select(struct walk *w, const struct select *s);
static void walk_expr(struct walk *w, const struct expr *x, int negated);

/* Room for one more in a list of at most SQL_LIST, or NULL. */
static void *room(struct walk *w, void *p, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;
	void *q;

	if (n >= SQL_LIST) {
		w->cut = 1;
		return NULL;
	}
	if (n < *cap)
		return p;
	q = arena_alloc(w->a, want, size);
	if (!q) {
		w->nomem = 1;
		return NULL;
	}
	if (n)
		memcpy(q, p, n * size);
	*cap = want;
	return q;
}

#define ADD(w, list, item) \
	do { \
		void *p_ = room(w, (w)->r->list, (w)->r->n_##list, &(w)->cap_##list, \
				sizeof *(w)->r->list); \
		if (p_) { \
			(w)->r->list = p_; \
			(w)->r->list[(w)->r->n_##list++] = (item); \
		} \
	} while (0)

static const struct expr *bare(const struct expr *x)
{
	while (x && x->kind == EXPR_COLLATE)
		x = x->args;
	return x;
}

static int is_column(const struct expr *x)
{
	return x->kind == EXPR_NAME && x->table >= 0;
}

static struct sql_column column_of(const struct expr *x)
{
	x = bare(x);
	if (!x || !is_column(x))
		return (struct sql_column){ -1, -1 };
	return (struct sql_column){ x->table, x->column };
}

static int same_column(struct sql_column a, struct sql_column b)
{
	return a.table == b.table && a.column == b.column;
}

static void add_join(struct walk *w, struct sql_join j)
{
	if (j.a.table < 0 || j.b.table < 0)
		return;
	for (size_t i = 0; i < w->r->n_joins; i++) {
		const struct sql_join *k = &w->r->joins[i];

		if (k->kind == j.kind &&
		    ((same_column(k->a, j.a) && same_column(k->b, j.b)) ||
		     (same_column(k->a, j.b) && same_column(k->b, j.a))))
			return;
	}
	ADD(w, joins, j);
}

static enum sql_value value_kind(const struct expr *x)
{
	if (x->kind == EXPR_STRING || x->literal)
		return SQL_STRING;
	if (x->kind == EXPR_NUMBER ||
	    (x->kind == EXPR_UNARY && x->args && x->args->kind == EXPR_NUMBER))
		return SQL_NUMBER;
	if (is_column(x))
		return SQL_COLUMN;
	return x->kind == EXPR_SELECT ? SQL_SELECT : SQL_OTHER;
}

static struct view value_text(const struct expr *x)
{
	return value_kind(x) == SQL_STRING ? x->name : x->text;
}

static void add_condition(struct walk *w, const struct expr *left, enum sql_op op,
			  const struct expr *value)
{
	struct sql_condition c = { .column = column_of(left),
				   .op = op,
				   .kind = SQL_NONE,
				   .low_kind = SQL_NONE,
				   .left = left->text,
				   .value = { "", 0 },
				   .clause = w->clause,
				   .selected = { -1, -1 },
				   .left_expr = left,
				   .value_expr = value };

	if (value) {
		c.kind = value_kind(value);
		c.value = value_text(value);
	}
	ADD(w, conditions, c);
}

static enum sql_op op_of(struct view v)
{
	static const struct {
		char text[3];
		enum sql_op op;
	} ops[] = { { "=", SQL_EQ },  { "==", SQL_EQ }, { "!=", SQL_NE },
		    { "<>", SQL_NE }, { ">", SQL_GT },  { ">=", SQL_GE },
		    { "<", SQL_LT },  { "<=", SQL_LE } };

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (view_eq(v, view_of(ops[i].text)))
			return ops[i].op;
	return SQL_IS;
}

static enum sql_op turned(enum sql_op op)
{
	switch (op) {
	case SQL_GT: return SQL_LT;
	case SQL_GE: return SQL_LE;
	case SQL_LT: return SQL_GT;
	case SQL_LE: return SQL_GE;
	default: return op;
	}
}

static enum sql_op opposite(enum sql_op op)
{
	switch (op) {
	case SQL_GT: return SQL_LE;
	case SQL_GE: return SQL_LT;
	case SQL_LT: return SQL_GE;
	case SQL_LE: return SQL_GT;
	case SQL_EQ: return SQL_NE;
	case SQL_NE: return SQL_EQ;
	case SQL_IS: return SQL_IS_NOT;
	case SQL_IS_NOT: return SQL_IS;
	default: return op;
	}
}

/* The construct as written; what NOT makes of it counts in conditions only. */
static void note_compare(struct walk *w, enum sql_op op)
{
	if (op < SQL_COMPARES)
		w->r->compares |= 1u << op;
}

static void walk_comparison(struct walk *w, const struct expr *x, int negated)
{
	const struct expr *l = bare(x->args), *r = l ? bare(x->args->next) : NULL;
	enum sql_op op = op_of(x->op);

	if (op == SQL_IS && x->negated)
		op = SQL_IS_NOT;
	note_compare(w, op);
	if (!r)
		return;
	if (negated)
		op = opposite(op);
	if (is_column(l) && is_column(r) && op == SQL_EQ && l->source != r->source)
		add_join(w,
			 (struct sql_join){ column_of(l), column_of(r), SQL_JOIN_EQ });
	else if (is_column(r) && !is_column(l))
		add_condition(w, r, turned(op), l);
	else
		add_condition(w, l, op, r);
}

/* The column a one-column subquery gives. */
static struct sql_column column_selected(const struct select *s)
{
	const struct core *c = s ? s->cores : NULL;

	if (!c || !c->results || c->results->next || !c->results->expr)
		return (struct sql_column){ -1, -1 };
	return column_of(c->results->expr);
}

static void walk_in(struct walk *w, const struct expr *x, int negated)
{
	enum sql_op op = x->negated ^ negated ? SQL_NOT_IN : SQL_IN;

	if (!x->args)
		return;
	for (const struct expr *v = x->args->next; v; v = v->next)
		add_condition(w, x->args, op, bare(v));
	if (!x->select)
		return;
	add_join(w, (struct sql_join){ column_of(x->args), column_selected(x->select),
				       SQL_JOIN_IN });
	add_condition(w, x->args, op, NULL);
	if (w->r->n_conditions && !w->cut) {
		struct sql_condition *c = &w->r->conditions[w->r->n_conditions - 1];

		c->kind = SQL_SELECT;
		c->selected = column_selected(x->select);
		c->value = (struct view){ x->op.p + x->op.n,
					  (size_t)(x->text.p + x->text.n - x->op.p) -
						  x->op.n };
	}
}

static void walk_pattern(struct walk *w, const struct expr *x, int negated)
{
	int glob = !name_is(x->op, "like");

	if (!glob)
		note_compare(w, SQL_LIKE);
	if (!x->args || !x->args->next)
		return;
	add_condition(w, x->args,
		      glob                   ? SQL_GLOB
		      : x->negated ^ negated ? SQL_NOT_LIKE
					     : SQL_LIKE,
		      bare(x->args->next));
}

static void walk_between(struct walk *w, const struct expr *x, int negated)
{
	const struct expr *low = x->args ? x->args->next : NULL;

	note_compare(w, SQL_BETWEEN);
	if (!low || !low->next)
		return;
	add_condition(w, x->args, x->negated ^ negated ? SQL_NOT_BETWEEN : SQL_BETWEEN,
		      low);
	if (w->r->n_conditions && !w->cut) {
		struct sql_condition *c = &w->r->conditions[w->r->n_conditions - 1];
		const char *end = low->next->text.p + low->next->text.n;

		c->kind = SQL_OTHER;
		c->low_kind = value_kind(bare(low));
		c->low = value_text(bare(low));
		c->value_expr = NULL;
		c->value = (struct view){ low->text.p, (size_t)(end - low->text.p) };
	}
}

static void walk_null_test(struct walk *w, const struct expr *x, int negated)
{
	note_compare(w, x->negated ? SQL_IS_NOT_NULL : SQL_IS_NULL);
	if (x->args)
		add_condition(w, x->args,
			      x->negated ^ negated ? SQL_IS_NOT_NULL : SQL_IS_NULL,
			      NULL);
}

static int is_aggregate(const struct expr *x)
{
	int one = x->star || (x->args && x->args == x->last);

	if (x->kind != EXPR_CALL || x->over)
		return 0;
	if (name_is(x->name, "min") || name_is(x->name, "max"))
		return one;
	return name_is(x->name, "count") || name_is(x->name, "sum") ||
	       name_is(x->name, "avg") || name_is(x->name, "total") ||
	       name_is(x->name, "group_concat");
}

static int holds_aggregate(const struct expr *x, int depth)
{
	if (x->alias_of && depth > 0)
		return holds_aggregate(x->alias_of, depth - 1);
	if (is_aggregate(x))
		return 1;
	for (const struct expr *arg = x->args; arg && depth > 0; arg = arg->next)
		if (holds_aggregate(arg, depth - 1))
			return 1;
	return 0;
}

static struct sql_item item_of(const struct expr *x)
{
	return (struct sql_item){ .text = x->text,
				  .column = column_of(x),
				  .aggregate = holds_aggregate(x, 64),
				  .expr = x };
}

static void walk_call(struct walk *w, const struct expr *x)
{
	struct sql_call c = { .name = x->name,
			      .text = x->op,
			      .args = x->args_text,
			      .column = column_of(x->args),
			      .aggregate = is_aggregate(x),
			      .distinct = x->distinct,
			      .expr = x,
			      .window = x->over };
	struct sql_analysis *r = w->r;

	r->has_iif |= name_is(x->name, "iif") || name_is(x->name, "if");
	r->has_coalesce |= name_is(x->name, "coalesce");
	r->has_ifnull |= name_is(x->name, "ifnull");
	r->has_nullif |= name_is(x->name, "nullif");
	ADD(w, calls, c);
}

/* `negated`: directly under a NOT. */
static void walk_expr(struct walk *w, const struct expr *x, int negated)
{
	int inner = 0;

	if (++w->depth > SCOPE_DEPTH || w->nomem)
		w->cut = 1;
	if (w->cut) {
		w->depth--;
		return;
	}
	switch (x->kind) {
	case EXPR_BINARY: walk_comparison(w, x, negated); break;
	case EXPR_IN: walk_in(w, x, negated); break;
	case EXPR_LIKE: walk_pattern(w, x, negated); break;
	case EXPR_BETWEEN: walk_between(w, x, negated); break;
	case EXPR_NULL_TEST: walk_null_test(w, x, negated); break;
	case EXPR_EXISTS:
		add_condition(w, x, x->negated ^ negated ? SQL_NOT_EXISTS : SQL_EXISTS,
			      NULL);
		break;
	case EXPR_CALL: walk_call(w, x); break;
	case EXPR_CASE:
		w->r->has_case = 1;
		ADD(w, cases, item_of(x));
		break;
	case EXPR_CHAIN:
		if (name_is(x->op, "or"))
			note_compare(w, SQL_OR);
		break;
	case EXPR_NOT: inner = !negated; break;
	default: break;
	}
	for (const struct expr *arg = x->args; arg; arg = arg->next)
		walk_expr(w, arg, inner);
	if (x->select)
		walk_select(w, x->select);
	w->depth--;
}

static void walk_terms(struct walk *w, const struct term *t)
{
	for (; t; t = t->next)
		if (t->expr)
			walk_expr(w, t->expr, 0);
}

static void add_table(struct walk *w, int table)
{
	if (table < 0 || w->used[table])
		return;
	w->used[table] = 1;
	ADD(w, tables, table);
}

/* USING and NATURAL pair the columns of two tables that stand side by side; through
 * subqueries they are left out. */
static void add_using(struct walk *w, int left, int right, struct view name)
{
	int a = schema_find_column(w->schema, left, name);
	int b = schema_find_column(w->schema, right, name);

	if (a >= 0 && b >= 0)
		add_join(w, (struct sql_join){
				    { left, a }, { right, b }, SQL_JOIN_USING });
}

static void walk_from(struct walk *w, const struct from *f)
{
	int left = -1;

	for (; f; f = f->next) {
		struct sql_from item = { f->join, f->table };

		ADD(w, froms, item);
		add_table(w, f->table);
		if (f->select)
			walk_select(w, f->select);
		if (f->group)
			walk_from(w, f->group);
		for (const struct term *t = f->using; t; t = t->next)
			if (left >= 0 && f->table >= 0)
				add_using(w, left, f->table, t->alias);
		if (f->natural && left >= 0 && f->table >= 0)
			for (size_t i = 0; i < w->schema->tables[f->table].n; i++)
				add_using(w, left, f->table,
					  w->schema->tables[f->table].columns[i].name);
		if (f->on)
			walk_expr(w, f->on, 0);
		if (f->table >= 0)
			left = f->table;
	}
}

static void inner_core(struct walk *w, const struct core *c)
{
	for (const struct term *t = c->group_by; t; t = t->next)
		if (t->expr)
			ADD(w, inner_group_by, item_of(t->expr));
	if (c->having)
		ADD(w, inner_havings, item_of(c->having));
}

static void inner_select(struct walk *w, const struct select *s)
{
	for (const struct term *t = s->order_by; t; t = t->next) {
		struct sql_item item;

		if (!t->expr)
			continue;
		item = item_of(t->expr);
		item.desc = t->desc;
		ADD(w, inner_order_by, item);
	}
	if (s->limit)
		ADD(w, inner_limits, item_of(s->limit));
}

static void walk_core(struct walk *w, const struct core *c)
{
	struct sql_analysis *r = w->r;
	enum sql_clause outer = w->clause;

	if (c != w->outermost->cores)
		inner_core(w, c);
	r->selects++;
	r->set_operations += c->op.n > 0;
	r->has_distinct |= c->distinct;
	r->has_where |= c->where != NULL;
	r->has_group_by |= c->group_by != NULL;
	r->has_having |= c->having != NULL;
	w->clause = SQL_RESULT;
	walk_terms(w, c->results);
	w->clause = SQL_FROM;
	walk_from(w, c->from);
	w->clause = SQL_WHERE;
	if (c->where)
		walk_expr(w, c->where, 0);
	w->clause = SQL_BY;
	walk_terms(w, c->group_by);
	w->clause = SQL_HAVING;
	if (c->having)
		walk_expr(w, c->having, 0);
	w->clause = SQL_BY;
	walk_terms(w, c->windows);
	w->clause = outer;
}

static void walk_select(struct walk *w, const struct select *s)
{
	if (++w->depth > SCOPE_DEPTH || w->nomem)
		w->cut = 1;
	for (const struct cte *c = s->with; c && !w->cut; c = c->next)
		if (c->select && c->state != CTE_UNTOUCHED)
			walk_select(w, c->select);
	for (const struct core *c = s->cores; c && !w->cut; c = c->next)
		walk_core(w, c);
	if (s != w->outermost)
		inner_select(w, s);
	w->r->has_order_by |= s->order_by != NULL;
	w->r->has_limit |= s->limit != NULL;
	if (!w->cut) {
		enum sql_clause outer = w->clause;

		w->clause = SQL_BY;
		walk_terms(w, s->order_by);
		if (s->limit)
			walk_expr(w, s->limit, 0);
		if (s->offset)
			walk_expr(w, s->offset, 0);
		w->clause = outer;
	}
	w->depth--;
}

static struct sql_item *items_of(struct walk *w, const struct term *list, size_t *ret_n)
{
	struct sql_item *items;
	size_t n = 0;

	for (const struct term *t = list; t; t = t->next)
		n += t->expr != NULL;
	if (n > SQL_LIST) {
		w->cut = 1;
		n = SQL_LIST;
	}
	items = arena_alloc(w->a, n + 1, sizeof *items);
	if (!items) {
		w->nomem = 1;
		return NULL;
	}
	*ret_n = 0;
	for (const struct term *t = list; t && *ret_n < n; t = t->next) {
		if (!t->expr)
			continue;
		items[*ret_n] = item_of(t->expr);
		items[*ret_n].alias = t->alias;
		items[(*ret_n)++].desc = t->desc;
	}
	return items;
}

static void outermost(struct walk *w, const struct select *s)
{
	struct sql_analysis *r = w->r;
	const struct core *c = s->cores;

	if (c) {
		r->outputs = items_of(w, c->results, &r->n_outputs);
		r->group_by = items_of(w, c->group_by, &r->n_group_by);
		r->distinct = c->distinct;
		r->having = c->having;
	}
	r->order_by = items_of(w, s->order_by, &r->n_order_by);
	r->limit = s->limit;
	r->offset = s->offset;
}

static void pick_literals(struct walk *w)
{
	struct sql_analysis *r = w->r;

	r->literals = arena_alloc(w->a, r->n_conditions + 1, sizeof *r->literals);
	if (!r->literals) {
		w->nomem = 1;
		return;
	}
	for (size_t i = 0; i < r->n_conditions; i++) {
		const struct sql_condition *c = &r->conditions[i];

		if (c->kind == SQL_STRING && c->column.table >= 0 &&
		    (c->op == SQL_EQ || c->op == SQL_NE || c->op == SQL_IN ||
		     c->op == SQL_NOT_IN))
			r->literals[r->n_literals++] = *c;
	}
}

static void add_extra(struct walk *w, struct view shown, const char *usage)
{
	struct sql_name item = { shown, usage };

	for (size_t i = 0; i < w->r->n_extras; i++)
		if (name_eq(w->r->extras[i].text, shown))
			return;
	ADD(w, extras, item);
}

static const char *function_usage(struct view name)
{
#define F(word, usage) \
	if (name_is(name, word)) \
		return usage;
#include "common/sql/extras.def"
#undef F
	return "a function";
}

/* Constructs that other keys cover, or that are no function before a parenthesis. */
static int is_covered(struct view name)
{
	static const char *const words[] = {
		"count",     "sum",          "avg",    "min",       "max",    "iif",
		"coalesce",  "ifnull",       "nullif", "in",        "from",   "join",
		"where",     "and",          "or",     "not",       "on",     "by",
		"select",    "as",           "when",   "then",      "else",   "case",
		"between",   "like",         "having", "limit",     "offset", "is",
		"all",       "distinct",     "over",   "values",    "using",  "exists",
		"cast",      "union",        "except", "intersect", "filter", "with",
		"recursive", "materialized", "if",     NULL
	};

	for (const char *const *w = words; *w; w++)
		if (name_is(name, *w))
			return 1;
	return 0;
}

/* 1: `t`, perhaps with what comes behind, is a keyword of extras.def. */
static int keyword_extra(struct walk *w, const struct token *t,
			 const struct token *next)
{
#define X(word, second, shown, usage) \
	if (token_is(t, word) && (!*second || name_is(next->text, second))) { \
		add_extra(w, view_of(shown), usage); \
		return 1; \
	}
#include "common/sql/extras.def"
#undef X
	return 0;
}

static int is_cte(const struct select *s, struct view name)
{
	for (const struct cte *c = s ? s->with : NULL; c; c = c->next)
		if (name_eq(c->name, name))
			return 1;
	return 0;
}

/* The constructs of extras.def: over the tokens, outside quotes. */
static void scan_extras(struct walk *w, struct view sql, const struct select *s)
{
	struct lexer l = lex_of(sql);
	struct token t, next, before = { TOKEN_END, { "", 0 } };

	lex_solid(&l, &t);
	while (t.kind != TOKEN_END && !w->cut && !w->nomem) {
		int qualified = token_op(&before, ".");

		lex_solid(&l, &next);
		qualified |= token_op(&next, ".");
		if (token_op(&t, "||"))
			add_extra(w, view_of("||"), "joins texts");
		else if (t.kind == TOKEN_WORD && !qualified &&
			 !keyword_extra(w, &t, &next) && token_op(&next, "(") &&
			 !is_covered(t.text) && !is_cte(s, t.text) &&
			 schema_find_table(w->schema, t.text) < 0)
			add_extra(w, t.text, function_usage(t.text));
		before = t;
		t = next;
	}
}

static void facts_of(struct walk *w, struct view sql, const struct select *s)
{
	w->used = arena_alloc(w->a, w->schema->n_tables + 1, 1);
	if (!w->used) {
		w->nomem = 1;
		return;
	}
	w->outermost = s;
	walk_select(w, s);
	outermost(w, s);
	pick_literals(w);
	scan_extras(w, sql, s);
}

int sql_analyse(struct arena *a, const struct schema *s, struct view sql,
		struct sql_analysis *ret)
{
	struct sql_analysis r = { 0 };
	struct walk w = { .a = a, .schema = s, .r = &r };
	struct scope_result names = { 0 };
	struct parse tree;
	int rc = parse_select(a, sql, &tree);

	if (!rc && tree.select)
		rc = scope_resolve(a, s, tree.select, &names);
	if (rc)
		return rc;
	if (tree.select)
		facts_of(&w, sql, tree.select);
	if (w.nomem)
		return ERR_NOMEM;
	r.whole = tree.whole && !names.cut && !w.cut;
	r.columns = names.columns;
	r.n_columns = names.n_columns;
	r.unknown = names.unknown;
	r.n_unknown = names.n_unknown;
	*ret = r;
	return 0;
}
