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

int recall_is_own(const struct bank *b)
{
	const struct bank_about *about = bank_about(b);

	return view_eq(about->embedder, view_of(recall_embedder())) &&
	       about->dim == EMBED_DIM;
}

/* The rows of the built-in embedder. */
static int own_rows(const struct bank *b, struct vectors *ret, struct err *e)
{
	const struct bank_about *about = bank_about(b);

	*ret = (struct vectors){ bank_vectors(b), bank_items(b), EMBED_DIM };
	if (recall_is_own(b))
		return 0;
	ret->rows = bank_own_vectors(b);
	if (about->own_dim == EMBED_DIM)
		return 0;
	return err_set(
		e, ERR_VALUE,
		"the bank's vectors are of embedder \"%.*s\" (%u dimensions), not "
		"of the built-in \"%s\" (%d); build it again",
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

static int search(const struct bank *b, const struct vectors *rows,
		  const float *queries, uint32_t nq, uint32_t most,
		  const struct view *exclude, uint32_t nexclude, struct arena *a,
		  struct search_out *ret, struct err *e)
{
	uint32_t k = rows_wanted(b, most, nexclude);
	struct near *near = mem_alloc((size_t)nq * k + 1, sizeof *near);
	int code = near ? 0 : err_set(e, ERR_NOMEM, "search of %u questions", nq);

	if (!code && k)
		code = nearest_find(rows, queries, nq, k, near, e);
	for (uint32_t i = 0; i < nq && !code; i++) {
		code = take_hits(b, near + (size_t)i * k, k, most, exclude, nexclude, a,
				 &ret[i]);
		if (code)
			err_set(e, code, "search of %u questions", nq);
	}
	mem_free(near);
	return code;
}

static int search_texts(const struct bank *b, const struct view *question, uint32_t nq,
			uint32_t most, const struct view *exclude, uint32_t nexclude,
			struct arena *a, struct search_out *ret, struct err *e)
{
	struct vectors rows;
	float *queries = NULL;
	int code = own_rows(b, &rows, e);

	if (!code && embed_all(question, nq, &queries))
		code = err_set(e, ERR_NOMEM, "search of %u questions", nq);
	if (!code)
		code = search(b, &rows, queries, nq, most, exclude, nexclude, a, ret,
			      e);
	free(queries);
	return code;
}

int recall_near(const struct bank *b, const float *vector, uint32_t dim, uint32_t nq,
		uint32_t most, const struct view *exclude, uint32_t nexclude,
		struct arena *a, struct search_out *ret, struct err *e)
{
	const struct bank_about *about = bank_about(b);
	struct vectors rows = { bank_vectors(b), bank_items(b), about->dim };

	if (dim != about->dim)
		return err_set(e, ERR_VALUE,
			       "the question's vector has %u dimensions, those of the "
			       "bank (%.*s) have %u: the endpoint serves another model",
			       dim, (int)about->embedder.n, about->embedder.p,
			       about->dim);
	return search(b, &rows, vector, nq, most, exclude, nexclude, a, ret, e);
}

int recall_search(const struct bank *b, struct view question, uint32_t most,
		  const struct view *exclude, uint32_t nexclude, struct arena *a,
		  struct search_out *ret, struct err *e)
{
	return search_texts(b, &question, 1, most, exclude, nexclude, a, ret, e);
}

int recall_batch(const struct bank *b, const struct view *question, uint32_t nq,
		 uint32_t most, struct arena *a, struct search_out *ret, struct err *e)
{
	return search_texts(b, question, nq, most, NULL, 0, a, ret, e);
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
