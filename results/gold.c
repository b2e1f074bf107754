/* gold.c - see gold.h */
#include "results/gold.h"

#include "common/base/mem.h"
#include "common/sql/lex.h"
#include "common/sql/rewrite.h"

#include <stdlib.h>

enum { NAMED = 10 }; /* ids that an error names */

struct by_id {
	struct view id;
	uint32_t at;
};

static int id_cmp(const void *a, const void *b)
{
	const struct by_id *x = a, *y = b;

	return view_cmp(x->id, y->id);
}

static int twice(const struct by_id *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (view_eq(v[i - 1].id, v[i].id))
			return 1;
	return 0;
}

/* Does an ORDER BY stand anywhere in it, outside literals and comments? */
static int has_order_by(struct view sql)
{
	struct lexer l = lex_of(sql);
	struct token t;
	int order = 0;

	while (lex_solid(&l, &t)) {
		if (order && token_is(&t, "by"))
			return 1;
		order = token_is(&t, "order");
	}
	return 0;
}

static int rewrite(const struct sweep *s, struct gold_item *it, struct arena *a)
{
	char now[SWEEP_NOW];
	struct buf b = { 0 };
	int bad;

	sweep_now(s, now);
	if (s->rule == RULE_spider)
		rewrite_spider_gold(&b, it->sql, s->keep_distinct);
	else if (s->rule == RULE_ehrsql)
		rewrite_ehrsql(&b, it->sql);
	else if (s->rule == RULE_ehrsql_v1)
		rewrite_ehrsql_v1(&b, it->sql, view_of(now));
	else
		buf_add(&b, it->sql.p, it->sql.n);
	it->run = arena_view(a, buf_view(&b));
	bad = b.bad || !it->run.p;
	buf_free(&b);
	return bad ? ERR_NOMEM : 0;
}

static int fill(const struct sweep *s, const struct gold_row *row, struct arena *a,
		struct gold_item *it)
{
	it->sql = arena_view(a, row->sql);
	it->level = arena_view(a, row->level);
	if (row->level.n == 0 && row->answerable >= 0)
		it->level = view_of(row->answerable ? "answerable" : "unanswerable");
	if (!it->sql.p || !it->level.p || rewrite(s, it, a) != 0)
		return ERR_NOMEM;
	it->run_hash = hash_of(it->run.p, it->run.n);
	it->abstains = rule_abstains(s->rule) && rewrite_is_abstention(it->run);
	it->strict_ordered = (uint8_t)has_order_by(it->run);
	if (s->rule == RULE_spider)
		it->ordered = (uint8_t)rewrite_order_matters(it->run);
	else if (s->rule == RULE_plain)
		it->ordered = it->strict_ordered;
	return 0;
}

static int same_database(const struct sweep *s, const struct question *q,
			 const struct gold_row *row, struct err *e)
{
	struct view db = s->db[q->db].id;

	if (row->db.n == 0 || view_eq(row->db, db))
		return 0;
	return err_set(e, ERR_INPUT,
		       "gold of question %.*s is for database '%.*s', the question for "
		       "'%.*s': are these files of one benchmark, in one order?",
		       (int)q->id.n, q->id.p, (int)row->db.n, row->db.p, (int)db.n,
		       db.p);
}

/* Every question's row stands at its line. */
static int place(const struct sweep *s, const struct gold_row *row, uint32_t n,
		 uint32_t total, uint32_t *at, struct err *e)
{
	if (total && n != total)
		return err_set(e, ERR_INPUT,
			       "gold has %u items, the benchmark %u questions; without "
			       "unique ids both must be the same, in one order",
			       n, total);
	for (uint32_t i = 0; i < s->nq; i++) {
		const struct question *q = &s->q[i];

		if (q->position >= n)
			return err_set(e, ERR_INPUT,
				       "question %.*s (line %u) has no gold: the file "
				       "ends after %u items",
				       (int)q->id.n, q->id.p, q->position + 1, n);
		if (row[q->position].id.n && !view_eq(row[q->position].id, q->id))
			return err_set(e, ERR_INPUT,
				       "ids occur twice and the orders differ: item %u "
				       "is %.*s in gold and %.*s in the questions",
				       q->position + 1, (int)row[q->position].id.n,
				       row[q->position].id.p, (int)q->id.n, q->id.p);
		at[i] = q->position;
	}
	return 0;
}

static int find(const struct sweep *s, const struct by_id *sorted, uint32_t n,
		uint32_t *at, struct err *e)
{
	struct buf missing = { .max = 600 };
	uint32_t count = 0;
	int rc = 0;

	for (uint32_t i = 0; i < s->nq; i++) {
		struct by_id key = { .id = s->q[i].id };
		const struct by_id *hit = bsearch(&key, sorted, n, sizeof key, id_cmp);

		if (hit)
			at[i] = hit->at;
		else if (count++ < NAMED)
			buf_addf(&missing, " %.*s", (int)key.id.n, key.id.p);
	}
	if (count)
		rc = err_set(e, ERR_INPUT, "%u of %u questions have no gold:%s%s",
			     count, s->nq, missing.p ? missing.p : "",
			     count > NAMED ? " ..." : "");
	buf_free(&missing);
	return rc;
}

static int sorted_new(const struct gold_row *row, const struct question *q, uint32_t n,
		      struct by_id **ret)
{
	*ret = mem_alloc(n + 1, sizeof **ret);
	if (!*ret)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		(*ret)[i] = (struct by_id){ row ? row[i].id : q[i].id, i };
	qsort(*ret, n, sizeof **ret, id_cmp);
	return 0;
}

/* at[i]: the row that belongs to question i. */
static int align(const struct sweep *s, const struct gold_row *row, uint32_t n,
		 uint32_t total, uint32_t *at, struct err *e)
{
	struct by_id *rows = NULL, *asked = NULL;
	int rc = ERR_NOMEM;

	if (sorted_new(row, NULL, n, &rows) != 0 ||
	    sorted_new(NULL, s->q, s->nq, &asked) != 0)
		err_set(e, ERR_NOMEM, "gold of %u items", n);
	else if ((n && rows[0].id.n == 0) || twice(rows, n) || twice(asked, s->nq))
		rc = place(s, row, n, total, at, e);
	else
		rc = find(s, rows, n, at, e);
	mem_free(rows);
	mem_free(asked);
	return rc;
}

int gold_new(const struct sweep *s, const struct gold_row *row, uint32_t n,
	     uint32_t total, struct gold **ret, struct err *e)
{
	struct gold *g = mem_alloc(1, sizeof *g);
	uint32_t *at = mem_alloc(s->nq + 1, sizeof *at);
	int rc = ERR_NOMEM;

	if (g && at)
		g->item = arena_alloc(&g->arena, s->nq + 1, sizeof *g->item);
	if (!g || !at || !g->item) {
		err_set(e, ERR_NOMEM, "gold of %u questions", s->nq);
		goto out;
	}
	g->n = s->nq;
	rc = align(s, row, n, total, at, e);
	for (uint32_t i = 0; rc == 0 && i < s->nq; i++) {
		rc = same_database(s, &s->q[i], &row[at[i]], e);
		if (rc == 0 && fill(s, &row[at[i]], &g->arena, &g->item[i]) != 0)
			rc = err_set(e, ERR_NOMEM, "gold of %u questions", s->nq);
	}
	if (rc == 0) {
		*ret = g;
		g = NULL;
	}
out:
	mem_free(at);
	gold_free(&g);
	return rc;
}

static int correct_one(struct gold *g, const struct sweep *s,
		       const struct gold_row *row, uint32_t q, struct err *e)
{
	int rc = same_database(s, &s->q[q], row, e);

	if (rc == 0 && fill(s, row, &g->arena, &g->corrected[q]) != 0)
		rc = err_set(e, ERR_NOMEM, "corrected gold");
	g->is_corrected[q] = rc == 0;
	return rc;
}

static int correct_by_id(struct gold *g, const struct sweep *s,
			 const struct gold_row *row, const struct by_id *sorted,
			 uint32_t n, struct err *e)
{
	uint32_t found = 0;
	int rc = 0;

	for (uint32_t q = 0; rc == 0 && q < s->nq; q++) {
		struct by_id key = { .id = s->q[q].id };
		const struct by_id *hit = bsearch(&key, sorted, n, sizeof key, id_cmp);

		if (!hit)
			continue;
		found++;
		rc = correct_one(g, s, &row[hit->at], q, e);
	}
	if (rc == 0 && !found)
		rc = err_set(e, ERR_INPUT,
			     "none of %u corrected items is of a question here: their "
			     "ids are others",
			     n);
	return rc;
}

int gold_correct(struct gold *g, const struct sweep *s, const struct gold_row *row,
		 uint32_t n, uint32_t total, struct err *e)
{
	struct by_id *sorted = NULL;
	int rc = 0;

	g->corrected = arena_alloc(&g->arena, s->nq + 1, sizeof *g->corrected);
	g->is_corrected = arena_alloc(&g->arena, s->nq + 1, 1);
	if (!g->corrected || !g->is_corrected || sorted_new(row, NULL, n, &sorted) != 0)
		rc = err_set(e, ERR_NOMEM, "corrected gold of %u items", n);
	else if (twice(sorted, n) && sorted[0].id.n)
		rc = err_set(e, ERR_INPUT, "an id occurs twice in the corrected gold");
	else if (n && sorted[0].id.n)
		rc = correct_by_id(g, s, row, sorted, n, e);
	else if (total && n != total)
		rc = err_set(e, ERR_INPUT,
			     "corrected gold has %u items without ids, the benchmark "
			     "%u questions: give ids, or all of them in order",
			     n, total);
	else
		for (uint32_t q = 0; rc == 0 && q < s->nq; q++)
			if (s->q[q].position < n)
				rc = correct_one(g, s, &row[s->q[q].position], q, e);
	mem_free(sorted);
	return rc;
}

void gold_free(struct gold **g)
{
	if (!*g)
		return;
	arena_free(&(*g)->arena);
	mem_free(*g);
	*g = NULL;
}
