/* status.h - how an execution ended
 *
 * `note` beside a status has the finer word (README.md, samples.jsonl): write, attach,
 * pragma, function, transaction, multi-statement, parameter, nul, decode, memory,
 * length, rows, steps, database.
 */
#ifndef STATUS_H
#define STATUS_H

#include "common/base/view.h"

enum status {
#define X(name, word, failed) STATUS_##name,
#include "proto/status.def"
#undef X
	STATUS_COUNT
};

const char *status_word(enum status s);            /* "rows"; "?" for an unknown one */
int status_failed(enum status s);                  /* 1: no result */
int status_of(struct view word, enum status *ret); /* 1, or 0: no such word */

#endif
