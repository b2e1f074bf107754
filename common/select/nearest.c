/* nearest.c - see nearest.h */
#include "common/select/nearest.h"

#include "common/base/mem.h"
#include "common/base/round.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, BLOCK = 16 };
static const float slack = 1e-4f;

/* Vectors by name: whether plain loops become such turns with what is inlined. */
typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_int __attribute__((vector_size(16)));
typedef double quad_double __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));

struct search {
	const struct vectors *bank;
	uint32_t k;
	uint32_t line;   /* n, rounded up to BLOCK */
	float *proposed; /* BATCH lines, the last of each up to BLOCK - 1 -INFINITY */
	float *some;     /* line */
	float *heap;     /* the k best, smallest first */
	double *query;   /* dim */
	struct near *found; /* n */
};

static void sift_down(float *heap, uint32_t n, uint32_t i)
{
	float v = heap[i];

	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= v)
			break;
		heap[i] = heap[child];
	}
	heap[i] = v;
}

/* The k-th largest of n, 1 <= k <= n. */
static float kth_largest(const float *v, uint32_t n, uint32_t k, float *heap)
{
	memcpy(heap, v, k * sizeof *heap);
	for (uint32_t i = k / 2; i-- > 0;)
		sift_down(heap, k, i);
	for (uint32_t i = k; i < n; i++)
		if (v[i] > heap[0]) {
			heap[0] = v[i];
			sift_down(heap, k, 0);
		}
	return heap[0];
}

static quad load(const float *v)
{
	quad x;

	memcpy(&x, v, sizeof x);
	return x;
}

/* The largest of each column of v, cut in lines of `width`; all multiples of 4. */
static void fold(const float *v, uint32_t n, uint32_t width, float *ret)
{
	memcpy(ret, v, width * sizeof *ret);
	for (uint32_t at = width; at < n; at += width) {
		uint32_t m = n - at < width ? n - at : width;

		for (uint32_t i = 0; i < m; i += 4) {
			quad x = load(v + at + i), y = load(ret + i);
			quad_int more = x > y;

			x = (quad)((more & (quad_int)x) | (~more & (quad_int)y));
			memcpy(ret + i, &x, sizeof x);
		}
	}
}

static int any_from(const float *v, float from)
{
	quad least = { from, from, from, from };
	quad_int any = (load(v) >= least) | (load(v + 4) >= least) |
		       (load(v + 8) >= least) | (load(v + 12) >= least);
	int64_t half[2];

	memcpy(half, &any, sizeof half);
	return (half[0] | half[1]) != 0;
}

/* The places from `from` on among n, a multiple of BLOCK: how many. */
static uint32_t list_from(const float *v, uint32_t n, float from, struct near *ret)
{
	uint32_t listed = 0;

	for (uint32_t at = 0; at < n; at += BLOCK)
		if (any_from(v + at, from))
			for (uint32_t i = at; i < at + BLOCK; i++)
				if (v[i] >= from)
					ret[listed++].row = i;
	return listed;
}

static uint32_t keep_from(struct near *list, uint32_t n, const float *v, float from)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (v[list[i].row] >= from)
			list[kept++].row = list[i].row;
	return kept;
}

/* Rows within `slack` of the k-th largest proposal into s->found: how many. The k-th
 * largest of the columns' largest is not above it and rarely far below, and a heap of
 * few columns costs less than one of all rows. */
static uint32_t propose(struct search *s, const float *v)
{
	uint32_t k = s->k, width = k < s->line / 4 ? 4 * k : s->line, listed;
	float from;

	fold(v, s->line, width, s->some);
	from = kth_largest(s->some, width, k, s->heap) - slack;
	listed = list_from(v, s->line, from, s->found);
	assert(listed >= k);
	for (uint32_t i = 0; i < listed; i++)
		s->some[i] = v[s->found[i].row];
	from = kth_largest(s->some, listed, k, s->heap) - slack;
	return keep_from(s->found, listed, v, from);
}

static double dot_in_order(const double *query, const float *row, uint32_t dim)
{
	double sum = 0;

	for (uint32_t i = 0; i < dim; i++)
		sum += query[i] * row[i];
	return sum;
}

static pair load_pair(const double *v)
{
	pair x;

	memcpy(&x, v, sizeof x);
	return x;
}

/* Four products. */
static inline void add(pair *a, pair *b, const double *query, const float *row)
{
	quad_double r = __builtin_convertvector(load(row), quad_double);

	*a += load_pair(query) * (pair){ r[0], r[1] };
	*b += load_pair(query + 2) * (pair){ r[2], r[3] };
}

/* Sums side by side wait for each other less than one, and rows stand far apart in
 * memory: the next one is fetched meanwhile. */
static double dot(const double *query, const float *row, const float *next,
		  uint32_t dim)
{
	pair a = { 0, 0 }, b = a, c = a, d = a;
	uint32_t i = 0;

	for (; i + BLOCK <= dim; i += BLOCK) {
		const double *q = query + i;
		const float *r = row + i;

		__builtin_prefetch(next + i);
		add(&a, &b, q, r);
		add(&c, &d, q + 4, r + 4);
		add(&a, &b, q + 8, r + 8);
		add(&c, &d, q + 12, r + 12);
	}
	a += b + (c + d);
	return a[0] + a[1] + dot_in_order(query + i, row + i, dim - i);
}

/* The sum in index order, rounded. A product of two floats is exact in double, so
 * another order moves the sum by less than dim x 2^-52: that matters only where
 * rounding is about to go the other way. */
static double score(const double *query, const float *row, const float *next,
		    uint32_t dim)
{
	double sum = dot(query, row, next, dim), steps = sum * 0x1p20;

	if (fabs(steps - floor(steps) - .5) > 0x1p-10)
		return round20(sum);
	return round20(dot_in_order(query, row, dim));
}

static void score_found(struct search *s, uint32_t n)
{
	const struct vectors *bank = s->bank;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = s->found[i + 1 < n ? i + 1 : i].row;

		s->found[i].score = score(
			s->query, bank->rows + (size_t)s->found[i].row * bank->dim,
			bank->rows + (size_t)next * bank->dim, bank->dim);
	}
}

static int by_score(const void *pa, const void *pb)
{
	const struct near *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void decide(struct search *s, const float *query, const float *proposed,
		   struct near *ret)
{
	const struct vectors *bank = s->bank;
	uint32_t found = propose(s, proposed);

	for (uint32_t i = 0; i < bank->dim; i++)
		s->query[i] = query[i];
	score_found(s, found);
	qsort(s->found, found, sizeof *s->found, by_score);
	for (uint32_t i = 0; i < s->k; i++)
		ret[i] = s->found[i];
}

static void search_batch(struct search *s, const float *queries, uint32_t nq,
			 struct near *ret)
{
	const struct vectors *b = s->bank;

	if (nq == 1) /* sgemm would copy the whole bank to lay it out */
		cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)b->n, (int)b->dim, 1,
			    b->rows, (int)b->dim, queries, 1, 0, s->proposed, 1);
	else
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)nq, (int)b->n,
			    (int)b->dim, 1, queries, (int)b->dim, b->rows, (int)b->dim,
			    0, s->proposed, (int)s->line);
	for (uint32_t q = 0; q < nq; q++)
		decide(s, queries + (size_t)q * b->dim,
		       s->proposed + (size_t)q * s->line, ret + (size_t)q * s->k);
}

/* Not mem_alloc(): zeros that nobody reads take time. */
static int scratch_alloc(struct search *s, uint32_t lines)
{
	uint32_t n = s->bank->n;

	s->proposed = mem_resize(NULL, (size_t)lines * s->line, sizeof *s->proposed);
	s->some = mem_resize(NULL, s->line, sizeof *s->some);
	s->heap = mem_resize(NULL, s->k, sizeof *s->heap);
	s->query = mem_resize(NULL, s->bank->dim, sizeof *s->query);
	s->found = mem_resize(NULL, n, sizeof *s->found);
	if (!s->proposed || !s->some || !s->heap || !s->query || !s->found)
		return ERR_NOMEM;
	for (uint32_t q = 0; q < lines; q++)
		for (uint32_t i = n; i < s->line; i++)
			s->proposed[(size_t)q * s->line + i] = -INFINITY;
	return 0;
}

static void scratch_free(struct search *s)
{
	mem_free(s->proposed);
	mem_free(s->some);
	mem_free(s->heap);
	mem_free(s->query);
	mem_free(s->found);
}

int nearest_find(const struct vectors *bank, const float *queries, uint32_t nq,
		 uint32_t k, struct near *ret, struct err *e)
{
	uint32_t batch = nq < BATCH ? nq : BATCH;
	struct search s = { .bank = bank, .k = k < bank->n ? k : bank->n };
	int code;

	assert(bank->n <= INT_MAX / 2 && bank->dim >= 1 && bank->dim <= INT_MAX);
	if (!s.k || !nq)
		return 0;
	s.line = (bank->n + BLOCK - 1) / BLOCK * BLOCK;
	code = scratch_alloc(&s, batch);
	if (code)
		err_set(e, code, "searching %u vectors", bank->n);
	for (uint32_t q = 0; !code && q < nq; q += batch)
		search_batch(&s, queries + (size_t)q * bank->dim,
			     nq - q < batch ? nq - q : batch, ret + (size_t)q * s.k);
	scratch_free(&s);
	return code;
}
