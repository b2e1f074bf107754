/* learntell.c - see learntell.h */
#include "ops/learntell.h"

#include "common/sql/loose_json.h"
#include "common/sql/memory.h"
#include "proto/task.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the journal ----------------------------------------------------------------- */

static int cannot(sqlite3 *db, const char *path, struct err *e)
{
	return err_set(e, ERR_STORE, "journal %s: %s", path,
		       db ? sqlite3_errmsg(db) : "out of memory");
}

static int read_records(sqlite3 *db, const struct sweep *s, int64_t sweep,
			struct learned *l, struct err *e)
{
	sqlite3_stmt *q = NULL;
	int rc = 0;

	if (sqlite3_prepare_v2(db,
			       "SELECT body FROM choice WHERE sweep=?1 AND "
			       "run='memory' AND position=?2 ORDER BY id DESC LIMIT 1",
			       -1, &q, NULL))
		return cannot(db, s->journal, e);
	for (uint32_t i = 0; i < s->nq && !rc; i++) {
		struct view body;

		sqlite3_bind_int64(q, 1, sweep);
		sqlite3_bind_int64(q, 2, s->q[i].position);
		if (sqlite3_step(q) != SQLITE_ROW) {
			rc = err_set(e, ERR_STORE,
				     "journal %s: no record of training question %.*s",
				     s->journal, (int)s->q[i].id.n, s->q[i].id.p);
			break;
		}
		body.p = sqlite3_column_blob(q, 0);
		body.n = (size_t)sqlite3_column_bytes(q, 0);
		body = arena_view(&l->arena, body);
		rc = body.p ? learnt_decode(body, &l->v[i], e)
			    : err_set(e, ERR_NOMEM, "records");
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return rc;
}

/* Specs of model tasks hold the hash of the model's blob. */
static int read_times(sqlite3 *db, const struct sweep *s, struct learned *l,
		      struct err *e)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(
		    db,
		    "SELECT count(*), sum(spent_us), max(spent_us) FROM "
		    "output JOIN task ON task.id = output.task WHERE kind=?1 "
		    "AND instr(spec, ?2) > 0",
		    -1, &q, NULL))
		return cannot(db, s->journal, e);
	sqlite3_bind_int(q, 1, KIND_memory);
	sqlite3_bind_blob(q, 2, s->model.llm_hash.b, HASH_BYTES, SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW) {
		l->memories = (uint64_t)sqlite3_column_int64(q, 0);
		l->memory_us = (uint64_t)sqlite3_column_int64(q, 1);
		l->slowest_us = (uint64_t)sqlite3_column_int64(q, 2);
	}
	sqlite3_finalize(q);
	return 0;
}

static int read_calls(sqlite3 *db, const struct sweep *s, struct learned *l,
		      struct err *e)
{
	sqlite3_stmt *q = NULL;
	int rc = 0;

	if (sqlite3_prepare_v2(db,
			       "SELECT call.body, call.useful FROM call JOIN task ON "
			       "task.id = call.task WHERE instr(spec, ?1) > 0 OR "
			       "instr(spec, ?2) > 0",
			       -1, &q, NULL))
		return cannot(db, s->journal, e);
	sqlite3_bind_blob(q, 1, s->model.llm_hash.b, HASH_BYTES, SQLITE_STATIC);
	sqlite3_bind_blob(q, 2, s->embed.hash.b, HASH_BYTES, SQLITE_STATIC);
	while (!rc && sqlite3_step(q) == SQLITE_ROW) {
		struct view body = { sqlite3_column_blob(q, 0),
				     (size_t)sqlite3_column_bytes(q, 0) };
		struct call c;

		rc = call_decode(body, &c, e);
		if (rc)
			break;
		usage_add(&l->usage, &c.usage);
		l->calls += sqlite3_column_int(q, 1) != 0;
		l->wasted_calls += sqlite3_column_int(q, 1) == 0;
	}
	sqlite3_finalize(q);
	return rc;
}

int learned_read(const struct sweep *s, int64_t sweep, struct learned *ret,
		 struct err *e)
{
	struct learned l = { 0 };
	sqlite3 *db = NULL;
	int rc = 0;

	l.v = arena_alloc(&l.arena, s->nq + 1, sizeof *l.v);
	if (!l.v)
		rc = err_set(e, ERR_NOMEM, "records");
	else if (sqlite3_open_v2(s->journal, &db, SQLITE_OPEN_READWRITE, NULL))
		rc = cannot(db, s->journal, e);
	if (!rc)
		rc = read_records(db, s, sweep, &l, e);
	if (!rc)
		rc = read_times(db, s, &l, e);
	if (!rc)
		rc = read_calls(db, s, &l, e);
	sqlite3_close(db);
	if (rc) {
		learned_free(&l);
		return rc;
	}
	*ret = l;
	return 0;
}

void learned_free(struct learned *l)
{
	arena_free(&l->arena);
}

/* ---- the summary ----------------------------------------------------------------- */

struct sums {
	uint64_t state[5], check[4], again, mended, repair[LOOSE_REPAIRS];
	uint64_t refused[LEARNT_KEYS], dropped[LEARNT_KEYS], unknown, added;
};

static void sum_up(const struct sweep *s, const struct learned *l, struct sums *ret)
{
	for (uint32_t i = 0; i < s->nq; i++) {
		const struct learnt *r = &l->v[i];

		ret->state[r->state < 5 ? r->state : 0]++;
		if (r->state == LEARNT_kept)
			ret->check[r->check < 4 ? r->check : 0]++;
		ret->again += r->asks > 1;
		ret->mended += r->repairs != 0;
		for (int k = 0; k < LOOSE_REPAIRS; k++)
			ret->repair[k] += r->repairs >> k & 1;
		for (int k = 0; k < LEARNT_KEYS; k++) {
			ret->refused[k] += r->refused[k];
			ret->dropped[k] += r->dropped[k];
		}
		ret->unknown += r->unknown;
		ret->added += r->added;
	}
}

static json_t *by_key(const uint64_t *v)
{
	json_t *o = json_object();

	for (int k = 0; k < LEARNT_KEYS; k++)
		if (v[k])
			json_object_set_new(o, memory_key_name((enum memory_key)k),
					    json_integer((json_int_t)v[k]));
	return o;
}

static json_t *repairs(const struct sums *n)
{
	json_t *o = json_object();

	for (int k = 0; k < LOOSE_REPAIRS; k++)
		if (n->repair[k])
			json_object_set_new(o, loose_repair_name((enum loose_repair)k),
					    json_integer((json_int_t)n->repair[k]));
	return o;
}

static double seconds(uint64_t us, uint64_t n)
{
	return n ? (double)(us / n / 1000) / 1000 : 0;
}

static void set(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *document(const struct options *o, const struct sweep *s,
			const struct learned *l, const struct bank_made *made)
{
	struct sums n = { 0 };
	char hex[HASH_HEX + 1];
	json_t *doc = json_object();

	sum_up(s, l, &n);
	hash_hex(&made->name, hex);
	json_object_set_new(doc, "bank", json_string(opt_text(o, FLAG_output)));
	json_object_set_new(doc, "name", json_stringn(hex, 8));
	json_object_set_new(doc, "directory", json_string(s->output_dir));
	set(doc, "items", made->items);
	set(doc, "usable", made->good);
	set(doc, "learnt", n.state[LEARNT_kept]);
	set(doc, "dropped", n.state[LEARNT_dropped]);
	set(doc, "failed", n.state[LEARNT_failed]);
	set(doc, "bad_sql", n.state[LEARNT_bad_sql]);
	set(doc, "asked_again", n.again);
	set(doc, "mended", n.mended);
	json_object_set_new(doc, "repairs", repairs(&n));
	json_object_set_new(doc, "refused_keys", by_key(n.refused));
	json_object_set_new(doc, "refused_parts", by_key(n.dropped));
	set(doc, "unknown_keys", n.unknown);
	set(doc, "added_keywords", n.added);
	if (opt_on(o, FLAG_self_check)) {
		json_t *check = json_object();

		set(check, "same", n.check[LEARNT_same]);
		set(check, "other", n.check[LEARNT_other]);
		set(check, "no_sql", n.check[LEARNT_no_sql]);
		json_object_set_new(doc, "self_check", check);
	}
	json_object_set_new(doc, "seconds_per_memory",
			    json_real(seconds(l->memory_us, l->memories)));
	json_object_set_new(doc, "slowest_memory",
			    json_real(seconds(l->slowest_us, 1)));
	set(doc, "calls", l->calls);
	set(doc, "wasted_calls", l->wasted_calls);
	set(doc, "prompt_tokens", l->usage.prompt);
	set(doc, "completion_tokens", l->usage.completion);
	return doc;
}

static const char *const lines[][2] = {
	{ "learnt", "memories" },
	{ "usable", "of them in the bank for searches" },
	{ "dropped", "no readable answer in two asks" },
	{ "failed", "the model gave no answer" },
	{ "bad_sql", "training SQL that gives no result: not asked about" },
	{ "asked_again", "asked twice, the first answer was unreadable" },
	{ "mended", "answers whose JSON was mended" },
	{ "unknown_keys", "keys that are none of the nine" },
	{ "added_keywords", "extra_keywords that the model left out, added" },
};

static void print_object(const char *what, const json_t *o)
{
	const char *key, *comma = " ";
	json_t *v;

	printf("%s:", what);
	json_object_foreach ((json_t *)o, key, v) {
		printf("%s%" JSON_INTEGER_FORMAT " %s", comma, json_integer_value(v),
		       key);
		comma = ", ";
	}
	puts(json_object_size(o) ? "" : " none");
}

static void print_text(const json_t *doc)
{
	const json_t *check = json_object_get(doc, "self_check");

	printf("%s: name %s, %" JSON_INTEGER_FORMAT " training questions; answers in "
	       "%s\n",
	       json_string_value(json_object_get(doc, "bank")),
	       json_string_value(json_object_get(doc, "name")),
	       json_integer_value(json_object_get(doc, "items")),
	       json_string_value(json_object_get(doc, "directory")));
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		printf("%6" JSON_INTEGER_FORMAT " %s\n",
		       json_integer_value(json_object_get(doc, lines[i][0])),
		       lines[i][1]);
	print_object("how they were mended", json_object_get(doc, "repairs"));
	print_object("refused keys", json_object_get(doc, "refused_keys"));
	print_object("refused parts of keys", json_object_get(doc, "refused_parts"));
	if (check)
		print_object("self-check", check);
	printf("%.3f s a memory (the slowest %.3f s), %" JSON_INTEGER_FORMAT
	       " calls (%" JSON_INTEGER_FORMAT " wasted), %" JSON_INTEGER_FORMAT
	       " + %" JSON_INTEGER_FORMAT " tokens\n",
	       json_real_value(json_object_get(doc, "seconds_per_memory")),
	       json_real_value(json_object_get(doc, "slowest_memory")),
	       json_integer_value(json_object_get(doc, "calls")),
	       json_integer_value(json_object_get(doc, "wasted_calls")),
	       json_integer_value(json_object_get(doc, "prompt_tokens")),
	       json_integer_value(json_object_get(doc, "completion_tokens")));
}

int learntell(struct options *o, const struct sweep *s, const struct learned *l,
	      const struct bank_made *made)
{
	json_t *doc = document(o, s, l, made);

	if (opt_on(o, FLAG_json)) {
		json_dumpf(doc, stdout, JSON_INDENT(1));
		putchar('\n');
	} else {
		print_text(doc);
	}
	json_decref(doc);
	return 0;
}
