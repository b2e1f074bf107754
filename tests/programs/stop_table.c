/* stop_table.c - what a stopping rule does between two groups, exactly
 *
 * A pass puts the better group first with probability p, independently. All sequences
 * of passes with as many won and lost are one state; from MIN passes on each state is
 * given to the rule itself (common/select/stop.h), and what it does not stop goes on to
 * MAX. So the table is the rules', not a formula's: chances to accept the better and
 * the worse group, and the mean and spread of the passes used. Neither group is the
 * leader in advance.
 *
 * usage: stop_table          the table, in Markdown
 *        stop_table --tsv    what a run can do: RULE MIN MAX CONFIDENCE P RIGHT WRONG
 * MEAN SD a line
 */
#include "common/select/stop.h"
#include "proto/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSES = 64, PS = 5 };

static const double chance[PS] = { .5, .7, .8, .9, .97 };

static const struct row {
	enum stop_how how;
	struct stop s;
	enum {
		AS_IT_IS,
		STUBBORN, /* goes on though nobody can be accepted any more */
		SINGLY,   /* gives up even before MIN */
	} but;
} rows[] = {
	{ STOP_t, { STOP_RULE_T, 4, 4, .95 }, AS_IT_IS },
	{ STOP_t, { STOP_RULE_T, 4, 8, .95 }, AS_IT_IS },
	{ STOP_two_stage, { STOP_RULE_TWO_STAGE, 4, 4, .95 }, AS_IT_IS },
	{ STOP_beta, { STOP_RULE_BETA, 4, 8, .95 }, AS_IT_IS },
	{ STOP_two_stage, { STOP_RULE_TWO_STAGE, 4, 8, .95 }, STUBBORN },
	{ STOP_two_stage, { STOP_RULE_TWO_STAGE, 4, 8, .95 }, AS_IT_IS },
	{ STOP_two_stage, { STOP_RULE_TWO_STAGE, 5, 9, .95 }, STUBBORN },
	{ STOP_two_stage, { STOP_RULE_TWO_STAGE, 5, 9, .95 }, AS_IT_IS },
	{ STOP_two_stage, { STOP_RULE_TWO_STAGE, 5, 9, .95 }, SINGLY },
	{ STOP_e, { STOP_RULE_E, 4, 12, .9 }, AS_IT_IS },
};

struct result {
	double right, wrong, mean, square;
};

/* The lines of ranks are made up: won passes first. The leader is who has won more. */
static enum stop_say say_t(const struct stop *s, uint32_t won, uint32_t lost,
			   uint32_t *ret_group)
{
	static const uint32_t column[] = { 0, 1 };
	double rank[2 * PASSES];

	*ret_group = lost > won;
	for (uint32_t k = 0; k < won + lost; k++) {
		rank[2 * k] = k < won ? 1 : 2;
		rank[2 * k + 1] = 3 - rank[2 * k];
	}
	return stop_t_holds(rank, won + lost, 2, column, 2, *ret_group, s->confidence)
		       ? STOP_ACCEPTED
		       : STOP_GO_ON;
}

static enum stop_say say(const struct row *r, uint32_t won, uint32_t lost,
			 uint32_t *ret_group)
{
	const uint32_t count[] = { 0, won, lost, 0 };
	uint32_t left = r->s.max - won - lost;
	enum stop_say x = r->how == STOP_t ? say_t(&r->s, won, lost, ret_group)
					   : stop_decide(&r->s, count, 2, won + lost,
							 left, ret_group);

	if (x == STOP_UNDECIDED && r->but == STUBBORN)
		x = STOP_GO_ON;
	return x == STOP_GO_ON && !left ? STOP_UNDECIDED : x;
}

/* state[won] of `k` passes: those that stop are taken out. */
static void settle(const struct row *r, uint32_t k, double state[PASSES + 1],
		   struct result *to)
{
	for (uint32_t won = 0; won <= k; won++) {
		uint32_t group;
		enum stop_say x = say(r, won, k - won, &group);

		if (x == STOP_GO_ON)
			continue;
		if (x == STOP_ACCEPTED)
			*(group ? &to->wrong : &to->right) += state[won];
		to->mean += k * state[won];
		to->square += (double)k * k * state[won];
		state[won] = 0;
	}
}

static struct result play(const struct row *r, double p)
{
	double state[PASSES + 1] = { 1 };
	struct result x = { 0 };

	for (uint32_t k = 1; k <= r->s.max; k++) {
		for (uint32_t won = k; won > 0; won--)
			state[won] = state[won - 1] * p + state[won] * (1 - p);
		state[0] *= 1 - p;
		if (k >= r->s.min || r->but == SINGLY)
			settle(r, k, state, &x);
	}
	return x;
}

static void print_tsv(const struct row *r)
{
	for (int i = 0; i < PS && r->but == AS_IT_IS; i++) {
		struct result x = play(r, chance[i]);

		printf("%s\t%u\t%u\t%g\t%g\t%.9f\t%.9f\t%.9f\t%.9f\n",
		       stop_words[r->how], r->s.min, r->s.max, r->s.confidence,
		       chance[i], x.right, x.wrong, x.mean,
		       sqrt(fmax(0, x.square - x.mean * x.mean)));
	}
}

static void print_row(const struct row *r)
{
	static const char *const but[] = { "", ", never given up", ", all singly" };
	char passes[16];

	snprintf(passes, sizeof passes, r->s.min < r->s.max ? "%u..%u" : "%u", r->s.min,
		 r->s.max);
	printf("| %s%s | %s | %g |", stop_words[r->how], but[r->but], passes,
	       r->s.confidence);
	for (int i = 0; i < PS; i++) {
		struct result x = play(r, chance[i]);

		printf(" %.4f / %.4f |", x.right, x.wrong);
	}
	for (int i = 0; i < PS; i++)
		printf(" %.2f%s", play(r, chance[i]).mean, i < PS - 1 ? " /" : " |\n");
}

int main(int argc, char **argv)
{
	int tsv = argc > 1 && strcmp(argv[1], "--tsv") == 0;

	if (!tsv)
		printf("| rule | passes | confidence | p=.5 right / wrong | p=.7 | "
		       "p=.8 | p=.9 | p=.97 | mean passes |\n"
		       "|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (tsv)
			print_tsv(&rows[i]);
		else
			print_row(&rows[i]);
	return 0;
}
