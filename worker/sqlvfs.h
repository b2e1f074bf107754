/* sqlvfs.h - a file system that holds one open file at a time
 *
 * SQLite's only way to the system inside a child: reading a database from a descriptor
 * that was handed in. There are no locks, journals, temporary or shared-memory files,
 * no directory and no clock but the one that is set; the file is immutable.
 *
 * Memory:  the descriptor stays the caller's and must outlive the connection.
 * Threads: one.
 */
#ifndef SQLVFS_H
#define SQLVFS_H

#include <stdint.h>

#define SQLVFS_NAME "database" /* open this */

int sqlvfs_register(void);          /* the only VFS from now on; SQLite's code */
void sqlvfs_file(int fd);           /* what the next sqlite3_open_v2() opens */
void sqlvfs_clock(int64_t unix_ms); /* what time it is */
void sqlvfs_reseed(void); /* chance begins anew; sqlite3_randomness(0, 0) too */
uint64_t sqlvfs_random(void);

#endif
