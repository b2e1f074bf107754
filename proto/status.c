/* status.c - see status.h */
#include "proto/status.h"

static const struct {
	const char *word;
	int failed;
} table[] = {
#define X(name, word, failed) { word, failed },
#include "proto/status.def"
#undef X
};

const char *status_word(enum status s)
{
	return (unsigned)s < STATUS_COUNT ? table[s].word : "?";
}

int status_failed(enum status s)
{
	return (unsigned)s >= STATUS_COUNT || table[s].failed;
}

int status_of(struct view word, enum status *ret)
{
	for (unsigned i = 0; i < STATUS_COUNT; i++)
		if (view_eq(word, view_of(table[i].word))) {
			*ret = (enum status)i;
			return 1;
		}
	return 0;
}
