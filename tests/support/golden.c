/* golden.c - see golden.h */
#include "tests/support/golden.h"

#include "tests/support/cm.h"
#include "tests/support/skip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_it(const char *path, const char *text)
{
	char *copy = strdup(path), *slash;
	FILE *f;

	slash = copy ? strrchr(copy, '/') : NULL;
	if (slash) {
		*slash = '\0';
		mkdir(copy, 0777);
	}
	free(copy);
	f = fopen(path, "wb");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void differ(const char *path, const char *want, const char *got)
{
	int line = 1;

	while (*want && *want == *got) {
		line += *want == '\n';
		want++;
		got++;
	}
	fail_msg("%s:%d: expected ...%.60s, got ...%.60s (UPDATE_GOLDEN=1 rewrites)",
		 path, line, want, got);
}

void golden_check(const char *name, const char *text)
{
	char path[512], *want = NULL;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", source_path("tests/golden"), name);
	if (getenv("UPDATE_GOLDEN")) {
		write_it(path, text);
		return;
	}
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: %s (UPDATE_GOLDEN=1 writes it)", path, strerror(errno));
	if (getdelim(&want, &n, '\0', f) < 0 && *text)
		fail_msg("%s is empty", path);
	fclose(f);
	if (strcmp(want ? want : "", text) != 0)
		differ(path, want ? want : "", text);
	free(want);
}
