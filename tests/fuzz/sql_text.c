/* sql_text.c - analysis, memories, rewrites and extraction take any bytes */
#include "tests/fuzz/fuzz.h"

#include "common/base/mem.h"
#include "common/sql/analysis.h"
#include "common/sql/extract.h"
#include "common/sql/memory.h"
#include "common/sql/rewrite.h"
#include "common/sql/words.h"

#include <jansson.h>
#include <stdlib.h>

static void make_schema(struct schema *s)
{
	static const char *const names[] = { "tree", "pick", "a", "b" };

	for (int t = 0; t < 4; t++) {
		schema_add_table(s, view_of(names[t]), NULL, NULL);
		for (int c = 0; c < 4; c++)
			schema_add_column(s, t, view_of(names[(t + c) % 4]),
					  view_of("INT"), c == 0, 0, NULL);
	}
}

static void check_analysis(const struct schema *s, struct view sql)
{
	struct arena a = { 0 };
	struct sql_analysis r;

	if (sql_analyse(&a, s, sql, &r))
		abort();
	for (size_t i = 0; i < r.n_columns; i++)
		if (r.columns[i].table < 0 || r.columns[i].table >= (int)s->n_tables ||
		    r.columns[i].column >= (int)s->tables[r.columns[i].table].n)
			abort();
	arena_free(&a);
}

static void check_memory(const struct schema *s, struct view sql)
{
	struct buf b = { 0 };
	json_t *o;

	if (memory_derive(s, sql, sql, sql, &b, NULL) == 0) {
		o = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
		if (!o)
			abort();
		json_decref(o);
	}
	buf_free(&b);
}

static void check_rewrites(struct view sql)
{
	struct buf b = { 0 };

	rewrite_spider_prediction(&b, sql, 0);
	rewrite_spider_gold(&b, sql, 1);
	rewrite_ehrsql(&b, sql);
	rewrite_ehrsql_v1(&b, sql, view_of(""));
	buf_clear(&b);
	if (one_line(&b, sql, NULL) == 0)
		for (size_t i = 0; i < b.n; i++)
			if (b.p[i] == '\n' || b.p[i] == '\t' || b.p[i] == '\r')
				abort();
	buf_free(&b);
	python_execute_shape(sql);
	statement_of(sql);
}

static void check_extract(struct view text)
{
	struct extract x = extract_sql(text);

	if (x.sql.n && (x.sql.p < text.p || x.sql.p + x.sql.n > text.p + text.n))
		abort();
	if (x.reason == EXTRACT_OK && x.sql.n == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *exact = mem_alloc(n ? n : 1, 1);
	struct view text = { exact, n };
	struct schema s = { 0 };

	if (n)
		memcpy(exact, data, n);
	make_schema(&s);
	check_analysis(&s, text);
	check_memory(&s, text);
	check_rewrites(text);
	check_extract(text);
	schema_free(&s);
	mem_free(exact);
	return 0;
}
