/* verb_worker.c - a worker: executes tasks of a broker, decides nothing */
#include "ops/rundir.h"
#include "ops/setting.h"
#include "ops/verb.h"
#include "worker/worker.h"

static int run(struct options *o, struct err *e)
{
	struct worker_config c = { .address = opt_text(o, FLAG_connect),
				   .cache = opt_text(o, FLAG_cache),
				   .children = (uint32_t)opt_count(o, FLAG_slots),
				   .parent = (int)opt_count(o, FLAG_parent) };
	int rc;

	if (!c.address)
		return err_set(e, ERR_USAGE,
			       "--connect is missing: the broker's address, as "
			       "tcp://HOST:5720 or ipc://PATH");
	if (!c.children)
		c.children = setting_cores();
	if (!c.cache)
		c.cache = setting_cache(&o->arena);
	rc = c.cache ? rundir_make(c.cache, e)
		     : err_set(e, ERR_STORE,
			       "no folder for fetched files can be made in $HOME or "
			       "/tmp; say --cache DIR");
	return rc ? rc : worker_main(&c, e);
}

const struct verb verb_worker = { "worker",
				  "--connect ADDRESS [flags]",
				  "executes tasks of a broker; decides nothing",
				  V_WORKER,
				  0,
				  0,
				  0,
				  run };
