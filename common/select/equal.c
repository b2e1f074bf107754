/* equal.c - see equal.h
 *
 * Colours. A row's colour is made of its cells and their columns' colours, a column's
 * of its cells and their rows' colours, each as a sum so that order does not matter.
 * Both results are coloured by the same rule, so what can be matched has equal colours;
 * the reverse holds in practice, and an exact comparison of the rows decides.
 */
#include "common/select/equal.h"

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/select/pystr.h"

#include <assert.h>
#include <stdlib.h>

/* Distinct values, each once; a cell is its index. */
struct values {
	struct cell *cell;
	uint32_t n, cap;
	uint32_t *slot; /* open addressing, index + 1; 0 is free */
	size_t slot_cap;
};

struct side {
	uint32_t cols;
	size_t rows, cap; /* cap: cells */
	uint32_t *id;     /* rows * cols */
	uint8_t *real;    /* rows * cols: a whole number that is a real */
	size_t reals;     /* of them */
	uint64_t *row;    /* colours */
	uint64_t *col;
	uint64_t *next; /* the columns' next colours */
};

struct equal {
	size_t memory, used;
	enum text_mode text;
	struct values values;
	struct side side[2];
	uint64_t work; /* cells looked at by the search */
	uint32_t *map; /* column of a -> column of b */
};

/* About ten seconds; results that real queries give take none of it. */
static const uint64_t work_max = 2000000000;

static int charge(struct equal *q, size_t n)
{
	if (n > q->memory - q->used)
		return ERR_LIMIT;
	q->used += n;
	return 0;
}

int equal_new(size_t memory, enum text_mode text, struct equal **ret)
{
	struct equal *q = mem_alloc(1, sizeof *q);

	if (!q)
		return ERR_NOMEM;
	q->memory = memory;
	q->text = text;
	*ret = q;
	return 0;
}

void equal_free(struct equal **q_)
{
	struct equal *q = *q_;

	if (!q)
		return;
	for (uint32_t i = 0; i < q->values.n; i++)
		if (q->values.cell[i].type >= CELL_TEXT)
			mem_free((void *)q->values.cell[i].v.p);
	mem_free(q->values.cell);
	mem_free(q->values.slot);
	for (int s = 0; s < 2; s++) {
		mem_free(q->side[s].id);
		mem_free(q->side[s].real);
		mem_free(q->side[s].row);
		mem_free(q->side[s].col);
		mem_free(q->side[s].next);
	}
	mem_free(q->map);
	mem_free(q);
	*q_ = NULL;
}

void equal_columns(struct equal *q, enum equal_side side, uint32_t cols)
{
	assert(q->side[side].rows == 0);
	q->side[side].cols = cols;
}

/* ---- values to numbers ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a + 0x9e3779b97f4a7c15u) ^ (b * 0xbf58476d1ce4e5b9u + (b >> 29));

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint64_t hash_value(const struct cell *c)
{
	uint64_t bits = 0;

	if (c->type >= CELL_TEXT)
		return mix(sip64_of(c->v.p, c->v.n), c->type);
	if (c->type == CELL_REAL)
		memcpy(&bits, &c->d, 8);
	else if (c->type == CELL_INT)
		bits = (uint64_t)c->i;
	return mix(bits, c->type);
}

static uint32_t *find(const struct values *v, const struct cell *c)
{
	size_t i = hash_value(c) & (v->slot_cap - 1);

	while (v->slot[i] && !cell_eq(&v->cell[v->slot[i] - 1], c))
		i = (i + 1) & (v->slot_cap - 1);
	return &v->slot[i];
}

static int grow_slots(struct equal *q)
{
	struct values *v = &q->values;
	size_t cap = v->slot_cap ? v->slot_cap * 2 : 256;
	uint32_t *slot;
	int r = charge(q, (cap - v->slot_cap) * sizeof *slot);

	if (r)
		return r;
	slot = mem_alloc(cap, sizeof *slot);
	if (!slot)
		return ERR_NOMEM;
	mem_free(v->slot);
	v->slot = slot;
	v->slot_cap = cap;
	for (uint32_t i = 0; i < v->n; i++)
		*find(v, &v->cell[i]) = i + 1;
	return 0;
}

static int grow_values(struct equal *q)
{
	struct values *v = &q->values;
	uint32_t cap = v->cap ? v->cap * 2 : 128;
	struct cell *cell;
	int r = charge(q, (cap - v->cap) * sizeof *cell);

	if (r)
		return r;
	cell = mem_resize(v->cell, cap, sizeof *cell);
	if (!cell)
		return ERR_NOMEM;
	v->cell = cell;
	v->cap = cap;
	return 0;
}

static int keep(struct equal *q, struct cell *c)
{
	char *p;
	int r;

	if (c->type < CELL_TEXT)
		return 0;
	r = charge(q, c->v.n + 16);
	if (r)
		return r;
	p = mem_dup(c->v.p ? c->v.p : "", c->v.n);
	if (!p)
		return ERR_NOMEM;
	if (c->type == CELL_TEXT && q->text == TEXT_IGNORE)
		c->v.n = utf8_ignore(c->v, p);
	c->v.p = p;
	return 0;
}

static int number_new(struct equal *q, const struct cell *c, uint32_t *ret)
{
	struct values *v = &q->values;
	struct cell mine = *c;
	uint32_t *at;
	int r = v->n == v->cap ? grow_values(q) : 0;

	if (!r && (v->n + 1) * (size_t)2 > v->slot_cap)
		r = grow_slots(q);
	if (!r)
		r = keep(q, &mine);
	if (r)
		return r;
	at = find(v, &mine);
	if (*at) { /* the cleaned text is known */
		mem_free((void *)mine.v.p);
		*ret = *at - 1;
		return 0;
	}
	v->cell[v->n] = mine;
	*ret = v->n;
	*at = ++v->n;
	return 0;
}

static int number(struct equal *q, const struct cell *cell, uint32_t *ret)
{
	struct cell c = cell_plain(cell);
	uint32_t *at = q->values.slot_cap ? find(&q->values, &c) : NULL;

	if (c.type == CELL_TEXT && q->text == TEXT_IGNORE && !utf8_valid(c.v))
		at = NULL;
	if (!at || !*at)
		return number_new(q, &c, ret);
	*ret = *at - 1;
	return 0;
}

/* Room for one more row. */
static int grow_side(struct equal *q, struct side *s)
{
	size_t n = (s->rows + 1) * s->cols, cap = s->cap ? s->cap : 128;
	uint32_t *id;
	uint8_t *real;
	int r;

	if (n <= s->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	r = charge(q, (cap - s->cap) * (sizeof *id + sizeof *real));
	if (r)
		return r;
	id = mem_resize(s->id, cap, sizeof *id);
	if (id)
		s->id = id;
	real = mem_resize(s->real, cap, sizeof *real);
	if (real)
		s->real = real;
	if (!id || !real)
		return ERR_NOMEM;
	s->cap = cap;
	return 0;
}

int equal_row(struct equal *q, enum equal_side which, const struct cell *cells)
{
	struct side *s = &q->side[which];
	int r = grow_side(q, s);

	for (uint32_t i = 0; i < s->cols && !r; i++) {
		size_t at = s->rows * s->cols + i;

		r = number(q, &cells[i], &s->id[at]);
		s->real[at] = cells[i].type == CELL_REAL &&
			      cell_plain(&cells[i]).type == CELL_INT;
		s->reals += s->real[at];
	}
	s->rows += !r;
	return r;
}

struct numbered equal_side_of(const struct equal *q, enum equal_side side)
{
	const struct side *s = &q->side[side];

	return (struct numbered){ s->id, s->cols, s->rows };
}

/* ---- columns and rows, exactly ---- */

static int same_column(const struct side *a, uint32_t i, const struct side *b,
		       uint32_t j)
{
	for (size_t r = 0; r < a->rows; r++)
		if (a->id[r * a->cols + i] != b->id[r * b->cols + j])
			return 0;
	return 1;
}

static int word_cmp(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

struct row_order {
	const uint32_t *id;
	uint32_t cols;
};

static int row_cmp(const void *a, const void *b, void *order_)
{
	const struct row_order *o = order_;

	return word_cmp(o->id + (size_t) * (const uint32_t *)a * o->cols,
			o->id + (size_t) * (const uint32_t *)b * o->cols, o->cols);
}

static int sorted_rows(struct equal *q, const uint32_t *id, const struct side *s,
		       uint32_t **ret)
{
	struct row_order o = { id, s->cols };
	uint32_t *at;
	int r = charge(q, s->rows * sizeof *at);

	if (r)
		return r;
	at = mem_alloc(s->rows, sizeof *at);
	if (!at)
		return ERR_NOMEM;
	for (size_t i = 0; i < s->rows; i++)
		at[i] = (uint32_t)i;
	qsort_r(at, s->rows, sizeof *at, row_cmp, &o);
	*ret = at;
	return 0;
}

/* b's cells with its columns in a's order */
static int permuted(struct equal *q, uint32_t **ret)
{
	const struct side *b = &q->side[EQUAL_B];
	uint32_t *id;
	int r = charge(q, b->rows * b->cols * sizeof *id);

	if (r)
		return r;
	id = mem_alloc(b->rows * b->cols, sizeof *id);
	if (!id)
		return ERR_NOMEM;
	for (size_t r_ = 0; r_ < b->rows; r_++)
		for (uint32_t i = 0; i < b->cols; i++)
			id[r_ * b->cols + i] = b->id[r_ * b->cols + q->map[i]];
	*ret = id;
	return 0;
}

/* Are the bags equal under q->map? */
static int same_rows(struct equal *q, int *ret)
{
	const struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	uint32_t *ia = NULL, *ib = NULL, *moved = NULL;
	size_t used = q->used;
	int r = permuted(q, &moved);

	if (!r)
		r = sorted_rows(q, a->id, a, &ia);
	if (!r)
		r = sorted_rows(q, moved, b, &ib);
	*ret = !r;
	for (size_t i = 0; !r && *ret && i < a->rows; i++)
		*ret = word_cmp(a->id + (size_t)ia[i] * a->cols,
				moved + (size_t)ib[i] * b->cols, a->cols) == 0;
	mem_free(ia);
	mem_free(ib);
	mem_free(moved);
	q->used = used;
	return r;
}

static int equal_lists(struct equal *q, int *ret)
{
	const struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	uint8_t *taken = mem_alloc(b->cols, 1);

	if (!taken)
		return ERR_NOMEM;
	*ret = 1;
	for (uint32_t i = 0; *ret && i < a->cols; i++) {
		uint32_t j = 0;

		while (j < b->cols && (taken[j] || !same_column(a, i, b, j)))
			j++;
		if (j < b->cols)
			taken[j] = 1;
		else
			*ret = 0;
	}
	mem_free(taken);
	return 0;
}

/* ---- the scorer's hasty test ---- */

static struct cell cell_at(const struct equal *q, const struct side *s, size_t at)
{
	struct cell c = q->values.cell[s->id[at]];

	return s->real[at] ? (struct cell){ .type = CELL_REAL, .d = (double)c.i } : c;
}

/* ret: for each row a number of its cells, sorted by their text. */
static int hasty_rows(const struct equal *q, const struct side *s, uint64_t *ret)
{
	struct cell *cell = mem_alloc(s->cols, sizeof *cell);
	uint32_t *order = mem_alloc(s->cols, sizeof *order),
		 *id = mem_alloc(s->cols, sizeof *id);
	struct pyorder p = { .key = NULL };
	int rc = cell && order && id ? 0 : ERR_NOMEM;

	for (size_t r = 0; r < s->rows && !rc; r++) {
		for (uint32_t i = 0; i < s->cols; i++)
			cell[i] = cell_at(q, s, r * s->cols + i);
		rc = py_order(&p, cell, s->cols, order);
		for (uint32_t i = 0; i < s->cols && !rc; i++)
			id[i] = s->id[r * s->cols + order[i]];
		if (!rc)
			ret[r] = sip64_of(id, s->cols * sizeof *id);
	}
	py_order_free(&p);
	mem_free(cell);
	mem_free(order);
	mem_free(id);
	return rc;
}

static int u64_cmp(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

static size_t as_set(uint64_t *v, size_t n)
{
	size_t kept = 0;

	qsort(v, n, sizeof *v, u64_cmp);
	for (size_t i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

/* Where no whole number is a real, equal rows sort alike. */
static int hasty(struct equal *q, int ordered, int *ret)
{
	struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	size_t used = q->used, n = a->rows, na = n, nb = n;
	uint64_t *x, *y;
	int r;

	*ret = 1;
	if (!(a->reals | b->reals))
		return 0;
	r = charge(q, 2 * n * sizeof *x);
	if (r)
		return r;
	x = mem_alloc(n, sizeof *x);
	y = mem_alloc(n, sizeof *y);
	r = x && y ? hasty_rows(q, a, x) : ERR_NOMEM;
	if (!r)
		r = hasty_rows(q, b, y);
	if (!r && !ordered) {
		na = as_set(x, n);
		nb = as_set(y, n);
	}
	*ret = !r && na == nb && !memcmp(x, y, na * sizeof *x);
	mem_free(x);
	mem_free(y);
	q->used = used;
	return r;
}

/* ---- colours ---- */

static void colour_rows(struct side *s)
{
	for (size_t r = 0; r < s->rows; r++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < s->cols; i++)
			sum += mix(s->id[r * s->cols + i], s->col[i]);
		s->row[r] = mix(sum, 1);
	}
}

static void colour_columns(struct side *s)
{
	for (uint32_t i = 0; i < s->cols; i++)
		s->next[i] = 0;
	for (size_t r = 0; r < s->rows; r++)
		for (uint32_t i = 0; i < s->cols; i++)
			s->next[i] += mix(s->id[r * s->cols + i], s->row[r]);
	for (uint32_t i = 0; i < s->cols; i++)
		s->col[i] = mix(s->next[i], s->col[i]);
}

/* How many colours the columns have; `next` is left sorted. */
static uint32_t count_colours(struct side *s)
{
	uint32_t n = 1;

	memcpy(s->next, s->col, s->cols * sizeof *s->col);
	qsort(s->next, s->cols, sizeof *s->next, u64_cmp);
	for (uint32_t i = 1; i < s->cols; i++)
		n += s->next[i] != s->next[i - 1];
	return n;
}

/* 1 if both sides' columns have the same colours equally often, else 0. */
static int alike(struct equal *q, uint32_t *ret_colours)
{
	struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];

	*ret_colours = count_colours(a);
	count_colours(b);
	return !memcmp(a->next, b->next, a->cols * sizeof *a->next);
}

static int rows_alike(const struct equal *q)
{
	const struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	uint64_t x = 0, y = 0;

	for (size_t r = 0; r < a->rows; r++) {
		x += mix(a->row[r], 2);
		y += mix(b->row[r], 2);
	}
	return x == y;
}

/* Colours until nothing new is told apart. 0 when the sides differ. */
static int refine(struct equal *q)
{
	uint32_t before, now = 0;

	do {
		before = now;
		for (int s = 0; s < 2; s++) {
			colour_rows(&q->side[s]);
			colour_columns(&q->side[s]);
		}
		q->work += 4 * (uint64_t)q->side[0].rows * q->side[0].cols;
		if (!rows_alike(q) || !alike(q, &now))
			return 0;
	} while (now > before && now < q->side[0].cols);
	return 1;
}

/* ---- the search ---- */

/* Pairs what has one colour and is one column repeated; gives a column of a whose
 * colour is shared by different ones (its partner is open), or cols: everything is
 * paired. */
static uint32_t pair_off(struct equal *q)
{
	const struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	uint32_t open = a->cols;

	for (uint32_t i = 0; i < a->cols; i++) {
		uint32_t nth = 0, first_b = UINT32_MAX;

		for (uint32_t k = 0; k < i; k++)
			if (a->col[k] == a->col[i]) {
				nth++;
				if (open == a->cols && !same_column(a, k, a, i))
					open = i;
			}
		for (uint32_t j = 0; j < b->cols; j++) {
			if (b->col[j] != a->col[i])
				continue;
			if (first_b == UINT32_MAX)
				first_b = j;
			else if (open == a->cols && !same_column(b, first_b, b, j))
				open = i;
			if (nth-- == 0)
				q->map[i] = j;
		}
	}
	return open;
}

static int search(struct equal *q, int *ret);

/* a's column i is b's column j: colours tell so, and the search goes on. */
static int try_pair(struct equal *q, uint32_t i, uint32_t j, const uint64_t *a_col,
		    const uint64_t *b_col, int *ret)
{
	struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];

	memcpy(a->col, a_col, a->cols * sizeof *a_col);
	memcpy(b->col, b_col, b->cols * sizeof *b_col);
	a->col[i] = b->col[j] = mix(a_col[i], 3);
	*ret = 0;
	return refine(q) ? search(q, ret) : 0;
}

static int search_from(struct equal *q, uint32_t i, int *ret)
{
	const struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	uint64_t *a_col = mem_alloc(a->cols, sizeof *a_col);
	uint64_t *b_col = mem_alloc(b->cols, sizeof *b_col);
	int r = 0;

	if (!a_col || !b_col) {
		mem_free(a_col);
		mem_free(b_col);
		return ERR_NOMEM;
	}
	memcpy(a_col, a->col, a->cols * sizeof *a_col);
	memcpy(b_col, b->col, b->cols * sizeof *b_col);
	for (uint32_t j = 0; !r && !*ret && j < b->cols; j++) {
		int again = b_col[j] != a_col[i];

		for (uint32_t k = 0; !again && k < j; k++)
			again = b_col[k] == b_col[j] && same_column(b, k, b, j);
		if (!again)
			r = try_pair(q, i, j, a_col, b_col, ret);
	}
	mem_free(a_col);
	mem_free(b_col);
	return r;
}

static int search(struct equal *q, int *ret)
{
	uint32_t open;

	if (q->work > work_max)
		return ERR_LIMIT;
	open = pair_off(q);
	q->work += q->side[0].rows * q->side[0].cols;
	return open < q->side[0].cols ? search_from(q, open, ret) : same_rows(q, ret);
}

static int colours_for(struct equal *q, struct side *s)
{
	int r = charge(q, s->rows * sizeof *s->row);

	if (r)
		return r;
	s->row = mem_alloc(s->rows, sizeof *s->row);
	s->col = mem_alloc(s->cols, sizeof *s->col);
	s->next = mem_alloc(s->cols, sizeof *s->next);
	return s->row && s->col && s->next ? 0 : ERR_NOMEM;
}

int equal_decide(struct equal *q, int ordered, int *ret)
{
	struct side *a = &q->side[EQUAL_A], *b = &q->side[EQUAL_B];
	int r;

	*ret = a->rows == 0 && b->rows == 0;
	if (*ret || a->rows != b->rows || a->cols != b->cols)
		return 0;
	r = hasty(q, ordered, ret);
	if (r || !*ret)
		return r;
	*ret = 0;
	if (ordered)
		return equal_lists(q, ret);
	q->map = mem_alloc(a->cols, sizeof *q->map);
	if (!q->map)
		return ERR_NOMEM;
	r = colours_for(q, a);
	if (!r)
		r = colours_for(q, b);
	if (r || !refine(q))
		return r;
	return search(q, ret);
}
