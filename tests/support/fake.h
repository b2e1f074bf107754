/* fake.h - a small sweep whose every answer is known without doing it
 *
 * Eight questions with eight candidates, five runs (greedy, majority, MAP by evidence,
 * MAP and lean by the simulated judge), planned by the real planners. What a task gives is a
 * function of its spec alone, so that any two histories of the sweep must end alike.
 * One candidate is poison (it ends each worker that runs it), one always runs into the
 * wall clock, one fails at first and then runs.
 *
 * Memory:  fake_free().
 * Threads: one.
 */
#ifndef FAKE_H
#define FAKE_H

#include "broker/core.h"
#include "common/base/buf.h"

enum { FAKE_QUESTIONS = 8, FAKE_CANDIDATES = 8, FAKE_RUNS = 5 };
enum { FAKE_UNITS = FAKE_QUESTIONS * FAKE_RUNS };

struct fake {
	struct sweep sweep;
	struct arena texts;
	struct {
		struct hash hash;
		uint32_t groups;
	} dossier[1024]; /* the blobs that planners made */
	uint32_t dossiers;
};

void fake_make(struct fake *f);
void fake_free(struct fake *f);
void fake_add_units(const struct fake *f, struct core *c); /* tag = place */

/* What the planners named in a look-up. */
void fake_see(struct fake *f, const struct blob *blob, size_t n);

int fake_is_poison(const struct fake *f, struct view spec);
int fake_is_flaky(const struct fake *f, struct view spec);

/* 0 and the output, or the ERR_* that the attempt always ends with. */
int fake_answer(const struct fake *f, struct view spec, struct buf *ret);

#endif
