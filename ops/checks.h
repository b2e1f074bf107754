/* checks.h - lines of validate and doctor: what was looked at, and how to mend it
 *
 *     ok    databases   2 of 2 are sound
 *     FAIL  endpoint    http://127.0.0.1:8000/v1: connection refused
 *           mend: start the server, or say another --base-url
 */
#ifndef CHECKS_H
#define CHECKS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum check_state { CHECK_OK, CHECK_NOTE, CHECK_FAIL };

struct checks {
	FILE *to;     /* NULL: kept for JSON only */
	json_t *list; /* [{"check", "state", "text", "mend"}] */
	uint32_t failed, notes;
};

void checks_begin(struct checks *c, int json);
/* `mend` NULL: nothing to mend. */
void check_line(struct checks *c, enum check_state state, const char *what,
		const char *mend, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Prints the JSON if asked for. Returns the number of failures. */
uint32_t checks_end(struct checks *c);

#endif
