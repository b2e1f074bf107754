/* verb_pool_make.c - one pool out of prediction files */
#include "ops/join.h"
#include "ops/notice.h"
#include "ops/poolfile.h"
#include "ops/verb.h"

#include <inttypes.h>
#include <stdio.h>

static int read_all(struct options *o, struct items *ret, struct err *e)
{
	struct read_how how = { opt_on(o, FLAG_skip_bad), opt_on(o, FLAG_lenient),
				opt_text(o, FLAG_benchmark) };
	size_t n = (size_t)o->nargs;
	struct source *src = arena_alloc(&o->arena, n, sizeof *src);
	int rc = src ? 0 : err_set(e, ERR_NOMEM, "pool make");

	for (size_t i = 0; i < n && !rc; i++)
		rc = source_parse(&o->arena, o->arg[i], &src[i], e);
	return rc ? rc
		  : join_files(&o->arena, opt_text(o, FLAG_questions), src, n, 0, &how,
			       ret, e);
}

static int number_ids(struct options *o, struct items *l)
{
	char id[16];

	for (uint32_t i = 0; i < l->n; i++)
		if (!l->v[i].id.n) {
			snprintf(id, sizeof id, "%u", i);
			l->v[i].id = arena_view(&o->arena, view_of(id));
			if (!l->v[i].id.p)
				return ERR_NOMEM;
		}
	return 0;
}

static int run(struct options *o, struct err *e)
{
	struct items l = { 0 };
	struct pool_numbers n;
	int rc;

	if (!opt_text(o, FLAG_output))
		return err_set(e, ERR_USAGE, "-o POOL is missing: the file to write");
	rc = read_all(o, &l, e);
	if (!rc && number_ids(o, &l))
		rc = err_set(e, ERR_NOMEM, "pool make");
	if (rc)
		return rc;
	join_duplicates(&l);
	rc = pool_write(opt_text(o, FLAG_output), &l, e);
	if (!rc && pool_count(&l, &n))
		rc = err_set(e, ERR_NOMEM, "pool make");
	if (!rc)
		printf("%s: %" PRIu64 " questions, %" PRIu64 " candidates from %" PRIu64
		       " sources, %" PRIu64 " distinct\n",
		       opt_text(o, FLAG_output), n.questions, n.candidates, n.sources,
		       n.distinct);
	return rc;
}

const struct verb verb_pool_make = {
	"pool make",
	"[NAME=]FILE... --questions FILE -o POOL",
	"one JSONL pool out of prediction files, also of several samples a question\n"
	"--questions gives ids, texts and databases where prediction files have none.",
	V_POOL | V_MAKE,
	1,
	-1,
	0,
	run
};
