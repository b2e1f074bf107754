/* bank_make.c - see bank_make.h */
#include "worker/bank_make.h"

#include "common/base/mem.h"
#include "common/io/bank.h"
#include "common/select/embed.h"
#include "common/sql/analysis.h"
#include "common/sql/memory.h"
#include "worker/recall.h"

#include <stdlib.h>

struct made_item { /* what one item came to; buffers are used again for the next */
	struct buf memory, text, flag;
	struct arena a;
	struct bank_item item;
};

static int is_number(struct view id)
{
	return id.n && id.p[0] != '"';
}

/* Numbers by value, before strings by bytes. */
static int id_cmp(struct view a, struct view b)
{
	long long x, y;

	if (is_number(a) != is_number(b))
		return is_number(a) ? -1 : 1;
	if (!is_number(a))
		return view_cmp(a, b);
	x = atoll(a.p);
	y = atoll(b.p);
	return x != y ? (x > y) - (x < y) : view_cmp(a, b);
}

static int by_id(const void *x, const void *y)
{
	const struct train_item *const *a = x, *const *b = y;
	int c = id_cmp((*a)->id, (*b)->id);

	return c ? c : (*a > *b) - (*a < *b); /* of equal ids the first of the file */
}

const struct train_item **bank_order(const struct train *t, uint32_t *ret_n)
{
	const struct train_item **v = mem_alloc((size_t)t->n + 1, sizeof *v);
	uint32_t n = 0;

	for (uint32_t i = 0; v && i < t->n; i++)
		v[i] = &t->item[i];
	if (v)
		qsort(v, t->n, sizeof *v, by_id);
	for (uint32_t i = 0; v && i < t->n; i++)
		if (n == 0 || !view_eq(v[i]->id, v[n - 1]->id))
			v[n++] = v[i];
	*ret_n = n;
	return v;
}

static void render(const struct train_item *t, const struct buf *memory, struct buf *b)
{
	buf_add_str(b, "Question: ");
	buf_add(b, t->question.p, t->question.n);
	if (t->evidence.n) {
		buf_add_str(b, "\nEvidence: ");
		buf_add(b, t->evidence.p, t->evidence.n);
	}
	buf_add_str(b, "\nMemory: ");
	buf_add(b, memory->p, memory->n);
	buf_add_char(b, '\n');
}

static const struct schema *schema_for(const struct bank_world *w, struct view db_id)
{
	static const struct schema none;
	const struct schema *s = w->schema ? w->schema(w->world, db_id) : NULL;

	return s ? s : &none;
}

/* Fills flag, or memory and text. */
static int derive(const struct train_item *t, const struct bank_world *w,
		  struct made_item *m, struct bank_made *count, struct err *e)
{
	const struct schema *s = schema_for(w, t->db_id);
	struct sql_analysis sql;
	int code;

	if (w->excludes && w->excludes(w->world, t, &m->flag)) {
		count->excluded++;
		return 0;
	}
	if (w->runs && !w->runs(w->world, t, &m->flag)) {
		count->failed++;
		return 0;
	}
	buf_clear(&m->flag);
	if (w->memory && !w->memory(w->world, t, &m->memory, &m->flag)) {
		count->unlearnt++;
		return 0;
	}
	buf_clear(&m->flag);
	code = w->memory ? 0
			 : memory_derive(s, t->question, t->evidence, t->sql,
					 &m->memory, e);
	if (code == ERR_VALUE) {
		buf_add_str(&m->flag, "no SELECT in its SQL");
		count->no_select++;
		return 0;
	}
	if (!code)
		code = sql_analyse(&m->a, s, t->sql, &sql);
	if (code)
		return code;
	m->item.compares = sql.compares & ((1u << SQL_COMPARES) - 1);
	render(t, &m->memory, &m->text);
	return 0;
}

static void item_begin(struct made_item *m, const struct train_item *t)
{
	buf_clear(&m->memory);
	buf_clear(&m->text);
	buf_clear(&m->flag);
	arena_free(&m->a);
	m->item = (struct bank_item){ .id = t->id,
				      .db_id = t->db_id,
				      .question = t->question,
				      .evidence = t->evidence,
				      .sql = t->sql };
}

/* The caller's vector or `own`, which is filled; NULL: none. */
static const float *vector_of(const struct bank_world *w, const struct train_item *t,
			      const struct made_item *m, float own[EMBED_DIM])
{
	if (!m->text.n)
		return NULL;
	embed_text(t->question, own);
	return w->vector ? w->vector(w->world, t) : own;
}

static int add_item(struct bank_writer *out, const struct train_item *t,
		    const struct bank_world *w, struct made_item *m,
		    struct bank_made *count, struct err *e)
{
	float own[EMBED_DIM];
	const float *vector;
	int code;

	item_begin(m, t);
	code = derive(t, w, m, count, e);
	if (!code && (m->memory.bad || m->text.bad || m->flag.bad))
		code = err_set(e, ERR_NOMEM, "memory of a training question");
	if (code)
		return code;
	vector = vector_of(w, t, m, own);
	if (!vector && !m->flag.n)
		buf_add_str(&m->flag, m->text.n ? "no vector" : "left out");
	m->item.memory = buf_view(&m->memory);
	m->item.text = buf_view(&m->text);
	m->item.flag = buf_view(&m->flag);
	count->items++;
	count->good += !m->flag.n;
	return bank_add_both(out, &m->item, vector, own, e);
}

static int add_all(struct bank_writer *out, const struct train *t,
		   const struct bank_world *w, struct bank_made *count, struct err *e)
{
	uint32_t n;
	const struct train_item **v = bank_order(t, &n);
	struct made_item m = { 0 };
	int code = v ? 0 : err_set(e, ERR_NOMEM, "%u training questions", t->n);

	count->duplicates = t->n - n;
	for (uint32_t i = 0; i < n && !code; i++)
		code = add_item(out, v[i], w, &m, count, e);
	buf_free(&m.memory);
	buf_free(&m.text);
	buf_free(&m.flag);
	arena_free(&m.a);
	mem_free(v);
	return code;
}

int bank_is_own(const struct bank *b)
{
	return recall_is_own(b);
}

int bank_make(const struct train *t, const struct bank_world *w, const char *path,
	      struct bank_made *ret, struct err *e)
{
	static const struct bank_world nothing;
	struct bank_about about = {
		.embedder =
			w && w->embedder.n ? w->embedder : view_of(recall_embedder()),
		.dim = w && w->embedder.n ? w->dim : EMBED_DIM,
		.own_dim = w && w->embedder.n ? EMBED_DIM : 0,
		.source = w && w->source.n ? w->source : view_of("derived"),
		.train = t->hash,
	};
	struct bank_made made = { 0 };
	struct bank_writer *out;
	int code = bank_begin(path, &about, &out, e);

	if (code)
		return code;
	code = add_all(out, t, w ? w : &nothing, &made, e);
	if (!code && !made.good)
		code = err_set(e, ERR_INPUT,
			       "bank %s: none of %u training questions is usable", path,
			       t->n);
	if (code) {
		bank_abandon(&out);
		return code;
	}
	code = bank_finish(&out, &made.name, e);
	if (!code)
		*ret = made;
	return code;
}
