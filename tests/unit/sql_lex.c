/* sql_lex.c - tokens are SQLite's, and every byte belongs to one */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/sql/lex.h"

#include <stdio.h>

/* The kinds of the solid tokens, one letter each. */
static void expect(const char *sql, size_t n, const char *kinds)
{
	static const char letters[] = "?  wqsbnvo!";
	struct lexer l = lex_of((struct view){ sql, n });
	struct token t;
	char got[64];
	size_t i = 0;

	while (lex_solid(&l, &t) && i < sizeof got - 1)
		got[i++] = letters[t.kind];
	got[i] = '\0';
	if (strcmp(got, kinds) != 0)
		fail_msg("%s: got %s, want %s", sql, got, kinds);
}

static void tokens_are_those_of_sqlite(void **unused)
{
	static const struct {
		const char *sql, *kinds;
	} cases[] = {
		{ "SELECT a.b,\"c d\" FROM [t x] -- end", "wwowoqwq" },
		{ "'it''s' \"a\"\"b\" `a``b` [a]]", "sqqq!" },
		{ "x'0aF3' X'' x'0' x'zz' xx'00'", "bb!!ws" },
		{ "1 1.5 .5 1. 1e5 1E-5 0x1F 1e 12ab 1e+", "nnnnnnn!!!o" },
		{ "? ?12 :a @b $c #d ?x : @", "vvvvvvvw!!" },
		{ "a||b->c->>d==e<=f<>g<<h>=i>>j!=k", "wowowowowowowowowowow" },
		{ "! ^ \\ {", "!!!!" },
		{ "'open", "!" },
		{ "[open", "!" },
		{ "/* open", "" },
		{ "a/**/b/*/c*/d--", "www" },
		{ "\xc3\xa9t\xc3\xa9 a$b _c", "www" },
		{ "\xef\xbb\xbfSELECT", "w" },
		{ "/*", "oo" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(cases[i].sql, strlen(cases[i].sql), cases[i].kinds);
	expect("a\0b", 3, "w!w");
}

static void every_byte_belongs_to_one_token(void **unused)
{
	static const char bytes[] = "a1'\"`[]-/*\n x.(e+0\xc3?:;\0=<>!|";
	struct rng r;

	(void)unused;
	rng_init(&r, "test", 7, view_of("lex"), 0);
	for (int i = 0; i < 20000; i++) {
		size_t n = rng_below(&r, 24), total = 0;
		char *exact = mem_alloc(n ? n : 1, 1);
		struct lexer l;
		struct token t;

		for (size_t k = 0; k < n; k++)
			exact[k] = bytes[rng_below(&r, sizeof bytes - 1)];
		l = lex_of((struct view){ exact, n });
		while (lex_next(&l, &t)) {
			assert_ptr_equal(t.text.p, exact + total);
			assert_true(t.text.n > 0);
			total += t.text.n;
		}
		assert_int_equal(total, n);
		mem_free(exact);
	}
}

static void values_come_without_their_quotes(void **unused)
{
	static const char *const cases[][2] = {
		{ "'it''s'", "it's" }, { "\"a\"\"b\"", "a\"b" },
		{ "`x y`", "x y" },    { "[a\"b]", "a\"b" },
		{ "''", "" },          { "''''", "'" },
		{ "word", "word" },
	};
	struct arena a = { 0 };

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lexer l = lex_of(view_of(cases[i][0]));
		struct token t;

		assert_true(lex_next(&l, &t));
		assert_true(view_eq(token_value(&a, &t), view_of(cases[i][1])));
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_those_of_sqlite),
		cmocka_unit_test(every_byte_belongs_to_one_token),
		cmocka_unit_test(values_come_without_their_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
