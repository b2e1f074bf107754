/* bank.h - a memory bank: solved questions, what they teach, and where they lie
 *
 * One SQLite file, written once and never changed; the BLAKE2b-256 of its bytes is its
 * name. It holds texts, memories, provenance and float32 vectors of unit length.
 * Counts of use, help and harm are the journal's.
 *
 * Invariants: (1) the same items in the same order give the same bytes: no time, path
 *             or machine is in it; (2) an item with a flag has its reason and is in no
 *             search; (3) `vectors` has a row of zeros for a flagged item.
 * Shapes:     vectors are items * dim, row by row, rows 64-byte aligned if dim is a
 *             multiple of 16.
 * Memory:     views live until bank_free().
 * Errors:     ERR_INPUT: no bank, or damaged, or of a newer version; ERR_STORE: the
 *             disk; ERR_NOMEM; ERR_VALUE: an item that cannot be (dim, empty id).
 * Threads:    read-only once opened: any.
 */
#ifndef BANK_H
#define BANK_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/hash.h"

#include <stdint.h>

enum {
	BANK_VERSION = 1,
	BANK_APPLICATION = 0x4d66426b /* "MfBk" */,
	BANK_DIM_MAX = 8192
};

struct bank_item {
	struct view id; /* as JSON text: 12, or "x" with its quotes */
	struct view db_id, question, evidence, sql;
	struct view memory; /* compact JSON, the nine keys; n 0: none */
	struct view text;   /* the memory as a prompt shows it */
	struct view flag;   /* n 0: good; else why it is left out */
	unsigned compares;  /* bits of sql_analysis.compares */
};

struct bank_about {           /* provenance */
	struct view embedder; /* name and version: "ngram-1", or a model's */
	uint32_t dim;
	uint32_t own_dim; /* of vectors of the built-in embedder besides, which need no
			     endpoint; 0: there are none, `embedder` is that one */
	struct view source; /* "derived", or the model that wrote the memories */
	struct hash train;  /* of the training file's bytes */
};

struct bank;

/* Writing: to a temporary file beside `path`, which bank_finish() puts in place. */
struct bank_writer;
int bank_begin(const char *path, const struct bank_about *about,
	       struct bank_writer **ret, struct err *e);
/* `vector` has dim floats; NULL for a flagged item. */
int bank_add(struct bank_writer *w, const struct bank_item *item, const float *vector,
	     struct err *e);
/* The same with own_dim floats besides. */
int bank_add_both(struct bank_writer *w, const struct bank_item *item,
		  const float *vector, const float *own, struct err *e);
int bank_finish(struct bank_writer **w, struct hash *ret_name, struct err *e);
void bank_abandon(struct bank_writer **w); /* NULL-safe; nothing is left behind */

/* The same bank without some items: why[i] not empty flags item i with it (flagged ones
 * stay flagged). */
int bank_leave_out(const struct bank *b, const struct view *why, const char *path,
		   struct hash *ret_name, struct err *e);

int bank_open(const char *path, struct bank **ret, struct err *e);
void bank_free(struct bank **b);

const struct bank_about *bank_about(const struct bank *b);
uint32_t bank_items(const struct bank *b);
uint32_t bank_good(const struct bank *b); /* those without a flag */
const struct bank_item *bank_item(const struct bank *b, uint32_t i);
int64_t bank_find(const struct bank *b, struct view id); /* place, or -1 */
const float *bank_vectors(const struct bank *b);
const float *bank_own_vectors(const struct bank *b);    /* NULL: about.own_dim is 0 */
uint32_t bank_tokens(const struct bank *b, uint32_t i); /* bytes of text / 4, up */

/* Share of the good items whose SQL makes comparison `bit`. */
double bank_share(const struct bank *b, unsigned bit);

#endif
