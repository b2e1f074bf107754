/* learnbank.h - a memory bank for which servers are asked, as a sweep of its own
 *
 * A model writes the memories, or an endpoint gives the vectors, or both.
 *
 * One question of the sweep is one training question. What was asked stays in the
 * journal of the run's directory, so a command that was ended goes on, and the same
 * training file with another model shares what does not depend on it. The bank's bytes
 * follow from the answers.
 *
 * Errors: those of a run; ERR_USAGE where --databases is missing.
 */
#ifndef LEARNBANK_H
#define LEARNBANK_H

#include "common/base/err.h"
#include "ops/options.h"

/* --train, --databases, --model or --embed-model, -o: builds the bank and prints what
 * came of it. */
int learnbank(struct options *o, struct err *e);

#endif
