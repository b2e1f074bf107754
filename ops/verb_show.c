/* verb_show.c */
#include "ops/verb.h"
static int run(struct options *o, struct err *e)
{
	(void)o;
	return err_set(e, ERR_USAGE, "not yet");
}
const struct verb verb_show = { "show", "", "show", V_SHOW, 0, -1, 0, run };
