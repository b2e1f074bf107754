/* verb_show.c - one question: candidates, groups, passes, memories, why this one */
#include "ops/plaintext.h"
#include "ops/verb.h"
#include "results/results.h"

#include <stdio.h>
#include <stdlib.h>

static int run(struct options *o, struct err *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	int rc;

	if (!to)
		return err_set(e, ERR_NOMEM, "show");
	rc = show_question(to, o->arg[0], o->arg[1], opt_text(o, FLAG_run), stderr, e);
	fclose(to);
	plaintext_put(stdout, text, n);
	free(text);
	return rc;
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
