/* status.c - see status.h */
#include "proto/status.h"

#include <string.h>

static const struct {
	const char *name;
	int ok;
} table[STATUSES] = {
#define STATUS(name, ok, meaning) [STATUS_##name] = { #name, ok },
#include "proto/status.def"
#undef STATUS
};

const char *status_name(enum status s)
{
	return (unsigned)s < STATUSES ? table[s].name : "?";
}

int status_by_name(const char *s)
{
	for (int i = 0; i < STATUSES; i++)
		if (strcmp(table[i].name, s) == 0)
			return i;
	return -1;
}

int status_ok(enum status s)
{
	return (unsigned)s < STATUSES && table[s].ok;
}
