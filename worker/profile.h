/* profile.h - what is collected once per database
 *
 * Runs in the SQL child, over a guarded connection, and appends its output to `ret`.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <sqlite3.h>

int profile_db(sqlite3 *db, struct buf *ret, struct err *e);

#endif
