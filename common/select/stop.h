/* stop.h - when enough passes have been seen, and for which group
 *
 * A pass is above or below for each pair of groups; a pass in which both stand level
 * counts for neither. A group is accepted when it is certified against every rival at
 * once, each by that rival's own count of won and lost passes. Every such certificate
 * must hold, so none needs a correction for there being several.
 *
 *     t          the t-score of confidence.h against each rival reaches `confidence`
 *     two-stage  looked at when max(min, 4) passes are complete and at max: a look at
 *                K passes accepts whoever is above every rival in all of them, or, from
 *                eight on, in all but one. Undecided as soon as no group can be
 *     beta       P(p > 1/2) >= confidence under Beta(won + 1, lost + 1)
 *     e          (E_won + E_lost) / 2 >= 1 / (1 - confidence), E the one-sided mixture
 *                E(a, b) = 2^(n+1) B(a+1, b+1) P(p > 1/2 | Beta(a+1, b+1)), n = a + b
 *
 * With 4..8 passes two-stage accepts at 4-0 and at 7 of 8, with 5..9 at 5-0 and 8 of 9.
 *
 * Invariants: pure; whom stop_decide() accepts has won more passes than lost against
 *             each rival, so there is never a second one.
 * Units:      at most STOP_PASSES passes. beta and e are sums and products of whole
 *             numbers, divided once: the same on any machine.
 * Source:     Aggarwal et al., "Let's Sample Step by Step: Adaptive-Consistency for
 *             Efficient Reasoning and Coding with LLMs" (2023), for beta; Ville's
 *             inequality and Ramdas et al., "Game-Theoretic Statistics and Safe
 *             Anytime-Valid Inference" (2023), for e.
 */
#ifndef STOP_H
#define STOP_H

#include <stdint.h>

enum { STOP_PASSES = 1000 };

enum stop_rule { STOP_RULE_T, STOP_RULE_TWO_STAGE, STOP_RULE_BETA, STOP_RULE_E };

struct stop {
	enum stop_rule rule;
	uint32_t min, max; /* passes */
	double confidence;
};

enum stop_say {
	STOP_GO_ON,
	STOP_ACCEPTED,
	STOP_UNDECIDED, /* no further pass could, or may, change that */
};

/* won[i * g + j]: passes in which i stood above j, from passes x g ranks. */
void stop_count(const double *rank, uint32_t passes, uint32_t g, uint32_t *ret_won);

/* Not for t. `seen`: passes complete, those that count for nothing among them; `left`:
 * how many may follow. */
enum stop_say stop_decide(const struct stop *s, const uint32_t *won, uint32_t g,
			  uint32_t seen, uint32_t left, uint32_t *ret_group);

/* For t: is `a` certified against every other? column[i] is what group i goes by in
 * passes x n ranks. */
int stop_t_holds(const double *rank, uint32_t passes, uint32_t n,
		 const uint32_t *column, uint32_t g, uint32_t a, double confidence);

double stop_beta(uint32_t won, uint32_t lost);
double stop_e(uint32_t won, uint32_t lost);      /* one-sided, for the one that won */
double stop_e_both(uint32_t won, uint32_t lost); /* mean of both sides */

/* Wins that a look of two-stage at so many passes wants; more than there are: none. */
uint32_t stop_two_stage_wins(uint32_t passes);

#endif
