/* nearest.c - see nearest.h */
#include "common/select/nearest.h"

#include "common/base/mem.h"
#include "common/base/round.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>
#include <stdlib.h>

enum { BATCH = 64, LANES = 4 };
static const float slack = 1e-4f;

struct search {
	const struct vectors *bank;
	uint32_t k;
	float *proposed;    /* BATCH lines of n */
	float *top;         /* heap of the k best, smallest first */
	double *query;      /* dim */
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

static uint32_t keep_from(struct near *list, uint32_t n, const float *v, float from)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (v[list[i].row] >= from)
			list[kept++].row = list[i].row;
	return kept;
}

/* Rows within `slack` of the k-th largest of n, 1 <= k <= n, into `found`: how many.
 * While it reads on, the k-th largest only grows, so what is behind it stays behind. */
static uint32_t propose(const float *v, uint32_t n, uint32_t k, float *heap,
			struct near *found)
{
	uint32_t m = k;
	float from;

	for (uint32_t i = 0; i < k; i++) {
		heap[i] = v[i];
		found[i].row = i;
	}
	for (uint32_t i = k / 2; i-- > 0;)
		sift_down(heap, k, i);
	from = heap[0] - slack;
	for (uint32_t i = k; i < n; i++) {
		if (v[i] < from)
			continue;
		found[m++].row = i;
		if (v[i] > heap[0]) {
			heap[0] = v[i];
			sift_down(heap, k, 0);
			from = heap[0] - slack;
		}
	}
	return keep_from(found, m, v, from);
}

/* Dot products of one query with LANES rows, each summed in index order: a sum
 * waits for the one before it, so several rows at once cost little more than one. */
static void dots(const double *query, const float *const row[LANES], uint32_t dim,
		 double ret[LANES])
{
	const float *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0; /* as an array they live in memory */

	for (uint32_t i = 0; i < dim; i++) {
		double q = query[i];

		s0 += q * r0[i];
		s1 += q * r1[i];
		s2 += q * r2[i];
		s3 += q * r3[i];
	}
	ret[0] = s0;
	ret[1] = s1;
	ret[2] = s2;
	ret[3] = s3;
}

static int by_score(const void *pa, const void *pb)
{
	const struct near *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Scores the n rows of s->found. */
static void score(struct search *s, uint32_t n)
{
	const struct vectors *bank = s->bank;

	for (uint32_t at = 0; at < n; at += LANES) {
		const float *row[LANES];
		double sum[LANES];

		for (uint32_t k = 0; k < LANES; k++) { /* the last row fills up */
			uint32_t i = at + k < n ? at + k : n - 1;

			row[k] = bank->rows + (size_t)s->found[i].row * bank->dim;
		}
		dots(s->query, row, bank->dim, sum);
		for (uint32_t k = 0; k < LANES && at + k < n; k++)
			s->found[at + k].score = round20(sum[k]);
	}
}

static void decide(struct search *s, const float *query, const float *proposed,
		   struct near *ret)
{
	const struct vectors *bank = s->bank;
	uint32_t found = propose(proposed, bank->n, s->k, s->top, s->found);

	for (uint32_t i = 0; i < bank->dim; i++)
		s->query[i] = query[i];
	assert(found >= s->k);
	score(s, found);
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
			    0, s->proposed, (int)b->n);
	for (uint32_t q = 0; q < nq; q++)
		decide(s, queries + (size_t)q * b->dim, s->proposed + (size_t)q * b->n,
		       ret + (size_t)q * s->k);
}

int nearest_find(const struct vectors *bank, const float *queries, uint32_t nq,
		 uint32_t k, struct near *ret, struct err *e)
{
	uint32_t batch = nq < BATCH ? nq : BATCH;
	struct search s = { .bank = bank, .k = k < bank->n ? k : bank->n };
	int rc = 0;

	assert(bank->n <= INT_MAX / 2 && bank->dim >= 1 && bank->dim <= INT_MAX);
	if (!s.k || !nq)
		return 0;
	s.proposed = mem_alloc((size_t)batch * bank->n, sizeof *s.proposed);
	s.top = mem_alloc(s.k, sizeof *s.top);
	s.found = mem_alloc(bank->n, sizeof *s.found);
	s.query = mem_alloc(bank->dim, sizeof *s.query);
	if (!s.proposed || !s.top || !s.found || !s.query)
		rc = err_set(e, ERR_NOMEM, "searching %u vectors", bank->n);
	for (uint32_t q = 0; !rc && q < nq; q += batch)
		search_batch(&s, queries + (size_t)q * bank->dim,
			     nq - q < batch ? nq - q : batch, ret + (size_t)q * s.k);
	mem_free(s.proposed);
	mem_free(s.top);
	mem_free(s.query);
	mem_free(s.found);
	return rc;
}
