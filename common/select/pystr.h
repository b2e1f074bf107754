/* pystr.h - values as Python's str() writes them, and rows sorted by that
 *
 * Shapes:  text must be valid UTF-8; str of text is the text.
 * Memory:  a pyorder keeps its memory between rows; zeroed before the first.
 * Errors:  ERR_NOMEM.
 * Source:  CPython 3.11: int, float, bytes and None; the hasty test (quick_rej) of
 *          taoyds/test-suite-sql-eval sorts by str(x) + str(type(x)).
 */
#ifndef PYSTR_H
#define PYSTR_H

#include "common/base/buf.h"
#include "common/base/cell.h"

/* b'...': at most 4 * v.n + 3 bytes; gives how many. */
size_t py_str_bytes(struct view v, char *ret);

struct pyorder {
	struct buf text;
	struct pykey {
		size_t at, n;
		uint32_t i;
	} * key;
	uint32_t cap;
};

/* ret[k]: which of the n cells comes k-th by str(x) + str(type(x)). */
int py_order(struct pyorder *p, const struct cell *cells, uint32_t n, uint32_t *ret);
void py_order_free(struct pyorder *p);

#endif
