/* verb_memory_list.c - what is in a bank, a line an item */
#include "common/io/bank.h"
#include "ops/memoryline.h"
#include "ops/verb.h"

#include <stdio.h>

static void print_item(FILE *to, const struct bank_item *i, uint32_t tokens)
{
	fprintf(to, "%.*s  %.*s  %u tokens%s%.*s  ", (int)i->id.n, i->id.p,
		(int)i->db_id.n, i->db_id.p, tokens, i->flag.n ? "  left out: " : "",
		(int)i->flag.n, i->flag.n ? i->flag.p : "");
	for (size_t k = 0; k < i->question.n; k++)
		fputc(i->question.p[k] == '\n' ? ' ' : i->question.p[k], to);
	fputc('\n', to);
}

static int run(struct options *o, struct err *e)
{
	struct memory_lines to;
	struct bank *b = NULL;
	int rc = bank_open(o->arg[0], &b, e);

	if (!rc)
		rc = memory_lines_begin(&to, opt_on(o, FLAG_json), e);
	for (uint32_t i = 0; !rc && i < bank_items(b); i++)
		if (to.json)
			memory_lines_add(&to, bank_item(b, i), -2, bank_tokens(b, i));
		else
			print_item(to.text, bank_item(b, i), bank_tokens(b, i));
	if (!rc)
		rc = memory_lines_end(&to, e);
	bank_free(&b);
	return rc;
}

const struct verb verb_memory_list = { "memory list",
				       "BANK",
				       "what is in a bank, a line an item",
				       V_MEMORY,
				       1,
				       1,
				       0,
				       run };
