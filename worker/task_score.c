/* task_score.c - evidence: one pass over the groups of a question
 *
 * A database's profile is large and serves all of its questions; a question's features
 * serve all of its passes. So the worker keeps a few decoded profiles and the last
 * question's features; what is not there is made again, with the same result.
 */
#include "common/base/mem.h"
#include "worker/evidence.h"
#include "worker/kinds.h"
#include "worker/recall.h"
#include "worker/scores.h"

enum { PROFILES = 16 };

struct kept_profile {
	struct hash key;
	struct profile profile;
	uint64_t used; /* a count: larger is later; 0: empty */
};

struct scores {
	struct kept_profile profile[PROFILES];
	uint64_t uses;
	struct hash dossier, profile_key;
	struct arena arena; /* of what is below */
	struct dossier d;
	struct evidence evidence;
	int has_evidence, has_near;
	struct hash bank;
	struct neighbours near;
};

struct scores *scores_new(void)
{
	return mem_alloc(1, sizeof(struct scores));
}

void scores_free(struct scores **sp)
{
	struct scores *s = *sp;

	if (!s)
		return;
	for (int i = 0; i < PROFILES; i++)
		profile_free(&s->profile[i].profile);
	arena_free(&s->arena);
	mem_free(s);
	*sp = NULL;
}

struct fields {
	struct hash dossier, profile, bank, weights;
	int has_bank;
	uint64_t seed;
	int64_t pass;
};

static int read_fields(const struct attempt *a, struct fields *ret)
{
	struct fields f = { 0 };
	struct cursor c;

	spec_open(a->spec, &c);
	f.dossier = cur_hash(&c);
	f.profile = cur_hash(&c);
	f.has_bank = !cur_nil(&c);
	if (f.has_bank)
		f.bank = cur_hash(&c);
	f.weights = cur_hash(&c);
	f.seed = cur_u64(&c);
	f.pass = cur_i64(&c);
	*ret = f;
	return cur_done(&c);
}

static int needs(struct attempt *a, attempt_need_fn *need)
{
	struct fields f;

	if (!read_fields(a, &f))
		return 0;
	need(a, &f.dossier, NEED_BLOB);
	need(a, &f.profile, NEED_OUTPUT);
	need(a, &f.weights, NEED_BLOB);
	if (f.has_bank)
		need(a, &f.bank, NEED_BANK);
	return 1;
}

static struct kept_profile *oldest(struct scores *s)
{
	struct kept_profile *k = &s->profile[0];

	for (int i = 1; i < PROFILES; i++)
		if (s->profile[i].used < k->used)
			k = &s->profile[i];
	return k;
}

static int profile_of(struct attempt *a, struct scores *s, const struct hash *key,
		      struct profile **ret, struct err *e)
{
	struct kept_profile *k = NULL;
	int rc;

	for (int i = 0; i < PROFILES && !k; i++)
		if (s->profile[i].used && hash_eq(&s->profile[i].key, key))
			k = &s->profile[i];
	if (!k) {
		k = oldest(s);
		profile_free(&k->profile);
		k->used = 0;
		s->has_evidence = 0; /* it may point into what was just freed */
		rc = profile_decode(worker_blob(a->worker, key), &k->profile, e);
		if (rc)
			return rc;
		k->key = *key;
	}
	k->used = ++s->uses;
	*ret = &k->profile;
	return 0;
}

static int gather(struct attempt *a, struct scores *s, const struct fields *f,
		  struct err *e)
{
	struct view bytes = worker_blob(a->worker, &f->dossier);
	struct profile *p;
	int rc = profile_of(a, s, &f->profile, &p, e);

	if (rc || (s->has_evidence && hash_eq(&s->dossier, &f->dossier) &&
		   hash_eq(&s->profile_key, &f->profile)))
		return rc;
	arena_free(&s->arena);
	s->has_evidence = s->has_near = 0;
	bytes = arena_view(&s->arena, bytes);
	rc = bytes.p ? dossier_decode(bytes, &s->arena, &s->d, e) : ERR_NOMEM;
	if (!rc)
		rc = evidence_gather(&s->d, p, &s->arena, &s->evidence, e);
	if (rc)
		return rc;
	s->has_evidence = 1;
	s->dossier = f->dossier;
	s->profile_key = f->profile;
	return 0;
}

static int near_of(struct attempt *a, struct scores *s, const struct fields *f,
		   const struct neighbours **ret, struct err *e)
{
	int rc = 0;

	*ret = NULL;
	if (!f->has_bank)
		return 0;
	if (!s->has_near || !hash_eq(&s->bank, &f->bank))
		rc = recall_neighbours(worker_bank(a->worker, &f->bank), s->d.text,
				       &s->near, e);
	if (rc)
		return rc;
	s->has_near = 1;
	s->bank = f->bank;
	*ret = &s->near;
	return 0;
}

static void start(struct attempt *a)
{
	struct scores *s = worker_scores(a->worker);
	const struct neighbours *near;
	struct score_out out;
	struct weights w;
	struct fields f;
	struct err e = { 0 };
	int rc;

	read_fields(a, &f);
	rc = gather(a, s, &f, &e);
	if (!rc)
		rc = near_of(a, s, &f, &near, &e);
	if (!rc)
		rc = weights_decode(worker_blob(a->worker, &f.weights), &w, &e);
	if (!rc)
		rc = evidence_pass(&s->evidence, &w, near, f.seed, f.pass, &a->arena,
				   &out, &e);
	if (!rc)
		score_out_encode(&out, &a->output);
	attempt_done(a, rc, rc ? e.text : "");
}

const struct kind_code code_score = { .needs = needs, .start = start };
