/* tally.h - every number of results.json, counted from samples
 *
 * Samples come in benchmark order, all runs of a question together; tally_finish() then
 * makes intervals and comparisons. Counts are integers, so the order of runs does not
 * matter to them; sums of doubles are taken in benchmark order.
 *
 * Differences between methods: per question, the mean over the seeds that both ran, so
 * that one question asked with three seeds is not taken for three. b01, b10 and
 * McNemar's test count the pairs as they are.
 *
 * Memory: nrun * nq bytes of verdicts, and little else.
 * Errors: ERR_NOMEM.
 */
#ifndef TALLY_H
#define TALLY_H

#include "common/select/stats.h"
#include "results/sample.h"
#include "results/sureness.h"

struct share { /* so many, of them right */
	uint32_t n, right;
};

struct level {
	struct view name;
	uint32_t n; /* questions */
};

/* EHRSQL's reliability score, as counts: 1, 0 and -X are the points. */
struct reliability {
	uint32_t good, abstained, bad;
};

struct tally_run {
	const struct run *run;
	uint32_t pool, stem; /* in tally.pool, tally.stem */
	uint32_t degraded, failed, pending, gold_failed;
	uint32_t correct, strict;
	uint32_t tied, overturned, overturned_right, overturned_wrong;
	uint32_t ranked;                  /* questions with more than one group */
	uint64_t passes;                  /* of those, together */
	uint32_t rankings, void_rankings; /* passes read, passes unreadable */
	uint64_t parse_missing, parse_duplicate, parse_unknown, parse_failed;
	struct reliability rs;
	struct use use;
	struct share *level, *db;
	uint8_t *right; /* [nq] */
	struct sureness sure;
	struct estimate ex, ex_by_db;
};

struct tally_pool {          /* one draw of candidates */
	uint32_t candidates; /* 0: all */
	uint64_t seed;
	uint32_t questions, oracle, adversary, single_group;
	uint64_t groups;
	double single; /* sum of each question's share of right candidates */
	uint32_t last; /* the question counted last, + 1 */
};

struct tally_stem { /* a method over its seeds */
	const char *name;
	const struct run *run; /* one of them */
	uint32_t seeds, correct, strict;
	double mean, sd; /* of ex; sd < 0: one seed */
};

struct tally_pair {    /* a method against majority */
	uint32_t a, b; /* stems */
	uint32_t questions, b01, b10;
	struct estimate t, by_db;
	double p, holm, power;
};

struct tally_status { /* the pool's candidates, as their queries ended */
	uint64_t n[STATUSES];
	uint64_t right;
};

struct tally_class { /* failures that look alike */
	char name[64];
	enum status status;
	uint64_t n;
	struct view example_id; /* a question's id */
};

struct tally_source {
	struct view name;
	struct tally_status status;
};

enum { TALLY_CLASSES = 64, TALLY_SOURCES = 256 };

struct tally {
	const struct sweep *sweep;
	const struct gold *gold; /* NULL: no verdicts */
	struct arena arena;
	struct level *level;
	uint32_t nlevel;
	uint32_t *level_of; /* [nq] */
	struct tally_run *run;
	struct tally_pool *pool;
	uint32_t npool;
	struct tally_stem *stem;
	uint32_t nstem;
	struct tally_pair *pair;
	uint32_t npair;
	struct tally_status all;
	struct tally_class *class_; /* [TALLY_CLASSES]; the last takes what is over */
	uint32_t nclass;
	struct tally_source *source; /* by name */
	uint32_t nsource;
	uint32_t gold_failed, non_utf8, verdicts;
};

int tally_new(const struct sweep *s, const struct gold *g, struct tally **ret);
void tally_free(struct tally **t); /* NULL-safe */

/* One candidate of the pool, as its query ended. right -1: no verdict. */
void tally_candidate(struct tally *t, const struct question *q, uint32_t cand,
		     enum status status, struct view note, int right);
void tally_question(struct tally *t, uint32_t q, const struct verdict *v); /* or NULL */
void tally_add(struct tally *t, const struct sample *x);
int tally_finish(struct tally *t);

/* "no such column", "syntax error", ...: what kind of failure a note tells. */
void tally_class_name(enum status status, struct view note, char ret[64]);

double reliability_score(const struct reliability *r, double penalty); /* in percent */

#endif
