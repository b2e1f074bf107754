/* verb_memory_retire.c - a new bank without the memories that misled */
#include "common/base/filehash.h"
#include "common/io/bank.h"
#include "ops/hits.h"
#include "ops/verb.h"

#include <inttypes.h>
#include <stdio.h>

struct retiring {
	struct bank *bank;
	struct hits hits;
	struct view *why; /* [items] */
	uint32_t n;
};

static int choose(struct retiring *r, uint64_t least, struct err *e)
{
	r->why = arena_alloc(&r->hits.arena, (size_t)bank_items(r->bank) + 1,
			     sizeof *r->why);
	if (!r->why)
		return err_set(e, ERR_NOMEM, "memory retire");
	for (uint32_t i = 0; i < bank_items(r->bank); i++) {
		const struct bank_item *item = bank_item(r->bank, i);
		const struct hit *h = hits_find(&r->hits, item->id);
		char text[120];

		if (!h || item->flag.n || h->misled < h->helped + least)
			continue;
		snprintf(text, sizeof text,
			 "retired: misled %" PRIu64 ", helped %" PRIu64 " of %" PRIu64,
			 h->misled, h->helped, h->retrieved);
		r->why[i] = arena_view(&r->hits.arena, view_of(text));
		r->n++;
	}
	if (r->n == bank_good(r->bank))
		return err_set(e, ERR_INPUT, "no memory would be left");
	return r->hits.arena.bad ? err_set(e, ERR_NOMEM, "memory retire") : 0;
}

static int retire(struct options *o, struct retiring *r, struct err *e)
{
	const char *to = opt_text(o, FLAG_output);
	char hex[HASH_HEX + 1];
	struct hash name;
	int rc = choose(r, opt_count(o, FLAG_misled), e);

	if (!rc)
		rc = bank_leave_out(r->bank, r->why, to, &name, e);
	if (rc)
		return rc;
	hash_hex(&name, hex);
	printf("%s: %u memories retired, %u stay; name %.8s\n", to, r->n,
	       bank_good(r->bank) - r->n, hex);
	return 0;
}

static int run(struct options *o, struct err *e)
{
	struct retiring r = { 0 };
	const char **dir;
	struct hash h;
	size_t n;
	int rc;

	dir = opt_list(o, FLAG_runs, &n);
	if (!n || !opt_text(o, FLAG_output))
		return err_set(e, ERR_USAGE, "--runs DIR and -o NEW are needed");
	rc = bank_open(o->arg[0], &r.bank, e);
	if (!rc)
		rc = hash_of_file(o->arg[0], &h, NULL, e);
	if (!rc)
		rc = hits_read(dir, (uint32_t)n, &h, &r.hits, e);
	if (!rc)
		rc = retire(o, &r, e);
	hits_free(&r.hits);
	bank_free(&r.bank);
	return rc;
}

const struct verb verb_memory_retire = {
	"memory retire",
	"BANK --runs DIR,... -o NEW [--misled N]",
	"a new bank without the memories that misled more often than they helped",
	V_RETIRE,
	1,
	1,
	0,
	run
};
