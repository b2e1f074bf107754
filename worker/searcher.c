/* searcher.c - see searcher.h */
#include "worker/searcher.h"

#include "common/base/mem.h"
#include "common/io/batcher.h"
#include "worker/recall.h"

enum { AT_ONCE = 256 }; /* questions of one product */

struct search {
	struct batch_item item;
	struct arena arena; /* of the question and what is excluded */
	const struct bank *bank;
	struct view question, *exclude;
	float *vector; /* NULL: of the built-in embedder */
	uint32_t dim;
	uint32_t most, nexclude;
	searcher_fn *call; /* NULL: forgotten */
	void *arg;
	int code, done;
	struct err err;
	struct buf output;
};

struct searcher {
	struct batcher *batcher;
	void (*on_closed)(void *arg);
	void *arg;
};

/* ---- on the thread ----------------------------------------------------------------
 */

static void keep(struct search *k, int code, const struct search_out *out)
{
	k->done = 1;
	k->code = code;
	if (!code)
		search_out_encode(out, &k->output);
}

static void answer_alone(struct search *k)
{
	struct arena a = { 0 };
	struct search_out out;

	int code = k->vector ? recall_near(k->bank, k->vector, k->dim, 1, k->most,
					   k->exclude, k->nexclude, &a, &out, &k->err)
			     : recall_search(k->bank, k->question, k->most, k->exclude,
					     k->nexclude, &a, &out, &k->err);

	keep(k, code, &out);
	arena_free(&a);
}

static int goes_with(const struct search *k, const struct search *first)
{
	return !k->done && !k->nexclude && k->bank == first->bank &&
	       k->most == first->most && !k->vector == !first->vector &&
	       k->dim == first->dim;
}

static int batch(struct search *const *with, const struct view *question, uint32_t n,
		 struct arena *a, struct search_out *out)
{
	struct search *first = with[0];
	float *v;

	if (!first->vector)
		return recall_batch(first->bank, question, n, first->most, a, out,
				    &first->err);
	v = arena_alloc(a, (size_t)n * first->dim, sizeof *v);
	if (!v)
		return err_set(&first->err, ERR_NOMEM, "search of %u questions", n);
	for (uint32_t i = 0; i < n; i++)
		memcpy(v + (size_t)i * first->dim, with[i]->vector,
		       first->dim * sizeof *v);
	return recall_near(first->bank, v, first->dim, n, first->most, NULL, 0, a, out,
			   &first->err);
}

/* All that ask the same bank for as many, with one product. */
static void answer_together(struct search *first)
{
	struct search *with[AT_ONCE];
	struct view question[AT_ONCE] = { { NULL, 0 } };
	struct search_out out[AT_ONCE];
	struct arena a = { 0 };
	uint32_t n = 0;
	int code;

	for (struct batch_item *i = &first->item; i && n < AT_ONCE; i = i->next) {
		struct search *k = (struct search *)i;

		if (!goes_with(k, first))
			continue;
		with[n] = k;
		question[n++] = k->question;
	}
	code = batch(with, question, n, &a, out);
	for (uint32_t i = 0; i < n; i++) {
		with[i]->err = first->err;
		keep(with[i], code, &out[i]);
	}
	arena_free(&a);
}

static void work(void *arg, struct batch_item *list)
{
	(void)arg;
	for (; list; list = list->next) {
		struct search *k = (struct search *)list;

		if (k->done)
			continue;
		if (k->nexclude)
			answer_alone(k);
		else
			answer_together(k);
	}
}

/* ---- on the loop ------------------------------------------------------------------
 */

static void done(void *arg, struct batch_item *list)
{
	(void)arg;
	while (list) {
		struct search *k = (struct search *)list;

		list = list->next;
		if (k->call)
			k->call(k->arg, k->output.bad ? ERR_NOMEM : k->code,
				buf_view(&k->output), k->code ? k->err.text : "");
		buf_free(&k->output);
		arena_free(&k->arena);
		mem_free(k);
	}
}

int searcher_new(uv_loop_t *loop, struct searcher **ret)
{
	struct searcher *s = mem_alloc(1, sizeof *s);

	if (!s || batcher_new(loop, work, done, s, 0, &s->batcher)) {
		mem_free(s);
		return ERR_NOMEM;
	}
	*ret = s;
	return 0;
}

int searcher_ask(struct searcher *s, const struct bank *bank, struct view question,
		 const float *vector, uint32_t dim, uint32_t most,
		 const struct view *exclude, uint32_t nexclude, searcher_fn *call,
		 void *arg, struct search **ret)
{
	struct search *k = mem_alloc(1, sizeof *k);

	if (!k)
		return ERR_NOMEM;
	k->bank = bank;
	k->most = most;
	k->call = call;
	k->arg = arg;
	k->question = arena_view(&k->arena, question);
	k->dim = dim;
	if (vector && (k->vector = arena_alloc(&k->arena, dim + 1, sizeof *vector)))
		memcpy(k->vector, vector, dim * sizeof *vector);
	k->exclude = arena_alloc(&k->arena, nexclude + 1, sizeof *k->exclude);
	for (uint32_t i = 0; k->exclude && i < nexclude; i++)
		k->exclude[k->nexclude++] = arena_view(&k->arena, exclude[i]);
	if (k->arena.bad) {
		arena_free(&k->arena);
		mem_free(k);
		return ERR_NOMEM;
	}
	batcher_put(s->batcher, &k->item);
	*ret = k;
	return 0;
}

void searcher_forget(struct search *k)
{
	k->call = NULL;
}

static void on_batcher_closed(void *arg)
{
	struct searcher *s = arg;
	void (*on_closed)(void *) = s->on_closed;
	void *their = s->arg;

	mem_free(s);
	on_closed(their);
}

void searcher_close(struct searcher *s, void (*on_closed)(void *arg), void *arg)
{
	s->on_closed = on_closed;
	s->arg = arg;
	batcher_close(s->batcher, on_batcher_closed);
}
