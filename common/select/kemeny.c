/* kemeny.c - see kemeny.h */
#include "common/select/kemeny.h"

#include "common/base/mem.h"

#include <assert.h>
#include <string.h>

void kemeny_votes(const double *rank, uint32_t rankings, uint32_t n, uint32_t *ret)
{
	memset(ret, 0, (size_t)n * n * sizeof *ret);
	for (uint32_t k = 0; k < rankings; k++) {
		const double *line = rank + (size_t)k * n;

		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				ret[(size_t)i * n + j] += line[i] < line[j];
	}
}

uint64_t kemeny_cost(const uint32_t *votes, uint32_t n, const uint32_t *order)
{
	uint64_t cost = 0;

	for (uint32_t p = 0; p < n; p++)
		for (uint32_t q = p + 1; q < n; q++)
			cost += votes[(size_t)order[q] * n + order[p]];
	return cost;
}

/* By mean rank, then number: the order of preference among equals. */
static void order_by_mean(const double *mean, uint32_t n, uint32_t *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t p = i;

		for (; p && mean[i] < mean[ret[p - 1]]; p--)
			ret[p] = ret[p - 1];
		ret[p] = i;
	}
}

/* ---- exact ----------------------------------------------------------------------- */

/* What it costs to place j next, when `placed` stand before it. */
static uint32_t next_cost(const uint32_t *votes, uint32_t n, uint32_t placed,
			  uint32_t j)
{
	uint32_t left = ~(placed | 1U << j) & ((1U << n) - 1), cost = 0;

	for (; left; left &= left - 1)
		cost += votes[(uint32_t)__builtin_ctz(left) * n + j];
	return cost;
}

/* rest[placed]: the least that placing the others can cost. */
static void fill_rest(const uint32_t *votes, uint32_t n, uint32_t *rest)
{
	uint32_t all = (1U << n) - 1;

	rest[all] = 0;
	for (uint32_t placed = all; placed-- > 0;) {
		uint32_t best = UINT32_MAX;

		for (uint32_t j = 0; j < n; j++) {
			uint32_t cost;

			if (placed >> j & 1)
				continue;
			cost = next_cost(votes, n, placed, j) + rest[placed | 1U << j];
			if (cost < best)
				best = cost;
		}
		rest[placed] = best;
	}
}

/* `liked` holds the items in the order of preference. */
static uint32_t best_next(const uint32_t *votes, uint32_t n, const uint32_t *rest,
			  const uint32_t *liked, uint32_t placed)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = liked[i];

		if (!(placed >> j & 1) &&
		    next_cost(votes, n, placed, j) + rest[placed | 1U << j] ==
			    rest[placed])
			return j;
	}
	assert(0);
	return 0;
}

static int order_exactly(const uint32_t *votes, uint32_t n, const double *mean,
			 uint32_t *ret, struct err *e)
{
	uint32_t liked[KEMENY_EXACT], placed = 0;
	uint32_t *rest = mem_alloc((size_t)1 << n, sizeof *rest);

	if (!rest)
		return err_set(e, ERR_NOMEM, "the central order of %u items", n);
	order_by_mean(mean, n, liked);
	fill_rest(votes, n, rest);
	for (uint32_t p = 0; p < n; p++) {
		ret[p] = best_next(votes, n, rest, liked, placed);
		placed |= 1U << ret[p];
	}
	mem_free(rest);
	return 0;
}

/* ---- search ---------------------------------------------------------------------- */

/* Each swap lowers the cost, so it ends. */
void kemeny_search(const uint32_t *votes, uint32_t n, const double *mean, uint32_t *ret)
{
	int better = 1;

	order_by_mean(mean, n, ret);
	while (better) {
		better = 0;
		for (uint32_t p = 1; p < n; p++) {
			uint32_t a = ret[p - 1], b = ret[p];

			if (votes[(size_t)b * n + a] <= votes[(size_t)a * n + b])
				continue;
			ret[p - 1] = b;
			ret[p] = a;
			better = 1;
		}
	}
}

int kemeny_order(const uint32_t *votes, uint32_t n, const double *mean, uint32_t *ret,
		 struct err *e)
{
	if (n && n <= KEMENY_EXACT)
		return order_exactly(votes, n, mean, ret, e);
	kemeny_search(votes, n, mean, ret);
	return 0;
}
