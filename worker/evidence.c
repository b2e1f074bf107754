/* evidence.c - see evidence.h */
#include "worker/evidence.h"

#include "common/base/rng.h"
#include "common/base/round.h"

#include <math.h>

/* A share is shrunk towards the bank's mean as if this weight of it had been seen, and
 * never believed beyond these bounds. */
#define SHRINK 2.0
#define SHARE_LEAST 0.02
#define SHARE_MOST 0.98

/* Where the guard explains so many of the votes, the vote stands. */
#define EXPLAINED_ENOUGH 0.2

/* One for each SQL text and status of the question. */
struct seen {
	const struct dossier_member *m;
	enum status status;
	struct reading *reading;
	struct candidate_facts facts;
};

static void group_add(struct evidence_group *g, const struct candidate_facts *f,
		      double share)
{
	for (int i = 0; i < FEATURES; i++)
		g->value[i] += share * f->value[i];
	for (unsigned b = 0; b < SQL_COMPARES; b++)
		g->compares[b] += f->compares >> b & 1 ? share : 0;
}

static uint64_t votes_of(const struct dossier_group *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		n += g->member[i].votes;
	return n;
}

static uint32_t largest_of(const struct dossier *d)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < d->n; i++)
		if (d->group[i].votes > d->group[best].votes)
			best = i;
	return best;
}

static size_t members_of(const struct dossier *d)
{
	size_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		n += d->group[i].n;
	return n;
}

struct gather {
	const struct profile *p;
	struct asked asked;
	struct seen *seen;
	size_t n;
	struct arena *a;
};

static struct seen *find_seen(struct gather *w, enum status status, struct view sql)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->seen[i].status == status && view_eq(w->seen[i].m->sql, sql))
			return &w->seen[i];
	return NULL;
}

static int read_group(struct gather *w, const struct dossier_group *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct seen *s = &w->seen[w->n];
		int code;

		if (find_seen(w, g->status, g->member[i].sql))
			continue;
		*s = (struct seen){ .m = &g->member[i], .status = g->status };
		code = candidate_read(w->p, s->m->sql, w->a, &s->reading);
		if (!code)
			code = asked_add(&w->asked, s->reading, w->a);
		if (code)
			return code;
		w->n++;
	}
	return 0;
}

static int read_all(struct gather *w, const struct dossier *d)
{
	int code = 0;

	w->seen = arena_alloc(w->a, members_of(d) + 1, sizeof *w->seen);
	if (!w->seen)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < d->n && !code; i++)
		if (d->group[i].status != STATUS_abstain)
			code = read_group(w, &d->group[i]);
	for (size_t i = 0; i < w->n && !code; i++) {
		struct seen *s = &w->seen[i];

		code = candidate_facts(&w->asked, s->reading, s->status, s->m, w->a,
				       &s->facts);
	}
	return code;
}

/* How many of its votes the guard explains. */
static double gather_group(struct gather *w, const struct dossier_group *g,
			   struct evidence_group *ret)
{
	double votes = (double)votes_of(g), explained = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct dossier_member *m = &g->member[i];

		const struct candidate_facts *f =
			&find_seen(w, g->status, m->sql)->facts;

		group_add(ret, f, m->votes / votes);
		explained += f->explained ? m->votes : 0;
	}
	return explained;
}

/* The guard over the whole question. */
static void let_vote_stand(struct evidence *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		for (int f = 0; f < FEATURES; f++)
			if (feature_drawn((enum feature)f))
				v->group[i].value[f] = 0;
		memset(v->group[i].compares, 0, sizeof v->group[i].compares);
	}
}

static void own_features(const struct dossier *d, uint32_t i, uint32_t largest,
			 struct evidence_group *g)
{
	g->abstains = d->group[i].status == STATUS_abstain;
	g->value[FEATURE_lsize] =
		log((double)d->group[i].votes) - log((double)d->group[largest].votes);
	g->value[FEATURE_isabs] = g->abstains;
	if (g->abstains && d->asked)
		g->value[FEATURE_abs_fail] = (double)d->failed / (double)d->asked;
}

int evidence_gather(const struct dossier *d, const struct profile *p, struct arena *a,
		    struct evidence *ret, struct err *e)
{
	struct gather w = { .p = p, .a = a };
	struct evidence v = { .id = d->id, .n = d->n, .largest = largest_of(d) };
	double answers = 0;
	int code = asked_of(d, p, a, &w.asked);

	v.group = arena_alloc(a, (size_t)d->n + 1, sizeof *v.group);
	if (!code && v.group)
		code = read_all(&w, d);
	if (code || !v.group)
		return err_set(e, ERR_NOMEM, "evidence of %u groups", d->n);
	for (uint32_t i = 0; i < d->n; i++) {
		if (d->group[i].status == STATUS_abstain)
			continue;
		v.explained += gather_group(&w, &d->group[i], &v.group[i]);
		answers += d->group[i].votes;
	}
	v.explained /= answers ? answers : 1;
	v.stands = v.explained >= EXPLAINED_ENOUGH;
	if (v.stands)
		let_vote_stand(&v);
	for (uint32_t i = 0; i < d->n; i++)
		own_features(d, i, v.largest, &v.group[i]);
	*ret = v;
	return 0;
}

static double clip(double p)
{
	return p < SHARE_LEAST ? SHARE_LEAST : p > SHARE_MOST ? SHARE_MOST : p;
}

double neighbours_likelihood(const struct neighbours *near,
			     const double compares[SQL_COMPARES])
{
	double sum = 0;

	for (unsigned b = 0; b < SQL_COMPARES; b++) {
		double weight = SHRINK, made = SHRINK * near->share[b], p;

		for (uint32_t i = 0; i < near->n; i++) {
			double w = near->near[i].cosine * near->near[i].cosine;

			weight += w;
			made += near->near[i].compares >> b & 1 ? w : 0;
		}
		p = clip(made / weight);
		sum += compares[b] * log(p) + (1 - compares[b]) * log(1 - p);
	}
	return sum;
}

struct draw {
	uint32_t times[FEATURES];
	struct neighbours near;
};

/* The full score takes everything once; a pass draws as many features as can be drawn,
 * and as many neighbours as there are. */
static void draw_pass(const struct evidence *v, const struct neighbours *near,
		      uint64_t seed, int64_t pass, struct draw *ret)
{
	int drawn[FEATURES], n = 0;
	struct rng r;

	for (int i = 0; i < FEATURES; i++) {
		int draws =
			feature_drawn((enum feature)i) && (near || i != FEATURE_mp_cmp);

		if (draws)
			drawn[n++] = i;
		ret->times[i] =
			pass == EVIDENCE_FULL || !feature_drawn((enum feature)i);
	}
	if (near)
		ret->near = *near;
	if (pass == EVIDENCE_FULL)
		return;
	rng_init(&r, "evidence", seed, v->id, (uint64_t)pass);
	for (int i = 0; i < n; i++)
		ret->times[drawn[rng_below(&r, (uint64_t)n)]]++;
	for (uint32_t i = 0; near && i < near->n; i++)
		ret->near.near[i] = near->near[rng_below(&r, near->n)];
}

/* feature[group * FEATURES + f] less its mean over the groups that do not abstain. */
static double centre(const struct evidence *v, double *feature, int f)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->n; i++)
		if (!v->group[i].abstains) {
			sum += feature[i * FEATURES + (uint32_t)f];
			n++;
		}
	for (uint32_t i = 0; i < v->n; i++)
		if (!v->group[i].abstains)
			feature[i * FEATURES + (uint32_t)f] -= sum / n;
	return n ? sum / n : 0;
}

static double weigh(const double *weight, const double *feature, const uint32_t *times)
{
	double sum = 0;

	for (int f = 0; f < FEATURES; f++)
		sum += times[f] * weight[f] * feature[f];
	return sum;
}

static void fill_features(const struct evidence *v, const struct neighbours *near,
			  double *feature, double *mean)
{
	for (uint32_t i = 0; i < v->n; i++) {
		double *f = feature + (size_t)i * FEATURES;

		memcpy(f, v->group[i].value, sizeof v->group[i].value);
		if (near && !v->group[i].abstains)
			f[FEATURE_mp_cmp] =
				neighbours_likelihood(near, v->group[i].compares);
	}
	for (int f = 0; f < FEATURES; f++)
		if (feature_centred((enum feature)f))
			mean[f] = centre(v, feature, f);
}

int evidence_pass(const struct evidence *v, const struct weights *w,
		  const struct neighbours *near, uint64_t seed, int64_t pass,
		  struct arena *a, struct score_out *ret, struct err *e)
{
	struct score_out s = { .groups = v->n,
			       .features = FEATURES,
			       .largest = v->largest,
			       .memory = near != NULL,
			       .explained = round20(v->explained),
			       .stands = (uint8_t)v->stands };
	const double *weight = w->feature[near != NULL];
	struct draw d = { 0 };

	s.score = arena_alloc(a, (size_t)v->n + 1, sizeof *s.score);
	s.feature = arena_alloc(a, ((size_t)v->n + 1) * FEATURES, sizeof *s.feature);
	s.mean = arena_alloc(a, FEATURES, sizeof *s.mean);
	s.times = arena_alloc(a, FEATURES, sizeof *s.times);
	if (!s.score || !s.feature || !s.mean || !s.times)
		return err_set(e, ERR_NOMEM, "scores of %u groups", v->n);
	draw_pass(v, near, seed, pass, &d);
	fill_features(v, near ? &d.near : NULL, s.feature, s.mean);
	memcpy(s.times, d.times, sizeof d.times);
	for (uint32_t i = 0; i < v->n; i++) {
		double *f = s.feature + (size_t)i * FEATURES;
		double bonus = i == v->largest ? w->bonus[near != NULL] : 0;

		s.score[i] = round20(weigh(weight, f, s.times) + bonus);
		for (int k = 0; k < FEATURES; k++)
			f[k] = round20(f[k]);
	}
	for (int k = 0; k < FEATURES; k++)
		s.mean[k] = round20(s.mean[k]);
	*ret = s;
	return 0;
}

int evidence_score(const struct dossier *d, const struct profile *p,
		   const struct neighbours *near, uint64_t seed, int64_t pass,
		   struct arena *a, struct score_out *ret, struct err *e)
{
	struct evidence v;
	struct weights w;
	int code = evidence_gather(d, p, a, &v, e);

	if (!code)
		code = weights_builtin(a, &w, e);
	return code ? code : evidence_pass(&v, &w, near, seed, pass, a, ret, e);
}
