/* sweep.c - the rules by name; see sweep.h */
#include "proto/sweep.h"

#include "proto/task.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t digest, digests, text;
} rules[RULES] = {
#define X(name, digest, digests, text) \
	[RULE_##name] = { #name, DIGEST_##digest, digests, text },
	RULE_LIST(X)
#undef X
};

const char *rule_name(enum rule r)
{
	return rules[r].name;
}

int rule_by_name(const char *s)
{
	for (int r = 0; r < RULES; r++)
		if (strcmp(rules[r].name, s) == 0)
			return r;
	return strcmp(s, "strict") == 0 ? RULE_plain : -1;
}

uint32_t rule_digests(enum rule r)
{
	return rules[r].digests;
}

uint32_t rule_text(enum rule r)
{
	return rules[r].text;
}

uint32_t rule_digest(enum rule r)
{
	return rules[r].digest;
}
