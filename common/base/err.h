/* err.h - what a function says when it cannot do its job
 *
 * A function that can fail returns int: 0, or one of the codes below. A caller
 * branches on the code; a person reads the text, which says what, where and how to
 * mend it. The text is optional: pass NULL for `e` and only the code is reported.
 * Programmer mistakes are not errors, they are assert()s.
 *
 * Memory:  a struct err is the caller's, holds no pointers, needs no cleanup.
 * Threads: no shared state; safe everywhere.
 */
#ifndef ERR_H
#define ERR_H

/* The one list of codes. `retry`: would the same work, later or elsewhere, perhaps
 * succeed? `exit`: what the program exits with when this error ends it (the table in
 * README.md, Exit codes). */
#define ERR_LIST(X) \
	X(NOMEM, 1, 5, "out of memory") \
	X(TIMEOUT, 1, 4, "deadline passed") \
	X(NET, 1, 4, "peer unreachable or gone") \
	X(STORE, 0, 5, "disk or database failed") \
	X(SANDBOX, 0, 5, "sandbox could not be set up") \
	X(PROTO, 0, 4, "message violates PROTOCOL.md") \
	X(REFUSED, 0, 4, "the other side refused us") \
	X(STALE, 0, 4, "attempt was superseded") \
	X(LIMIT, 0, 3, "a limit was reached") \
	X(RANGE, 0, 1, "size or index out of range") \
	X(VALUE, 0, 1, "value outside the function's domain") \
	X(USAGE, 0, 1, "wrong usage") \
	X(INPUT, 0, 1, "unreadable or wrong input") \
	X(DEATH, 1, 5, "the process that worked on it died")

enum err_code {
	ERR_NONE = 0,
#define X(name, retry, exit, text) ERR_##name,
	ERR_LIST(X)
#undef X
};

struct err {
	int code;
	char text[1000]; /* one line, NUL-terminated, truncated if need be */
};

/* Fill `e` (if not NULL) and return `code`, so that failing is one statement:
 *     return err_set(e, ERR_RANGE, "k=%zu", k);                               */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "WHERE: " before the text that is there; returns e's code. */
int err_where(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

const char *err_name(int code); /* "TIMEOUT"; "?" for an unknown code */
const char *err_text(int code); /* "deadline passed" */
int err_retryable(int code);    /* 1 or 0 */
int err_exit(int code);         /* the process's exit code; 0 for ERR_NONE */

#endif
