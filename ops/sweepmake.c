/* sweepmake.c - see sweepmake.h */
#include "ops/sweepmake.h"

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/sql/rewrite.h"
#include "ops/filter.h"
#include "ops/guess.h"
#include "ops/notice.h"
#include "ops/runs.h"
#include "ops/setting.h"
#include "ops/textfile.h"
#include "results/gold.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- files ---- */

static struct read_how how_of(const struct options *o)
{
	return (struct read_how){ opt_on(o, FLAG_skip_bad), opt_on(o, FLAG_lenient),
				  opt_text(o, FLAG_benchmark) };
}

static int read_sources(struct options *o, struct job *j, int score, struct err *e)
{
	enum flag f = score ? FLAG_predictions : FLAG_pool;
	const char **spec = opt_list(o, f, &j->nsource);
	int rc = 0;

	if (!j->nsource)
		return err_set(e, ERR_USAGE, "--%s is missing: %s", flag_name(f),
			       score ? "the prediction files to score"
				     : "the candidates to choose from");
	j->source = arena_alloc(&j->sweep.arena, j->nsource, sizeof *j->source);
	if (!j->source)
		return err_set(e, ERR_NOMEM, "--%s", flag_name(f));
	for (size_t i = 0; i < j->nsource && !rc; i++)
		rc = source_parse(&j->sweep.arena, spec[i], &j->source[i], e);
	for (size_t i = 0; i < j->nsource && !rc; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(j->source[i].name, j->source[k].name) == 0)
				return err_set(
					e, ERR_USAGE,
					"--%s: two files are called %s; say NAME=FILE",
					flag_name(f), j->source[i].name);
	return rc;
}

static int file_hash(struct arena *a, const char *path, struct hasher *h, struct err *e)
{
	struct textfile f;
	int rc = textfile_read(a, path, &f, e);

	if (!rc)
		hash_add(h, f.hash.b, sizeof f.hash.b);
	return rc;
}

static int hash_files(struct options *o, struct job *j, struct err *e)
{
	struct arena *a = &j->sweep.arena;
	const char *questions = opt_text(o, FLAG_questions);
	struct hasher h;
	int rc = 0;

	hash_begin(&h);
	for (size_t i = 0; i < j->nsource && !rc; i++) {
		hash_add(&h, j->source[i].name, strlen(j->source[i].name));
		rc = file_hash(a, j->source[i].path, &h, e);
	}
	j->pool_hash = hash_end(&h);
	if (questions && !rc) {
		hash_begin(&h);
		rc = file_hash(a, questions, &h, e);
		j->questions_hash = hash_end(&h);
	}
	return rc;
}

static int read_answers(struct options *o, struct job *j, enum flag f,
			struct answers *ret, struct err *e)
{
	const char *path = opt_text(o, f);
	struct read_how how = how_of(o);
	int rc;

	if (!path)
		return 0;
	rc = answers_read(&j->sweep.arena, path, &how, ret, e);
	if (!rc && ret->bad)
		notice_warn("%s: %u malformed items passed over", path, ret->bad);
	return rc;
}

static int read_gold(struct options *o, struct job *j, struct err *e)
{
	int rc = read_answers(o, j, FLAG_gold, &j->gold, e);

	j->gold_hash = j->gold.hash;
	if (!rc && opt_text(o, FLAG_gold_corrected) && !opt_text(o, FLAG_gold))
		return err_set(e, ERR_USAGE,
			       "%s: --gold is missing: the gold that it corrects",
			       opt_where(o, FLAG_gold_corrected));
	return rc ? rc : read_answers(o, j, FLAG_gold_corrected, &j->corrected, e);
}

/* ---- benchmark and rule ---- */

static int choose_benchmark(struct options *o, struct job *j, const struct items *l,
			    struct err *e)
{
	static const char *const known[] = { "bird", "spider", "ehrsql", "plain" };
	const char *said = opt_text(o, FLAG_benchmark), *near;
	const char *b = said ? said : l->benchmark ? l->benchmark : j->gold.benchmark;

	if (!b)
		return err_set(e, ERR_USAGE,
			       "the files do not tell which benchmark they are of: "
			       "say --benchmark bird, spider, ehrsql or plain");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(b, known[i]) == 0) {
			j->sweep.benchmark = known[i];
			return 0;
		}
	near = guess_of(b, known, sizeof known / sizeof *known);
	return err_set(e, ERR_USAGE,
		       "--benchmark: unknown %s%s%s; bird, spider, ehrsql, plain", b,
		       near ? "; did you mean " : "", near ? near : "");
}

static int choose_rule(struct options *o, struct job *j, struct err *e)
{
	const char *rule = opt_text(o, FLAG_rule);
	int r;

	r = rule_by_name(rule ? rule : j->sweep.benchmark);
	if (r < 0)
		return err_set(e, ERR_USAGE,
			       "--rule: unknown %s; bird, spider, ehrsql, ehrsql-v1, "
			       "plain (also "
			       "strict)",
			       rule);
	j->sweep.rule = (enum rule)r;
	j->sweep.keep_distinct = opt_on(o, FLAG_keep_distinct);
	j->sweep.float_tol = opt_number(o, FLAG_float_tol);
	if (j->sweep.keep_distinct && r != RULE_spider)
		return err_set(e, ERR_USAGE,
			       "--keep-distinct is of rule spider, the rule is %s",
			       rule_name((enum rule)r));
	return 0;
}

/* ---- questions ---- */

/* The one database of a folder: EHRSQL's questions do not name theirs. */
static struct view only_database(struct arena *a, const char *dir)
{
	DIR *d = dir ? opendir(dir) : NULL;
	struct databases_how how = { .dir = dir };
	struct view found = { "", 0 };
	struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d))) {
		char name[256];
		char *dot;

		snprintf(name, sizeof name, "%s", entry->d_name);
		dot = strrchr(name, '.');
		if (dot && strcmp(dot, ".sqlite") == 0)
			*dot = 0;
		if (name[0] == '.' || !database_path(a, &how, view_of(name)))
			continue;
		if (n++ == 0)
			found = arena_view(a, view_of(name));
	}
	if (d)
		closedir(d);
	return n == 1 && found.p ? found : (struct view){ "", 0 };
}

/* Spider's script takes the database from gold's line, and so does verb score where
 * nothing else names it. */
static void borrow_dbs(const struct job *j, struct items *l)
{
	if (j->gold.has_ids || j->gold.n != l->n)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (!l->v[i].db_id.n)
			l->v[i].db_id = j->gold.v[i].db_id;
}

static int complete_items(struct options *o, struct job *j, struct items *l,
			  struct err *e)
{
	struct view one = { "", 0 };
	int looked = 0;
	char id[16];

	for (uint32_t i = 0; i < l->n; i++) {
		struct item *q = &l->v[i];

		if (!q->id.n) {
			snprintf(id, sizeof id, "%u", i);
			q->id = arena_view(&j->sweep.arena, view_of(id));
		}
		if (!q->db_id.n && !looked++)
			one = only_database(&j->sweep.arena,
					    opt_text(o, FLAG_databases));
		if (!q->db_id.n)
			q->db_id = one;
		if (!q->db_id.n)
			return err_set(e, ERR_INPUT,
				       "%s: question %.*s has no db_id, and %s does "
				       "not hold exactly "
				       "one database; give --questions with db_id",
				       l->path, (int)q->id.n, q->id.p,
				       opt_text(o, FLAG_databases)
					       ? opt_text(o, FLAG_databases)
					       : "--databases");
	}
	return 0;
}

static int rewrite_one(const struct sweep *s, struct arena *a, struct candidate *c,
		       struct buf *b)
{
	char now[SWEEP_NOW];

	if (!c->run.n) {
		buf_clear(b);
		c->run = c->sql;
		if (s->rule == RULE_spider)
			rewrite_spider_prediction(b, c->sql, s->keep_distinct);
		if (s->rule == RULE_ehrsql)
			rewrite_ehrsql(b, c->sql);
		if (s->rule == RULE_ehrsql_v1) {
			sweep_now(s, now);
			rewrite_ehrsql_v1(b, c->sql, view_of(now));
		}
		if (s->rule == RULE_spider || rule_abstains(s->rule))
			c->run = b->n ? arena_view(a, buf_view(b))
				      : (struct view){ "", 0 };
	}
	if (b->bad || !c->run.p)
		return ERR_NOMEM;
	c->abstains = rule_abstains(s->rule) && rewrite_is_abstention(c->run);
	c->run_hash = hash_of(c->run.p, c->run.n);
	return 0;
}

static int rewrite_all(struct sweep *s, struct err *e)
{
	struct buf b = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < s->nq && !rc; i++)
		for (uint32_t k = 0; k < s->q[i].n && !rc; k++)
			rc = rewrite_one(s, &s->arena, &s->q[i].cand[k], &b);
	buf_free(&b);
	return rc ? err_set(e, rc, "candidates") : 0;
}

static int find_db(struct sweep *s, struct view id)
{
	for (uint32_t i = 0; i < s->ndb; i++)
		if (view_eq(s->db[i].id, id))
			return (int)i;
	return -1;
}

static void add_question(struct sweep *s, const struct item *i, uint32_t position)
{
	struct question *q = &s->q[s->nq];
	struct hasher h;
	int db = find_db(s, i->db_id);

	if (db < 0) {
		db = (int)s->ndb++;
		s->db[db].id = i->db_id;
	}
	*q = (struct question){ .position = position,
				.db = (uint32_t)db,
				.id = i->id,
				.text = i->text,
				.evidence = i->evidence,
				.cand = i->cand,
				.n = i->n };
	hash_begin(&h);
	hash_add(&h, q->id.p, q->id.n);
	hash_add(&h, i->db_id.p, i->db_id.n);
	hash_add(&h, q->text.p, q->text.n);
	hash_add(&h, q->evidence.p, q->evidence.n);
	q->hash = hash_end(&h);
	s->nq++;
}

static int select_questions(struct options *o, struct job *j, const struct items *l,
			    struct err *e)
{
	struct sweep *s = &j->sweep;
	struct filter f;
	int rc = filter_parse(o, &f, e);

	if (!rc)
		rc = filter_meets(&f, l, e);
	if (rc)
		return rc;
	s->q = arena_alloc(&s->arena, l->n, sizeof *s->q);
	s->db = arena_alloc(&s->arena, l->n, sizeof *s->db);
	if (!s->q || !s->db)
		return err_set(e, ERR_NOMEM, "questions");
	for (uint32_t i = 0; i < l->n; i++)
		if (filter_takes(&f, &l->v[i]))
			add_question(s, &l->v[i], i);
	if (s->nq == 0)
		rc = err_set(e, ERR_USAGE, "the filters leave none of %u questions",
			     l->n);
	return rc;
}

static void tell_bare(const struct items *l)
{
	uint32_t bare = 0;

	for (uint32_t i = 0; i < l->n; i++)
		bare += l->v[i].n == 0;
	if (bare)
		notice_warn("%s: %u of %u questions have no candidate: they will be "
			    "degraded",
			    l->path, bare, l->n);
}

/* ---- databases ---- */

static int open_databases(struct options *o, struct job *j, struct err *e)
{
	struct sweep *s = &j->sweep;
	struct databases_how *how = &j->databases;

	how->dir = opt_text(o, FLAG_databases);
	if (!how->dir)
		return err_set(e, ERR_USAGE,
			       "--databases is missing: the folder with "
			       "DB_ID/DB_ID.sqlite");
	how->alias = opt_list(o, FLAG_db_alias, &how->aliases);
	how->tables = opt_text(o, FLAG_tables);
	if (!how->tables)
		how->tables = databases_tables(&s->arena, how->dir);
	return databases_open(&s->arena, how, s->db, s->ndb, &j->databases_hash, e);
}

static struct hash hash_inputs(const struct job *j)
{
	struct hasher h;

	hash_begin(&h);
	hash_add(&h, j->questions_hash.b, HASH_BYTES);
	hash_add(&h, j->databases_hash.b, HASH_BYTES);
	hash_add(&h, j->pool_hash.b, HASH_BYTES);
	hash_add(&h, j->gold_hash.b, HASH_BYTES);
	return hash_end(&h);
}

/* All databases that the file's questions name are opened and hashed before filters
 * apply: a directory belongs to its inputs whatever part of them is run. */
static int all_databases(struct options *o, struct job *j, const struct items *l,
			 struct err *e)
{
	struct sweep *s = &j->sweep;

	s->q = arena_alloc(&s->arena, l->n, sizeof *s->q);
	s->db = arena_alloc(&s->arena, l->n, sizeof *s->db);
	if (!s->q || !s->db)
		return err_set(e, ERR_NOMEM, "questions");
	for (uint32_t i = 0; i < l->n; i++)
		add_question(s, &l->v[i], i);
	return open_databases(o, j, e);
}

/* Only databases of the questions that are left belong to the sweep. */
static int keep_databases(struct options *o, struct job *j, const struct items *l,
			  struct err *e)
{
	struct sweep all = j->sweep;
	struct sweep *s = &j->sweep;
	int rc;

	s->nq = s->ndb = 0;
	rc = select_questions(o, j, l, e);
	for (uint32_t i = 0; i < s->ndb && !rc; i++) {
		int k = find_db(&all, s->db[i].id);

		if (k >= 0)
			s->db[i] = all.db[k];
	}
	return rc;
}

/* BIRD's .sql has no levels, its dev.json has. */
static int keep_levels(struct job *j, const struct items *l, struct err *e)
{
	j->level = arena_alloc(&j->sweep.arena, l->n, sizeof *j->level);
	if (!j->level)
		return err_set(e, ERR_NOMEM, "questions");
	for (uint32_t i = 0; i < l->n; i++)
		j->level[i] = l->v[i].level;
	return 0;
}

int job_read(struct options *o, int score, struct job *ret, struct err *e)
{
	struct job *j = ret;
	struct read_how how = how_of(o);
	struct items l = { 0 };
	int rc;

	memset(j, 0, sizeof *j);
	if ((rc = read_sources(o, j, score, e)) || (rc = hash_files(o, j, e)) ||
	    (rc = join_files(&j->sweep.arena, opt_text(o, FLAG_questions), j->source,
			     j->nsource, score, &how, &l, e)) ||
	    (rc = read_gold(o, j, e)) || (rc = choose_benchmark(o, j, &l, e)) ||
	    (rc = choose_rule(o, j, e)))
		goto out;
	if (score)
		borrow_dbs(j, &l);
	if ((rc = complete_items(o, j, &l, e)))
		goto out;
	join_duplicates(&l);
	tell_bare(&l);
	j->total = l.n;
	if ((rc = keep_levels(j, &l, e)))
		goto out;
	if ((rc = all_databases(o, j, &l, e)) || (rc = keep_databases(o, j, &l, e)) ||
	    (rc = setting_env(o, &j->sweep, e)) || (rc = rewrite_all(&j->sweep, e)) ||
	    (rc = setting_numbers(o, &j->sweep, e)) ||
	    (rc = setting_weights(o, &j->sweep, e)) ||
	    (rc = setting_model(o, &j->sweep, e)) ||
	    (rc = setting_embed(o, &j->sweep, e)) ||
	    (rc = setting_reward(o, &j->sweep, e)) ||
	    (rc = setting_cost_limit(o, &j->sweep, e)))
		goto out;
	j->sweep.inputs = hash_inputs(j);
out:
	if (rc)
		job_free(j);
	return rc;
}

const char *job_name(struct options *o, struct job *j)
{
	const char *name = opt_text(o, FLAG_name), *file = o->sweep_file, *slash;
	char hex[HASH_HEX + 1], text[128];
	char *stem, *dot;

	if (name)
		return name;
	if (file) {
		slash = strrchr(file, '/');
		stem = arena_str(&j->sweep.arena, slash ? slash + 1 : file);
		dot = stem ? strrchr(stem, '.') : NULL;
		if (dot && dot != stem)
			*dot = 0;
		return stem;
	}
	hash_hex(&j->sweep.inputs, hex);
	snprintf(text, sizeof text, "%s-%.8s", j->sweep.benchmark, hex);
	return arena_str(&j->sweep.arena, text);
}

static void hash_text(struct hasher *h, const char *v)
{
	hash_add(h, v ? v : "", v ? strlen(v) : 0);
}

/* What a command is: its inputs, and all that can change a choice or a verdict. */
static struct hash hash_key(struct options *o, const struct job *j)
{
	const struct sweep *s = &j->sweep;
	static const enum flag chosen[] = { FLAG_limit, FLAG_sample_id, FLAG_filter };
	struct hasher h;

	hash_begin(&h);
	hash_add(&h, s->inputs.b, HASH_BYTES);
	hash_add(&h, s->env_hash.b, HASH_BYTES);
	hash_text(&h, rule_name(s->rule));
	hash_add_u64(&h, (uint64_t)s->keep_distinct);
	if (j->corrected.n)
		hash_add(&h, j->corrected.hash.b, HASH_BYTES);
	if (s->float_tol > 0)
		hash_add(&h, &s->float_tol, sizeof s->float_tol);
	for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
		hash_text(&h, opt_text(o, chosen[i]));
	hash_add(&h, s->model.llm_hash.b, HASH_BYTES);
	for (size_t i = 0; i < TEMPLATES; i++)
		hash_add(&h, s->model.template_hash[i].b, HASH_BYTES);
	if (s->reward.name.n) {
		hash_add(&h, s->reward.model_hash.b, HASH_BYTES);
		hash_add(&h, s->reward.template_hash.b, HASH_BYTES);
	}
	hash_add(&h, s->bank.hash.b, HASH_BYTES);
	hash_add(&h, s->weights_identity.b, HASH_BYTES);
	if (s->embed.name.n)
		hash_add(&h, s->embed.hash.b, HASH_BYTES);
	hash_add_u64(&h, s->memory_tokens);
	hash_add_u64(&h, s->preview_rows);
	for (uint32_t i = 0; i < s->nrun; i++) {
		hash_text(&h, s->run[i].name);
		hash_text(&h, s->run[i].parameters);
	}
	return hash_end(&h);
}

int job_finish(struct options *o, struct job *j, struct err *e)
{
	struct sweep *s = &j->sweep;
	int rc = opt_text(o, FLAG_method) ? runs_make(o, s, e) : 0;

	if (rc)
		return rc;
	if (!s->name)
		s->name = job_name(o, j);
	s->key = hash_key(o, j);
	s->config = setting_config(o, s);
	return s->name && s->config ? 0 : err_set(e, ERR_NOMEM, "settings");
}

void job_free(struct job *j)
{
	arena_free(&j->sweep.arena);
}

static struct gold_row *rows_of(const struct job *j, const struct answers *l)
{
	struct gold_row *row = mem_alloc(l->n + 1, sizeof *row);

	for (uint32_t i = 0; row && i < l->n; i++) {
		const struct answer *g = &l->v[i];

		row[i] = (struct gold_row){ g->id, g->db_id, g->sql, g->level,
					    g->answerable };
		if (!g->level.n && !l->has_ids && i < j->total)
			row[i].level = j->level[i];
	}
	return row;
}

static int correct(const struct job *j, struct gold *g, struct err *e)
{
	struct gold_row *row = rows_of(j, &j->corrected);
	int rc = row ? gold_correct(g, &j->sweep, row, j->corrected.n, j->total, e)
		     : err_set(e, ERR_NOMEM, "gold");

	if (rc)
		err_where(e, "%s", j->corrected.path);
	mem_free(row);
	return rc;
}

int job_gold(const struct job *j, struct gold **ret, struct err *e)
{
	struct gold_row *row;
	int rc;

	*ret = NULL;
	if (!j->gold.n)
		return 0;
	row = rows_of(j, &j->gold);
	if (!row)
		return err_set(e, ERR_NOMEM, "gold");
	rc = gold_new(&j->sweep, row, j->gold.n, j->total, ret, e);
	if (rc)
		err_where(e, "%s", j->gold.path);
	mem_free(row);
	if (!rc && j->corrected.n)
		rc = correct(j, *ret, e);
	if (rc)
		gold_free(ret);
	return rc;
}
