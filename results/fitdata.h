/* fitdata.h - finished runs as examples to learn from
 *
 * Reads samples.jsonl of directories whose runs the evidence judge judged and gold
 * scored: each question's groups with their features, and which are right. A question
 * that several runs of a directory drew counts once in all, each draw its part. What
 * places cost is read of all runs, labelled or not (fitplaces.h); a directory that
 * tells nothing else gives no examples.
 *
 * Memory: everything is in the arena.
 * Errors: ERR_INPUT: no such directory, no judged or scored runs in it, features that
 *         this program does not know.
 */
#ifndef FITDATA_H
#define FITDATA_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "proto/feature.h"
#include "results/fitplaces.h"

#include <stdint.h>
#include <stdio.h>

struct fit_example {
	uint32_t dir, db;  /* db counts over all directories */
	uint32_t question; /* counts over all directories, too */
	uint32_t draw;     /* which of the directory's runs */
	double weight;     /* 1 / draws of the directory */
	uint32_t n, asked; /* groups that vote, candidates drawn */
	double *feature;   /* [n * FEATURES]; NULL where n is 1 */
	uint32_t *votes;   /* [n] */
	uint8_t *right;    /* [n] */
};

struct fitdata {
	struct arena *arena;
	struct fit_example *v;
	uint32_t n, cap;
	const char **db; /* DIR's place and db_id, "0 concert" */
	uint32_t ndb, ndir, questions;
	const char **source; /* [ndir] "bird, inputs 5e8aab63..., 6 draws" */
	int with_bank, without_bank;
	struct fitplaces places;
};

/* Adds a directory. */
int fitdata_read(struct fitdata *d, const char *dir, FILE *log, struct err *e);

#endif
