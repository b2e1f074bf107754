/* asked_blob.h - the blobs of what a model is shown
 *
 * Memory: the plan's arena.
 */
#ifndef ASKED_BLOB_H
#define ASKED_BLOB_H

#include "broker/aggregate.h"

struct blob asked_question_blob(const struct plan *p);
struct blob asked_candidate_blob(const struct plan *p, const struct aggregate *g,
				 uint32_t cand);

#endif
