/* scores.c - see scores.h */
#include "broker/method/scores.h"

#include <math.h>

enum ask_state scores_of(struct contest *t, double *ret, uint32_t *ret_read)
{
	const struct grouping *g = &t->g.group;
	enum ask_state all = ASK_DONE;
	uint32_t read = 0;

	for (uint32_t i = 0; i < g->n; i++)
		ret[i] = -HUGE_VAL;
	for (uint32_t i = 0; i < g->ranked; i++) {
		double score;

		switch (judge_score(&t->judge, g->member[i], &score)) {
		case ASK_WAITS: all = ASK_WAITS; break;
		case ASK_VOID: break;
		case ASK_DONE:
			ret[g->member[i]] = score;
			read++;
			break;
		}
	}
	*ret_read = read;
	return all;
}
