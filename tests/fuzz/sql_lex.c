/* sql_lex.c - whatever the bytes, tokens cover them in order and none is empty */
#include "tests/fuzz/fuzz.h"

#include "common/base/mem.h"
#include "common/sql/lex.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *exact =
		mem_alloc(n ? n : 1, 1); /* so that a sanitizer sees a read past it */
	struct arena a = { 0 };
	struct lexer l;
	struct token t;
	size_t at = 0;

	if (n)
		memcpy(exact, data, n);
	l = lex_of((struct view){ exact, n });
	while (lex_next(&l, &t)) {
		if (t.text.p != exact + at || t.text.n == 0 || t.kind == TOKEN_END)
			abort();
		at += t.text.n;
		token_value(&a, &t);
	}
	if (at != n)
		abort();
	arena_free(&a);
	mem_free(exact);
	return 0;
}
