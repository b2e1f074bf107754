/* verb_worker.c - a worker: executes tasks of a broker, decides nothing */
#include "ops/verb.h"
#include "worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int run(struct options *o, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	struct worker_config c = { .address = opt_text(o, FLAG_connect),
				   .cache = opt_text(o, FLAG_cache),
				   .children = (uint32_t)opt_count(o, FLAG_slots),
				   .parent = (int)opt_count(o, FLAG_parent) };
	char cache[4096];

	if (!c.address)
		return err_set(e, ERR_USAGE,
			       "--connect is missing: the broker's address, as "
			       "tcp://HOST:5720 or ipc://PATH");
	if (!c.cache) {
		snprintf(cache, sizeof cache, "%s/mapfleet-cache-%d", tmp ? tmp : "/tmp",
			 (int)getuid());
		c.cache = cache;
	}
	return worker_main(&c, e);
}

const struct verb verb_worker = { "worker",
				  "--connect ADDRESS [flags]",
				  "executes tasks of a broker",
				  V_WORKER,
				  0,
				  0,
				  0,
				  run };
