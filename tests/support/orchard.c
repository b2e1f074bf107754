/* orchard.c - see orchard.h */
#include "tests/support/orchard.h"

#include "common/base/filehash.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char orchard_sql[] =
	"CREATE TABLE tree(id INTEGER PRIMARY KEY, kind TEXT, height REAL, planted "
	"TEXT,"
	" row_no INT);"
	"INSERT INTO tree VALUES (1,'plum',3.5,'2019-04-02',1),"
	" (2,'pear',4.0,'2018-11-20',1), (3,'plum',3.5,'2020-01-15',2),"
	" (4,'fig',NULL,NULL,2), (5,'pear',4.0,'2021-7-9',3);"
	"CREATE TABLE pick(tree_id INT, kg REAL, day TEXT, score TEXT);"
	"INSERT INTO pick VALUES (1,2.5,'2023-08-01','9'), (1,2.5,'2023-08-02','10'),"
	" (2,1.1,'2023-08-01','100'), (2,2.2,'2023-08-03','11'),"
	" (3,0.1,'2023-08-01','7'), (3,0.2,'2023-08-02','8');"
	"CREATE TABLE \"odd names\"(\"unit price\" REAL, \"value\" INT, \"order\" "
	"TEXT);"
	"INSERT INTO \"odd names\" VALUES (9.5,7,'first'), (1.25,8,'second');"
	"CREATE TABLE person(id INT, name TEXT);"
	"INSERT INTO person VALUES (1, CAST(x'4a6f73e9' AS TEXT)), (2,'Ana'), "
	"(3,'Renée');";

static void die(const char *what)
{
	perror(what);
	abort();
}

void orchard_make_with(struct orchard *o, const char *more_sql)
{
	sqlite3 *db;

	strcpy(o->dir, "/tmp/orchard-XXXXXX");
	if (!mkdtemp(o->dir))
		die("mkdtemp");
	snprintf(o->path, sizeof o->path, "%s/orchard.sqlite", o->dir);
	if (sqlite3_open_v2(o->path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    NULL) ||
	    sqlite3_exec(db, orchard_sql, NULL, NULL, NULL) ||
	    sqlite3_exec(db, more_sql, NULL, NULL, NULL))
		die(sqlite3_errmsg(db));
	sqlite3_close(db);
	o->fd = open(o->path, O_RDONLY | O_CLOEXEC);
	if (o->fd < 0)
		die(o->path);
	hash_of_fd(o->fd, &o->hash, NULL);
}

void orchard_make(struct orchard *o)
{
	orchard_make_with(o, "");
}

/* How many files there are; removed if wanted. */
static int walk(const struct orchard *o, int remove_them)
{
	DIR *d = opendir(o->dir);
	struct dirent *f;
	char path[512];
	int n = 0;

	if (!d)
		die(o->dir);
	while ((f = readdir(d))) {
		if (f->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof path, "%s/%s", o->dir, f->d_name);
		if (remove_them)
			unlink(path);
	}
	closedir(d);
	return n;
}

void orchard_remove(struct orchard *o)
{
	close(o->fd);
	walk(o, 1);
	rmdir(o->dir);
}

int orchard_files(const struct orchard *o)
{
	return walk(o, 0);
}

int orchard_unchanged(const struct orchard *o)
{
	struct hash now;

	return !hash_of_fd(o->fd, &now, NULL) && hash_eq(&now, &o->hash);
}
