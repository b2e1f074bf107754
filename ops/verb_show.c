/* verb_show.c - one question: candidates, groups, passes, memories, why this one */
#include "ops/verb.h"
#include "results/results.h"

#include <stdio.h>

static int run(struct options *o, struct err *e)
{
	return show_question(stdout, o->arg[0], o->arg[1], opt_text(o, FLAG_run),
			     stderr, e);
}

const struct verb verb_show = { "show",
				"DIR QUESTION_ID [--run RUN]",
				"one question: candidates, groups, passes, memories, "
				"why this one, what scoring saw",
				V_SHOW,
				2,
				2,
				0,
				run };
