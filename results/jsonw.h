/* jsonw.h - writing JSON whose bytes are always the same
 *
 * Keys stand in the order of the calls, numbers are as short as they can be and still
 * read back as the same double (jansson writes 0.79100000000000004), text that is not
 * UTF-8 gets U+FFFD where it breaks, and nothing depends on the locale.
 *
 * Errors: the buffer's, sticky. Opening and closing in the wrong order is a mistake of
 *         the program (assert).
 */
#ifndef JSONW_H
#define JSONW_H

#include "common/base/buf.h"

#include <stdint.h>

enum { JSONW_DEPTH = 32 };

struct jsonw {
	struct buf *b;
	int pretty;    /* 1: a line for each member; 0: all in one line */
	unsigned flat; /* depth from which on it is one line all the same; 0: none */
	unsigned depth;
	char close[JSONW_DEPTH];
	uint8_t some[JSONW_DEPTH]; /* a member stands there already */
	uint8_t keyed;
};

struct jsonw jsonw_of(struct buf *b, int pretty);

void jw_object(struct jsonw *w);
void jw_array(struct jsonw *w);
void jw_flat(struct jsonw *w); /* the next object or array goes on one line */
void jw_end(struct jsonw *w);
void jw_key(struct jsonw *w, const char *key);
void jw_key_view(struct jsonw *w, struct view key);

void jw_str(struct jsonw *w, struct view v);
void jw_u64(struct jsonw *w, uint64_t v);
void jw_i64(struct jsonw *w, int64_t v);
void jw_num(struct jsonw *w, double v);  /* NaN and infinities are null */
void jw_num9(struct jsonw *w, double v); /* 9 significant digits: passed libm */
void jw_bool(struct jsonw *w, int v);
void jw_null(struct jsonw *w);
void jw_raw(struct jsonw *w, struct view json); /* a whole value, as it is */

/* key and value in one. */
void jw_kstr(struct jsonw *w, const char *key, const char *v); /* NULL: null */
void jw_kview(struct jsonw *w, const char *key, struct view v);
void jw_ku64(struct jsonw *w, const char *key, uint64_t v);
void jw_knum(struct jsonw *w, const char *key, double v);
void jw_knum9(struct jsonw *w, const char *key, double v);
void jw_kbool(struct jsonw *w, const char *key, int v);
void jw_knull(struct jsonw *w, const char *key);
void jw_kobject(struct jsonw *w, const char *key);
void jw_karray(struct jsonw *w, const char *key);

/* What went into `b` through another buffer that failed is not whole. */
static inline void buf_fail(struct buf *b, int bad)
{
	if (!b->bad)
		b->bad = bad;
}

enum { NUM_TEXT = 32 };
void num_text(double v, char ret[NUM_TEXT]); /* shortest that reads back: "0.791" */

#endif
