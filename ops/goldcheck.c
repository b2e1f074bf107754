/* goldcheck.c - see goldcheck.h */
#include "ops/goldcheck.h"

#include "common/sql/lex.h"
#include "common/sql/rewrite.h"
#include "ops/schemaread.h"

#include <stdlib.h>

enum { TIE_STEPS = 100000, TIE_TICKS = 1000 }; /* 1e8 steps at most */

/* ---- the query that shows a tie ---- */

struct outline { /* byte offsets, of the outer query; 0: absent */
	size_t from, order, order_terms, limit, number, number_end;
	int depth, plain, selects;
};

static void outline_word(struct outline *o, const struct token *t, size_t at,
			 size_t end)
{
	if (token_is(t, "SELECT"))
		o->selects++;
	else if (token_is(t, "DISTINCT") || token_is(t, "UNION") ||
		 token_is(t, "EXCEPT") || token_is(t, "INTERSECT") ||
		 token_is(t, "WITH") || token_is(t, "VALUES") || token_is(t, "OFFSET"))
		o->plain = 0;
	else if (token_is(t, "FROM") && !o->from)
		o->from = at;
	else if (token_is(t, "ORDER"))
		o->order = at;
	else if (token_is(t, "BY") && o->order && !o->order_terms)
		o->order_terms = end;
	else if (token_is(t, "LIMIT"))
		o->limit = at;
}

static void outline_of(struct view sql, struct outline *ret)
{
	struct outline o = { .plain = 1 };
	struct lexer l = lex_of(sql);
	struct token t;

	while (lex_solid(&l, &t)) {
		size_t at = (size_t)(t.text.p - sql.p), end = at + t.text.n;

		if (token_op(&t, "("))
			o.depth++;
		else if (token_op(&t, ")"))
			o.depth--;
		else if (o.depth == 0 && o.limit && token_op(&t, ","))
			o.plain = 0;
		else if (o.depth == 0 && o.limit && t.kind == TOKEN_NUMBER &&
			 !o.number) {
			o.number = at;
			o.number_end = end;
		} else if (o.depth == 0 && t.kind == TOKEN_WORD)
			outline_word(&o, &t, at, end);
	}
	*ret = o;
}

/* ASC, DESC and what follows them are no part of a term's expression. */
static uint32_t copy_terms(struct view terms, struct buf *b)
{
	struct lexer l = lex_of(terms);
	struct token t;
	uint32_t n = 1;
	int depth = 0;

	buf_add_str(b, ", (");
	while (lex_next(&l, &t)) {
		depth += token_op(&t, "(") ? 1 : token_op(&t, ")") ? -1 : 0;
		if (depth == 0 && token_op(&t, ",")) {
			buf_add_str(b, "), (");
			n++;
		} else if (depth || !(token_is(&t, "ASC") || token_is(&t, "DESC") ||
				      token_is(&t, "NULLS") || token_is(&t, "FIRST") ||
				      token_is(&t, "LAST"))) {
			buf_add(b, t.text.p, t.text.n);
		}
	}
	buf_add_str(b, ") ");
	return n;
}

int gold_tie_query(struct view sql, struct buf *ret, uint64_t *ret_limit,
		   uint32_t *ret_terms)
{
	struct outline o;

	if (python_execute_shape(sql) != PYTHON_ONE)
		return 0;
	sql = statement_of(sql);
	outline_of(sql, &o);
	if (!o.limit)
		return 0;
	if (!o.plain || o.selects != 1 || !o.from || !o.order_terms || !o.number ||
	    o.from > o.order || o.order_terms > o.limit)
		return -1;
	*ret_limit = strtoull(sql.p + o.number, NULL, 10);
	buf_clear(ret);
	buf_add(ret, sql.p, o.from);
	*ret_terms = copy_terms(
		(struct view){ sql.p + o.order_terms, o.limit - o.order_terms }, ret);
	buf_add(ret, sql.p + o.from, o.number - o.from);
	buf_addf(ret, "%llu", (unsigned long long)*ret_limit + 1);
	buf_add(ret, sql.p + o.number_end, sql.n - o.number_end);
	return ret->bad ? -1 : 1;
}

/* ---- looking ---- */

struct look {
	struct arena *a;
	sqlite3 *db;
	int ticks;
	struct gold_report *r;
};

static int reads_only(void *arg, int action, const char *a, const char *b,
		      const char *c, const char *d)
{
	(void)arg, (void)a, (void)b, (void)c, (void)d;
	return action == SQLITE_SELECT || action == SQLITE_READ ||
			       action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE
		       ? SQLITE_OK
		       : SQLITE_DENY;
}

static int tick(void *arg)
{
	return --*(int *)arg <= 0;
}

static int same_value(sqlite3_value *a, sqlite3_value *b)
{
	int n = sqlite3_value_bytes(a);

	if (sqlite3_value_numeric_type(a) != SQLITE_TEXT &&
	    sqlite3_value_type(a) != SQLITE_NULL &&
	    sqlite3_value_type(a) != SQLITE_BLOB &&
	    sqlite3_value_type(b) != SQLITE_NULL)
		return sqlite3_value_double(a) == sqlite3_value_double(b);
	return sqlite3_value_type(a) == sqlite3_value_type(b) &&
	       n == sqlite3_value_bytes(b) &&
	       (n == 0 ||
		memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b), (size_t)n) == 0);
}

/* Are the terms of row `limit` and of the one behind it the same? */
static int cuts_a_tie(struct look *l, struct view sql, uint64_t limit, uint32_t terms)
{
	sqlite3_stmt *q = NULL;
	sqlite3_value **last;
	uint64_t row = 0;
	int tie = 0, columns;

	l->ticks = TIE_TICKS;
	if (sqlite3_prepare_v2(l->db, sql.p, (int)sql.n, &q, NULL) != SQLITE_OK || !q)
		return -1;
	columns = sqlite3_column_count(q);
	last = calloc(terms, sizeof *last);
	while (last && !tie && sqlite3_step(q) == SQLITE_ROW) {
		row++;
		tie = row == limit + 1;
		for (uint32_t k = 0; k < terms; k++) {
			sqlite3_value *v =
				sqlite3_column_value(q, columns - (int)terms + (int)k);

			if (row == limit)
				last[k] = sqlite3_value_dup(v);
			else if (row == limit + 1)
				tie &= last[k] && same_value(last[k], v);
		}
		if (row > limit)
			break;
	}
	for (uint32_t k = 0; last && k < terms; k++)
		sqlite3_value_free(last[k]);
	free(last);
	sqlite3_finalize(q);
	return tie;
}

static void look_at(struct look *l, const struct question *q, const struct gold_item *g,
		    struct buf *b)
{
	sqlite3_stmt *stmt = NULL;
	struct gold_report *r = l->r;
	uint64_t limit = 0;
	uint32_t terms = 0;
	int form, tie = 0;

	if (g->abstains)
		return;
	if (sqlite3_prepare_v2(l->db, g->run.p, (int)g->run.n, &stmt, NULL) !=
	    SQLITE_OK) {
		r->broken[r->nbroken++] =
			(struct gold_finding){ q,
					       arena_str(l->a, sqlite3_errmsg(l->db)) };
		return;
	}
	sqlite3_finalize(stmt);
	form = gold_tie_query(g->run, b, &limit, &terms);
	if (form == 1)
		tie = cuts_a_tie(l, buf_view(b), limit, terms);
	r->unlooked += form < 0 || tie < 0;
	if (tie > 0)
		r->tied[r->ntied++] = (struct gold_finding){ q, "" };
}

static int look_at_database(struct look *l, const struct sweep *s, const struct gold *g,
			    uint32_t db, struct err *e)
{
	struct buf b = { 0 };

	if (database_open_quietly(s->db[db].path, &l->db) != SQLITE_OK)
		return err_set(e, ERR_INPUT, "%s: %s", s->db[db].path,
			       sqlite3_errmsg(l->db));
	sqlite3_set_authorizer(l->db, reads_only, NULL);
	sqlite3_limit(l->db, SQLITE_LIMIT_LENGTH, 16 << 20);
	sqlite3_progress_handler(l->db, TIE_STEPS, tick, &l->ticks);
	for (uint32_t i = 0; i < s->nq; i++)
		if (s->q[i].db == db) {
			l->ticks = TIE_TICKS;
			look_at(l, &s->q[i], &g->item[i], &b);
		}
	buf_free(&b);
	sqlite3_close(l->db);
	l->db = NULL;
	return 0;
}

int gold_check(struct arena *a, const struct sweep *s, const struct gold *g,
	       struct gold_report *ret, struct err *e)
{
	struct gold_report r = { .n = s->nq };
	struct look l = { .a = a, .r = &r };
	int rc = 0;

	r.broken = arena_alloc(a, s->nq + 1, sizeof *r.broken);
	r.tied = arena_alloc(a, s->nq + 1, sizeof *r.tied);
	if (!r.broken || !r.tied)
		return err_set(e, ERR_NOMEM, "gold");
	for (uint32_t db = 0; db < s->ndb && !rc; db++)
		rc = look_at_database(&l, s, g, db, e);
	if (!rc)
		*ret = r;
	return rc;
}
