/* sqlexec.c - see sqlexec.h
 *
 * The memory limit is on what a query takes beyond what the process holds already, and
 * that includes pages of its database that earlier queries left in the cache. So that
 * the verdict does not depend on them, a query gets a little less than its limit first;
 * where that is not enough it is run again, with the whole limit and nothing cached.
 */
#include "worker/sqlexec.h"

#include "common/base/clock.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "common/base/utf8.h"
#include "common/select/alike.h"
#include "common/select/digest.h"
#include "common/select/equal.h"
#include "proto/alike_out.h"
#include "proto/equal_out.h"
#include "proto/exec_out.h"
#include "proto/softf1_out.h"
#include "worker/sqlmemo.h"
#include "worker/sqlprogram.h"
#include "worker/sqlrun.h"
#include "worker/sqlvfs.h"

#include <stdio.h>

/* Up to here it costs less to run a query than to ask what it compiles to. */
enum { SHORT_STEPS = 2000 };

/* Rows of the result that are kept, and where their text lies. */
struct preview {
	struct cell *cells; /* EXEC_PREVIEW_ROWS rows */
	size_t cap;
	uint32_t cols, rows;
	size_t left; /* characters */
	size_t used; /* bytes of text[] */
	int cut;
	char text[EXEC_PREVIEW_CHARS];
};

struct sqlexec {
	struct sqlrun run, explain;
	struct sqlmemo memo;
	struct buf program;
	struct arena arena;
	struct digest *digest;
	struct preview preview;
	/* of the request at hand */
	const struct sql_request *request;
	struct equal *equal;
	struct alike *alike;
	enum equal_side side;
};

int sqlexec_new(struct sqlexec **ret)
{
	struct sqlexec *x = mem_alloc(1, sizeof *x);

	if (!x)
		return ERR_NOMEM;
	if (digest_new(&x->digest)) {
		mem_free(x);
		return ERR_NOMEM;
	}
	*ret = x;
	return 0;
}

void sqlexec_free(struct sqlexec **x_)
{
	struct sqlexec *x = *x_;

	if (!x)
		return;
	sqlrun_free(&x->run);
	sqlrun_free(&x->explain);
	sqlmemo_free(&x->memo);
	buf_free(&x->program);
	arena_free(&x->arena);
	digest_free(&x->digest);
	mem_free(x->preview.cells);
	mem_free(x);
	*x_ = NULL;
}

void sqlexec_on_tick(struct sqlexec *x, void (*tick)(void *arg), void *arg)
{
	x->run.tick = tick;
	x->run.tick_arg = arg;
}

void sqlexec_forget(struct sqlexec *x)
{
	sqlmemo_forget(&x->memo);
}

/* ---- preview ---- */

static int preview_begin(struct preview *p, uint32_t cols)
{
	size_t n = (size_t)cols * EXEC_PREVIEW_ROWS;

	if (n > p->cap) {
		struct cell *cells = mem_resize(p->cells, n, sizeof *cells);

		if (!cells)
			return ERR_NOMEM;
		p->cells = cells;
		p->cap = n;
	}
	p->cols = cols;
	p->rows = 0;
	p->left = EXEC_PREVIEW_CHARS;
	p->used = 0;
	p->cut = 0;
	return 0;
}

static size_t printed(const struct cell *c)
{
	char s[32];

	switch (c->type) {
	case CELL_INT: return (size_t)snprintf(s, sizeof s, "%lld", (long long)c->i);
	case CELL_REAL: return (size_t)snprintf(s, sizeof s, "%.15g", c->d);
	case CELL_NULL: return 4;
	default: return c->v.n;
	}
}

/* The longest prefix of at most `max` bytes that cuts no valid character in two. */
static size_t prefix(struct view v, size_t max)
{
	if (v.n <= max)
		return v.n;
	for (size_t back = 1; back <= 3 && back <= max; back++)
		if ((v.p[max - back] & 0xc0) == 0xc0)
			return utf8_point(v.p + max - back, v.n - max + back, NULL) >
					       back
				       ? max - back
				       : max;
	return max;
}

static struct cell preview_cell(struct preview *p, const struct cell *c)
{
	struct cell r = *c;
	size_t n = printed(c);

	if (c->type < CELL_TEXT && n <= p->left) {
		p->left -= n;
		return r;
	}
	r.type = c->type == CELL_BLOB ? CELL_BLOB : CELL_TEXT;
	r.v.p = p->text + p->used;
	r.v.n = c->type < CELL_TEXT    ? 0
		: c->type == CELL_BLOB ? (n < p->left ? n : p->left)
				       : prefix(c->v, p->left);
	r.whole = r.v.n < n ? n : 0;
	p->cut |= r.whole != 0;
	if (r.v.n)
		memcpy(p->text + p->used, c->v.p, r.v.n);
	p->used += r.v.n;
	p->left -= r.v.n;
	return r;
}

static void preview_row(struct preview *p, const struct cell *cells)
{
	if (p->rows == EXEC_PREVIEW_ROWS || p->left == 0) {
		p->cut = 1;
		return;
	}
	for (uint32_t i = 0; i < p->cols; i++)
		p->cells[(size_t)p->rows * p->cols + i] = preview_cell(p, &cells[i]);
	p->rows++;
}

/* ---- exec ---- */

static int exec_begin(void *x_, uint32_t cols)
{
	struct sqlexec *x = x_;
	const struct sql_request *q = x->request;
	int r = preview_begin(&x->preview, cols);

	return r ? r
		 : digest_begin(x->digest, q->digests, q->text, cols, q->limits.memory);
}

static int exec_row(void *x_, const struct cell *cells)
{
	struct sqlexec *x = x_;

	preview_row(&x->preview, cells);
	return digest_row(x->digest, cells);
}

/* As Python, which raises where a text does not decode. */
static void fail_decode(struct exec_out *o)
{
	o->status = STATUS_error;
	o->note = view_of("decode");
	o->error = view_of("could not decode to UTF-8");
}

static void finish_exec(struct sqlexec *x)
{
	struct exec_out *o = &x->run.out;
	struct digest_sum sum;

	if (!status_ok(o->status)) {
		o->cut = 0;
		return;
	}
	digest_end(x->digest, &sum);
	o->cells = sum.cells;
	o->nulls = sum.nulls;
	o->reals = sum.reals;
	o->one_zero = sum.one_zero;
	o->invalid_utf8 = sum.invalid_utf8;
	o->cut = x->preview.cut;
	o->preview = x->preview.cells;
	o->preview_rows = x->preview.rows;
	if (sum.invalid_utf8 && x->request->text == TEXT_STRICT)
		fail_decode(o);
	else
		o->digests = sum.digests;
}

static int hit_memory(const struct sqlrun *r)
{
	return r->out.status == STATUS_limit && view_eq(r->out.note, view_of("memory"));
}

static struct sqlrun_sink exec_sink(struct sqlexec *x)
{
	return (struct sqlrun_sink){ exec_begin, exec_row, x };
}

static struct sql_limits less(const struct sql_limits *l)
{
	struct sql_limits r = *l;
	uint64_t spare = l->memory / 8 < (16u << 20) ? l->memory / 8 : (16u << 20);

	r.memory -= spare;
	return r;
}

/* As far as a short query gets. 1: it was none and has more steps to go. */
static int run_short(struct sqlexec *x, struct sqlconn *c, const struct sql_limits *l)
{
	struct sql_limits brief = *l;

	if (brief.steps > SHORT_STEPS)
		brief.steps = SHORT_STEPS;
	sqlrun_exec(&x->run, c, x->request->sql, &brief, exec_sink(x));
	return x->run.out.status == STATUS_timeout && brief.steps < l->steps;
}

static void run_long(struct sqlexec *x, struct sqlconn *c, const struct sql_limits *l)
{
	sqlvfs_reseed();
	sqlrun_again(&x->run, c, l, exec_sink(x));
}

static void run_alone(struct sqlexec *x, struct sqlconn *c)
{
	const struct sql_request *r = x->request;

	sqlrun_end(&x->run);
	if (!sqlconn_reopen(c, NULL))
		sqlrun_exec(&x->run, c, r->sql, &r->limits, exec_sink(x));
}

/* All that an answer depends on, its names and warnings apart. 0: it cannot be told. */
static int program_key(struct sqlexec *x, struct sqlconn *c, const struct sql_limits *l,
		       struct hash *ret)
{
	const struct sql_request *r = x->request;
	const uint64_t around[] = {
		(uintptr_t)c, (uint64_t)r->clock_ms,
		l->steps,     l->rows,
		l->length,    l->memory,
		r->digests,   (uint64_t)r->text,
	};
	struct buf *b = &x->program;

	buf_clear(b);
	buf_add(b, around, sizeof around);
	if (!sqlprogram_list(&x->explain, c, r->sql, l, b) || b->bad)
		return 0;
	*ret = hash_of(b->p, b->n);
	return 1;
}

/* 1: the program has run, and what it gave is in `ret` as this query's answer. */
static int answer_again(struct sqlexec *x, const struct hash *key, struct buf *ret)
{
	struct view answer = sqlmemo_get(&x->memo, key);
	const struct exec_out *mine = &x->run.out;
	struct exec_out o;

	arena_reset(&x->arena);
	if (!answer.n || exec_out_decode(answer, &o, &x->arena) || o.cols != mine->cols)
		return 0;
	o.names = mine->names;
	o.warnings = mine->warnings;
	o.n_warnings = mine->n_warnings;
	exec_out_encode(&o, ret);
	return 1;
}

static void answer(struct sqlexec *x, struct sqlconn *c, struct buf *ret)
{
	const struct sql_limits first = less(&x->request->limits);
	size_t from = ret->n;
	struct hash key;
	int told = 0;

	if (run_short(x, c, &first)) {
		told = program_key(x, c, &first, &key);
		if (told && answer_again(x, &key, ret))
			return;
		run_long(x, c, &first);
	}
	if (hit_memory(&x->run))
		run_alone(x, c);
	finish_exec(x);
	exec_out_encode(&x->run.out, ret);
	if (told && !ret->bad)
		sqlmemo_put(&x->memo, &key,
			    (struct view){ ret->p + from, ret->n - from });
}

void sqlexec_exec(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		  struct buf *ret)
{
	x->request = r;
	answer(x, c, ret);
	sqlrun_end(&x->run);
}

/* ---- equal ---- */

static int equal_begin_side(void *x_, uint32_t cols)
{
	struct sqlexec *x = x_;

	equal_columns(x->equal, x->side, cols);
	return 0;
}

static int equal_add(void *x_, const struct cell *cells)
{
	struct sqlexec *x = x_;

	return equal_row(x->equal, x->side, cells);
}

/* Runs one side into `sink`; its status, and its note where there is one. */
static enum status hold(struct sqlexec *x, struct sqlconn *c, enum equal_side side,
			struct sqlrun_sink sink, struct view *note)
{
	const struct sql_request *r = x->request;

	x->side = side;
	sqlrun_exec(&x->run, c, side == EQUAL_A ? r->sql : r->other, &r->limits, sink);
	if (!status_ok(x->run.out.status))
		*note = x->run.out.note; /* a literal: it outlives the statement */
	sqlrun_end(&x->run);
	return x->run.out.status;
}

/* 1 when both sides are held. */
static int hold_both(struct sqlexec *x, struct sqlconn *c, enum status *a,
		     enum status *b, struct view *note)
{
	const struct sqlrun_sink sink = { equal_begin_side, equal_add, x };

	*a = hold(x, c, EQUAL_A, sink, note);
	*b = *a;
	if (!status_ok(*a))
		return 0;
	*b = hold(x, c, EQUAL_B, sink, note);
	return status_ok(*b);
}

void sqlexec_equal(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		   struct buf *ret)
{
	struct equal_out o = { .note = { "", 0 },
			       .a = STATUS_limit,
			       .b = STATUS_limit };

	x->request = r;
	if (equal_new(r->limits.memory, r->text, &x->equal)) {
		o.note = view_of("memory");
	} else if (hold_both(x, c, &o.a, &o.b, &o.note) &&
		   equal_decide(x->equal, r->ordered, &o.equal)) {
		o.equal = 0;
		o.note = view_of("memory");
	}
	equal_free(&x->equal);
	equal_out_encode(&o, ret);
}

/* ---- alike ---- */

static const enum alike_side alike_sides[] = {
	[EQUAL_A] = ALIKE_A, [EQUAL_B] = ALIKE_B
};

static int alike_begin_side(void *x_, uint32_t cols)
{
	struct sqlexec *x = x_;

	return alike_columns(x->alike, alike_sides[x->side],
			     x->request->ordered ? NULL : x->run.out.names, cols);
}

static int alike_add(void *x_, const struct cell *cells)
{
	struct sqlexec *x = x_;

	return alike_row(x->alike, alike_sides[x->side], cells);
}

static void measure(struct sqlexec *x, struct sqlconn *c, struct alike_out *o)
{
	const struct sqlrun_sink sink = { alike_begin_side, alike_add, x };

	o->a = hold(x, c, EQUAL_A, sink, &o->note);
	o->b = o->a;
	if (!status_ok(o->a))
		return;
	o->b = hold(x, c, EQUAL_B, sink, &o->note);
	if (status_ok(o->b))
		alike_decide(x->alike, &o->same, &o->all);
}

void sqlexec_alike(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		   struct buf *ret)
{
	struct alike_out o = { .note = { "", 0 },
			       .a = STATUS_limit,
			       .b = STATUS_limit };

	x->request = r;
	if (alike_new(r->limits.memory, r->text, &x->alike))
		o.note = view_of("memory");
	else
		measure(x, c, &o);
	alike_free(&x->alike);
	alike_out_encode(&o, ret);
}

/* ---- softf1 ---- */

static int near(const struct equal *q, double *ret)
{
	struct numbered a = equal_side_of(q, EQUAL_A), b = equal_side_of(q, EQUAL_B);

	return softf1(&a, &b, ret);
}

void sqlexec_softf1(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		    struct buf *ret)
{
	struct softf1_out o = { .note = { "", 0 },
				.a = STATUS_limit,
				.b = STATUS_limit };

	x->request = r;
	if (equal_new(r->limits.memory, r->text, &x->equal)) {
		o.note = view_of("memory");
	} else if (hold_both(x, c, &o.a, &o.b, &o.note) && near(x->equal, &o.f1)) {
		o.f1 = 0;
		o.note = view_of("memory");
	}
	equal_free(&x->equal);
	softf1_out_encode(&o, ret);
}

/* ---- time ---- */

static int drop_begin(void *x, uint32_t cols)
{
	(void)x;
	(void)cols;
	return 0;
}

/* The cells were fetched, which is what counts. */
static int drop_row(void *x, const struct cell *cells)
{
	(void)x;
	(void)cells;
	return 0;
}

static int time_once(struct sqlexec *x, struct sqlconn *c, struct view sql,
		     uint64_t *ret_ns, struct err *e)
{
	struct sqlrun_sink sink = { drop_begin, drop_row, x };
	uint64_t from = clock_ns();
	int rc = sqlconn_reopen(c, e);

	if (rc)
		return rc;
	sqlrun_exec(&x->run, c, sql, &x->request->limits, sink);
	if (!status_ok(x->run.out.status))
		rc = err_set(e, ERR_VALUE, "a query that is timed ends as %s",
			     status_name(x->run.out.status));
	sqlrun_end(&x->run);
	*ret_ns = clock_ns() - from;
	return rc;
}

int sqlexec_time(struct sqlexec *x, struct sqlconn *c, const struct sql_request *r,
		 struct buf *ret, struct err *e)
{
	uint64_t *ns = mem_alloc((size_t)2 * r->call + 1, sizeof *ns);
	int rc = ns ? 0 : err_set(e, ERR_NOMEM, "%u repeats", r->call);

	x->request = r;
	for (uint32_t i = 0; i < r->call && !rc; i++) {
		rc = time_once(x, c, r->sql, &ns[i], e);
		if (!rc)
			rc = time_once(x, c, r->other, &ns[r->call + i], e);
	}
	if (!rc) {
		pack_array(ret, 2);
		for (uint32_t side = 0; side < 2; side++) {
			pack_array(ret, r->call);
			for (uint32_t i = 0; i < r->call; i++)
				pack_u64(ret, ns[side * r->call + i]);
		}
	}
	mem_free(ns);
	return rc;
}
