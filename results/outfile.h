/* outfile.h - a file that is there whole or not at all
 *
 * It is written under another name in the same folder, synced, and moved to its place
 * when it is complete, so whoever reads the folder never sees half a file, and a full
 * disk leaves the old one.
 *
 * Errors: ERR_STORE with the path and the reason; adding is sticky, closing tells.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include "common/base/err.h"
#include "common/base/view.h"

#include <stdio.h>

struct outfile {
	FILE *f;
	char *path, *draft;
	int errnum; /* of the first failure */
};

/* Makes the folders above it. */
int outfile_open(struct outfile *o, const char *dir, const char *name, struct err *e);
void outfile_add(struct outfile *o, struct view v);
int outfile_close(struct outfile *o, struct err *e); /* moves it to its place */
void outfile_drop(struct outfile *o);                /* forgets it; safe after close */

int outfile_put(const char *dir, const char *name, struct view bytes, struct err *e);

#endif
