/* notice.c - see notice.h */
#include "ops/notice.h"

#include "common/base/log.h"
#include "ops/plaintext.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
	int quiet, json;
} state;

void notice_setup(int quiet, int json)
{
	state.quiet = quiet;
	state.json = json;
}

static void show(const char *what, const char *text)
{
	fprintf(stderr, "mapfleet: %s", what);
	plaintext_put(stderr, text, strlen(text));
	putc('\n', stderr);
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
		show(what, text);
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
