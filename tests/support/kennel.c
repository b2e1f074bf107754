/* kennel.c - see kennel.h */
#include "tests/support/kennel.h"

#include <assert.h>
#include <sqlite3.h>

static const char kennel_sql[] =
	"CREATE TABLE owner(owner_id INTEGER PRIMARY KEY, name TEXT, "
	" town TEXT COLLATE NOCASE, age INT);"
	"CREATE TABLE pet(pet_id INTEGER PRIMARY KEY, "
	" owner_id INT REFERENCES owner(owner_id), species TEXT, weight REAL, "
	" chip TEXT, keeper INT);"
	"CREATE TABLE visit(visit_id INTEGER PRIMARY KEY, "
	" pet_id INT REFERENCES pet(pet_id), cost REAL, day TEXT);"
	"CREATE TABLE vet(vet_id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE stray(stray_id INTEGER PRIMARY KEY, "
	" owner_id INT REFERENCES owner(owner_id));"
	"CREATE TABLE loose(a INT, b TEXT);"
	"CREATE TABLE untyped(x, y, z);"
	"CREATE VIEW heavy AS SELECT * FROM pet WHERE weight > 20;"
	"INSERT INTO owner VALUES (1,'Ann','Oslo',31),(2,'Bob','Rome',44),"
	" (3,'Cid','Oslo',31);"
	"INSERT INTO pet VALUES (10,1,'dog',21.5,NULL,1),(11,1,'cat',4.0,NULL,1),"
	" (12,2,'dog ',30.0,NULL,2),(13,3,'parrot',0.5,NULL,2);"
	"INSERT INTO visit VALUES "
	"(100,10,50.0,'2024-01-02'),(101,10,75.25,'2024-02-03'),"
	" (102,12,20.0,'2024-02-03');"
	"INSERT INTO stray VALUES (1,900),(2,901);"
	"INSERT INTO loose VALUES (7,'seven'),(8,'eight');"
	"INSERT INTO untyped VALUES (1,'1',x'546f6d'),"
	" (2.5,x'00ff',NULL);";

struct sqlite3 *kennel_db(void)
{
	sqlite3 *db = NULL;
	int rc = sqlite3_open(":memory:", &db);

	if (!rc)
		rc = sqlite3_exec(db, kennel_sql, NULL, NULL, NULL);
	assert(!rc);
	return db;
}

struct profile kennel_profile(struct buf *bytes)
{
	sqlite3 *db = kennel_db();
	struct profile p = { 0 };
	int code = profile_db(db, bytes, NULL);

	if (!code)
		code = profile_decode(buf_view(bytes), &p, NULL);
	assert(!code);
	sqlite3_close(db);
	return p;
}

int column_at(const struct profile *p, const char *table, const char *column,
	      int *ret_table)
{
	*ret_table = schema_find_table(&p->schema, view_of(table));
	assert(*ret_table >= 0);
	return schema_find_column(&p->schema, *ret_table, view_of(column));
}
