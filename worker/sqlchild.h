/* sqlchild.h - the process that runs SQL
 *
 * Reads requests from its socket, runs them one after the other and answers. Everything
 * it needs is in the request or in what it was forked with.
 */
#ifndef SQLCHILD_H
#define SQLCHILD_H

#include "worker/sqlwire.h"
#include "worker/sqlzygote.h"

struct sqlchild_start {
	int socket;
	struct sqlwire_slot *slot;
	const struct sqlchild_call *calls;
	size_t n_calls;
	uint64_t address_space;
};

/* What is the same for all children and can be done before they are forked. */
int sqlchild_setup(struct err *e);

_Noreturn void sqlchild_main(const struct sqlchild_start *start);

#endif
