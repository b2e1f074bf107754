/* ask_spec.h - the spec of a task that shows candidates to a model, and its prompt
 *
 * Kinds of one layout (proto/task.h): who is asked, with what template, about what.
 *
 * Memory: the attempt's arena.
 * Errors: ERR_PROTO: a blob of the spec is malformed; those of prompt.h.
 */
#ifndef ASK_SPEC_H
#define ASK_SPEC_H

#include "worker/attempt.h"
#include "worker/prompt.h"

struct ask_spec {
	struct hash llm, template, schema, question, bank;
	int has_bank;
	struct view *memory;
	size_t nmemory;
	struct hash *cand;
	size_t ncand;
	uint64_t preview_rows, attempt, repeat;
	uint64_t want; /* of pick; else 0 */
};

int ask_spec_read(struct attempt *a, struct ask_spec *ret); /* 0: malformed */
int ask_spec_needs(struct attempt *a, attempt_need_fn *need);
int ask_spec_render(struct attempt *a, const struct ask_spec *f, struct prompt *ret,
		    struct err *e);

#endif
