/* verb_journal_check.c - are the facts of a directory whole? */
#include "ops/journalcheck.h"
#include "ops/verb.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static void print(void *arg, const char *line)
{
	(void)arg;
	printf("BAD  %s\n", line);
}

static const char *journal_of(struct options *o, char path[PATH_MAX])
{
	const char *where = opt_text(o, FLAG_journal);
	struct stat st;

	if (!where)
		where = o->nargs ? o->arg[0] : ".";
	if (stat(where, &st) || !S_ISDIR(st.st_mode))
		return where;
	snprintf(path, PATH_MAX, "%s/journal.db", where);
	return path;
}

static int run(struct options *o, struct err *e)
{
	char path[PATH_MAX];
	const char *journal = journal_of(o, path);
	struct journal_counts n;
	int rc = journal_check(journal, print, NULL, &n, e);

	if (rc)
		return rc;
	printf("%s: %" PRIu64 " tasks, %" PRIu64 " outputs, %" PRIu64
	       " failures, %" PRIu64 " calls, %" PRIu64 " blobs, %" PRIu64
	       " choices, %" PRIu64 " verdicts\n",
	       journal, n.tasks, n.outputs, n.failures, n.calls, n.blobs, n.choices,
	       n.verdicts);
	if (n.findings)
		return err_set(e, ERR_STORE,
			       "%s: %" PRIu64
			       " findings; keep a copy, and run again into "
			       "another --output-dir",
			       journal, n.findings);
	puts("sound");
	return 0;
}

const struct verb verb_journal_check = {
	"journal check",
	"[DIR | FILE]",
	"checks a journal: integrity, version, rows that name nothing, hashes",
	V_JOURNAL,
	0,
	1,
	0,
	run
};
