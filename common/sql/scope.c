/* scope.c - see scope.h */
#include "common/sql/scope.h"

#include "common/base/err.h"

struct source {
	struct view name;
	int table;                     /* of the schema, or -1 */
	const struct sql_outputs *out; /* of a subquery or CTE, else NULL */
	int id, natural, nested; /* nested: a joined group, whose rowid nobody means */
	const struct term *using;
};

struct scope {
	struct source *s;
	size_t n, cap;
	const struct core *core; /* whose aliases may be used, NULL: not yet */
	struct scope *outer;
};

struct with {
	struct cte *list;
	struct with *outer;
	struct scope *scope; /* the one around the select it belongs to */
};

struct resolver {
	struct arena *a;
	const struct schema *schema;
	char **read; /* per table, a byte per column and one for rowid; NULL: untouched
		      */
	struct sql_column *columns;
	size_t n_columns, cap_columns;
	struct view *unknown;
	size_t n_unknown, cap_unknown;
	size_t work, outputs;
	int ids, depth, nomem, cut;
};

static struct sql_outputs *resolve_select(struct resolver *r, struct select *s,
					  struct scope *outer, struct with *with,
					  struct cte *self);
static void resolve_expr(struct resolver *r, struct expr *x, struct scope *sc,
			 struct with *with);

static int step(struct resolver *r, size_t n)
{
	r->work += n;
	if (r->work > SCOPE_WORK)
		r->cut = 1;
	return !r->cut && !r->nomem;
}

/* CTEs that name each other and long comparisons nest deeper than the tree itself. */
static int enter(struct resolver *r)
{
	if (++r->depth > SCOPE_DEPTH)
		r->cut = 1;
	return step(r, 1);
}

static void *room(struct resolver *r, void *p, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;
	void *q;

	if (n < *cap)
		return p;
	q = arena_alloc(r->a, want, size);
	if (!q) {
		r->nomem = 1;
		return NULL;
	}
	if (n)
		memcpy(q, p, n * size);
	*cap = want;
	return q;
}

static void add_output(struct resolver *r, struct sql_outputs *out, struct sql_output o)
{
	struct sql_output *p;

	if (++r->outputs > SCOPE_OUTPUTS)
		r->cut = 1;
	if (r->cut || !(p = room(r, out->o, out->n, &out->cap, sizeof o)))
		return;
	out->o = p;
	p[out->n++] = o;
}

/* The place of `column` counts from 0; -1, rowid, has the byte behind the last. */
static void note_read(struct resolver *r, int table, int column)
{
	size_t n = r->schema->tables[table].n;
	struct sql_column *p;
	char *seen;

	if (!r->read[table])
		r->read[table] = arena_alloc(r->a, n + 1, 1);
	if (!r->read[table]) {
		r->nomem = 1;
		return;
	}
	seen = &r->read[table][column < 0 ? n : (size_t)column];
	if (*seen)
		return;
	p = room(r, r->columns, r->n_columns, &r->cap_columns, sizeof *p);
	if (!p)
		return;
	*seen = 1;
	r->columns = p;
	p[r->n_columns++] = (struct sql_column){ table, column };
}

static void note_unknown(struct resolver *r, struct view name)
{
	struct view *p = room(r, r->unknown, r->n_unknown, &r->cap_unknown, sizeof *p);

	if (!p)
		return;
	r->unknown = p;
	p[r->n_unknown++] = name;
}

static size_t source_width(const struct resolver *r, const struct source *s)
{
	if (s->out)
		return s->out->n;
	return s->table >= 0 ? r->schema->tables[s->table].n : 0;
}

static struct sql_output source_column(const struct resolver *r, const struct source *s,
				       size_t i)
{
	if (s->out)
		return s->out->o[i];
	return (struct sql_output){ .name = r->schema->tables[s->table].columns[i].name,
				    .table = s->table,
				    .column = (int)i };
}

/* The place of a column in a source, or -1. */
static int source_find(struct resolver *r, const struct source *s, struct view name)
{
	size_t n = source_width(r, s);

	if (!step(r, n + 1))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (name_eq(source_column(r, s, i).name, name))
			return (int)i;
	return -1;
}

/* Is the column of source `i` the same as an earlier one's, by USING or NATURAL? */
static int is_shared(struct resolver *r, const struct scope *sc, size_t i,
		     struct view name)
{
	for (const struct term *t = sc->s[i].using; t; t = t->next)
		if (step(r, 1) && name_eq(t->alias, name))
			return 1;
	for (size_t j = 0; sc->s[i].natural && j < i; j++)
		if (source_find(r, &sc->s[j], name) >= 0)
			return 1;
	return 0;
}

static int is_rowid(struct view name)
{
	return name_is(name, "rowid") || name_is(name, "oid") ||
	       name_is(name, "_rowid_");
}

static void found_in(struct resolver *r, struct expr *x, const struct source *s, int i)
{
	struct sql_output o = source_column(r, s, (size_t)i);

	x->found = 1;
	x->table = o.table;
	x->column = o.column;
	x->source = s->id;
	if (!s->out)
		note_read(r, s->table, i);
}

static int find_column(struct resolver *r, struct expr *x, const struct scope *sc)
{
	for (size_t i = 0; i < sc->n; i++) {
		int c;

		if (x->qualifier.n && !name_eq(sc->s[i].name, x->qualifier))
			continue;
		c = source_find(r, &sc->s[i], x->name);
		if (c < 0)
			continue;
		found_in(r, x, &sc->s[i], c);
		return 1;
	}
	return 0;
}

/* Where just one source could have it, as SQLite wants. */
static int find_rowid(struct resolver *r, struct expr *x, const struct scope *sc)
{
	const struct source *only = NULL;

	if (!is_rowid(x->name))
		return 0;
	for (size_t i = 0; i < sc->n; i++) {
		if (sc->s[i].nested ||
		    (x->qualifier.n && !name_eq(sc->s[i].name, x->qualifier)))
			continue;
		if (only)
			return 0;
		only = &sc->s[i];
	}
	if (!only || only->table < 0)
		return 0;
	x->found = 1;
	x->table = only->table;
	x->column = schema_rowid_column(r->schema, only->table);
	x->source = only->id;
	note_read(r, x->table, x->column);
	return 1;
}

static int find_alias(struct resolver *r, struct expr *x, const struct core *core)
{
	if (x->qualifier.n || !core)
		return 0;
	for (const struct term *t = core->results; t; t = t->next) {
		if (!step(r, 1) || !t->alias.p || !name_eq(t->alias, x->name) ||
		    !t->expr)
			continue;
		x->found = 1;
		x->alias_of = t->expr;
		x->table = t->expr->table;
		x->column = t->expr->column;
		x->source = t->expr->source;
		return 1;
	}
	return 0;
}

static void resolve_name(struct resolver *r, struct expr *x, struct scope *sc)
{
	for (; sc && step(r, 1); sc = sc->outer)
		if (find_column(r, x, sc) || find_rowid(r, x, sc) ||
		    find_alias(r, x, sc->core))
			return;
	if (x->quote == '"' && !x->qualifier.n)
		x->literal = 1;
	else
		note_unknown(r, x->text);
}

static void resolve_terms(struct resolver *r, struct term *t, struct scope *sc,
			  struct with *with)
{
	for (; t; t = t->next)
		if (t->expr)
			resolve_expr(r, t->expr, sc, with);
}

static void resolve_expr(struct resolver *r, struct expr *x, struct scope *sc,
			 struct with *with)
{
	if (enter(r) && x->kind == EXPR_NAME)
		resolve_name(r, x, sc);
	for (struct expr *arg = x->args; arg && !r->cut; arg = arg->next)
		resolve_expr(r, arg, sc, with);
	if (x->select && !r->cut)
		resolve_select(r, x->select, sc, with, NULL);
	r->depth--;
}

static void expand_star(struct resolver *r, const struct expr *star,
			const struct scope *sc, struct sql_outputs *out)
{
	for (size_t i = 0; i < sc->n && step(r, 1); i++) {
		const struct source *s = &sc->s[i];
		size_t n = source_width(r, s);

		if (star->qualifier.n && !name_eq(s->name, star->qualifier))
			continue;
		for (size_t j = 0; j < n && step(r, 1); j++) {
			struct sql_output o = source_column(r, s, j);

			if (!star->qualifier.n && is_shared(r, sc, i, o.name))
				continue;
			if (!s->out)
				note_read(r, s->table, (int)j);
			o.star = 1;
			add_output(r, out, o);
		}
	}
}

static struct view output_name(const struct term *t)
{
	if (t->alias.p)
		return t->alias;
	return t->expr->kind == EXPR_NAME ? t->expr->name : t->expr->text;
}

static struct sql_outputs *resolve_results(struct resolver *r, struct core *c,
					   struct scope *sc, struct with *with)
{
	struct sql_outputs *out = arena_alloc(r->a, 1, sizeof *out);

	if (!out) {
		r->nomem = 1;
		return NULL;
	}
	for (struct term *t = c->results; t && step(r, 1); t = t->next) {
		if (!t->expr)
			continue;
		if (t->expr->kind == EXPR_STAR) {
			expand_star(r, t->expr, sc, out);
			continue;
		}
		resolve_expr(r, t->expr, sc, with);
		add_output(r, out,
			   (struct sql_output){ .name = output_name(t),
						.table = t->expr->table,
						.column = t->expr->column });
	}
	return out;
}

static void resolve_cte(struct resolver *r, struct cte *c, struct with *with)
{
	if (c->state != CTE_UNTOUCHED || !c->select)
		return;
	c->state = CTE_UNDER_WAY;
	resolve_select(r, c->select, with->scope, with, c);
	c->state = CTE_DONE;
}

/* 1 if `name` is a CTE; ret is what it gives, NULL while its first core is read. */
static int find_cte(struct resolver *r, struct view name, struct with *with,
		    struct sql_outputs **ret)
{
	for (; with; with = with->outer)
		for (struct cte *c = with->list; c && step(r, 1); c = c->next) {
			if (!name_eq(c->name, name))
				continue;
			resolve_cte(r, c, with);
			*ret = c->outputs;
			return 1;
		}
	return 0;
}

static struct source *add_source(struct resolver *r, struct scope *sc)
{
	struct source *s = room(r, sc->s, sc->n, &sc->cap, sizeof *s);

	if (!s)
		return NULL;
	sc->s = s;
	s += sc->n++;
	*s = (struct source){ .table = -1, .id = r->ids++ };
	return s;
}

static struct scope *open_sources(struct resolver *r, struct from *f, struct scope *sc,
				  struct with *with);

/* A parenthesised join of several tables reads all their columns, as SELECT * would. */
static struct sql_outputs *group_outputs(struct resolver *r, struct from *group,
					 struct scope *outer, struct with *with)
{
	struct scope *sc = arena_alloc(r->a, 1, sizeof *sc);
	struct sql_outputs *out = arena_alloc(r->a, 1, sizeof *out);
	struct expr star = { .kind = EXPR_STAR };

	if (!sc || !out) {
		r->nomem = 1;
		return NULL;
	}
	sc->outer = outer;
	open_sources(r, group, sc, with);
	expand_star(r, &star, sc, out);
	return out;
}

static void open_source(struct resolver *r, struct from *f, struct scope *sc,
			struct with *with)
{
	static const struct sql_outputs none;
	struct sql_outputs *out = NULL;
	int derived = 1, table = -1;
	struct source *s;

	if (f->select)
		out = resolve_select(r, f->select, sc->outer, with, NULL);
	else if (f->group)
		out = group_outputs(r, f->group, sc->outer, with);
	else if (!find_cte(r, f->name, with, &out))
		derived = (table = schema_find_table(r->schema, f->name)) < 0;
	if (derived && !out && f->name.n)
		note_unknown(r, f->name);
	s = add_source(r, sc);
	if (!s)
		return;
	f->table = s->table = table;
	s->name = f->alias.p ? f->alias : f->name;
	s->out = !derived ? NULL : out ? out : &none;
	s->natural = f->natural;
	s->using = f->using;
	s->nested = f->group != NULL;
}

/* A group without a name: its tables are seen from outside. If another stands before
 * it, SQLite makes it a subquery of all its columns all the same. */
static void open_group(struct resolver *r, struct from *group, int first,
		       struct scope *sc, struct with *with)
{
	size_t before = sc->n;
	struct sql_outputs unused = { 0 };
	struct expr star = { .kind = EXPR_STAR };
	struct scope own;

	open_sources(r, group, sc, with);
	if (first || !group->next)
		return;
	own = (struct scope){ .s = sc->s + before, .n = sc->n - before };
	expand_star(r, &star, &own, &unused);
	for (size_t i = before; i < sc->n; i++)
		sc->s[i].nested = 1;
}

static struct scope *open_sources(struct resolver *r, struct from *f, struct scope *sc,
				  struct with *with)
{
	struct from *first = f;

	for (; f && step(r, r->schema->n_tables); f = f->next) {
		f->table = -1;
		if (f->group && !f->alias.p)
			open_group(r, f->group, f == first, sc, with);
		else
			open_source(r, f, sc, with);
	}
	for (f = first; f && step(r, 1); f = f->next)
		if (f->on)
			resolve_expr(r, f->on, sc, with);
	return sc;
}

/* A core and, if it stands alone, the ORDER BY that may use its aliases. */
static struct sql_outputs *resolve_core(struct resolver *r, struct core *c,
					struct scope *sc, struct with *with)
{
	struct sql_outputs *out;

	open_sources(r, c->from, sc, with);
	out = resolve_results(r, c, sc, with);
	sc->core = c;
	if (c->where)
		resolve_expr(r, c->where, sc, with);
	if (c->having)
		resolve_expr(r, c->having, sc, with);
	sc->outer = NULL; /* GROUP BY and ORDER BY see nothing of the queries around */
	resolve_terms(r, c->group_by, sc, with);
	resolve_terms(r, c->windows, sc, with);
	return out;
}

static int names_output(struct resolver *r, struct expr *x,
			const struct sql_outputs *out, int any)
{
	for (size_t i = 0; out && i < out->n && step(r, 1); i++) {
		if ((!any && !out->o[i].star) || !name_eq(out->o[i].name, x->name))
			continue;
		x->found = 1;
		x->table = out->o[i].table;
		x->column = out->o[i].column;
		return 1;
	}
	return 0;
}

/* An ORDER BY term that is a bare name is first of all a result column: by its alias or
 * by the name a * gave it, over a compound by any name. */
static void resolve_order(struct resolver *r, struct select *s, struct scope *sc,
			  struct with *with, const struct sql_outputs *out)
{
	int compound = s->cores && s->cores->next;

	for (struct term *t = s->order_by; t && step(r, 1); t = t->next) {
		struct expr *x = t->expr;

		if (x && x->kind == EXPR_COLLATE)
			x = x->args;
		if (!x)
			continue;
		if (x->kind == EXPR_NAME && !x->qualifier.n &&
		    (find_alias(r, x, s->cores) || names_output(r, x, out, compound)))
			continue;
		resolve_expr(r, x, sc, with);
	}
}

/* SQLite tries the later cores too for a compound's ORDER BY; their names count as
 * outputs of the first, in the same place. */
static void add_names(struct resolver *r, struct sql_outputs *all,
		      const struct sql_outputs *out)
{
	for (size_t i = 0; out && i < out->n && !r->cut; i++)
		add_output(r, all, out->o[i]);
}

static struct sql_outputs *renamed(struct sql_outputs *out, const struct term *names)
{
	for (size_t i = 0; out && names && i < out->n; names = names->next)
		out->o[i++].name = names->alias;
	return out;
}

static struct sql_outputs *resolve_select(struct resolver *r, struct select *s,
					  struct scope *outer, struct with *with,
					  struct cte *self)
{
	struct with own = { s->with, with, outer };
	struct sql_outputs *first = NULL, all = { 0 };
	struct scope *first_scope = NULL;

	enter(r);
	for (struct core *c = s->cores; c && step(r, 1); c = c->next) {
		struct scope *sc = arena_alloc(r->a, 1, sizeof *sc);
		struct sql_outputs *out;

		if (!sc) {
			r->nomem = 1;
			break;
		}
		sc->outer = outer;
		out = resolve_core(r, c, sc, s->with ? &own : with);
		if (s->order_by)
			add_names(r, &all, out);
		if (!first) {
			first = out;
			first_scope = sc;
		}
		if (self && !self->outputs) /* what a recursive core will see */
			self->outputs = renamed(first, self->columns);
	}
	resolve_order(r, s, first_scope, s->with ? &own : with, &all);
	if (s->limit)
		resolve_expr(r, s->limit, outer, s->with ? &own : with);
	if (s->offset)
		resolve_expr(r, s->offset, outer, s->with ? &own : with);
	r->depth--;
	return first;
}

int scope_resolve(struct arena *a, const struct schema *s, struct select *select,
		  struct scope_result *ret)
{
	struct resolver r = { .a = a, .schema = s };
	struct sql_outputs *out;

	r.read = arena_alloc(a, s->n_tables + 1, sizeof *r.read);
	if (!r.read)
		return ERR_NOMEM;
	out = resolve_select(&r, select, NULL, NULL, NULL);
	if (r.nomem)
		return ERR_NOMEM;
	*ret = (struct scope_result){ r.columns,   r.n_columns, r.unknown,
				      r.n_unknown, out,         r.cut };
	return 0;
}
