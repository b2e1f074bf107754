/* verb_score.c */
#include "ops/verb.h"
static int run(struct options *o, struct err *e)
{
	(void)o;
	return err_set(e, ERR_USAGE, "not yet");
}
const struct verb verb_score = { "score", "", "score", V_SCORE, 0, -1, 0, run };
