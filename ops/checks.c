/* checks.c - see checks.h */
#include "ops/checks.h"

#include <stdarg.h>

static const char *const words[] = { "ok", "note", "FAIL" };

void checks_begin(struct checks *c, int json)
{
	*c = (struct checks){ .to = json ? NULL : stdout,
			      .list = json ? json_array() : NULL };
}

void check_line(struct checks *c, enum check_state state, const char *what,
		const char *mend, const char *fmt, ...)
{
	char text[1500];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->failed += state == CHECK_FAIL;
	c->notes += state == CHECK_NOTE;
	if (c->to) {
		fprintf(c->to, "%-5s %-12s %s\n", words[state], what, text);
		if (mend && state != CHECK_OK)
			fprintf(c->to, "%-18s mend: %s\n", "", mend);
	}
	if (c->list)
		json_array_append_new(c->list, json_pack("{s:s,s:s,s:s,s:s*}", "check",
							 what, "state", words[state],
							 "text", text, "mend", mend));
}

uint32_t checks_end(struct checks *c)
{
	if (c->list) {
		json_dumpf(c->list, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(c->list);
	return c->failed;
}
