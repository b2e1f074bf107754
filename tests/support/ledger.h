/* ledger.h - a journal made by hand: a small finished sweep, for tests of results/
 *
 * Six questions on two databases, five candidates each, majority and map with two
 * seeds, a model's calls with retries, a tie-break, a void pass, a degraded question, a
 * question whose gold fails and one that is not finished. What the numbers must be can
 * be counted on paper; LEDGER_* says some of them.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "results/results.h"

struct ledger {
	char dir[64];  /* of its own, removed by ledger_remove() */
	char path[96]; /* dir/journal.db */
	char out[96];  /* dir/out: the sweep's output_dir */
	struct sweep sweep;
	struct gold *gold;
	struct run_facts facts;
	int64_t id;
	int64_t epoch;
	void *db; /* sqlite3 */
};

enum { LEDGER_QUESTIONS = 6, LEDGER_CANDIDATES = 5, LEDGER_RUNS = 4 };

/* benchmark: "bird", "spider", "ehrsql" or "plain". Dies if it cannot. */
void ledger_make(struct ledger *l, const char *benchmark);
void ledger_remove(struct ledger *l);

/* The same sweep as verb score has it: three prediction files, no runs. */
void ledger_scores(struct ledger *l);
extern const struct score_file ledger_file[3];

/* A file below out/, whole; the caller frees it. */
char *ledger_read(const struct ledger *l, const char *name);

#endif
