/* shipped.c - the benchmark that ships is small, honest and hard, as its README says
 *
 * It has its own executor, equality and mask of SQL, so that it says the same whatever
 * becomes of the fleet's.
 */
#include "tests/support/cm.h"

#include "common/base/buf.h"
#include "common/base/hash.h"
#include "common/base/mem.h"
#include "tests/support/skip.h"

#include <ctype.h>
#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HOME "tests/data/smalltown"

enum { CANDIDATES = 8, MAX_QUESTIONS = 200, MAX_DATABASES = 16, OPS = 20000000 };

struct outcome {
	int ok; /* ran to its end, wrote nothing, was one statement */
	struct hash set;
};

struct verdicts {
	struct outcome gold, of[CANDIDATES];
};

static json_t *questions, *gold, *pool, *train;
static struct verdicts verdicts[MAX_QUESTIONS];
static struct {
	char name[64];
	sqlite3 *db;
} open_dbs[MAX_DATABASES];

/* -- running SQL -- */

static sqlite3 *database(const char *name)
{
	char uri[4200], relative[256];
	int i;

	for (i = 0; i < MAX_DATABASES && open_dbs[i].db; i++)
		if (!strcmp(open_dbs[i].name, name))
			return open_dbs[i].db;
	assert_true(i < MAX_DATABASES);
	snprintf(relative, sizeof relative, HOME "/databases/%s/%s.sqlite", name, name);
	snprintf(uri, sizeof uri, "file:%s?mode=ro&immutable=1", source_path(relative));
	assert_int_equal(sqlite3_open_v2(uri, &open_dbs[i].db,
					 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
			 SQLITE_OK);
	snprintf(open_dbs[i].name, sizeof open_dbs[i].name, "%s", name);
	return open_dbs[i].db;
}

static int spend(void *left)
{
	return --*(int *)left < 0;
}

/* 44 and 44.0 are one value, as they are to BIRD's script. */
static void add_number(struct buf *b, double v)
{
	if (floor(v) == v && fabs(v) < 9e15)
		buf_addf(b, "i%lld;", (long long)v);
	else
		buf_addf(b, "f%.17g;", v);
}

static void add_cell(struct buf *b, sqlite3_stmt *s, int i)
{
	switch (sqlite3_column_type(s, i)) {
	case SQLITE_NULL: buf_add_char(b, 'n'); break;
	case SQLITE_INTEGER:
		buf_addf(b, "i%lld;", (long long)sqlite3_column_int64(s, i));
		break;
	case SQLITE_FLOAT: add_number(b, sqlite3_column_double(s, i)); break;
	default:
		buf_addf(b, "t%d:", sqlite3_column_bytes(s, i));
		buf_add(b, sqlite3_column_blob(s, i),
			(size_t)sqlite3_column_bytes(s, i));
	}
}

static int hash_order(const void *a, const void *b)
{
	return hash_cmp(a, b);
}

static struct hash set_of(struct hash *rows, size_t n)
{
	struct hasher h;

	if (n > 0) /* qsort takes no NULL */
		qsort(rows, n, sizeof *rows, hash_order);
	hash_begin(&h);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || hash_cmp(&rows[i - 1], &rows[i]))
			hash_raw(&h, rows[i].b, HASH_BYTES);
	return hash_end(&h);
}

static struct outcome drain(sqlite3_stmt *s)
{
	struct outcome o = { 0 };
	struct buf rows = { 0 }, row = { 0 };
	struct hash h;
	int rc;

	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		buf_clear(&row);
		for (int i = 0; i < sqlite3_column_count(s); i++)
			add_cell(&row, s, i);
		h = hash_of(row.p, row.n);
		buf_add(&rows, &h, sizeof h);
	}
	o.ok = rc == SQLITE_DONE && !rows.bad;
	if (o.ok)
		o.set = set_of((struct hash *)rows.p, rows.n / sizeof h);
	buf_free(&rows);
	buf_free(&row);
	return o;
}

static struct outcome run(const char *db_id, const char *sql)
{
	sqlite3 *db = database(db_id);
	struct outcome o = { 0 };
	sqlite3_stmt *s = NULL;
	const char *tail = "";
	int left = OPS / 1000;

	sqlite3_progress_handler(db, 1000, spend, &left);
	if (sqlite3_prepare_v2(db, sql, -1, &s, &tail) == SQLITE_OK && s &&
	    tail[strspn(tail, " \n;")] == '\0' && sqlite3_stmt_readonly(s) &&
	    sqlite3_column_count(s) > 0)
		o = drain(s);
	sqlite3_finalize(s);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	return o;
}

static int same(const struct outcome *a, const struct outcome *b)
{
	return a->ok && b->ok && hash_eq(&a->set, &b->set);
}

/* -- reading the files -- */

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s)
		fail_msg("a line lacks the text %s", key);
	return s;
}

static FILE *open_file(const char *name)
{
	char relative[256];
	FILE *f;

	snprintf(relative, sizeof relative, HOME "/%s", name);
	f = fopen(source_path(relative), "r");
	if (!f)
		fail_msg("%s cannot be read", relative);
	return f;
}

static json_t *load_lines(const char *name)
{
	json_t *all = json_array();
	FILE *f = open_file(name);
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, f) > 0) {
		json_t *one = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		if (!one)
			fail_msg("%s: line %zu is not JSON", name,
				 json_array_size(all) + 1);
		json_array_append_new(all, one);
	}
	free(line);
	fclose(f);
	return all;
}

static const json_t *candidate(size_t question, size_t place)
{
	return json_array_get(
		json_object_get(json_array_get(pool, question), "candidates"), place);
}

static void judge(size_t i)
{
	const char *db = text(json_array_get(pool, i), "db_id");

	verdicts[i].gold = run(db, text(json_array_get(gold, i), "sql"));
	for (size_t c = 0; c < CANDIDATES; c++)
		verdicts[i].of[c] = run(db, text(candidate(i, c), "sql"));
}

static int load(void **unused)
{
	FILE *f = open_file("questions.json");

	(void)unused;
	questions = json_loadf(f, 0, NULL);
	fclose(f);
	gold = load_lines("gold.jsonl");
	pool = load_lines("pool.jsonl");
	train = load_lines("train.jsonl");
	assert_true(json_array_size(pool) <= MAX_QUESTIONS);
	for (size_t i = 0; i < json_array_size(pool); i++) {
		assert_int_equal(json_array_size(json_object_get(
					 json_array_get(pool, i), "candidates")),
				 CANDIDATES);
		judge(i);
	}
	return 0;
}

static int unload(void **unused)
{
	(void)unused;
	for (int i = 0; i < MAX_DATABASES; i++)
		sqlite3_close(open_dbs[i].db);
	json_decref(questions);
	json_decref(gold);
	json_decref(pool);
	json_decref(train);
	return 0;
}

/* -- masks: what is left when the particulars are taken away -- */

/* clang-format off */
static const char *const sql_words[] = {
	"all", "and", "as", "asc", "between", "by", "case", "cast", "collate", "cross",
	"delete", "desc", "distinct", "else", "end", "except", "exists", "filter", "from",
	"glob", "group", "having", "in", "inner", "insert", "intersect", "into", "is",
	"join", "left", "like", "limit", "natural", "not", "null", "offset", "on", "or",
	"order", "outer", "over", "partition", "recursive", "select", "set", "then",
	"union", "update", "using", "values", "when", "where", "with",
};
/* clang-format on */

static int is_sql_word(const char *w)
{
	for (size_t i = 0; i < sizeof sql_words / sizeof *sql_words; i++)
		if (!strcmp(sql_words[i], w))
			return 1;
	return 0;
}

static size_t word_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_' || (p[n] & 0x80))
		n++;
	return n;
}

static size_t literal_length(const char *p)
{
	size_t n = 1;

	if (*p != '\'')
		return strspn(p, "0123456789.");
	while (p[n] && (p[n] != '\'' || p[n + 1] == '\''))
		n += p[n] == '\'' ? 2 : 1;
	return p[n] ? n + 1 : n;
}

static void lower_word(const char *p, size_t n, char ret[64])
{
	size_t i;

	for (i = 0; i < n && i < 63; i++)
		ret[i] = (char)tolower((unsigned char)p[i]);
	ret[i] = '\0';
}

/* Literals become v and names i; SQL's own words and functions stay. */
static char *skeleton(const char *p)
{
	struct buf b = { 0 };
	char w[64];
	size_t n;

	for (; *p; p += n) {
		n = 1;
		if (*p == '\'' || isdigit((unsigned char)*p)) {
			n = literal_length(p);
			buf_add_str(&b, "v ");
		} else if ((n = word_length(p)) > 0) {
			lower_word(p, n, w);
			buf_addf(&b, "%s ", is_sql_word(w) || p[n] == '(' ? w : "i");
		} else if ((n = 1) && !isspace((unsigned char)*p) && *p != ';') {
			buf_add_char(&b, *p);
		}
	}
	return buf_take(&b, NULL);
}

/* The names of a database's tables and columns, as keys. */
static json_t *names_in(const char *db_id)
{
	static const char sql[] = "SELECT lower(m.name) FROM sqlite_schema m UNION "
				  "SELECT lower(c.name) FROM sqlite_schema m, "
				  "pragma_table_info(m.name) c";
	json_t *names = json_object();
	sqlite3_stmt *s = NULL;

	assert_int_equal(sqlite3_prepare_v2(database(db_id), sql, -1, &s, NULL),
			 SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW)
		json_object_set_new(names, (const char *)sqlite3_column_text(s, 0),
				    json_true());
	sqlite3_finalize(s);
	return names;
}

static int is_particular(const json_t *names, const char *p, size_t n, int first)
{
	char w[64];

	lower_word(p, n, w);
	if ((!first && isupper((unsigned char)*p)) || strpbrk(w, "0123456789"))
		return 1;
	if (json_object_get(names, w))
		return 1;
	if (n > 1 && n < 64 && w[n - 1] == 's')
		w[n - 1] = '\0';
	return json_object_get(names, w) != NULL;
}

/* Names, numbers and the words of the schema become one sign. */
static char *template_of(const json_t *names, const char *p)
{
	struct buf b = { 0 };
	char w[64];
	int first = 1;

	while (*p) {
		size_t n = word_length(p);

		if (n == 0) {
			p++;
			continue;
		}
		lower_word(p, n, w);
		buf_add_str(&b, is_particular(names, p, n, first) ? "_" : w);
		buf_add_char(&b, ' ');
		first = 0;
		p += n;
	}
	return buf_take(&b, NULL);
}

/* -- what it must be -- */

static void it_has_databases_questions_candidates_and_training(void **unused)
{
	size_t n = json_array_size(pool);
	json_t *dbs = json_object();

	(void)unused;
	assert_true(n >= 60);
	assert_int_equal(json_array_size(questions), n);
	assert_int_equal(json_array_size(gold), n);
	assert_int_equal(json_array_size(train), 120);
	for (size_t i = 0; i < n; i++)
		json_object_set_new(dbs, text(json_array_get(pool, i), "db_id"),
				    json_true());
	assert_true(json_object_size(dbs) >= 3);
	json_decref(dbs);
}

static void its_files_say_the_same_of_each_question(void **unused)
{
	FILE *f = open_file("dev_gold.sql");
	char *line = NULL, want[4096];
	size_t cap = 0;

	(void)unused;
	for (size_t i = 0; i < json_array_size(pool); i++) {
		json_t *q = json_array_get(questions, i), *p = json_array_get(pool, i),
		       *g = json_array_get(gold, i);

		assert_true(json_equal(json_object_get(q, "question_id"),
				       json_object_get(p, "question_id")));
		assert_true(json_equal(json_object_get(q, "question_id"),
				       json_object_get(g, "question_id")));
		assert_string_equal(text(q, "db_id"), text(p, "db_id"));
		assert_string_equal(text(q, "question"), text(p, "question"));
		assert_string_equal(text(q, "evidence"), text(p, "evidence"));
		assert_string_equal(text(q, "SQL"), text(g, "sql"));
		assert_string_equal(text(q, "difficulty"), text(g, "difficulty"));
		snprintf(want, sizeof want, "%s\t%s\n", text(g, "sql"),
			 text(g, "db_id"));
		assert_true(getline(&line, &cap, f) > 0);
		assert_string_equal(line, want);
	}
	assert_true(getline(&line, &cap, f) < 0);
	free(line);
	fclose(f);
}

static void every_gold_and_training_query_runs(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < json_array_size(pool); i++)
		if (!verdicts[i].gold.ok)
			fail_msg("the gold of question %zu does not run", i);
	for (size_t i = 0; i < json_array_size(train); i++) {
		const json_t *t = json_array_get(train, i);

		if (!run(text(t, "db_id"), text(t, "sql")).ok)
			fail_msg("training line %zu does not run", i + 1);
	}
}

static size_t group_size(const struct verdicts *v, const struct outcome *like)
{
	size_t n = 0;

	for (size_t c = 0; c < CANDIDATES; c++)
		n += (size_t)same(&v->of[c], like);
	return n;
}

/* The largest group that is not gold's. */
static size_t largest_wrong(const struct verdicts *v)
{
	size_t best = 0, n;

	for (size_t c = 0; c < CANDIDATES; c++) {
		n = same(&v->of[c], &v->gold) ? 0 : group_size(v, &v->of[c]);
		best = n > best ? n : best;
	}
	return best;
}

static void majority_is_beaten_often_and_the_oracle_seldom(void **unused)
{
	size_t n = json_array_size(pool), sure = 0, at_best = 0, oracle = 0;

	(void)unused;
	for (size_t i = 0; i < n; i++) {
		size_t right = group_size(&verdicts[i], &verdicts[i].gold);
		size_t wrong = largest_wrong(&verdicts[i]);

		oracle += right > 0;
		sure += right > wrong;
		at_best += right > 0 && right >= wrong;
	}
	print_message("%zu questions: majority %.3f (ties won %.3f), oracle %.3f\n", n,
		      (double)sure / (double)n, (double)at_best / (double)n,
		      (double)oracle / (double)n);
	assert_true((double)sure >= .60 * (double)n);
	assert_true((double)at_best <= .85 * (double)n);
	assert_true((double)oracle >= .95 * (double)n);
}

static void between(double low, size_t n, double high)
{
	double share = (double)n / (double)json_array_size(pool);

	if (share < low || share > high)
		fail_msg("%.3f is not between %.2f and %.2f", share, low, high);
}

static void place_source_and_greedy_give_nothing_away(void **unused)
{
	size_t place[CANDIDATES] = { 0 }, source[CANDIDATES] = { 0 }, greedy = 0;

	(void)unused;
	for (size_t i = 0; i < json_array_size(pool); i++) {
		unsigned seen = 0, marked = 0;

		for (size_t c = 0; c < CANDIDATES; c++) {
			const json_t *one = candidate(i, c);
			const char *s = text(one, "source");
			int mark = json_is_true(json_object_get(one, "greedy"));
			size_t k = (size_t)(s[4] - 'a');
			int right = same(&verdicts[i].of[c], &verdicts[i].gold);

			assert_true(!strncmp(s, "sys-", 4) && k < CANDIDATES && !s[5]);
			seen |= 1u << k;
			marked += (unsigned)mark;
			place[c] += (size_t)right;
			source[k] += (size_t)right;
			greedy += (size_t)(mark && right);
		}
		assert_int_equal(seen, (1u << CANDIDATES) - 1);
		assert_int_equal(marked, 1);
	}
	for (size_t c = 0; c < CANDIDATES; c++) {
		between(.40, place[c], .65);
		between(.40, source[c], .65);
	}
	between(.40, greedy, .65);
}

static void no_two_questions_come_from_one_template(void **unused)
{
	json_t *seen = json_object(), *both[2] = { pool, train };

	(void)unused;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < json_array_size(both[k]); i++) {
			const json_t *q = json_array_get(both[k], i);
			json_t *names = names_in(text(q, "db_id"));
			char *t = template_of(names, text(q, "question"));

			if (json_object_get(seen, t))
				fail_msg("two questions say: %s", t);
			json_object_set_new(seen, t, json_true());
			mem_free(t);
			json_decref(names);
		}
	json_decref(seen);
}

static void no_two_questions_share_a_fault(void **unused)
{
	json_t *seen = json_object();

	(void)unused;
	for (size_t i = 0; i < json_array_size(pool); i++)
		for (size_t c = 0; c < CANDIDATES; c++) {
			char *s = skeleton(text(candidate(i, c), "sql"));
			json_t *by = json_object_get(seen, s);

			if (same(&verdicts[i].of[c], &verdicts[i].gold)) {
				mem_free(s);
				continue;
			}
			if (by && json_integer_value(by) != (json_int_t)i)
				fail_msg("questions %lld and %zu share: %s",
					 (long long)json_integer_value(by), i, s);
			json_object_set_new(seen, s, json_integer((json_int_t)i));
			mem_free(s);
		}
	json_decref(seen);
}

static size_t count_failing(void)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(pool); i++)
		for (size_t c = 0; c < CANDIDATES; c++)
			n += !verdicts[i].of[c].ok;
	return n;
}

static void some_candidates_fail_but_few(void **unused)
{
	(void)unused;
	assert_in_range(count_failing(), 5, 40);
}

/* -- nothing may know it -- */

static int look_for_its_name(const char *path, const struct stat *st, int type,
			     struct FTW *at)
{
	const char *dot = strrchr(path, '.');
	char *line = NULL;
	size_t cap = 0;
	FILE *f;

	(void)st;
	(void)at;
	if (type != FTW_F || !dot || (strcmp(dot, ".c") && strcmp(dot, ".h")))
		return 0;
	f = fopen(path, "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0)
		if (strstr(line, "smalltown"))
			fail_msg("%s knows the benchmark", path);
	free(line);
	fclose(f);
	return 0;
}

static void no_code_of_the_product_names_it(void **unused)
{
	static const char *const rooms[] = { "common", "proto",   "broker",
					     "worker", "results", "ops" };

	(void)unused;
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		if (access(source_path(rooms[i]), R_OK) == 0)
			assert_int_equal(nftw(source_path(rooms[i]), look_for_its_name,
					      8, FTW_PHYS),
					 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_databases_questions_candidates_and_training),
		cmocka_unit_test(its_files_say_the_same_of_each_question),
		cmocka_unit_test(every_gold_and_training_query_runs),
		cmocka_unit_test(majority_is_beaten_often_and_the_oracle_seldom),
		cmocka_unit_test(place_source_and_greedy_give_nothing_away),
		cmocka_unit_test(no_two_questions_come_from_one_template),
		cmocka_unit_test(no_two_questions_share_a_fault),
		cmocka_unit_test(some_candidates_fail_but_few),
		cmocka_unit_test(no_code_of_the_product_names_it),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
