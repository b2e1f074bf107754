/* recall.c - see recall.h */
#include "worker/recall.h"

#include "common/base/mem.h"
#include "common/select/embed.h"
#include "common/select/nearest.h"

#include <stdlib.h>

_Static_assert(EMBED_VERSION == 1, "the embedder's name below says its version");

const char *recall_embedder(void)
{
	return "ngram-1";
}

static int check_embedder(const struct bank *b, struct err *e)
{
	const struct bank_about *about = bank_about(b);

	if (view_eq(about->embedder, view_of(recall_embedder())) &&
	    about->dim == EMBED_DIM)
		return 0;
	return err_set(
		e, ERR_VALUE,
		"the bank's vectors are of embedder \"%.*s\" (%u dimensions), not "
		"of the built-in \"%s\" (%d)",
		(int)about->embedder.n, about->embedder.p, about->dim,
		recall_embedder(), EMBED_DIM);
}

static int embed_all(const struct view *question, uint32_t nq, float **ret)
{
	float *v = aligned_alloc(64, ((size_t)nq + 1) * EMBED_DIM * sizeof *v);

	if (!v)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < nq; i++)
		embed_text(question[i], v + (size_t)i * EMBED_DIM);
	*ret = v;
	return 0;
}

static int is_excluded(struct view id, const struct view *exclude, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (view_eq(id, exclude[i]))
			return 1;
	return 0;
}

/* The nearest rows as hits, without the excluded and the flagged. */
static int take_hits(const struct bank *b, const struct near *near, uint32_t n,
		     uint32_t most, const struct view *exclude, uint32_t nexclude,
		     struct arena *a, struct search_out *ret)
{
	struct search_out s = { .hit = arena_alloc(a, (size_t)most + 1,
						   sizeof *s.hit) };

	if (!s.hit)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n && s.n < most; i++) {
		const struct bank_item *item = bank_item(b, near[i].row);

		if (item->flag.n || is_excluded(item->id, exclude, nexclude))
			continue;
		s.hit[s.n++] =
			(struct search_hit){ item->id, near[i].score, item->text.n };
	}
	*ret = s;
	return 0;
}

/* Flagged rows are zeros, hence behind all that have a word in common with the
 * question; what is excluded may stand before what is wanted. */
static uint32_t rows_wanted(const struct bank *b, uint64_t most, uint32_t nexclude)
{
	uint64_t n = most + nexclude;

	return n > bank_items(b) ? bank_items(b) : (uint32_t)n;
}

static int search(const struct bank *b, const struct view *question, uint32_t nq,
		  uint32_t most, const struct view *exclude, uint32_t nexclude,
		  struct arena *a, struct search_out *ret, struct err *e)
{
	struct vectors rows = { bank_vectors(b), bank_items(b), bank_about(b)->dim };
	uint32_t k = rows_wanted(b, most, nexclude);
	struct near *near = mem_alloc((size_t)nq * k + 1, sizeof *near);
	float *queries = NULL;
	int code = check_embedder(b, e);

	if (!code && (!near || embed_all(question, nq, &queries)))
		code = err_set(e, ERR_NOMEM, "search of %u questions", nq);
	if (!code && k)
		code = nearest_find(&rows, queries, nq, k, near, e);
	for (uint32_t i = 0; i < nq && !code; i++) {
		code = take_hits(b, near + (size_t)i * k, k, most, exclude, nexclude, a,
				 &ret[i]);
		if (code)
			err_set(e, code, "search of %u questions", nq);
	}
	free(queries);
	mem_free(near);
	return code;
}

int recall_search(const struct bank *b, struct view question, uint32_t most,
		  const struct view *exclude, uint32_t nexclude, struct arena *a,
		  struct search_out *ret, struct err *e)
{
	return search(b, &question, 1, most, exclude, nexclude, a, ret, e);
}

int recall_batch(const struct bank *b, const struct view *question, uint32_t nq,
		 uint32_t most, struct arena *a, struct search_out *ret, struct err *e)
{
	return search(b, question, nq, most, NULL, 0, a, ret, e);
}

int recall_neighbours(const struct bank *b, struct view question,
		      struct neighbours *ret, struct err *e)
{
	struct arena a = { 0 };
	struct search_out s;
	struct neighbours n = { 0 };
	int code = recall_search(b, question, NEIGHBOURS, NULL, 0, &a, &s, e);

	for (uint32_t i = 0; !code && i < s.n; i++)
		n.near[n.n++] = (struct neighbour){
			bank_item(b, (uint32_t)bank_find(b, s.hit[i].id))->compares,
			s.hit[i].cosine
		};
	for (unsigned k = 0; k < SQL_COMPARES; k++)
		n.share[k] = bank_share(b, k);
	arena_free(&a);
	if (!code)
		*ret = n;
	return code;
}

struct view recall_text(const struct bank *b, struct view id)
{
	int64_t i = bank_find(b, id);

	return i < 0 ? (struct view){ 0 } : bank_item(b, (uint32_t)i)->text;
}
