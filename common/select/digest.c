/* digest.c - see digest.h */
#include "common/select/digest.h"

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/select/pynum.h"
#include "common/select/pystr.h"

#include <stdlib.h>

typedef unsigned __int128 u128;

/* A row's bytes; grows, keeps its memory. */
struct bytes {
	unsigned char *p;
	size_t n, cap;
};

/* The rows of smallest text: a heap with the largest on top. */
struct smallest {
	struct bytes row[DIGEST_EHR_ROWS];
	size_t n;
};

struct digest {
	unsigned mask;
	enum text_mode text;
	size_t memory;
	struct digest_sum sum;
	struct bytes row, clean, line;
	struct sip *seen; /* open addressing; 0,0 is free */
	size_t seen_n, seen_cap;
	u128 set, bag;
	struct sip list;
	u128 first; /* of the first rows, for EHR1 */
	u128 *column;
	uint32_t column_cap;
	struct smallest *smallest;
};

enum { SEEN_MIN = 64, KEEP = 1 << 16 };

static int room(struct bytes *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	unsigned char *p;

	if (b->cap - b->n >= n)
		return 1;
	while (cap - b->n < n)
		cap *= 2;
	p = mem_resize(b->p, cap, 1);
	if (!p)
		return 0;
	b->p = p;
	b->cap = cap;
	return 1;
}

static void shrink(struct bytes *b)
{
	b->n = 0;
	if (b->cap <= KEEP)
		return;
	mem_free(b->p);
	*b = (struct bytes){ 0 };
}

static u128 wide(struct sip s)
{
	return (u128)s.hi << 64 | s.lo;
}

static void put_8(unsigned char *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

/* ---- canonical bytes ---- */

static struct view text_of(struct digest *d, const struct cell *c)
{
	if (utf8_valid(c->v))
		return c->v;
	d->sum.invalid_utf8 = 1;
	if (d->text != TEXT_IGNORE)
		return c->v;
	d->clean.n = 0;
	if (!room(&d->clean, c->v.n))
		return (struct view){ NULL, 0 };
	return (struct view){ (char *)d->clean.p,
			      utf8_ignore(c->v, (char *)d->clean.p) };
}

static int put_bytes(struct digest *d, enum cell_type tag, struct view v)
{
	struct bytes *b = &d->row;

	if (!v.p && v.n == 0)
		v.p = "";
	if (!room(b, 9 + v.n))
		return ERR_NOMEM;
	b->p[b->n] = (unsigned char)tag;
	put_8(b->p + b->n + 1, v.n);
	memcpy(b->p + b->n + 9, v.p, v.n);
	b->n += 9 + v.n;
	return 0;
}

static int put_number(struct digest *d, enum cell_type tag, uint64_t bits)
{
	struct bytes *b = &d->row;

	if (!room(b, 9))
		return ERR_NOMEM;
	b->p[b->n] = (unsigned char)tag;
	put_8(b->p + b->n + 1, bits);
	b->n += 9;
	return 0;
}

/* A plain cell. */
static int put_cell(struct digest *d, const struct cell *c)
{
	uint64_t bits = 0;

	switch (c->type) {
	case CELL_NULL: d->sum.nulls++; return put_number(d, CELL_NULL, 0);
	case CELL_INT: return put_number(d, CELL_INT, (uint64_t)c->i);
	case CELL_REAL: memcpy(&bits, &c->d, 8); return put_number(d, CELL_REAL, bits);
	case CELL_TEXT: return put_bytes(d, CELL_TEXT, text_of(d, c));
	case CELL_BLOB: return put_bytes(d, CELL_BLOB, c->v);
	}
	return ERR_VALUE;
}

/* Where a whole number is a real: 1 and 1.0 are one value, and one row. */
static void add_real(struct digest *d, uint32_t column)
{
	uint64_t at[2] = { d->sum.rows + 1, column };

	d->sum.reals += sip64_of(at, sizeof at);
}

/* The row's bytes in d->row, and each cell's hash added to its column's sum. */
static int put_row(struct digest *d, const struct cell *cells)
{
	int columns = d->mask & DIGEST_SIG && d->sum.cols > 1, r;

	d->row.n = 0;
	for (uint32_t i = 0; i < d->sum.cols; i++) {
		struct cell plain = cell_plain(&cells[i]);
		size_t from = d->row.n;

		r = put_cell(d, &plain);
		if (r)
			return r;
		if (!columns)
			continue;
		d->column[i] += wide(sip_of(d->row.p + from, d->row.n - from));
		if (plain.type != cells[i].type)
			add_real(d, i);
	}
	return 0;
}

/* ---- the set ---- */

static struct sip *place(struct sip *seen, size_t cap, const struct sip *s)
{
	size_t i = s->lo & (cap - 1);

	while ((seen[i].lo | seen[i].hi) && !sip_eq(&seen[i], s))
		i = (i + 1) & (cap - 1);
	return &seen[i];
}

static int grow_seen(struct digest *d)
{
	size_t cap = d->seen_cap ? d->seen_cap * 2 : SEEN_MIN;
	struct sip *seen;

	if (cap * sizeof *seen > d->memory)
		return ERR_LIMIT;
	seen = mem_alloc(cap, sizeof *seen);
	if (!seen)
		return ERR_NOMEM;
	for (size_t i = 0; i < d->seen_cap; i++)
		if (d->seen[i].lo | d->seen[i].hi)
			*place(seen, cap, &d->seen[i]) = d->seen[i];
	mem_free(d->seen);
	d->seen = seen;
	d->seen_cap = cap;
	return 0;
}

static int add_to_set(struct digest *d, const struct sip *hash)
{
	struct sip *at;
	int r;

	if (d->seen_n * 2 >= d->seen_cap) {
		r = grow_seen(d);
		if (r)
			return r;
	}
	at = place(d->seen, d->seen_cap, hash);
	if (at->lo | at->hi)
		return 0;
	*at = *hash;
	d->seen_n++;
	d->set += wide(*hash);
	return 0;
}

static void clear_set(struct digest *d)
{
	d->set = 0;
	if (d->seen_cap > KEEP / sizeof *d->seen) {
		mem_free(d->seen);
		d->seen = NULL;
		d->seen_cap = 0;
	} else if (d->seen_n) {
		memset(d->seen, 0, d->seen_cap * sizeof *d->seen);
	}
	d->seen_n = 0;
}

/* ---- the answer string of EHRSQL 2024 ---- */

/* Bytes so that memcmp of lines is the order of the lists of strings: a string ends in
 * 0, and a 0 or 1 within it is written as 1 1 or 1 2. */
static int put_string(struct bytes *b, const char *s, size_t n)
{
	if (!room(b, 2 * n + 1))
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c <= 1)
			b->p[b->n++] = 1;
		b->p[b->n++] = c <= 1 ? c + 1 : c;
	}
	b->p[b->n++] = 0;
	return 0;
}

static int put_blob(struct bytes *b, struct view v)
{
	if (!room(b, 4 * v.n + 4))
		return ERR_NOMEM;
	b->n += py_str_bytes(v, (char *)b->p + b->n);
	b->p[b->n++] = 0;
	return 0;
}

static int put_text(struct digest *d, struct view v)
{
	char number[PY_REPR];
	double x;

	if (!utf8_valid(v)) {
		d->clean.n = 0;
		if (!room(&d->clean, v.n))
			return ERR_NOMEM;
		v = (struct view){ (char *)d->clean.p,
				   utf8_ignore(v, (char *)d->clean.p) };
	}
	if (py_float(v, 0, &x))
		return put_string(&d->line, number, py_repr_round3(x, number));
	return put_string(&d->line, v.p, v.n);
}

static int put_answer(struct digest *d, const struct cell *c)
{
	char number[PY_REPR];
	double x = 0;

	switch (c->type) {
	case CELL_NULL: return put_string(&d->line, "None", 4);
	case CELL_INT: x = (double)c->i; break;
	case CELL_REAL: x = c->d; break;
	case CELL_TEXT: return put_text(d, c->v);
	case CELL_BLOB:
		if (!py_float(c->v, 1, &x))
			return put_blob(&d->line, c->v);
		break;
	}
	return put_string(&d->line, number, py_repr_round3(x, number));
}

static int line_cmp(const struct bytes *a, const struct bytes *b)
{
	return view_cmp((struct view){ (char *)a->p, a->n },
			(struct view){ (char *)b->p, b->n });
}

static void swap(struct bytes *a, struct bytes *b)
{
	struct bytes t = *a;

	*a = *b;
	*b = t;
}

static void sift_up(struct bytes *row, size_t i)
{
	for (; i && line_cmp(&row[i], &row[(i - 1) / 2]) > 0; i = (i - 1) / 2)
		swap(&row[i], &row[(i - 1) / 2]);
}

static void sift_down(struct bytes *row, size_t n)
{
	for (size_t i = 0, k; (k = 2 * i + 1) < n; i = k) {
		k += k + 1 < n && line_cmp(&row[k + 1], &row[k]) > 0;
		if (line_cmp(&row[k], &row[i]) <= 0)
			return;
		swap(&row[k], &row[i]);
	}
}

static int add_answer(struct digest *d, const struct cell *cells)
{
	struct smallest *s = d->smallest;
	int r;

	d->line.n = 0;
	for (uint32_t i = 0; i < d->sum.cols; i++) {
		r = put_answer(d, &cells[i]);
		if (r)
			return r;
	}
	if (s->n < DIGEST_EHR_ROWS) {
		swap(&s->row[s->n], &d->line);
		sift_up(s->row, s->n++);
	} else if (line_cmp(&d->line, &s->row[0]) < 0) {
		swap(&s->row[0], &d->line);
		sift_down(s->row, s->n);
	}
	return 0;
}

/* ---- the answer string of EHRSQL v1 ---- */

/* The script compares str() of rows as retrieved: 1, 1.0 and '1' are three values, and
 * so are 0.0 and -0.0. Equal strings are equal cells of one kind, bit for bit. */
static int put_typed(struct digest *d, const struct cell *c)
{
	uint64_t bits = 0;

	switch (c->type) {
	case CELL_NULL: return put_number(d, CELL_NULL, 0);
	case CELL_INT: return put_number(d, CELL_INT, (uint64_t)c->i);
	case CELL_REAL: memcpy(&bits, &c->d, 8); return put_number(d, CELL_REAL, bits);
	case CELL_TEXT: return put_bytes(d, CELL_TEXT, c->v);
	case CELL_BLOB: return put_bytes(d, CELL_BLOB, c->v);
	}
	return ERR_VALUE;
}

/* The first rows in the order of retrieval, then as a bag. */
static int add_first(struct digest *d, const struct cell *cells)
{
	int r;

	if (d->sum.rows > DIGEST_EHR_ROWS)
		return 0;
	d->row.n = 0;
	for (uint32_t i = 0; i < d->sum.cols; i++) {
		r = put_typed(d, &cells[i]);
		if (r)
			return r;
	}
	d->first += wide(sip_of(d->row.p, d->row.n));
	return 0;
}

/* ---- the whole ---- */

int digest_new(struct digest **ret)
{
	struct digest *d = mem_alloc(1, sizeof *d);

	if (!d)
		return ERR_NOMEM;
	d->smallest = mem_alloc(1, sizeof *d->smallest);
	if (!d->smallest) {
		mem_free(d);
		return ERR_NOMEM;
	}
	*ret = d;
	return 0;
}

void digest_free(struct digest **d_)
{
	struct digest *d = *d_;

	if (!d)
		return;
	for (size_t i = 0; i < DIGEST_EHR_ROWS; i++)
		mem_free(d->smallest->row[i].p);
	mem_free(d->smallest);
	mem_free(d->row.p);
	mem_free(d->clean.p);
	mem_free(d->line.p);
	mem_free(d->seen);
	mem_free(d->column);
	mem_free(d);
	*d_ = NULL;
}

static int columns_for(struct digest *d, uint32_t cols)
{
	u128 *column;

	if (cols > d->column_cap) {
		column = mem_resize(d->column, cols, sizeof *column);
		if (!column)
			return ERR_NOMEM;
		d->column = column;
		d->column_cap = cols;
	}
	if (cols)
		memset(d->column, 0, cols * sizeof *d->column);
	return 0;
}

int digest_begin(struct digest *d, unsigned mask, enum text_mode text, uint32_t cols,
		 size_t memory)
{
	d->mask = mask;
	d->text = text;
	d->memory = memory;
	d->sum = (struct digest_sum){ .cols = cols, .digests.mask = mask };
	if (mask & DIGEST_EHR1)
		d->sum.digests.mask ^= DIGEST_EHR1 | DIGEST_EHR;
	d->bag = d->first = 0;
	d->list = (struct sip){ 0, 0 };
	shrink(&d->row);
	shrink(&d->clean);
	shrink(&d->line);
	for (size_t i = 0; i < d->smallest->n; i++)
		shrink(&d->smallest->row[i]);
	d->smallest->n = 0;
	clear_set(d);
	return mask & DIGEST_SIG ? columns_for(d, cols) : 0;
}

static int is_zero(const struct cell *c)
{
	return (c->type == CELL_INT && c->i == 0) ||
	       (c->type == CELL_REAL && c->d == 0);
}

static struct sip chain(const struct sip *list, const struct sip *row)
{
	struct sip both[2] = { *list, *row };

	return sip_of(both, sizeof both);
}

int digest_row(struct digest *d, const struct cell *cells)
{
	struct sip hash;
	int r = put_row(d, cells);

	if (r)
		return r;
	d->sum.one_zero = d->sum.rows == 0 && d->sum.cols == 1 && is_zero(cells);
	d->sum.rows++;
	d->sum.cells += d->sum.cols;
	hash = sip_of(d->row.p, d->row.n);
	hash.hi |= !(hash.lo | hash.hi); /* 0,0 means free in the table */
	d->bag += wide(hash);
	if (d->mask & DIGEST_SIG && d->sum.cols == 1)
		d->column[0] += wide(hash);
	if (d->mask & DIGEST_LIST)
		d->list = chain(&d->list, &hash);
	if (d->mask & DIGEST_SET)
		r = add_to_set(d, &hash);
	if (!r && d->mask & DIGEST_EHR)
		r = add_answer(d, cells);
	if (!r && d->mask & DIGEST_EHR1)
		r = add_first(d, cells);
	return r;
}

/* What a digest is made of last; `rows` 0 leaves out everything else. */
static struct sip seal(char kind, uint64_t rows, uint32_t cols, u128 sum)
{
	unsigned char b[40] = { 0 };

	b[0] = (unsigned char)kind;
	if (rows) {
		put_8(b + 8, rows);
		put_8(b + 16, cols);
		put_8(b + 24, (uint64_t)sum);
		put_8(b + 32, (uint64_t)(sum >> 64));
	}
	return sip_of(b, sizeof b);
}

static int column_cmp(const void *a_, const void *b_)
{
	const u128 *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

static struct sip seal_signature(struct digest *d)
{
	struct sip s = { 0, 0 }, column;

	if (!d->sum.rows)
		return seal('p', 0, 0, 0);
	qsort(d->column, d->sum.cols, sizeof *d->column, column_cmp);
	for (uint32_t i = 0; i < d->sum.cols; i++) {
		column = (struct sip){ (uint64_t)d->column[i],
				       (uint64_t)(d->column[i] >> 64) };
		s = chain(&s, &column);
	}
	return seal('p', d->sum.rows, d->sum.cols, wide(s));
}

static int sort_cmp(const void *a, const void *b)
{
	return line_cmp(a, b);
}

static struct sip seal_answer(struct digest *d)
{
	struct smallest *s = d->smallest;
	struct sip all = { 0, 0 }, line;

	if (s->n)
		qsort(s->row, s->n, sizeof *s->row, sort_cmp);
	for (size_t i = 0; i < s->n; i++) {
		line = sip_of(s->row[i].p, s->row[i].n);
		all = chain(&all, &line);
	}
	return seal('e', s->n, d->sum.cols, wide(all));
}

void digest_end(struct digest *d, struct digest_sum *ret)
{
	struct digests *g = &d->sum.digests;
	uint64_t rows = d->sum.rows;
	uint32_t cols = d->sum.cols;

	if (rows != 1)
		d->sum.one_zero = 0;
	if (d->mask & DIGEST_SET)
		g->set = seal('s', d->seen_n, cols, d->set);
	if (d->mask & DIGEST_BAG)
		g->bag = seal('b', rows, cols, d->bag);
	if (d->mask & DIGEST_LIST)
		g->list = seal('l', rows, cols, wide(d->list));
	if (d->mask & DIGEST_SIG)
		g->sig = seal_signature(d);
	if (d->mask & DIGEST_EHR)
		g->ehr = seal_answer(d);
	if (d->mask & DIGEST_EHR1)
		g->ehr = seal('1', rows < DIGEST_EHR_ROWS ? rows : DIGEST_EHR_ROWS,
			      cols, d->first);
	*ret = d->sum;
}
