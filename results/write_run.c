/* write_run.c - run.json: how these results came to be, on which machine, at what cost
 */
#include "results/write.h"

#include "common/base/clock.h"
#include "proto/reward.h"
#include "results/outfile.h"

#include <jansson.h>

struct spent {
	json_t *last, *total;
	uint64_t commands, killed;
};

static void add_number(json_t *total, const char *key, uint64_t n)
{
	json_int_t old = json_integer_value(json_object_get(total, key));

	json_object_set_new(total, key, json_integer(old + (json_int_t)n));
}

/* total[key] += spent[key] for every number. */
static void add_spent(json_t *total, json_t *spent)
{
	const char *key;
	json_t *v, *old;

	json_object_foreach (spent, key, v) {
		if (!json_is_number(v))
			continue;
		old = json_object_get(total, key);
		if (json_is_integer(v) && (!old || json_is_integer(old)))
			json_object_set_new(total, key,
					    json_integer(json_integer_value(old) +
							 json_integer_value(v)));
		else
			json_object_set_new(total, key,
					    json_real(json_number_value(old) +
						      json_number_value(v)));
	}
}

static int add_finish(void *arg, const struct fold_finish *x, struct err *e)
{
	struct spent *s = arg;
	json_t *spent = json_loadb(x->spent.p, x->spent.n, 0, NULL);

	(void)e;
	if (!json_is_object(spent)) { /* an older program's words: not counted */
		json_decref(spent);
		return 0;
	}
	s->commands++;
	add_spent(s->total, spent);
	if (x->own) {
		json_decref(s->last);
		s->last = json_incref(spent);
	}
	json_decref(spent);
	return 0;
}

/* As the broker would have counted it, had it lived. */
static int add_killed_call(void *arg, const struct fold_call *c, struct err *e)
{
	struct spent *s = arg;

	(void)e;
	add_number(s->total, c->useful ? "calls" : "wasted_calls", 1);
	if (c->useful) {
		add_number(s->total, "prompt_tokens", c->call->usage.prompt);
		add_number(s->total, "completion_tokens", c->call->usage.completion);
		add_number(s->total, "cached_tokens", c->call->usage.cached);
	}
	return 0;
}

static int add_killed(struct spent *s, struct fold *f, struct err *e)
{
	uint64_t tasks;
	int rc = fold_killed(f, &s->killed, &tasks, e);

	if (!rc && s->killed)
		add_number(s->total, "tasks", tasks);
	return rc ? rc : fold_killed_calls(f, add_killed_call, s, e);
}

static void numbers_json(struct jsonw *w, const char *key, json_t *spent)
{
	const char *name;
	json_t *v;

	jw_kobject(w, key);
	json_object_foreach (spent, name, v) {
		jw_key(w, name);
		if (json_is_integer(v))
			jw_i64(w, json_integer_value(v));
		else if (json_is_real(v))
			jw_num(w, json_real_value(v));
		else
			jw_null(w);
	}
	jw_end(w);
}

static void time_json(struct jsonw *w, const char *key, uint64_t wall_ms)
{
	char iso[CLOCK_ISO];

	clock_iso(wall_ms, iso);
	jw_kstr(w, key, wall_ms ? iso : NULL);
}

static void raw_or_null(struct jsonw *w, const char *key, const char *json)
{
	jw_key(w, key);
	if (json)
		jw_raw(w, view_of(json));
	else
		jw_null(w);
}

static void hash_json(struct jsonw *w, const char *key, const struct hash *h)
{
	char hex[HASH_HEX + 1];

	hash_hex(h, hex);
	jw_kstr(w, key, hex);
}

static void inputs_json(struct jsonw *w, const struct sweep *s)
{
	jw_kobject(w, "inputs");
	hash_json(w, "all", &s->inputs);
	hash_json(w, "command", &s->key);
	hash_json(w, "env", &s->env_hash);
	jw_kobject(w, "databases");
	for (uint32_t i = 0; i < s->ndb; i++) {
		char hex[HASH_HEX + 1];

		hash_hex(&s->db[i].hash, hex);
		jw_key_view(w, s->db[i].id);
		jw_str(w, view_of(hex));
	}
	jw_end(w);
	if (s->bank.path)
		hash_json(w, "memory", &s->bank.hash);
	jw_end(w);
}

static void all_json(struct buf *b, const struct sweep *s, const struct run_facts *x,
		     const struct spent *spent, uint64_t timeouts)
{
	struct jsonw w = jsonw_of(b, 1);

	jw_object(&w);
	jw_kstr(&w, "format", "mapfleet-run-1");
	jw_kstr(&w, "name", s->name);
	jw_kstr(&w, "version", x->version);
	jw_kstr(&w, "sqlite_version", x->sqlite_version);
	jw_kstr(&w, "sqlite_source_id", x->sqlite_source_id);
	jw_kstr(&w, "command", x->command);
	jw_kstr(&w, "cwd", x->cwd);
	raw_or_null(&w, "config", s->config);
	if (s->reward.kind) /* as said, or as the server was found to serve */
		jw_kstr(&w, "reward_kind",
			reward_kind_word((enum reward_kind)s->reward.kind));
	inputs_json(&w, s);
	time_json(&w, "started", x->started_ms);
	time_json(&w, "ended", x->ended_ms);
	jw_key(&w, "exit");
	jw_i64(&w, x->code);
	raw_or_null(&w, "machines", x->machines);
	numbers_json(&w, "spent", spent->last);
	numbers_json(&w, "spent_total", spent->total);
	jw_ku64(&w, "commands", spent->commands);
	jw_ku64(&w, "killed", spent->killed);
	jw_ku64(&w, "wall_clock_timeouts", timeouts);
	jw_kbool(&w, "same_bytes", timeouts == 0);
	jw_end(&w);
}

int write_run(const struct sweep *s, struct fold *f, const struct run_facts *x,
	      const char *dir, uint64_t *ret_wall_timeouts, struct err *e)
{
	struct spent spent = { .last = json_object(), .total = json_object() };
	struct buf b = { 0 };
	uint64_t timeouts = 0;
	int rc = fold_finishes(f, add_finish, &spent, e);

	if (rc == 0)
		rc = add_killed(&spent, f, e);
	if (rc == 0)
		rc = fold_timeouts(f, &timeouts, e);
	if (rc == 0) {
		all_json(&b, s, x, &spent, timeouts);
		rc = b.bad ? err_set(e, ERR_NOMEM, "run.json")
			   : outfile_put(dir, "run.json", buf_view(&b), e);
	}
	if (rc == 0)
		*ret_wall_timeouts = timeouts;
	json_decref(spent.last);
	json_decref(spent.total);
	buf_free(&b);
	return rc;
}
