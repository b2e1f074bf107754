/* write_calls.c - calls.jsonl: one line for each HTTP attempt
 *
 * Its useful lines whose `runs` hold a run add up to that run's usage.
 */
#include "results/write.h"

#include "proto/task.h"
#include "results/outfile.h"

struct lines {
	const struct sweep *sweep;
	const struct use_table *use;
	const struct prices *price;
	struct outfile out;
	struct buf line;
};

static void runs_json(struct jsonw *w, const struct lines *l, const struct use_task *t)
{
	jw_karray(w, "runs");
	for (uint32_t r = 0; t && r < l->sweep->nrun; r++)
		if (use_table_asks(l->use, t, r))
			jw_str(w, view_of(l->sweep->run[r].name));
	jw_end(w);
}

static void number_or_null(struct jsonw *w, const char *key, uint64_t v)
{
	jw_key(w, key);
	if (v)
		jw_u64(w, v);
	else
		jw_null(w);
}

static void task_json(struct jsonw *w, const struct lines *l, const struct fold_call *c,
		      const struct use_task *t)
{
	char hex[HASH_HEX + 1];

	hash_hex(&c->task, hex);
	jw_kstr(w, "task", hex);
	runs_json(w, l, t);
	jw_key(w, "question_id");
	if (t)
		jw_raw(w, l->sweep->q[t->question].id);
	else
		jw_null(w);
	jw_kstr(w, "role", called_name(called_of(c->kind)));
	jw_kstr(w, "kind", kind_name((enum kind)c->kind));
	number_or_null(w, "pass", t ? t->pass : 0);
	number_or_null(w, "window", t ? t->window : 0);
}

static void usage_json(struct jsonw *w, const struct usage *u, const struct price *p)
{
	jw_kobject(w, "usage");
	jw_ku64(w, "prompt_tokens", u->prompt);
	jw_ku64(w, "completion_tokens", u->completion);
	jw_key(w, "cached_tokens");
	if (u->flags & USAGE_CACHED)
		jw_u64(w, u->cached);
	else
		jw_null(w); /* not told, which is not none */
	jw_kbool(w, "estimated", (u->flags & USAGE_ESTIMATED) != 0);
	jw_knum(w, "cost", (double)price_nano(p, u) / 1e9);
	jw_end(w);
}

static int add(void *arg, const struct fold_call *c, struct err *e)
{
	struct lines *l = arg;
	const struct use_task *t = use_table_find(l->use, &c->task);
	struct jsonw w = jsonw_of(&l->line, 0);

	if (!t && !c->own)
		return 0; /* another sweep's, in a shared journal */
	buf_clear(&l->line);
	jw_object(&w);
	task_json(&w, l, c, t);
	jw_ku64(&w, "attempt", c->call->attempt);
	jw_ku64(&w, "task_attempt", c->task_attempt);
	jw_kview(&w, "worker", c->worker);
	jw_ku64(&w, "status", c->call->status);
	jw_kstr(&w, "error", c->call->error[0] ? c->call->error : NULL);
	jw_ku64(&w, "latency_ms", c->call->latency_ms);
	jw_ku64(&w, "started_ms", c->call->started_ms);
	jw_ku64(&w, "resent", c->call->resent);
	usage_json(&w, &c->call->usage, called_price(called_of(c->kind), l->price));
	jw_kbool(&w, "useful", c->useful);
	jw_end(&w);
	buf_add_char(&l->line, '\n');
	if (l->line.bad)
		return err_set(e, ERR_NOMEM, "calls.jsonl");
	outfile_add(&l->out, buf_view(&l->line));
	return 0;
}

int write_calls(const struct sweep *s, struct fold *f, const struct use_table *u,
		const struct prices *p, const char *dir, struct err *e)
{
	struct lines l = { .sweep = s, .use = u, .price = p };
	int rc = outfile_open(&l.out, dir, "calls.jsonl", e);

	if (rc)
		return rc;
	rc = fold_calls(f, add, &l, e);
	buf_free(&l.line);
	if (rc) {
		outfile_drop(&l.out);
		return rc;
	}
	return outfile_close(&l.out, e);
}
