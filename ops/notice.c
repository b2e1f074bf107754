/* notice.c - see notice.h */
#include "ops/notice.h"

#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
	int quiet, json;
} state;

void notice_setup(int quiet, int json)
{
	state.quiet = quiet;
	state.json = json;
}

static void put(const char *what, const char *fmt, va_list ap)
{
	char text[2000];

	if (state.quiet)
		return;
	vsnprintf(text, sizeof text, fmt, ap);
	if (state.json)
		log_warn("notice", "text=%s%s", what, text);
	else
		fprintf(stderr, "mapfleet: %s%s\n", what, text);
}

void notice_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put("warning: ", fmt, ap);
	va_end(ap);
}

void notice_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put("", fmt, ap);
	va_end(ap);
}
