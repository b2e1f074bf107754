/* parse.c - recursive descent over the solid tokens, with the depth counted */
#include "common/sql/parse.h"

#include "common/base/err.h"

struct parser {
	struct arena *a;
	struct token *t; /* solid tokens, TOKEN_END behind them */
	size_t n, i;
	int depth, bad, nomem;
};

/* From tight to loose; SQLite's grammar, parse.y. */
enum level { OR = 1, AND, NOT, EQUAL, LESS, BITS, PLUS, TIMES, CONCAT, COLLATE, TIGHT };

static struct expr *climb(struct parser *p, enum level least);
static struct select *select_of(struct parser *p);
static struct from *from_list(struct parser *p);

static void stop(struct parser *p)
{
	p->bad = 1;
	p->i = p->n;
}

static void *node(struct parser *p, size_t size)
{
	void *x = p->nomem ? NULL : arena_alloc(p->a, 1, size);

	if (!x) {
		p->nomem = 1;
		stop(p);
	}
	return x;
}

static int enter(struct parser *p)
{
	if (++p->depth > PARSE_DEPTH)
		stop(p);
	return p->depth <= PARSE_DEPTH;
}

static struct token *peek(struct parser *p, size_t ahead)
{
	return &p->t[p->i + ahead < p->n ? p->i + ahead : p->n];
}

static void skip(struct parser *p, size_t n)
{
	p->i = p->i + n < p->n ? p->i + n : p->n;
}

static int word(struct parser *p, const char *w)
{
	return token_is(peek(p, 0), w);
}

static int op(struct parser *p, const char *o)
{
	return token_op(peek(p, 0), o);
}

static int take_word(struct parser *p, const char *w)
{
	int yes = word(p, w);

	skip(p, (size_t)yes);
	return yes;
}

static int take_op(struct parser *p, const char *o)
{
	int yes = op(p, o);

	skip(p, (size_t)yes);
	return yes;
}

static void want_op(struct parser *p, const char *o)
{
	if (!take_op(p, o))
		p->bad = 1;
}

static int one_of(const struct token *t, const char *const *words)
{
	for (; t->kind == TOKEN_WORD && *words; words++)
		if (name_is(t->text, *words))
			return 1;
	return 0;
}

/* Words that end an expression or a list and so name nothing unless quoted. */
static int is_stop(const struct token *t)
{
	static const char *const words[] = {
		"select",  "from",   "where",  "group",   "order",     "having",
		"limit",   "union",  "on",     "using",   "intersect", "except",
		"join",    "as",     "and",    "or",      "in",        "is",
		"when",    "then",   "else",   "end",     "case",      "between",
		"like",    "not",    "exists", "collate", "glob",      "isnull",
		"notnull", "escape", "set",    "values",  "distinct",  NULL
	};

	return one_of(t, words);
}

static int is_join_word(const struct token *t)
{
	static const char *const words[] = { "join",  "left",  "right",
					     "inner", "cross", "natural",
					     "full",  "outer", NULL };

	return one_of(t, words);
}

static int opens_select(const struct token *t)
{
	static const char *const words[] = { "select", "with", "values", NULL };

	return one_of(t, words);
}

/* The text from token `first` to the one before the next. */
static struct view span(struct parser *p, size_t first)
{
	const char *start = p->t[first].text.p, *end = start;

	if (p->i > first) {
		const struct token *last = &p->t[p->i - 1];

		end = last->text.p + last->text.n;
	}
	return (struct view){ start, (size_t)(end - start) };
}

/* Past the parenthesis that closes the one just taken. */
static void skip_group(struct parser *p)
{
	for (int open = 1; open && p->i < p->n; skip(p, 1))
		open += op(p, "(") - op(p, ")");
}

static struct expr *expr_new(struct parser *p, enum expr_kind kind)
{
	struct expr *x = node(p, sizeof *x);

	if (x) {
		x->kind = kind;
		x->table = x->column = x->source = -1;
		x->height = 1;
	}
	return x;
}

static void expr_add(struct parser *p, struct expr *x, struct expr *arg)
{
	if (!arg) {
		p->bad = 1;
		return;
	}
	if (x->last)
		x->last->next = arg;
	else
		x->args = arg;
	x->last = arg;
	if (x->height <= arg->height)
		x->height = arg->height + 1;
	if (x->height > PARSE_DEPTH)
		stop(p);
}

static struct expr *leaf(struct parser *p, enum expr_kind kind)
{
	struct expr *x = expr_new(p, kind);

	if (!x)
		return NULL;
	x->text = peek(p, 0)->text;
	x->name = token_value(p->a, peek(p, 0));
	skip(p, 1);
	return x;
}

static void add_exprs(struct parser *p, struct expr *x)
{
	do
		expr_add(p, x, climb(p, OR));
	while (take_op(p, ","));
}

static struct term *term_new(struct parser *p, struct term ***tail)
{
	struct term *t = node(p, sizeof *t);

	if (t) {
		**tail = t;
		*tail = &t->next;
	}
	return t;
}

/* A term that begins with an expression, which is taken; NULL: no memory. */
static struct term *term_of_expr(struct parser *p, struct term ***tail)
{
	struct term *t = term_new(p, tail);

	if (!t)
		return NULL;
	t->expr = climb(p, OR);
	if (!t->expr)
		p->bad = 1;
	return t;
}

/* expr [COLLATE ..] [ASC|DESC] [NULLS FIRST|LAST], ... */
static struct term *order_list(struct parser *p)
{
	struct term *list = NULL, **tail = &list, *t;

	do {
		t = term_of_expr(p, &tail);
		if (!t)
			break;
		t->desc = word(p, "desc");
		if (!take_word(p, "asc"))
			take_word(p, "desc");
		if (word(p, "nulls"))
			skip(p, 2);
	} while (take_op(p, ","));
	return list;
}

static void add_terms(struct parser *p, struct expr *x, struct term *list)
{
	for (; list; list = list->next)
		if (list->expr)
			expr_add(p, x, list->expr);
}

/* Inside OVER ( ... ) or WINDOW w AS ( ... ), the parenthesis taken. Frames hold
 * nothing but constants, so they are passed over. */
static void window(struct parser *p, struct expr *x)
{
	if (token_is_name(peek(p, 0)) && !word(p, "partition") && !word(p, "order") &&
	    !word(p, "rows") && !word(p, "range") && !word(p, "groups"))
		skip(p, 1); /* a base window */
	if (take_word(p, "partition")) {
		if (!take_word(p, "by"))
			p->bad = 1;
		add_exprs(p, x);
	}
	if (take_word(p, "order")) {
		if (!take_word(p, "by"))
			p->bad = 1;
		add_terms(p, x, order_list(p));
	}
	skip_group(p);
}

static void call_tail(struct parser *p, struct expr *x)
{
	if (word(p, "filter") && token_op(peek(p, 1), "(")) {
		skip(p, 2);
		if (!take_word(p, "where"))
			p->bad = 1;
		expr_add(p, x, climb(p, OR));
		want_op(p, ")");
	}
	if (word(p, "over") && token_op(peek(p, 1), "(")) {
		skip(p, 2);
		x->over = 1;
		window(p, x);
	} else if (word(p, "over") && token_is_name(peek(p, 1))) {
		skip(p, 2);
		x->over = 1;
	}
}

static struct expr *call(struct parser *p)
{
	size_t first = p->i;
	struct expr *x = leaf(p, EXPR_CALL);

	if (!x)
		return NULL;
	skip(p, 1);
	x->distinct = (char)take_word(p, "distinct");
	if (!x->distinct)
		take_word(p, "all");
	x->args_text.p = peek(p, 0)->text.p;
	if (op(p, "*") && token_op(peek(p, 1), ")")) {
		x->star = 1;
		skip(p, 1);
	} else if (!op(p, ")")) {
		add_exprs(p, x);
	}
	if (take_word(p, "order")) {
		take_word(p, "by");
		add_terms(p, x, order_list(p));
	}
	x->args_text.n = (size_t)(peek(p, 0)->text.p - x->args_text.p);
	if (!op(p, ")")) {
		p->bad = 1;
		skip_group(p);
	} else {
		skip(p, 1);
	}
	x->op = span(p, first); /* without FILTER and OVER */
	call_tail(p, x);
	x->text = span(p, first);
	return x;
}

static struct expr *name(struct parser *p)
{
	size_t first = p->i;
	struct expr *x = leaf(p, EXPR_NAME);

	if (!x)
		return NULL;
	x->quote = p->t[first].kind == TOKEN_QUOTED ? p->t[first].text.p[0] : 0;
	while (op(p, ".")) {
		const struct token *t = peek(p, 1);

		if (token_op(t, "*")) {
			x->kind = EXPR_STAR;
			x->qualifier = x->name;
			skip(p, 2);
			break;
		}
		if (!token_is_name(t) && t->kind != TOKEN_STRING) {
			p->bad = 1;
			skip(p, 1);
			break;
		}
		x->qualifier = x->name;
		x->name = token_value(p->a, t);
		skip(p, 2);
	}
	x->text = span(p, first);
	return x;
}

static struct expr *case_of(struct parser *p)
{
	size_t first = p->i;
	struct expr *x = expr_new(p, EXPR_CASE);

	if (!x)
		return NULL;
	skip(p, 1);
	if (!word(p, "when"))
		expr_add(p, x, climb(p, OR));
	while (take_word(p, "when")) {
		expr_add(p, x, climb(p, OR));
		if (take_word(p, "then"))
			expr_add(p, x, climb(p, OR));
		else
			p->bad = 1;
	}
	if (take_word(p, "else"))
		expr_add(p, x, climb(p, OR));
	if (!take_word(p, "end"))
		p->bad = 1;
	x->text = span(p, first);
	return x;
}

static struct expr *cast(struct parser *p)
{
	size_t first = p->i;
	struct expr *x = expr_new(p, EXPR_CAST);

	if (!x)
		return NULL;
	skip(p, 2);
	expr_add(p, x, climb(p, OR));
	if (!take_word(p, "as"))
		p->bad = 1;
	skip_group(p); /* the type, perhaps with its own parentheses */
	x->text = span(p, first);
	return x;
}

static struct select *closed_select(struct parser *p)
{
	struct select *s = select_of(p);

	want_op(p, ")");
	return s;
}

static struct expr *exists(struct parser *p, int negated)
{
	size_t first = p->i;
	struct expr *x = expr_new(p, EXPR_EXISTS);

	if (!x)
		return NULL;
	skip(p, 2);
	x->negated = (char)negated;
	x->select = closed_select(p);
	x->text = span(p, first);
	return x;
}

static struct expr *parenthesised(struct parser *p)
{
	size_t first = p->i;
	struct expr *x;

	if (opens_select(peek(p, 1))) {
		x = expr_new(p, EXPR_SELECT);
		skip(p, 1);
		if (x)
			x->select = closed_select(p);
	} else {
		x = expr_new(p, EXPR_LIST);
		skip(p, 1);
		if (x)
			add_exprs(p, x);
		want_op(p, ")");
		if (x && x->args && x->args == x->last) {
			x->args->level = 0; /* a chain in parentheses is whole */
			return x->args;
		}
	}
	if (x)
		x->text = span(p, first);
	return x;
}

static struct expr *prefixed(struct parser *p, enum expr_kind kind, enum level least)
{
	size_t first = p->i;
	struct expr *x = expr_new(p, kind);

	if (!x)
		return NULL;
	x->op = peek(p, 0)->text;
	skip(p, 1);
	expr_add(p, x, climb(p, least));
	x->text = span(p, first);
	return x;
}

static struct expr *from_word(struct parser *p)
{
	static const char *const values[] = { "null",
					      "true",
					      "false",
					      "current_time",
					      "current_date",
					      "current_timestamp",
					      NULL };
	int group = token_op(peek(p, 1), "(");

	if (word(p, "not") && token_is(peek(p, 1), "exists")) {
		skip(p, 1);
		return exists(p, 1);
	}
	if (word(p, "not"))
		return prefixed(p, EXPR_NOT, EQUAL);
	if (word(p, "case"))
		return case_of(p);
	if (word(p, "cast") && group)
		return cast(p);
	if (word(p, "exists") && group)
		return exists(p, 0);
	if (one_of(peek(p, 0), values) && !group && !token_op(peek(p, 1), "."))
		return leaf(p, EXPR_VALUE);
	if (is_stop(peek(p, 0)) && !(group && (word(p, "like") || word(p, "glob"))))
		return NULL;
	return group ? call(p) : name(p);
}

static struct expr *prefix(struct parser *p)
{
	switch (peek(p, 0)->kind) {
	case TOKEN_NUMBER: return leaf(p, EXPR_NUMBER);
	case TOKEN_STRING:
		return token_op(peek(p, 1), ".") ? name(p) : leaf(p, EXPR_STRING);
	case TOKEN_BLOB:
	case TOKEN_VARIABLE: return leaf(p, EXPR_VALUE);
	case TOKEN_QUOTED: return token_op(peek(p, 1), "(") ? call(p) : name(p);
	case TOKEN_WORD: return from_word(p);
	case TOKEN_OP:
		if (op(p, "("))
			return parenthesised(p);
		if (op(p, "-") || op(p, "+") || op(p, "~"))
			return prefixed(p, EXPR_UNARY, TIGHT);
		return op(p, "*") ? leaf(p, EXPR_STAR) : NULL;
	default: return NULL;
	}
}

/* A node around `left`, whose text began at token `first`. */
static struct expr *around(struct parser *p, enum expr_kind kind, struct expr *left)
{
	struct expr *x = expr_new(p, kind);

	if (!x)
		return NULL;
	x->op = peek(p, 0)->text;
	expr_add(p, x, left);
	return x;
}

/* `x IN t` reads as x IN (SELECT * FROM t). */
static struct select *select_from(struct parser *p)
{
	struct select *s = node(p, sizeof *s);
	struct core *c = node(p, sizeof *c);
	struct from *f = node(p, sizeof *f);
	struct term *t = node(p, sizeof *t);
	struct expr *star = expr_new(p, EXPR_STAR);

	if (!s || !c || !f || !t || !star)
		return NULL;
	while (token_is_name(peek(p, 0)) && token_op(peek(p, 1), "."))
		skip(p, 2);
	f->name = token_value(p->a, peek(p, 0));
	star->text = peek(p, 0)->text;
	skip(p, 1);
	if (take_op(p, "(")) /* a table-valued function */
		skip_group(p);
	t->expr = star;
	c->results = t;
	c->from = f;
	s->cores = c;
	return s;
}

static struct expr *in_of(struct parser *p, struct expr *left)
{
	struct expr *x = around(p, EXPR_IN, left);

	skip(p, 1);
	if (!x)
		return NULL;
	if (take_op(p, "(")) {
		if (opens_select(peek(p, 0)))
			x->select = select_of(p);
		else if (!op(p, ")"))
			add_exprs(p, x);
		want_op(p, ")");
	} else if (token_is_name(peek(p, 0))) {
		x->select = select_from(p);
	} else {
		p->bad = 1;
	}
	return x;
}

static struct expr *between(struct parser *p, struct expr *left)
{
	struct expr *x = around(p, EXPR_BETWEEN, left);

	skip(p, 1);
	if (!x)
		return NULL;
	expr_add(p, x, climb(p, LESS));
	if (take_word(p, "and"))
		expr_add(p, x, climb(p, LESS));
	else
		p->bad = 1;
	return x;
}

static struct expr *like(struct parser *p, struct expr *left)
{
	struct expr *x = around(p, EXPR_LIKE, left);

	skip(p, 1);
	if (!x)
		return NULL;
	expr_add(p, x, climb(p, LESS));
	if (take_word(p, "escape"))
		expr_add(p, x, climb(p, LESS));
	return x;
}

static struct expr *null_test(struct parser *p, struct expr *left, int negated,
			      size_t n)
{
	struct expr *x = around(p, EXPR_NULL_TEST, left);

	skip(p, n);
	if (x)
		x->negated = (char)negated;
	return x;
}

/* IS [NOT] [DISTINCT FROM] */
static struct expr *is_of(struct parser *p, struct expr *left)
{
	int negated = token_is(peek(p, 1), "not"), distinct;
	struct expr *x;

	if (token_is(peek(p, 1 + (size_t)negated), "null"))
		return null_test(p, left, negated, 2 + (size_t)negated);
	x = around(p, EXPR_BINARY, left);
	skip(p, 1 + (size_t)negated);
	if (!x)
		return NULL;
	distinct = word(p, "distinct") && token_is(peek(p, 1), "from");
	skip(p, distinct ? 2 : 0);
	x->negated = (char)(negated ^ distinct);
	expr_add(p, x, climb(p, LESS));
	return x;
}

static struct expr *named_op(struct parser *p, struct expr *left)
{
	static const char *const likes[] = { "like", "glob", "match", "regexp", NULL };
	int negated = word(p, "not");
	struct expr *x = NULL;

	skip(p, (size_t)negated);
	if (word(p, "in"))
		x = in_of(p, left);
	else if (word(p, "between"))
		x = between(p, left);
	else if (one_of(peek(p, 0), likes))
		x = like(p, left);
	else if (negated) /* NOT NULL */
		return null_test(p, left, 1, 1);
	else if (word(p, "is"))
		return is_of(p, left);
	else
		return null_test(p, left, word(p, "notnull"), 1);
	if (x)
		x->negated = (char)negated;
	return x;
}

static enum level level_of_op(const struct token *t)
{
	static const struct {
		char text[4];
		enum level level;
	} ops[] = { { "=", EQUAL },   { "==", EQUAL },  { "!=", EQUAL },
		    { "<>", EQUAL },  { "<", LESS },    { "<=", LESS },
		    { ">", LESS },    { ">=", LESS },   { "&", BITS },
		    { "|", BITS },    { "<<", BITS },   { ">>", BITS },
		    { "+", PLUS },    { "-", PLUS },    { "*", TIMES },
		    { "/", TIMES },   { "%", TIMES },   { "||", CONCAT },
		    { "->", CONCAT }, { "->>", CONCAT } };

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (token_op(t, ops[i].text))
			return ops[i].level;
	return 0;
}

/* Of the operator that comes next, 0 if none does. */
static enum level level_of(struct parser *p)
{
	static const char *const equal[] = { "is",      "in",     "like",    "glob",
					     "match",   "regexp", "between", "isnull",
					     "notnull", NULL };
	static const char *const after_not[] = { "in",     "like",    "glob", "match",
						 "regexp", "between", "null", NULL };
	const struct token *t = peek(p, 0);

	if (t->kind == TOKEN_OP)
		return level_of_op(t);
	if (t->kind != TOKEN_WORD)
		return 0;
	if (word(p, "or"))
		return OR;
	if (word(p, "and"))
		return AND;
	if (word(p, "collate"))
		return COLLATE;
	if (one_of(t, equal) || (word(p, "not") && one_of(peek(p, 1), after_not)))
		return EQUAL;
	return 0;
}

/* An operator whose arguments stand side by side in one node. */
static struct expr *chain(struct parser *p, struct expr *left, enum level level)
{
	struct expr *x = left;

	if (left->kind != EXPR_CHAIN || left->level != (char)level)
		x = around(p, EXPR_CHAIN, left);
	skip(p, 1);
	if (!x)
		return NULL;
	x->level = (char)level;
	expr_add(p, x, climb(p, level + 1));
	return x;
}

static struct expr *collate(struct parser *p, struct expr *left)
{
	struct expr *x = around(p, EXPR_COLLATE, left);

	skip(p, 2);
	return x;
}

static struct expr *binary(struct parser *p, struct expr *left, enum level level)
{
	struct expr *x;

	if (level == COLLATE)
		return collate(p, left);
	if (level == EQUAL && peek(p, 0)->kind == TOKEN_WORD)
		return named_op(p, left);
	if (level != EQUAL && level != LESS)
		return chain(p, left, level);
	x = around(p, EXPR_BINARY, left);
	skip(p, 1);
	if (x)
		expr_add(p, x, climb(p, level + 1));
	return x;
}

static struct expr *climb(struct parser *p, enum level least)
{
	size_t first = p->i;
	struct expr *x = enter(p) ? prefix(p) : NULL;
	enum level level;

	while (x && (level = level_of(p)) && level >= least) {
		x = binary(p, x, level);
		if (x)
			x->text = span(p, first);
	}
	p->depth--;
	return x;
}

/* [AS] name; a bare one must be no keyword. */
static struct view alias(struct parser *p)
{
	const struct token *t;
	int as = take_word(p, "as");
	struct view v = { NULL, 0 };

	t = peek(p, 0);
	if (!token_is_name(t) && t->kind != TOKEN_STRING) {
		p->bad |= as;
		return v;
	}
	if (!as && (is_stop(t) || is_join_word(t)))
		return v;
	if (!as && token_is(t, "window") && token_is(peek(p, 2), "as"))
		return v;
	v = token_value(p->a, t);
	skip(p, 1);
	return v;
}

static struct term *result_list(struct parser *p)
{
	struct term *list = NULL, **tail = &list, *t;

	do {
		t = term_of_expr(p, &tail);
		if (!t)
			break;
		t->alias = alias(p);
	} while (take_op(p, ","));
	return list;
}

/* ( name, name ) */
static struct term *name_list(struct parser *p)
{
	struct term *list = NULL, **tail = &list, *t;

	want_op(p, "(");
	do {
		if (!token_is_name(peek(p, 0)) || !(t = term_new(p, &tail)))
			break;
		t->alias = token_value(p->a, peek(p, 0));
		skip(p, 1);
	} while (take_op(p, ","));
	want_op(p, ")");
	return list;
}

static void from_source(struct parser *p, struct from *f)
{
	if (take_op(p, "(")) {
		if (opens_select(peek(p, 0)))
			f->select = select_of(p);
		else
			f->group = from_list(p);
		want_op(p, ")");
	} else if (token_is_name(peek(p, 0)) || peek(p, 0)->kind == TOKEN_STRING) {
		while (token_op(peek(p, 1), "."))
			skip(p, 2);
		f->name = token_value(p->a, peek(p, 0));
		skip(p, 1);
		if (take_op(p, "("))
			skip_group(p);
	} else {
		p->bad = 1;
	}
	f->alias = alias(p);
	if (take_word(p, "indexed"))
		skip(p, 2);
	else if (word(p, "not") && token_is(peek(p, 1), "indexed"))
		skip(p, 2);
}

/* Takes a join operator; 0 if there is none. */
static int join_op(struct parser *p, struct from *f)
{
	size_t first = p->i;

	while (is_join_word(peek(p, 0)) && !word(p, "join")) {
		f->natural |= word(p, "natural");
		skip(p, 1);
	}
	if (!take_word(p, "join") && (p->i > first || !take_op(p, ","))) {
		p->bad |= p->i > first;
		return 0;
	}
	f->join = span(p, first);
	return 1;
}

static struct from *from_list(struct parser *p)
{
	struct from *list = NULL, **tail = &list;
	struct from *f = enter(p) ? node(p, sizeof *f) : NULL;

	while (f) {
		*tail = f;
		tail = &f->next;
		from_source(p, f);
		if (take_word(p, "on"))
			f->on = climb(p, OR);
		else if (take_word(p, "using"))
			f->using = name_list(p);
		f = node(p, sizeof *f);
		if (f && !join_op(p, f))
			break;
	}
	p->depth--;
	return list;
}

static struct term *window_list(struct parser *p)
{
	struct term *list = NULL, **tail = &list, *t;

	do {
		t = term_new(p, &tail);
		if (!t || !(t->expr = expr_new(p, EXPR_LIST)))
			break;
		skip(p, 2);
		want_op(p, "(");
		window(p, t->expr);
	} while (take_op(p, ","));
	return list;
}

static void values(struct parser *p, struct core *c)
{
	struct term **tail = &c->results, *t;

	c->values = 1;
	do {
		if (!op(p, "(") || !(t = term_new(p, &tail)))
			break;
		t->expr = parenthesised(p);
	} while (take_op(p, ","));
}

static void by(struct parser *p)
{
	skip(p, 1);
	if (!take_word(p, "by"))
		p->bad = 1;
}

/* One clause behind the result list; 0: what comes is none of a core's. */
static int clause(struct parser *p, struct core *c)
{
	if (take_word(p, "from")) {
		c->from = from_list(p);
	} else if (take_word(p, "where")) {
		c->where = climb(p, OR);
		p->bad |= !c->where;
	} else if (word(p, "group")) {
		by(p);
		c->group_by = order_list(p);
	} else if (take_word(p, "having")) {
		c->having = climb(p, OR);
		p->bad |= !c->having;
	} else if (word(p, "window") && token_is(peek(p, 2), "as")) {
		skip(p, 1);
		c->windows = window_list(p);
	} else {
		return 0;
	}
	return 1;
}

/* `op` as written before it. */
static struct core *core_of(struct parser *p, struct view operation)
{
	struct core *c = node(p, sizeof *c);

	if (!c)
		return NULL;
	c->op = operation;
	if (take_word(p, "values")) {
		values(p, c);
		return c;
	}
	if (!take_word(p, "select"))
		p->bad = 1;
	c->distinct = take_word(p, "distinct");
	if (!c->distinct)
		take_word(p, "all");
	c->results = result_list(p);
	while (clause(p, c))
		;
	return c;
}

static struct view compound_op(struct parser *p)
{
	size_t first = p->i;

	if (take_word(p, "union"))
		take_word(p, "all");
	else if (!take_word(p, "intersect"))
		take_word(p, "except");
	return span(p, first);
}

static void limit(struct parser *p, struct select *s)
{
	s->limit = climb(p, OR);
	p->bad |= !s->limit;
	if (take_word(p, "offset")) {
		s->offset = climb(p, OR);
	} else if (take_op(p, ",")) {
		s->offset = s->limit;
		s->limit = climb(p, OR);
	}
}

/* A clause of the whole select, or a token of no use; 0 at its end. */
static int tail_clause(struct parser *p, struct select *s, struct core *last)
{
	if (p->i >= p->n || op(p, ")") || op(p, ";"))
		return 0;
	if (word(p, "order")) {
		by(p);
		s->order_by = order_list(p);
	} else if (take_word(p, "limit")) {
		limit(p, s);
	} else {
		p->bad = 1;
		if (last && clause(p, last))
			return 1;
		if (take_op(p, "("))
			skip_group(p);
		else
			skip(p, 1);
	}
	return 1;
}

static struct cte *with_list(struct parser *p)
{
	struct cte *list = NULL, **tail = &list, *c;

	take_word(p, "recursive");
	do {
		c = token_is_name(peek(p, 0)) ? node(p, sizeof *c) : NULL;
		if (!c)
			break;
		*tail = c;
		tail = &c->next;
		c->name = token_value(p->a, peek(p, 0));
		skip(p, 1);
		if (op(p, "("))
			c->columns = name_list(p);
		if (!take_word(p, "as"))
			p->bad = 1;
		take_word(p, "not");
		take_word(p, "materialized");
		want_op(p, "(");
		c->select = closed_select(p);
	} while (take_op(p, ","));
	p->bad |= !list;
	return list;
}

static struct select *select_of(struct parser *p)
{
	struct select *s = enter(p) ? node(p, sizeof *s) : NULL;
	struct view operation = { NULL, 0 };
	struct core **tail = s ? &s->cores : NULL, *last = NULL;

	if (s && take_word(p, "with"))
		s->with = with_list(p);
	while (s) {
		last = *tail = core_of(p, operation);
		if (!last)
			break;
		tail = &last->next;
		operation = (struct view){ NULL, 0 };
		while (operation.n == 0) {
			operation = compound_op(p);
			if (operation.n == 0 && !tail_clause(p, s, last))
				break;
		}
		if (operation.n == 0)
			break;
	}
	p->depth--;
	return s;
}

static int tokens_of(struct parser *p, struct view sql)
{
	struct lexer l = lex_of(sql);
	struct token t;
	size_t n = 0;

	while (lex_solid(&l, &t))
		n++;
	p->t = arena_alloc(p->a, n + 1, sizeof t);
	if (!p->t)
		return ERR_NOMEM;
	l = lex_of(sql);
	while (lex_solid(&l, &p->t[p->n]))
		p->n++;
	return 0;
}

int parse_select(struct arena *a, struct view sql, struct parse *ret)
{
	struct parser p = { .a = a };
	struct parse r = { 0 };

	if (sql.n > PARSE_BYTES) {
		sql.n = PARSE_BYTES;
		p.bad = 1;
	}
	if (tokens_of(&p, sql))
		return ERR_NOMEM;
	while (take_op(&p, ";"))
		;
	for (; p.i < p.n && !opens_select(peek(&p, 0)); skip(&p, 1))
		p.bad = 1;
	if (p.i < p.n)
		r.select = select_of(&p);
	while (take_op(&p, ";"))
		;
	if (p.nomem)
		return ERR_NOMEM;
	r.whole = r.select && !p.bad && p.i >= p.n;
	*ret = r;
	return 0;
}
