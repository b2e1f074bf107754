/* sweep.c - the words of a sweep; see sweep.h */
#include "proto/sweep.h"

#include "proto/task.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t digest, digests, text;
} rules[RULES] = {
#define X(word, name, digest, digests, text) \
	[RULE_##word] = { name, DIGEST_##digest, digests, text },
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

int rule_abstains(enum rule r)
{
	return r == RULE_ehrsql || r == RULE_ehrsql_v1;
}

void sweep_now(const struct sweep *s, char ret[SWEEP_NOW])
{
	struct env env;
	size_t n = SWEEP_NOW - 1;

	memset(ret, 0, SWEEP_NOW);
	if (!env_decode(s->env, &env) || env.clock.n < n)
		return;
	memcpy(ret, env.clock.p, n);
	ret[10] = ' '; /* for the T */
}

#define X(word) #word,
const char *const judge_words[JUDGES] = { JUDGE_LIST(X) };
const char *const permute_words[PERMUTES] = { PERMUTE_LIST(X) };
const char *const unit_words[UNITS] = { UNIT_LIST(X) };
const char *const tie_words[TIES] = { TIE_LIST(X) };
#undef X
#define X(word, text) text,
const char *const stop_words[STOPS] = { STOP_LIST(X) };
#undef X
