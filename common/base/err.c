/* err.c - see err.h */
#include "common/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *name, *text;
	int retry, exit;
} table[] = {
	[ERR_NONE] = { "NONE", "no error", 0, 0 },
#define X(name, retry, exit, text) [ERR_##name] = { #name, text, retry, exit },
	ERR_LIST(X)
#undef X
};
/* clang-format on */

static int known(int code)
{
	return code >= 0 && code < (int)(sizeof table / sizeof *table);
}

const char *err_name(int code)
{
	return known(code) ? table[code].name : "?";
}

const char *err_text(int code)
{
	return known(code) ? table[code].text : "?";
}

int err_retryable(int code)
{
	return known(code) && table[code].retry;
}

int err_exit(int code)
{
	return known(code) ? table[code].exit : 5;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return code;
}

int err_where(struct err *e, const char *fmt, ...)
{
	char was[sizeof e->text];
	va_list ap;
	size_t n;

	if (!e)
		return 0;
	memcpy(was, e->text, sizeof was);
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text - 2, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	memcpy(e->text + n, ": ", 3);
	strncat(e->text, was, sizeof e->text - n - 3);
	return e->code;
}
