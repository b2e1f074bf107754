/* task_search.c - the memories nearest to a question */
#include "proto/embed_out.h"
#include "worker/kinds.h"
#include "worker/searcher.h"

struct fields {
	struct hash bank, question, embed;
	int has_embed;
	uint64_t most;
	struct view *exclude;
	size_t n;
};

static int read_fields(struct attempt *a, struct fields *ret)
{
	struct cursor c;
	struct fields f = { 0 };

	spec_open(a->spec, &c);
	f.bank = cur_hash(&c);
	f.question = cur_hash(&c);
	f.has_embed = !cur_nil(&c);
	if (f.has_embed)
		f.embed = cur_hash(&c);
	f.most = cur_u64(&c);
	f.n = cur_array(&c);
	f.exclude = arena_alloc(&a->arena, f.n + 1, sizeof *f.exclude);
	for (size_t i = 0; f.exclude && i < f.n; i++)
		f.exclude[i] = cur_str(&c);
	*ret = f;
	return cur_done(&c) && f.exclude;
}

static int needs(struct attempt *a, attempt_need_fn *need)
{
	struct fields f;

	if (!read_fields(a, &f))
		return 0;
	need(a, &f.bank, NEED_BANK);
	need(a, &f.question, NEED_BLOB);
	if (f.has_embed)
		need(a, &f.embed, NEED_OUTPUT);
	return 1;
}

static void on_found(void *arg, int code, struct view output, const char *text)
{
	struct attempt *a = arg;

	buf_add(&a->output, output.p, output.n);
	attempt_done(a, code, text);
}

static void start(struct attempt *a)
{
	struct embed_out v = { 0 };
	struct search *search;
	struct fields f;
	struct err e = { 0 };
	int rc = 0;

	read_fields(a, &f);
	if (f.has_embed)
		rc = embed_out_decode(worker_blob(a->worker, &f.embed), &a->arena, &v,
				      &e);
	if (!rc)
		rc = searcher_ask(worker_searcher(a->worker),
				  worker_bank(a->worker, &f.bank),
				  worker_blob(a->worker, &f.question), v.vector, v.dim,
				  (uint32_t)f.most, f.exclude, (uint32_t)f.n, on_found,
				  a, &search);
	if (rc)
		attempt_done(a, rc, e.code ? e.text : "out of memory");
	else
		a->state = search;
}

static void stop(struct attempt *a)
{
	searcher_forget(a->state);
}

const struct kind_code code_search = { needs, start, stop };
