/* rundir.h - the directory of a run: whose it is, and who works in it now
 *
 * A directory belongs to its inputs: inputs.json in it names their hashes, and other
 * inputs are refused, or with --overwrite the old directory is moved aside. One process
 * at a time: DIR/lock is locked, and says by whom (process and host). The lock dies
 * with its holders, so a stale one is no obstacle.
 *
 * Errors: ERR_INPUT: other inputs, or another process is at work; ERR_STORE: it cannot
 *         be made or written.
 */
#ifndef RUNDIR_H
#define RUNDIR_H

#include "common/base/err.h"
#include "ops/sweepmake.h"

struct rundir {
	const char *path, *journal; /* in the job's arena */
	int lock, journal_lock;     /* descriptors; -1: none */
	int is_new;                 /* it was made, or was empty */
};

/* Where the job's directory is or will be; in the job's arena. */
const char *rundir_path(struct options *o, struct job *j);

/* Fills j->sweep.output_dir and .journal too. */
int rundir_open(struct options *o, struct job *j, struct rundir *ret, struct err *e);
void rundir_close(struct rundir *r);

/* Makes every folder of `path`. */
int rundir_make(const char *path, struct err *e);

#endif
