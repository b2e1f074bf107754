/* slots.h - what it costs a candidate to stand further back, in one run
 *
 * From the run's own asks, without labels: those whose order shown the choices tell
 * (picks, and passes of a single window), of a judge that sees an order. The model is
 * common/select/plackett.h's: each group's strength in a question, the vote as its
 * prior, and a cost for each place, shared by all questions.
 *
 * Questions come in the benchmark's order, so the numbers do not depend on what
 * happened when.
 *
 * Memory: what is added is copied into the arena.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include "common/select/plackett.h"
#include "results/jsonw.h"
#include "results/sample.h"

struct slots {
	struct plackett *q; /* questions with asks */
	uint32_t n, cap;
	uint64_t asks;
	int known; /* slot[] is */
	struct plackett_slot slot[PLACKETT_SLOTS];
};

int slots_add(struct slots *s, const struct sample *x, struct arena *a); /* ERR_NOMEM */
int slots_finish(struct slots *s);                                       /* ERR_NOMEM */

/* "places": [{"place", "seen", "cost", "se"}, ...] up to the last one seen; nothing
 * where nothing is known. */
void slots_json(struct jsonw *w, const struct slots *s);

#endif
