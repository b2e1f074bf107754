/* tally.h - every number of results.json, counted from samples
 *
 * Samples come in benchmark order, all runs of a question together; tally_finish() then
 * makes intervals and comparisons. Counts are integers, so the order of runs does not
 * matter to them; sums of doubles are taken in benchmark order.
 *
 * Differences between methods: per question, the mean over the seeds that both ran, so
 * that one question asked with three seeds is not taken for three. b01, b10 and
 * McNemar's test count the pairs as they are; the test by question tosses a sign a
 * question, Holm's adjustment is of it, and power is of one seed's share of the pairs.
 *
 * Memory: nrun * nq bytes of verdicts, and little else.
 * Errors: ERR_NOMEM.
 */
#ifndef TALLY_H
#define TALLY_H

#include "common/select/bootstrap.h"
#include "common/select/stats.h"
#include "results/sample.h"
#include "results/slots.h"
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

/* EHRSQL v1: who answers, and who answers right. */
struct replies {
	uint32_t predicted, real; /* questions with an answer: said, and in truth */
	uint32_t both, right;     /* of both; of those the results equal */
};

struct rates {
	double precision, recall, f1;
};

/* By corrected gold, of the questions it speaks of. */
struct correction {
	uint32_t n, right;
	uint32_t before; /* right by the first gold */
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
	struct replies replies; /* rule ehrsql-v1 */
	struct correction correction;
	double soft_f1;  /* sum, rule bird */
	uint32_t soft_n; /* questions it is known of */
	struct use use;
	struct share *level, *db;
	uint8_t *right;          /* [nq] */
	int32_t *chosen, *group; /* [nq] candidate, and the smallest of its group; -1:
				    nothing. NULL: a draw, whose pool the seed makes */
	struct sureness sure;
	struct slots slots;
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
	struct interval boot, boot_by_db;
	double *x; /* [nq] mean difference over seeds */
	double p, by_question, holm, power;
	double detectable; /* smallest difference seen again with power 0.8 */
};

/* How much hangs on the order in which candidates were shown: a method's runs of two
 * seeds over the whole pool, all pairs of seeds together. "contested": questions with
 * more than one group. */
struct tally_consistency {
	uint32_t stem, pairs, questions;
	uint32_t candidate, candidate_right, group, differ;
	uint32_t contested, contested_candidate, contested_group;
	double chance_candidate, chance_group; /* sums over the contested */
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
	struct tally_consistency *consistency;
	uint32_t nconsistency;
	uint8_t *contested; /* [nq] of the whole pool, as are these: */
	double *chance_candidate, *chance_group;
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
int tally_add(struct tally *t, const struct sample *x);
int tally_finish(struct tally *t);

/* "no such column", "syntax error", ...: what kind of failure a note tells. */
void tally_class_name(enum status status, struct view note, char ret[64]);

void replies_add(struct replies *a, int predicted, int real, int right);
struct rates replies_ans(const struct replies *a);
struct rates replies_exec(const struct replies *a);

void correction_add(struct correction *c, const struct verdict *v, int64_t chosen);

/* consistency.c: what tally.c calls for struct tally_consistency. */
int consistency_alloc(struct tally *t);
int consistency_alloc_run(struct tally *t, struct tally_run *r);
void consistency_add(struct tally *t, struct tally_run *r, const struct sample *x);
void consistency_finish(struct tally *t);

double reliability_score(const struct reliability *r, double penalty); /* in percent */

#endif
