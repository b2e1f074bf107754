/* weights.h - how much each feature counts, and how sure a choice is: learnt numbers
 *
 * A file of weights is text for people and for diff. Its first line is
 * "mapfleet-weights 1"; then a row a number: a name, its value where there is a memory
 * bank, its value where there is none (one value stands for both). What follows # is
 * for people: the command that made the file, the inputs' hashes. Rows are, in any
 * order and each once:
 *
 *   a feature's name (features.def)   all of them, or the file is refused
 *   bonus                             added to the score of the largest group
 *   chance.NAME (chances.def)         all or none: without them no P(right) is told
 *   lean.NAME                         coefficients of method lean, as it names them
 *
 * What scores depend on travels to the workers as a blob, whose hash stands in the spec
 * of `score`: features and bonus, and neither comments nor the other rows.
 *
 * Memory: weights_read() keeps the names of lean.NAME in the arena.
 * Errors: ERR_INPUT with the line's number and how to mend it; ERR_NOMEM.
 */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/hash.h"
#include "proto/feature.h"

#include <stdint.h>

enum chance_input {
#define CHANCE(name, meaning) CHANCE_##name,
#include "proto/chances.def"
#undef CHANCE
	CHANCES
};

enum { WEIGHTS_NAMED = 64 };

#define WEIGHT_MOST 1e6 /* no value is beyond */

struct weights_row {
	struct view name; /* with its "lean." */
	double value[2];
};

struct weights { /* [1] where there is a bank, [0] where there is none */
	double feature[2][FEATURES];
	double bonus[2];
	double chance[2][CHANCES];
	int has_chance;
	struct weights_row *named;
	uint32_t nnamed;
};

int weights_read(struct view text, struct arena *a, struct weights *ret, struct err *e);

/* Those that come with the program. */
struct view weights_builtin_text(void);
int weights_builtin(struct arena *a, struct weights *ret, struct err *e);

/* Rows as weights_read() takes them, behind the first line and `head`, lines that it
 * makes comments of. */
void weights_write(const struct weights *w, struct view head, struct buf *ret);

/* The value of row `name`, "lean.NAME", or `otherwise`. */
double weights_named(const struct weights *w, const char *name, int with_bank,
		     double otherwise);

/* Of every number, the order of lean.NAME included. */
struct hash weights_identity(const struct weights *w);

/* The blob: what scores depend on. */
void weights_encode(const struct weights *w, struct buf *ret);
int weights_decode(struct view bytes, struct weights *ret,
		   struct err *e); /* ERR_PROTO */

#endif
