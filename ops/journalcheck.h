/* journalcheck.h - are the facts whole?
 *
 * SQLite's own integrity check; the schema's version; rows that name what is not there;
 * and whether every blob and every spec has the hash it is filed under.
 *
 * Errors: ERR_INPUT: no journal, or of a newer version; ERR_STORE: unreadable. What the
 *         check finds is no error but a finding, one line each.
 */
#ifndef JOURNALCHECK_H
#define JOURNALCHECK_H

#include "common/base/err.h"

#include <stdint.h>

typedef void journal_finding_fn(void *arg, const char *line);

struct journal_counts {
	uint64_t tasks, outputs, failures, calls, blobs, choices, verdicts, findings;
};

int journal_check(const char *path, journal_finding_fn *on_finding, void *arg,
		  struct journal_counts *ret, struct err *e);

#endif
