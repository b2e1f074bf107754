/* memoryline.h - memories on stdout: lines for people, or one JSON array
 *
 * Banks hold other people's texts, so what is shown goes through plaintext_put().
 *
 * Errors: ERR_NOMEM.
 */
#ifndef MEMORYLINE_H
#define MEMORYLINE_H

#include "common/io/bank.h"

#include <jansson.h>
#include <stdio.h>

struct memory_lines {
	json_t *json; /* the array; NULL: text */
	FILE *text;
	char *bytes;
	size_t n;
};

int memory_lines_begin(struct memory_lines *m, int json, struct err *e);
/* `cosine` below -1: not told. */
void memory_lines_add(struct memory_lines *m, const struct bank_item *i, double cosine,
		      uint32_t tokens);
int memory_lines_end(struct memory_lines *m, struct err *e); /* prints */

#endif
