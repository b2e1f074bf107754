/* bankmake.h - the memory bank of a sweep: named, or derived from training questions
 *
 * Errors: ERR_INPUT with the file; ERR_STORE.
 */
#ifndef BANKMAKE_H
#define BANKMAKE_H

#include "ops/sweepmake.h"
#include "worker/bank_make.h"

/* --memory FILE: opened, checked, hashed into j->sweep.bank. Without one: nothing. */
int bank_named(struct options *o, struct job *j, struct err *e);

/* --train FILE: derives DIR/bank-XXXXXXXX.db unless it is there, into j->sweep.bank. */
int bank_derived(struct options *o, struct job *j, struct err *e);

/* Tells of near duplicates between questions and bank; --exclude-near-duplicates puts
 * DIR/bank-XXXXXXXX-without.db in its place. Call it when the directory is there. */
int bank_near_duplicates(struct options *o, struct job *j, struct err *e);

/* Derives a bank at `path`. `how` may have no dir: then schemas come from tables.json
 * alone, or from the SQL. */
int bank_build(const struct databases_how *how, const char *train, int skip_bad,
	       const char *path, struct bank_made *ret, struct err *e);

#endif
