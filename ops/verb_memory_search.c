/* verb_memory_search.c - which memories a question would get, and how near they are */
#include "common/io/bank.h"
#include "ops/memoryline.h"
#include "ops/notice.h"
#include "ops/verb.h"
#include "worker/recall.h"

#include <stdio.h>

static void print_hit(FILE *to, const struct search_hit *h, const struct bank_item *i)
{
	fprintf(to, "%.4f  id %.*s  %.*s\n  question: %.*s\n", h->cosine, (int)h->id.n,
		h->id.p, (int)i->db_id.n, i->db_id.p, (int)i->question.n,
		i->question.p);
	if (i->evidence.n)
		fprintf(to, "  evidence: %.*s\n", (int)i->evidence.n, i->evidence.p);
	fprintf(to, "  sql: %.*s\n%.*s\n\n", (int)i->sql.n, i->sql.p, (int)i->text.n,
		i->text.p);
}

static int run(struct options *o, struct err *e)
{
	struct arena a = { 0 };
	struct search_out found = { 0 };
	struct memory_lines to;
	struct bank *b = NULL;
	int rc = bank_open(o->arg[0], &b, e);

	if (!rc && bank_about(b)->own_dim)
		notice_warn(
			"%s has the vectors of %.*s, and no endpoint is asked here: "
			"the built-in embedder searches, a run may find others",
			o->arg[0], (int)bank_about(b)->embedder.n,
			bank_about(b)->embedder.p);
	if (!rc)
		rc = recall_search(b, view_of(o->arg[1]),
				   (uint32_t)opt_count(o, FLAG_top), NULL, 0, &a,
				   &found, e);
	if (!rc)
		rc = memory_lines_begin(&to, opt_on(o, FLAG_json), e);
	for (uint32_t i = 0; !rc && i < found.n; i++) {
		int64_t at = bank_find(b, found.hit[i].id);
		const struct bank_item *item = bank_item(b, (uint32_t)at);

		if (to.json)
			memory_lines_add(&to, item, found.hit[i].cosine,
					 bank_tokens(b, (uint32_t)at));
		else
			print_hit(to.text, &found.hit[i], item);
	}
	if (!rc)
		rc = memory_lines_end(&to, e);
	bank_free(&b);
	arena_free(&a);
	return rc;
}

const struct verb verb_memory_search = {
	"memory search",
	"BANK TEXT [--top N]",
	"which memories a question would get, nearest first",
	V_SEARCH,
	2,
	2,
	0,
	run
};
