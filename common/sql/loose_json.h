/* loose_json.h - the JSON object in what a model answered, mended where it must be
 *
 * Models write almost-JSON: inside prose or a fence, behind a think tag, with a comma
 * too many, a bracket too few or of the wrong kind, a member's name lost, quotes that
 * are single or never close. What can be understood is; how it was mended is told.
 *
 * After the last closing think tag the first `{` begins the object (without one, the
 * first `"name":`). In an array, `"name":` and `}` end the array; in an object, `]`
 * ends it where an array is around it, and a value without a name is a member without
 * one. Members that follow the object's end belong to it. Comments are skipped.
 *
 * Invariants: any bytes are read to an end; at most LOOSE_DEPTH levels, LOOSE_VALUES
 *             values.
 * Memory:     all in the arena.
 * Errors:     ERR_VALUE: no object in it; ERR_LIMIT: too deep or too many; ERR_NOMEM.
 */
#ifndef LOOSE_JSON_H
#define LOOSE_JSON_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/view.h"

enum { LOOSE_DEPTH = 32, LOOSE_VALUES = 20000 };

#define LOOSE_REPAIR_LIST(X) \
	X(fence, "text around the object") \
	X(comma, "a comma too many or a comment") \
	X(bracket, "a bracket that is missing, wrong or too many") \
	X(header, "a value without its name") \
	X(quote, "a quote that is missing or single")

enum loose_repair {
#define X(name, text) LOOSE_##name,
	LOOSE_REPAIR_LIST(X)
#undef X
		LOOSE_REPAIRS
};

enum loose_kind { LOOSE_NULL, LOOSE_TEXT, LOOSE_OBJECT, LOOSE_ARRAY };

struct loose {
	enum loose_kind kind;
	struct view key;  /* of a member; n 0: it has none */
	struct view text; /* strings decoded; numbers, true and false as written */
	struct loose *first, *next;
};

/* *ret_repairs: bits 1 << enum loose_repair. */
int loose_json_read(struct arena *a, struct view answer, struct loose *ret,
		    unsigned *ret_repairs);

const char *loose_repair_name(enum loose_repair r);

/* The member of that name, any ASCII case; NULL: none. */
const struct loose *loose_member(const struct loose *object, const char *name);

#endif
