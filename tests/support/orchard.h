/* orchard.h - the small database that most tests of SQL use
 *
 * Trees, picks, a table with odd names, and a person whose name is Latin-1. Made anew
 * in a directory of its own, which orchard_remove() removes.
 */
#ifndef ORCHARD_H
#define ORCHARD_H

#include "common/base/hash.h"

struct orchard {
	char dir[64];
	char path[96]; /* dir/orchard.sqlite */
	struct hash hash;
	int fd; /* read only */
};

void orchard_make(struct orchard *o); /* dies if it cannot */
void orchard_make_with(struct orchard *o, const char *more_sql);
void orchard_remove(struct orchard *o);
int orchard_files(const struct orchard *o);     /* how many there are in dir */
int orchard_unchanged(const struct orchard *o); /* 1: the file hashes as it did */

#endif
