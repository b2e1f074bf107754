/* tempdir.h - a folder of the moment
 *
 * In $TMPDIR, else in /tmp.  The fleet's socket is not in one: a socket's path must be
 * short, whatever $TMPDIR says (fleet.c).
 */
#ifndef TEMPDIR_H
#define TEMPDIR_H

#include "common/base/err.h"

enum { TEMPDIR_PATH = 4096 };

/* On failure ret is "". */
int tempdir_make(char ret[TEMPDIR_PATH], struct err *e);

/* With all that is in it; of "" nothing. */
void tempdir_remove(const char *dir);

#endif
