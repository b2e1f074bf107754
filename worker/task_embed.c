/* task_embed.c - the vectors of some texts, from an embeddings endpoint */
#include "worker/chat.h"
#include "worker/embed_wire.h"
#include "worker/kinds.h"

struct embedding {
	struct chat_run *run;
	struct chat_ask ask;
	struct embed_ask wire;
};

struct fields {
	struct hash embedder, *text;
	size_t n;
};

static int read_fields(struct attempt *a, struct fields *ret)
{
	struct fields f = { 0 };
	struct cursor c;

	spec_open(a->spec, &c);
	f.embedder = cur_hash(&c);
	f.n = cur_array(&c);
	f.text = f.n <= EMBED_TEXTS ? arena_alloc(&a->arena, f.n + 1, sizeof *f.text)
				    : NULL;
	for (size_t i = 0; f.text && i < f.n; i++)
		f.text[i] = cur_hash(&c);
	*ret = f;
	return cur_done(&c) && f.text && f.n;
}

static int needs(struct attempt *a, attempt_need_fn *need)
{
	struct fields f;

	if (!read_fields(a, &f))
		return 0;
	need(a, &f.embedder, NEED_BLOB);
	for (size_t i = 0; i < f.n; i++)
		need(a, &f.text[i], NEED_BLOB);
	return 1;
}

static void on_answer(void *arg, const struct chat_result *r)
{
	struct attempt *a = arg;
	struct embedding *m = a->state;
	struct embed_out out;
	struct err e = r->err;
	int rc = e.code;

	calls_pack(&a->calls, r->calls, r->n_calls);
	if (!rc && r->out.kind == CHAT_TOO_LONG)
		rc = err_set(&e, ERR_REFUSED,
			     "embeddings of %s: a text is longer than the model takes",
			     m->ask.model);
	if (!rc)
		rc = embed_read(m->ask.model, &m->wire, r->out.reply, &a->arena, &out,
				&e);
	if (!rc)
		embed_out_encode(&out, &a->output);
	attempt_done(a, rc, e.text);
}

static int prepare(struct attempt *a, struct embedding *m, struct err *e)
{
	struct embedder by;
	struct fields f;
	struct view *text;

	if (!read_fields(a, &f) ||
	    !embedder_decode(worker_blob(a->worker, &f.embedder), &by))
		return err_set(e, ERR_PROTO, "the spec of an embed task is malformed");
	text = arena_alloc(&a->arena, f.n, sizeof *text);
	m->ask.model = arena_dup(&a->arena, by.name.p, by.name.n);
	if (!text || !m->ask.model)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	for (size_t i = 0; i < f.n; i++) {
		text[i] = arena_view(&a->arena, worker_blob(a->worker, &f.text[i]));
		if (!text[i].p)
			return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	}
	m->wire = (struct embed_ask){ text, (uint32_t)f.n, by.dim };
	m->ask.form = &embed_form;
	m->ask.of_form = &m->wire;
	m->ask.seed = -1;
	memcpy(&m->ask.affinity, f.text[0].b, sizeof m->ask.affinity);
	return 0;
}

static void start(struct attempt *a)
{
	struct embedding *m = arena_alloc(&a->arena, 1, sizeof *m);
	struct err e = { 0 };
	struct chat *chat;
	int rc = m ? worker_embed(a->worker, &chat, &e) : ERR_NOMEM;

	if (!rc)
		rc = prepare(a, m, &e);
	if (!rc) {
		a->state = m;
		rc = chat_start(chat, &m->ask, on_answer, a, &m->run, &e);
	}
	if (rc)
		attempt_done(a, rc, e.text);
}

static void stop(struct attempt *a)
{
	struct embedding *m = a->state;

	chat_cancel(&m->run);
}

const struct kind_code code_embed = { needs, start, stop };
