/* task_learn.c - a model is asked what a solved question teaches (memory), or for the
 * SQL of a question whose memory it is shown (regenerate)
 *
 * As in task_ask.c the raw reply is the output; reading it is the planner's business.
 */
#include "proto/candidate.h"
#include "worker/ask_llm.h"
#include "worker/kinds.h"
#include "worker/prompt.h"

struct fields {
	struct hash llm, template, schema, question;
	struct hash text; /* memory: the SQL; regenerate: the memory */
	struct view constructs, again;
	uint64_t attempt, repeat;
};

static int read_fields(struct attempt *a, struct fields *ret)
{
	struct fields f = { 0 };
	struct cursor c;

	spec_open(a->spec, &c);
	f.llm = cur_hash(&c);
	f.template = cur_hash(&c);
	f.schema = cur_hash(&c);
	f.question = cur_hash(&c);
	f.text = cur_hash(&c);
	f.constructs = cur_str(&c);
	f.again = cur_str(&c);
	f.attempt = cur_u64(&c);
	f.repeat = cur_u64(&c);
	*ret = f;
	return cur_done(&c);
}

static int needs(struct attempt *a, attempt_need_fn *need)
{
	struct fields f;

	if (!read_fields(a, &f))
		return 0;
	need(a, &f.llm, NEED_BLOB);
	need(a, &f.template, NEED_BLOB);
	need(a, &f.schema, NEED_BLOB);
	need(a, &f.question, NEED_BLOB);
	need(a, &f.text, NEED_BLOB);
	return 1;
}

static int render(struct attempt *a, const struct fields *f, struct prompt *ret,
		  struct err *e)
{
	struct view text = worker_blob(a->worker, &f->text);
	struct prompt_candidate sql = { .sql = text };
	struct prompt_fill fill = { .schema = worker_blob(a->worker, &f->schema),
				    .constructs = f->constructs,
				    .again = f->again };
	struct asked_question q;

	if (asked_question_decode(worker_blob(a->worker, &f->question), &q))
		return err_set(e, ERR_PROTO, "the question's blob is malformed");
	fill.question = q.text;
	fill.evidence = q.evidence;
	if (a->kind == KIND_memory) {
		fill.candidates = &sql;
		fill.n_candidates = 1;
	} else {
		fill.memories = &text;
		fill.n_memories = 1;
	}
	return prompt_render(worker_blob(a->worker, &f->template), &fill, ret, e);
}

static int ask(struct attempt *a, const struct fields *f, const struct prompt *prompt,
	       struct chat *chat, struct err *e)
{
	struct chat_ask ask = { .seed = f->repeat ? (int64_t)f->repeat : -1 };
	struct chat_run *run;
	int rc;

	if (!ask_llm_read(a, &f->llm, &ask))
		return err_set(e, ERR_PROTO, "the model's blob is malformed");
	ask.system = arena_view(&a->arena, buf_view(&prompt->system));
	ask.user = arena_view(&a->arena, buf_view(&prompt->user));
	ask.max_tokens <<= f->attempt < 4 ? f->attempt : 4;
	/* Questions of one database share the prompt's beginning. */
	memcpy(&ask.affinity, f->schema.b, sizeof ask.affinity);
	rc = chat_start(chat, &ask, ask_llm_answered, a, &run, e);
	if (!rc)
		a->state = run;
	return rc;
}

static void start(struct attempt *a)
{
	struct prompt prompt = { 0 };
	struct chat *chat;
	struct fields f;
	struct err e = { 0 };
	int rc;

	read_fields(a, &f);
	rc = worker_chat(a->worker, &chat, &e);
	if (!rc)
		rc = render(a, &f, &prompt, &e);
	if (!rc)
		rc = ask(a, &f, &prompt, chat, &e);
	prompt_fini(&prompt);
	if (rc)
		attempt_done(a, rc, e.text);
}

static void stop(struct attempt *a)
{
	struct chat_run *run = a->state;

	chat_cancel(&run);
}

const struct kind_code code_learn = { needs, start, stop };
