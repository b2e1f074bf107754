/* ask_spec.c - see ask_spec.h */
#include "worker/ask_spec.h"

#include "proto/candidate.h"
#include "worker/recall.h"

int ask_spec_read(struct attempt *a, struct ask_spec *ret)
{
	struct ask_spec f = { 0 };
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
	if (a->kind == KIND_pick)
		f.want = cur_u64(&c);
	*ret = f;
	return cur_done(&c) && f.memory && f.cand && f.ncand <= PROMPT_CANDIDATES;
}

int ask_spec_needs(struct attempt *a, attempt_need_fn *need)
{
	struct ask_spec f;

	if (!ask_spec_read(a, &f))
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

static int fill_candidates(struct attempt *a, const struct ask_spec *f,
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

static int fill_memories(struct attempt *a, const struct ask_spec *f,
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

int ask_spec_render(struct attempt *a, const struct ask_spec *f, struct prompt *ret,
		    struct err *e)
{
	struct prompt_fill fill = { .preview_rows = (uint32_t)f->preview_rows,
				    .want = (uint32_t)f->want };
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
