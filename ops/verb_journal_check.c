/* verb_journal_check.c */
#include "ops/verb.h"
static int run(struct options *o, struct err *e)
{
	(void)o;
	return err_set(e, ERR_USAGE, "not yet");
}
const struct verb verb_journal_check = {
	"journal check", "", "journal check", V_JOURNAL, 0, -1, 0, run
};
