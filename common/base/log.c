/* log.c - see log.h */
#include "common/base/log.h"

#include "common/base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level limit = LOG_WARN;
static int as_json;

void log_setup(enum log_level up_to, int json)
{
	limit = up_to;
	as_json = json;
}

/* What would end the string or the line early becomes a blank or an escape. */
static size_t quote(char *to, size_t cap, const char *from)
{
	size_t n = 0;

	for (; *from && n + 3 < cap; from++) {
		if (*from == '"' || *from == '\\')
			to[n++] = '\\';
		to[n++] = (unsigned char)*from < 0x20 ? ' ' : *from;
	}
	to[n] = '\0';
	return n;
}

void log_event(enum log_level level, const char *what, const char *fmt, ...)
{
	static const char *const name[] = { "error", "warn", "info", "debug" };
	char line[3000], text[1200], quoted[1600], at[CLOCK_ISO];
	va_list ap;
	int n;

	if (level > limit)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	clock_iso(clock_wall_ms(), at);
	quote(quoted, sizeof quoted, text);
	if (as_json)
		n = snprintf(line, sizeof line,
			     "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\","
			     "\"text\":\"%s\"}\n",
			     at, name[level], what, quoted);
	else
		n = snprintf(line, sizeof line, "%s %s %s %s\n", at, name[level], what,
			     text);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nobody is left to tell */
}
