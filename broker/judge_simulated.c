/* judge_simulated.c - a judge of known accuracy, for tests and power studies
 *
 * It reads labels that results/ made beforehand, the one exception to the rule that
 * selection never sees gold; every run that uses it says `uses_gold`.
 */
#include "broker/judge.h"
#include "common/base/pack.h"

enum { GRADE = 0xffff }; /* the pass of a tie-break */

static enum ask_state begin(struct judge *j)
{
	if (j->plan->sweep->labels)
		return ASK_DONE;
	choice_note(j->plan, j->choice,
		    "the simulated judge has no labels: it needs --gold");
	return ASK_VOID;
}

static enum ask_state window(struct judge *j, uint32_t pass, uint32_t number,
			     const uint32_t *cand, uint32_t n, double *ret_rank)
{
	const struct plan *p = j->plan;
	const uint8_t *right = p->sweep->labels[p->q - p->sweep->q];
	struct buf spec = { 0 };
	struct cursor c;
	struct fact f;

	spec_begin(&spec, KIND_simrank, 7);
	pack_f64(&spec, p->run->accuracy);
	pack_f64(&spec, p->run->bias);
	pack_f64(&spec, p->run->shared);
	pack_u64(&spec, p->run->seed);
	pack_str(&spec, p->q->id);
	pack_u64(&spec, (uint64_t)pass << 16 | number);
	pack_array(&spec, n);
	for (uint32_t i = 0; i < n; i++) {
		pack_array(&spec, 2);
		pack_hash(&spec, &aggregate_candidate(p, j->g, cand[i])->run_hash);
		pack_bool(&spec, right[j->g->index[cand[i]]]);
	}
	f = plan_need(j->plan, &spec, NULL, 0);
	buf_free(&spec);
	if (f.state == FACT_PENDING)
		return ASK_WAITS;
	c = cur_of(f.output);
	cur_array_of(&c, n);
	for (uint32_t i = 0; i < n; i++)
		ret_rank[i] = cur_f64(&c);
	if (f.state == FACT_OUTPUT && cur_done(&c))
		return ASK_DONE;
	choice_note(j->plan, j->choice, "a simulated ask failed: %.*s", (int)f.text.n,
		    f.text.p);
	return ASK_VOID;
}

static enum ask_state grade(struct judge *j, uint32_t a, uint32_t b, double ret[2])
{
	const uint32_t pair[] = { a, b };
	double rank[2];
	enum ask_state s = window(j, GRADE, 0, pair, 2, rank);

	ret[0] = -rank[0];
	ret[1] = -rank[1];
	return s;
}

static int repeats(const struct judge *j)
{
	(void)j; /* each ask has noise of its own */
	return 0;
}

const struct judge_code judge_simulated = { begin, window, grade, repeats };
