/* tally.c - see tally.h */
#include "results/tally.h"

#include "common/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* The order in which benchmarks tell their levels; others come after, as met. */
static const char *const known_level[] = {
	"simple", "moderate", "challenging", "easy",         "medium",
	"hard",   "extra",    "answerable",  "unanswerable",
};
enum { KNOWN = sizeof known_level / sizeof *known_level };

static uint32_t known(struct view name)
{
	uint32_t i = 0;

	while (i < KNOWN && !view_eq(name, view_of(known_level[i])))
		i++;
	return i;
}

static uint32_t level_index(const struct tally *t, struct view name)
{
	uint32_t i = 0;

	while (i < t->nlevel && !view_eq(t->level[i].name, name))
		i++;
	return i;
}

static void add_level(struct tally *t, struct view name)
{
	uint32_t i = level_index(t, name);

	if (i < t->nlevel)
		return;
	for (i = t->nlevel++; i > 0 && known(t->level[i - 1].name) > known(name); i--)
		t->level[i] = t->level[i - 1];
	t->level[i] = (struct level){ .name = name };
}

static void find_levels(struct tally *t)
{
	for (uint32_t q = 0; q < t->gold->n; q++)
		if (t->gold->item[q].level.n)
			add_level(t, t->gold->item[q].level);
	for (uint32_t q = 0; q < t->gold->n; q++) {
		t->level_of[q] = level_index(t, t->gold->item[q].level);
		if (t->level_of[q] < t->nlevel)
			t->level[t->level_of[q]].n++;
	}
}

static uint32_t pool_of(struct tally *t, const struct run *run)
{
	for (uint32_t i = 0; i < t->npool; i++)
		if (t->pool[i].candidates == run->candidates &&
		    t->pool[i].seed == run->seed)
			return i;
	t->pool[t->npool] =
		(struct tally_pool){ .candidates = run->candidates, .seed = run->seed };
	return t->npool++;
}

static uint32_t stem_of(struct tally *t, const struct run *run)
{
	for (uint32_t i = 0; i < t->nstem; i++)
		if (strcmp(t->stem[i].name, run->stem) == 0)
			return i;
	t->stem[t->nstem] = (struct tally_stem){ .name = run->stem, .run = run };
	return t->nstem++;
}

static int source_cmp(const void *a, const void *b)
{
	const struct tally_source *x = a, *y = b;

	return view_cmp(x->name, y->name);
}

static struct tally_source *source_find(const struct tally *t, struct view name)
{
	struct tally_source key = { .name = name };

	return bsearch(&key, t->source, t->nsource, sizeof key, source_cmp);
}

/* The pool's systems, by name; a pool with more is not a list of systems. */
static void find_sources(struct tally *t)
{
	const struct sweep *s = t->sweep;

	for (uint32_t q = 0; q < s->nq; q++)
		for (uint32_t i = 0; i < s->q[q].n; i++) {
			struct view name = s->q[q].cand[i].source;

			if (name.n == 0 || source_find(t, name))
				continue;
			if (t->nsource == TALLY_SOURCES) {
				t->nsource = 0;
				return;
			}
			t->source[t->nsource++] = (struct tally_source){ .name = name };
			qsort(t->source, t->nsource, sizeof *t->source, source_cmp);
		}
}

static int alloc(struct tally *t)
{
	const struct sweep *s = t->sweep;
	struct arena *a = &t->arena;

	t->level = arena_alloc(a, s->nq + 1, sizeof *t->level);
	t->level_of = arena_alloc(a, s->nq + 1, sizeof *t->level_of);
	t->run = arena_alloc(a, s->nrun + 1, sizeof *t->run);
	t->pool = arena_alloc(a, s->nrun + 1, sizeof *t->pool);
	t->stem = arena_alloc(a, s->nrun + 1, sizeof *t->stem);
	t->pair = arena_alloc(a, s->nrun + 1, sizeof *t->pair);
	t->class_ = arena_alloc(a, TALLY_CLASSES, sizeof *t->class_);
	t->source = arena_alloc(a, TALLY_SOURCES, sizeof *t->source);
	return t->level && t->level_of && t->run && t->pool && t->stem && t->pair &&
			       t->class_ && t->source && consistency_alloc(t) == 0
		       ? 0
		       : ERR_NOMEM;
}

int tally_new(const struct sweep *s, const struct gold *g, struct tally **ret)
{
	struct tally *t = mem_alloc(1, sizeof *t);
	int rc = t ? 0 : ERR_NOMEM;

	if (t) {
		t->sweep = s;
		t->gold = g;
		rc = alloc(t);
	}
	if (rc == 0 && g)
		find_levels(t);
	if (rc == 0)
		find_sources(t);
	for (uint32_t r = 0; rc == 0 && r < s->nrun; r++) {
		struct tally_run *x = &t->run[r];

		x->run = &s->run[r];
		x->pool = pool_of(t, x->run);
		x->stem = stem_of(t, x->run);
		x->right = arena_alloc(&t->arena, s->nq + 1, 1);
		x->sure.v = arena_alloc(&t->arena, s->nq + 1, sizeof *x->sure.v);
		x->level = arena_alloc(&t->arena, t->nlevel + 1, sizeof *x->level);
		x->db = arena_alloc(&t->arena, s->ndb + 1, sizeof *x->db);
		if (!x->right || !x->sure.v || !x->level || !x->db ||
		    consistency_alloc_run(t, x) != 0)
			rc = ERR_NOMEM;
	}
	if (rc)
		tally_free(&t);
	else
		*ret = t;
	return rc;
}

void tally_free(struct tally **t)
{
	if (!*t)
		return;
	arena_free(&(*t)->arena);
	mem_free(*t);
	*t = NULL;
}

static int has(struct view v, const char *word)
{
	return memmem(v.p, v.n, word, strlen(word)) != NULL;
}

void tally_class_name(enum status status, struct view note, char ret[64])
{
	static const char *const word[] = {
		"no such column",
		"no such table",
		"no such function",
		"syntax error",
		"ambiguous column name",
		"incomplete input",
		"unrecognized token",
		"misuse of aggregate",
		"wrong number of arguments",
		"one statement",
		"parser stack overflow",
	};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (has(note, word[i])) {
			snprintf(ret, 64, "%s", word[i]);
			return;
		}
	/* The finer words are one word each; what else SQLite may say is not. */
	if (note.n == 0 || note.n > 24 || memchr(note.p, ' ', note.n))
		snprintf(ret, 64, "%s", status_name(status));
	else
		snprintf(ret, 64, "%.*s", (int)note.n, note.p);
}

static int class_order(const struct tally_class *c, enum status status,
		       const char *name)
{
	return c->status != status ? (c->status > status) - (c->status < status)
				   : strcmp(c->name, name);
}

/* Sorted, for candidates may come in any order. */
static void count_class(struct tally *t, const struct question *q, enum status status,
			struct view note)
{
	struct tally_class *c = t->class_;
	char name[64];
	uint32_t i = 0;

	tally_class_name(status, note, name);
	while (i < t->nclass && class_order(&c[i], status, name) < 0)
		i++;
	if (i < t->nclass && class_order(&c[i], status, name) == 0) {
		c[i].n++;
	} else if (t->nclass == TALLY_CLASSES) {
		i = TALLY_CLASSES - 1;
		snprintf(c[i].name, sizeof c[i].name, "others");
		c[i].n++;
	} else {
		memmove(&c[i + 1], &c[i], (t->nclass++ - i) * sizeof *c);
		c[i] = (struct tally_class){ .status = status, .n = 1 };
		c[i].example_id = q->id;
		memcpy(c[i].name, name, sizeof name);
	}
}

void tally_candidate(struct tally *t, const struct question *q, uint32_t cand,
		     enum status status, struct view note, int right)
{
	struct tally_source *src = source_find(t, q->cand[cand].source);

	t->all.n[status]++;
	t->all.right += right > 0;
	if (src) {
		src->status.n[status]++;
		src->status.right += right > 0;
	}
	if (!status_ok(status))
		count_class(t, q, status, note);
}

void tally_question(struct tally *t, uint32_t q, const struct verdict *v)
{
	int odd;

	(void)q;
	if (!v)
		return;
	t->verdicts++;
	t->gold_failed += !status_ok(v->gold);
	odd = view_eq(v->gold_note, view_of("decode"));
	for (uint32_t i = 0; i < v->n && !odd; i++)
		odd = view_eq(v->note[i], view_of("decode"));
	t->non_utf8 += (uint32_t)odd;
}

static void add_pool(struct tally_pool *p, const struct sample *x)
{
	uint32_t n = 0, right = 0;

	if (p->last == x->q + 1 || !x->choice)
		return;
	p->last = x->q + 1;
	p->questions++;
	p->groups += x->choice->g;
	p->single_group += x->choice->g == 1;
	for (uint32_t i = 0; i < x->choice->ngroup; i++) {
		const struct choice_group *g = &x->choice->group[i];

		n += g->size;
		for (uint32_t k = 0; x->verdict && k < g->size; k++)
			right += g->member[k] < x->verdict->n &&
				 x->verdict->right[g->member[k]];
	}
	p->oracle += right > 0;
	p->adversary += n && right == n;
	p->single += n ? (double)right / n : 0;
}

/* Nothing chosen is an abstention. */
static int abstained_of(const struct sample *x)
{
	const struct candidate *c = sample_chosen(x);

	return !c || c->abstains;
}

static void add_reliability(struct reliability *r, const struct sample *x, int right)
{
	int abstained = abstained_of(x);

	if (right || (abstained && x->gold->abstains))
		r->good++;
	else if (abstained)
		r->abstained++;
	else
		r->bad++;
}

static void add_overturned(struct tally_run *t, const struct sample *x, int right)
{
	const struct choice_group *m = sample_majority(x), *mine = sample_group(x);
	int majority_right;

	if (!m || !mine || m == mine)
		return;
	t->overturned++;
	if (right < 0)
		return;
	majority_right =
		m->member[0] < x->verdict->n && x->verdict->right[m->member[0]];
	t->overturned_right += right && !majority_right;
	t->overturned_wrong += !right && majority_right;
}

static void add_choice(struct tally_run *t, const struct choice *c)
{
	t->degraded += c->degraded && c->chosen >= 0;
	t->failed += c->chosen < 0;
	t->tied += c->tied;
	t->parse_missing += c->parse_missing;
	t->parse_duplicate += c->parse_duplicate;
	t->parse_unknown += c->parse_unknown;
	t->parse_failed += c->parse_failed;
	for (uint32_t i = 0; i < c->npass; i++)
		if (c->pass[i].is_void)
			t->void_rankings++;
		else
			t->rankings++;
	if (c->g > 1) {
		t->ranked++;
		t->passes += c->npass;
	}
}

void correction_add(struct correction *c, const struct verdict *v, int64_t chosen)
{
	int some = chosen >= 0 && chosen < (int64_t)v->n;

	if (!v->corrected)
		return;
	c->n++;
	c->right += some && v->corrected[chosen];
	c->before += some && v->right[chosen];
}

int tally_add(struct tally *t, const struct sample *x)
{
	struct tally_run *r = &t->run[x->r];
	int right = sample_right(x);
	uint32_t level = t->gold ? t->level_of[x->q] : t->nlevel;

	use_add(&r->use, &x->use);
	sureness_add(&r->sure, x);
	add_pool(&t->pool[r->pool], x);
	if (x->choice) {
		add_choice(r, x->choice);
		add_overturned(r, x, right);
		consistency_add(t, r, x);
	} else {
		r->pending++;
	}
	r->right[x->q] = right > 0;
	r->correct += right > 0;
	r->db[x->question->db].n++;
	r->db[x->question->db].right += right > 0;
	if (level < t->nlevel) {
		r->level[level].n++;
		r->level[level].right += right > 0;
	}
	if (slots_add(&r->slots, x, &t->arena) != 0)
		return ERR_NOMEM;
	if (!x->verdict)
		return 0;
	r->gold_failed += !status_ok(x->verdict->gold);
	r->strict += sample_chosen(x) && x->choice->chosen < (int64_t)x->verdict->n &&
		     x->verdict->strict[x->choice->chosen];
	correction_add(&r->correction, x->verdict, x->choice ? x->choice->chosen : -1);
	if (x->verdict->soft_f1) {
		r->soft_n++;
		r->soft_f1 += sample_soft_f1(x);
	}
	if (rule_abstains(t->sweep->rule))
		add_reliability(&r->rs, x, right);
	if (t->sweep->rule == RULE_ehrsql_v1)
		replies_add(&r->replies, !abstained_of(x), !x->gold->abstains, right);
	return 0;
}

void replies_add(struct replies *a, int predicted, int real, int right)
{
	a->predicted += predicted;
	a->real += real;
	a->both += predicted && real;
	a->right += predicted && real && right;
}

/* Both parts over counts that the script keeps from being 0 in its way. */
static struct rates rates_of(uint32_t hits, uint32_t predicted, uint32_t real)
{
	struct rates r = { .precision = hits / (predicted + 1e-10),
			   .recall = hits / (real + 1e-10) };

	r.f1 = 2 * (r.precision * r.recall / (r.precision + r.recall + 1e-10));
	return r;
}

struct rates replies_ans(const struct replies *a)
{
	return rates_of(a->both, a->predicted, a->real);
}

struct rates replies_exec(const struct replies *a)
{
	return rates_of(a->right, a->predicted, a->real);
}

double reliability_score(const struct reliability *r, double penalty)
{
	double n = (double)r->good + r->abstained + r->bad;

	return n ? (r->good - penalty * r->bad) / n * 100 : 0;
}

/* Scratch of tally_finish(): one number a question. */
struct scratch {
	double *x, *sum;
	uint32_t *cluster;
	int32_t *sign;
};

static struct estimate by_db(const struct tally *t, const struct scratch *w)
{
	return stats_clustered(w->x, w->cluster, t->sweep->nq, t->sweep->ndb, w->sum);
}

static void finish_run(struct tally *t, struct tally_run *r, const struct scratch *w)
{
	for (uint32_t q = 0; q < t->sweep->nq; q++)
		w->x[q] = r->right[q];
	sureness_finish(&r->sure);
	r->ex = stats_mean(w->x, t->sweep->nq);
	r->ex_by_db = by_db(t, w);
}

static void finish_stem(const struct tally *t, struct tally_stem *m)
{
	double nq = t->sweep->nq, square = 0;

	for (uint32_t r = 0; r < t->sweep->nrun; r++)
		if (&t->stem[t->run[r].stem] == m) {
			m->seeds++;
			m->correct += t->run[r].correct;
			m->strict += t->run[r].strict;
		}
	m->mean = m->correct / (m->seeds * nq);
	for (uint32_t r = 0; r < t->sweep->nrun; r++)
		if (&t->stem[t->run[r].stem] == m) {
			double d = t->run[r].correct / nq - m->mean;

			square += d * d;
		}
	m->sd = m->seeds > 1 ? sqrt(square / (m->seeds - 1)) : -1;
}

/* Adds the pairs of one seed; 1 if stem b ran it too. */
static int add_seed(const struct tally *t, struct tally_pair *p, uint32_t a,
		    const struct scratch *w)
{
	for (uint32_t b = 0; b < t->sweep->nrun; b++) {
		if (t->run[b].stem != p->b ||
		    t->run[b].run->seed != t->run[a].run->seed)
			continue;
		for (uint32_t q = 0; q < t->sweep->nq; q++) {
			int x = t->run[a].right[q], y = t->run[b].right[q];

			p->b10 += x && !y;
			p->b01 += !x && y;
			w->x[q] += x - y;
		}
		return 1;
	}
	return 0;
}

/* The tests of a pair whose sums over seeds stand in w->x. */
static int test_pair(struct tally_pair *p, uint32_t seeds, uint32_t nq,
		     const struct scratch *w)
{
	uint32_t m = p->b01 + p->b10, one = (m + seeds / 2) / seeds;

	for (uint32_t q = 0; q < nq; q++)
		w->sign[q] = (int32_t)w->x[q];
	p->p = mcnemar_exact(p->b01, p->b10);
	p->power = m ? mcnemar_power(one, (double)p->b10 / m, .05) : 0;
	p->detectable = mcnemar_detectable(one, nq, .8, .05);
	return stats_sign_flip(w->sign, nq, &p->by_question);
}

/* *ret_found 0: no seed is both methods'. */
static int finish_pair(const struct tally *t, struct tally_pair *p,
		       const struct scratch *w, int *ret_found)
{
	uint32_t seeds = 0, nq = t->sweep->nq;

	memset(w->x, 0, nq * sizeof *w->x);
	for (uint32_t a = 0; a < t->sweep->nrun; a++)
		if (t->run[a].stem == p->a)
			seeds += (uint32_t)add_seed(t, p, a, w);
	*ret_found = seeds > 0;
	if (!seeds)
		return 0;
	if (test_pair(p, seeds, nq, w))
		return ERR_NOMEM;
	for (uint32_t q = 0; q < nq; q++)
		w->x[q] /= seeds;
	p->questions = seeds * nq;
	p->t = stats_mean(w->x, nq);
	p->by_db = by_db(t, w);
	memcpy(p->x, w->x, nq * sizeof *w->x);
	return 0;
}

/* Every method against majority over the same draw. */
static int finish_pairs(struct tally *t, const struct scratch *w)
{
	int found;

	for (uint32_t a = 0; a < t->nstem; a++)
		for (uint32_t b = 0; b < t->nstem; b++) {
			struct tally_pair *p = &t->pair[t->npair];

			if (strcmp(t->stem[a].run->method, "majority") == 0 ||
			    strcmp(t->stem[b].run->method, "majority") != 0 ||
			    t->stem[a].run->candidates != t->stem[b].run->candidates)
				continue;
			*p = (struct tally_pair){ .a = a, .b = b };
			p->x = arena_alloc(&t->arena, t->sweep->nq + 1, sizeof *p->x);
			if (!p->x || finish_pair(t, p, w, &found))
				return ERR_NOMEM;
			t->npair += (uint32_t)found;
			if (found)
				break;
		}
	return 0;
}

enum { BOOTSTRAP_SEED = 42 };

static int bootstrap(struct tally *t, const struct scratch *w)
{
	const struct sweep *s = t->sweep;
	const double **x = mem_alloc(t->npair + 1, sizeof *x);
	struct interval *one = mem_alloc(t->npair + 1, sizeof *one);
	struct interval *two = mem_alloc(t->npair + 1, sizeof *two);
	int rc = x && one && two ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < t->npair; i++)
		x[i] = t->pair[i].x;
	if (rc == 0)
		rc = bootstrap_means(x, t->npair, s->nq, BOOTSTRAP_SEED, one);
	if (rc == 0)
		rc = bootstrap_clusters(x, t->npair, s->nq, w->cluster, s->ndb,
					BOOTSTRAP_SEED, two);
	for (uint32_t i = 0; rc == 0 && i < t->npair; i++) {
		t->pair[i].boot = one[i];
		t->pair[i].boot_by_db = two[i];
	}
	mem_free(x);
	mem_free(one);
	mem_free(two);
	return rc;
}

static int adjust(struct tally *t)
{
	double *p = mem_alloc(t->npair + 1, sizeof *p);
	double *holm = mem_alloc(t->npair + 1, sizeof *holm);
	int rc = p && holm ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < t->npair; i++)
		p[i] = t->pair[i].by_question;
	if (rc == 0)
		stats_holm(p, t->npair, holm);
	for (uint32_t i = 0; rc == 0 && i < t->npair; i++)
		t->pair[i].holm = holm[i];
	mem_free(p);
	mem_free(holm);
	return rc;
}

static int class_cmp(const void *a, const void *b)
{
	const struct tally_class *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	if (x->status != y->status)
		return x->status < y->status ? -1 : 1;
	return strcmp(x->name, y->name);
}

int tally_finish(struct tally *t)
{
	const struct sweep *s = t->sweep;
	struct scratch w = { mem_alloc(s->nq + 1, sizeof *w.x),
			     mem_alloc(s->ndb + 1, sizeof *w.sum),
			     mem_alloc(s->nq + 1, sizeof *w.cluster),
			     mem_alloc(s->nq + 1, sizeof *w.sign) };
	int rc = w.x && w.sum && w.cluster && w.sign ? 0 : ERR_NOMEM;

	/* Candidates may stand in any order in the pool: so may their failures. */
	qsort(t->class_, t->nclass, sizeof *t->class_, class_cmp);
	if (rc == 0 && t->gold && s->nq) {
		for (uint32_t q = 0; q < s->nq; q++)
			w.cluster[q] = s->q[q].db;
		for (uint32_t r = 0; r < s->nrun; r++)
			finish_run(t, &t->run[r], &w);
		for (uint32_t i = 0; i < t->nstem; i++)
			finish_stem(t, &t->stem[i]);
		rc = finish_pairs(t, &w);
		if (rc == 0)
			rc = adjust(t);
		if (rc == 0)
			rc = bootstrap(t, &w);
	}
	for (uint32_t r = 0; rc == 0 && r < s->nrun; r++)
		rc = slots_finish(&t->run[r].slots);
	consistency_finish(t);
	mem_free(w.x);
	mem_free(w.sum);
	mem_free(w.cluster);
	mem_free(w.sign);
	return rc;
}
