/* stop.c - see stop.h */
#include "common/select/stop.h"

#include "common/select/confidence.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FIRST_LOOK = 4, FORGIVING_LOOK = 8 };

/* ---- the curves ------------------------------------------------------------------ */

/* The next of C(n, 0), C(n, 1), ...: exact while the product is. */
static double next_binomial(double c, uint32_t n, uint32_t i)
{
	return c * (n - i) / (i + 1);
}

static double binomial(uint32_t n, uint32_t k)
{
	double c = 1;

	for (uint32_t i = 0; i < k; i++)
		c = next_binomial(c, n, i);
	return c;
}

/* The sum of C(n+1, i) over i <= won, of 2^(n+1). */
double stop_beta(uint32_t won, uint32_t lost)
{
	uint32_t n = won + lost + 1;
	double c = 1, sum = 1;

	assert(n <= STOP_PASSES + 1);
	for (uint32_t i = 0; i < won; i++) {
		c = next_binomial(c, n, i);
		sum += c;
	}
	return ldexp(sum, -(int)n);
}

double stop_e_both(uint32_t won, uint32_t lost)
{
	uint32_t n = won + lost;

	assert(n <= STOP_PASSES);
	return ldexp(1, (int)n) / ((n + 1) * binomial(n, won < lost ? won : lost));
}

double stop_e(uint32_t won, uint32_t lost)
{
	return 2 * stop_e_both(won, lost) * stop_beta(won, lost);
}

/* ---- counts ---------------------------------------------------------------------- */

void stop_count(const double *rank, uint32_t passes, uint32_t g, uint32_t *ret_won)
{
	memset(ret_won, 0, (size_t)g * g * sizeof *ret_won);
	for (uint32_t k = 0; k < passes; k++)
		for (uint32_t i = 0; i < g; i++)
			for (uint32_t j = 0; j < g; j++)
				ret_won[i * g + j] += rank[(uint64_t)k * g + i] <
						      rank[(uint64_t)k * g + j];
}

/* Against the rival that it has beaten least often. */
static uint32_t fewest_wins(const uint32_t *won, uint32_t g, uint32_t a)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t j = 0; j < g; j++)
		if (j != a && won[a * g + j] < least)
			least = won[a * g + j];
	return least;
}

uint32_t stop_two_stage_wins(uint32_t passes)
{
	if (passes < FIRST_LOOK)
		return passes + 1;
	return passes < FORGIVING_LOOK ? passes : passes - 1;
}

static uint32_t first_look(const struct stop *s)
{
	return s->min > FIRST_LOOK ? s->min : FIRST_LOOK;
}

static int is_certified(const struct stop *s, uint32_t won, uint32_t lost)
{
	if (won <= lost)
		return 0;
	if (s->rule == STOP_RULE_BETA)
		return stop_beta(won, lost) >= s->confidence;
	return stop_e_both(won, lost) * (1 - s->confidence) >= 1;
}

static int is_accepted(const struct stop *s, const uint32_t *won, uint32_t g,
		       uint32_t a, uint32_t seen)
{
	if (s->rule == STOP_RULE_TWO_STAGE)
		return (seen == first_look(s) || seen == s->max) &&
		       fewest_wins(won, g, a) >= stop_two_stage_wins(seen);
	for (uint32_t j = 0; j < g; j++)
		if (j != a && !is_certified(s, won[a * g + j], won[j * g + a]))
			return 0;
	return 1;
}

/* With every pass won up to a look that is still to come. */
static int is_within_reach(const struct stop *s, uint32_t fewest, uint32_t seen,
			   uint32_t left)
{
	const uint32_t look[] = { first_look(s), s->max };

	for (size_t i = 0; i < 2; i++)
		if (look[i] > seen && look[i] - seen <= left &&
		    fewest + (look[i] - seen) >= stop_two_stage_wins(look[i]))
			return 1;
	return 0;
}

static int is_open(const struct stop *s, const uint32_t *won, uint32_t g, uint32_t seen,
		   uint32_t left)
{
	if (s->rule != STOP_RULE_TWO_STAGE)
		return left > 0;
	for (uint32_t a = 0; a < g; a++)
		if (is_within_reach(s, fewest_wins(won, g, a), seen, left))
			return 1;
	return 0;
}

enum stop_say stop_decide(const struct stop *s, const uint32_t *won, uint32_t g,
			  uint32_t seen, uint32_t left, uint32_t *ret_group)
{
	assert(s->rule != STOP_RULE_T && g > 1);
	for (uint32_t a = 0; a < g; a++)
		if (is_accepted(s, won, g, a, seen)) {
			*ret_group = a;
			return STOP_ACCEPTED;
		}
	return is_open(s, won, g, seen, left) ? STOP_GO_ON : STOP_UNDECIDED;
}

int stop_t_holds(const double *rank, uint32_t passes, uint32_t n,
		 const uint32_t *column, uint32_t g, uint32_t a, double confidence)
{
	double sure;

	for (uint32_t j = 0; j < g; j++)
		if (j != a && (!confidence_of_ranks(rank, passes, n, column[a],
						    column[j], &sure) ||
			       sure < confidence))
			return 0;
	return 1;
}
