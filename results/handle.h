/* handle.h - what struct results is, to the files of results/ */
#ifndef HANDLE_H
#define HANDLE_H

#include "results/results.h"
#include "results/tally.h"

struct score_tally { /* one prediction file */
	const char *source, *file;
	uint32_t correct, strict, gold_failed;
	uint32_t same; /* the text is gold's, but for space around it */
	struct reliability rs;
	struct replies replies;
	struct correction correction;
	struct share *level, *db;  /* in the arena of the tally */
	double soft_f1, *level_f1; /* sums, rule bird; [nlevel] */
	uint8_t *right;            /* [nq] */
	struct estimate ex, ex_by_db;
};

struct results {
	struct tally *tally;
	struct buf json;           /* results.json */
	struct score_tally *score; /* verb score: [nscore] */
	uint32_t nscore;
};

void official_head(FILE *to, const char *const *level, int n);

#endif
