/* status.h - what became of a query, as a word; the list is status.def */
#ifndef STATUS_H
#define STATUS_H

enum status {
#define STATUS(name, ok, meaning) STATUS_##name,
#include "proto/status.def"
#undef STATUS
	STATUSES
};

const char *status_name(enum status s); /* "rows"; "?" for an unknown one */
int status_by_name(const char *s);      /* -1: unknown */
int status_ok(enum status s);           /* takes part in groups and votes */

#endif
