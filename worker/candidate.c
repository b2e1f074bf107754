/* candidate.c - see candidate.h */
#include "worker/candidate.h"

#include "common/sql/analysis.h"
#include "common/sql/lex.h"

/* The most that one candidate's faults count. */
enum { VALMISS_MOST = 3, FUNSUP_MOST = 4, JOINBAD_MOST = 3 };

/* A side of a join holds this share of the other's values if the two belong together.
 */
#define CONTAINED 0.95

struct reading { /* of one SQL */
	struct sql_analysis sql;
	const struct profile *p;
	struct view *name; /* every name the text spells out */
	size_t names;
	struct sql_column *column; /* named ones, each name once */
	size_t n;
};

static int has_stem(const struct words *list, struct view stem)
{
	for (size_t i = 0; i < list->n; i++)
		if (view_eq(list->w[i].stem, stem))
			return 1;
	return 0;
}

static int add_new(struct arena *a, struct words *to, const struct words *from)
{
	if (!to->w) {
		to->cap = WORDS_MAX;
		to->w = arena_alloc(a, to->cap, sizeof *to->w);
	}
	if (!to->w)
		return ERR_NOMEM;
	for (size_t i = 0; i < from->n && to->n < to->cap; i++)
		if (!has_stem(to, from->w[i].stem))
			to->w[to->n++] = from->w[i];
	return 0;
}

static int schema_words(const struct schema *s, struct arena *a, struct words *ret)
{
	int code = 0;

	for (size_t t = 0; t < s->n_tables && !code; t++) {
		struct words some = { 0 };

		code = words_of_name(a, s->tables[t].name, &some);
		for (size_t c = 0; c < s->tables[t].n && !code; c++)
			code = words_of_name(a, s->tables[t].columns[c].name, &some);
		if (!code)
			code = add_new(a, ret, &some);
	}
	return code;
}

static struct view lower(struct arena *a, struct view v)
{
	char *p = arena_dup(a, v.p ? v.p : "", v.n);

	for (size_t i = 0; p && i < v.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] += 32;
	return (struct view){ p, v.n };
}

int asked_of(const struct dossier *d, const struct profile *p, struct arena *a,
	     struct asked *ret)
{
	struct asked q = { .evidence = lower(a, d->evidence) };
	struct words both = { 0 }, names = { 0 };
	int code = q.evidence.p ? 0 : ERR_NOMEM;

	if (!code)
		code = words_of_text(a, d->text, &both);
	if (!code)
		code = words_of_text(a, d->evidence, &both);
	if (!code)
		code = add_new(a, &q.all, &both);
	if (!code)
		code = schema_words(&p->schema, a, &names);
	if (code)
		return code;
	q.asked.w = arena_alloc(a, q.all.n + 1, sizeof *q.asked.w);
	if (!q.asked.w)
		return ERR_NOMEM;
	for (size_t i = 0; i < q.all.n; i++)
		if (words_have(&names, q.all.w[i].stem))
			q.asked.w[q.asked.n++] = q.all.w[i];
	*ret = q;
	return 0;
}

static struct view column_name(const struct profile *p, struct sql_column c)
{
	return p->schema.tables[c.table].columns[c.column].name;
}

static int is_spelled(const struct reading *r, struct view name)
{
	for (size_t i = 0; i < r->names; i++)
		if (name_eq(r->name[i], name))
			return 1;
	return 0;
}

static int collect_names(struct view sql, struct arena *a, struct reading *r)
{
	struct lexer l = lex_of(sql);
	struct token t;
	size_t cap = 0;

	while (lex_solid(&l, &t))
		cap += token_is_name(&t) != 0;
	r->name = arena_alloc(a, cap + 1, sizeof *r->name);
	if (!r->name)
		return ERR_NOMEM;
	for (l = lex_of(sql); lex_solid(&l, &t) && r->names < cap;) {
		if (!token_is_name(&t))
			continue;
		r->name[r->names] = token_value(a, &t);
		if (!r->name[r->names].p)
			return ERR_NOMEM;
		r->names++;
	}
	return 0;
}

static int is_listed(const struct reading *r, struct view name)
{
	for (size_t i = 0; i < r->n; i++)
		if (name_eq(column_name(r->p, r->column[i]), name))
			return 1;
	return 0;
}

static int collect_columns(struct arena *a, struct reading *r)
{
	const struct sql_analysis *s = &r->sql;

	r->column = arena_alloc(a, s->n_columns + 1, sizeof *r->column);
	if (!r->column)
		return ERR_NOMEM;
	for (size_t i = 0; i < s->n_columns; i++) {
		struct sql_column c = s->columns[i];

		if (c.table < 0 || c.column < 0)
			continue;
		if (is_spelled(r, column_name(r->p, c)) &&
		    !is_listed(r, column_name(r->p, c)))
			r->column[r->n++] = c;
	}
	return 0;
}

static int is_datelike(struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (!strchr("0123456789-: ", v.p[i]) || !v.p[i])
			return 0;
	return v.n > 0;
}

static int same_literal(const struct sql_condition *a, const struct sql_condition *b)
{
	return a->column.table == b->column.table &&
	       a->column.column == b->column.column && view_eq(a->value, b->value);
}

static int seen_before(const struct reading *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_literal(&r->sql.literals[i], &r->sql.literals[at]))
			return 1;
	return 0;
}

enum held { HELD, HELD_LOOSELY, HELD_NOT };

static int is_spelled_right(const struct asked *q, const struct sql_condition *l)
{
	uint64_t loose = cellhash_loose(l->value);

	for (const struct spelled *s = q->spelled; s; s = s->next)
		if (s->loose == loose && s->table == l->column.table &&
		    s->column == l->column.column)
			return 1;
	return 0;
}

/* Where the profile does not know, a literal is held. Where the whole database is in
 * one style, that another candidate spells as it does is no merit. */
static enum held literal_held(const struct asked *q, const struct reading *r,
			      const struct sql_condition *l)
{
	int t = l->column.table, c = l->column.column;

	if (profile_mistyped(r->p, t, c, l->value, 0))
		return HELD_LOOSELY;
	if (profile_holds(r->p, t, c, l->value) != ANSWER_NO)
		return HELD;
	if (profile_holds_loosely(r->p, t, c, l->value) == ANSWER_YES &&
	    (r->p->one_style || !is_spelled_right(q, l)))
		return HELD_LOOSELY;
	return HELD_NOT;
}

int asked_add(struct asked *q, const struct reading *r, struct arena *a)
{
	for (size_t i = 0; i < r->sql.n_literals; i++) {
		const struct sql_condition *l = &r->sql.literals[i];
		struct spelled *s;

		if (profile_holds(r->p, l->column.table, l->column.column, l->value) !=
			    ANSWER_YES ||
		    is_spelled_right(q, l))
			continue;
		s = arena_alloc(a, 1, sizeof *s);
		if (!s)
			return ERR_NOMEM;
		*s = (struct spelled){ l->column.table, l->column.column,
				       cellhash_loose(l->value), q->spelled };
		q->spelled = s;
	}
	return 0;
}

/* Does some candidate name what is there instead: another value of the same column, or
 * the same value of another column? */
static int is_known_better(const struct asked *q, const struct sql_condition *l)
{
	uint64_t loose = cellhash_loose(l->value);

	for (const struct spelled *s = q->spelled; s; s = s->next)
		if (s->loose == loose ||
		    (s->table == l->column.table && s->column == l->column.column))
			return 1;
	return 0;
}

/* To exclude what is nowhere does no harm, as long as nobody knows what was meant. */
static int is_missed(const struct asked *q, const struct reading *r,
		     const struct sql_condition *l)
{
	if (is_datelike(l->value) || literal_held(q, r, l) != HELD_NOT)
		return 0;
	return (l->op != SQL_NE && l->op != SQL_NOT_IN) || is_known_better(q, l);
}

static double valmiss(const struct asked *q, const struct reading *r)
{
	int n = 0;

	for (size_t i = 0; i < r->sql.n_literals; i++)
		if (!seen_before(r, i))
			n += is_missed(q, r, &r->sql.literals[i]);
	return n < VALMISS_MOST ? n : VALMISS_MOST;
}

static int is_mistyped(const struct profile *p, struct sql_column c,
		       enum sql_value kind, struct view value)
{
	return (kind == SQL_NUMBER || kind == SQL_STRING) &&
	       profile_mistyped(p, c.table, c.column, value, kind == SQL_NUMBER);
}

/* A number compared with text, or a numeral with numbers, equals none and is before or
 * behind all. */
static int type_explains(const struct reading *r)
{
	for (size_t i = 0; i < r->sql.n_conditions; i++) {
		const struct sql_condition *l = &r->sql.conditions[i];

		if (is_mistyped(r->p, l->column, l->kind, l->value) ||
		    is_mistyped(r->p, l->column, l->low_kind, l->low))
			return 1;
	}
	return 0;
}

static int spelling_explains(const struct asked *q, const struct reading *r)
{
	for (size_t i = 0; i < r->sql.n_literals; i++)
		if (literal_held(q, r, &r->sql.literals[i]) == HELD_LOOSELY)
			return 1;
	return 0;
}

static int is_real(struct sql_column c)
{
	return c.table >= 0 && c.column >= 0;
}

static int holds_nothing(const struct profile *p, struct sql_column c)
{
	return p->table[c.table].column[c.column].holds == ANSWER_NO;
}

static int join_explains(const struct reading *r)
{
	for (size_t i = 0; i < r->sql.n_joins; i++) {
		struct sql_column a = r->sql.joins[i].a, b = r->sql.joins[i].b;

		if (!is_real(a) || !is_real(b))
			continue;
		if (holds_nothing(r->p, a) || holds_nothing(r->p, b) ||
		    profile_mistyped_join(r->p, a.table, a.column, b.table, b.column))
			return 1;
		if (profile_declared(r->p, a.table, a.column, b.table, b.column) &&
		    profile_disjoint(r->p, a.table, a.column, b.table, b.column) ==
			    ANSWER_YES)
			return 1;
	}
	return 0;
}

static int table_explains(const struct reading *r)
{
	for (size_t i = 0; i < r->sql.n_tables; i++)
		if (r->p->table[r->sql.tables[i]].has_row == ANSWER_NO)
			return 1;
	return 0;
}

/* A key against what refers to it: one side has each value once, the other repeats
 * some, and nearly all of the other's are found in the one. */
static int belongs(const struct profile *p, struct sql_column key, struct sql_column of)
{
	const struct profile_column *k = &p->table[key.table].column[key.column];
	const struct profile_column *o = &p->table[of.table].column[of.column];

	return k->unique && !o->unique &&
	       profile_contains(p, key.table, key.column, of.table, of.column,
				CONTAINED) == ANSWER_YES;
}

static int is_bad_join(const struct profile *p, struct sql_column a,
		       struct sql_column b)
{
	const struct profile_column *x, *y;

	if (!is_real(a) || !is_real(b) || !p->table[a.table].in_key ||
	    !p->table[b.table].in_key)
		return 0;
	x = &p->table[a.table].column[a.column];
	y = &p->table[b.table].column[b.column];
	if (name_eq(column_name(p, a), column_name(p, b)) ||
	    profile_declared(p, a.table, a.column, b.table, b.column))
		return 0;
	if (!x->sets || !y->sets)
		return 0;
	return !belongs(p, a, b) && !belongs(p, b, a);
}

static double joinbad(const struct reading *r)
{
	int n = 0;

	for (size_t i = 0; i < r->sql.n_joins; i++)
		n += is_bad_join(r->p, r->sql.joins[i].a, r->sql.joins[i].b);
	return n < JOINBAD_MOST ? n : JOINBAD_MOST;
}

static int used_words(const struct reading *r, struct arena *a, struct words *ret)
{
	int code = 0;

	for (size_t i = 0; i < r->n && !code; i++)
		code = words_of_name(a, column_name(r->p, r->column[i]), ret);
	for (size_t i = 0; i < r->sql.n_tables && !code; i++)
		code = words_of_name(a, r->p->schema.tables[r->sql.tables[i]].name,
				     ret);
	return code;
}

static int fcov(const struct asked *q, const struct reading *r, struct arena *a,
		double *ret)
{
	struct words used = { 0 };
	size_t n = 0;
	int code = used_words(r, a, &used);

	for (size_t i = 0; i < q->asked.n && !code; i++)
		n += words_have(&used, q->asked.w[i].stem) != 0;
	*ret = q->asked.n ? (double)n / (double)q->asked.n : 0;
	return code;
}

static int is_supported(const struct asked *q, struct view name, struct arena *a,
			int *ret)
{
	struct words w = { 0 };
	struct view low = lower(a, name);
	int code = low.p ? words_of_name(a, name, &w) : ERR_NOMEM;

	*ret = name_is_id(name);
	if (!code && low.n && q->evidence.n >= low.n)
		*ret |= memmem(q->evidence.p, q->evidence.n, low.p, low.n) != NULL;
	for (size_t i = 0; i < w.n && !code && !*ret; i++)
		*ret = words_have(&q->all, w.w[i].stem);
	return code;
}

static int funsup(const struct asked *q, const struct reading *r, struct arena *a,
		  double *ret)
{
	int n = 0, code = 0, ok;

	for (size_t i = 0; i < r->n && !code; i++) {
		code = is_supported(q, column_name(r->p, r->column[i]), a, &ok);
		n += !ok;
	}
	*ret = n < FUNSUP_MOST ? n : FUNSUP_MOST;
	return code;
}

/* What the result says, unless the data explain it. */
static void result_facts(enum status status, const struct dossier_member *m,
			 struct candidate_facts *f)
{
	if (f->explained)
		return;
	f->value[FEATURE_empty] = status == STATUS_empty;
	f->value[FEATURE_zero] = m->zero != 0;
	f->value[FEATURE_null] = m->cells ? (double)m->nulls / (double)m->cells : 0;
}

int candidate_read(const struct profile *p, struct view sql, struct arena *a,
		   struct reading **ret)
{
	struct reading *r = arena_alloc(a, 1, sizeof *r);
	int code;

	if (!r)
		return ERR_NOMEM;
	r->p = p;
	code = sql_analyse(a, &p->schema, sql, &r->sql);
	if (!code)
		code = collect_names(sql, a, r);
	if (!code)
		code = collect_columns(a, r);
	if (!code)
		*ret = r;
	return code;
}

int candidate_facts(const struct asked *q, const struct reading *r, enum status status,
		    const struct dossier_member *m, struct arena *a,
		    struct candidate_facts *ret)
{
	struct candidate_facts f = { 0 };
	int code = fcov(q, r, a, &f.value[FEATURE_fcov]);

	if (!code)
		code = funsup(q, r, a, &f.value[FEATURE_funsup]);
	if (code)
		return code;
	f.explained = spelling_explains(q, r) || type_explains(r) || join_explains(r) ||
		      table_explains(r);
	f.compares = r->sql.compares;
	f.value[FEATURE_valmiss] = valmiss(q, r);
	f.value[FEATURE_joinbad] = joinbad(r);
	result_facts(status, m, &f);
	*ret = f;
	return 0;
}
