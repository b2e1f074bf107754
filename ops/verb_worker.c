/* verb_worker.c - a worker: executes tasks of a broker, decides nothing */
#include "ops/verb.h"

static int run(struct options *o, struct err *e)
{
	if (!opt_text(o, FLAG_connect))
		return err_set(e, ERR_USAGE,
			       "--connect is missing: the broker's address, as "
			       "tcp://HOST:5720 or ipc://PATH");
	return err_set(e, ERR_USAGE, "this build has no worker");
}

const struct verb verb_worker = { "worker",
				  "--connect ADDRESS [flags]",
				  "executes tasks of a broker",
				  V_WORKER,
				  0,
				  0,
				  0,
				  run };
