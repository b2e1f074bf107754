/* nearest.c - see nearest.h */
#include "common/select/nearest.h"

#include "common/base/mem.h"
#include "common/base/round.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>
#include <stdlib.h>

enum { BATCH = 64 };
static const float slack = 1e-4f;

struct search {
	const struct vectors *bank;
	uint32_t k;
	float *proposed;    /* BATCH lines of n */
	float *top;         /* heap of the k best, smallest first */
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
static float last_wanted(const float *v, uint32_t n, uint32_t k, float *heap)
{
	for (uint32_t i = 0; i < k; i++)
		heap[i] = v[i];
	for (uint32_t i = k / 2; i-- > 0;)
		sift_down(heap, k, i);
	for (uint32_t i = k; i < n; i++)
		if (v[i] > heap[0]) {
			heap[0] = v[i];
			sift_down(heap, k, 0);
		}
	return heap[0];
}

static double dot(const float *a, const float *b, uint32_t dim)
{
	double sum = 0;

	for (uint32_t i = 0; i < dim; i++)
		sum += (double)a[i] * b[i];
	return sum;
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
	float from = last_wanted(proposed, bank->n, s->k, s->top) - slack;
	uint32_t found = 0;

	for (uint32_t row = 0; row < bank->n; row++)
		if (proposed[row] >= from) {
			const float *line = bank->rows + (size_t)row * bank->dim;
			double score = dot(query, line, bank->dim);

			s->found[found++] = (struct near){ row, round20(score) };
		}
	qsort(s->found, found, sizeof *s->found, by_score);
	assert(found >= s->k);
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
	if (!s.proposed || !s.top || !s.found)
		rc = err_set(e, ERR_NOMEM, "searching %u vectors", bank->n);
	for (uint32_t q = 0; !rc && q < nq; q += batch)
		search_batch(&s, queries + (size_t)q * bank->dim,
			     nq - q < batch ? nq - q : batch, ret + (size_t)q * s.k);
	mem_free(s.proposed);
	mem_free(s.top);
	mem_free(s.found);
	return rc;
}
