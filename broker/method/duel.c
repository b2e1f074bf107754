/* duel.c - see duel.h */
#include "broker/method/duel.h"

#include "common/base/round.h"

static double points_of(double p)
{
	p = round20(p);
	return p > 0.5 ? 1 : p < 0.5 ? 0 : 0.5;
}

/* One order; `flipped`: b is shown first. */
static int judgement(struct judge *j, uint32_t a, uint32_t b, int flipped,
		     struct duel *d)
{
	double p = 0.5;
	enum ask_state s =
		judge_pair(j, JUDGE_ONCE, flipped ? b : a, flipped ? a : b, &p);

	if (s == ASK_WAITS)
		return 0;
	d->asked++;
	if (s == ASK_VOID)
		p = 0.5;
	else if (flipped)
		p = 1 - p;
	d->points += points_of(p);
	d->read += s == ASK_DONE;
	d->p += s == ASK_DONE ? p : 0;
	return 1;
}

enum ask_state duel(struct judge *j, uint32_t a, uint32_t b, enum duel_orders orders,
		    struct duel *ret)
{
	struct duel d = { 0 };
	int there = 1;

	if (orders == DUEL_BOTH || a < b)
		there &= judgement(j, a, b, 0, &d);
	if (orders == DUEL_BOTH || a > b)
		there &= judgement(j, a, b, 1, &d);
	*ret = d;
	return there ? ASK_DONE : ASK_WAITS;
}
