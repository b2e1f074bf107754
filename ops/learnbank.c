/* learnbank.c - see learnbank.h */
#include "ops/learnbank.h"

#include "broker/learn.h"
#include "common/base/mem.h"
#include "ops/filter.h"
#include "ops/finish.h"
#include "ops/fleet.h"
#include "ops/learntell.h"
#include "ops/notice.h"
#include "ops/rundir.h"
#include "ops/schemaread.h"
#include "ops/setting.h"
#include "ops/sweepmake.h"
#include "ops/textfile.h"
#include "worker/bank_make.h"
#include "worker/prompt.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_INTERRUPTED = 130 };

struct lessons {
	struct options *options;
	struct job job;
	struct train train;              /* as the file has it */
	const struct train_item **order; /* as a bank has it */
	struct train taken;              /* the sweep's questions: item[i] is q[i] */
	struct schema *schema;           /* of each database */
	struct learn learn;
};

static void lessons_free(struct lessons *l)
{
	for (uint32_t i = 0; l->schema && i < l->job.sweep.ndb; i++)
		schema_free(&l->schema[i]);
	mem_free(l->order);
	train_free(&l->train);
	job_free(&l->job);
}

/* ---- the sweep ------------------------------------------------------------------- */

static int take_items(struct lessons *l, struct err *e)
{
	const char *path = opt_text(l->options, FLAG_train);
	struct filter f;
	uint32_t n, kept = 0;
	int rc = train_read(path, opt_on(l->options, FLAG_skip_bad), &l->train, e);

	if (!rc)
		rc = filter_parse(l->options, &f, e);
	if (rc)
		return rc;
	if (l->train.skipped)
		notice_warn("%s: %u malformed lines passed over", path,
			    l->train.skipped);
	l->order = bank_order(&l->train, &n);
	l->taken = l->train;
	l->taken.item = arena_alloc(&l->job.sweep.arena, n + 1, sizeof *l->taken.item);
	if (!l->order || !l->taken.item)
		return err_set(e, ERR_NOMEM, "%s", path);
	for (uint32_t i = 0; i < n; i++) {
		struct item item = { .id = l->order[i]->id,
				     .db_id = l->order[i]->db_id };

		if (filter_takes(&f, &item))
			l->taken.item[kept++] = *l->order[i];
	}
	l->taken.n = kept;
	return kept ? 0
		    : err_set(e, ERR_USAGE,
			      "%s: the filters leave none of %u training questions",
			      path, n);
}

static uint32_t database_of(struct sweep *s, struct view id)
{
	uint32_t i = 0;

	while (i < s->ndb && !view_eq(s->db[i].id, id))
		i++;
	if (i == s->ndb)
		s->db[s->ndb++].id = id;
	return i;
}

static int add_questions(struct lessons *l, struct err *e)
{
	struct sweep *s = &l->job.sweep;
	uint32_t n = l->taken.n;
	struct candidate *c = arena_alloc(&s->arena, n, sizeof *c);

	s->q = arena_alloc(&s->arena, n, sizeof *s->q);
	s->db = arena_alloc(&s->arena, n, sizeof *s->db);
	if (!c || !s->q || !s->db)
		return err_set(e, ERR_NOMEM, "%u training questions", n);
	for (uint32_t i = 0; i < n; i++) {
		const struct train_item *t = &l->taken.item[i];
		struct hasher h;

		c[i] = (struct candidate){ .sql = t->sql,
					   .run = t->sql,
					   .run_hash = hash_of(t->sql.p, t->sql.n),
					   .source = { "", 0 } };
		hash_begin(&h);
		hash_add(&h, t->id.p, t->id.n);
		hash_add(&h, t->db_id.p, t->db_id.n);
		hash_add(&h, t->question.p, t->question.n);
		hash_add(&h, t->evidence.p, t->evidence.n);
		s->q[i] = (struct question){ .position = i,
					     .db = database_of(s, t->db_id),
					     .id = t->id,
					     .text = t->question,
					     .evidence = t->evidence,
					     .hash = hash_end(&h),
					     .cand = &c[i],
					     .n = 1 };
	}
	s->nq = n;
	return 0;
}

static int open_databases(struct lessons *l, struct err *e)
{
	struct sweep *s = &l->job.sweep;
	struct databases_how *how = &l->job.databases;

	how->dir = opt_text(l->options, FLAG_databases);
	how->tables = opt_text(l->options, FLAG_tables);
	how->alias = opt_list(l->options, FLAG_db_alias, &how->aliases);
	if (!how->dir)
		return err_set(e, ERR_USAGE,
			       "--databases is missing: a model is told the schema, "
			       "and the SQL is executed");
	if (!how->tables)
		how->tables = databases_tables(&s->arena, how->dir);
	return databases_open(&s->arena, how, s->db, s->ndb, &l->job.databases_hash, e);
}

static int read_schemas(struct lessons *l, struct err *e)
{
	struct sweep *s = &l->job.sweep;
	int rc = 0;

	l->schema = arena_alloc(&s->arena, s->ndb + 1, sizeof *l->schema);
	if (!l->schema)
		return err_set(e, ERR_NOMEM, "schemas");
	for (uint32_t i = 0; i < s->ndb && !rc; i++) {
		sqlite3 *db = NULL;

		if (database_open_quietly(s->db[i].path, &db) != SQLITE_OK)
			rc = err_set(e, ERR_INPUT, "%s: %s", s->db[i].path,
				     sqlite3_errmsg(db));
		else
			rc = schema_of_database(db, &l->schema[i], e);
		sqlite3_close(db);
	}
	l->learn.schema = l->schema;
	return rc;
}

static int take_template(struct lessons *l, enum flag f, const char *name,
			 struct view *ret, struct hash *ret_hash, struct err *e)
{
	const char *path = opt_text(l->options, f);
	struct textfile file = { .text = view_of(prompt_default(name)) };
	int rc = path ? textfile_read(&l->job.sweep.arena, path, &file, e) : 0;

	if (!rc && path && (rc = prompt_check(name, file.text, e)))
		err_where(e, "%s", path);
	*ret = file.text;
	*ret_hash = hash_of(ret->p, ret->n);
	return rc;
}

static int take_settings(struct lessons *l, struct err *e)
{
	struct options *o = l->options;
	struct sweep *s = &l->job.sweep;
	const char *rule = opt_text(o, FLAG_rule);
	int r = rule_by_name(rule ? rule : "plain"), rc;

	if (r < 0)
		return err_set(e, ERR_USAGE,
			       "--rule: unknown %s; bird, spider, ehrsql, plain", rule);
	s->rule = (enum rule)r;
	s->benchmark = "memory";
	l->learn.self_check = opt_on(o, FLAG_self_check);
	if ((rc = setting_env(o, s, e)) || (rc = setting_numbers(o, s, e)) ||
	    (rc = setting_model(o, s, e)) || (rc = setting_embed(o, s, e)) ||
	    (rc = setting_cost_limit(o, s, e)) ||
	    (rc = take_template(l, FLAG_memory_template, "memory",
				&l->learn.memory_template,
				&l->learn.memory_template_hash, e)))
		return rc;
	return take_template(l, FLAG_regenerate_template, "regenerate",
			     &l->learn.regenerate_template,
			     &l->learn.regenerate_template_hash, e);
}

static int name_sweep(struct lessons *l, struct err *e)
{
	static const struct run memory = { .name = "memory",
					   .stem = "memory",
					   .method = "memory",
					   .parameters = "{}" };
	struct job *j = &l->job;
	struct sweep *s = &j->sweep;
	struct hasher h;

	j->questions_hash = l->train.hash;
	hash_begin(&h);
	hash_add(&h, j->questions_hash.b, HASH_BYTES);
	hash_add(&h, j->databases_hash.b, HASH_BYTES);
	s->inputs = hash_end(&h);
	hash_begin(&h);
	hash_add(&h, s->inputs.b, HASH_BYTES);
	for (uint32_t i = 0; i < s->nq; i++)
		hash_add(&h, s->q[i].hash.b, HASH_BYTES);
	hash_add(&h, s->env_hash.b, HASH_BYTES);
	hash_add(&h, s->model.llm_hash.b, HASH_BYTES);
	hash_add(&h, l->learn.memory_template_hash.b, HASH_BYTES);
	if (s->embed.name.n)
		hash_add(&h, s->embed.hash.b, HASH_BYTES);
	if (l->learn.self_check)
		hash_add(&h, l->learn.regenerate_template_hash.b, HASH_BYTES);
	s->key = hash_end(&h);
	s->run = arena_alloc(&s->arena, 1, sizeof *s->run);
	if (!s->run)
		return err_set(e, ERR_NOMEM, "settings");
	s->run[0] = memory;
	s->nrun = 1;
	s->name = job_name(l->options, j);
	s->config = setting_config(l->options, s);
	return s->name && s->config ? 0 : err_set(e, ERR_NOMEM, "settings");
}

/* ---- the bank -------------------------------------------------------------------- */

struct making {
	struct lessons *lessons;
	const struct learned *learned;
	uint32_t dim; /* of the embedder's vectors */
};

static const struct learnt *learnt_of(const struct making *m,
				      const struct train_item *item)
{
	return &m->learned->v[item - m->lessons->taken.item];
}

static const struct schema *schema_for(void *world, struct view db_id)
{
	struct making *m = world;

	return &m->lessons->schema[database_of(&m->lessons->job.sweep, db_id)];
}

/* What failed the self-check is kept for the record, and found by no search: a memory
 * that misleads its own model misleads others. */
static int memory_for(void *world, const struct train_item *item, struct buf *memory,
		      struct buf *why)
{
	const struct learnt *r = learnt_of(world, item);
	int good = r->state == LEARNT_kept &&
		   (r->check == LEARNT_unchecked || r->check == LEARNT_same);

	buf_add(memory, r->memory.p, r->memory.n);
	if (good)
		return 1;
	if (r->check != LEARNT_unchecked)
		buf_add_str(why, "self-check: ");
	buf_add(why, r->note.p, r->note.n);
	if (!why->n)
		buf_add_str(why, "not learnt");
	return 0;
}

static const float *vector_for(void *world, const struct train_item *item)
{
	const struct making *m = world;
	const struct learnt *r = learnt_of(world, item);
	float *v;

	if (r->vector.n != m->dim * sizeof *v)
		return NULL;
	v = arena_alloc(&m->lessons->job.sweep.arena, m->dim, sizeof *v); /* aligned */
	if (v)
		memcpy(v, r->vector.p, r->vector.n);
	return v;
}

/* One endpoint may serve one model today and another tomorrow. */
static int dim_of(const struct lessons *l, const struct learned *v, uint32_t *ret,
		  struct err *e)
{
	size_t n = 0;

	for (uint32_t i = 0; i < l->taken.n; i++) {
		size_t own = v->v[i].vector.n;

		if (own && n && own != n)
			return err_set(e, ERR_REFUSED,
				       "embeddings of %.*s: vectors of %zu and of %zu "
				       "numbers, text %u: the endpoint served two "
				       "models; build in another --output-dir",
				       (int)l->job.sweep.embed.name.n,
				       l->job.sweep.embed.name.p, n / sizeof(float),
				       own / sizeof(float), i);
		n = own ? own : n;
	}
	*ret = (uint32_t)(n / sizeof(float));
	return n ? 0
		 : err_set(e, ERR_REFUSED, "embeddings of %.*s: none came: %.*s",
			   (int)l->job.sweep.embed.name.n, l->job.sweep.embed.name.p,
			   (int)v->v[0].note.n, v->v[0].note.p);
}

static int make_bank(struct lessons *l, const struct learned *v, struct err *e)
{
	struct making m = { l, v, 0 };
	struct bank_world w = { .schema = schema_for,
				.memory = memory_for,
				.world = &m,
				.source = l->job.sweep.model.name };
	struct bank_made made;
	int rc = 0;

	if (l->job.sweep.embed.name.n) {
		rc = dim_of(l, v, &m.dim, e);
		w.embedder = l->job.sweep.embed.embedder;
		w.dim = m.dim;
		w.vector = vector_for;
	}
	if (!rc)
		rc = bank_make(&l->taken, &w, opt_text(l->options, FLAG_output), &made,
			       e);
	return rc ? rc : learntell(l->options, &l->job.sweep, v, &made);
}

static int exit_code(const struct lessons *l, const struct learned *v)
{
	uint64_t failed = 0;

	for (uint32_t i = 0; i < l->taken.n; i++)
		failed += v->v[i].state == LEARNT_failed;
	return finish_code(failed, l->taken.n, l->job.sweep.fail_on_error);
}

static int finish(struct lessons *l, const struct fleet_result *done, struct err *e)
{
	struct learned v = { 0 };
	int rc;

	if (done->interrupted) {
		notice_say(
			"interrupted; what is done is kept, the same command goes on");
		l->options->exit = EXIT_INTERRUPTED;
		return 0;
	}
	rc = learned_read(&l->job.sweep, done->broker.sweep, &v, e);
	if (!rc)
		rc = make_bank(l, &v, e);
	if (!rc)
		l->options->exit = exit_code(l, &v);
	learned_free(&v);
	return rc;
}

static int play(struct lessons *l, struct err *e)
{
	struct fleet f = { .sweep = &l->job.sweep,
			   .learn = &l->learn,
			   .quiet = opt_on(l->options, FLAG_quiet) };
	struct fleet_result done;
	struct rundir dir;
	int rc = rundir_open(l->options, &l->job, &dir, e);

	if (rc)
		return rc;
	rc = fleet_run(&f, &done, e);
	if (!rc)
		rc = finish(l, &done, e);
	rundir_close(&dir);
	return rc;
}

int learnbank(struct options *o, struct err *e)
{
	struct lessons l = { .options = o };
	int rc = take_items(&l, e);

	if (!rc)
		rc = add_questions(&l, e);
	if (!rc)
		rc = open_databases(&l, e);
	if (!rc)
		rc = read_schemas(&l, e);
	if (!rc)
		rc = take_settings(&l, e);
	if (!rc)
		rc = name_sweep(&l, e);
	if (!rc)
		rc = play(&l, e);
	lessons_free(&l);
	return rc;
}
