/* items.h - what files of questions, candidates and gold hold, before it is joined
 *
 * One item a question: a line of a pool, an element of dev.json, a prediction. Gold
 * never stands in an item: readers of questions drop it, and what --gold names is read
 * into struct answer by answers_read() only.
 *
 * Memory:  everything is in the arena that the reader was given.
 * Errors:  ERR_INPUT with file, line or key, and the remedy.
 */
#ifndef ITEMS_H
#define ITEMS_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/hash.h"
#include "proto/sweep.h"

struct item {
	struct view id; /* as JSON text; n 0: the file has none */
	struct view db_id, text, evidence;
	struct view level; /* difficulty, hardness: no gold, but only reports read it */
	struct candidate *cand; /* sql, source, logprob, tokens, greedy */
	uint32_t n, cap;
	uint32_t line; /* in its file, from 1; 0: unknown */
};

struct items {
	const char *path, *name; /* name: of the source, for predictions */
	const char *benchmark;   /* what the file's form says, or NULL */
	struct item *v;
	uint32_t n, cap;
	uint32_t blank, bad; /* lines skipped */
	uint8_t has_ids, has_sql;
	struct hash hash; /* of the file */
};

/* One right answer, as it stands in the file. Goes to results/ and nowhere else. */
struct answer {
	struct view id, db_id, sql;
	struct view level; /* difficulty or hardness, may be n 0 */
	int answerable;    /* -1: not said */
	uint32_t line;
};

struct answers {
	const char *path, *benchmark;
	struct answer *v;
	uint32_t n, cap;
	uint32_t blank, bad;
	uint8_t has_ids;
	struct hash hash;
};

struct read_how {
	int skip_bad;          /* go on without malformed lines */
	int lenient;           /* take predictions as the official scripts would */
	const char *benchmark; /* as said by the user, or NULL */
};

struct item *items_add(struct items *l, struct arena *a);    /* NULL: no memory */
struct candidate *item_add(struct item *i, struct arena *a); /* NULL: no memory */

/* Pool or questions, whatever the file is: JSONL, or the benchmark's own JSON. */
int items_read(struct arena *a, const char *path, const struct read_how *how,
	       struct items *ret, struct err *e);

/* One system's predictions, or several samples a question. A benchmark's own file has
 * no ids or texts: items_read() of --questions gives them. */
int predictions_read(struct arena *a, const char *path, const char *name,
		     const struct read_how *how, struct items *ret, struct err *e);

int answers_read(struct arena *a, const char *path, const struct read_how *how,
		 struct answers *ret, struct err *e);
struct answer *answers_add(struct answers *l, struct arena *a); /* NULL: no memory */

/* What a JSON file is, by its first byte that is no space. */
enum file_shape { SHAPE_EMPTY, SHAPE_JSONL, SHAPE_ARRAY, SHAPE_OBJECT, SHAPE_TEXT };
struct textfile;
enum file_shape file_shape(const struct textfile *f);

#endif
