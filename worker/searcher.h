/* searcher.h - a thread for retrieval
 *
 * A search is a matrix product: it would hold up the loop, and several at once cost
 * little more than one. So a thread takes all that wait and answers those over the same
 * bank with one sgemm.
 *
 * Memory:  question and exclusions are copied; the bank must stay until the callback.
 *
 * Threads: the loop's for all functions and for callbacks.
 */
#ifndef SEARCHER_H
#define SEARCHER_H

#include "common/base/err.h"
#include "common/io/bank.h"

#include <uv.h>

struct searcher;
struct search;

/* Code 0: `output` is an encoded proto/search_out.h, lent for the call. */
typedef void searcher_fn(void *arg, int code, struct view output, const char *text);

int searcher_new(uv_loop_t *loop, struct searcher **ret); /* ERR_NOMEM */

/* At most `most` memories, ids of `exclude` left out. `vector` (dim floats) is the
 * question's by the bank's embedder; NULL: the built-in one embeds the question. */
int searcher_ask(struct searcher *s, const struct bank *bank, struct view question,
		 const float *vector, uint32_t dim, uint32_t most,
		 const struct view *exclude, uint32_t nexclude, searcher_fn *call,
		 void *arg, struct search **ret);
void searcher_forget(struct search *k); /* its callback will not come */

void searcher_close(struct searcher *s, void (*on_closed)(void *arg), void *arg);

#endif
