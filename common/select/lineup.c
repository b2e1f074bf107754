/* lineup.c - see lineup.h */
#include "common/select/lineup.h"

#include <assert.h>
#include <string.h>

enum { NOBODY = UINT32_MAX };

void lineup_begin(struct lineup *l, uint32_t *order, uint8_t *tied, uint32_t n)
{
	*l = (struct lineup){ .n = n, .order = order, .tied = tied };
	if (n)
		memset(tied, 0, n);
}

/* The place, counted from the window's start, that is written next: the smallest rank
 * above `done`, or the next of the same rank. */
static uint32_t next_place(const double *rank, uint32_t size, uint32_t last)
{
	uint32_t best = NOBODY;

	for (uint32_t i = 0; i < size; i++) {
		if (last != NOBODY &&
		    (rank[i] < rank[last] || (rank[i] == rank[last] && i <= last)))
			continue;
		if (best == NOBODY || rank[i] < rank[best])
			best = i;
	}
	return best;
}

/* Who stood before the window's end and tied with the one behind it, or NOBODY. */
static uint32_t bridge(const struct lineup *l, uint32_t end)
{
	return end < l->n && l->tied[end] ? l->order[end - 1] : NOBODY;
}

static int in_last_tie(const struct lineup *l, uint32_t start, uint32_t end,
		       uint32_t who)
{
	for (uint32_t p = end; p-- > start;) {
		if (l->order[p] == who)
			return 1;
		if (!l->tied[p])
			break;
	}
	return 0;
}

static void write_places(struct lineup *l, uint32_t start, uint32_t size,
			 const double *rank)
{
	uint32_t was[LINEUP_WINDOW], last = NOBODY;

	assert(size <= LINEUP_WINDOW);
	memcpy(was, l->order + start, size * sizeof *was);
	for (uint32_t p = 0; p < size; p++) {
		uint32_t i = next_place(rank, size, last);

		l->order[start + p] = was[i];
		l->tied[start + p] = p > 0 && rank[i] == rank[last];
		last = i;
	}
}

void lineup_write(struct lineup *l, uint32_t start, uint32_t size, const double *rank)
{
	uint32_t end = start + size, who;

	assert(end >= start && end <= l->n);
	if (!size)
		return;
	who = bridge(l, end);
	write_places(l, start, size, rank);
	if (end < l->n)
		l->tied[end] = who != NOBODY && in_last_tie(l, start, end, who);
}

void lineup_ranks(const struct lineup *l, double *ret)
{
	for (uint32_t p = 0, end; p < l->n; p = end) {
		for (end = p + 1; end < l->n && l->tied[end];)
			end++;
		for (uint32_t i = p; i < end; i++)
			ret[l->order[i]] = (p + 1 + end) / 2.0;
	}
}
