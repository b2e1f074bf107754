/* verb_pool_info.c - a pool's numbers
 *
 * Counts come from the texts; groups, and with --gold majority and bounds, need
 * --databases and are had by a run.
 */
#include "ops/join.h"
#include "ops/poolfile.h"
#include "ops/poolrun.h"
#include "ops/verb.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static void print_text(const char *path, const struct pool_numbers *n)
{
	printf("%s\n", path);
	printf("  questions   %" PRIu64 " on %" PRIu64 " databases\n", n->questions,
	       n->databases);
	printf("  candidates  %" PRIu64 ", %" PRIu64 " to %" PRIu64
	       " a question, from %" PRIu64 " sources\n",
	       n->candidates, n->questions ? n->least : 0, n->most, n->sources);
	printf("  distinct    %" PRIu64 " (%.2f a question)\n", n->distinct,
	       n->questions ? (double)n->distinct / (double)n->questions : 0);
	printf("  greedy      %" PRIu64 " marked\n", n->greedy);
	if (n->bare)
		printf("  bare        %" PRIu64 " questions without a candidate\n",
		       n->bare);
}

static void print_run(const struct pool_run *r)
{
	printf("  groups      %.2f a question, one only in %ld\n", r->groups,
	       r->single);
	if (!r->has_gold) {
		puts("  majority, oracle: say --gold FILE");
		return;
	}
	printf("  majority    %.2f %% right\n", 100 * r->majority);
	printf("  oracle      %.2f %%: any candidate right\n", 100 * r->oracle);
	printf("  adversary   %.2f %%: every one right\n", 100 * r->adversary);
}

static void document_run(json_t *to, const struct pool_run *r)
{
	json_object_set_new(to, "mean_groups", json_real(r->groups));
	json_object_set_new(to, "single_group", json_integer(r->single));
	if (!r->has_gold)
		return;
	json_object_set_new(to, "majority", json_real(r->majority));
	json_object_set_new(to, "oracle", json_real(r->oracle));
	json_object_set_new(to, "adversary", json_real(r->adversary));
}

static json_t *document(const char *path, const struct pool_numbers *n)
{
	return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "file", path,
			 "questions", (json_int_t)n->questions, "databases",
			 (json_int_t)n->databases, "candidates",
			 (json_int_t)n->candidates, "distinct", (json_int_t)n->distinct,
			 "least", (json_int_t)(n->questions ? n->least : 0), "most",
			 (json_int_t)n->most, "sources", (json_int_t)n->sources, "bare",
			 (json_int_t)n->bare);
}

static int one(struct options *o, const char *path, json_t *list, struct err *e)
{
	struct read_how how = { opt_on(o, FLAG_skip_bad), opt_on(o, FLAG_lenient),
				opt_text(o, FLAG_benchmark) };
	struct items l = { 0 };
	struct pool_run executed = { 0 };
	struct pool_numbers n;
	struct source src;
	int rc = source_parse(&o->arena, path, &src, e);

	if (!rc)
		rc = join_files(&o->arena, opt_text(o, FLAG_questions), &src, 1, 0,
				&how, &l, e);
	if (!rc && pool_count(&l, &n))
		rc = err_set(e, ERR_NOMEM, "%s", path);
	if (rc)
		return rc;
	join_duplicates(&l);
	if (opt_text(o, FLAG_databases) && (rc = pool_run(o, path, &executed, e)))
		return rc;
	if (list) {
		json_t *d = document(path, &n);

		if (opt_text(o, FLAG_databases))
			document_run(d, &executed);
		json_array_append_new(list, d);
		return 0;
	}
	print_text(path, &n);
	if (opt_text(o, FLAG_databases))
		print_run(&executed);
	else
		puts("  groups, majority, oracle: say --databases DIR and --gold FILE");
	return 0;
}

static int run(struct options *o, struct err *e)
{
	json_t *list = opt_on(o, FLAG_json) ? json_array() : NULL;
	int rc = 0;

	for (int i = 0; i < o->nargs && !rc; i++)
		rc = one(o, o->arg[i], list, e);
	if (list && !rc) {
		json_dumpf(list, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(list);
	return rc;
}

const struct verb verb_pool_info = {
	"pool info",
	"POOL...",
	"a pool's numbers: questions, candidates, distinct SQL; with --databases "
	"groups, majority, oracle",
	V_POOL,
	1,
	-1,
	0,
	run
};
