/* progress.h - what the fleet is doing, in one line on stderr
 *
 * On a terminal the line is written over; elsewhere a plain line comes every ten
 * seconds. Nothing under --quiet.
 *
 * Units:   tasks/s over the whole command; time left from the share of what is settled.
 * Threads: one.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "broker/broker.h"

#include <stdio.h>

enum { PROGRESS_LINE = 200 };

struct progress {
	FILE *to;
	int quiet, terminal;
	uint64_t next_ms; /* of the next plain line */
	int shown;
};

void progress_begin(struct progress *p, FILE *to, int quiet);
void progress_show(struct progress *p, const struct broker_progress *b,
		   const char *what);
void progress_end(struct progress *p); /* leaves the cursor on a fresh line */

/* The line itself: pure. `what` is done of the phase's units: settled, scored. */
const char *progress_text(const struct broker_progress *b, const char *what,
			  char ret[PROGRESS_LINE]);

#endif
