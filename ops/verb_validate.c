/* verb_validate.c */
#include "ops/verb.h"
static int run(struct options *o, struct err *e)
{
	(void)o;
	return err_set(e, ERR_USAGE, "not yet");
}
const struct verb verb_validate = { "validate", "", "validate", V_VALIDATE,
				    0,          -1, 0,          run };
