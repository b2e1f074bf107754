/* verb_memory_build.c - a bank out of solved questions, by a model or without one */
#include "ops/bankmake.h"
#include "ops/learnbank.h"
#include "ops/verb.h"

#include <stdio.h>

static int run(struct options *o, struct err *e)
{
	const char *train = opt_text(o, FLAG_train), *to = opt_text(o, FLAG_output);
	struct databases_how how = { .dir = opt_text(o, FLAG_databases),
				     .tables = opt_text(o, FLAG_tables) };
	struct bank_made made;
	char hex[HASH_HEX + 1];
	int rc = 0;

	if (!train || !to)
		return err_set(e, ERR_USAGE, "--train FILE and -o BANK are needed");
	if (opt_on(o, FLAG_self_check) && !opt_text(o, FLAG_model))
		return err_set(e, ERR_USAGE,
			       "--self-check needs --model: it asks for SQL again");
	if (opt_text(o, FLAG_model) || opt_text(o, FLAG_embed_model))
		return learnbank(o, e);
	if (how.dir && !how.tables)
		how.tables = databases_tables(&o->arena, how.dir);
	how.alias = opt_list(o, FLAG_db_alias, &how.aliases);
	for (size_t i = 0; i < how.aliases && !rc; i++)
		rc = databases_alias_check(how.alias[i], e);
	if (!rc)
		rc = bank_build(&how, train, 0, to, &made, e);
	if (rc)
		return rc;
	hash_hex(&made.name, hex);
	printf("%s: %u memories of %u training questions (%u do not run, %u without a "
	       "SELECT, %u "
	       "ids twice), name %.8s\n",
	       to, made.good, made.items, made.failed, made.no_select, made.duplicates,
	       hex);
	return 0;
}

const struct verb verb_memory_build = {
	"memory build",
	"--train FILE -o BANK [--databases DIR] [--model NAME --base-url URL]",
	"a bank of memories from solved questions, derived or written by a model\n"
	"Without --model memories are derived from the SQL; schemas come from the "
	"databases,\nelse from tables.json, else from the SQL itself. With it each is "
	"asked for, held\nagainst SQL and schema, and with --self-check tried out; the "
	"same command goes on.",
	V_LEARN,
	0,
	0,
	0,
	run
};
