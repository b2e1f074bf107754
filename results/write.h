/* write.h - the files of a run, one function each
 *
 * Each turns what tally.h and sample.h hold into bytes; results.c opens, orders and
 * closes. README.md here explains the formats.
 *
 * Errors: the buffer's; else ERR_STORE with the file's name.
 */
#ifndef WRITE_H
#define WRITE_H

#include "results/fold.h"
#include "results/results.h"
#include "results/sample.h"
#include "results/tally.h"

/* results.json, whole. */
void write_results(struct buf *b, const struct tally *t);

/* The part about the pool's queries, which runs and scores share. */
void write_statuses(struct jsonw *w, const struct tally *t);
void write_benchmark(struct jsonw *w, const struct tally *t);
void write_ratio(struct jsonw *w, const char *key, double n,
		 double of); /* of 0: null */
void write_interval(struct jsonw *w, const char *key, const struct estimate *x);
void write_shares(struct jsonw *w, const char *key, const struct tally *t,
		  const struct share *level);
void write_dbs(struct jsonw *w, const struct tally *t, const struct share *db);

/* One line of samples.jsonl. */
void write_sample(struct buf *b, const struct sample *x);

/* The benchmark's own prediction file of each run. */
struct predictions {
	const struct sweep *sweep;
	struct buf *file; /* [nrun] */
};

int predictions_begin(struct predictions *p, const struct sweep *s);
void predictions_add(struct predictions *p, const struct sample *x);
int predictions_end(struct predictions *p, const char *dir, struct err *e);
void predictions_free(struct predictions *p);

int write_calls(const struct sweep *s, struct fold *f, const struct use_table *u,
		const struct prices *p, const char *dir, struct err *e);
int write_run(const struct sweep *s, struct fold *f, const struct run_facts *x,
	      const char *dir, uint64_t *ret_wall_timeouts, struct err *e);

#endif
