/* sqlconn.c - see sqlconn.h */
#include "worker/sqlconn.h"

#include "worker/sqlvfs.h"

#include <unistd.h>

static int open_db(struct sqlconn *c, struct err *e)
{
	int r;

	sqlvfs_file(c->fd);
	r = sqlite3_open_v2(SQLVFS_NAME, &c->db, SQLITE_OPEN_READONLY, NULL);
	if (!r)
		r = sqlite3_exec(c->db, "PRAGMA temp_store=memory", NULL, NULL, NULL);
	/* It reads the schema; of a file that is no database the query shall tell. */
	if (!r)
		sqlite3_exec(c->db, "PRAGMA cache_size=-32768", NULL, NULL, NULL);
	if (!r)
		r = sqlguard_put(c->db, &c->guard);
	if (!r)
		return 0;
	err_set(e, ERR_INPUT, "cannot open the database: %s", sqlite3_errstr(r));
	sqlite3_close(c->db);
	c->db = NULL;
	return ERR_INPUT;
}

int sqlconn_open(struct sqlconn *c, int fd, struct err *e)
{
	*c = (struct sqlconn){ .fd = fd };
	return open_db(c, e);
}

int sqlconn_reopen(struct sqlconn *c, struct err *e)
{
	sqlite3_close(c->db);
	c->db = NULL;
	return open_db(c, e);
}

void sqlconn_close(struct sqlconn *c)
{
	if (c->db)
		sqlite3_close(c->db);
	if (c->fd > 0)
		close(c->fd);
	*c = (struct sqlconn){ .fd = -1 };
}
