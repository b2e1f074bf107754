/* evidence_check.c - is the evidence judge better than the vote, on real pools?
 *
 *     evidence_check [spider|bird|ehrsql ...] [--draws N] [--no-bank] [--list]
 *                    [--damage]
 *
 * Prints, for whole pools and for draws of 8, how many questions the largest group, the
 * judge's full score, and four of its passes have right (mean ranks of groups, ties by
 * the full score), with and without a bank, and the judge's time for a pass.
 * --damage does so without a bank on copies of the databases damaged in several ways.
 * Needs ../shared/data. --list names the questions where the two differ.
 */
#include "common/base/clock.h"
#include "common/base/rng.h"
#include "common/select/confidence.h"
#include "common/select/meanrank.h"
#include "tests/support/realdata.h"
#include "worker/evidence.h"
#include "worker/recall.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DRAW = 8, PASSES = 4 };

#define CONFIDENT 0.95

struct tally {
	double n, majority, evidence, map, tied, oracle;
	double won, lost; /* the judge right and the vote wrong; the other way */
	double ns, passes;
};

struct options {
	int pool[REAL_POOLS], draws, bank, list, damage;
};

static uint32_t best_of(const struct score_out *s)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < s->groups; i++)
		if (s->score[i] > s->score[best])
			best = i;
	return best;
}

static void list_difference(const struct real_question *q, const struct score_out *s,
			    uint32_t best, const uint32_t *right)
{
	printf("%s %.*s %.*s: group %u (%s) over %u (%s)\n",
	       (right[best] > 0) == (right[0] > 0) ? "same"
	       : right[best]                       ? "won "
						   : "lost",
	       (int)q->id.n, q->id.p, (int)q->db_id.n, q->db_id.p, best,
	       right[best] ? "right" : "wrong", 0u, right[0] ? "right" : "wrong");
	for (int f = 0; f < FEATURES; f++)
		if (s->feature[f] != s->feature[best * FEATURES + (uint32_t)f])
			printf("     %s %.3f > %.3f\n", feature_name((enum feature)f),
			       s->feature[f],
			       s->feature[best * FEATURES + (uint32_t)f]);
}

static void ranks_of(const struct score_out *s, double *ret)
{
	for (uint32_t i = 0; i < s->groups; i++) {
		ret[i] = 1;
		for (uint32_t k = 0; k < s->groups; k++)
			ret[i] += s->score[k] > s->score[i] ||
				  (s->score[k] == s->score[i] && k < i);
	}
}

/* The group that PASSES passes lead to. */
static uint32_t several_passes(const struct dossier *d, const struct profile *p,
			       const struct neighbours *near,
			       const struct score_out *full, struct arena *a,
			       struct tally *t)
{
	double *rank = arena_alloc(a, (size_t)PASSES * d->n, sizeof *rank);
	double *mean = arena_alloc(a, d->n, sizeof *mean), sure = 0;
	struct leaders l;
	struct score_out s;

	for (uint32_t k = 0; k < PASSES; k++) {
		evidence_score(d, p, near, 42, k, a, &s, NULL);
		ranks_of(&s, rank + (size_t)k * d->n);
	}
	meanrank_over(rank, PASSES, d->n, mean);
	l = meanrank_lead_groups(mean, d->n);
	if (d->n < 2)
		return l.a;
	confidence_of_ranks(rank, PASSES, d->n, l.a, l.b, &sure);
	if (sure >= CONFIDENT)
		return l.a;
	t->tied++;
	return full->score[l.b] > full->score[l.a] ? l.b : l.a;
}

static void judge(const struct realdata *d, const struct real_question *q,
		  const uint32_t *pick, uint32_t n, const struct neighbours *near,
		  int list, struct tally *t)
{
	struct arena a = { 0 };
	struct dossier dossier;
	struct score_out s;
	uint32_t *right, best, led;
	uint64_t start;
	int oracle = 0;

	realdata_dossier(q, pick, n, &a, &dossier, &right);
	t->n++;
	if (dossier.n) {
		start = clock_ns();
		evidence_score(&dossier, &d->db[q->db].profile, near, 42, EVIDENCE_FULL,
			       &a, &s, NULL);
		t->ns += (double)(clock_ns() - start);
		t->passes++;
		best = best_of(&s);
		led = several_passes(&dossier, &d->db[q->db].profile, near, &s, &a, t);
		t->map += right[led] > 0;
		for (uint32_t i = 0; i < dossier.n; i++)
			oracle |= right[i] > 0;
		t->oracle += oracle;
		t->majority += right[0] > 0;
		t->evidence += right[best] > 0;
		t->won += right[best] > 0 && !right[0];
		t->lost += !right[best] && right[0] > 0;
		if (list && best)
			list_difference(q, &s, best, right);
	}
	arena_free(&a);
}

static void print_tally(const char *pool, const char *what, const struct tally *t)
{
	printf("%-7s %-18s majority %.4f  full score %.4f (%+.2f, won %.1f lost %.1f)  "
	       "%d passes %.4f (%+.2f, %.1f tied)  oracle %.4f  of %.0f  %.0f us\n",
	       pool, what, t->majority / t->n, t->evidence / t->n,
	       100 * (t->evidence - t->majority) / t->n, t->won, t->lost, PASSES,
	       t->map / t->n, 100 * (t->map - t->majority) / t->n, t->tied,
	       t->oracle / t->n, t->n, t->ns / t->passes / 1000);
	fflush(stdout);
}

static void check(const struct realdata *d, const struct neighbours *near,
		  const struct options *o, const char *bank)
{
	const char *name = realdata_name(d->pool);
	struct tally whole = { 0 }, drawn = { 0 };
	char what[64];

	for (uint32_t i = 0; i < d->nq; i++)
		judge(d, &d->q[i], NULL, d->q[i].n, near ? &near[i] : NULL, o->list,
		      &whole);
	snprintf(what, sizeof what, "whole, %s", bank);
	print_tally(name, what, &whole);
	for (int k = 0; k < o->draws; k++)
		for (uint32_t i = 0; i < d->nq; i++) {
			uint32_t pick[256];
			struct rng r;

			for (uint32_t c = 0; c < d->q[i].n && c < 256; c++)
				pick[c] = c;
			rng_init(&r, "draw", (uint64_t)k, d->q[i].id, 0);
			rng_shuffle(&r, pick, d->q[i].n);
			judge(d, &d->q[i], pick, DRAW, near ? &near[i] : NULL, 0,
			      &drawn);
		}
	snprintf(what, sizeof what, "n=8 x%d, %s", o->draws, bank);
	if (o->draws)
		print_tally(name, what, &drawn);
}

static struct neighbours *all_neighbours(const struct realdata *d)
{
	struct neighbours *near = calloc(d->nq, sizeof *near);
	char path[] = "/tmp/evidence_check.XXXXXX";
	struct bank_made made;
	struct bank *b = NULL;
	struct err e;
	uint64_t start = clock_ns();
	int fd = mkstemp(path);

	close(fd);
	if (realdata_bank(d, path, &made, &e) || bank_open(path, &b, &e)) {
		printf("bank: %s\n", e.text);
		exit(1);
	}
	printf("%-7s bank of %u, %u good, %u without SELECT, %u excluded: %.1f s\n",
	       realdata_name(d->pool), made.items, made.good, made.no_select,
	       made.excluded, (double)(clock_ns() - start) / 1e9);
	for (uint32_t i = 0; i < d->nq; i++)
		if (recall_neighbours(b, d->q[i].text, &near[i], &e)) {
			printf("recall: %s\n", e.text);
			exit(1);
		}
	bank_free(&b);
	unlink(path);
	return near;
}

static int check_pool(enum realdata_pool p, const struct options *o)
{
	struct realdata d;
	struct neighbours *near;

	if (realdata_load(p, 0, DAMAGE_none, &d))
		return 1;
	for (uint32_t i = 0; i < d.ndb; i++)
		if (d.db[i].bytes.n > 1 << 20)
			printf("%-7s profile of %.*s: %zu bytes\n", realdata_name(p),
			       (int)d.db[i].id.n, d.db[i].id.p, d.db[i].bytes.n);
	check(&d, NULL, o, "no bank");
	if (o->bank) {
		near = all_neighbours(&d);
		check(&d, near, o, "bank");
		free(near);
	}
	realdata_free(&d);
	return 0;
}

static int check_damaged(enum realdata_pool p, const struct options *o)
{
	for (int k = DAMAGE_none + 1; k < DAMAGES; k++) {
		struct realdata d;

		if (realdata_load(p, 0, (enum damage)k, &d))
			return 1;
		check(&d, NULL, o, damage_name((enum damage)k));
		realdata_free(&d);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { .draws = 5, .bank = 1 };
	int any = 0, code = 0;

	for (int i = 1; i < argc; i++) {
		for (int p = 0; p < REAL_POOLS; p++)
			if (!strcmp(argv[i], realdata_name((enum realdata_pool)p)))
				any = o.pool[p] = 1;
		if (!strcmp(argv[i], "--draws") && i + 1 < argc)
			o.draws = atoi(argv[++i]);
		o.bank &= strcmp(argv[i], "--no-bank") != 0;
		o.list |= !strcmp(argv[i], "--list");
		o.damage |= !strcmp(argv[i], "--damage");
	}
	for (int p = 0; p < REAL_POOLS && !code; p++)
		if (!any || o.pool[p])
			code = o.damage ? check_damaged((enum realdata_pool)p, &o)
					: check_pool((enum realdata_pool)p, &o);
	return code;
}
