/* extract.h - the SQL in what a model answered
 *
 * After the last closing think tag: the last complete ```sql block; else the last
 * fenced block that begins with SELECT or WITH; else text up to a closing fence where
 * the prompt had opened it; else what <answer> holds; else from the first SELECT or
 * WITH to the last semicolon. Then it must be one read-only statement.
 *
 * Memory: `sql` is a view into the answer, trimmed, literals untouched.
 */
#ifndef EXTRACT_H
#define EXTRACT_H

#include "common/base/view.h"

#define EXTRACT_LIST(X) \
	X(OK, "one read-only statement") \
	X(NONE, "no SQL in the answer") \
	X(THINKING, "the answer ends inside its reasoning") \
	X(MULTI, "more than one statement") \
	X(WRITE, "not a SELECT") \
	X(NUL, "a NUL byte in the SQL") \
	X(PARAMETERS, "unbound parameters in the SQL")

enum extract_reason {
#define X(name, text) EXTRACT_##name,
	EXTRACT_LIST(X)
#undef X
};

struct extract {
	struct view sql; /* what was found, also when it is refused; n 0: nothing */
	enum extract_reason reason;
};

struct extract extract_sql(struct view answer);
const char *extract_text(enum extract_reason reason);

/* Is this one statement that only reads (SELECT, WITH .. SELECT, VALUES)? */
enum extract_reason extract_check(struct view sql);

#endif
