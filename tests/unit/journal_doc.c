/* journal_doc.c - JOURNAL.md has each table and column of the schema, in its order */
#include "tests/support/cm.h"

#include "common/base/buf.h"
#include "proto/journal.h"
#include "tests/support/skip.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "### sweep id key ..." line by line, as SQLite sees the schema. */
static void tables_of_schema(struct buf *ret)
{
	sqlite3 *db;
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, journal_schema, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db,
				   "SELECT '### ' || m.name || ' ' || "
				   "(SELECT group_concat(name, ' ') FROM "
				   "pragma_table_info(m.name)) FROM sqlite_master m "
				   "WHERE type = 'table' ORDER BY m.rowid",
				   -1, &s, NULL),
		SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW)
		buf_addf(ret, "%s\n", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	sqlite3_close(db);
}

static void tables_of_doc(char *doc, struct buf *ret)
{
	int first = 1;

	for (char *save, *line = strtok_r(doc, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char name[64];

		if (sscanf(line, "### %63s", name) == 1)
			buf_addf(ret, "%s### %s", first ? "" : "\n", name), first = 0;
		else if (sscanf(line, "| %63s |", name) == 1 &&
			 strcmp(name, "column") != 0 && name[0] != '-')
			buf_addf(ret, " %s", name);
	}
	buf_add_str(ret, "\n");
}

static void the_document_has_the_schemas_tables_and_columns(void **unused)
{
	char *doc = source_text("proto/JOURNAL.md");
	struct buf is = { 0 }, should = { 0 };

	(void)unused;
	tables_of_schema(&should);
	tables_of_doc(doc, &is);
	assert_string_equal(is.p, should.p);
	free(doc);
	buf_free(&is);
	buf_free(&should);
}

static void the_document_names_version_and_application(void **unused)
{
	char *doc = source_text("proto/JOURNAL.md"), text[100];

	(void)unused;
	snprintf(text, sizeof text,
		 "Version %d (`PRAGMA user_version`), application id 0x%x",
		 JOURNAL_VERSION, JOURNAL_APPLICATION);
	assert_non_null(strstr(doc, text));
	free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_has_the_schemas_tables_and_columns),
		cmocka_unit_test(the_document_names_version_and_application),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
