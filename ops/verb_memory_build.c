/* verb_memory_build.c */
#include "ops/verb.h"
static int run(struct options *o, struct err *e)
{
	(void)o;
	return err_set(e, ERR_USAGE, "not yet");
}
const struct verb verb_memory_build = {
	"memory build", "", "memory build", V_MEMORY, 0, -1, 0, run
};
