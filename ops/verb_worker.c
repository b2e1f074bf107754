/* verb_worker.c - a worker: executes tasks of a broker, decides nothing */
#include "ops/rundir.h"
#include "ops/setting.h"
#include "ops/verb.h"
#include "worker/worker.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* $XDG_CACHE_HOME/mapfleet, ~/.cache/mapfleet, or a folder of this user in /tmp. */
static const char *cache_dir(struct options *o)
{
	const char *said = opt_text(o, FLAG_cache), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	char path[PATH_MAX];

	if (said)
		return said;
	if (xdg && *xdg == '/')
		snprintf(path, sizeof path, "%s/mapfleet", xdg);
	else if (home && *home == '/')
		snprintf(path, sizeof path, "%s/.cache/mapfleet", home);
	else
		snprintf(path, sizeof path, "/tmp/mapfleet-cache-%u",
			 (unsigned)getuid());
	return arena_str(&o->arena, path);
}

static int run(struct options *o, struct err *e)
{
	struct worker_config c = { .address = opt_text(o, FLAG_connect),
				   .cache = cache_dir(o),
				   .children = (uint32_t)opt_count(o, FLAG_slots),
				   .parent = (int)opt_count(o, FLAG_parent) };
	int rc;

	if (!c.address)
		return err_set(e, ERR_USAGE,
			       "--connect is missing: the broker's address, as "
			       "tcp://HOST:5720 or ipc://PATH");
	if (!c.children)
		c.children = setting_cores();
	rc = c.cache ? rundir_make(c.cache, e) : err_set(e, ERR_NOMEM, "worker");
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
