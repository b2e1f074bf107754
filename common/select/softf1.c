/* softf1.c - see softf1.h */
#include "common/select/softf1.h"

#include "common/base/err.h"
#include "common/base/hash.h"
#include "common/base/mem.h"

#include <string.h>

struct sums {
	double match, predicted_only, gold_only;
};

static const uint32_t *row_of(const struct numbered *x, size_t row)
{
	return x->id + row * x->cols;
}

static int same_row(const struct numbered *x, size_t a, size_t b)
{
	return memcmp(row_of(x, a), row_of(x, b), x->cols * sizeof *x->id) == 0;
}

/* The first of each row, in order; *ret_n of them. */
static int distinct(const struct numbered *x, size_t **ret, size_t *ret_n)
{
	size_t cap = 16, n = 0, *kept, *slot; /* slot: row + 1; 0 is free */

	while (cap < x->rows * 2)
		cap *= 2;
	kept = mem_alloc(x->rows + 1, sizeof *kept);
	slot = mem_alloc(cap, sizeof *slot);
	if (!kept || !slot) {
		mem_free(kept);
		mem_free(slot);
		return ERR_NOMEM;
	}
	for (size_t r = 0; r < x->rows; r++) {
		size_t at = sip64_of(row_of(x, r), x->cols * sizeof *x->id) & (cap - 1);

		while (slot[at] && !same_row(x, slot[at] - 1, r))
			at = (at + 1) & (cap - 1);
		if (slot[at])
			continue;
		slot[at] = r + 1;
		kept[n++] = r;
	}
	mem_free(slot);
	*ret = kept;
	*ret_n = n;
	return 0;
}

static int occurs(uint32_t v, const uint32_t *row, uint32_t cols)
{
	for (uint32_t i = 0; i < cols; i++)
		if (row[i] == v)
			return 1;
	return 0;
}

static void add_pair(struct sums *s, const uint32_t *p, uint32_t pcols,
		     const uint32_t *g, uint32_t gcols)
{
	uint32_t match = 0, missed = 0;

	for (uint32_t i = 0; i < pcols; i++)
		match += (uint32_t)occurs(p[i], g, gcols);
	for (uint32_t i = 0; i < gcols; i++)
		missed += !occurs(g[i], p, pcols);
	s->match += (double)match / gcols;
	s->predicted_only += (double)(pcols - match) / gcols;
	s->gold_only += (double)missed / gcols;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double f1_of(const struct sums *s)
{
	double p = ratio(s->match, s->match + s->predicted_only);
	double r = ratio(s->match, s->match + s->gold_only);

	return ratio(2 * p * r, p + r);
}

static struct sums compare(const struct numbered *p, const size_t *prow, size_t pn,
			   const struct numbered *g, const size_t *grow, size_t gn)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < gn; i++)
		if (i < pn)
			add_pair(&s, row_of(p, prow[i]), p->cols, row_of(g, grow[i]),
				 g->cols);
		else
			s.gold_only += 1;
	for (size_t i = gn; i < pn; i++)
		s.predicted_only += 1;
	return s;
}

int softf1(const struct numbered *predicted, const struct numbered *gold, double *ret)
{
	size_t *p = NULL, *g = NULL, pn, gn;
	struct sums s;
	int rc;

	if (!predicted->rows && !gold->rows) {
		*ret = 1;
		return 0;
	}
	rc = distinct(predicted, &p, &pn);
	if (!rc)
		rc = distinct(gold, &g, &gn);
	if (!rc) {
		s = compare(predicted, p, pn, gold, g, gn);
		*ret = f1_of(&s);
	}
	mem_free(p);
	mem_free(g);
	return rc;
}
