/* doctor.h - what this machine has, each looked at alone
 *
 * Every check prints its line through checks.h and says how to mend what it finds. The
 * facts come in as arguments where a test wants to break them.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "ops/checks.h"
#include "ops/databases.h"

/* The library found at run time is at least `need` and has what is needed. */
void doctor_library(struct checks *c, const char *name, int have, int need,
		    const char *shown, const char *package);
void doctor_libraries(struct checks *c);

/* SQLite takes "text" as a string, as Spider's gold wants it, and knows JSON. */
void doctor_sqlite(struct checks *c);

/* A process that locked itself in: it answers, and dies when it opens a file. */
void doctor_sandbox(struct checks *c);

/* A local socket can be made, and enough files may be open for `connections`. */
void doctor_sockets(struct checks *c, const char *folder, unsigned long connections);

/* The folder can be written to, has room, and is on a disk of this machine. */
void doctor_disk(struct checks *c, const char *folder);

/* Each of `urls` answers GET /models; a key is there, or not needed. */
void doctor_endpoint(struct checks *c, const char *urls, const char *key_env,
		     const char *model);

/* Which kinds of reward model the server serves, and whether it is what is wanted. */
struct reward_server;
void doctor_reward(struct checks *c, const struct reward_server *s);

/* Every database below `dir` is a sound SQLite file. */
void doctor_databases(struct checks *c, const struct databases_how *how);

#endif
