/* verb_pool_info.c */
#include "ops/verb.h"
static int run(struct options *o, struct err *e)
{
	(void)o;
	return err_set(e, ERR_USAGE, "not yet");
}
const struct verb verb_pool_info = {
	"pool info", "", "pool info", V_POOL, 0, -1, 0, run
};
