/* verb_memory_check.c - is this file a sound bank, and what is in it */
#include "common/base/filehash.h"
#include "common/io/bank.h"
#include "ops/bankmake.h"
#include "ops/verb.h"

#include <math.h>
#include <stdio.h>

/* A good item's vector has length 1, a flagged one's length 0. */
static int sound_vectors(const struct bank *b, const char *path, struct err *e)
{
	const struct bank_about *about = bank_about(b);
	const float *v = bank_vectors(b);

	for (uint32_t i = 0; i < bank_items(b); i++, v += about->dim) {
		int good = bank_item(b, i)->flag.n == 0;
		double sum = 0;

		for (uint32_t k = 0; k < about->dim; k++)
			sum += (double)v[k] * (double)v[k];
		if (fabs(sum - good) > 1e-3 && !(good && sum == 0))
			return err_set(e, ERR_INPUT,
				       "%s: item %u: its vector has length %.3f; build "
				       "the bank again",
				       path, i, sqrt(sum));
	}
	return 0;
}

static int run(struct options *o, struct err *e)
{
	const char *path = o->arg[0];
	const struct bank_about *about;
	struct bank *b = NULL;
	char hex[HASH_HEX + 1];
	struct hash h;
	int rc = bank_open(path, &b, e);

	if (!rc)
		rc = sound_vectors(b, path, e);
	if (!rc)
		rc = hash_of_file(path, &h, NULL, e);
	if (!rc) {
		about = bank_about(b);
		hash_hex(&h, hex);
		printf("%s: sound; %u items, %u of them usable; embedder %.*s of %u "
		       "numbers; "
		       "memories %.*s; name %.8s\n",
		       path, bank_items(b), bank_good(b), (int)about->embedder.n,
		       about->embedder.p, about->dim, (int)about->source.n,
		       about->source.p, hex);
	}
	bank_free(&b);
	return rc;
}

const struct verb verb_memory_check = { "memory check",
					"BANK",
					"is this file a sound bank, and what is in it",
					V_MEMORY,
					1,
					1,
					0,
					run };
