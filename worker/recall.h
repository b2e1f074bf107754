/* recall.h - which memories of a bank are near a question
 *
 * Exact cosine over the question's text alone. A text is embedded here by the built-in
 * embedder, whose vectors every bank holds; for a bank of another embedder the caller
 * may have the question's vector of that one, and searches among those. A question's
 * vector and a bank's are never of two embedders: ERR_VALUE.
 *
 * Memory: all in the arena, with views into the bank.
 * Errors: ERR_VALUE, ERR_NOMEM.
 */
#ifndef RECALL_H
#define RECALL_H

#include "common/io/bank.h"
#include "proto/search_out.h"
#include "worker/evidence.h"

/* At most `most`, nearest first, those in `exclude` (ids as JSON text) left out. */
int recall_search(const struct bank *b, struct view question, uint32_t most,
		  const struct view *exclude, uint32_t nexclude, struct arena *a,
		  struct search_out *ret, struct err *e);

/* The same for several questions at once, with one matrix product: ret[nq]. */
int recall_batch(const struct bank *b, const struct view *question, uint32_t nq,
		 uint32_t most, struct arena *a, struct search_out *ret, struct err *e);

/* Among the bank's own embedder's vectors: `vector` has nq * dim floats. */
int recall_near(const struct bank *b, const float *vector, uint32_t dim, uint32_t nq,
		uint32_t most, const struct view *exclude, uint32_t nexclude,
		struct arena *a, struct search_out *ret, struct err *e);

/* Is it of the built-in embedder? */
int recall_is_own(const struct bank *b);

/* What mp_cmp wants: the NEIGHBOURS nearest and the bank's means. */
int recall_neighbours(const struct bank *b, struct view question,
		      struct neighbours *ret, struct err *e);

/* A memory as a prompt shows it; p NULL: no such id. */
struct view recall_text(const struct bank *b, struct view id);

/* The name that banks of the built-in embedder carry. */
const char *recall_embedder(void);

#endif
