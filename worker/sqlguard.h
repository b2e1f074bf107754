/* sqlguard.h - what a query may ask of SQLite
 *
 * Reads, and the PRAGMAs that only read, by list; nothing else is compiled. `note` says
 * what was refused: write, attach, pragma, function, transaction, table.
 *
 * Threads: one.
 */
#ifndef SQLGUARD_H
#define SQLGUARD_H

#include <sqlite3.h>

struct sqlguard {
	const char *note; /* NULL: nothing was refused since it was last cleared */
};

/* An authorizer, DEFENSIVE, double-quoted strings on, no extensions; random() and
 * randomblob() are sqlvfs.h's chance. SQLite's code. */
int sqlguard_put(sqlite3 *db, struct sqlguard *g);

/* All that is set of SQLite and can change an answer, as text for env's engine: another
 * text is another key. */
const char *sqlguard_options(void);

#endif
