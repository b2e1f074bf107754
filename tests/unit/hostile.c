/* hostile.c - SQL that means harm, and what it gets
 *
 * Every row has its status written down. Afterwards the file has its bytes, its
 * directory has no other file, no child has grown, and the pool answers.
 */
#include "tests/support/cm.h"

#include "common/base/clock.h"
#include "tests/support/sqlrig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct sqlrig rig;
static struct orchard orchard;

#define FOREVER "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) "
#define UP_TO(n) \
	"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n<" #n ")" \
	" "

struct hostile {
	const char *sql;
	enum status status;
	const char *note;
};

/* clang-format off */
static const struct hostile table[] = {
	/* files */
	{ "SELECT readfile('/etc/passwd')", STATUS_error, "" },
	{ "SELECT writefile('/tmp/evil','x')", STATUS_error, "" },
	{ "SELECT edit('x','vi')", STATUS_error, "" },
	{ "SELECT fsdir('/')", STATUS_error, "" },
	{ "SELECT * FROM fsdir('/')", STATUS_error, "" },
	{ "SELECT load_extension('/tmp/evil.so')", STATUS_refused, "function" },
	{ "SELECT load_extension('/tmp/evil.so','init')", STATUS_refused, "function" },
	{ "ATTACH '/tmp/evil.db' AS e", STATUS_refused, "attach" },
	{ "ATTACH ':memory:' AS e", STATUS_refused, "attach" },
	{ "ATTACH 'file:/tmp/evil.db?mode=rwc' AS e", STATUS_refused, "attach" },
	{ "ATTACH '' AS e", STATUS_refused, "attach" },
	{ "DETACH main", STATUS_refused, "attach" },
	{ "VACUUM INTO '/tmp/evil.db'", STATUS_refused, "write" },
	{ "VACUUM", STATUS_refused, "write" },
	{ "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')", STATUS_refused, "write" },
	{ ".read /etc/passwd", STATUS_error, "" },
	{ ".shell rm -rf /", STATUS_error, "" },
	{ "COPY tree TO '/tmp/x'", STATUS_error, "" },
	{ "SELECT * FROM tree INTO OUTFILE '/tmp/x'", STATUS_error, "" },
	/* writes */
	{ "INSERT INTO tree(kind) VALUES ('x')", STATUS_refused, "write" },
	{ "UPDATE tree SET kind='x'", STATUS_refused, "write" },
	{ "DELETE FROM tree", STATUS_refused, "write" },
	{ "REPLACE INTO tree VALUES (1,'x',1,'',1)", STATUS_refused, "write" },
	{ "DROP TABLE tree", STATUS_refused, "write" },
	{ "ALTER TABLE tree RENAME TO t", STATUS_refused, "write" },
	{ "ALTER TABLE tree ADD COLUMN x", STATUS_refused, "write" },
	{ "CREATE TABLE x(a)", STATUS_refused, "write" },
	{ "CREATE TABLE x AS SELECT * FROM tree", STATUS_refused, "write" },
	{ "CREATE TEMP TABLE x(a)", STATUS_refused, "write" },
	{ "CREATE TEMP VIEW x AS SELECT 1", STATUS_refused, "write" },
	{ "CREATE INDEX x ON tree(kind)", STATUS_refused, "write" },
	{ "CREATE TRIGGER x AFTER INSERT ON tree BEGIN SELECT 1; END", STATUS_refused, "write" },
	{ "CREATE TEMP TRIGGER x AFTER INSERT ON tree BEGIN SELECT 1; END", STATUS_refused, "write" },
	{ "WITH z AS (SELECT 1) DELETE FROM pick", STATUS_refused, "write" },
	{ "WITH z AS (SELECT 1) INSERT INTO pick SELECT 1,1,1,1", STATUS_refused, "write" },
	{ "WITH z AS (SELECT 1) UPDATE pick SET kg=0", STATUS_refused, "write" },
	{ "DELETE FROM tree RETURNING *", STATUS_refused, "write" },
	{ "INSERT INTO sqlite_master VALUES ('table','x','x',2,'')", STATUS_refused, "write" },
	{ "UPDATE sqlite_master SET sql=''", STATUS_refused, "write" },
	{ "DELETE FROM sqlite_master", STATUS_refused, "write" },
	{ "EXPLAIN DELETE FROM tree", STATUS_refused, "write" },
	{ "ANALYZE", STATUS_refused, "write" },
	{ "REINDEX", STATUS_empty, "" }, /* there is no index */
	{ "SELECT 1; DROP TABLE tree", STATUS_error, "multi-statement" },
	{ "DROP TABLE tree; SELECT 1", STATUS_refused, "write" },
	/* locks and transactions */
	{ "BEGIN", STATUS_refused, "transaction" },
	{ "BEGIN EXCLUSIVE", STATUS_refused, "transaction" },
	{ "COMMIT", STATUS_refused, "transaction" },
	{ "SAVEPOINT s", STATUS_refused, "transaction" },
	{ "PRAGMA locking_mode=exclusive", STATUS_refused, "pragma" },
	/* pragmas */
	{ "PRAGMA journal_mode=wal", STATUS_refused, "pragma" },
	{ "PRAGMA journal_mode", STATUS_refused, "pragma" },
	{ "PRAGMA query_only=off", STATUS_refused, "pragma" },
	{ "PRAGMA writable_schema=on", STATUS_refused, "pragma" },
	{ "PRAGMA user_version=7", STATUS_refused, "pragma" },
	{ "PRAGMA temp_store_directory='/tmp'", STATUS_refused, "pragma" },
	{ "PRAGMA hard_heap_limit=0", STATUS_refused, "pragma" },
	{ "PRAGMA cache_size=1000000", STATUS_refused, "pragma" },
	{ "PRAGMA mmap_size=1000000000", STATUS_refused, "pragma" },
	{ "PRAGMA case_sensitive_like=1", STATUS_refused, "pragma" },
	{ "PRAGMA wal_checkpoint", STATUS_refused, "pragma" },
	{ "PRAGMA trusted_schema=1", STATUS_refused, "pragma" },
	{ "PRAGMA threads=8", STATUS_refused, "pragma" },
	{ "SELECT * FROM pragma_journal_mode", STATUS_refused, "pragma" },
	{ "SELECT * FROM pragma_hard_heap_limit", STATUS_refused, "pragma" },
	{ "PRAGMA database_list", STATUS_rows, "" },
	/* full-text, R-Tree and other virtual tables */
	{ "CREATE VIRTUAL TABLE v USING fts3(a)", STATUS_refused, "write" },
	{ "CREATE VIRTUAL TABLE temp.v USING fts5(a)", STATUS_refused, "write" },
	{ "CREATE VIRTUAL TABLE v USING rtree(id,a,b)", STATUS_refused, "write" },
	{ "SELECT fts3_tokenizer('simple', x'4141414141414141')", STATUS_refused, "function" },
	{ "SELECT fts5(NULL)", STATUS_rows, "" },
	{ "SELECT rtreenode(2, zeroblob(1000000))", STATUS_rows, "" },
	{ "SELECT rtreecheck('tree')", STATUS_refused, "transaction" },
	{ "SELECT rtreedepth(x'00')", STATUS_error, "" },
	{ "SELECT * FROM sqlite_stmt", STATUS_refused, "table" },
	{ "SELECT count(*) > 0 FROM dbstat", STATUS_rows, "" },
	{ "SELECT snippet(tree) FROM tree", STATUS_error, "" },
	{ "SELECT offsets(1)", STATUS_error, "" },
	{ "SELECT matchinfo(x'0102030405060708')", STATUS_error, "" },
	/* size */
	{ "SELECT zeroblob(900000000)", STATUS_limit, "length" },
	{ "SELECT zeroblob(9223372036854775807)", STATUS_limit, "length" },
	{ "SELECT randomblob(900000000)", STATUS_limit, "length" },
	{ "SELECT hex(zeroblob(16000000))", STATUS_limit, "length" },
	{ "SELECT length(printf('%900000000d',1)) < 20000000", STATUS_rows, "" },
	{ "SELECT length(printf('%.*c',90000000,'x')) < 20000000", STATUS_rows, "" },
	{ "SELECT replace(hex(zeroblob(8000000)),'0','xxxxxxxxxx')", STATUS_limit, "length" },
	{ "SELECT group_concat(hex(zeroblob(1000000))) FROM tree,tree b", STATUS_limit, "length" },
	{ "SELECT json_group_array(hex(zeroblob(1000000))) FROM tree,tree b", STATUS_limit, "length" },
	{ FOREVER "SELECT group_concat(hex(zeroblob(1000))) FROM r", STATUS_timeout, "steps" },
	{ "WITH RECURSIVE r(n,s) AS (SELECT 1,'x' UNION ALL SELECT n+1,s||s FROM r) SELECT max(n) FROM r", STATUS_limit, "length" },
	{ UP_TO(1000) "SELECT count(*) FROM (SELECT zeroblob(15000000)||n AS b FROM r ORDER BY b DESC)", STATUS_limit, "memory" },
	{ UP_TO(1000) "SELECT count(DISTINCT hex(zeroblob(4000000))||n) FROM r", STATUS_limit, "memory" },
	{ FOREVER "SELECT n FROM r", STATUS_limit, "rows" },
	{ "SELECT * FROM tree a,tree b,tree c,tree d,tree e,tree f,tree g,tree h,tree i", STATUS_timeout, "steps" },
	/* time */
	{ FOREVER "SELECT count(*) FROM r", STATUS_timeout, "steps" },
	{ FOREVER "SELECT n FROM r WHERE n<0", STATUS_timeout, "steps" },
	{ "SELECT count(*) FROM pick a,pick b,pick c,pick d,pick e,pick f,pick g,pick h,pick i,pick j", STATUS_timeout, "steps" },
	{ "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT (n*7)%100000007 FROM r) SELECT count(*) FROM r", STATUS_timeout, "steps" },
	{ "SELECT hex(zeroblob(20000)) LIKE '%0%0%0%1'", STATUS_rows, "" },
	{ "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaab' GLOB '*a*a*a*a*c'", STATUS_rows, "" },
	{ "SELECT 'x' LIKE hex(zeroblob(30000))", STATUS_error, "" },
	{ "SELECT sleep(1000)", STATUS_error, "" },
	{ "SELECT benchmark(1000000000,1)", STATUS_error, "" },
	/* numbers, nonsense */
	{ "SELECT abs(-9223372036854775808)", STATUS_error, "" },
	{ "SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)", STATUS_error, "" },
	{ "SELECT json('[')", STATUS_error, "" },
	{ "SELECT 1e999, -1e999, 0/0, 1%0", STATUS_rows, "" },
	{ "SELECT substr('abc', -9223372036854775807, 9223372036854775807)", STATUS_rows, "" },
	{ "SELECT printf('%s%s%s%n%p')", STATUS_rows, "" },
	{ "SELECT char(0,1114112,55296)", STATUS_rows, "" },
	{ "SELECT date('now','+9999999999 years')", STATUS_rows, "" },
	{ "SELECT sqlite_compileoption_get(-5)", STATUS_rows, "" },
	{ "SELECT sqlite_log(28,'double-quoted string literal: \"x\"')", STATUS_rows, "" },
	{ "\xff\xfe SELECT 1", STATUS_error, "" },
	{ "SELECT '", STATUS_error, "" },
	{ "SELECT \"", STATUS_error, "" },
};
/* clang-format on */

/* 1 if it gets what is written, else 0 and a line that says what it got. */
static int gets(const char *name, const char *sql, enum status status, const char *note)
{
	struct sqlrig_answer a = sqlrig_exec(&rig, sql);
	const struct exec_out *o = &a.exec;

	if (!a.code && o->status == status && view_eq(o->note, view_of(note)))
		return 1;
	print_message(
		"%s: wanted %s %s, got code %d %s, status %s, note %.*s, error %.*s\n",
		name, status_name(status), note, a.code, a.text, status_name(o->status),
		(int)o->note.n, o->note.p, (int)o->error.n, o->error.p);
	return 0;
}

static void check(const char *name, const char *sql, enum status status,
		  const char *note)
{
	assert_true(gets(name, sql, status, note));
}

/* kB of the biggest process whose name is a child's */
static long biggest_child(void)
{
	char path[300], line[200];
	struct dirent *f;
	DIR *d = opendir("/proc");
	long max = 0, kb;

	while ((f = readdir(d))) {
		int ours = 0;
		FILE *s;

		snprintf(path, sizeof path, "/proc/%s/status", f->d_name);
		s = fopen(path, "r");
		if (!s)
			continue;
		while (fgets(line, sizeof line, s)) {
			ours |= !strcmp(line, "Name:\tmapfleet-sql\n");
			if (ours && sscanf(line, "VmHWM: %ld", &kb) == 1 && kb > max)
				max = kb;
		}
		fclose(s);
	}
	closedir(d);
	return max;
}

static void every_kind_of_hostile_sql_gets_its_status(void **unused)
{
	size_t n = sizeof table / sizeof *table, good = 0;
	uint64_t from;

	(void)unused;
	assert_true(n >= 60);
	for (size_t i = 0; i < n; i++) {
		from = clock_ms();
		good += (size_t)gets(table[i].sql, table[i].sql, table[i].status,
				     table[i].note);
		if (clock_ms() - from > 2000)
			print_message("%s: %llu ms\n", table[i].sql,
				      (unsigned long long)(clock_ms() - from));
	}
	assert_int_equal(good, n);
}

/* before, then `piece` n times, then behind */
static char *repeat(const char *before, const char *piece, size_t n, const char *behind)
{
	struct buf b = { 0 };

	buf_add_str(&b, before);
	for (size_t i = 0; i < n; i++)
		buf_add_str(&b, piece);
	buf_add_str(&b, behind);
	return buf_take(&b, NULL);
}

static void sql_that_is_built_to_break_the_parser_is_an_error(void **unused)
{
	static const struct {
		const char *name, *before, *piece;
		size_t n;
		const char *behind;
		enum status status;
		const char *note;
	} built[] = {
		{ "deep parentheses", "SELECT ", "(", 100000, "1", STATUS_error, "" },
		{ "deep NOT", "SELECT ", "NOT ", 100000, "1", STATUS_error, "" },
		{ "deep minus", "SELECT ", "- ", 5000, "1", STATUS_error, "" },
		{ "long sum", "SELECT 1", "+1", 100000, "", STATUS_error, "" },
		{ "deep CASE", "SELECT ", "CASE WHEN 1 THEN ", 20000, "1", STATUS_error,
		  "" },
		{ "many columns", "SELECT 1", ",1", 2500, "", STATUS_error, "" },
		{ "2000 columns", "SELECT 1", ",1", 1999, "", STATUS_rows, "" },
		{ "many unions", "SELECT 1", " UNION ALL SELECT 1", 1000, "",
		  STATUS_error, "" },
		{ "many joins", "SELECT * FROM tree", ",tree", 100, "", STATUS_error,
		  "" },
		{ "deep subqueries", "SELECT * FROM ", "(SELECT * FROM ", 500, "tree",
		  STATUS_error, "" },
		{ "many values", "VALUES (1)", ",(1)", 50000, "", STATUS_rows, "" },
		{ "long IN", "SELECT 1 WHERE 1 IN (0", ",0", 100000, ")", STATUS_empty,
		  "" },
		{ "long comment", "SELECT 1 /*", "x", 1000000, "*/", STATUS_rows, "" },
		{ "long literal", "SELECT length('", "x", 1000000, "')", STATUS_rows,
		  "" },
		{ "too long", "SELECT '", "x", 17 << 20, "'", STATUS_limit, "length" },
		{ "many arguments", "SELECT max(1", ",1", 200, ")", STATUS_error, "" },
		{ "deep json", "SELECT json('", "[", 3000, "')", STATUS_error, "" },
		{ "many semicolons", "SELECT 1", ";", 1000, "", STATUS_error,
		  "multi-statement" },
		{ "many CTEs", "WITH a AS (SELECT 1)", ", b AS (SELECT 1)", 2,
		  " SELECT 1", STATUS_error, "" },
	};

	size_t n = sizeof built / sizeof *built, good = 0;

	(void)unused;
	for (size_t i = 0; i < n; i++) {
		char *sql = repeat(built[i].before, built[i].piece, built[i].n,
				   built[i].behind);

		good += (size_t)gets(built[i].name, sql, built[i].status,
				     built[i].note);
		free(sql);
	}
	assert_int_equal(good, n);
}

static void views_and_triggers_in_the_database_do_no_harm(void **unused)
{
	struct orchard o;

	(void)unused;
	orchard_make_with(
		&o,
		"CREATE VIEW bomb AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT "
		"n+1 FROM r) SELECT count(*) FROM r;"
		"CREATE VIEW ext AS SELECT load_extension('x');"
		"CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES('plum "
		"tree');"
		"CREATE VIRTUAL TABLE g USING fts4(a); INSERT INTO g VALUES('plum "
		"tree');"
		"CREATE VIRTUAL TABLE t USING rtree(id,a,b); INSERT INTO t "
		"VALUES(1,2,3);");
	sqlrig_use(&rig, &o);
	check("view", "SELECT * FROM bomb", STATUS_timeout, "steps");
	check("view", "SELECT * FROM ext", STATUS_error, "");
	check("fts5", "SELECT * FROM f WHERE f MATCH 'plum'", STATUS_rows, "");
	check("fts4", "SELECT * FROM g WHERE g MATCH 'plum'", STATUS_rows, "");
	check("rtree", "SELECT * FROM t WHERE a>1", STATUS_rows, "");
	check("fts5 write", "INSERT INTO f(f) VALUES('rebuild')", STATUS_refused,
	      "write");
	check("shadow", "DELETE FROM f_data", STATUS_refused, "write");
	check("rtree part", "DELETE FROM t_node", STATUS_refused, "write");
	check("rtree", "DELETE FROM t", STATUS_refused, "write");
	assert_true(orchard_unchanged(&o));
	assert_int_equal(orchard_files(&o), 1);
	sqlrig_use(&rig, &orchard);
	orchard_remove(&o);
}

static void a_file_that_is_no_database_is_an_error(void **unused)
{
	struct orchard o;
	FILE *f;

	(void)unused;
	orchard_make(&o);
	f = fopen(o.path, "r+");
	for (int i = 0; i < 20000; i++)
		fputc(i * 7, f);
	fclose(f);
	o.hash = hash_of("broken", 6);
	sqlrig_use(&rig, &o);
	check("broken", "SELECT * FROM tree", STATUS_error, "database");
	sqlrig_use(&rig, &orchard);
	orchard_remove(&o);
}

static void nothing_was_written_and_nobody_has_grown(void **unused)
{
	struct sqlpool_stats s;

	(void)unused;
	assert_true(orchard_unchanged(&orchard));
	assert_int_equal(orchard_files(&orchard), 1);
	assert_int_not_equal(access("/tmp/evil.db", F_OK), 0);
	assert_int_not_equal(access("/tmp/evil", F_OK), 0);
	check("after", "SELECT count(*) FROM tree", STATUS_rows, "");
	sqlpool_stats(rig.pool, &s);
	assert_int_equal(s.deaths, 0);
	assert_int_equal(s.timeouts, 0);
	assert_int_equal(s.spawned, 2);
#ifndef FLEET_SANITIZED
	/* The limit is 128 MB of SQLite's heap. */
	assert_in_range(biggest_child(), 1, 256 * 1024);
#else
	(void)biggest_child;
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_hostile_sql_gets_its_status),
		cmocka_unit_test(sql_that_is_built_to_break_the_parser_is_an_error),
		cmocka_unit_test(views_and_triggers_in_the_database_do_no_harm),
		cmocka_unit_test(a_file_that_is_no_database_is_an_error),
		cmocka_unit_test(nothing_was_written_and_nobody_has_grown),
	};

	sqlrig_start(&rig, NULL, 0, 2);
	rig.ask.limits.steps = 2000000;
	rig.ask.limits.memory = 128 << 20;
	rig.ask.limits.rows = 100000;
	return sqlrig_run_tests(&rig, &orchard, tests);
}
