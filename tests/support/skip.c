/* skip.c - see skip.h */
#include "tests/support/skip.h"

#include "tests/support/cm.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *source_path(const char *relative)
{
	static char path[4096];
	const char *root = getenv("SOURCE_DIR");

	snprintf(path, sizeof path, "%s/%s", root ? root : ".", relative);
	return path;
}

char *source_text(const char *relative)
{
	const char *path = source_path(relative);
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0;

	if (!f || getdelim(&text, &n, '\0', f) < 0)
		fail_msg("cannot read %s; set SOURCE_DIR", path);
	fclose(f);
	return text;
}

const char *shared_data(const char *relative)
{
	static char path[4096];
	const char *shared = getenv("MAPFLEET_SHARED");

	if (shared)
		snprintf(path, sizeof path, "%s/data/%s", shared, relative);
	else
		snprintf(path, sizeof path, "%s%s", source_path("../shared/data/"),
			 relative);
	return access(path, R_OK) == 0 ? path : NULL;
}
