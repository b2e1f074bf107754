/* outputs.c - an output of a child is read without harm, or is none
 *
 * What is read as one is written back to the same bytes as far as it goes. */
#include "tests/fuzz/fuzz.h"

#include "proto/alike_out.h"
#include "proto/equal_out.h"
#include "proto/exec_out.h"
#include "proto/rankings.h"
#include "proto/softf1_out.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct view bytes = { (const char *)data, n };
	struct exec_out o, again;
	struct equal_out q;
	struct alike_out k;
	struct softf1_out soft;
	struct rankings r;
	uint32_t *order;
	struct arena a = { 0 };
	struct buf b = { 0 };

	if (!exec_out_decode(bytes, &o, &a)) {
		exec_out_encode(&o, &b);
		if (b.bad || exec_out_decode(buf_view(&b), &again, &a))
			abort();
		if (again.rows != o.rows || again.preview_rows != o.preview_rows)
			abort();
	}
	buf_clear(&b);
	if (!equal_out_decode(bytes, &q))
		equal_out_encode(&q, &b);
	buf_clear(&b);
	if (!alike_out_decode(bytes, &k))
		alike_out_encode(&k, &b);
	buf_clear(&b);
	if (!softf1_out_decode(bytes, &soft))
		softf1_out_encode(&soft, &b);
	buf_clear(&b);
	if (!rankings_decode(bytes, &a, &r, NULL)) {
		rankings_encode(&r, &b);
		if (b.bad || rankings_decode(buf_view(&b), &a, &r, NULL))
			abort();
	}
	order_out_decode(bytes, &a, 3, &order);
	buf_free(&b);
	arena_free(&a);
	return 0;
}
