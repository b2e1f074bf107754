/* realdata.c - see realdata.h */
#include "tests/support/realdata.h"

#include "common/base/buf.h"
#include "common/base/hash.h"
#include "common/base/mem.h"
#include "common/sql/rewrite.h"
#include "tests/support/skip.h"

#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS_EACH = 100000, EHR_ROWS = 100 };
static const int64_t steps_most = 200000000;

static const struct {
	const char *name, *right;
} pools[REAL_POOLS] = { { "spider", "spider" },
			{ "bird", "bird" },
			{ "ehrsql", "ehr" } };

const char *realdata_name(enum realdata_pool p)
{
	return pools[p].name;
}

/* Lines of a JSONL file, one json_t each; NULL: unreadable. */
static json_t *read_jsonl(enum realdata_pool p, const char *name)
{
	char relative[200], *line = NULL;
	const char *path;
	size_t cap = 0;
	json_t *all = json_array();
	FILE *f;

	snprintf(relative, sizeof relative, "%s/%s", pools[p].name, name);
	path = shared_data(relative);
	f = path ? fopen(path, "r") : NULL;
	if (!f) {
		json_decref(all);
		return NULL;
	}
	while (getline(&line, &cap, f) > 0)
		json_array_append_new(all, json_loads(line, 0, NULL));
	free(line);
	fclose(f);
	return all;
}

static struct view text_of(struct arena *a, json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);
	size_t n = json_string_length(v);

	return (struct view){ arena_dup(a, n ? json_string_value(v) : "", n), n };
}

static struct view id_of(struct arena *a, json_t *v)
{
	char *s = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	struct view id = view_of(arena_str(a, s));

	free(s);
	return id;
}

static int out_of_steps(void *left)
{
	return (*(int64_t *)left -= STEPS_EACH) < 0;
}

/* Executing */

static void add_cell_plain(sqlite3_stmt *s, int i, struct buf *b)
{
	double d;

	switch (sqlite3_column_type(s, i)) {
	case SQLITE_NULL: buf_add_str(b, "N|"); break;
	case SQLITE_INTEGER:
		buf_addf(b, "i%lld|", (long long)sqlite3_column_int64(s, i));
		break;
	case SQLITE_FLOAT:
		d = sqlite3_column_double(s, i);
		if (d == floor(d) && fabs(d) < 9e18)
			buf_addf(b, "i%lld|", (long long)d);
		else
			buf_addf(b, "r%.17g|", d);
		break;
	default:
		buf_addf(b, "t%d:", sqlite3_column_bytes(s, i));
		buf_add(b, sqlite3_column_blob(s, i),
			(size_t)sqlite3_column_bytes(s, i));
	}
}

/* EHRSQL's: what reads as a number is rounded to three places. */
static void add_cell_ehr(sqlite3_stmt *s, int i, struct buf *b)
{
	const char *t = (const char *)sqlite3_column_text(s, i);
	char *end;
	double d;

	if (!t) {
		buf_add_str(b, "None|");
		return;
	}
	d = strtod(t, &end);
	if (*t && !*end)
		buf_addf(b, "%.3f|", d);
	else
		buf_addf(b, "%s|", t);
}

struct result {
	struct buf row;
	uint64_t *rows, *columns;
	char **texts; /* EHRSQL: rows as text */
	size_t n, cap;
	int width;
};

static void result_free(struct result *r)
{
	for (size_t i = 0; r->texts && i < r->n; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->rows);
	free(r->columns);
	buf_free(&r->row);
}

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_row(enum realdata_pool p, struct result *r, sqlite3_stmt *s,
		    struct real_candidate *c)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->rows = realloc(r->rows, r->cap * sizeof *r->rows);
		r->texts = realloc(r->texts, r->cap * sizeof *r->texts);
	}
	buf_clear(&r->row);
	for (int i = 0; i < r->width; i++) {
		size_t from = r->row.n;

		c->nulls += sqlite3_column_type(s, i) == SQLITE_NULL;
		if (p == REAL_EHRSQL)
			add_cell_ehr(s, i, &r->row);
		else
			add_cell_plain(s, i, &r->row);
		if (p == REAL_SPIDER) /* a column's multiset is a sum of hashes */
			r->columns[i] += sip64_of(r->row.p + from, r->row.n - from);
	}
	c->cells += (uint64_t)r->width;
	r->texts[r->n] = strdup(r->row.p ? r->row.p : "");
	r->rows[r->n++] = sip64_of(r->row.p ? r->row.p : "", r->row.n);
}

static uint64_t digest_of(enum realdata_pool p, struct result *r)
{
	size_t n = r->n;

	if (!n)
		return 1;
	if (p == REAL_SPIDER) {
		qsort(r->columns, (size_t)r->width, sizeof *r->columns, by_u64);
		return sip64_of(r->columns, (size_t)r->width * sizeof *r->columns) ^ n;
	}
	if (p == REAL_EHRSQL) {
		struct buf b = { 0 };
		uint64_t h;

		qsort(r->texts, n, sizeof *r->texts, by_text);
		for (size_t i = 0; i < n && i < EHR_ROWS; i++)
			buf_addf(&b, "%s\n", r->texts[i]);
		h = sip64_of(b.p, b.n);
		buf_free(&b);
		return h;
	}
	qsort(r->rows, n, sizeof *r->rows, by_u64);
	n = 1;
	for (size_t i = 1; i < r->n; i++) /* BIRD: a set */
		if (r->rows[i] != r->rows[n - 1])
			r->rows[n++] = r->rows[i];
	return sip64_of(r->rows, n * sizeof *r->rows);
}

static int is_only_space(const char *tail)
{
	while (*tail && strchr(" \t\r\n;", *tail))
		tail++;
	return !*tail;
}

static void run_statement(enum realdata_pool p, sqlite3_stmt *s,
			  struct real_candidate *c)
{
	struct result r = { .width = sqlite3_column_count(s) };
	int rc;

	r.columns = calloc((size_t)r.width + 1, sizeof *r.columns);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		if (!r.n && r.width == 1 &&
		    (sqlite3_column_type(s, 0) == SQLITE_INTEGER ||
		     sqlite3_column_type(s, 0) == SQLITE_FLOAT))
			c->zero = sqlite3_column_double(s, 0) == 0;
		add_row(p, &r, s, c);
	}
	if (r.n != 1)
		c->zero = 0;
	c->status = rc == SQLITE_DONE        ? r.n ? STATUS_rows : STATUS_empty
		    : rc == SQLITE_INTERRUPT ? STATUS_timeout
					     : STATUS_error;
	if (rc == SQLITE_DONE)
		c->digest = digest_of(p, &r);
	result_free(&r);
}

static void run_candidate(enum realdata_pool p, sqlite3 *db, struct real_candidate *c)
{
	sqlite3_stmt *s = NULL;
	const char *tail = "";
	int64_t left = steps_most;

	if (p == REAL_EHRSQL && rewrite_is_abstention(c->run)) {
		c->status = STATUS_abstain;
		c->digest = 2;
		return;
	}
	c->status = STATUS_error;
	sqlite3_progress_handler(db, STEPS_EACH, out_of_steps, &left);
	if (!sqlite3_prepare_v2(db, c->run.p, (int)c->run.n, &s, &tail) && s &&
	    is_only_space(tail) && sqlite3_stmt_readonly(s))
		run_statement(p, s, c);
	sqlite3_finalize(s);
}

/* Loading */

static struct view rewritten(struct arena *a, enum realdata_pool p, struct view sql)
{
	struct buf b = { 0 };
	struct view v;

	if (p == REAL_SPIDER)
		rewrite_spider_prediction(&b, sql, 1);
	else if (p == REAL_EHRSQL)
		rewrite_ehrsql(&b, sql);
	else
		buf_add(&b, sql.p, sql.n);
	v = (struct view){ arena_dup(a, b.p ? b.p : "", b.n), b.n };
	buf_free(&b);
	return v;
}

static uint32_t find_db(struct realdata *d, struct view id)
{
	for (uint32_t i = 0; i < d->ndb; i++)
		if (view_eq(d->db[i].id, id))
			return i;
	d->db[d->ndb].id = id;
	return d->ndb++;
}

static void load_question(struct realdata *d, json_t *line, json_t *expected,
			  json_t *gold, struct real_question *q)
{
	json_t *cands = json_object_get(line, "candidates");
	json_t *rights = json_object_get(expected, "candidates");

	q->id = id_of(&d->a, json_object_get(line, "question_id"));
	q->db_id = text_of(&d->a, line, "db_id");
	q->text = text_of(&d->a, line, "question");
	q->evidence = text_of(&d->a, line, "evidence");
	q->n = (uint32_t)json_array_size(cands);
	q->cand = arena_alloc(&d->a, q->n, sizeof *q->cand);
	q->db = find_db(d, q->db_id);
	q->gold.run = rewritten(&d->a, d->pool, text_of(&d->a, gold, "sql"));
	for (uint32_t i = 0; i < q->n; i++) {
		struct view sql = text_of(&d->a, json_array_get(cands, i), "sql");
		json_t *x = json_array_get(rights, i);

		q->cand[i].run = rewritten(&d->a, d->pool, sql);
		q->cand[i].right =
			json_is_true(json_object_get(x, pools[d->pool].right));
	}
}

static char *db_path(enum realdata_pool p, struct view id)
{
	char relative[300];
	const char *path;

	snprintf(relative, sizeof relative, "%s/database/%.*s/%.*s.sqlite",
		 pools[p].name, (int)id.n, id.p, (int)id.n, id.p);
	path = shared_data(relative);
	return path ? strdup(path) : NULL;
}

static sqlite3 *open_db(const char *path)
{
	return path ? damage_open(path, ":memory:", DAMAGE_none) : NULL;
}

/* Right is what equals gold on the damaged copy. */
static void judge_by_gold(enum realdata_pool p, sqlite3 *db, struct real_question *q)
{
	run_candidate(p, db, &q->gold);
	for (uint32_t i = 0; i < q->n; i++)
		q->cand[i].right = status_ok(q->gold.status) &&
				   status_ok(q->cand[i].status) &&
				   q->cand[i].digest == q->gold.digest;
}

static int run_db(struct realdata *d, uint32_t at)
{
	struct real_db *x = &d->db[at];
	struct err e;
	sqlite3 *db;
	int code;

	x->path = db_path(d->pool, x->id);
	db = x->path ? damage_open(x->path, ":memory:", d->damage) : NULL;
	if (!db)
		return fprintf(stderr, "no database %.*s\n", (int)x->id.n, x->id.p), 1;
	code = profile_db(db, &x->bytes, &e);
	if (!code)
		code = profile_decode(buf_view(&x->bytes), &x->profile, &e);
	if (code)
		fprintf(stderr, "profile %.*s: %s\n", (int)x->id.n, x->id.p, e.text);
	for (uint32_t i = 0; i < d->nq && !code; i++) {
		for (uint32_t k = 0; d->q[i].db == at && k < d->q[i].n; k++)
			run_candidate(d->pool, db, &d->q[i].cand[k]);
		if (d->q[i].db == at && d->damage)
			judge_by_gold(d->pool, db, &d->q[i]);
	}
	sqlite3_close(db);
	return code;
}

int realdata_load(enum realdata_pool p, uint32_t limit, enum damage damage,
		  struct realdata *d)
{
	json_t *pool = read_jsonl(p, "pool.jsonl"),
	       *expected = read_jsonl(p, "expected.jsonl"),
	       *gold = read_jsonl(p, "gold.jsonl");
	int code = 0;

	*d = (struct realdata){ .pool = p, .damage = damage };
	if (!pool || !expected || !gold)
		return fprintf(stderr, "../shared/data/%s is absent\n", pools[p].name),
		       1;
	d->nq = (uint32_t)json_array_size(pool);
	if (limit && limit < d->nq)
		d->nq = limit;
	d->q = arena_alloc(&d->a, d->nq, sizeof *d->q);
	d->db = arena_alloc(&d->a, d->nq, sizeof *d->db);
	for (uint32_t i = 0; i < d->nq; i++)
		load_question(d, json_array_get(pool, i), json_array_get(expected, i),
			      json_array_get(gold, i), &d->q[i]);
	json_decref(pool);
	json_decref(expected);
	json_decref(gold);
	for (uint32_t i = 0; i < d->ndb && !code; i++)
		code = run_db(d, i);
	return code;
}

void realdata_free(struct realdata *d)
{
	for (uint32_t i = 0; i < d->ndb; i++) {
		free(d->db[i].path);
		profile_free(&d->db[i].profile);
		buf_free(&d->db[i].bytes);
	}
	arena_free(&d->a);
}

/* Grouping */

struct slot {
	uint64_t digest;
	enum status status;
	uint32_t votes, first, right;
};

/* Largest first; where sizes are equal the smaller hash of its texts, so that the
 * file's order says nothing. */
static int by_size(const void *x, const void *y)
{
	const struct slot *a = x, *b = y;

	if (a->votes != b->votes)
		return a->votes < b->votes ? 1 : -1;
	return (a->digest > b->digest) - (a->digest < b->digest);
}

static uint32_t find_slots(const struct real_question *q, const uint32_t *pick,
			   uint32_t n, struct slot *s, uint32_t *ret_failed)
{
	uint32_t g = 0, k;

	*ret_failed = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct real_candidate *c = &q->cand[pick ? pick[i] : i];

		if (!status_ok(c->status)) {
			++*ret_failed;
			continue;
		}
		for (k = 0; k < g && s[k].digest != c->digest; k++)
			;
		if (k == g)
			s[g++] = (struct slot){ .digest = c->digest,
						.status = c->status };
		s[k].votes++;
		s[k].right += c->right != 0;
	}
	qsort(s, g, sizeof *s, by_size);
	return g;
}

int realdata_dossier(const struct real_question *q, const uint32_t *pick, uint32_t n,
		     struct arena *a, struct dossier *ret, uint32_t **ret_right)
{
	struct slot *s = arena_alloc(a, n + 1, sizeof *s);
	struct dossier d = {
		.id = q->id, .text = q->text, .evidence = q->evidence, .asked = n
	};

	d.n = find_slots(q, pick, n, s, &d.failed);
	d.group = arena_alloc(a, d.n + 1, sizeof *d.group);
	*ret_right = arena_alloc(a, d.n + 1, sizeof **ret_right);
	for (uint32_t g = 0; g < d.n; g++) {
		struct dossier_group *x = &d.group[g];

		x->status = s[g].status;
		x->votes = s[g].votes;
		x->member = arena_alloc(a, s[g].votes, sizeof *x->member);
		(*ret_right)[g] = s[g].right;
		for (uint32_t i = 0; i < n; i++) {
			const struct real_candidate *c = &q->cand[pick ? pick[i] : i];

			if (status_ok(c->status) && c->digest == s[g].digest)
				x->member[x->n++] =
					(struct dossier_member){ c->run, 1, c->zero,
								 c->nulls, c->cells };
		}
	}
	*ret = d;
	return 0;
}

/* The bank */

struct known { /* schemas of the training databases */
	const struct realdata *d;
	struct named {
		struct view id;
		struct schema schema;
	} * v;
	size_t n;
	json_t *tables; /* BIRD: tables.json */
	json_t *gold;   /* EHRSQL: set of SQL texts */
};

static int schema_from_db(enum realdata_pool p, struct view id, struct schema *ret)
{
	char *path = db_path(p, id);
	sqlite3 *db = open_db(path);
	struct profile profile = { 0 };
	struct buf b = { 0 };
	int code = db ? profile_db(db, &b, NULL) : 1;

	if (!code)
		code = profile_decode(buf_view(&b), &profile, NULL);
	if (!code)
		*ret = profile.schema;
	buf_free(&b);
	sqlite3_close(db);
	free(path);
	return code;
}

static void schema_from_json(json_t *t, struct schema *ret)
{
	json_t *names = json_object_get(t, "table_names_original"), *pair;
	json_t *columns = json_object_get(t, "column_names_original");
	json_t *types = json_object_get(t, "column_types");
	size_t i;

	json_array_foreach (names, i, pair)
		schema_add_table(ret, view_of(json_string_value(pair)), NULL, NULL);
	json_array_foreach (columns, i, pair) {
		int at = (int)json_integer_value(json_array_get(pair, 0));

		if (at >= 0)
			schema_add_column(
				ret, at,
				view_of(json_string_value(json_array_get(pair, 1))),
				view_of(json_string_value(json_array_get(types, i))), 0,
				0, NULL);
	}
}

static const struct schema *schema_of(void *world, struct view db_id)
{
	struct known *k = world;
	struct named *x;
	json_t *t;
	size_t i;

	for (i = 0; i < k->n; i++)
		if (view_eq(k->v[i].id, db_id))
			return &k->v[i].schema;
	x = &k->v[k->n++];
	*x = (struct named){ .id = db_id };
	if (!schema_from_db(k->d->pool, db_id, &x->schema))
		return &x->schema;
	json_array_foreach (k->tables, i, t)
		if (view_eq(view_of(json_string_value(json_object_get(t, "db_id"))),
			    db_id))
			schema_from_json(t, &x->schema);
	return &x->schema;
}

static int in_gold(void *world, const struct train_item *item, struct buf *why)
{
	struct known *k = world;

	if (!json_object_getn(k->gold, item->sql.p, item->sql.n))
		return 0;
	buf_add_str(why, "its SQL is the gold of a question of the pool");
	return 1;
}

static json_t *gold_texts(enum realdata_pool p)
{
	json_t *lines = read_jsonl(p, "gold.jsonl"), *set = json_object(), *line;
	size_t i;

	json_array_foreach (lines, i, line)
		json_object_set_new(set,
				    json_string_value(json_object_get(line, "sql")),
				    json_true());
	json_decref(lines);
	return set;
}

int realdata_bank(const struct realdata *d, const char *path, struct bank_made *ret,
		  struct err *e)
{
	char relative[100];
	struct known k = { .d = d, .gold = gold_texts(d->pool) };
	struct bank_world w = { .schema = schema_of, .excludes = in_gold, .world = &k };
	struct train t;
	int code;

	snprintf(relative, sizeof relative, "%s/train.jsonl", pools[d->pool].name);
	code = train_read(shared_data(relative), 0, &t, e);
	if (code)
		return code;
	if (d->pool == REAL_BIRD)
		k.tables = json_load_file(shared_data("bird/dev_tables.json"), 0, NULL);
	k.v = calloc(t.n + 1, sizeof *k.v);
	code = bank_make(&t, &w, path, ret, e);
	for (size_t i = 0; i < k.n; i++)
		schema_free(&k.v[i].schema);
	free(k.v);
	json_decref(k.tables);
	json_decref(k.gold);
	train_free(&t);
	return code;
}
