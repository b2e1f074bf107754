/* bankmake.c - see bankmake.h */
#include "ops/bankmake.h"

#include "common/base/filehash.h"
#include "common/base/mem.h"
#include "common/io/bank.h"
#include "ops/jsonfile.h"
#include "ops/neardup.h"
#include "ops/notice.h"
#include "ops/schemaread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* A bank's vectors and a question's must come from the same embedder. */
static int check_embedder(const struct job *j, const struct bank *bank,
			  const char *path, struct err *e)
{
	const struct bank_about *about = bank_about(bank);
	struct view mine = j->sweep.embed.embedder;

	if (bank_is_own(bank) ? !mine.n : view_eq(mine, about->embedder))
		return 0;
	if (bank_is_own(bank))
		return err_set(
			e, ERR_USAGE,
			"%s: its vectors are of the built-in embedder: leave out "
			"--embed-model, or build it again with it",
			path);
	return err_set(e, ERR_USAGE,
		       "%s: its vectors are of %.*s, the questions' would be of %.*s: "
		       "say --embed-model NAME --embed-url URL (and --embed-revision "
		       "for what stands behind an @)",
		       path, (int)about->embedder.n, about->embedder.p,
		       mine.n ? (int)mine.n : 21,
		       mine.n ? mine.p : "the built-in embedder");
}

static int take(struct job *j, const char *path, struct err *e)
{
	struct bank *bank = NULL;
	int rc = bank_open(path, &bank, e);

	if (!rc)
		rc = check_embedder(j, bank, path, e);
	bank_free(&bank);
	if (rc)
		return rc;
	rc = hash_of_file(path, &j->sweep.bank.hash, NULL, e);
	if (!rc)
		j->sweep.bank.path = arena_str(&j->sweep.arena, path);
	return rc;
}

int bank_named(struct options *o, struct job *j, struct err *e)
{
	const char *path = opt_text(o, FLAG_memory), *train = opt_text(o, FLAG_train);
	int none = !path || strcmp(path, "none") == 0;

	if (train && !none)
		return err_set(e, ERR_USAGE,
			       "--memory names a bank and --train would derive one: "
			       "say one of them");
	if (train && access(train, R_OK))
		return err_set(e, ERR_INPUT, "%s: %s", train, strerror(errno));
	return none ? 0 : take(j, path, e);
}

/* ---- what the maker asks ---- */

struct known { /* one database */
	struct view id;
	struct schema schema;
	sqlite3 *db; /* NULL: the schema is from tables.json */
	int has_schema;
	struct known *next;
};

struct world {
	const struct databases_how *how;
	struct arena arena;
	json_t *tables;
	struct known *first;
};

static struct known *look_up(struct world *w, struct view id)
{
	struct known *k;
	const char *path;

	for (k = w->first; k; k = k->next)
		if (view_eq(k->id, id))
			return k;
	k = arena_alloc(&w->arena, 1, sizeof *k);
	if (!k)
		return NULL;
	k->id = arena_view(&w->arena, id);
	path = w->how->dir ? database_path(&w->arena, w->how, id) : NULL;
	if (path)
		path = database_settled(&w->arena, path);
	if (path && database_open_quietly(path, &k->db) == SQLITE_OK)
		k->has_schema = schema_of_database(k->db, &k->schema, NULL) == 0;
	if (!k->has_schema && w->tables)
		k->has_schema = schema_of_tables(w->tables, id, &k->schema);
	k->next = w->first;
	w->first = k;
	return k;
}

static const struct schema *schema_for(void *world, struct view id)
{
	struct known *k = look_up(world, id);

	return k && k->has_schema ? &k->schema : NULL;
}

/* Compiled, not executed: that finds missing tables and wrong SQL, and cannot take for
 * ever. */
static int runs(void *world, const struct train_item *item, struct buf *why)
{
	struct known *k = look_up(world, item->db_id);
	sqlite3_stmt *q = NULL;
	int rc;

	if (!k || !k->db)
		return 1;
	rc = sqlite3_prepare_v2(k->db, item->sql.p, (int)item->sql.n, &q, NULL);
	if (rc != SQLITE_OK)
		buf_add_str(why, sqlite3_errmsg(k->db));
	sqlite3_finalize(q);
	return rc == SQLITE_OK;
}

static void forget(struct world *w)
{
	for (struct known *k = w->first; k; k = k->next) {
		schema_free(&k->schema);
		sqlite3_close(k->db);
	}
	json_decref(w->tables);
	arena_free(&w->arena);
}

int bank_build(const struct databases_how *how, const char *train, int skip_bad,
	       const char *path, struct bank_made *ret, struct err *e)
{
	struct world w = { .how = how };
	struct bank_world asks = { .schema = schema_for, .runs = runs, .world = &w };
	struct train t = { 0 };
	int rc = databases_tables_read(&w.arena, how->tables, &w.tables, e);

	if (!rc)
		rc = train_read(train, skip_bad, &t, e);
	if (!rc)
		rc = bank_make(&t, &asks, path, ret, e);
	if (!rc && ret->good < ret->items)
		notice_warn("%s: %u of %u training questions are left out of the bank: "
			    "%u whose "
			    "SQL does not run, %u without a SELECT, %u ids twice",
			    train, ret->items - ret->good, ret->items, ret->failed,
			    ret->no_select, ret->duplicates);
	if (!rc && t.skipped)
		notice_warn("%s: %u malformed lines passed over", train, t.skipped);
	train_free(&t);
	forget(&w);
	return rc;
}

int bank_derived(struct options *o, struct job *j, struct err *e)
{
	const char *train = opt_text(o, FLAG_train);
	char path[PATH_MAX], hex[HASH_HEX + 1];
	struct bank_made made;
	struct hash h;
	int rc = hash_of_file(train, &h, NULL, e);

	if (rc)
		return rc;
	hash_hex(&h, hex);
	snprintf(path, sizeof path, "%s/bank-%.8s.db", j->sweep.output_dir, hex);
	if (access(path, F_OK))
		rc = bank_build(&j->databases, train, opt_on(o, FLAG_skip_bad), path,
				&made, e);
	return rc ? rc : take(j, path, e);
}

int bank_near_duplicates(struct options *o, struct job *j, struct err *e)
{
	struct sweep *s = &j->sweep;
	int exclude = opt_on(o, FLAG_exclude_near_duplicates), rc;
	char hex[HASH_HEX + 1], without[PATH_MAX];
	struct neardup n;

	if (!s->bank.path)
		return exclude ? err_set(e, ERR_USAGE,
					 "--exclude-near-duplicates needs a bank: "
					 "--memory or --train")
			       : 0;
	hash_hex(&s->bank.hash, hex);
	snprintf(without, sizeof without, "%s/bank-%.8s-without.db", s->output_dir,
		 hex);
	rc = neardup(s, opt_number(o, FLAG_near_duplicate), s->output_dir,
		     exclude ? without : NULL, &n, e);
	if (rc || !n.questions)
		return rc;
	notice_warn("%u of %u questions stand nearly to the letter in the bank (%u "
		    "memories, the nearest at cosine %.3f): %s/near_duplicates.jsonl; "
		    "%s",
		    n.questions, s->nq, n.memories, n.nearest, s->output_dir,
		    exclude ? "these memories are left out"
			    : "--exclude-near-duplicates leaves them out");
	return exclude ? take(j, without, e) : 0;
}
