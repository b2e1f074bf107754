/* damage_copies.c - databases damaged on purpose, for measurements
 *
 *     damage_copies DAMAGE FROM TO ID...    TO/ID/ID.sqlite from FROM/ID/ID.sqlite
 *     damage_copies                         lists the kinds
 *
 * The same each time. tests/bench/evidence uses it.
 */
#include "tests/support/damage.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy(enum damage d, const char *from, const char *to, const char *id)
{
	char source[4096], target[4096];
	sqlite3 *db;

	snprintf(source, sizeof source, "%s/%s/%s.sqlite", from, id, id);
	snprintf(target, sizeof target, "%s/%s", to, id);
	mkdir(to, 0777);
	mkdir(target, 0777);
	snprintf(target, sizeof target, "%s/%s/%s.sqlite", to, id, id);
	unlink(target);
	db = damage_open(source, target, d);
	sqlite3_close(db);
	if (!db)
		fprintf(stderr, "damage_copies: %s cannot be copied to %s\n", source,
			target);
	return !db;
}

static int list(void)
{
	for (int d = DAMAGE_none + 1; d < DAMAGES; d++)
		printf("%-12s %s\n", damage_name((enum damage)d),
		       damage_what((enum damage)d));
	return 0;
}

int main(int argc, char **argv)
{
	int d = DAMAGE_none;

	if (argc == 1)
		return list();
	while (d < DAMAGES && strcmp(argv[1], damage_name((enum damage)d)) != 0)
		d++;
	if (argc < 5 || d == DAMAGES)
		return fprintf(stderr, "damage_copies DAMAGE FROM TO ID...\n"), 2;
	for (int i = 4; i < argc; i++)
		if (copy((enum damage)d, argv[2], argv[3], argv[i]))
			return 1;
	return 0;
}
