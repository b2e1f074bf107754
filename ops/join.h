/* join.h - several files about the same questions become one list
 *
 * Questions, pools and predictions meet by id, or by place where a file has no ids or
 * both have the same ids in the same order. Nothing is dropped in silence: what has no
 * partner is an error that names the first of them.
 *
 * Memory:  the arena's.
 * Errors:  ERR_INPUT.
 */
#ifndef JOIN_H
#define JOIN_H

#include "ops/items.h"

/* NAME=FILE, or FILE, whose name is the file's without folder, ending and "pred_",
 * "predict_", "prediction_". */
struct source {
	const char *name, *path;
	const char *file; /* without folders */
	uint8_t named;    /* by the user */
};
int source_parse(struct arena *a, const char *spec, struct source *ret, struct err *e);

/* Adds the candidates (and the texts that `base` lacks) of `more` to `base`. */
int join_candidates(struct arena *a, struct items *base, const struct items *more,
		    const struct read_how *how, struct err *e);

/* --questions (NULL: none) and the files of a pool. Every file's candidates, in the
 * order of the files. `as_predictions`: a file holds one answer a question. */
int join_files(struct arena *a, const char *questions, const struct source *src,
	       size_t n, int as_predictions, const struct read_how *how,
	       struct items *ret, struct err *e);

/* Ids that stand in the list more than once: a warning that names them, and the gaps
 * between whole numbers beside. Returns how many. */
uint32_t join_duplicates(const struct items *l);

/* The text of an id as people type it: 717 for 717 and "717". */
struct view id_typed(struct view id);

/* Where the items of `more` belong in `base`: to[i]. Base may be any list with ids. */
struct id_index;
int id_index_new(const struct items *base, struct id_index **ret);
int64_t id_index_find(const struct id_index *x,
		      struct view id); /* -1: absent, -2: twice */
void id_index_free(struct id_index **x);

#endif
