/* loose_json.c - any bytes as a model's answer: read to an end, and held against SQL */
#include "tests/fuzz/fuzz.h"

#include "common/sql/memory_check.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view answer = { (const char *)data, size };
	struct view sql = view_of("SELECT t.a, ROUND(COUNT(*)) FROM t JOIN u AS x ON "
				  "t.a = x.b WHERE x.b > 3 GROUP BY t.a ORDER BY 1 "
				  "LIMIT 5");
	struct schema s = { 0 };
	struct arena a = { 0 };
	struct buf b = { 0 };
	struct memory_counts n;
	struct loose v;
	unsigned repairs;
	int t, u;

	if (schema_add_table(&s, view_of("t"), &t, NULL) ||
	    schema_add_table(&s, view_of("u"), &u, NULL) ||
	    schema_add_column(&s, t, view_of("a"), view_of("INT"), 1, 0, NULL) ||
	    schema_add_column(&s, u, view_of("b"), view_of("INT"), 0, 0, NULL))
		abort();
	if (!loose_json_read(&a, answer, &v, &repairs) &&
	    !memory_check(&s, sql, &v, &b, &n, NULL) && b.p[b.n - 1] != '}')
		abort();
	buf_free(&b);
	arena_free(&a);
	schema_free(&s);
	return 0;
}
