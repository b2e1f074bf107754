/* task_ask.c - a model is asked once: to order a window (rank), to grade one (point)
 *
 * The worker fills the template; HTTP retries happen inside the task; the raw reply is
 * the output, and the planner reads it. Prompts too long and answers unreadable are
 * outputs: what to do about them is the planner's to say.
 */
#include "proto/candidate.h"
#include "worker/chat.h"
#include "worker/kinds.h"
#include "worker/prompt.h"
#include "worker/recall.h"

struct fields {
	struct hash llm, template, schema, question, bank;
	int has_bank;
	struct view *memory;
	size_t nmemory;
	struct hash *cand;
	size_t ncand;
	uint64_t preview_rows, attempt, repeat;
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
	f.has_bank = !cur_nil(&c);
	if (f.has_bank)
		f.bank = cur_hash(&c);
	f.nmemory = cur_array(&c);
	f.memory = arena_alloc(&a->arena, f.nmemory + 1, sizeof *f.memory);
	for (size_t i = 0; f.memory && i < f.nmemory; i++)
		f.memory[i] = cur_str(&c);
	f.ncand = cur_array(&c);
	f.cand = arena_alloc(&a->arena, f.ncand + 1, sizeof *f.cand);
	for (size_t i = 0; f.cand && i < f.ncand; i++)
		f.cand[i] = cur_hash(&c);
	f.preview_rows = cur_u64(&c);
	f.attempt = cur_u64(&c);
	f.repeat = cur_u64(&c);
	*ret = f;
	return cur_done(&c) && f.memory && f.cand && f.ncand <= PROMPT_CANDIDATES;
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
	if (f.has_bank)
		need(a, &f.bank, NEED_BANK);
	for (size_t i = 0; i < f.ncand; i++)
		need(a, &f.cand[i], NEED_BLOB);
	return 1;
}

static int fill_candidates(struct attempt *a, const struct fields *f,
			   struct prompt_fill *fill)
{
	struct prompt_candidate *p = arena_alloc(&a->arena, f->ncand + 1, sizeof *p);

	for (size_t i = 0; p && i < f->ncand; i++) {
		struct shown s;

		if (shown_decode(worker_blob(a->worker, &f->cand[i]), &a->arena, &s))
			return ERR_PROTO;
		p[i] = (struct prompt_candidate){
			.sql = s.sql,
			.status = view_of(status_name(s.status)),
			.note = s.note,
			.rows = s.rows,
			.cols = s.cols,
			.columns = s.name,
			.preview_rows = s.preview_rows,
			.cells = s.cell,
		};
	}
	fill->candidates = p;
	fill->n_candidates = f->ncand;
	return p ? 0 : ERR_NOMEM;
}

static int fill_memories(struct attempt *a, const struct fields *f,
			 struct prompt_fill *fill)
{
	struct view *m = arena_alloc(&a->arena, f->nmemory + 1, sizeof *m);
	size_t n = 0;

	for (size_t i = 0; m && i < f->nmemory; i++) {
		struct view text =
			recall_text(worker_bank(a->worker, &f->bank), f->memory[i]);

		if (text.p)
			m[n++] = text;
	}
	fill->memories = m;
	fill->n_memories = n;
	return m ? 0 : ERR_NOMEM;
}

static int render(struct attempt *a, const struct fields *f, struct prompt *ret,
		  struct err *e)
{
	struct prompt_fill fill = { .preview_rows = (uint32_t)f->preview_rows };
	struct asked_question q;
	int rc;

	if (asked_question_decode(worker_blob(a->worker, &f->question), &q))
		return err_set(e, ERR_PROTO, "the question's blob is malformed");
	fill.schema = worker_blob(a->worker, &f->schema);
	fill.question = q.text;
	fill.evidence = q.evidence;
	rc = fill_memories(a, f, &fill);
	if (!rc)
		rc = fill_candidates(a, f, &fill);
	if (rc)
		return err_set(e, rc, "a candidate's blob is malformed");
	return prompt_render(worker_blob(a->worker, &f->template), &fill, ret, e);
}

static void on_answer(void *arg, const struct chat_result *r)
{
	struct attempt *a = arg;

	calls_pack(&a->calls, r->calls, r->n_calls);
	if (!r->err.code)
		chat_out_encode(&a->output, &r->out);
	attempt_done(a, r->err.code, r->err.text);
}

static int read_llm(struct attempt *a, const struct hash *h, struct chat_ask *ask)
{
	struct cursor c = cur_of(worker_blob(a->worker, h));
	struct view name;

	cur_array_of(&c, 5);
	name = cur_str(&c);
	cur_str(&c); /* revision: names the weights, is not sent */
	ask->temperature = cur_f64(&c);
	ask->top_p = cur_f64(&c);
	ask->max_tokens = cur_u32(&c);
	ask->model = arena_dup(&a->arena, name.p, name.n);
	return cur_done(&c) && ask->model;
}

static void start(struct attempt *a)
{
	struct chat_ask ask = { .seed = -1, .no_thinking = 0 };
	struct prompt prompt = { 0 };
	struct chat_run *run = NULL;
	struct chat *chat;
	struct fields f;
	struct err e = { 0 };
	int rc;

	read_fields(a, &f);
	rc = worker_chat(a->worker, &chat, &e);
	if (!rc)
		rc = render(a, &f, &prompt, &e);
	if (!rc && !read_llm(a, &f.llm, &ask))
		rc = err_set(&e, ERR_PROTO, "the model's blob is malformed");
	if (!rc) {
		ask.system = arena_view(&a->arena, buf_view(&prompt.system));
		ask.user = arena_view(&a->arena, buf_view(&prompt.user));
		/* It may have thought until nothing was left to answer with. */
		ask.max_tokens <<= f.attempt < 4 ? f.attempt : 4;
		ask.seed = f.repeat ? (int64_t)f.repeat : -1;
		memcpy(&ask.affinity, f.question.b, sizeof ask.affinity);
		rc = chat_start(chat, &ask, on_answer, a, &run, &e);
	}
	prompt_fini(&prompt);
	if (rc)
		attempt_done(a, rc, e.text);
	else
		a->state = run;
}

static void stop(struct attempt *a)
{
	struct chat_run *run = a->state;

	chat_cancel(&run);
}

const struct kind_code code_ask = { needs, start, stop };
