/* msg_decode.c - what is decoded encodes to a message that decodes to the same */
#include "tests/fuzz/fuzz.h"

#include "common/base/mem.h"
#include "proto/msg.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *exact = mem_dup(data, n); /* so that a sanitizer sees a read past it */
	struct buf again = { 0 }, third = { 0 }, text = { 0 };
	struct msg m, k;
	struct err e;

	if (msg_decode((struct view){ exact, n }, &m, &e) == 0) {
		msg_print(&m, &text);
		if (msg_encode(&m, &again, NULL) ||
		    msg_decode(buf_view(&again), &k, NULL) || k.tag != m.tag ||
		    msg_encode(&k, &third, NULL) ||
		    !view_eq(buf_view(&again), buf_view(&third)))
			abort();
	} else if (!e.text[0]) {
		abort(); /* a refusal says why */
	}
	buf_free(&again);
	buf_free(&third);
	buf_free(&text);
	mem_free(exact);
	return 0;
}
