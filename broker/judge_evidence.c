/* judge_evidence.c - the judge without a model: one `score` task gives a pass's scores
 * of all groups, and a window is then a sort, not a task; yet each counts as an ask */
#include "broker/judge.h"
#include "common/base/pack.h"
#include "common/base/round.h"
#include "proto/dossier.h"
#include "proto/score_out.h"

#include <math.h>

enum { FULL_SCORE = -1 };

static const char vote_stands[] = "the vote stands: for %.0f %% of the votes that "
				  "answer, the data themselves explain "
				  "an empty answer (a literal stored in another "
				  "spelling or type, a table, column or "
				  "key without values)";

static const char *no_score = "the evidence judge has no score";

static enum ask_state need_profile(struct judge *j)
{
	struct buf spec = { 0 };
	struct fact f;

	spec_begin(&spec, KIND_profile, 1);
	pack_hash(&spec, &j->plan->sweep->db[j->plan->q->db].hash);
	j->profile = task_key(buf_view(&spec));
	f = plan_need(j->plan, &spec, NULL, 0);
	buf_free(&spec);
	if (f.state == FACT_FAILED)
		choice_note(j->plan, j->choice, "no profile of the database: %.*s",
			    (int)f.text.n, f.text.p);
	return f.state == FACT_PENDING  ? ASK_WAITS
	       : f.state == FACT_FAILED ? ASK_VOID
					: ASK_DONE;
}

/* Candidates with one text are one member with several votes. */
static struct dossier_member *member_of(struct dossier_group *to, struct view sql)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (view_eq(to->member[i].sql, sql))
			return &to->member[i];
	return NULL;
}

static void fill_group(struct judge *j, uint32_t i, struct dossier_group *ret)
{
	const struct group *from = &j->g->group.group[i];

	ret->member = arena_alloc(j->plan->arena, from->size + 1, sizeof *ret->member);
	ret->votes = from->size;
	ret->status = j->g->out[group_face(&j->g->group, i)].status;
	for (uint32_t k = 0; ret->member && k < from->size; k++) {
		uint32_t c = j->g->group.member[from->first + k];
		const struct exec_out *o = &j->g->out[c];
		struct view sql = aggregate_candidate(j->plan, j->g, c)->run;
		struct dossier_member *m = member_of(ret, sql);

		if (m) {
			m->votes++;
			continue;
		}
		ret->member[ret->n++] =
			(struct dossier_member){ sql, 1, (uint8_t)o->one_zero, o->nulls,
						 o->cells };
	}
}

static void fill_dossier(struct judge *j, struct dossier *d)
{
	const struct grouping *g = &j->g->group;

	*d = (struct dossier){ .id = j->plan->q->id,
			       .text = j->plan->q->text,
			       .evidence = j->plan->q->evidence,
			       .asked = j->g->n,
			       .failed = g->n - g->ranked };
	d->group = arena_alloc(j->plan->arena, g->g + 1, sizeof *d->group);
	d->n = d->group ? g->g : 0;
	for (uint32_t i = 0; i < d->n; i++)
		fill_group(j, i, &d->group[i]);
}

static enum ask_state scores(struct judge *j, int64_t pass, struct score_out *ret)
{
	const struct sweep *sweep = j->plan->sweep;
	const struct bank_ref *bank = &sweep->bank;
	const struct blob blob[2] = { { j->dossier, buf_view(&j->dossier_bytes), 1 },
				      { sweep->weights_hash, sweep->weights_blob, 0 } };
	struct buf spec = { 0 };
	struct fact f;

	spec_begin(&spec, KIND_score, 6);
	pack_hash(&spec, &j->dossier);
	pack_hash(&spec, &j->profile);
	if (bank->path)
		pack_hash(&spec, &bank->hash);
	else
		pack_nil(&spec);
	pack_hash(&spec, &sweep->weights_hash);
	pack_u64(&spec, j->plan->run->seed);
	pack_i64(&spec, pass);
	f = plan_need(j->plan, &spec, blob, 2);
	buf_free(&spec);
	if (f.state == FACT_PENDING)
		return ASK_WAITS;
	if (f.state == FACT_FAILED ||
	    score_out_decode(f.output, j->plan->arena, ret, NULL) ||
	    ret->groups != j->g->group.g) {
		choice_note(j->plan, j->choice, "%s: %.*s", no_score, (int)f.text.n,
			    f.text.p);
		return ASK_VOID;
	}
	return ASK_DONE;
}

/* Asks come by passes, and hundreds of them may be of one. */
static enum ask_state pass_scores(struct judge *j, int64_t pass, const double **ret)
{
	if (!j->scored || j->scored_pass != pass) {
		struct score_out out = { 0 };

		j->scored = 1;
		j->scored_pass = pass;
		j->scored_state = scores(j, pass, &out);
		j->score = out.score;
	}
	*ret = j->score;
	return j->scored_state;
}

/* The full score goes into the choice: it explains, and P(right) comes of it. */
static enum ask_state explain(struct judge *j)
{
	struct choice_evidence *v = &j->choice->evidence;
	const struct weights *w = &j->plan->sweep->weights;
	struct score_out out;
	enum ask_state s = scores(j, FULL_SCORE, &out);

	if (s != ASK_DONE || out.features != FEATURES)
		return s == ASK_WAITS ? s : ASK_DONE; /* passes may do without */
	v->name = arena_alloc(j->plan->arena, FEATURES, sizeof *v->name);
	v->weight = arena_alloc(j->plan->arena, FEATURES, sizeof *v->weight);
	if (!v->name || !v->weight)
		return ASK_WAITS; /* for memory */
	for (int f = 0; f < FEATURES; f++) {
		v->name[f] = view_of(feature_name((enum feature)f));
		v->weight[f] = w->feature[out.memory][f];
	}
	if (out.stands)
		choice_note(j->plan, j->choice, vote_stands, 100 * out.explained);
	v->memory = out.memory;
	v->features = FEATURES;
	v->score = out.score;
	v->feature = out.feature;
	return ASK_DONE;
}

static enum ask_state begin(struct judge *j)
{
	enum ask_state s = need_profile(j);
	struct dossier d;

	fill_dossier(j, &d);
	dossier_encode(&d, &j->dossier_bytes);
	if (j->dossier_bytes.bad)
		return ASK_WAITS; /* for memory, that is: in vain */
	j->dossier = hash_of(j->dossier_bytes.p, j->dossier_bytes.n);
	return s == ASK_DONE ? explain(j) : s;
}

/* One pass has nothing to average over: it uses the whole of the evidence. */
static int64_t pass_of(const struct judge *j, uint32_t pass)
{
	return pass == JUDGE_ONCE || j->plan->run->passes_max <= 1 ? FULL_SCORE
								   : (int64_t)pass;
}

/* The scores of the groups of the candidates shown. */
static enum ask_state shown_scores(struct judge *j, uint32_t pass, const uint32_t *cand,
				   uint32_t n, double *ret)
{
	const double *score;
	enum ask_state s = pass_scores(j, pass_of(j, pass), &score);

	for (uint32_t i = 0; s == ASK_DONE && i < n; i++)
		ret[i] = score[j->g->group.of[cand[i]]];
	return s;
}

static enum ask_state value(struct judge *j, const char *what, uint32_t pass,
			    const uint32_t *cand, uint32_t n, double *ret)
{
	(void)what;
	return shown_scores(j, pass, cand, n, ret);
}

/* Scores are log-odds up to a constant. */
static enum ask_state pair(struct judge *j, uint32_t pass, uint32_t first,
			   uint32_t second, double *ret_p)
{
	const uint32_t cand[] = { first, second };
	double score[2];
	enum ask_state s = shown_scores(j, pass, cand, 2, score);

	if (s == ASK_DONE)
		*ret_p = round20(1 / (1 + exp(score[1] - score[0])));
	return s;
}

static enum ask_state score(struct judge *j, uint32_t cand, double *ret)
{
	return shown_scores(j, JUDGE_ONCE, &cand, 1, ret);
}

/* Evidence weighs what is there; of what is not there it knows nothing. */
static enum ask_state cover(struct judge *j, int *ret)
{
	(void)j;
	*ret = 1;
	return ASK_DONE;
}

/* Of several passes each draws its own weights. */
static int repeats(const struct judge *j)
{
	return j->plan->run->passes_max <= 1;
}

enum ask_state evidence_scores(struct plan *p, const struct aggregate *g,
			       struct choice *c, double *ret)
{
	struct judge j = { .plan = p, .g = g, .choice = c };
	struct score_out out;
	enum ask_state s = begin(&j);

	if (s == ASK_DONE)
		s = scores(&j, FULL_SCORE, &out);
	for (uint32_t i = 0; s == ASK_DONE && i < g->group.g; i++)
		ret[i] = out.score[i];
	judge_end(&j);
	return s;
}

const struct judge_code judge_evidence = { .begin = begin,
					   .value = value,
					   .pair = pair,
					   .score = score,
					   .cover = cover,
					   .repeats = repeats };
