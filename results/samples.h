/* samples.h - reading a directory's samples.jsonl
 *
 * Written by us, but perhaps copied, cut or joined since: a torn last line is left out
 * with a warning, other broken lines are counted, and of several lines for one (run,
 * question) the last one counts, once.
 *
 * Memory: a sample lives during the visit; json_incref() it to keep it.
 * Errors: ERR_INPUT: no such file, or it cannot be read.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "common/base/err.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct samples_seen {
	uint64_t lines, kept, broken, repeated;
	int torn;
};

typedef int samples_fn(void *arg, json_t *sample, struct err *e);

/* In the file's order. Warnings go to `log` (NULL: nowhere). */
int samples_each(const char *dir, FILE *log, samples_fn *fn, void *arg,
		 struct samples_seen *ret, struct err *e);

/* Reading what a writer of ours wrote. */
const char *sample_text(json_t *o, const char *key); /* "" where absent */
double sample_number(json_t *o, const char *key, double otherwise);

/* The group that holds the chosen candidate, and the one that majority takes; NULL
 * where there is none. */
json_t *sample_chosen_group(json_t *sample);
json_t *sample_majority_group(json_t *sample);

#endif
