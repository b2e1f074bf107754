/* judge_simulated.c - a judge of known accuracy, for tests and power studies
 *
 * It reads labels that results/ made beforehand, the one exception to the rule that
 * selection never sees gold; every run that uses it says `uses_gold`.
 */
#include "broker/judge.h"
#include "common/base/pack.h"

static enum ask_state begin(struct judge *j)
{
	if (j->plan->sweep->labels)
		return ASK_DONE;
	choice_note(j->plan, j->choice,
		    "the simulated judge has no labels: it needs --gold");
	return ASK_VOID;
}

struct shown { /* something that may be right */
	struct hash name;
	int right;
};

static struct shown shown_candidate(const struct judge *j, uint32_t cand)
{
	const struct plan *p = j->plan;
	const uint8_t *right = p->sweep->labels[p->q - p->sweep->q];

	return (struct shown){ aggregate_candidate(p, j->g, cand)->run_hash,
			       right[j->g->index[cand]] };
}

/* The utilities of what is shown. Chains and flat asks are kinds of their own, for the
 * former go on at each answer and the latter when all are there. */
static enum ask_state utilities(struct judge *j, enum kind kind, const char *what,
				uint32_t pass, const struct shown *shown, uint32_t n,
				double *ret)
{
	const struct plan *p = j->plan;
	struct buf spec = { 0 };
	struct cursor c;
	struct fact f;

	spec_begin(&spec, kind, 8);
	pack_f64(&spec, p->run->accuracy);
	pack_f64(&spec, p->run->bias);
	pack_f64(&spec, p->run->shared);
	pack_u64(&spec, p->run->seed);
	pack_str(&spec, p->q->id);
	pack_str(&spec, view_of(what));
	pack_u64(&spec, pass);
	pack_array(&spec, n);
	for (uint32_t i = 0; i < n; i++) {
		pack_array(&spec, 2);
		pack_hash(&spec, &shown[i].name);
		pack_bool(&spec, shown[i].right);
	}
	f = plan_need(j->plan, &spec, NULL, 0);
	buf_free(&spec);
	if (f.state == FACT_PENDING)
		return ASK_WAITS;
	c = cur_of(f.output);
	cur_array_of(&c, n);
	for (uint32_t i = 0; i < n; i++)
		ret[i] = cur_f64(&c);
	if (f.state == FACT_OUTPUT && cur_done(&c))
		return ASK_DONE;
	choice_note(j->plan, j->choice, "a simulated ask failed: %.*s", (int)f.text.n,
		    f.text.p);
	return ASK_VOID;
}

static enum ask_state value(struct judge *j, const char *what, uint32_t pass,
			    const uint32_t *cand, uint32_t n, double *ret)
{
	struct shown *shown = arena_alloc(j->plan->arena, n + 1, sizeof *shown);

	if (!shown)
		return ASK_WAITS; /* for memory */
	for (uint32_t i = 0; i < n; i++)
		shown[i] = shown_candidate(j, cand[i]);
	return utilities(j, KIND_simrank, what, pass, shown, n, ret);
}

static enum ask_state pair(struct judge *j, uint32_t pass, uint32_t first,
			   uint32_t second, double *ret_p)
{
	const struct shown shown[] = { shown_candidate(j, first),
				       shown_candidate(j, second) };
	double u[2];
	enum ask_state s = utilities(j, KIND_simflat, "pair", pass, shown, 2, u);

	if (s == ASK_DONE)
		*ret_p = u[0] > u[1] ? 1 : u[0] < u[1] ? 0 : 0.5;
	return s;
}

static enum ask_state score(struct judge *j, uint32_t cand, double *ret)
{
	const struct shown shown = shown_candidate(j, cand);

	return utilities(j, KIND_simflat, "score", JUDGE_ONCE, &shown, 1, ret);
}

/* "There is a right one" and "there is none" stand for election. */
static enum ask_state cover(struct judge *j, int *ret)
{
	struct shown shown[] = { { hash_of("covered", 7), 0 },
				 { hash_of("missing", 7), 1 } };
	double u[2];
	enum ask_state s;

	for (uint32_t i = 0; i < j->g->n; i++)
		shown[0].right |= shown_candidate(j, i).right;
	shown[1].right = !shown[0].right;
	s = utilities(j, KIND_simflat, "cover", JUDGE_ONCE, shown, 2, u);
	if (s == ASK_DONE)
		*ret = u[0] >= u[1];
	return s;
}

static int repeats(const struct judge *j)
{
	(void)j; /* each ask has noise of its own */
	return 0;
}

const struct judge_code judge_simulated = { .begin = begin,
					    .value = value,
					    .pair = pair,
					    .score = score,
					    .cover = cover,
					    .repeats = repeats };
