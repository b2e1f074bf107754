/* sqlconn.h - one guarded connection, over one open file
 *
 * Memory:  the descriptor is the connection's from sqlconn_open() on, also if it fails.
 * Threads: one.
 */
#ifndef SQLCONN_H
#define SQLCONN_H

#include "common/base/err.h"
#include "worker/sqlguard.h"

#include <sqlite3.h>

struct sqlconn {
	sqlite3 *db; /* NULL: not open */
	int fd;
	struct sqlguard guard;
};

int sqlconn_open(struct sqlconn *c, int fd, struct err *e);
int sqlconn_reopen(struct sqlconn *c, struct err *e); /* with nothing cached */
void sqlconn_close(struct sqlconn *c);                /* fine on one that is zero */

#endif
